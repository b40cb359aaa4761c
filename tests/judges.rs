//! Whole games through the binary, as the referees of riddles.io and CodinGame hold them.

use crate::dialogue::{Dialogue, now};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;
use tengen::bots::Bot;
use tengen::clock::TimeControl;
use tengen::game::{Action, AnyGame, Connect4Rules, GameKind, Point, Setup, Side, any, notation};
use tengen::protocol::{self, Defaults, Protocol, ProtocolKind, Request, Requests};
use tengen::search::Report;
use tengen::session::{Allowance, Event, Order, ThinkingThread};

/// A player behind a pipe.
struct Player(Dialogue);

impl Player {
    fn start(arguments: &[&str]) -> Player {
        Player(Dialogue::start(arguments))
    }

    fn tell(&mut self, lines: &[String]) {
        for line in lines {
            self.0.say(line);
        }
    }

    /// Tells these lines and hears the answer to the last.
    fn ask(&mut self, lines: &[String]) -> String {
        self.tell(lines);
        self.0.hear()
    }

    /// Closes the input; nothing more may be said, and the process ends well.
    fn leave(mut self) {
        self.0.close();
        assert_eq!(self.0.next(), None);
        self.0.exits_within(Duration::from_secs(5));
    }
}

/// A protocol with a session, and no process around them.
struct Desk {
    protocol: Box<dyn Protocol>,
    player: tengen::player::Player,
    events: Receiver<Event>,
    /// What was found for every move.
    reports: Vec<Report>,
}

impl Desk {
    fn new(kind: ProtocolKind, setup: Setup) -> Desk {
        let (sender, events) = mpsc::channel();
        let bot = Bot::find("tengen").unwrap();
        let tell = move |_, _, event| sender.send(event).unwrap();
        let defaults = Defaults {
            setup,
            time: TimeControl::default(),
            playouts: Some(500),
        };
        // What is solved at once leaves no tree to keep.
        let searched = vec![("solve_root".to_owned(), "false".to_owned())];
        let thread = ThinkingThread::start().unwrap();
        Desk {
            protocol: protocol::open(kind, defaults).unwrap(),
            player: tengen::player::Player::new(bot, searched, setup, thread, tell).unwrap(),
            events,
            reports: Vec::new(),
        }
    }

    /// The answer to the last of these lines.
    fn ask(&mut self, lines: &[String]) -> String {
        let mut out = Vec::new();
        for line in lines {
            let requests = self.protocol.feed(line, &mut out);
            if let Some(event) = self.obey(requests) {
                let requests = self.protocol.render(&event, &mut out);
                assert!(self.obey(requests).is_none());
            }
        }
        out.pop().unwrap()
    }

    /// Does what was asked for, and returns what was found if it was thinking.
    fn obey(&mut self, requests: Requests) -> Option<Event> {
        let mut found = None;
        for request in requests {
            match request {
                Request::NewGame(setup) => self.player.new_game(setup).unwrap(),
                Request::Position {
                    setup,
                    stones,
                    to_move,
                } => self.player.set_position(setup, stones, to_move).unwrap(),
                Request::Play(action) => self.player.session().play(action).unwrap(),
                Request::Think(asked) => {
                    self.player.session().think(Order {
                        received: now(),
                        allowance: Allowance {
                            report_every: None,
                            ..asked
                        },
                    });
                    let event = self.events.recv().unwrap();
                    if let Event::Best(report) = &event {
                        self.reports.push(report.clone());
                    }
                    found = Some(event);
                }
                other => panic!("{other:?}"),
            }
        }
        found
    }

    /// How many searches, the first of all aside, found no visits of an earlier one. A blunder
    /// is not in the tree, so those that found its refutation at once do not count.
    fn fresh_searches(&self) -> usize {
        let later = self.reports.iter().skip(1).filter(|it| it.proof.is_none());
        later.filter(|it| it.visits <= it.playouts).count()
    }
}

fn strings(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|&line| line.to_owned()).collect()
}

/// The rows of the board from the top, with these signs for a free cell and either side.
fn rows(game: &dyn AnyGame, signs: [char; 3], between: &str) -> Vec<String> {
    let setup = game.setup();
    let sign = |col, row| match game.stone_at(Point { col, row }) {
        None => signs[0],
        Some(side) => signs[1 + side.index()],
    };
    (0..setup.rows)
        .map(|row| {
            let cells = (0..setup.cols).map(|col| sign(col, row).to_string());
            cells.collect::<Vec<_>>().join(between)
        })
        .collect()
}

/// Plays a game to its end; `answer` asks the player whose turn it is. Returns the moves.
fn referee(
    setup: &Setup,
    mut answer: impl FnMut(&dyn AnyGame, usize) -> Action,
) -> Box<dyn AnyGame> {
    let mut game = any::new_game(setup).unwrap();
    while game.outcome().is_none() {
        let action = if game.is_legal(Action::Pass) {
            Action::Pass
        } else {
            answer(&*game, game.side_to_move().index())
        };
        let board = game.diagram();
        game.play(action)
            .unwrap_or_else(|error| panic!("{action:?}: {error} in\n{board}"));
    }
    game
}

/// Player 1 gets theaigames' dialect and player 2 that of riddles.io, both with no arguments but
/// the limit of the search, so that the first line tells the protocol.
#[test]
fn riddles_plays_a_whole_game_in_both_dialects() {
    let setup = Setup::standard(GameKind::Connect4).with_size(8, 7);
    let mut players = [(); 2].map(|()| Player::start(&["--playouts", "300"]));
    let bank = ["settings timebank 10000", "settings time_per_move 100"];
    let ours = [
        [
            "settings your_botid 1",
            "settings field_columns 8",
            "settings field_rows 7",
        ],
        [
            "settings your_botid 1",
            "settings field_width 8",
            "settings field_height 7",
        ],
    ];
    for (player, ours) in players.iter_mut().zip(ours) {
        player.tell(&strings(&[&bank[..], &ours].concat()));
    }
    let game = referee(&setup, |game, mover| {
        let fields = [
            rows(game, ['0', '1', '2'], ",").join(";"),
            rows(game, ['.', '0', '1'], ",").join(","),
        ];
        // Both players are shown every board, as theaigames did.
        for (player, field) in players.iter_mut().zip(&fields) {
            player.tell(&[format!("update game field {field}")]);
        }
        let answer = players[mover].ask(&strings(&["action move 3000"]));
        let column = answer.strip_prefix("place_disc ").unwrap();
        Action::Column(column.parse().unwrap())
    });
    assert!(game.history().len() >= 7);
    players.into_iter().for_each(Player::leave);
}

/// A turn of Connect 4 as CodinGame tells it.
fn connect4_turn(game: &dyn AnyGame) -> Vec<String> {
    let number = |action: &Action| match action {
        Action::Column(col) => col.to_string(),
        _ => "-2".to_owned(),
    };
    let actions: Vec<String> = game.legal_actions().iter().map(number).collect();
    let mut lines = vec![game.history().len().to_string()];
    lines.extend(rows(game, ['.', '0', '1'], ""));
    lines.push(actions.len().to_string());
    lines.extend(actions);
    lines.push(game.history().last().map_or("-1".to_owned(), number));
    lines
}

fn codingame_connect4() -> Setup {
    Setup::standard(GameKind::Connect4)
        .with_size(9, 7)
        .with(Connect4Rules {
            steal: true,
            ..Connect4Rules::default()
        })
}

#[test]
fn codingame_connect4_is_played_to_its_end() {
    let mut players = ["0 1", "1 0"].map(|ids| {
        let mut player = Player::start(&["--playouts", "300"]);
        player.tell(&strings(&[ids]));
        player
    });
    let game = referee(&codingame_connect4(), |game, mover| {
        match players[mover].ask(&connect4_turn(game)).as_str() {
            "STEAL" => Action::Steal,
            column => Action::Column(column.parse().unwrap()),
        }
    });
    assert!(game.history().len() >= 7);
    players.into_iter().for_each(Player::leave);
}

/// The second player, and its first turn after a stone in the centre.
fn before_the_steal() -> (Player, Vec<String>) {
    let mut player = Player::start(&["--protocol", "codingame", "--playouts", "100000"]);
    player.tell(&strings(&["1 0"]));
    let mut game = any::new_game(&codingame_connect4()).unwrap();
    game.play(Action::Column(4)).unwrap();
    (player, connect4_turn(&*game))
}

/// The first stone in the centre is worth more than any answer to it.
#[test]
fn the_centre_is_stolen() {
    let (mut player, turn) = before_the_steal();
    assert_eq!(player.ask(&turn), "STEAL");
    player.leave();
}

/// A list of actions that leaves out the best one is still the judge's word.
#[test]
fn no_answer_is_off_the_list() {
    let (mut player, mut turn) = before_the_steal();
    let steal = turn.iter().position(|line| line == "-2").unwrap();
    turn.splice(8..=steal, strings(&["2", "7", "8"]));
    turn.drain(11..turn.len() - 1);
    assert_eq!(turn.len(), 12);
    assert_eq!(player.ask(&turn), "7");
    player.leave();
}

/// Limits of the judge that the program is not told. The search takes all of its time, so that
/// one who took a second for every turn would be seen.
#[test]
fn later_turns_on_codingame_are_short() {
    let mut player = Player::start(&[]);
    player.tell(&strings(&["0 1"]));
    let mut game = any::new_game(&codingame_connect4()).unwrap();
    player.ask(&connect4_turn(&*game));
    // The quickest of some, for the machine may stand still.
    let times = [[0, 1], [2, 3], [5, 6]].map(|columns| {
        for column in columns {
            game.play(Action::Column(column)).unwrap();
        }
        let asked = now();
        player.ask(&connect4_turn(&*game));
        asked.elapsed()
    });
    assert!(times.into_iter().min() < Some(Duration::from_millis(500)));
    player.leave();
}

#[test]
fn codingame_othello_is_played_to_its_end() {
    let mut players = ["0", "1"].map(|id| {
        let mut player = Player::start(&["--protocol", "codingame", "--playouts", "100"]);
        player.tell(&strings(&[id, "8"]));
        player
    });
    let setup = Setup::standard(GameKind::Reversi);
    let game = referee(&setup, |game, mover| {
        let actions = game.legal_actions();
        let mut lines = rows(game, ['.', '0', '1'], "");
        lines.push(actions.len().to_string());
        lines.extend(actions.iter().map(|&it| notation::write(&setup, it)));
        let answer = players[mover].ask(&lines);
        notation::parse(&setup, &answer).unwrap_or_else(|| panic!("{answer:?}"))
    });
    assert!(game.stone_at(Point { col: 3, row: 3 }).is_some());
    assert_ne!(game.outcome().unwrap().margin(Side::First).abs(), 1);
    players.into_iter().for_each(Player::leave);
}

#[test]
fn the_tree_is_kept_from_board_to_board() {
    let setup = codingame_connect4();
    let mut players = ["0 1", "1 0"].map(|ids| {
        let mut desk = Desk::new(ProtocolKind::CodinGame, Setup::standard(GameKind::Gomoku));
        let begun = desk.protocol.feed(ids, &mut Vec::new());
        desk.obey(begun);
        desk
    });
    referee(&setup, |game, mover| {
        match players[mover].ask(&connect4_turn(game)).as_str() {
            "STEAL" => Action::Steal,
            column => Action::Column(column.parse().unwrap()),
        }
    });
    let mut discs = Desk::new(ProtocolKind::Riddles, Setup::standard(GameKind::Connect4));
    discs
        .protocol
        .feed("settings your_botid 0", &mut Vec::new());
    referee(&Setup::standard(GameKind::Connect4), |game, mover| {
        if mover == 1 {
            return game.legal_actions()[0];
        }
        let field = rows(game, ['.', '0', '1'], ",").join(",");
        let lines = [
            format!("update game field {field}"),
            "action move".to_owned(),
        ];
        let answer = discs.ask(&lines);
        Action::Column(answer.strip_prefix("place_disc ").unwrap().parse().unwrap())
    });
    for desk in players.iter().chain([&discs]) {
        assert!(desk.reports.len() > 3);
        assert_eq!(desk.fresh_searches(), 0, "{:?}", desk.reports);
    }
}

/// The class that the Reversi course calls, in a game of the course's own shape.
#[test]
fn the_reversi_course_gets_legal_moves_in_time() {
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/scripts/tests/reversi_course.py"
    );
    let status = std::process::Command::new("python3")
        .args([script, env!("CARGO_BIN_EXE_tengen")])
        .status();
    assert!(status.expect("python3 is needed").success());
}
