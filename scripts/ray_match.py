#!/usr/bin/env python3
"""Plays a match over a Ray cluster. See --help."""

import argparse
import contextlib
import ctypes
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile

DESCRIPTION = """\
Plays a match over a Ray cluster: what `tengen match` plays, in parts, on many machines.

A part (`tengen match --shard`) is a task of Ray. It counts when it is whole, and then it is
written to DIR by one rename; a part whose machine or process dies is played again elsewhere. So
no game is lost and none counts twice. DIR is the whole state: after an interruption the same
command goes on where it was. At the end every game is checked to be there exactly once, all are
joined in DIR/games.jsonl, and the table is printed.

The program is sent to the machines with the match, so they all play with the same one. They need
Python and Ray, and the outside engines of the match (gtp:CMD, gomocup:CMD) under the same names.
The openings of --openings FILE are sent along, and must be the same when the match goes on.
A program from packaging/build_static runs on any x86-64 Linux."""

EXAMPLES = """\
examples:
  scripts/ray_match.py --dir m1 --games 1000 -- tengen greedy --game reversi --time 100
  scripts/ray_match.py --address auto --dir m2 --games 4000 --cpus 2 -- \\
      tengen:threads=2 gtp:/usr/games/gtp-rhino --game reversi --time 1000
  target/release/tengen report m2/games.jsonl --html m2.html

exit code: 0 when all games were played, 1 on an error, 130 when interrupted"""

# How often a part is begun again after its worker died. A part that takes down every worker that
# plays it, as by its need of memory, has to end the match some time. A guess.
RETRIES = 20

# Parts for each core, so that the last ones to end do not leave the others idle for long. A guess.
PARTS_A_CORE = 4

# Ray tells its makers of every cluster unless told not to.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

# The driver sets these itself.
OWN_ARGUMENTS = ("--games", "--json", "--shard", "--resume", "--concurrency", "--html")


class Failure(Exception):
    """Ends the program with a message."""


class Killed(Exception):
    """The program of a part was ended by a signal; worth another try."""


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=DESCRIPTION, epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", required=True, help="the folder of the match; it is made")
    parser.add_argument("--games", type=even, default=20, metavar="N",
                        help="games of each pairing, an even number [default: 20]")
    parser.add_argument("--parts", type=positive, metavar="N",
                        help="how many parts [default: four for each core of the cluster, "
                        "at most one for each two games]")
    parser.add_argument("--cpus", type=positive, default=1, metavar="N",
                        help="cores for a game, as many as the threads of its engines [default: 1]")
    add_places(parser)
    parser.add_argument("match", nargs="+", metavar="ARGUMENT",
                        help="after --: engines and terms, as of tengen match")
    arguments = parser.parse_args()
    # Each as an argument of its own, so that the file of openings is found.
    arguments.match = [part for argument in arguments.match
                       for part in (argument.split("=", 1) if argument.startswith("--")
                                    else [argument])]
    for argument in arguments.match:
        if argument.split("=")[0] in OWN_ARGUMENTS:
            parser.error(f"{argument} is set by this script and cannot stand after --")
    if arguments.parts and arguments.parts > arguments.games // 2:
        parser.error(f"{arguments.games} games are {arguments.games // 2} pairs, "
                     f"and cannot be split into {arguments.parts} parts")
    return arguments


def add_places(parser):
    """Adds the options that say where the cluster and the program are."""
    parser.add_argument("--address", default="local", metavar="ADDRESS",
                        help="the cluster: HOST:PORT, auto for the one that this machine belongs "
                        "to, or local for a new one on this machine [default: local]")
    parser.add_argument("--tengen", default="target/release/tengen", metavar="PROGRAM",
                        help="the program [default: target/release/tengen]")


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def even(text):
    number = positive(text)
    if number % 2:
        raise argparse.ArgumentTypeError(f"{text} is odd: openings are played with both colours")
    return number


# ---- On a worker

def play_part(program, openings, match, part, parts):
    """Plays a part and returns its records. Runs as a task of Ray."""
    with tempfile.TemporaryDirectory(prefix="tengen-") as folder:
        path = os.path.join(folder, "tengen")
        with open(path, "wb") as file:
            file.write(program)
        os.chmod(path, 0o700)
        if openings is not None:
            at = place_of_openings(match)
            match = [*match[:at], os.path.join(folder, "openings.txt"), *match[at + 1:]]
            with open(match[at], "wb") as file:
                file.write(openings)
        records = os.path.join(folder, "games.jsonl")
        command = [path, "match", *match, "--concurrency", "1",
                   "--shard", f"{part}/{parts}", "--json", records]
        run_part(f"part {part}", command)
        with open(records, "rb") as file:
            return file.read()


def place_of_openings(match):
    """Where in the arguments the file of openings stands, or None: "balanced" are drawn by the program."""
    at = match.index("--openings") + 1 if "--openings" in match[:-1] else None
    return None if at and match[at] == "balanced" else at


def run_part(name, command):
    """Runs the program for a part."""
    played = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            check=False, preexec_fn=die_with_parent)
    if played.returncode < 0:
        raise Killed(f"{name} was ended by signal {-played.returncode}")
    if played.returncode > 0:
        raise Failure(f"{name} failed with exit code {played.returncode}: {played.stderr.strip()}")


def die_with_parent():
    """A worker that is killed cannot end its match, which would go on beside its second try."""
    set_parent_death_signal = 1  # PR_SET_PDEATHSIG of prctl(2)
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


# ---- The folder of the match

class Folder:
    """The parts that are whole, and what they are parts of."""

    def __init__(self, path):
        self.path = path
        os.makedirs(path, exist_ok=True)

    def agree(self, match, usual_parts):
        """Remembers what is done, or makes sure that it is the same as before. Where nobody
        asks for a number of parts, it is that of before, or the usual one."""
        path = os.path.join(self.path, "match.json")
        try:
            with open(path, encoding="utf-8") as file:
                before = json.load(file)
        except FileNotFoundError:
            match = {**match, "parts": match["parts"] or usual_parts}
            commit(path, (json.dumps(match, indent=1) + "\n").encode())
            return match
        for key, value in match.items():
            if value is not None and before.get(key) != value:
                raise Failure(f"{self.path} holds other work: its {key} is "
                              f"{before.get(key)!r} and not {value!r}")
        return before

    def part(self, index):
        return os.path.join(self.path, f"part-{index:05}.jsonl")

    def missing(self, parts):
        return [index for index in range(parts) if not os.path.exists(self.part(index))]


def commit(path, content):
    """Writes a file that is there whole or not at all, whenever this process dies."""
    with open(path + ".new", "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


def read(what, path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Failure(f"cannot read the {what}: {error}") from error


def read_openings(match):
    at = place_of_openings(match)
    return read("openings", match[at]) if at else None


# ---- The match

def play(ray, folder, match, program, openings, cpus):
    """Plays the parts that are missing, and writes each when it is whole."""
    parts = match["parts"]
    missing = folder.missing(parts)
    if not missing:
        return
    task = as_task(ray, play_part, cpus)
    shipped = ray.put(program)
    played = match["arguments"] + ["--games", str(match["games"])]
    pending = {task.remote(shipped, openings, played, part, parts): part for part in missing}
    collect(ray, folder, pending, parts)


def as_task(ray, play_one, cpus):
    """The function that plays a part, as the cluster runs it."""
    return ray.remote(num_cpus=cpus, max_retries=RETRIES, retry_exceptions=[Killed])(play_one)


def collect(ray, folder, pending, parts):
    """Writes each pending part when it is whole, and tells how many of all parts are."""
    while pending:
        done, _ = ray.wait(list(pending))
        for reference in done:
            part = pending.pop(reference)
            commit(folder.part(part), ray.get(reference))
            print(f"{parts - len(pending)}/{parts} parts", file=sys.stderr, flush=True)


def verify(folder, match):
    """Every game of every pairing is there exactly once."""
    seen = {}
    for part in range(match["parts"]):
        with open(folder.part(part), encoding="utf-8") as file:
            for line in file:
                record = json.loads(line)
                game = record["pairing"], record["number"]
                if game in seen:
                    raise Failure(f"game {game[1]} of pairing {game[0]} is in part {seen[game]} "
                                  f"and in part {part}")
                seen[game] = part
    pairings = 1 + max((pairing for pairing, _ in seen), default=0)
    for pairing in range(pairings):
        for number in range(match["games"]):
            if (pairing, number) not in seen:
                raise Failure(f"game {number} of pairing {pairing} is missing")
    if len(seen) != pairings * match["games"]:
        raise Failure(f"{len(seen)} games, not {pairings * match['games']}")
    print(f"{len(seen)} games, each exactly once", file=sys.stderr)


def merge(program, folder, match):
    """Joins the parts and prints the table."""
    files = [folder.part(part) for part in range(match["parts"])]
    joined = os.path.join(folder.path, "games.jsonl")
    merged = subprocess.run([program, "merge", *files, "--json", joined, "--force"], check=False)
    if merged.returncode != 0:
        raise Failure("the parts do not go together")


def connect(address):
    """Ray, on the cluster at this address."""
    try:
        import ray  # Only here, so that --help works without it.
    except ImportError as error:
        raise Failure("Ray is not installed; pip install ray") from error
    if ":" in address:
        ensure_answers(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level="warning")
    except ConnectionError as error:
        raise Failure(f"no cluster at {address}: {error}") from error
    if ray.cluster_resources().get("CPU", 0) < 1:
        print("waiting for machines: the cluster has no core now", file=sys.stderr)
    return ray


def ensure_answers(address):
    """Ray itself waits for minutes for an address where nobody listens."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host, port), timeout=10).close()
    except OSError as error:
        raise Failure(f"no cluster at {address}: {error}") from error


def run(arguments):
    program = read("program of --tengen", arguments.tengen)
    folder = Folder(arguments.dir)
    with contextlib.redirect_stdout(sys.stderr):  # Ray writes its news to the standard output.
        match = play_all(arguments, program, folder)
    verify(folder, match)
    merge(os.path.abspath(arguments.tengen), folder, match)


def play_all(arguments, program, folder):
    """Plays what is missing of the match, and returns what the match is."""
    ray = connect(arguments.address)
    cores = int(ray.cluster_resources().get("CPU", 1))
    openings = read_openings(arguments.match)
    match = folder.agree({
        "arguments": arguments.match,
        "games": arguments.games,
        "program": hashlib.sha256(program).hexdigest(),
        "openings": None if openings is None else hashlib.sha256(openings).hexdigest(),
        "parts": arguments.parts,
    }, max(1, min(PARTS_A_CORE * cores, arguments.games // 2)))
    with errors_as_failures(ray):
        play(ray, folder, match, program, openings, arguments.cpus)
    return match


@contextlib.contextmanager
def errors_as_failures(ray):
    """Turns the errors of Ray into messages that end the program."""
    try:
        yield
    except ray.exceptions.RayTaskError as error:
        raise Failure(str(error.cause)) from error
    except ray.exceptions.RayError as error:
        raise Failure(f"a part was given up after {RETRIES} tries: {error}") from error


def run_to_end(run_with, arguments):
    """Runs a program, and exits with its message and code where it fails or is interrupted."""
    try:
        run_with(arguments)
    except Failure as failure:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {failure}")
    except KeyboardInterrupt:
        print(f"interrupted; the same command goes on with {arguments.dir}", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    run_to_end(run, parse_arguments())
