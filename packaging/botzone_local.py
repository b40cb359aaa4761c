#!/usr/bin/env python3
"""Plays on Botzone with an engine on this machine, by Botzone's Local AI.

Give the address that Botzone shows under "Local AI"; it holds your user id and your secret:

    packaging/botzone_local.py https://www.botzone.org.cn/api/UID/SECRET/localai --game Reversi

Then sit down at a table of that game with "let my local AI play for me", or let this script
start a match against a bot (Botzone allows that once in a few minutes):

    packaging/botzone_local.py ADDRESS --runmatch Gomoku me 5a0c…

Every match gets an engine process of its own, which keeps its tree from turn to turn and ends
with the match. Matches that began before the script did cannot be taken over, for Botzone tells
only the newest move.

How it works (wiki.botzone.org.cn, 本地AI): a GET of the address waits until there is news. The
reply is `m n`, then for each of m matches its id and the request, a line each, then n lines
`id slot players score score …` of matches that are over, with 0 players if one was broken off.
Answers go into headers `X-Match-<id>` of the next GET. While one GET waits no answer can be
sent, so the next one goes out when all engines have answered.
"""

import argparse
import concurrent.futures
import http.client
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"

# Botzone's names of the games, and how the engine is told of them.
GAMES = {
    "Gomoku": ["--protocol", "botzone-keep", "--game", "gomoku"],
    "Gomoku-Swap1": ["--protocol", "botzone-swap1-keep", "--game", "gomoku"],
    "Renju": ["--protocol", "botzone-renju-keep", "--game", "gomoku"],
    "Reversi": ["--protocol", "botzone-keep", "--game", "reversi"],
}

# Seconds. A GET with no news is repeated after LONGEST_POLL; after a failure the script waits
# FIRST_PAUSE, then twice as long each time up to LONGEST_PAUSE; an engine that ends does so
# within GRACE, or it is killed.
LONGEST_POLL = 300
FIRST_PAUSE = 1
LONGEST_PAUSE = 60
GRACE = 2

MATCH_ID = re.compile(r"[0-9A-Za-z_-]+")


class EngineError(Exception):
    """The engine gave no move."""


class Unreachable(Exception):
    """Botzone gave no reply that can be used."""


def say(text):
    print(time.strftime("%H:%M:%S"), text, flush=True)


class Engine:
    """A process that plays one match."""

    def __init__(self, command, limit):
        self.limit = limit
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def ask(self, request):
        """The answer to a request, as Botzone wants it. Blocks, at most `limit` seconds."""
        watch = threading.Timer(self.limit, self.process.kill)
        watch.start()
        try:
            self.process.stdin.write(request + "\n")
            self.process.stdin.flush()
            lines = list(iter(self._line, KEEP_RUNNING))
        except (OSError, ValueError) as error:
            raise EngineError(f"the engine is gone: {error}") from error
        finally:
            watch.cancel()
        return read_answer(lines)

    def _line(self):
        line = self.process.stdout.readline()
        if not line:
            raise EngineError(f"the engine ended, or thought longer than {self.limit} s")
        return line.strip()

    def hang_up(self):
        """Tells the process to end."""
        try:
            self.process.stdin.close()
        except OSError:
            pass  # It is gone already, with something unread.

    def end(self):
        """Ends the process and waits until it is gone."""
        self.hang_up()
        try:
            self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def read_answer(lines):
    """The response in the lines that an engine answered with, in the form of the request."""
    if not lines:
        raise EngineError("the engine answered nothing")
    first = lines[0]
    if not first.startswith("{"):
        if first.startswith("error"):
            raise EngineError(first)
        return first
    try:
        answer = json.loads(first)
    except ValueError as error:
        raise EngineError(f"the engine answered bad JSON: {error}") from error
    if answer.get("response") is None:
        raise EngineError(answer.get("debug", "the engine answered no response"))
    return json.dumps(answer["response"], separators=(",", ":"))


class Match:
    """A match in play: its engine and the last exchange."""

    def __init__(self, engine):
        self.engine = engine
        self.request = None
        self.answer = None
        self.lost = False

    def respond(self, request):
        """The answer to a request. The same stone twice is the same request sent again."""
        repeated = request == self.request and "-1" not in request
        if not repeated:
            self.request = request
            self.answer = self.engine.ask(request)
        return self.answer


def parse_reply(text):
    """The requests by match, and the results as (id, slot, scores), of a reply."""
    lines = [line.strip() for line in text.splitlines()]
    try:
        asked, ended = (int(number) for number in lines[0].split())
        if min(asked, ended) < 0 or len(lines) < 1 + 2 * asked + ended:
            raise ValueError("lines are missing")
        requests = {lines[1 + 2 * i]: lines[2 + 2 * i] for i in range(asked)}
        results = []
        for line in lines[1 + 2 * asked : 1 + 2 * asked + ended]:
            match_id, slot, players, *scores = line.split()
            results.append((match_id, int(slot), scores[: int(players)]))
    except (IndexError, ValueError) as error:
        raise Unreachable(f"the reply is not one of Botzone's: {error}") from error
    for match_id in requests:
        if not MATCH_ID.fullmatch(match_id):
            raise Unreachable(f"{match_id!r} is no id of a match")
    return requests, results


def get(url, headers, timeout):
    """The text of a reply. `None`: there was no news in `timeout` seconds."""
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as reply:
            return reply.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        body = error.read(200).decode("utf-8", "replace").strip()
        raise Unreachable(f"HTTP {error.code} {error.reason}: {body}") from error
    except TimeoutError:
        return None
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(str(getattr(error, "reason", error)) or type(error).__name__) from error


class Table:
    """Botzone at one side, the engines at the other."""

    def __init__(self, address, command, limit):
        self.address = address
        self.command = command
        self.limit = limit
        self.matches = {}
        self.answers = {}
        self.finished = 0
        self.pause = FIRST_PAUSE

    def run(self, count):
        """Plays until so many matches are over; for ever if `count` is None."""
        with concurrent.futures.ThreadPoolExecutor(max_workers=64) as threads:
            try:
                while count is None or self.finished < count:
                    requests, results = self.poll()
                    for result in results:
                        self.finish(*result)
                    for match_id in requests:
                        self.sit_down(match_id)
                    for _ in threads.map(self.think, *zip(*requests.items())):
                        pass
            finally:
                # First of all, so that no thread waits for an engine.
                self.close()

    def poll(self):
        """The news, however long they take. Answers are sent until a reply has come."""
        headers = {f"X-Match-{match_id}": text for match_id, text in self.answers.items()}
        while True:
            try:
                text = get(self.address + "/localai", headers, LONGEST_POLL)
                if text is None:
                    continue
                news = parse_reply(text)
            except Unreachable as error:
                say(f"cannot reach Botzone ({error}), trying again in {self.pause} s")
                time.sleep(self.pause)
                self.pause = min(2 * self.pause, LONGEST_PAUSE)
                continue
            self.pause = FIRST_PAUSE
            self.answers = {}
            return news

    def sit_down(self, match_id):
        """Starts an engine for a match that has none yet."""
        if match_id not in self.matches:
            say(f"match {match_id}: begins")
            self.matches[match_id] = Match(Engine(self.command, self.limit))

    def think(self, match_id, request):
        """Asks the match's engine. Run by many threads at once, each for another match."""
        match = self.matches[match_id]
        if match.lost:
            return
        try:
            self.answers[match_id] = match.respond(request)
        except EngineError as error:
            say(f"match {match_id}: no answer to {request!r}: {error}")
            match.lost = True
            match.engine.end()
        else:
            say(f"match {match_id}: {request} -> {self.answers[match_id]}")

    def finish(self, match_id, slot, scores):
        self.finished += 1
        match = self.matches.pop(match_id, None)
        if match is not None:
            match.engine.end()
        if scores:
            say(f"match {match_id}: over, scores {' '.join(scores)}, we were player {slot}")
        else:
            say(f"match {match_id}: broken off")

    def start_match(self, game, players):
        """Asks Botzone to begin a match."""
        headers = {f"X-Player-{slot}": player for slot, player in enumerate(players)}
        text = get(self.address + "/runmatch", {"X-Game": game, **headers}, LONGEST_PAUSE)
        say(f"{game} of {' and '.join(players)} begins: {(text or 'no reply').strip()}")

    def close(self):
        engines = [match.engine for match in self.matches.values()]
        for engine in engines:
            engine.hang_up()
        for engine in engines:
            engine.end()


def find_engine():
    """Tengen from the PATH, or as built in this tree."""
    tree = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    built = os.path.join(tree, "target", "release", "tengen")
    return shutil.which("tengen") or shutil.which(built)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("address", help="the address that Botzone shows under Local AI")
    parser.add_argument("--game", choices=GAMES, help="the game that is played [default: Gomoku]")
    parser.add_argument(
        "--engine",
        metavar="CMD",
        help="the engine with its arguments, such as 'tengen --time 3000'; those for the game and "
        "the protocol are added [default: tengen from the PATH or from target/release]",
    )
    parser.add_argument(
        "--limit", type=float, default=60, metavar="S", help="seconds for a move [default: 60]"
    )
    parser.add_argument("--count", type=int, metavar="N", help="end after N matches")
    parser.add_argument(
        "--runmatch",
        nargs="+",
        metavar=("GAME", "BOTID"),
        help="start a match of GAME against these bots; `me` stands for the engine, and is "
        "the first player if it is not named",
    )
    arguments = parser.parse_args()
    check(parser, arguments)
    return arguments


def check(parser, arguments):
    """Ends the script with a message where the arguments make no sense."""
    if urllib.parse.urlsplit(arguments.address).scheme not in ("http", "https"):
        parser.error("the address should begin with https://")
    arguments.address = arguments.address.rstrip("/").removesuffix("/localai")
    if arguments.engine is None:
        engine = find_engine()
        if engine is None:
            parser.error("no tengen in the PATH or in target/release; see --engine")
        arguments.engine = shlex.quote(engine)
    if not arguments.runmatch:
        return
    game, *players = arguments.runmatch
    if game not in GAMES:
        parser.error(f"--runmatch: the games are {', '.join(GAMES)}")
    if "me" not in players:
        players.insert(0, "me")
    if len(players) != 2 or players.count("me") != 1:
        parser.error("--runmatch: two play, and one of them is `me`")
    if arguments.game not in (None, game):
        parser.error("--runmatch and --game name different games")
    arguments.game, arguments.runmatch = game, players


def main():
    arguments = parse_arguments()
    game = arguments.game or "Gomoku"
    command = shlex.split(arguments.engine) + GAMES[game]
    table = Table(arguments.address, command, arguments.limit)
    # Being told to end is the same as Ctrl-C: the engines end too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # The address holds a secret and is never shown.
    say(f"waiting for matches of {game} at {urllib.parse.urlsplit(arguments.address).hostname}")
    try:
        if arguments.runmatch:
            table.start_match(game, arguments.runmatch)
        table.run(arguments.count)
    except Unreachable as error:
        sys.exit(f"no match was begun: {error}")
    except OSError as error:
        sys.exit(f"cannot run the engine: {error}")
    except KeyboardInterrupt:
        say("ended")


if __name__ == "__main__":
    main()
