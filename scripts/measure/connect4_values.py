#!/usr/bin/env python3
"""Looks for moves of Tengen that change the value of a game of Connect Four on 7x6.

connect4_values.py PROGRAM [--games N] [--time MS] [--threads N] [--plies FEWEST MOST] [--seed N]

Plays N games from openings of FEWEST to MOST random plies, each opening with both colours, in turn
against Tengen itself and the levels of its ladder. Then `PROGRAM solve --all` checks every move of
Tengen. One that turns a win into a draw or a loss, or a draw into a loss, changes the value: it is
printed, and the script fails. Moves that keep the value, but win later or lose sooner than need be,
are counted. Without an opening book the solver takes about a second for every position of 8 plies,
and longer for earlier ones.
"""

import argparse
import json
import os
import random
import subprocess
import tempfile

LADDER = [f"level-{number}" for number in range(10, 0, -1)]


def play(arguments, engines, plies, seed):
    """The records of two games from one opening."""
    with tempfile.TemporaryDirectory() as folder:
        records = os.path.join(folder, "games.jsonl")
        command = [arguments.program, "match", *engines, "--game", "connect4", "--games", "2"]
        command += ["--time", str(arguments.time), "--seed", str(seed)]
        command += ["--random-plies", str(plies)]
        command += ["--concurrency", "1", "--json", records]
        subprocess.run(command, check=True, capture_output=True)
        with open(records) as lines:
            return [json.loads(line) for line in lines]


def choices(record, tengen):
    """What was played before each move of Tengen's, and the column that it chose."""
    moves = record["opening"] + [entry["move"] for entry in record["moves"]]
    for ply in range(len(record["opening"]), len(moves)):
        engine = (record["first"] + ply) % 2
        if record["engines"][engine] == tengen:
            yield "".join(moves[:ply]), int(moves[ply])


def scores(program, lines):
    """The score of every column after each line."""
    text = "".join(f"{line}\n" for line in lines)
    command = [program, "solve", "--all", "--memory", "1024"]
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True)
    answers = [answer.split(" ")[1:] for answer in done.stdout.splitlines()]
    return [[None if score == "-" else int(score) for score in answer] for answer in answers]


def sign(score):
    return (score > 0) - (score < 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--time", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--plies", type=int, nargs=2, default=[0, 12])
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    source = random.Random(arguments.seed)
    tengen = "tengen" if arguments.threads == 1 else f"tengen:threads={arguments.threads}"
    opponents = [tengen, *LADDER]
    chosen = []
    for pair in range(arguments.games // 2):
        opponent = opponents[pair % len(opponents)]
        plies = source.randint(*arguments.plies)
        seed = source.randrange(1 << 32)
        for record in play(arguments, [tengen, opponent], plies, seed):
            chosen += [(opponent, *choice) for choice in choices(record, tengen)]
    lines = sorted({line for _, line, _ in chosen}, key=lambda line: -len(line))
    known = dict(zip(lines, scores(arguments.program, lines)))
    changed, slower = 0, 0
    for opponent, line, column in chosen:
        of_columns = known[line]
        best = max(score for score in of_columns if score is not None)
        score = of_columns[column - 1]
        slower += sign(score) == sign(best) and score < best
        if sign(score) != sign(best):
            changed += 1
            print(f"against {opponent}, after {len(line)} plies {line!r}: {column} scores {score}, not {best}")
    print(f"{len(chosen)} moves: {changed} changed the value, {slower} were slower than need be")
    return changed > 0


if __name__ == "__main__":
    raise SystemExit(main())
