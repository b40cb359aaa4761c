//! Every move, undo and set-up that a page can make agrees with the rules of the library.

use crate::common::{Follower, Snapshot};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};
use tengen::clock::TimeControl;
use tengen::game::{Action, AnyGame, GameKind, Setup, Side, any, notation};
use tengen::protocol::{self, Defaults, Protocol, ProtocolKind};

/// A page, the session that follows it, and the same game by the rules alone.
struct Walk {
    page: Box<dyn Protocol>,
    follower: Follower,
    start: Box<dyn AnyGame>,
    line: Vec<Action>,
    ply: usize,
    random: Xoshiro256PlusPlus,
}

impl Walk {
    fn new(setup: &Setup, seed: u64) -> Walk {
        let defaults = Defaults {
            setup: *setup,
            time: TimeControl::default(),
            playouts: Some(1),
        };
        Walk {
            page: protocol::open(ProtocolKind::Web, defaults).unwrap(),
            follower: Follower::new(setup),
            start: any::new_game(setup).unwrap(),
            line: Vec::new(),
            ply: 0,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// The game by the rules.
    fn game(&self) -> Box<dyn AnyGame> {
        let mut game = self.start.clone_box();
        for &action in &self.line[..self.ply] {
            game.play(action).unwrap();
        }
        game
    }

    fn say(&mut self, line: &Value) -> Vec<Value> {
        let mut out = Vec::new();
        let requests = self.page.feed(&line.to_string(), &mut out);
        for request in &requests {
            self.follower.obey(request);
        }
        out.iter()
            .map(|text| serde_json::from_str(text).unwrap())
            .collect()
    }

    /// One command that may or may not be possible, and what must hold after it.
    fn step(&mut self) {
        let game = self.game();
        let setup = game.setup();
        let command = match self.random.random_range(0..20) {
            0 => self.undo(),
            1 => self.redo(),
            2 => self.go(),
            3 => self.impossible(&*game),
            4 if self.random.random_range(0..10) == 0 => self.set_up(&*game),
            _ => self.play(&*game),
        };
        let Some(command) = command else { return };
        let answers = self.say(&command);
        let now = self.game();
        let expected = Snapshot::of(&*now);
        assert_eq!(Snapshot::of(self.page.board()), expected, "{command}");
        assert_eq!(Snapshot::of(&*self.follower.game), expected, "{command}");
        let state = &answers[0]["state"];
        if state.is_null() {
            assert!(answers[0]["error"].is_string(), "{command}: {answers:?}");
            return;
        }
        check(state, &*now, &setup);
        assert_eq!(state["moves"].as_array().unwrap().len(), self.line.len());
    }

    fn play(&mut self, game: &dyn AnyGame) -> Option<Value> {
        let actions = game.legal_actions();
        if actions.is_empty() {
            let moves = self.line[..self.ply / 2].iter();
            let texts: Vec<String> = moves
                .map(|&it| notation::write(&game.setup(), it))
                .collect();
            return Some(self.begin(game, &texts.join(" ")));
        }
        let action = actions[self.random.random_range(0..actions.len())];
        if self.line.get(self.ply) != Some(&action) {
            self.line.truncate(self.ply);
            self.line.push(action);
        }
        self.ply += 1;
        Some(json!({ "do": "play", "move": notation::write(&game.setup(), action) }))
    }

    /// A new game on the same board with these moves.
    fn begin(&mut self, game: &dyn AnyGame, moves: &str) -> Value {
        let setup = game.setup();
        self.start = any::new_game(&setup).unwrap();
        self.line.clear();
        let mut board = self.start.clone_box();
        for action in notation::parse_list(&setup, moves).unwrap() {
            if board.play(action).is_err() {
                break;
            }
            self.line.push(action);
        }
        self.ply = self.line.len();
        let texts = self.line.iter().map(|&it| notation::write(&setup, it));
        let mut command = new_command(&setup);
        command["moves"] = texts.collect::<Vec<_>>().join(" ").into();
        command
    }

    fn undo(&mut self) -> Option<Value> {
        let plies = self.random.random_range(1..4);
        self.ply = self.ply.checked_sub(plies).unwrap_or(self.ply);
        Some(json!({ "do": "undo", "plies": plies }))
    }

    fn redo(&mut self) -> Option<Value> {
        if self.ply < self.line.len() {
            self.ply += 1;
        }
        Some(json!({ "do": "redo" }))
    }

    fn go(&mut self) -> Option<Value> {
        let ply = self.random.random_range(0..=self.line.len() + 1);
        if ply <= self.line.len() {
            self.ply = ply;
        }
        Some(json!({ "do": "go", "ply": ply }))
    }

    /// A move that is not legal.
    fn impossible(&mut self, game: &dyn AnyGame) -> Option<Value> {
        let text = match self.random.next_u32() % 3 {
            0 => "pass".to_owned(),
            1 => "z99".to_owned(),
            _ => format!("{}", self.random.random_range(0..14)),
        };
        let action = notation::parse(&game.setup(), &text);
        let is_legal = action.is_some_and(|action| game.is_legal(action));
        (!is_legal).then(|| json!({ "do": "play", "move": text }))
    }

    /// The stones on the board as a position of its own.
    fn set_up(&mut self, game: &dyn AnyGame) -> Option<Value> {
        let setup = game.setup();
        let stones: Vec<_> = setup
            .points()
            .filter_map(|point| Some((point, game.stone_at(point)?)))
            .collect();
        let to_move = game.side_to_move();
        self.start = any::from_stones(&setup, &stones, to_move).ok()?;
        self.line.clear();
        self.ply = 0;
        let mut command = new_command(&setup);
        command["stones"] = drawn(game).into();
        command["to_move"] = to_move.index().into();
        Some(command)
    }
}

fn new_command(setup: &Setup) -> Value {
    let mut command = json!({ "do": "new", "game": setup.game().to_string() });
    for (name, value) in setup.terms() {
        command[name] = match name {
            "connect" | "steal" => serde_json::from_str(&value).unwrap(),
            _ => value.into(),
        };
    }
    command
}

fn drawn(game: &dyn AnyGame) -> String {
    let points = game.setup().points();
    points
        .map(|point| match game.stone_at(point) {
            Some(Side::First) => 'X',
            Some(Side::Second) => 'O',
            None => '.',
        })
        .collect()
}

/// What the page is told is what the rules say.
fn check(state: &Value, game: &dyn AnyGame, setup: &Setup) {
    assert_eq!(state["stones"], drawn(game));
    assert_eq!(state["to_move"], game.side_to_move().index());
    assert_eq!(state["ply"], game.history().len());
    let legal: Vec<&str> = state["legal"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry[0].as_str().unwrap())
        .collect();
    let actions = game.legal_actions().into_iter();
    let expected: Vec<String> = actions
        .map(|action| notation::write(setup, action))
        .collect();
    assert_eq!(legal, expected);
    let outcome = game.outcome();
    assert_eq!(state["outcome"].is_null(), outcome.is_none());
    let winner = outcome.and_then(|it| it.winner());
    if let Some(winner) = winner {
        assert_eq!(state["outcome"][0], winner.index());
    }
    let by_row = winner.is_some() && setup.game() != GameKind::Reversi;
    assert_eq!(!state["row"].as_array().unwrap().is_empty(), by_row);
}

#[test]
fn ten_thousand_steps_agree_with_the_rules() {
    let standard = |game| Setup::standard(game);
    let with = |game, name: &str, value: &str| standard(game).with_term(name, value).unwrap();
    let boards = [
        standard(GameKind::Reversi),
        standard(GameKind::Connect4),
        with(GameKind::Connect4, "hole", "2,3"),
        with(GameKind::Connect4, "steal", "true"),
        with(GameKind::Gomoku, "size", "9x7"),
        with(GameKind::Gomoku, "rule", "renju"),
    ];
    for (seed, setup) in (0..).zip(&boards) {
        let mut walk = Walk::new(setup, seed);
        for _ in 0..10_000 / boards.len() + 1 {
            walk.step();
        }
    }
}

/// As records write it.
#[test]
fn a_game_may_be_told_with_its_terms() {
    let mut walk = Walk::new(&Setup::standard(GameKind::Gomoku), 0);
    let whole = json!({ "do": "new", "game": "connect4 9x10 hole=3,4 steal=true" });
    let apart =
        json!({ "do": "new", "game": "connect4", "size": "9x10", "hole": "3,4", "steal": true });
    let told = walk.say(&whole);
    assert_eq!(told[0]["state"]["hole"], 39);
    assert_eq!(walk.say(&apart), told);
}

/// White moves first after black stones that were set up, as in a game of Go with a handicap.
#[test]
fn a_position_of_a_file_tells_whose_turn_it_is_by_its_first_move() {
    let mut walk = Walk::new(&Setup::standard(GameKind::Gomoku), 0);
    let load = |text: &str| json!({ "do": "load", "text": text });
    let told = walk.say(&load(
        "Dear Bo,\n(;GM[1]FF[4]SZ[15]AB[hh:hi];AE[hi];W[ii];B[gh])",
    ));
    assert_eq!(told[0]["state"]["moves"], json!(["i7", "g8"]), "{told:?}");
    assert_eq!(told[0]["state"]["start"][1], 1, "{told:?}");
    let told = walk.say(&load("(;GM[4]SZ[15];B[hh];AW[ii])"));
    let error = "AW stands after a move, where no position can be set up";
    assert_eq!(told, [json!({ "error": error })]);
}

/// Another game may be put up in the middle of a review; nothing else may be done but to stop it.
#[test]
fn a_new_game_ends_a_review() {
    let mut walk = Walk::new(&Setup::standard(GameKind::Connect4), 0);
    for begin in [
        json!({ "do": "new", "game": "connect4", "moves": "44" }),
        json!({ "do": "load", "text": "(;FF[4]GM[4]SZ[15];B[hh])" }),
    ] {
        walk.say(&json!({ "do": "new", "game": "connect4", "moves": "12" }));
        walk.say(&json!({ "do": "review", "playouts": 1 }));
        let refused = walk.say(&json!({ "do": "play", "move": "3" }));
        assert_eq!(refused, [json!({ "error": "the game is being reviewed" })]);
        assert!(walk.say(&begin)[0]["state"].is_object());
        assert!(walk.say(&json!({ "do": "go", "ply": 0 }))[0]["state"].is_object());
    }
}

#[test]
fn a_level_that_there_is_not_and_a_game_that_is_over_are_refused() {
    let mut walk = Walk::new(&Setup::standard(GameKind::Connect4), 0);
    for (command, error) in [
        (json!({ "do": "think", "level": 11 }), "levels are 1 to 10"),
        (json!({ "do": "review" }), "no move was played"),
        (json!({ "do": "redo" }), "the game has no such place"),
        (
            json!({ "do": "new", "game": "chess" }),
            "there is no such game",
        ),
    ] {
        assert_eq!(walk.say(&command), [json!({ "error": error })]);
    }
    walk.say(&json!({ "do": "new", "game": "connect4", "moves": "1212121" }));
    for word in ["think", "analyze", "scores"] {
        let answers = walk.say(&json!({ "do": word }));
        assert_eq!(answers, [json!({ "error": "the game is over" })]);
    }
}
