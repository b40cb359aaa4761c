"""Tests `packaging/botzone_local.py` with a server that speaks Botzone's Local AI.

Run as `python3 tests/botzone_local.py ENGINE`, where ENGINE is the program. The server referees
by rules of its own, drops connections, answers nonsense, breaks a match off, and watches that
there is one engine process for each match in play. Exits with 0 if all went well.
"""

import http.server
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
import uuid

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "packaging" / "botzone_local.py"
PATH = "/api/0123/secret"


class Gomoku:
    """Five or more win, 15x15; moves in JSON."""

    def __init__(self):
        self.stones = {}
        self.to_move = 0
        self.scores = None

    def legal(self):
        return [(x, y) for x in range(15) for y in range(15) if (x, y) not in self.stones]

    def play(self, move):
        assert move in self.legal(), f"{move} is illegal"
        self.stones[move] = self.to_move
        if any(self.row(move, step) >= 5 for step in [(1, 0), (0, 1), (1, 1), (1, -1)]):
            self.scores = [2, 0] if self.to_move == 0 else [0, 2]
        elif not self.legal():
            self.scores = [1, 1]
        self.to_move = 1 - self.to_move

    def row(self, move, step):
        length = 1
        for sign in (1, -1):
            x, y = move
            while self.stones.get((x + sign * step[0], y + sign * step[1])) == self.to_move:
                x, y = x + sign * step[0], y + sign * step[1]
                length += 1
        return length

    @staticmethod
    def write(move):
        return json.dumps({"x": move[0], "y": move[1]})

    @staticmethod
    def read(text):
        answer = json.loads(text)
        return answer["x"], answer["y"]


class Reversi:
    """Reversi with passes as (-1, -1); moves in the simple form."""

    PASS = (-1, -1)

    def __init__(self):
        self.discs = {(3, 4): 0, (4, 3): 0, (3, 3): 1, (4, 4): 1}
        self.to_move = 0
        self.scores = None
        self.passes = 0

    def flips(self, move, side):
        found = []
        for dx, dy in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]:
            line, (x, y) = [], (move[0] + dx, move[1] + dy)
            while self.discs.get((x, y)) == 1 - side:
                line.append((x, y))
                x, y = x + dx, y + dy
            if self.discs.get((x, y)) == side:
                found += line
        return found

    def moves(self, side):
        cells = [(x, y) for x in range(8) for y in range(8) if (x, y) not in self.discs]
        return [cell for cell in cells if self.flips(cell, side)]

    def legal(self):
        return self.moves(self.to_move) or [self.PASS]

    def play(self, move):
        assert move in self.legal(), f"{move} is illegal"
        if move == self.PASS:
            self.passes += 1
        else:
            for cell in self.flips(move, self.to_move) + [move]:
                self.discs[cell] = self.to_move
        if not self.moves(0) and not self.moves(1):
            black = sum(1 for side in self.discs.values() if side == 0)
            white = len(self.discs) - black
            self.scores = [1, 1] if black == white else [2, 0] if black > white else [0, 2]
        self.to_move = 1 - self.to_move

    @staticmethod
    def write(move):
        return f"{move[0]} {move[1]}"

    @staticmethod
    def read(text):
        x, y = text.split(" ")
        return int(x), int(y)


class Match:
    """A game of the script, which is player `slot`, with a player who moves at random."""

    def __init__(self, rules, slot, seed, breaks_off_after=None):
        self.game = rules()
        self.slot = slot
        self.random = random.Random(seed)
        self.left = breaks_off_after
        self.asked = False  # A request waits for its answer.
        self.delivered = False  # That request has been sent.
        self.begun = False  # A request has been sent, so that there is an engine.
        self.ended = False  # The result has been sent.
        self.request = self.game.write((-1, -1))
        self.id = f"{seed:024x}"
        if slot == 1:
            self.opponent()
        self.asked = True

    def opponent(self):
        move = self.random.choice(self.game.legal())
        self.game.play(move)
        self.request = self.game.write(move)

    def answer(self, text):
        self.game.play(self.game.read(text))
        self.asked = self.delivered = False
        if self.left is not None:
            self.left -= 1
        if self.game.scores is None and self.left != 0:
            self.opponent()
            self.asked = self.game.scores is None

    def over(self):
        return self.game.scores is not None or self.left == 0

    def result(self):
        scores = self.game.scores or []
        return " ".join(map(str, [self.id, self.slot, len(scores), *scores]))


class Server(http.server.ThreadingHTTPServer):
    """Botzone. `faults` says what happens to the n-th GET instead of an answer."""

    daemon_threads = True

    def __init__(self, matches, faults=None, mark=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.matches = {match.id: match for match in matches}
        self.faults = faults or {}
        self.mark = mark
        self.gets = 0
        self.answers = 0
        self.runmatch = None
        self.runmatch_status = 200
        self.errors = []
        self.idle = threading.Event()

    def news(self, headers):
        for name, value in headers.items():
            match_id = name.lower().removeprefix("x-match-")
            if match_id in self.matches and self.matches[match_id].asked:
                self.matches[match_id].answer(value)
                self.answers += 1
        self.check_engines()
        # Matches begin one after the other.
        joined = [match for match in self.matches.values() if not match.ended][: self.gets]
        asked = [match for match in joined if match.asked and not match.delivered]
        ended = [match for match in joined if match.over()]
        for match in asked:
            match.delivered = match.begun = True
        for match in ended:
            match.ended = True
        lines = [f"{len(asked)} {len(ended)}"]
        for match in asked:
            lines += [match.id, match.request]
        lines += [match.result() for match in ended]
        if len(lines) == 1:
            self.idle.set()
            time.sleep(0.05)
        return "\n".join(lines) + "\n"

    def check_engines(self):
        if self.mark:
            expected = sum(match.begun and not match.ended for match in self.matches.values())
            running = len(marked(self.mark, "tengen"))
            assert running == expected, f"{running} engines for {expected} matches"

    def handle_error(self, *_):
        pass  # The script was ended while it waited.


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        if self.path == PATH + "/runmatch":
            server.runmatch = dict(self.headers.items())
            self.reply(server.runmatch_status, '{"matchid":"new"}')
            return
        server.gets += 1
        fault = server.faults.get(server.gets)
        if fault == "drop":
            self.close_connection = True
        elif fault == "cut":
            self.reply(200, "1 0\n", longer=100)
            self.close_connection = True
        elif fault == "nonsense":
            self.reply(200, "<html>under repair</html>")
        elif fault == "error":
            self.reply(502, "bad gateway")
        elif self.path != PATH + "/localai":
            server.errors.append(f"no such path: {self.path}")
            self.reply(404, "")
        else:
            try:
                news = server.news(self.headers)
            except Exception as error:  # The test fails by it, wherever it came from.
                server.errors.append(repr(error))
                raise
            self.reply(200, news)

    def reply(self, status, text, longer=0):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) + longer))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def marked(mark, name=""):
    """The processes with this mark in their environment, of this name."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes()
            if mark.encode() in environment and name in (process / "comm").read_text():
                found.append(process.name)
        except OSError:
            pass  # It has ended meanwhile.
    return found


class Script:
    """The script as a process, with a server to talk to."""

    def __init__(self, engine, server, *arguments):
        self.mark = f"mark-{uuid.uuid4()}"
        server.mark = self.mark
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}{PATH}/localai"
        command = [sys.executable, str(SCRIPT), address, "--engine", engine, *arguments]
        environment = {**os.environ, "NO_PROXY": "127.0.0.1", "BOTZONE_TEST": self.mark}
        self.server = server
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def wait(self, seconds, status=0):
        try:
            text, _ = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            text, _ = self.process.communicate()
            raise AssertionError(f"the script did not end:\n{text}") from None
        assert self.process.returncode == status, f"{self.process.returncode}:\n{text}"
        assert not self.server.errors, f"{self.server.errors}\n{text}"
        assert "secret" not in text, "the secret is shown"
        time.sleep(0.1)
        assert not marked(self.mark), "a process is left behind"
        self.server.shutdown()
        return text


def test_many_matches_with_faults(engine):
    matches = [Match(Gomoku, slot, seed) for seed, slot in enumerate([0, 1, 1, 0], 1)]
    matches.append(Match(Gomoku, 0, 9, breaks_off_after=3))
    faults = {2: "drop", 4: "error", 6: "nonsense", 8: "cut"}
    server = Server(matches, faults)
    text = Script(quick(engine), server, "--game", "Gomoku", "--count", "5").wait(120)
    assert server.answers >= 5 * 4
    assert all(match.ended for match in matches)
    assert text.count("over, scores") == 4 and text.count("broken off") == 1, text
    assert text.count("trying again") == len(faults), text


def test_reversi_with_passes(engine):
    matches = [Match(Reversi, seed % 2, seed) for seed in range(1, 9)]
    server = Server(matches)
    text = Script(quick(engine), server, "--game", "Reversi", "--count", "8").wait(120)
    assert all(match.game.scores for match in matches), text
    assert sum(match.game.passes for match in matches) > 0, "no game has a pass: other seeds"


def test_interrupt(engine):
    for number in (signal.SIGINT, signal.SIGTERM):
        server = Server([Match(Gomoku, 0, 1), Match(Gomoku, 0, 2)])
        script = Script(endless(engine), server, "--game", "Gomoku")
        while not marked(script.mark, "tengen"):
            time.sleep(0.02)
        time.sleep(0.3)
        script.process.send_signal(number)
        assert "ended" in script.wait(10)


def test_engines_that_fail(engine):
    for failing in ("false", endless(engine)):
        server = Server([Match(Gomoku, 0, 1)])
        script = Script(failing, server, "--limit", "1")
        server.mark = None  # The engine is gone before its match is over.
        assert server.idle.wait(20)
        script.process.send_signal(signal.SIGINT)
        assert "no answer" in script.wait(10)


def test_runmatch(engine):
    server = Server([Match(Reversi, 1, 1)])
    arguments = ["--runmatch", "Reversi", "5a0c", "me", "--count", "1"]
    Script(quick(engine), server, *arguments).wait(60)
    headers = {name.lower(): value for name, value in server.runmatch.items()}
    assert headers["x-game"] == "Reversi"
    assert (headers["x-player-0"], headers["x-player-1"]) == ("5a0c", "me")

    server = Server([])
    server.runmatch_status = 403
    text = Script(quick(engine), server, "--runmatch", "Gomoku", "5a0c").wait(20, status=1)
    assert "403" in text, text


def quick(engine):
    return f"{engine} --playouts 30"


def endless(engine):
    return f"{engine} --time 600000"


def main():
    engine = sys.argv[1]
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            begun = time.monotonic()
            test(engine)
            print(f"{name}: {time.monotonic() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main()
