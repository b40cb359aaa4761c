"""Plays whole episodes of Kaggle's ConnectX with packaging/kaggle/main.py.

    python3 kaggle_episodes.py PROGRAM [PAIRS]

With PAIRS it plays so many times against Kaggle's negamax from both seats, on boards of several sizes,
and nothing else.

Needs kaggle-environments. Without its dependencies, which are many and not wanted here:

    pip install --no-deps kaggle-environments
    pip install jsonschema requests

Ends with an error at the first move that is illegal or late, and where negamax takes a point.
"""

import contextlib
import gc
import io
import os
import runpy
import subprocess
import sys
import types

os.environ["TENGEN"] = os.path.abspath(sys.argv[1])

from kaggle_environments import make  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
MAIN = os.path.join(HERE, "..", "..", "packaging", "kaggle", "main.py")

# Seconds for a move.
LIMIT = 0.3

# Columns, rows and inarow; the last two are not Tengen's, so that main.py plays by itself.
OWN_BOARDS = [(7, 6, 4), (9, 7, 4), (12, 12, 5), (4, 4, 3), (5, 8, 4)]
OTHER_BOARDS = [(3, 3, 3), (14, 5, 4)]
NEGAMAX_BOARDS = [(7, 6, 4), (9, 7, 4), (8, 8, 4), (12, 10, 4)]


def episode(board, agents):
    """The rewards of both sides. Fails unless both have played to the end in time."""
    columns, rows, inarow = board
    configuration = {"columns": columns, "rows": rows, "inarow": inarow, "actTimeout": LIMIT}
    game = make("connectx", configuration=configuration)
    last = game.run(agents)[-1]
    names = " against ".join("Tengen" if agent == MAIN else agent for agent in agents)
    rewards = [side.reward for side in last]
    print(f"{columns}x{rows}, {inarow} in a row, {names}: {rewards} in {len(game.steps)} steps")
    for seat, side in enumerate(last):
        assert side.status == "DONE", f"{names}: seat {seat} is {side.status}"
        if agents[seat] == MAIN:
            left, bank = side.observation.remainingOverageTime, 60
            assert left > bank - 0.5, f"{names}: {bank - left:.2f} s late"
    return rewards


def won(board, opponent):
    """Whether Tengen wins from both seats."""
    first = episode(board, [MAIN, opponent])[0]
    second = episode(board, [opponent, MAIN])[1]
    return first == 1 and second == 1


def one_process_a_game():
    """The moves are the program's own, and of one process in each game."""
    module = runpy.run_path(MAIN)
    processes = []

    def watched(observation, configuration):
        column = module["agent"](observation, configuration)
        processes.append(module["TABLE"].engine.process.pid)
        return column

    for games in (1, 2):
        make("connectx", configuration={"actTimeout": LIMIT}).run([watched, "random"])
        assert len(set(processes)) == games, f"{len(set(processes))} processes in {games} games"
    print("one process a game")


def trouble_is_told():
    """Without the program, and with one that does not play, main.py plays on and says so."""
    module = runpy.run_path(MAIN)
    board = {"columns": 7, "rows": 6, "inarow": 4, "actTimeout": LIMIT}
    for program, said in [("/bin/false", "main.py's own"), (None, "there is no program tengen")]:
        module["find_program"].__globals__["find_program"] = lambda program=program: program
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            column = module["agent"](
                types.SimpleNamespace(board=[0] * 42, mark=1), types.SimpleNamespace(**board))
        assert column == 3 and said in errors.getvalue(), errors.getvalue()
    print("trouble is told")


def no_process_is_left():
    """A game that is over and forgotten has taken its process with it."""
    gc.collect()
    mine = ["pgrep", "-c", "-P", str(os.getpid()), "-f", "riddles"]
    left = int(subprocess.run(mine, stdout=subprocess.PIPE, text=True, check=False).stdout)
    assert left <= 1, f"{left} processes are left"
    print(f"processes left: {left}")


def negamax_takes_nothing(board):
    """All points are Tengen's, from both seats."""
    assert won(board, "negamax"), f"negamax took a point on {board}"


def run():
    for board in OWN_BOARDS:
        won(board, "random")
    negamax_takes_nothing((7, 6, 4))
    negamax_takes_nothing((9, 7, 4))
    episode((7, 6, 4), [MAIN, MAIN])
    one_process_a_game()
    for board in OTHER_BOARDS:
        won(board, "random")
    trouble_is_told()
    os.environ["TENGEN"] = "/bin/false"
    won((7, 6, 4), "random")
    no_process_is_left()
    print("all well")


def run_against_negamax(pairs):
    for number in range(pairs):
        negamax_takes_nothing(NEGAMAX_BOARDS[number % len(NEGAMAX_BOARDS)])
    print(f"{pairs} pairs: negamax took no point")


if len(sys.argv) > 2:
    run_against_negamax(int(sys.argv[2]))
else:
    run()
