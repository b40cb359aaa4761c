#!/usr/bin/env python3
"""Compares what two builds of Tengen search: same_trees.py OLD NEW [--playouts N] [--seed N]

The reference bots by UCT are to search the same trees in every build. Each looks at three positions of
each game that it plays, and what `analyze --json` tells of them, times aside, is compared text by
text. The first difference is printed, and the script fails.
"""

import argparse
import json
import subprocess
import sys

# The games of each bot.
BOTS = {
    "uct": ["gomoku", "reversi", "connect4"],
    "gomoku-mcts": ["gomoku"],
    "reversi-mcts": ["reversi"],
    "connect4-uct": ["connect4"],
    "mini-alphago": ["reversi"],
}

# The empty board, an opening, and the middle of a game.
POSITIONS = {
    "gomoku": ["", "h8 i9 h9", "h8 i9 h9 h10 g7 i7 i8 j8 g8 f8"],
    "reversi": ["", "f5d6c3", "f5d6c3d3c4f4f6f3e6e7d7c6"],
    "connect4": ["", "443", "44444322"],
}

# Told by the clock.
TIMES = ["ms", "playouts_per_second"]


def told(program, game, bot, moves, arguments):
    """What a build tells of a position, as one text."""
    command = [program, "analyze", "--json", "--game", game, "--bot", bot, "--moves", moves]
    command += ["--playouts", str(arguments.playouts), "--seed", str(arguments.seed)]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    for name in TIMES:
        del told[name]
    return json.dumps(told, sort_keys=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--playouts", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    compared = 0
    for bot, games in BOTS.items():
        for game in games:
            for moves in POSITIONS[game]:
                old, new = (told(program, game, bot, moves, arguments) for program in (arguments.old, arguments.new))
                if old != new:
                    sys.exit(f"{bot} in {game} after {moves!r}:\n{old}\n{new}")
                compared += 1
    print(f"{compared} positions, all alike")


if __name__ == "__main__":
    main()
