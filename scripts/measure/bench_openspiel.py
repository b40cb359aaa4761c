#!/usr/bin/env python3
"""Times Tengen's search beside OpenSpiel's. See --help."""

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import time

DESCRIPTION = """\
Prints how many iterations a second of processor time OpenSpiel's MCTSBot (in C++) and Tengen's bot
`uct` make, and how many times as many Tengen makes. An iteration plays one uniform rollout. Both
search the opening position on one thread with the same constant of exploration, in turn; the
medians are printed. Tengen's time is that of the whole program, its start included.

OpenSpiel is needed:  python3 -m venv .venv && .venv/bin/pip install open_spiel
and Tengen:           cargo build --release
then:                 .venv/bin/python scripts/measure/bench_openspiel.py"""

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# The games by Tengen's name and by OpenSpiel's. Its gomoku is freestyle on 15x15; older versions
# have none.
GAMES = [("connect4", "connect_four"), ("reversi", "othello"), ("gomoku", "gomoku")]

# c in `mean + c*sqrt(ln N / n)` with scores -1..1; Tengen has the root of 2 apart.
EXPLORATION = 2.0

# So much memory that neither runs out of it, in MiB.
MEMORY = 6144

# The first number of iterations that is tried.
FIRST_TRY = 500


def openspiel_search(pyspiel, game):
    """A function that makes a search of so many iterations and returns those made."""

    def search(iterations):
        evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=1)
        bot = pyspiel.MCTSBot(
            game,
            evaluator,
            uct_c=EXPLORATION,
            max_simulations=iterations,
            max_memory_mb=MEMORY,
            solve=False,
            seed=1,
            verbose=False,
        )
        return bot.mcts_search(game.new_initial_state()).explore_count

    return search


def tengen_search(program, game):
    """The same of Tengen."""
    command = [program, "analyze", "--game", game, "--bot", "uct", "--json"]
    for setting in [f"exploration={EXPLORATION / 2**0.5}", f"memory={MEMORY}"]:
        command += ["--set", setting]

    def search(iterations):
        limit = ["--playouts", str(iterations)]
        done = subprocess.run(command + limit, check=True, stdout=subprocess.PIPE)
        return json.loads(done.stdout)["playouts"]

    return search


def processor_time():
    """Seconds of this process and of those that it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def timed(search, iterations):
    """Seconds that a search took, and iterations a second."""
    begun = processor_time()
    made = search(iterations)
    seconds = processor_time() - begun
    return seconds, made / seconds


def iterations_for(search, seconds):
    """How many iterations take about so long."""
    iterations = FIRST_TRY
    while True:
        taken, _ = timed(search, iterations)
        if taken >= seconds / 4:
            return int(iterations * seconds / taken)
        iterations *= 2


def compare(searches, seconds, rounds):
    """The median of the iterations a second of every search."""
    counts = [iterations_for(search, seconds) for search in searches]
    rates = [[] for _ in searches]
    for _ in range(rounds):
        for search, count, found in zip(searches, counts, rates):
            found.append(timed(search, count)[1])
    return [statistics.median(found) for found in rates]


def main():
    parser = argparse.ArgumentParser(
        description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", metavar="GAME", help="only these games of Tengen")
    parser.add_argument("--tengen", default=ROOT / "target/release/tengen", help="the program")
    parser.add_argument("--seconds", type=float, default=1.0, help="for a search (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="searches of each (%(default)s)")
    args = parser.parse_args()

    unknown = set(args.games) - {ours for ours, _ in GAMES}
    if unknown:
        parser.error(f"there is no game {', '.join(sorted(unknown))}")
    try:
        import pyspiel
    except ImportError:
        sys.exit("OpenSpiel is missing: pip install open_spiel (see --help)")
    if not pathlib.Path(args.tengen).is_file():
        sys.exit(f"there is no program {args.tengen}: cargo build --release")

    print(f"{'':<10} {'OpenSpiel':>12} {'Tengen':>12} {'ratio':>8}   iterations a second")
    for ours, theirs in GAMES:
        if args.games and ours not in args.games:
            continue
        if theirs not in pyspiel.registered_names():
            print(f"{ours:<10} this version of OpenSpiel has no {theirs}")
            continue
        game = pyspiel.load_game(theirs)
        searches = [openspiel_search(pyspiel, game), tengen_search(args.tengen, ours)]
        other, tengen = compare(searches, args.seconds, args.rounds)
        print(f"{ours:<10} {other:>12.0f} {tengen:>12.0f} {tengen / other:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
