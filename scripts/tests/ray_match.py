#!/usr/bin/env python3
"""Plays matches over a Ray cluster of two nodes on this machine: ray_match.py PROGRAM

Kills a worker, a whole node and the driver in the middle with SIGKILL, and starts the driver
again. Fails unless every game is there exactly once, and the same as in a match that is played at
one go. Needs Ray (pip install ray).
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

from ray.cluster_utils import Cluster  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ray_match.py")
PATIENCE = 300  # seconds; Ray takes some to see that a node is gone

# Playouts and a seed, so that the games are the same wherever they are played.
MATCH = ["uct", "random", "--game", "gomoku", "--playouts", "1500", "--seed", "5"]
GAMES, PARTS = 24, 12


def drive(cluster, folder, *match, games=GAMES, parts=PARTS):
    command = [sys.executable, DRIVER, "--address", cluster.address, "--tengen", PROGRAM,
               "--dir", folder, "--games", str(games), "--parts", str(parts), "--", *match]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(driver):
    out, errors = driver.communicate(timeout=PATIENCE)
    return driver.returncode, out, errors


def whole_parts(folder):
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return {name: os.stat(os.path.join(folder, name)).st_mtime_ns
            for name in names if name.startswith("part-") and name.endswith(".jsonl")}


def wait_until(what, found):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        result = found()
        if result:
            return result
        time.sleep(0.05)
    raise AssertionError(f"{what}: not within {PATIENCE} s")


def parents_of_matches():
    """The processes that run a part of the test's match: the only ones with these arguments."""
    parents = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                command = file.read().decode(errors="replace").split("\0")
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            continue  # It has ended meanwhile.
        if command[1:1 + len(MATCH) + 1] == ["match", *MATCH] and "--shard" in command:
            parents.append(parent)
    return parents


def games_of(path):
    """What was played, by pairing and number. Fails where a game stands there twice."""
    games = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            key = record["pairing"], record["number"]
            assert key not in games, f"{key} is there twice"
            games[key] = record["opening"], [move["move"] for move in record["moves"]]
    return games


def at_one_go(folder):
    path = os.path.join(folder, "one-go.jsonl")
    command = [PROGRAM, "match", *MATCH, "--games", str(GAMES), "--json", path]
    subprocess.run(command, check=True, capture_output=True)
    return games_of(path)


def deaths(cluster, nodes, folder):
    """A worker, then a node, then the driver are killed, and the match is played on."""
    state = os.path.join(folder, "deaths")
    driver = drive(cluster, state, *MATCH)
    wait_until("a part that is whole", lambda: whole_parts(state))
    os.kill(wait_until("a part being played", parents_of_matches)[0], signal.SIGKILL)
    print(f"killed a worker after {len(whole_parts(state))} parts")
    before = len(whole_parts(state))
    wait_until("a part after a worker died", lambda: len(whole_parts(state)) > before)
    cluster.remove_node(nodes.pop(), allow_graceful=False)
    print(f"killed a node after {len(whole_parts(state))} parts")
    before = len(whole_parts(state))
    wait_until("a part after a node died", lambda: len(whole_parts(state)) > before)
    driver.kill()
    driver.communicate()
    kept = whole_parts(state)
    print(f"killed the driver after {len(kept)} parts")
    assert 0 < len(kept) < PARTS, f"{len(kept)} parts were whole: kill the driver earlier"
    code, out, errors = finish(drive(cluster, state, *MATCH))
    assert code == 0, errors
    assert f"{GAMES} games, each exactly once" in errors, errors
    assert out.startswith("game") and f" {GAMES} " in out, out
    after = whole_parts(state)
    assert len(after) == PARTS
    assert all(after[name] == when for name, when in kept.items()), "a whole part was played again"
    assert games_of(os.path.join(state, "games.jsonl")) == at_one_go(folder)
    assert not parents_of_matches(), "a match is left running"
    print(f"{GAMES} games, each once, and the same as at one go")


def errors_are_told(cluster, folder):
    state = os.path.join(folder, "errors")
    code, out, errors = finish(drive(cluster, state, "nobody", "random", games=2, parts=1))
    assert (code, out) == (1, ""), errors
    assert "no bot is called" in errors and "Traceback" not in errors, errors
    code, _, errors = finish(drive(cluster, state, "random", "random", games=2, parts=1))
    assert code == 1 and "holds other work: its arguments" in errors, errors
    balanced = ["random", "random", "--game", "gomoku", "--size", "9x9", "--openings", "balanced"]
    state = os.path.join(folder, "balanced")
    code, _, errors = finish(drive(cluster, state, *balanced, games=2, parts=1))
    assert code == 0, errors
    openings = os.path.join(folder, "openings.txt")
    opened = ["random", "random", "--game", "connect4", "--openings", openings]
    with open(openings, "w", encoding="utf-8") as file:
        file.write("44\n")
    state = os.path.join(folder, "opened")
    code, _, errors = finish(drive(cluster, state, *opened, games=2, parts=1))
    assert code == 0, errors
    assert all(opening == ["4", "4"] for opening, _ in
               games_of(os.path.join(state, "games.jsonl")).values())
    with open(openings, "w", encoding="utf-8") as file:
        file.write("45\n")
    code, _, errors = finish(drive(cluster, state, *opened, games=2, parts=1))
    assert code == 1 and "holds other work: its openings" in errors, errors
    code, _, errors = finish(drive(cluster, state, "random", "random", games=2, parts=2))
    assert code == 2 and "cannot be split" in errors, errors
    alone = subprocess.run([sys.executable, DRIVER, "--address", "127.0.0.1:9", "--tengen", PROGRAM,
                            "--dir", state, "--", "random", "random"],
                           capture_output=True, text=True, check=False)
    assert alone.returncode == 1 and "no cluster at 127.0.0.1:9" in alone.stderr, alone.stderr
    print("errors are told")


def run():
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    try:
        with tempfile.TemporaryDirectory() as folder:
            errors_are_told(cluster, folder)
            deaths(cluster, nodes, folder)
    finally:
        cluster.shutdown()
    print("all well")


run()
