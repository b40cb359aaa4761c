#!/usr/bin/env python3
"""Learns weights over a Ray cluster of two nodes on this machine: ray_learn.py PROGRAM

Ends the driver in the middle and starts it again. Fails unless every part is what the same seed gives
without Ray, none was played twice, and weights were fitted to them. Needs Ray (pip install ray).
"""

import os
import signal
import subprocess
import sys
import tempfile
import time

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

from ray.cluster_utils import Cluster  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ray_learn.py")
PATIENCE = 300  # seconds
PARTS, GAMES_A_PART, SEED = 6, 1024, 5


def learn(game, *arguments):
    command = [PROGRAM, "learn", game, *arguments]
    subprocess.run(command, check=True, capture_output=True)


def begin(cluster, game, folder, first, *more):
    command = [sys.executable, DRIVER, game, "--address", cluster.address, "--tengen", PROGRAM,
               "--dir", folder, "--from", first, "--seed", str(SEED), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def drive(cluster, folder, first, *more):
    return begin(cluster, "reversi", folder, first, "--games", str(PARTS * GAMES_A_PART),
                 "--games-a-part", str(GAMES_A_PART), "--depth", "2", *more)


def whole_parts(folder):
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return {name: os.stat(os.path.join(folder, name)).st_mtime_ns
            for name in names if name.endswith(".games")}


def wait_until(what, found):
    end = time.monotonic() + PATIENCE
    while not found():
        assert time.monotonic() < end, f"{what}: not within {PATIENCE} s"
        time.sleep(0.05)


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def run(cluster, folder):
    first, state = os.path.join(folder, "first.bin"), os.path.join(folder, "state")
    learn("reversi", "--games", "500", "--out", first)
    driver = drive(cluster, state, first)
    wait_until("a part that is whole", lambda: whole_parts(state))
    driver.send_signal(signal.SIGKILL)
    driver.communicate()
    kept = whole_parts(state)
    assert 0 < len(kept) < PARTS, f"{len(kept)} parts were whole: kill the driver earlier"
    driver = drive(cluster, state, first)
    out, errors = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 0, errors
    assert out.strip() == os.path.join(state, "weights.bin"), out
    after = whole_parts(state)
    assert len(after) == PARTS
    assert all(after[name] == when for name, when in kept.items()), "a whole part was played again"
    alone = os.path.join(folder, "alone.games")
    learn("reversi", "--from", first, "--record", alone, "--games", str(GAMES_A_PART), "--depth", "2",
          "--seed", str(SEED + 3))
    assert contents(alone) == contents(os.path.join(state, "part-00003.games"))
    assert os.path.exists(os.path.join(state, "weights.json"))
    driver = drive(cluster, state, first, "--depth", "3")
    _, errors = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 1 and "holds other work: its depth" in errors, errors


def run_net(cluster, folder):
    first, state = os.path.join(folder, "first.bin"), os.path.join(folder, "net")
    driver = begin(cluster, "reversi", state, first, "--games", "512", "--games-a-part", "256",
                   "--depth", "2", "--net")
    out, errors = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 0, errors
    net = os.path.join(state, "net.bin")
    assert out.strip() == net, out
    assert len(whole_parts(state)) == 2
    assert contents(net).startswith(b"tengen-n")


def run_gomoku(cluster, folder):
    first, state = os.path.join(folder, "net.bin"), os.path.join(folder, "gomoku")
    learn("gomoku", "--games", "16", "--playouts", "2", "--out", first)
    driver = begin(cluster, "gomoku", state, first, "--games", "512", "--games-a-part", "256",
                   "--playouts", "2", "--leaves", "1", "--rule", "exact")
    _, errors = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 0, errors
    parts = whole_parts(state)
    assert len(parts) == 2
    for text in (b'"leaves":1', b'"rule":"exact"'):
        assert all(text in contents(os.path.join(state, part)) for part in parts)
    assert contents(os.path.join(state, "weights.bin")) != contents(first)


def main():
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    try:
        with tempfile.TemporaryDirectory() as folder:
            run(cluster, folder)
            run_net(cluster, folder)
            run_gomoku(cluster, folder)
    finally:
        cluster.shutdown()
    print("all well")


main()
