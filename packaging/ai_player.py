"""Tengen for the Reversi course: the class that its harness calls.

    from ai_player import AIPlayer
    AIPlayer('X').get_move(board)    # 'A1' to 'H8', or None where there is no move

The harness's board has `get_legal_actions(color)` and `_board`, eight rows of eight signs '.', 'X'
(black, who begins) and 'O'. The program `tengen` is looked for where TENGEN says, beside this file,
in the build folder and in the PATH. One process serves a player for the whole game. It is sent the
whole board for every move (as CodinGame's Othello does, see protocol.md) and keeps its search
tree where the board follows from the one before.
"""

import os
import queue
import shutil
import subprocess
import threading
import weakref

# How long the program may be late before it is given up, in seconds. The course allows 60 s.
PATIENCE = 10.0


def find_program():
    """The path of the program, or None."""
    here = os.path.dirname(os.path.abspath(__file__))
    name = "tengen.exe" if os.name == "nt" else "tengen"
    beside = os.path.join(here, name)
    built = os.path.join(here, "..", "target", "release", name)
    places = [os.environ.get("TENGEN"), beside, built, shutil.which(name)]
    return next((path for path in places if path and os.path.isfile(path)), None)


class Engine:
    """A running program that plays one colour."""

    def __init__(self, color, seconds):
        program = find_program()
        if program is None:
            raise OSError("there is no program tengen")
        milliseconds = str(max(1, int(1000 * seconds)))
        self.process = subprocess.Popen(
            [program, "--protocol", "codingame", "--time", milliseconds],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.answers = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self._say(["0" if color == "X" else "1", "8"])

    def _listen(self):
        for line in self.process.stdout:
            self.answers.put(line.strip())
        self.answers.put("")

    def _say(self, lines):
        self.process.stdin.write("".join(line + "\n" for line in lines))
        self.process.stdin.flush()

    def ask(self, rows, actions, seconds):
        """The move on this board. Raises OSError or queue.Empty when none comes."""
        self._say(rows + [str(len(actions))] + [action.lower() for action in actions])
        return self.answers.get(timeout=seconds + PATIENCE).upper()

    def stop(self):
        self.process.kill()
        self.process.wait()


class AIPlayer:
    """A player of the course's game; thinks `seconds` about a move."""

    def __init__(self, color, seconds=1.0):
        self.color = color
        self.seconds = seconds
        self._engine = None
        self._end = None

    def get_move(self, board):
        """The move to make, or None where there is none.

        Where the program fails, any legal move is made, and the next one asks a new process.
        """
        actions = list(board.get_legal_actions(self.color))
        if not actions:
            return None
        signs = str.maketrans("XO", "01")
        rows = ["".join(row).translate(signs) for row in board._board]
        try:
            move = self._running().ask(rows, actions, self.seconds)
        except (OSError, queue.Empty):
            move = None
        if move in actions:
            return move
        self._stop()
        return actions[0]

    def _running(self):
        if self._engine is None:
            self._engine = Engine(self.color, self.seconds)
            self._end = weakref.finalize(self, self._engine.stop)
        return self._engine

    def _stop(self):
        if self._engine is not None:
            self._end()
            self._engine = None
