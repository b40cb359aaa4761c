"""Plays games with packaging/ai_player.py as the Reversi course's harness does.

    python3 reversi_course.py PROGRAM [SECONDS]

Ends with an error at the first move that is illegal or late.
"""

import os
import random
import sys
import time

os.environ["TENGEN"] = sys.argv[1]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "packaging"))

from ai_player import AIPlayer  # noqa: E402

SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 0.02

# What a move may take beyond its time. The course allows 60 s in all.
LATE = 2.0

WAYS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]


class Board:
    """The two things of the course's board that a player may use, and playing a move."""

    def __init__(self, rows=None):
        rows = rows or ["." * 8] * 3 + ["...OX...", "...XO..."] + ["." * 8] * 3
        self._board = [list(row) for row in rows]

    def flips(self, action, color):
        """The discs that this move turns over."""
        row, col = int(action[1]) - 1, ord(action[0]) - ord("A")
        if self._board[row][col] != ".":
            return []
        found = []
        for down, right in WAYS:
            line, y, x = [], row + down, col + right
            while 0 <= y < 8 and 0 <= x < 8 and self._board[y][x] not in (".", color):
                line.append((y, x))
                y, x = y + down, x + right
            if 0 <= y < 8 and 0 <= x < 8 and self._board[y][x] == color:
                found += line
        return found

    def get_legal_actions(self, color):
        squares = (f"{col}{row}" for row in range(1, 9) for col in "ABCDEFGH")
        return (square for square in squares if self.flips(square, color))

    def play(self, action, color):
        flips = self.flips(action, color)
        assert flips, f"{color} plays {action}, which is illegal"
        for row, col in flips + [(int(action[1]) - 1, ord(action[0]) - ord("A"))]:
            self._board[row][col] = color

    def count(self, color):
        return sum(row.count(color) for row in self._board)


class RandomPlayer:
    def __init__(self, color, seed):
        self.color = color
        self.random = random.Random(seed)

    def get_move(self, board):
        actions = list(board.get_legal_actions(self.color))
        return self.random.choice(actions) if actions else None


def ask(player, board):
    """A move that is legal and not late, or None where there is none."""
    begun = time.monotonic()
    move = player.get_move(board)
    taken = time.monotonic() - begun
    assert taken < SECONDS + LATE, f"{player.color} took {taken:.1f} s"
    legal = list(board.get_legal_actions(player.color))
    assert (move in legal) if legal else (move is None), f"{player.color} plays {move}"
    return move


def game(players):
    """The discs of both at the end."""
    board, passes, turn = Board(), 0, 0
    while passes < 2:
        player = players[turn % 2]
        move = ask(player, board)
        if move:
            board.play(move, player.color)
        passes = 0 if move else passes + 1
        turn += 1
    return board.count("X"), board.count("O")


def whole_games():
    for seed in range(4):
        black, white = game([AIPlayer("X", SECONDS), RandomPlayer("O", seed)])
        print(f"as black, seed {seed}: {black} to {white}")
        assert black > white, "lost to random moves"
        black, white = game([RandomPlayer("X", seed), AIPlayer("O", SECONDS)])
        print(f"as white, seed {seed}: {white} to {black}")
        assert white > black, "lost to random moves"
    black, white = game([AIPlayer("X", SECONDS), AIPlayer("O", SECONDS)])
    print(f"with itself: {black} to {white}")


def one_process_a_game():
    player, board = AIPlayer("X", SECONDS), Board()
    ask(player, board)
    first = player._engine.process.pid
    board.play("F5", "X")
    board.play("F6", "O")
    ask(player, board)
    assert player._engine.process.pid == first, "a second process was started"


def no_move():
    only_black = Board(["X" * 8] * 7 + ["." * 8])
    assert AIPlayer("X", SECONDS).get_move(only_black) is None
    assert AIPlayer("O", SECONDS).get_move(only_black) is None


def another_board_in_the_middle_of_a_game():
    player = AIPlayer("O", SECONDS)
    corner = Board([".XO.....", "XX......"] + ["." * 8] * 6)
    board = Board()
    board.play("F5", "X")
    for position in (board, corner, board):
        ask(player, position)


def a_lost_process():
    player, board = AIPlayer("X", SECONDS), Board()
    ask(player, board)
    player._engine.process.kill()
    player._engine.process.wait()
    ask(player, board)
    ask(player, board)
    assert player._engine is not None, "no new process was started"


for check in (
    whole_games,
    one_process_a_game,
    no_move,
    another_board_in_the_middle_of_a_game,
    a_lost_process,
):
    check()
print("all well")
