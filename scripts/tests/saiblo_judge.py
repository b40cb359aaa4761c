#!/usr/bin/env python3
"""Plays games of Connect Four with a program as the judge of saiblo.net does.

    saiblo_judge.py PROGRAM [GAMES]

The program is started with no arguments and asked for its moves in frames; a random player
opposes it, and both begin in turn. Ends with 0 if every move was legal and in time, and every
process ended by itself, else with 1.
"""

import json
import random
import select
import subprocess
import sys
import time

LIMIT_S = 3.0  # for a move, by the judge's clock
FAREWELL_S = 2.0  # for the process to end after the last message


class Fault(Exception):
    """What the program did wrong."""


class Program:
    """The program behind its pipes."""

    def __init__(self, path):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen([path], bufsize=0, **pipes)

    def send(self, message):
        text = json.dumps(message, separators=(",", ":")).encode()
        self.process.stdin.write(b"%04d" % len(text) + text)

    def read(self, count, deadline):
        data = b""
        while len(data) < count:
            left = max(0, deadline - time.monotonic())
            if not select.select([self.process.stdout], [], [], left)[0]:
                raise Fault(f"no answer in {LIMIT_S} s")
            piece = self.process.stdout.read(count - len(data))
            if not piece:
                raise Fault("the program closed its output")
            data += piece
        return data

    def ask(self, message):
        deadline = time.monotonic() + LIMIT_S
        self.send(message)
        length = int.from_bytes(self.read(4, deadline), "big")
        text = self.read(length, deadline)
        if not text.endswith(b"\n"):
            raise Fault(f"no line feed ends {text!r}")
        return json.loads(text)

    def end(self):
        self.send({"type": 2})
        if self.process.wait(FAREWELL_S) != 0:
            raise Fault("the program failed")
        if self.process.stdout.read(1):
            raise Fault("the program said more than it was asked for")


class Board:
    """A board with a forbidden cell. Fields: 0 empty, 1 the opponent's, 2 the program's."""

    def __init__(self, rng):
        self.rows, self.cols = rng.randint(9, 12), rng.randint(9, 12)
        self.hole = rng.randrange(self.rows), rng.randrange(self.cols)
        self.fields = [[0] * self.cols for _ in range(self.rows)]
        self.top = [self.rows] * self.cols
        self.last = -1, -1
        if self.hole[0] == self.rows - 1:
            self.top[self.hole[1]] -= 1

    def start(self):
        nox, noy = self.hole
        return {"type": 0, "row": self.rows, "col": self.cols, "nox": nox, "noy": noy}

    def turn(self):
        flat = [field for row in self.fields for field in row]
        x, y = self.last
        return {"type": 1, "top": self.top, "board": flat, "lastx": x, "lasty": y}

    def play(self, x, y, player):
        if not 0 <= y < self.cols or self.top[y] == 0 or x != self.top[y] - 1:
            raise Fault(f"illegal move {x},{y}")
        self.fields[x][y] = player
        self.top[y] = x - 1 if (x - 1, y) == self.hole else x
        self.last = x, y

    def field(self, x, y):
        return self.fields[x][y] if 0 <= x < self.rows and 0 <= y < self.cols else 0

    def is_won(self):
        """Whether the last move made a row of four."""
        x, y = self.last
        player = self.field(x, y)
        for dx, dy in ((0, 1), (1, 0), (1, 1), (1, -1)):
            length = 1
            for sign in (-1, 1):
                far = sign
                while self.field(x + far * dx, y + far * dy) == player:
                    length, far = length + 1, far + sign
            if length >= 4:
                return True
        return False


def play_game(path, program_begins, rng):
    """Returns who won and the longest time for a move in seconds."""
    program, board, longest = Program(path), Board(rng), 0.0
    program.send(board.start())
    player = 2 if program_begins else 1
    while any(board.top):
        if player == 2:
            asked = time.monotonic()
            answer = program.ask(board.turn())
            longest = max(longest, time.monotonic() - asked)
            board.play(answer["X"], answer["Y"], 2)
        else:
            y = rng.choice([y for y in range(board.cols) if board.top[y]])
            board.play(board.top[y] - 1, y, 1)
        if board.is_won():
            break
        player = 3 - player
    winner = ("random player", "program")[player - 1] if board.is_won() else "nobody"
    program.end()
    return winner, longest


def main():
    path, games = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2
    rng = random.Random(1)
    for game in range(games):
        try:
            winner, longest = play_game(path, game % 2 == 0, rng)
        except (Fault, ValueError, KeyError, OSError, subprocess.TimeoutExpired) as error:
            sys.exit(f"game {game + 1}: {error}")
        print(f"game {game + 1}: {winner} wins, longest move {longest:.2f} s", flush=True)
        if winner != "program":
            sys.exit("a random player is not to be lost to")


if __name__ == "__main__":
    main()
