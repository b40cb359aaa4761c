//! What a person reads who starts the program on a terminal and types.

/// The lines that greet.
pub fn greeting() -> Vec<String> {
    vec![
        format!(
            "Tengen {} plays Gomoku, Reversi and Connect Four in line protocols.",
            env!("CARGO_PKG_VERSION")
        ),
        "Type a protocol's first line, such as START 15, then BEGIN (Gomocup), or genmove b (GTP)."
            .to_owned(),
        "help explains more, and so does tengen --help; the end of the input (Ctrl-D) quits."
            .to_owned(),
    ]
}

/// Whether a line asks for help.
pub fn is_help(line: &str) -> bool {
    let line = line.trim();
    line.eq_ignore_ascii_case("help") || line == "?"
}

/// The answer to it.
pub fn help() -> Vec<String> {
    const HELP: &str = "\
The first line tells the protocol; --protocol names one, and --game chooses the game.
  START 15, BEGIN, TURN 7,8, END           Gomocup: Gomoku on 15x15, points as column,row from 0
  genmove b, play w d4, showboard, quit    GTP: every game
  ugi, position startpos, go movetime 500  UGI: every game
  nboard 2, go, move f5                    NBoard: Reversi
protocol.md shows every command with its answers.
Other things to do: tengen match, tengen analyze, tengen solve; see tengen --help.";
    HELP.lines().map(str::to_owned).collect()
}
