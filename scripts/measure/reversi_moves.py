#!/usr/bin/env python3
"""How much the moves of a Reversi engine give away, by the scores of a stronger one.

Positions are lines as `tengen solve --game reversi` reads them: 64 characters and the side to move.
Lines with a score for every move are what `tengen solve --all` prints, exact near the end, and what
`score` makes of the hints of an engine earlier in the game. `judge` lets an engine choose a move in
each and prints the mean of what its moves are below the best. Engines speak NBoard.

  reversi_moves.py score --depth 19 positions.txt ./ntest x >scored.txt
  reversi_moves.py judge scored.txt tengen --protocol nboard --time 300
"""

import argparse
import math
import subprocess
import sys
import time

WIDE = 64  # as many hints as a position can have moves


class Engine:
    """An engine that speaks NBoard."""

    def __init__(self, command, depth):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(command, text=True, bufsize=1, **pipes)
        self.say("nboard 2")
        self.say(f"set depth {depth}")

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def lines(self):
        for line in self.process.stdout:
            yield line.strip()
        sys.exit("the engine has ended")

    def set_position(self, board, mover):
        cells = board.upper().replace("X", "*").replace(".", "-")
        mover = "O" if mover in "Oo" else "*"
        self.say(f"set game (;GM[Othello]TY[8]BO[8 {cells} {mover}];)")

    def hints(self):
        """The score of every move, in discs."""
        self.say(f"hint {WIDE}")
        scores = {}
        for line in self.lines():
            if line.startswith("search "):
                _, line_of_play, score, *_ = line.split()
                scores[line_of_play[:2].lower()] = float(score)
            elif line == "status" and scores:
                return scores

    def go(self):
        self.say("go")
        for line in self.lines():
            if line.startswith("=== "):
                return line.split()[1].split("/")[0].lower()

    def close(self):
        self.process.kill()
        self.process.wait()


def positions(name):
    """Fields of each line: the cells, the side to move, and what follows."""
    with open(name, encoding="ascii") as lines:
        fields = [line.split() for line in lines]
    return [line for line in fields if len(line) >= 2]


def score(arguments):
    engine = Engine(arguments.engine, arguments.depth)
    for board, mover, *_ in positions(arguments.file):
        engine.set_position(board, mover)
        scores = sorted(engine.hints().items(), key=lambda it: -it[1])
        print(board, mover, *(f"{move}:{value:g}" for move, value in scores), flush=True)
    engine.close()


def judge(arguments):
    engine = Engine(arguments.engine, arguments.depth)
    lost, seconds = [], 0.0
    for board, mover, *moves in positions(arguments.file):
        pairs = (move.rsplit(":", 1) for move in moves)
        scores = {move: float(value) for move, value in pairs}
        if len(set(scores.values())) < 2:
            continue
        engine.set_position(board, mover)
        begun = time.monotonic()
        move = engine.go()
        seconds += time.monotonic() - begun
        if move not in scores:
            sys.exit(f"{board} {mover}: {move} has no score")
        lost.append(max(scores.values()) - scores[move])
    engine.close()
    if not lost:
        sys.exit("no position has moves of different scores")
    count = len(lost)
    mean = sum(lost) / count
    error = math.sqrt(sum((it - mean) ** 2 for it in lost)) / count
    wrong = sum(it > 0 for it in lost)
    print(
        f"{count} positions, {wrong} moves below the best, "
        f"{mean:.3f} ± {error:.3f} a move, {1000 * seconds / count:.0f} ms"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    for work, about in ((score, "scores every move"), (judge, "judges an engine")):
        command = commands.add_parser(work.__name__, help=about)
        command.add_argument("file")
        command.add_argument("--depth", type=int, default=60, help="plies of the engine")
        command.add_argument("engine", nargs=argparse.REMAINDER)
        command.set_defaults(work=work)
    arguments = parser.parse_args()
    if not arguments.engine:
        parser.error("which engine?")
    arguments.work(arguments)


if __name__ == "__main__":
    main()
