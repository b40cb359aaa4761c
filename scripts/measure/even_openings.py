#!/usr/bin/env python3
"""Prints openings after which neither side is ahead, a line each.

The program draws them, random plies or `balanced` ones of Gomoku, and judges each by a longer
search than a match would wait for. `tengen match --openings FILE` reads them; who wins depends less
on the colours then.

  even_openings.py target/release/tengen --game reversi --draw 10 --seed 1 --count 100 >even.txt
  even_openings.py target/release/tengen --game gomoku --draw balanced --playouts 60000 >even.txt
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

DRAWN_AT_ONCE = 10


def run(command):
    """What the program prints. Where it fails, this ends with what it says of that."""
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(ended.stderr.strip())
    return ended.stdout


def drawn(arguments, seed):
    """Openings of one seed, as tuples of moves."""
    is_count = arguments.draw.isdecimal()
    how = ["--random-plies" if is_count else "--openings", arguments.draw]
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder) / "games.json"
        run(
            [arguments.program, "match", "random", "random", *arguments.board, *how]
            + ["--games", str(2 * DRAWN_AT_ONCE), "--seed", str(seed), "--json", str(records)]
        )
        games = [json.loads(line) for line in records.read_text(encoding="utf-8").splitlines()]
    # Both games of a pair have its opening.
    return list(dict.fromkeys(tuple(game["opening"]) for game in games if "opening" in game))


def expected(arguments, moves):
    """The score 0..1 that the side to move expects, by its best move."""
    answer = run(
        [arguments.program, "analyze", *arguments.board, "--moves", " ".join(moves)]
        + ["--playouts", str(arguments.playouts), "--json"]
    )
    report = json.loads(answer)
    return next(move["mean"] for move in report["moves"] if move["move"] == report["best"])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("--game", required=True, help="gomoku, reversi or connect4")
    parser.add_argument("--size", help="columns and rows, as 15x15")
    parser.add_argument("--rule", help="the rule of Gomoku")
    parser.add_argument("--draw", default="10", help="how many random plies, or balanced (Gomoku)")
    parser.add_argument("--count", type=int, default=100, help="openings to print")
    parser.add_argument("--seed", type=int, default=0, help="the first seed to draw with")
    parser.add_argument("--playouts", type=int, default=4000, help="playouts that judge each")
    parser.add_argument("--within", type=float, default=0.06, help="how far from a half is even")
    arguments = parser.parse_args()
    arguments.board = ["--game", arguments.game]
    for option in ("size", "rule"):
        if value := getattr(arguments, option):
            arguments.board += [f"--{option}", value]
    seen = set()
    seed = arguments.seed
    left = arguments.count
    while left > 0:
        new = [moves for moves in drawn(arguments, seed) if moves not in seen]
        if not new:
            sys.exit(f"there are no more openings; {left} are missing")
        for moves in new:
            if left > 0 and abs(expected(arguments, moves) - 0.5) <= arguments.within:
                print(*moves, flush=True)
                left -= 1
        seen.update(new)
        seed += 1


if __name__ == "__main__":
    main()
