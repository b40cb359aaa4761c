"""Tengen for Kaggle's ConnectX. `packaging/kaggle/package` puts it into a submission.

Kaggle executes this file without a `__file__` and takes the last callable in it for the agent.
The program `tengen` lies beside it. One process plays a game: it is sent the whole board for every
move (see riddles.io in protocol.md). Where it cannot be had, or does not play on such a board, the
move comes from two plies of foresight in this file, and the standard error says so, which Kaggle
shows in the log of the agent.
"""

import os
import select
import shutil
import subprocess
import sys

# What is kept back of the time for a move, in seconds, and as a share of it where that is less.
# Kaggle counts the way to this process, and takes what is late from a bank of 60 s.
MARGIN = 0.25
MARGIN_SHARE = 0.3

# How long beyond its time the program is waited for, in seconds.
PATIENCE = 2.0

# Where Kaggle unpacks a submission.
UNPACKED = "/kaggle_simulations/agent"


def find_program():
    """The path of the program, or None."""
    folder = os.path.dirname(os.path.abspath(find_program.__code__.co_filename))
    places = [os.environ.get("TENGEN")]
    places += [os.path.join(place, "tengen") for place in (folder, UNPACKED, os.getcwd())]
    places.append(shutil.which("tengen"))
    return next((path for path in places if path and os.path.isfile(path)), None)


class Engine:
    """A running program, on one kind of board."""

    process = None

    def __init__(self, columns, rows, inarow, seconds):
        program = find_program()
        if program is None:
            raise OSError("there is no program tengen")
        self.columns = columns
        self.patience = seconds + PATIENCE
        arguments = ["--protocol", "riddles", "--game", "connect4"]
        arguments += ["--size", f"{columns}x{rows}", "--connect", str(inarow)]
        arguments += ["--time", str(max(1, int(1000 * seconds)))]
        self.process = subprocess.Popen(
            [program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )

    def __del__(self):
        # Kaggle runs many games in one process where they are tried at home.
        self.stop()

    def ask(self, board, mark):
        """The column to play. Raises OSError or ValueError when none comes."""
        starts = range(0, len(board), self.columns)
        rows = [board[start : start + self.columns] for start in starts]
        field = ";".join(",".join(str(cell) for cell in row) for row in rows)
        lines = [f"settings your_botid {mark}", f"update game field {field}", "action move"]
        self.process.stdin.write("".join(line + "\n" for line in lines).encode())
        ready, _, _ = select.select([self.process.stdout], [], [], self.patience)
        if not ready:
            raise TimeoutError("the program is silent")
        answer = self.process.stdout.readline().decode()
        return int(answer.removeprefix("place_disc "))

    def stop(self):
        if self.process is None:
            return
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Table:
    """The game being played, and the program that plays it."""

    def __init__(self):
        self.terms = None
        self.stones = 0
        self.engine = None

    def move(self, board, mark, terms):
        """The program's column. Raises what `Engine` raises."""
        stones = len(board) - board.count(0)
        if self.engine is None or terms != self.terms or stones < self.stones:
            self.leave()
            self.engine = Engine(*terms)
        self.terms, self.stones = terms, stones
        return self.engine.ask(board, mark)

    def leave(self):
        if self.engine is not None:
            self.engine.stop()
            self.engine = None


TABLE = Table()


def completes_row(board, columns, inarow, column, mark):
    """Whether a stone of `mark` in this column makes a row."""
    rows = len(board) // columns
    row = max(row for row in range(rows) if board[row * columns + column] == 0)

    def reach(down, right):
        length, y, x = 0, row + down, column + right
        while 0 <= y < rows and 0 <= x < columns and board[y * columns + x] == mark:
            length, y, x = length + 1, y + down, x + right
        return length

    ways = [(0, 1), (1, 0), (1, 1), (1, -1)]
    return any(1 + reach(*way) + reach(-way[0], -way[1]) >= inarow for way in ways)


def move_by_rule(board, columns, inarow, mark, legal):
    """A column that wins, or else stops a win, or else is near the centre."""
    by_centre = sorted(legal, key=lambda column: abs(2 * column - columns + 1))
    for player in (mark, 3 - mark):
        for column in by_centre:
            if completes_row(board, columns, inarow, column, player):
                return column
    return by_centre[0]


def agent(observation, configuration):
    """The column to drop a stone into: what Kaggle calls for every move."""
    board, mark = list(observation.board), observation.mark
    columns, inarow = configuration.columns, configuration.inarow
    limit = configuration.actTimeout
    seconds = limit - min(MARGIN, MARGIN_SHARE * limit)
    legal = [column for column in range(columns) if board[column] == 0]
    try:
        column = TABLE.move(board, mark, (columns, configuration.rows, inarow, seconds))
        trouble = None if column in legal else f"it played {column}"
    except (OSError, ValueError) as error:
        trouble = error
    if trouble is None:
        return column
    TABLE.leave()
    print(f"tengen cannot play, the move is main.py's own: {trouble}", file=sys.stderr)
    return move_by_rule(board, columns, inarow, mark, legal)
