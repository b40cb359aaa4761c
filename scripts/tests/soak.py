#!/usr/bin/env python3
"""Plays whole games over every protocol: soak.py PROGRAM [GAMES]

In each game two processes of the program meet, each spoken to by one of the protocols that has the
game, at 20 to 50 ms a move. Another process referees over UGI. Two games are played at a time.
Fails when an answer is late or illegal, when a process ends before its time, or when one is left.

A virtual machine can lose its processors to its host for longer than a move may take, and other
programs can take them. Where the kernel counted that the host had a processor while an engine
thought, or that the engine or this script waited for one, the answer may be late by as much, and the
summary tells how often that was so.
"""

import contextlib
import glob
import json
import os
import queue
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

PROGRAM = os.path.abspath(sys.argv[1])
GAMES = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
PATIENCE = 10.0  # seconds until an engine is said to hang
SWITCH = 0.0005  # seconds until a thread of this script gives way to one that has a line to stamp

GOMOKU = ["--game", "gomoku"]
REVERSI = ["--game", "reversi"]
CONNECT4 = ["--game", "connect4"]
STEAL = ["--game", "connect4", "--size", "9x7", "--steal"]


class Late(Exception):
    pass


def stolen():
    """Milliseconds that the host has taken from each processor so far, in steps of a tick."""
    tick = 1000 / os.sysconf("SC_CLK_TCK")
    with open("/proc/stat") as file:
        lines = [line.split() for line in file if line.startswith("cpu")]
    return [tick * int(fields[8]) for fields in lines[1:]]


def waited(process):
    """Milliseconds that the threads of a process have waited so far for a processor to run on."""
    nanoseconds = 0
    for path in glob.glob(f"/proc/{process}/task/*/schedstat"):
        with contextlib.suppress(OSError), open(path) as file:
            nanoseconds += int(file.read().split()[1])
    return nanoseconds / 1e6


class Engine:
    """A process of the program, spoken to in one protocol. Moves are written as UGI does."""

    arguments = []

    def __init__(self, game, limit):
        self.game, self.limit, self.slowest, self.excused = game, limit, 0.0, 0
        command = [PROGRAM, *game, *self.arguments, "--time", str(limit), "--memory", "16"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.told = 0
        self.begin()

    def read(self):
        for line in self.process.stdout:
            self.lines.put((time.monotonic(), line.decode().strip()))
        self.lines.put((time.monotonic(), None))

    def say(self, *lines):
        self.process.stdin.write("".join(line + "\n" for line in lines).encode())
        self.process.stdin.flush()

    def hear(self, wanted):
        """The next line for which `wanted` is true, and when it came."""
        while True:
            when, line = self.lines.get(timeout=PATIENCE)
            if line is None:
                raise EOFError("the process ended")
            if wanted(line):
                return when, line

    def waits(self):
        return waited(self.process.pid) + waited("self")

    def ask(self, lines, wanted):
        before, waits, begun = stolen(), self.waits(), time.monotonic()
        self.say(*lines)
        when, line = self.hear(wanted)
        taken = 1000 * (when - begun)
        if taken > self.limit:
            loss = max(now - then for now, then in zip(stolen(), before))
            # The kernel counts whole ticks, and the first may have been almost full before.
            loss += 1000 / os.sysconf("SC_CLK_TCK") if loss else 0
            loss += self.waits() - waits
            if taken > self.limit + loss:
                raise Late(f"{type(self).__name__}: {taken:.1f} ms of {self.limit}, {loss:.1f} lost")
            self.excused += 1
        else:
            self.slowest = max(self.slowest, taken)
        return line

    def news(self, moves):
        """The moves that the engine has not been told. Its own answer comes after them."""
        fresh = moves[self.told :]
        self.told = len(moves) + 1
        return fresh

    def begin(self):
        pass

    def end(self):
        self.say(self.farewell)
        self.process.wait(timeout=PATIENCE)

    farewell = "quit"


class Gtp(Engine):
    arguments = ["--protocol", "gtp"]

    def vertex(self, move):
        if self.game is REVERSI or move == "steal" or move[0].isdigit():
            return "pass" if move == "0000" else move
        return ("abcdefghjklmnopqrst"[ord(move[0]) - ord("a")]) + move[1:]

    def move(self, moves):
        lines = [f"play {self.colour(n, moves)} {self.vertex(m)}" for n, m in self.numbered(moves)]
        for line in lines:
            self.say(line)
            self.hear(lambda answer: answer.startswith(("=", "?")))
        answer = self.ask([f"genmove {'bw'[len(moves) % 2]}"], lambda a: a.startswith(("=", "?")))
        text = answer[1:].strip().lower()
        if text == "pass":
            return "0000"
        if text == "steal" or self.game is REVERSI:
            return text
        col = "abcdefghjklmnopqrst".index(text[0])
        return str(col + 1) if "connect4" in self.game else chr(ord("a") + col) + text[1:]

    def numbered(self, moves):
        first = self.told
        return list(enumerate(self.news(moves), first))

    @staticmethod
    def colour(number, _):
        return "bw"[number % 2]


class Ugi(Engine):
    arguments = ["--protocol", "ugi"]

    def move(self, moves):
        position = "position startpos" + (" moves " + " ".join(moves) if moves else "")
        lines = [position, f"go movetime {self.limit}"]
        return self.ask(lines, lambda line: line.startswith("bestmove")).split()[1]

    def over(self, moves):
        self.say("position startpos" + (" moves " + " ".join(moves) if moves else ""), "isready")
        while True:
            _, line = self.hear(lambda line: line.startswith(("readyok", "info string error")))
            if line != "readyok":
                raise ValueError(f"illegal: {moves[-1]} after {' '.join(moves[:-1])}")
            break
        self.say("query gameover")
        return self.hear(lambda line: line.startswith("response"))[1] == "response true"


class Gomocup(Engine):
    arguments = ["--protocol", "gomocup"]
    farewell = "END"

    def begin(self):
        self.say("START 15", f"INFO timeout_turn {self.limit}")
        self.hear(lambda line: line == "OK")

    def move(self, moves):
        fresh = self.news(moves)
        is_answer = lambda line: not line.startswith(("MESSAGE", "DEBUG"))
        if not moves:
            line = self.ask(["BEGIN"], is_answer)
        elif len(fresh) == 1:
            line = self.ask([f"TURN {self.point(fresh[0])}"], is_answer)
        else:
            own = len(moves) % 2
            stones = [f"{self.point(m)},{1 if n % 2 == own else 2}" for n, m in enumerate(moves)]
            line = self.ask(["BOARD", *stones, "DONE"], is_answer)
        col, row = map(int, line.split(","))
        return chr(ord("a") + col) + str(15 - row)

    @staticmethod
    def point(move):
        return f"{ord(move[0]) - ord('a')},{15 - int(move[1:])}"


class NBoard(Engine):
    arguments = ["--protocol", "nboard"]

    def begin(self):
        self.say("nboard 2")

    def move(self, moves):
        fresh = moves[self.told :]
        self.told = len(moves)
        lines = ["move " + ("PA" if m == "0000" else m) for m in fresh]
        answer = self.ask([*lines, "go"], lambda line: line.startswith("==="))
        square = answer[4:].split("/")[0].lower()
        return "0000" if square == "pa" else square


class Botzone(Engine):
    """Keep-running. The first message tells the whole game, the others the last move."""

    arguments = ["--protocol", "botzone-keep"]
    slack = 1

    def move(self, moves):
        if self.told == 0:
            own = len(moves) % 2
            theirs = [self.point(m) for n, m in enumerate(moves) if n % 2 != own]
            mine = [self.point(m) for n, m in enumerate(moves) if n % 2 == own]
            if own == 0:
                theirs = [{"x": -1, "y": -1}, *theirs]
            message = {"requests": theirs, "responses": mine}
        else:
            message = self.point(moves[-1])
        self.told = 1
        line = self.ask([json.dumps(message)], lambda line: line.startswith("{"))
        answer = json.loads(line)["response"]
        if answer["x"] < 0:
            return "0000"
        row = 15 - answer["y"] if self.game is GOMOKU else answer["y"] + 1
        return chr(ord("a") + answer["x"]) + str(row)

    def point(self, move):
        if move == "0000":
            return {"x": -1, "y": -1}
        number = int(move[1:])
        row = 15 - number if self.game is GOMOKU else number - 1
        return {"x": ord(move[0]) - ord("a"), "y": row}

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE)


def columns(moves, cols, rows):
    """The board after these moves: rows from the top, 0 and 1 for the sides, None for empty."""
    board = [[None] * cols for _ in range(rows)]
    for number, move in enumerate(moves):
        if move == "steal":
            for row in board:
                row[:] = [1 if cell == 0 else cell for cell in row]
            continue
        col = int(move) - 1
        row = max(row for row in range(rows) if board[row][col] is None)
        board[row][col] = number % 2
    return board


class Riddles(Engine):
    arguments = ["--protocol", "riddles"]

    def begin(self):
        self.say("settings field_width 7", "settings field_height 6")

    def move(self, moves):
        signs = {None: ".", 0: "0", 1: "1"}
        cells = [signs[cell] for row in columns(moves, 7, 6) for cell in row]
        lines = [f"settings your_botid {len(moves) % 2}", "update game field " + ",".join(cells)]
        answer = self.ask([*lines, "action move"], lambda line: line.startswith("place_disc"))
        return str(int(answer.split()[1]) + 1)

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE)


class Saiblo(Engine):
    arguments = ["--protocol", "saiblo"]

    def read(self):
        while length := self.process.stdout.read(4):
            message = self.process.stdout.read(int.from_bytes(length, "big"))
            self.lines.put((time.monotonic(), message.decode().strip()))
        self.lines.put((time.monotonic(), None))

    def say(self, *messages):
        for message in messages:
            self.process.stdin.write(f"{len(message):04}{message}".encode())
        self.process.stdin.flush()

    def begin(self):
        self.say(json.dumps({"type": 0, "row": 6, "col": 7, "nox": 9, "noy": 9}))

    def move(self, moves):
        board = columns(moves, 7, 6)
        own = len(moves) % 2
        cells = [0 if c is None else 2 if c == own else 1 for row in board for c in row]
        top = [sum(row[col] is None for row in board) for col in range(7)]
        lasty = int(moves[-1]) - 1 if moves else -1
        lastx = top[lasty] if moves else -1
        turn = {"type": 1, "top": top, "board": cells, "lastx": lastx, "lasty": lasty}
        answer = json.loads(self.ask([json.dumps(turn)], lambda _: True))
        return str(answer["Y"] + 1)

    farewell = '{"type": 2}'


class CodinGame(Engine):
    arguments = ["--protocol", "codingame"]

    def move(self, moves):
        own = len(moves) % 2
        lines = [f"{own} {1 - own}"] if self.told == 0 else []
        self.told = 1
        board = columns(moves, 9, 7)
        signs = {None: ".", 0: "0", 1: "1"}
        actions = [str(col) for col in range(9) if board[0][col] is None]
        if len(moves) == 1:
            actions.insert(0, "-2")
        last = {"steal": "-2"}.get(moves[-1], None) if moves else "-1"
        rows = ["".join(signs[cell] for cell in row) for row in board]
        turn = [str(len(moves)), *rows, str(len(actions)), *actions]
        turn.append(last if last else str(int(moves[-1]) - 1))
        answer = self.ask([*lines, *turn], lambda _: True)
        return "steal" if answer == "STEAL" else str(int(answer) + 1)

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE)


TABLES = [
    (GOMOKU, [Gtp, Ugi, Gomocup, Botzone]),
    (REVERSI, [Gtp, Ugi, NBoard, Botzone]),
    (CONNECT4, [Gtp, Ugi, Riddles, Saiblo]),
    (STEAL, [Gtp, Ugi, CodinGame]),
]


def play(number):
    """One game. Returns the protocols, the number of moves, the slowest answer as a share of its
    limit, the number of answers that the machine made late, and the fault."""
    chance = random.Random(number)
    game, protocols = TABLES[number % len(TABLES)]
    limit = chance.randint(20, 50)
    pair = [chance.choice(protocols) for _ in range(2)]
    names = " - ".join(protocol.__name__ for protocol in pair)
    engines, fault, moves = [], None, []
    try:
        referee = Ugi(game, limit)
        engines.append(referee)
        players = [protocol(game, limit) for protocol in pair]
        engines += players
        while not referee.over(moves):
            moves.append(players[len(moves) % 2].move(moves))
        for engine in engines:
            engine.end()
    except Exception as error:  # Whatever it is, the game is lost for it and the rest goes on.
        fault = f"{type(error).__name__} {error}"
    for engine in engines:
        if engine.process.poll() is None:
            fault = fault or "a process was left"
            engine.process.kill()
            engine.process.wait()
    slowest = max((engine.slowest / engine.limit for engine in engines), default=0.0)
    return names, len(moves), slowest, sum(engine.excused for engine in engines), fault


def main():
    sys.setswitchinterval(SWITCH)
    moves, slowest, excused, faults = 0, 0.0, 0, []
    with ThreadPoolExecutor(2) as pool:
        for number, result in enumerate(pool.map(play, range(GAMES)), 1):
            names, length, part, late, fault = result
            moves += length
            excused += late
            slowest = max(slowest, part)
            if fault:
                faults.append(fault)
                print(f"game {number}, {names}: {fault}", flush=True)
    print(f"{GAMES} games, {moves} moves, {len(faults)} faults, slowest answer {slowest:.0%} of its limit")
    print(f"{excused} answers were late by less than they waited for a processor")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
