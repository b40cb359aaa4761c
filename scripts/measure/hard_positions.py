#!/usr/bin/env python3
"""Counts the hard positions of Connect Four on 7x6 in which Tengen gives the value of the game away.

hard_positions.py PROGRAM [--time MS] [--threads N]

hard_positions.txt has 1,274 positions, a line each: the columns that were played and, for every
column, whether a stone there wins, draws or loses (1, 0 or -1; x if it is full). They are random
positions after 12 to 14 plies that the solver did not decide within some 300,000 nodes when it went
by the order from the centre, and in which some moves keep the value and others do not; the solver
told with more time which do. So few moves of a game meet such a position that many games tell less
of a change to the search than these. 765 of them have 12 stones, and in 418 of those the appendix of
the opening book advises a move that keeps the value: built without the feature `book`, PROGRAM has to
search.
"""

import argparse
import subprocess
from pathlib import Path

POSITIONS = Path(__file__).with_suffix(".txt")


class Engine:
    """The program behind UGI."""

    def __init__(self, program, threads):
        command = [program, "--protocol", "ugi", "--game", "connect4", "--threads", str(threads)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def say(self, line):
        self.process.stdin.write(f"{line}\n")

    def best(self, moves, time):
        """The column that it chooses after these, from 1."""
        self.say("uginewgame")
        self.say(f"position startpos moves {' '.join(moves)}")
        self.say(f"go movetime {time}")
        for line in self.process.stdout:
            if line.startswith("bestmove"):
                return int(line.split()[1])
        raise SystemExit("the program has ended")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--time", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    engine = Engine(arguments.program, arguments.threads)
    lines = POSITIONS.read_text().splitlines()
    changed = 0
    for line in lines:
        moves, *results = line.split()
        column = engine.best(moves, arguments.time)
        best = max(int(result) for result in results if result != "x")
        if results[column - 1] != str(best):
            changed += 1
            print(f"after {moves!r}: {column} has {results[column - 1]}, not {best}")
    print(f"{len(lines)} positions: {changed} moves changed the value")
    engine.say("quit")


if __name__ == "__main__":
    main()
