#!/usr/bin/env python3
"""Tries the Windows program under Wine: windows.py PBRAIN.EXE [COMMAND...]

COMMAND stands before Wine's own; packaging/debian_sid brings a Wine that works, the one on this
machine is used without. Checks what a manager relies on: that the six formats of the Gomocup are
understood, whole games by every rule in a match that the program runs itself, 1,000 moves of 100 ms
with none late by the program's own clock and its own fault, Ctrl-C, a runner that is killed, and the
end of input.
"""

import contextlib
import glob
import json
import os
import queue
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = tempfile.mkdtemp(prefix="wine.", dir=os.path.dirname(PROGRAM))
# No debug messages, no questions for Mono and Gecko, no search for a display.
ENVIRONMENT = [
    "env",
    f"WINEPREFIX={FOLDER}/prefix",
    f"XDG_RUNTIME_DIR={FOLDER}",
    "WINEDEBUG=-all",
    "WINEDLLOVERRIDES=mscoree,mshtml=",
]
WINE = [*sys.argv[2:], *ENVIRONMENT, "wine64"]
PATIENCE = 30.0  # seconds until a program is said to hang
MEMORY = 350 << 20  # bytes that the tournament grants

FREESTYLE, STANDARD, RENJU, CARO = 0, 1, 4, 8
NAMES = {FREESTYLE: "freestyle", STANDARD: "exact", RENJU: "renju", CARO: "caro"}
# Name, rule, size of the board, milliseconds a move and a match: those of the tournament.
FORMATS = [
    ("freestyle", FREESTYLE, 20, 30000, 180000),
    ("fastgame", FREESTYLE, 20, 5000, 120000),
    ("freestyle 15", FREESTYLE, 15, 30000, 180000),
    ("standard", STANDARD, 15, 30000, 180000),
    ("renju", RENJU, 15, 30000, 180000),
    ("caro", CARO, 15, 30000, 180000),
]

# Positions: where they are asked, own stones, the opponent's, moves allowed, moves that are not.
# Far stones only make the numbers equal, or give the opponent one more.
FAR = [(0, 0), (2, 1), (4, 0), (6, 1), (12, 0), (14, 1), (13, 3), (0, 13), (2, 14), (5, 13), (14, 14)]
FOUR = ([(5, 5), (6, 5), (7, 5), (8, 5)], [(4, 5)], [(9, 5)], [])
# Six in a row at 6,7 or five at 10,6.
SIX = [(3, 7), (4, 7), (5, 7), (7, 7), (8, 7)]
SIX_OR_FIVE = (SIX + [(10, 2), (10, 3), (10, 4), (10, 5)], [(10, 1)], [(10, 6)], [])
# The same six do not help against the opponent's four, which has one end.
BLOCK = (SIX + [(10, 1)], [(10, 2), (10, 3), (10, 4), (10, 5)], [(10, 6)], [])
# Black may not make two threes at once.
THREES = ([(6, 7), (8, 7), (7, 6), (7, 8)], [], [], [(7, 7)])
# Five at 8,7 between two stones of the opponent's, or at 10,6.
CLOSED_OR_OPEN = (
    [(4, 7), (5, 7), (6, 7), (7, 7), (10, 2), (10, 3), (10, 4), (10, 5)],
    [(3, 7), (9, 7), (10, 1)],
    [(10, 6)],
    [],
)
# Five at 8,7 between two stones of the opponent's, whose five at 10,6 is to be stopped, there or at its
# other end: 10,1 closes this one.
CLOSED_OR_BLOCK = (
    [(4, 7), (5, 7), (6, 7), (7, 7), (10, 1)],
    [(3, 7), (9, 7), (10, 2), (10, 3), (10, 4), (10, 5)],
    [(10, 6), (10, 7)],
    [],
)
POSITIONS = {
    FREESTYLE: [FOUR],
    STANDARD: [FOUR, SIX_OR_FIVE, BLOCK],
    RENJU: [FOUR, SIX_OR_FIVE, BLOCK, THREES],
    CARO: [FOUR, CLOSED_OR_OPEN, CLOSED_OR_BLOCK],
}


def windows_path(path):
    """As Wine names a file of this machine."""
    return "Z:" + path.replace("/", "\\")


def start(*arguments):
    return subprocess.Popen(
        [*WINE, windows_path(PROGRAM), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


class Manager:
    """One process of the program, spoken to as Gomocup's managers do."""

    def __init__(self, *arguments):
        self.process = start(*arguments)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.decode().strip())
        self.lines.put(None)

    def say(self, *lines):
        self.process.stdin.write("".join(line + "\r\n" for line in lines).encode())
        self.process.stdin.flush()

    def ask(self, *lines, patience=PATIENCE):
        self.say(*lines)
        while True:
            line = self.lines.get(timeout=patience)
            assert line is not None, f"the program ended after {lines[-1]}"
            if not line.startswith(("MESSAGE", "DEBUG")):
                return line

    def begin(self, rule, size, turn, match):
        assert self.ask(f"START {size}") == "OK"
        self.say(
            f"INFO rule {rule}",
            "INFO game_type 1",
            f"INFO max_memory {MEMORY}",
            f"INFO timeout_turn {turn}",
            f"INFO timeout_match {match}",
            f"INFO time_left {match or 2147483647}",
        )

    def ask_on(self, own, other, patience=PATIENCE):
        stones = [f"{x},{y},1" for x, y in own] + [f"{x},{y},2" for x, y in other]
        answer = self.ask("BOARD", *stones, "DONE", patience=patience)
        x, y = map(int, answer.split(","))
        assert (x, y) not in own + other, f"{answer} is occupied"
        return x, y

    def end(self):
        self.say("END")
        assert self.process.wait(PATIENCE) == 0


def check_formats():
    for name, rule, size, turn, match in FORMATS:
        for own, other, allowed, refused in POSITIONS[rule]:
            # Equal numbers: the program has the first side.
            other = other + FAR[: max(0, len(own) - len(other))]
            own = own + FAR[: max(0, len(other) - len(own))]
            manager = Manager()
            manager.begin(rule, size, turn, match)
            move = manager.ask_on(own, other, patience=PATIENCE + turn / 1000)
            manager.end()
            assert not allowed or move in allowed, f"{name}: {move}, not {allowed}"
            assert move not in refused, f"{name}: {move}"
        print(f"  {name}: {len(POSITIONS[rule])} positions", flush=True)


def read_records(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def start_match(records, *arguments):
    engine = f"gomocup:{windows_path(PROGRAM)}"
    return start("match", engine, "level-5", "--json", windows_path(records), "--game", "gomoku", *arguments)


def check_matches():
    for rule, name in NAMES.items():
        path = f"{FOLDER}/{name}.jsonl"
        games = ["--games", "4", "--time", "100", "--rule", name]
        runner = start_match(path, *games)
        table, _ = runner.communicate(timeout=1200)
        assert runner.returncode == 0, f"{name}: {runner.returncode}"
        assert b"level-5" in table, table
        records = read_records(path)
        assert len(records) == 4, f"{name}: {len(records)} games"
        for record in records:
            end = record["termination"]
            assert end in ("win", "draw", "resign"), f"{name}: {end}, {record.get('detail')}"
        moves = sum(len(record["moves"]) for record in records)
        print(f"  {name}: 4 games, {moves} moves", flush=True)


def waited(processes):
    """Seconds that the threads of these processes have waited so far for a processor to run on."""
    nanoseconds = 0
    for process in processes:
        for path in glob.glob(f"/proc/{process}/task/*/schedstat"):
            with contextlib.suppress(OSError), open(path) as file:
                nanoseconds += int(file.read().split()[1])
    return nanoseconds / 1e9


def check_clock(count):
    """Boards with stones at random, where most moves take all the time that there is. An answer may be
    late by as much as the program and Wine waited while others had the processors."""
    path, limit = f"{FOLDER}/transcript", 0.100
    manager = Manager("--transcript", windows_path(path))
    manager.begin(FREESTYLE, 20, round(1000 * limit), 0)
    cells = [(x, y) for x in range(20) for y in range(20)]
    source = random.Random(1)
    processes, waits = [*running(), *wine_servers()], []
    for _ in range(count):
        stones = source.sample(cells, 2 * source.randrange(10))
        before = waited(processes)
        manager.ask_on(stones[::2], stones[1::2])
        waits.append(waited(processes) - before)
    manager.end()
    took, asked = [], None
    with open(path) as file:
        for line in file:
            when, direction, text = line.split(maxsplit=2)
            if text.strip() == "DONE":
                asked = float(when)
            elif direction == "<" and asked is not None and text[0].isdigit():
                took.append(float(when) - asked)
                asked = None
    assert len(took) == count, len(took)
    slowest = sorted(took)[-3:]
    full = sum(time > 0.5 * limit for time in took)
    print(f"  {count} moves, {full} of more than half the time; slowest {[round(1000 * t, 1) for t in slowest]} ms")
    assert full > count / 2, "most moves are to take their time"
    late = sum(time > limit for time in took)
    print(f"  {late} late, by less than they waited for a processor" if late else "  none late")
    net = max(time - wait for time, wait in zip(took, waits))
    assert net <= limit, f"late: {net}"


def processes_by(first_word):
    """The numbers of the processes whose command line begins with this word."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{number}/cmdline", "rb") as file:
            if first_word(file.read().split(b"\0")[0].decode(errors="replace")):
                found.append(int(number))
    return found


def running():
    """Processes of the program, by their numbers."""
    return processes_by(lambda word: word == windows_path(PROGRAM))


def wine_servers():
    """Wine's own processes, which hand messages on."""
    return processes_by(lambda word: os.path.basename(word).startswith("wineserver"))


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.1)


def start_endless_match(name):
    path = f"{FOLDER}/{name}.jsonl"
    runner = start_match(path, "--games", "1000", "--time", "20", "--size", "9x9")
    wait_until(lambda: read_records(path), "no game is over")
    assert len(running()) > 1, running()
    return runner


def check_interrupt():
    runner = start_endless_match("interrupt")
    runner.send_signal(signal.SIGINT)
    table, _ = runner.communicate(timeout=PATIENCE)
    assert b"level-5" in table, "no table"
    # Wine may end the runner's own job before the runner has told its code.
    assert runner.returncode in (130, 0), runner.returncode
    wait_until(lambda: not running(), "engines are left after Ctrl-C")


def check_killed_runner():
    runner = start_endless_match("killed")
    runner.kill()
    runner.communicate(timeout=PATIENCE)
    wait_until(lambda: not running(), "engines outlive their runner")


def check_end_of_input():
    # While it waits, and while it thinks.
    for lines in [b"START 15\r\n", b"START 15\r\nINFO timeout_turn 10000\r\nBEGIN\r\n"]:
        process = start()
        process.stdin.write(lines)
        process.stdin.flush()
        assert process.stdout.readline().strip() == b"OK"
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, process.returncode


def main():
    checks = [
        ("formats", check_formats),
        ("end of input", check_end_of_input),
        ("Ctrl-C", check_interrupt),
        ("a killed runner", check_killed_runner),
        ("matches", check_matches),
        ("clock", lambda: check_clock(1000)),
    ]
    try:
        # Makes Wine's folder, which takes its time.
        subprocess.run([*WINE, "wineboot", "--init"], check=True, stdin=subprocess.DEVNULL, timeout=600)
        for name, check in checks:
            print(name, flush=True)
            check()
    finally:
        subprocess.run([*WINE, "wineboot", "--kill"], stdin=subprocess.DEVNULL)
        shutil.rmtree(FOLDER, ignore_errors=True)


main()
