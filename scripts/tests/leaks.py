#!/usr/bin/env python3
"""Watches matches for leaks: leaks.py PROGRAM [GAMES]

Plays GAMES games in all, or more where they are soon over: half of them between bots of the
program, which are started anew for every game, and half between engines that stay from game to
game. Every tenth of a second the match's open descriptors, memory, threads and children are
counted. Fails when there are more of any in the last quarter of a match than in the quarter after
its beginning, or when a process or a game is missing or left at the end.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
GAMES = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
AT_A_TIME = 2
INTERVAL = 0.1  # seconds
ENOUGH = 8  # samples of a match, below which its quarters tell nothing
MEMORY_SLACK = 2 << 20  # bytes: what an allocator may come to keep

FRESH = ["random", "random"]
STAYING = [f"ugi:{PROGRAM} --protocol ugi --game connect4 --bot random --memory 1"] * 2


def children(pid):
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/stat") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if parent == pid:
            found.append(int(entry))
    return found


def sample(pid):
    with open(f"/proc/{pid}/status") as file:
        status = dict(line.split(":", 1) for line in file)
    return {
        "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
        "memory": int(status["VmRSS"].split()[0]) << 10,
        "threads": int(status["Threads"]),
        "children": len(children(pid)),
    }


def watch(engines, games):
    """Plays a match and returns its samples and the number of its records."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as records:
        arguments = ["--game", "connect4", "--games", str(games), "--playouts", "1"]
        arguments += ["--concurrency", str(AT_A_TIME), "--json", records.name]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        match = subprocess.Popen([PROGRAM, "match", *engines, *arguments], **quiet)
        samples, last = [], []
        while match.poll() is None:
            try:
                last = children(match.pid)
                samples.append(sample(match.pid))
            except (OSError, KeyError):
                break  # it has just ended
            time.sleep(INTERVAL)
        if match.wait() != 0:
            sys.exit(f"the match ended with {match.returncode}")
        left = [pid for pid in last if os.path.exists(f"/proc/{pid}")]
        if left:
            sys.exit(f"processes are left: {left}")
        played = [json.loads(line) for line in open(records.name)]
    faults = [game for game in played if game["termination"] not in ("win", "draw")]
    if len(played) != games or faults:
        sys.exit(f"{len(played)} of {games} games were played, {len(faults)} with faults")
    return samples


def check(name, engines, games):
    begun = time.monotonic()
    samples = watch(engines, games)
    taken = time.monotonic() - begun
    if len(samples) < ENOUGH:  # A fast machine is through before there is anything to compare.
        return check(name, engines, 4 * games)
    quarter = len(samples) // 4
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]
    print(f"{name}: {games} games in {taken:.0f} s, {len(samples)} samples")
    for key in samples[0]:
        before, after = (max(it[key] for it in part) for part in (early, late))
        print(f"  most {key}: {before} early, {after} late")
        # Engines of two games may change at the same moment, which a sample sees or not.
        slack = MEMORY_SLACK if key == "memory" else 4 * AT_A_TIME
        if after > before + slack:
            sys.exit(f"{name}: {key} grow")


check("bots started for every game", FRESH, GAMES // 4 * 2)
check("engines that stay", STAYING, GAMES // 4 * 2)
