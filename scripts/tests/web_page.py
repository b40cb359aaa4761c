#!/usr/bin/env python3
"""Plays on the page that packaging/web_page makes, in a browser: web_page.py PROGRAM [PICTURES]

The page is served by Python's plain web server, and the tests are those of board_page.py; then without
a network, from the one file on the disk, and against PROGRAM, whose tree for a limit of playouts must
be the same. Prints how fast the page thinks beside PROGRAM. Needs what board_page.py needs, and a
compiler for WebAssembly (see packaging/web_page).
"""

import functools
import http.server
import json
import subprocess
import tempfile
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

import board_page
from board import playing, shown
from board.visitor import CHROMIUM, DESKTOP, FLAGS, PROGRAM, Visitor

ROOT = Path(__file__).resolve().parent.parent.parent

# Positions, and playouts that take a second or two in the browser.
SEARCHES = [
    ({"game": "gomoku", "moves": "h8i9"}, 5000),
    ({"game": "reversi", "moves": "f5d6"}, 50_000),
    ({"game": "connect4", "size": "8x7"}, 20_000),
]


class Files:
    """A plain web server for a folder."""

    def __init__(self, folder):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        handler = functools.partial(Handler, directory=folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/"

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def native(lines):
    """What the program answers to each analysis."""
    process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    found = []
    for line in lines:
        print(json.dumps(line), file=process.stdin, flush=True)
        while True:
            answer = json.loads(process.stdout.readline())
            assert "error" not in answer, answer
            if line["do"] == "new" or "analysis" in answer:
                break
        if line["do"] == "analyze":
            found.append(answer["analysis"])
    process.kill()
    process.wait()
    return found


def in_the_browser(browser, url, lines):
    """What the engine of the page answers to each analysis."""
    visitor = Visitor(browser, url)
    found = visitor.page.evaluate("""async (lines) => {
      const { connect } = await import("./engine.js");
      const found = [];
      await new Promise((done) => {
        const send = connect({
          onOpen: () => lines.forEach((line) => send(line)),
          onLine: (line) => {
            if (line.analysis) found.push(line.analysis);
            if (found.length === lines.length / 2) done();
          },
          onLoading: () => {},
          onLost: () => {},
        });
      });
      return found;
    }""", lines)
    visitor.close()
    return found


def same_trees(browser, url):
    """Line by line, for the page obeys a line at once and would end the analysis before it."""
    for position, playouts in SEARCHES:
        lines = [{"do": "new", **position}, {"do": "analyze", "playouts": playouts}]
        (here,), (there,) = native(lines), in_the_browser(browser, url, lines)
        speeds = [found.pop("speed") for found in (there, here)]
        del here["ms"], there["ms"]
        assert here == there, f"{position}: {here}\nbut in the browser {there}"
        print(f"{position['game']}: {speeds[0]} playouts a second in the browser, {speeds[1]} in the program: "
              f"{speeds[0] / speeds[1]:.2f}")


def without_a_network(browser, files):
    """The page opens again when its server is gone, and plays."""
    visitor = Visitor(browser, files.url, "#connect4/44")
    visitor.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    files.stop()
    visitor.page.reload()
    visitor.expect_status("to move")
    visitor.choose("you", "2")
    visitor.cell(0).click()
    visitor.wait_for_address("hash.length > '#connect4/441'.length")
    visitor.close()


def the_engine_begins_again(browser, url):
    """A worker that fails is replaced, and the game goes on where it was."""
    visitor = Visitor(browser, url, "#reversi/f5d6")
    broken = visitor.page.evaluate("""async () => {
      const { connect } = await import("./engine.js");
      const begun = [];
      const Whole = Worker;
      self.Worker = class extends Whole {
        constructor(name) {
          super(name);
          begun.push(this);
        }
      };
      await new Promise((done) => {
        let opened = 0;
        connect({
          onOpen: () => (++opened === 2 ? done() : begun[0].onerror()),
          onLine: () => {}, onLoading: () => {}, onLost: () => {},
        });
      });
      return begun.length;
    }""")
    assert broken == 2, broken
    visitor.close()


def run():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        subprocess.run([ROOT / "packaging/web_page", folder], check=True)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        files = Files(folder)
        same_trees(browser, files.url)
        board_page.play_on(browser, files.url)
        the_engine_begins_again(browser, files.url)
        without_a_network(browser, files)
        disk = f"file://{folder}/tengen.html"
        shown.exact_scores_and_hints(browser, disk)
        playing.won_by_clicks(browser, disk, DESKTOP, "disk")
        browser.close()
    print("all well")


if __name__ == "__main__":
    run()
