#!/usr/bin/env python3
"""Records games of self-play over a Ray cluster, and fits weights to them. See --help."""

import argparse
import contextlib
import hashlib
import os
import subprocess
import sys
import tempfile

import ray_match
from ray_match import (Failure, Folder, add_places, as_task, collect, connect, errors_as_failures,
                       positive, read, run_part, run_to_end)

DESCRIPTION = """\
Learns weights of Reversi or Gomoku with a Ray cluster: many machines play games with the weights
there are, and one fits new weights to all games.

A part (`tengen learn GAME --record` with a seed of its own) is a task of Ray. It counts when it
is whole, and then it is written to DIR by one rename; a part whose machine or process dies is
played again elsewhere. DIR is the whole state: after an interruption the same command goes on
where it was. At the end `tengen learn GAME --fit` makes DIR/weights.bin of all parts on this
machine, with a match against the weights before. With --net the program's net corrects the weights
of Reversi while games are played, and DIR/net.bin is fitted: a net that corrects these weights.

The program and the weights are sent to the machines, so they all play with the same. They need
Python and Ray. A program from packaging/build_static runs on any x86-64 Linux."""

EXAMPLES = """\
examples:
  scripts/ray_learn.py reversi --dir g2 --from src/knowledge/reversi/weights.bin --depth 4
  scripts/ray_learn.py reversi --address auto --dir g3 --from g2/weights.bin --games 4000000
  scripts/ray_learn.py reversi --dir g4 --from g3/weights.bin --depth 4 --net
  scripts/ray_learn.py gomoku --address auto --dir g5 --from src/knowledge/gomoku/net/freestyle.bin
  scripts/ray_learn.py gomoku --dir g6 --rule renju --from src/knowledge/gomoku/net/renju.bin

exit code: 0 when the weights are fitted, 1 on an error, 130 when interrupted"""

# Leaves of each search of Gomoku if nothing else is said: a fit that goes on from a net needs them.
LEAVES = 6

# The rules by their names in the program, so that a wrong one is refused before a part is played.
RULES = ("freestyle", "exact", "renju", "caro", "exact-caro")

# How hard the players think, and games in all and of a part if nothing else is said. A part is some
# minutes.
GAMES = {
    "reversi": {"effort": "depth", "games": 500_000, "games_a_part": 256 * 40},
    "gomoku": {"effort": "playouts", "games": 20_000, "games_a_part": 256 * 4},
}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=DESCRIPTION, epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("--dir", required=True, help="the folder of the work; it is made")
    parser.add_argument("--from", required=True, dest="weights", metavar="FILE",
                        help="the weights to begin with; their .json lies beside them")
    parser.add_argument("--games", type=positive, metavar="N",
                        help="games, rounded up to whole parts [default: 500000 in Reversi, 20000 "
                        "in Gomoku]")
    parser.add_argument("--games-a-part", type=positive, metavar="N",
                        help="games of a part [default: 10240 in Reversi, 1024 in Gomoku]")
    parser.add_argument("--depth", type=positive, default=3, metavar="N",
                        help="Reversi: plies that the players look ahead [default: 3]")
    parser.add_argument("--playouts", type=positive, default=200, metavar="N",
                        help="Gomoku: playouts a move [default: 200]")
    parser.add_argument("--leaves", type=positive, metavar="N",
                        help="Gomoku: with the games, so many of the positions that each search "
                        f"judged, searched on their own [default: {LEAVES}]")
    parser.add_argument("--rule", choices=RULES,
                        help=f"Gomoku: the rule of the games [default: {RULES[0]}]")
    parser.add_argument("--net", action="store_true",
                        help="Reversi: play with the program's net, and fit a net")
    parser.add_argument("--seed", type=positive, default=1, metavar="N",
                        help="of the first part; each has one more than the last [default: 1]")
    parser.add_argument("--threads", type=positive, default=1, metavar="N",
                        help="threads of the fit [default: 1]")
    add_places(parser)
    arguments = parser.parse_args()
    if arguments.net and arguments.game != "reversi":
        parser.error("only Reversi has a --net beside its weights")
    if arguments.leaves and arguments.game != "gomoku":
        parser.error("only games of Gomoku are recorded with --leaves")
    if arguments.rule and arguments.game != "gomoku":
        parser.error("only games of Gomoku have a --rule")
    if arguments.game == "gomoku":
        arguments.leaves = arguments.leaves or LEAVES
        arguments.rule = arguments.rule or RULES[0]
    return arguments


def rule_words(rule):
    """The rule as the program takes it; none where the game has none."""
    return ["--rule", rule] if rule else []


# ---- On a worker

def play_part(program, weights, sidecar, terms, seed):
    """Records the games of a part and returns the file. Runs as a task of Ray."""
    with tempfile.TemporaryDirectory(prefix="tengen-") as folder:
        def put(name, content, mode=0o600):
            path = os.path.join(folder, name)
            with open(path, "wb") as file:
                file.write(content)
            os.chmod(path, mode)
            return path
        records = os.path.join(folder, "some.games")
        put("weights.json", sidecar)
        effort = GAMES[terms["game"]]["effort"]
        command = [put("tengen", program, 0o700), "learn", terms["game"],
                   "--from", put("weights.bin", weights), "--record", records,
                   "--games", str(terms["games_a_part"]), f"--{effort}", str(terms[effort]),
                   "--seed", str(seed), *(["--net"] if terms["net"] else []),
                   *(["--leaves", str(terms["leaves"])] if terms["leaves"] else []),
                   *rule_words(terms["rule"])]
        run_part(f"seed {seed}", command)
        with open(records, "rb") as file:
            return file.read()


# ---- On this machine

class Parts(Folder):
    """The files of games that are whole."""

    def part(self, index):
        return os.path.join(self.path, f"part-{index:05}.games")


def record(ray, folder, terms, program, weights, sidecar):
    """Plays the parts that are missing, and writes each when it is whole."""
    # Other machines do not have that script.
    ray.cloudpickle.register_pickle_by_value(ray_match)
    task = as_task(ray, play_part, cpus=1)
    shipped = [ray.put(content) for content in (program, weights, sidecar)]
    pending = {task.remote(*shipped, terms, terms["seed"] + part): part
               for part in folder.missing(terms["parts"])}
    collect(ray, folder, pending, terms["parts"])


def fit(arguments, folder, terms):
    """Fits weights to all parts."""
    files = [word for part in range(terms["parts"]) for word in ("--fit", folder.part(part))]
    out = os.path.join(folder.path, "net.bin" if terms["net"] else "weights.bin")
    command = [os.path.abspath(arguments.tengen), "learn", arguments.game, "--from", arguments.weights,
               *files, *(["--net"] if terms["net"] else []), *rule_words(terms["rule"]),
               "--threads", str(arguments.threads), "--force", "--out", out]
    if subprocess.run(command, check=False).returncode != 0:
        raise Failure("the fit failed")
    print(out)


def run(arguments):
    program = read("program of --tengen", arguments.tengen)
    weights = read("weights", arguments.weights)
    sidecar = read("weights", os.path.splitext(arguments.weights)[0] + ".json")
    folder = Parts(arguments.dir)
    usual = GAMES[arguments.game]
    games_a_part = arguments.games_a_part or usual["games_a_part"]
    parts = -(-(arguments.games or usual["games"]) // games_a_part)
    with contextlib.redirect_stdout(sys.stderr):  # Ray writes its news to the standard output.
        ray = connect(arguments.address)
        terms = folder.agree({
            "game": arguments.game,
            usual["effort"]: getattr(arguments, usual["effort"]),
            "games_a_part": games_a_part,
            "net": arguments.net,
            "leaves": arguments.leaves,
            "rule": arguments.rule,
            "seed": arguments.seed,
            "program": hashlib.sha256(program).hexdigest(),
            "weights": hashlib.sha256(weights).hexdigest(),
            "parts": parts,
        }, parts)
        with errors_as_failures(ray):
            record(ray, folder, terms, program, weights, sidecar)
    fit(arguments, folder, terms)


if __name__ == "__main__":
    run_to_end(run, parse_arguments())
