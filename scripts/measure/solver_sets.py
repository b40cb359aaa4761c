#!/usr/bin/env python3
"""Compares the solver with public scores: solver_sets.py PROGRAM FOLDER [--peer SOLVER] [--every N]

FOLDER holds the sets of Pascal Pons (http://blog.gamesolver.org, "Part 2 - Test protocol"), files
Test_L3_R1 and so on, a line "moves score" for each position. Every set is solved by `PROGRAM solve
--no-book` on one thread, and by SOLVER, which reads the moves, a line each, from its input: Pons's
own, for instance, built from github.com/PascalPons/connect4. Prints how many scores are right, the
processor time of a position in milliseconds, and the ratio. Fails when a score of PROGRAM is wrong.
--book lets it look into its opening book; --every N takes every Nth position of each set.
"""

import argparse
import os
import resource
import subprocess
import sys

SETS = ["L3_R1", "L2_R1", "L2_R2", "L1_R1", "L1_R2", "L1_R3"]


def solve(command, moves):
    """The last number of each line that comes back, and the seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = "".join(line + "\n" for line in moves)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [line.split()[-1] for line in done.stdout.splitlines()], seconds


def read(folder, name):
    for file in (f"Test_{name}", name):
        path = os.path.join(folder, file)
        if os.path.exists(path):
            with open(path) as lines:
                return [line.split() for line in lines]
    return []


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[0].split(": ", 1)[1])
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--peer")
    parser.add_argument("--every", type=int)
    parser.add_argument("--book", action="store_true")
    parser.add_argument("--sets", nargs="+", default=SETS)
    arguments = parser.parse_args()
    own = [arguments.program, "solve"] + ([] if arguments.book else ["--no-book"])
    wrong = 0
    for name in arguments.sets:
        positions = read(arguments.folder, name)[:: arguments.every]
        if not positions:
            sys.exit(f"no set {name} in {arguments.folder}")
        moves, scores = zip(*positions)
        found, seconds = solve(own, moves)
        right = sum(a == b for a, b in zip(found, scores))
        wrong += len(scores) - right
        per_position = 1000 * seconds / len(scores)
        line = f"{name}  {right}/{len(scores)} right  {per_position:9.4f} ms"
        if arguments.peer:
            _, peer = solve([arguments.peer], moves)
            line += f"  peer {1000 * peer / len(scores):9.4f} ms  ratio {seconds / peer:.2f}"
        print(line, flush=True)
    sys.exit(wrong > 0)


main()
