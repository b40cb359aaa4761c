//! Arbitrary lines into every protocol, as `tests/fuzz_protocols.rs` has them, but led by the
//! coverage of the code:
//!
//! ```sh
//! cargo install cargo-fuzz
//! fuzz/seeds.py                   # protocol.md as the first corpus, its words as a dictionary
//! RUSTC_BOOTSTRAP=1 cargo fuzz run feed -- -dict=fuzz/words.dict -max_len=4096
//! ```
//!
//! The first byte chooses the protocol and the game. Then come lines; the first byte of each
//! decides how the search answers it.
#![no_main]
#![allow(clippy::unwrap_used, reason = "a fuzz target fails by panicking")]

#[path = "../../tests/common/mod.rs"]
mod common;
#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../../tests/common/table.rs"]
mod table;

use libfuzzer_sys::fuzz_target;
use table::{Input, Table};
use tengen::game::GameKind;
use tengen::protocol::ProtocolKind;

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    let kinds = ProtocolKind::ALL;
    let first = usize::from(first);
    let (kind, game) = (kinds[first % kinds.len()], first / kinds.len());
    let game = GameKind::ALL[game % GameKind::ALL.len()];
    let Some(mut table) = Table::new(kind, game) else {
        return;
    };
    for line in rest.split(|&byte| byte == b'\n') {
        let (choice, line) = line.split_first().unwrap_or((&0, &[]));
        table.step(&Input {
            line: String::from_utf8_lossy(line).into_owned(),
            choice: u64::from(choice >> 1),
            reports: choice & 1 == 1,
        });
    }
});
