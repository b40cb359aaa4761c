#!/usr/bin/env python3
"""Plays on the page of `tengen board` in a browser: board_page.py PROGRAM [PICTURES]

Needs Chromium at /usr/bin/chromium, playwright and axe-playwright-python (pip install; playwright's
own browsers are not needed). Fails when a click, a tap or a key does something else than it should,
when axe finds that the page is not accessible, when the page writes to the console, asks anything of
another machine, or is wider than its window. With PICTURES, a folder, every state is drawn there.
"""

import json
import os
import re
import struct
import subprocess
import sys
import time
from urllib.parse import urlparse
from xml.etree import ElementTree

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

PROGRAM = os.path.abspath(sys.argv[1])
PICTURES = sys.argv[2] if len(sys.argv) > 2 else None
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]
DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

# Lines that win against an opponent who does not see them: cells, by column and row from the top left.
WINS = {
    "gomoku": "#gomoku/h8a1i8a15j8o1",
    "reversi": "#reversi/f5d6c3d3c4f4f6f3e6e7d7c6c5",
    "connect4": "#connect4/414141",
}


# A game of Reversi with nine empty squares left.
REVERSI_ENDGAME = ("#reversi/c4c5f6c3b2f4b5d6e7a1c2a5a6c1a4f8d3g5b3b4b1a3g4e3d2a7a2d1c6c7f5b6e2f3b7h4f7g7h5g6c8d7f2e1b8h6h8"
                   "e6g3h3f1")
EXACT = re.compile("[+−]?[0-9]+")


class Server:
    """The program, and where its page is."""

    def __enter__(self):
        self.process = subprocess.Popen([PROGRAM, "board", "--port", "0", "--memory", "16"],
                                        stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Visitor:
    """A person with the page open."""

    prepare = staticmethod(lambda page: None)

    def __init__(self, browser, url, address="", dark=False, **window):
        scheme = "dark" if dark else "light"
        self.context = browser.new_context(color_scheme=scheme, locale="en-GB", reduced_motion="reduce", **window)
        self.page = self.context.new_page()
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        Visitor.prepare(self.page)
        self.host = urlparse(url).netloc
        self.page.goto(url + address)
        expect(self.page.locator("#board svg")).to_be_visible()

    def close(self):
        others = [url for url in self.asked if url.startswith("http") and urlparse(url).netloc != self.host]
        assert not self.said, f"the page wrote: {self.said}"
        assert not others, f"the page asked for {others}"
        self.context.close()

    def choose(self, first, second):
        """Who plays each side."""
        self.page.locator("[data-player='0']").select_option(first)
        self.page.locator("[data-player='1']").select_option(second)

    def cell(self, cell):
        return self.page.locator(f".cell[data-cell='{cell}']")

    def state(self):
        return self.page.locator("#status").inner_text()

    def expect_status(self, text):
        expect(self.page.locator("#status")).to_contain_text(text, timeout=30000)

    def address(self):
        return self.page.evaluate("location.hash")

    def wait_for_address(self, test):
        self.wait_for(f"(() => {{ const hash = location.hash; return {test}; }})()")

    def wait_for(self, test, seconds=60):
        """Until an expression is true. Asked from here, for the page allows no evaluation of texts."""
        until = time.monotonic() + seconds
        while not self.page.evaluate(test):
            assert time.monotonic() < until, f"not in time: {test}, at {self.address()}, {self.state()}"
            self.page.wait_for_timeout(20)

    def click(self, name):
        self.page.locator(f"#{name}").click()

    def picture(self, name):
        overflow = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, f"{name}: wider than the window by {overflow}"
        if PICTURES:
            os.makedirs(PICTURES, exist_ok=True)
            self.page.screenshot(path=os.path.join(PICTURES, f"{name}.png"))

    def check_accessible(self, name):
        results = Axe().run(self.page)
        assert results.violations_count == 0, f"{name}: {results.generate_report()}"


def won_by_clicks(browser, url, window, name):
    """Each game is won by clicks, or taps, from a position with few moves to go."""
    ends = {"gomoku": [(10, 7), (11, 7), (6, 7)], "connect4": [(3, 0)]}
    sizes = {"gomoku": 15, "connect4": 7}
    touch = window.get("has_touch", False)
    for game, cells in ends.items():
        visitor = Visitor(browser, url, WINS[game], **window)
        visitor.choose("you", "1")
        for col, row in cells:
            if "won" in visitor.state():
                break
            cell, before = visitor.cell(row * sizes[game] + col), visitor.address()
            if touch:
                cell.tap()
                visitor.page.locator("#confirm").tap()
            else:
                cell.click()
            visitor.wait_for(f"location.hash !== '{before}' && /won|(Black|Red) to move/.test(document.querySelector('#status').textContent)")
        visitor.expect_status("won")
        visitor.picture(f"{name}-{game}-won")
        visitor.check_accessible(f"{name}, {game} won")
        visitor.close()


def reversi_against_level_1(browser, url):
    """The engine's first choice, played by clicks on the square that is ringed, beats level 1."""
    visitor = Visitor(browser, url, "#reversi/", **DESKTOP)
    page = visitor.page
    visitor.choose("you", "1")
    visitor.click("hints")
    for _ in range(60):
        if "won" in visitor.state() or "Drawn" in visitor.state():
            break
        ready = "document.querySelector('#status').textContent.match(/Black to move|won|Drawn/)"
        visitor.wait_for(f"{ready} && (document.querySelector('.best') || !document.querySelector('#pass').hidden || /won|Drawn/.test(document.querySelector('#status').textContent))")
        if page.locator("#pass").is_visible():
            page.locator("#pass").click()
            continue
        if "won" in visitor.state() or "Drawn" in visitor.state():
            break
        ply = len(visitor.address())
        x, y = page.evaluate("[...document.querySelectorAll('.best')].map(it => [+it.getAttribute('cx'), +it.getAttribute('cy')])[0]")
        visitor.cell(int(y) * 8 + int(x)).click()
        visitor.wait_for_address(f"hash.length > {ply}")
    visitor.expect_status("Black won")
    visitor.picture("desktop-reversi-won")
    visitor.close()


def undo_and_redo(browser, url):
    visitor = Visitor(browser, url, "#connect4/44", **DESKTOP)
    visitor.choose("you", "you")
    visitor.cell(0).click()
    visitor.wait_for_address("hash === '#connect4/441'")
    visitor.click("undo")
    visitor.wait_for_address("hash === '#connect4/44'")
    visitor.click("redo")
    visitor.wait_for_address("hash === '#connect4/441'")
    visitor.choose("you", "2")
    visitor.wait_for_address("hash.length === 14")
    visitor.click("undo")
    visitor.wait_for_address("hash === '#connect4/44'")
    visitor.close()


def exact_scores_and_hints(browser, url):
    for dark in (False, True):
        visitor = Visitor(browser, url, "#connect4/4435", dark=dark, **DESKTOP)
        visitor.choose("you", "you")
        visitor.click("hints")
        expect(visitor.page.locator(".exact")).to_have_count(7, timeout=60000)
        expect(visitor.page.locator(".shade").first).to_be_visible(timeout=60000)
        visitor.picture(f"desktop-connect4-hints-{'dark' if dark else 'light'}")
        visitor.check_accessible("hints")
        visitor.close()


def exact_endgames_of_reversi(browser, url):
    """Nine squares are empty: every move has its margin in discs, and the best has a ring."""
    for dark in (False, True):
        visitor = Visitor(browser, url, REVERSI_ENDGAME, dark=dark, **DESKTOP)
        visitor.choose("you", "you")
        visitor.click("hints")
        visitor.wait_for("document.querySelectorAll('#thoughts td').length > 0 && document.querySelector('.best') !== null")
        shown = visitor.page.evaluate("""() => [...document.querySelectorAll("#thoughts tbody tr")].map((row) => row.cells[1].textContent)""")
        assert shown and all(EXACT.fullmatch(score) for score in shown), shown
        assert [int(score.replace("−", "-")) for score in shown] == sorted((int(score.replace("−", "-")) for score in shown), reverse=True), shown
        visitor.check_accessible("an endgame of Reversi")
        visitor.picture(f"desktop-reversi-exact-{'dark' if dark else 'light'}")
        visitor.close()


def review_finds_the_blunder(browser, url):
    """The sixth move lets the first player win at once."""
    visitor = Visitor(browser, url, "#connect4/1212127", **DESKTOP)
    visitor.choose("you", "you")
    visitor.click("review")
    expect(visitor.page.locator("#reviewed li")).not_to_have_count(0, timeout=120000)
    text = visitor.page.locator("#reviewed").inner_text()
    assert "7. Red 7: blunder" in text, text
    visitor.page.keyboard.press("Home")
    visitor.wait_for_address("hash === '#connect4/'")
    visitor.page.keyboard.press("m")
    visitor.wait_for("location.hash !== '#connect4/'")
    visitor.picture("desktop-connect4-review")
    visitor.check_accessible("review")
    visitor.close()


def a_new_game_ends_a_review(browser, url):
    visitor = Visitor(browser, url, "#gomoku/" + "".join(f"{col}{row}" for row in (1, 4, 7, 10) for col in "acegikmo"), **DESKTOP)
    visitor.choose("you", "you")
    visitor.click("review")
    expect(visitor.page.locator("#note")).to_contain_text("Reviewing", timeout=30000)
    visitor.cell(7 * 15 + 7).click()
    expect(visitor.page.locator("#share")).to_be_disabled()
    note = "document.querySelector('#note').textContent"
    seen = visitor.page.evaluate(note)
    visitor.wait_for(f"{note} !== '{seen}'")
    expect(visitor.page.locator("#note")).to_contain_text("Reviewing")

    def begin(size):
        visitor.click("new")
        visitor.page.locator("[name=size]").fill(size)
        visitor.page.locator("#new-form button[value=start]").click()

    before, seen = visitor.address(), visitor.page.evaluate(note)
    begin("99x99")
    visitor.wait_for(f"{note}.startsWith('Reviewing') && {note} !== '{seen}'")
    expect(visitor.page.locator("#move-now")).to_be_visible()
    assert visitor.address() == before, visitor.address()
    begin("15x15")
    visitor.wait_for_address("hash === '#gomoku/'")
    expect(visitor.page.locator("#move-now")).to_be_hidden()
    visitor.cell(7 * 15 + 7).click()
    visitor.wait_for_address("hash === '#gomoku/h8'")
    visitor.close()


def address_restores_the_position(browser, url):
    for address, cells in [("#connect4,9x9,hole=2.3/445", {}), ("#reversi/f5d6", {}), ("#gomoku,9x9,renju/e5d5", {})]:
        visitor = Visitor(browser, url, address, **DESKTOP)
        visitor.wait_for_address(f"hash === '{address}'")
        assert visitor.page.locator("#stones [class=last]").count() == 1
        visitor.page.evaluate("location.hash = '#reversi/f5'")
        visitor.wait_for("document.querySelector('#game-name').textContent.startsWith('Reversi')")
        visitor.close()


def an_address_that_is_none_leaves_a_board(browser, url):
    """What the engine refuses, and what is not even asked of it."""
    for address in ("#gomoku/h8h8", "#gomoku,9x99/", "#gomoku/%zz", "#connect4,hole/"):
        visitor = Visitor(browser, url, address, **DESKTOP)
        visitor.choose("you", "you")
        before = visitor.address()
        visitor.cell(0).click()
        visitor.wait_for_address(f"hash.length > {len(before)}")
        visitor.close()


def keyboard_only(browser, url):
    visitor = Visitor(browser, url, "#gomoku,9x9/", **DESKTOP)
    page = visitor.page
    visitor.choose("you", "you")
    page.locator(".cell[tabindex='0']").focus()
    page.keyboard.press("Enter")
    visitor.wait_for_address("hash === '#gomoku,9x9/e5'")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label.startswith("f6, empty"), label
    page.keyboard.press("Enter")
    visitor.wait_for_address("hash === '#gomoku,9x9/e5f6'")
    expect(page.locator("#status")).to_contain_text("White f6")
    page.keyboard.press("u")
    visitor.wait_for_address("hash === '#gomoku,9x9/e5'")
    page.keyboard.press("n")
    expect(page.locator("#new-dialog")).to_be_visible()
    visitor.check_accessible("new game")
    visitor.picture("desktop-new")
    page.keyboard.press("Escape")
    expect(page.locator("#new-dialog")).not_to_be_visible()
    visitor.close()


def files_are_loaded(browser, url):
    visitor = Visitor(browser, url, "#connect4/", **DESKTOP)
    visitor.click("share")
    visitor.page.locator("#paste").fill("(;FF[4]GM[4]SZ[15]RU[renju];B[hh];W[hg];B[ig])")
    visitor.click("load")
    visitor.wait_for_address("hash === '#gomoku,renju/h8h9i9'")
    record = {"game": "connect4", "cols": 9, "rows": 9, "rule": "freestyle", "connect": 4, "hole": [2, 3],
              "steal": False, "opening": ["4", "4"], "moves": [{"move": "5", "ms": 1}]}
    visitor.page.locator("#paste").fill(json.dumps(record) + "\n{}")
    visitor.click("load")
    visitor.wait_for_address("hash === '#connect4,9x9,hole=2.3/445'")
    board = "." * 41 + "X"
    visitor.page.evaluate(f"location.hash = '#connect4,start={board},to=1/4'")
    visitor.wait_for_address(f"hash === '#connect4,start={board},to=1/4'")
    visitor.page.locator("#paste").fill("4 5")
    visitor.click("load")
    visitor.wait_for_address(f"hash === '#connect4,start={board},to=1/45'")
    visitor.page.locator("#paste").fill("nonsense")
    visitor.click("load")
    expect(visitor.page.locator("#share-error")).not_to_be_empty()
    visitor.check_accessible("share")
    visitor.picture("desktop-share")
    visitor.close()


def discs_of_the_film(browser, text):
    """The discs that are seen in the middle of each beat, when the file is a picture by itself."""
    page = browser.new_page()
    page.set_content(text)
    seen = page.evaluate("""() => {
      const svg = document.querySelector("svg");
      svg.pauseAnimations();
      return [0.4, 1.2, 2.0, 2.8].map((seconds) => {
        svg.setCurrentTime(seconds);
        return [...svg.querySelectorAll("#stones circle")].filter((it) => getComputedStyle(it).visibility === "visible").length;
      });
    }""")
    page.close()
    return seen


def the_game_is_filmed(browser, url):
    """Each disc of Reversi is there from the ply that shows it to the ply that turns it."""
    visitor = Visitor(browser, url, "#reversi/f5d6c3", **DESKTOP)
    visitor.click("share")
    with visitor.page.expect_download() as saved:
        visitor.page.get_by_role("button", name="Save a moving picture").click()
    text = open(saved.value.path(), encoding="utf-8").read()
    ElementTree.fromstring(text)
    # Four discs of the start and three moves; two are turned over, one of them twice.
    assert text.count("<set") == 4 + 3 + 3, text.count("<set")
    assert len(text) < 100_000, len(text)
    seen = discs_of_the_film(browser, text)
    assert seen == [4, 5, 6, 7], seen
    visitor.wait_for_address("hash === '#reversi/f5d6c3'")
    visitor.close()


def the_board_is_pictured(browser, url):
    """The picture is the board as it stands: of its size, and not of one colour."""
    for game in ("connect4/4435", "gomoku/h8i9h9", "reversi/f5d6c3"):
        visitor = Visitor(browser, url, f"#{game}", dark=True, **DESKTOP)
        visitor.click("share")
        with visitor.page.expect_download() as saved:
            visitor.page.get_by_role("button", name="Save a picture").click()
        content = open(saved.value.path(), "rb").read()
        width, height = struct.unpack(">II", content[16:24])
        assert content.startswith(b"\x89PNG") and min(width, height) > 600, (width, height)
        colours = visitor.page.evaluate("""async (bytes) => {
          const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
          const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
          context.drawImage(bitmap, 0, 0);
          const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
          return new Set(new Uint32Array(data.buffer)).size;
        }""", list(content))
        assert colours > 10, f"{colours} colours"
        if PICTURES:
            saved.value.save_as(os.path.join(PICTURES, f"saved-{game.split('/')[0]}.png"))
        visitor.close()


def stones_move_unless_motion_is_reduced(browser, url):
    """A stone falls, a disc turns over, and for those who want no motion both are there at once."""
    for address, cell, name in (("#connect4/44", 0, "drop"), ("#reversi/f5d6", 2 * 8 + 2, "turn")):
        for reduced, expected in (("no-preference", name), ("reduce", "none")):
            visitor = Visitor(browser, url, address, **DESKTOP)
            visitor.page.emulate_media(reduced_motion=reduced)
            visitor.choose("you", "you")
            before = visitor.address()
            visitor.cell(cell).click()
            visitor.wait_for_address(f"hash !== '{before}'")
            moving = visitor.page.evaluate(f"getComputedStyle(document.querySelector('#stones .{name}')).animationName")
            assert moving == expected, f"{address}, {reduced}: {moving}"
            visitor.close()


def a_position_is_set_up(browser, url):
    """Stones fall in Connect Four, a board that no game has is refused, and a game that is over has no move."""
    visitor = Visitor(browser, url, "#connect4/44", **DESKTOP)
    page = visitor.page
    visitor.choose("you", "you")

    def begin(game):
        visitor.click("new")
        page.locator("[name=game]").select_option(game)
        page.locator("#new-form button[value=set-up]").click()
        expect(page.locator("#note button")).to_have_count(2)

    begin("connect4")
    visitor.cell(10).click()
    visitor.cell(3).click()
    visitor.cell(4 * 7 + 3).click()
    visitor.check_accessible("set-up")
    visitor.picture("desktop-set-up")
    page.locator("#note button").first.click()
    visitor.wait_for_address("hash === '#connect4,start=' + '.'.repeat(31) + 'O......X...,to=0/'")
    visitor.click("new")
    page.locator("[name=hole]").fill("9,9")
    page.locator("#new-form button[value=set-up]").click()
    expect(page.locator("#note")).to_contain_text("off the board")
    visitor.expect_status("Red to move")
    begin("gomoku")
    for cell in range(5):
        visitor.cell(cell).click()
    page.locator("#note button").last.click()
    visitor.expect_status("Black won")
    visitor.close()


def chinese_is_chinese(browser, url):
    visitor = Visitor(browser, url, "#gomoku/h8", dark=True, **PHONE)
    visitor.page.locator("#language").tap()
    expect(visitor.page.locator("#game-name")).to_contain_text("五子棋")
    assert visitor.page.evaluate("document.documentElement.lang") == "zh-CN"
    visitor.picture("phone-gomoku-dark-zh")
    visitor.check_accessible("Chinese")
    visitor.close()


def bots_play_each_other(browser, url):
    visitor = Visitor(browser, url, "#connect4,4x4/", **DESKTOP)
    visitor.choose("2", "2")
    visitor.wait_for("/won|Drawn/.test(document.querySelector('#status').textContent)")
    visitor.close()


def bots_pause(browser, url):
    visitor = Visitor(browser, url, "#gomoku/", **DESKTOP)
    visitor.page.locator("#time").fill("0.5")
    visitor.choose("tengen", "tengen")
    visitor.wait_for_address("hash.length > '#gomoku/h8'.length")
    visitor.click("pause")
    expect(visitor.page.locator("#pause")).to_be_hidden()
    before = visitor.address()
    visitor.page.wait_for_timeout(1500)
    assert visitor.address() == before, "it went on"
    visitor.click("engine-move")
    visitor.wait_for_address(f"hash.length > {len(before)}")
    visitor.close()


def clocks_run_out(browser, url):
    """The clocks are those of the page: its time is put forward, not waited for."""
    visitor = Visitor(browser, url, "#connect4/", **DESKTOP)
    visitor.choose("you", "tengen")
    visitor.page.locator("#clock").select_option("60+0")
    visitor.cell(0).click()
    visitor.wait_for_address("hash.length === '#connect4/11'.length")
    visitor.wait_for("/^0:5/.test(document.querySelector('[data-clock=\"0\"]').textContent)")
    visitor.check_accessible("clocks")
    visitor.page.evaluate("""() => {
      const now = performance.now.bind(performance);
      performance.now = () => now() + 60000;
    }""")
    visitor.expect_status("Red lost on time")
    before = visitor.address()
    visitor.cell(1).click()
    visitor.page.keyboard.press(" ")
    visitor.page.wait_for_timeout(1500)
    assert visitor.address() == before, visitor.address()
    visitor.expect_status("Red lost on time")
    visitor.click("undo")
    visitor.expect_status("Red to move")
    visitor.close()


def clocks_go_on(browser, url):
    """Whatever else is asked of the engine while a person thinks."""
    visitor = Visitor(browser, url, "#connect4/", **DESKTOP)
    page = visitor.page
    visitor.choose("you", "tengen")
    page.locator("#clock").select_option("60+0")
    visitor.cell(0).click()
    visitor.wait_for_address("hash.length === '#connect4/11'.length")

    def runs(side):
        clock = f"document.querySelector('[data-clock=\"{side}\"]').textContent"
        seen = page.evaluate(clock)
        assert seen < "1:00", seen
        visitor.wait_for(f"{clock} < '{seen}'", 5)

    visitor.wait_for("/^0:5/.test(document.querySelector('[data-clock=\"0\"]').textContent)")
    page.locator("#ponder").check()
    visitor.wait_for_address("hash.length === '#connect4/11'.length")
    runs(0)
    visitor.click("new")
    page.locator("[name=size]").fill("99x99")
    page.locator("#new-form button[value=start]").click()
    expect(page.locator("#note")).to_contain_text("4 to 12 columns")
    runs(0)
    visitor.click("new")
    page.locator("#new-form button[value=start]").click()
    visitor.wait_for("['0', '1'].every((side) => document.querySelector(`[data-clock='${side}']`).textContent === '1:00')")
    visitor.close()


def another_player_takes_over(browser, url):
    """While the engine thinks, a person takes its side: the move is theirs. Then the engine moves once for them."""
    visitor = Visitor(browser, url, "#gomoku/h8", **DESKTOP)
    page = visitor.page
    page.locator("#time").fill("60")
    page.locator("[data-player='1']").select_option("tengen")
    visitor.expect_status("thinking")
    page.locator("[data-player='1']").select_option("you")
    visitor.expect_status("White to move")
    page.wait_for_timeout(500)
    assert visitor.address() == "#gomoku/h8", visitor.address()
    page.locator("#time").fill("4")
    before = time.monotonic()
    visitor.click("engine-move")
    visitor.wait_for_address("hash.length > '#gomoku/h8'.length")
    taken = time.monotonic() - before
    assert 2 < taken < 10, f"{taken} s, where 4 were chosen"
    visitor.close()


def the_dialogue_has_the_terms_of_the_game(browser, url):
    """What is none for another game is in nobody's way."""
    visitor = Visitor(browser, url, "#gomoku,9x9,renju/e5", **DESKTOP)
    page = visitor.page
    visitor.choose("you", "you")
    start = page.locator("#new-form button[value=start]")
    visitor.click("new")
    start.click()
    visitor.wait_for_address("hash === '#gomoku,9x9,renju/'")
    page.evaluate("location.hash = '#connect4,9x9,hole=2.3/445'")
    visitor.wait_for_address("hash === '#connect4,9x9,hole=2.3/445'")
    visitor.click("new")
    start.click()
    visitor.wait_for_address("hash === '#connect4,9x9,hole=2.3/'")
    visitor.click("new")
    page.locator("[name=hole]").fill("3-3")
    page.locator("[name=game]").select_option("gomoku")
    start.click()
    visitor.wait_for_address("hash.startsWith('#gomoku')")
    visitor.close()


def reviews_are_of_one_game(browser, url):
    """The same moves by another rule are another game."""
    visitor = Visitor(browser, url, "#gomoku,5x5/a1b1c1d2", **DESKTOP)
    visitor.choose("you", "you")
    visitor.click("review")
    summary = visitor.page.locator("#reviewed > *").first
    expect(summary).to_be_visible(timeout=60000)
    visitor.page.evaluate("location.hash = '#gomoku,5x5,exact/a1b1c1d2'")
    visitor.wait_for_address("hash === '#gomoku,5x5,exact/a1b1c1d2'")
    expect(summary).to_have_count(0)
    visitor.page.evaluate("location.hash = '#gomoku,5x5/a1b1c1d2'")
    expect(summary).to_be_visible()
    visitor.close()


def candidates_are_of_the_position(browser, url):
    """Also where the keys were among them when it changed."""
    visitor = Visitor(browser, url, "#reversi/f5d6c3d3", **DESKTOP)
    page = visitor.page
    visitor.choose("you", "you")
    visitor.click("hints")
    button = page.locator("#thoughts button").first
    expect(button).to_be_visible(timeout=30000)
    button.focus()
    expect(page.locator("#thoughts")).to_contain_text("of Black")
    page.keyboard.press("ArrowLeft")
    visitor.wait_for_address("hash === '#reversi/f5d6c3'")
    expect(page.locator("#thoughts")).to_contain_text("of White", timeout=30000)
    button.focus()
    page.keyboard.press("h")
    expect(page.locator("#thoughts > *")).to_have_count(0)
    visitor.close()


def a_refused_page_tries_again(browser, url):
    """As where too many are open."""
    context = browser.new_context(**DESKTOP)
    page = context.new_page()
    refusals = []

    def refuse(route):
        refusals.append(route.request.url)
        route.fulfill(status=503)

    page.route("**/events", refuse, times=2)
    page.goto(url)
    expect(page.locator("#board svg")).to_be_visible(timeout=20000)
    assert len(refusals) == 2, refusals
    context.close()


def a_game_that_is_looked_through_takes_no_time(browser, url):
    visitor = Visitor(browser, url, "#connect4/4433", **DESKTOP)
    visitor.choose("you", "you")
    visitor.page.locator("#clock").select_option("600+5")
    for key, address in (("ArrowLeft", "443"), ("ArrowLeft", "44"), ("ArrowRight", "443")):
        visitor.page.keyboard.press(key)
        visitor.wait_for_address(f"hash === '#connect4/{address}'")
    visitor.page.wait_for_timeout(300)
    clocks = [visitor.page.locator(f"[data-clock='{side}']").inner_text() for side in (0, 1)]
    assert clocks == ["10:00", "10:00"], clocks
    visitor.close()


def threats_and_proofs_are_drawn(browser, url):
    visitor = Visitor(browser, url, "#gomoku/h8a1i8a15j8o1", **DESKTOP)
    visitor.choose("you", "you")
    visitor.click("hints")
    expect(visitor.page.locator(".threat-4")).to_have_count(2)
    label = visitor.cell(7 * 15 + 10).get_attribute("aria-label")
    assert "Black makes an open four here" in label, label
    expect(visitor.page.locator("#thoughts")).to_contain_text("Black wins in 3", timeout=30000)
    visitor.page.evaluate("location.hash = '#gomoku/h8a1i8a15h9o1'")
    expect(visitor.page.locator("#marks .number:not(.small)").nth(3)).to_be_visible(timeout=30000)
    expect(visitor.page.locator("#thoughts")).to_contain_text("Black wins in")
    visitor.check_accessible("threats")
    visitor.picture("desktop-gomoku-threats")
    visitor.close()


def lines_are_shown_on_hover(browser, url):
    visitor = Visitor(browser, url, "#reversi/f5d6", **DESKTOP)
    visitor.choose("you", "you")
    visitor.click("hints")
    expect(visitor.page.locator(".shade").first).to_be_visible(timeout=30000)
    x, y = visitor.page.evaluate("[...document.querySelectorAll('.best')].map(it => [+it.getAttribute('cx'), +it.getAttribute('cy')])[0]")
    visitor.cell(int(y) * 8 + int(x)).hover()
    expect(visitor.page.locator("#ghost .tag-text")).to_contain_text("%")
    visitor.picture("desktop-reversi-line")
    visitor.click("hints")
    expect(visitor.page.locator(".shade")).to_have_count(0)
    visitor.click("hints")
    expect(visitor.page.locator(".shade").first).to_be_visible(timeout=30000)
    visitor.close()


def swap2_is_a_dialogue(browser, url):
    """The engine puts three stones, and the person takes white."""
    visitor = Visitor(browser, url, "#gomoku/", **DESKTOP)
    page = visitor.page
    visitor.choose("4", "you")
    visitor.click("new")
    page.locator("[name=swap2]").check()
    page.locator("#new-form button[value=start]").click()
    expect(page.locator("#note button")).to_have_count(3, timeout=30000)
    visitor.check_accessible("Swap2")
    visitor.picture("desktop-swap2")
    page.locator("#note button").nth(2).click()
    for cell in (0, 14):
        visitor.cell(cell).click()
    expect(page.locator("#note")).to_contain_text("is played by", timeout=30000)
    assert "you" in [page.locator(f"[data-player='{side}']").input_value() for side in (0, 1)]
    visitor.close()


def swap2_begins_while_the_engine_thinks(browser, url):
    """The move of the game before comes when the new game was asked for, and is none of its opening."""
    visitor = Visitor(browser, url, "#gomoku/h8i9h9", **DESKTOP)
    visitor.choose("you", "you")
    visitor.page.evaluate("""() => {
      const choose = (side, player) => {
        const select = document.querySelector(`[data-player="${side}"]`);
        select.value = player;
        select.dispatchEvent(new Event("change"));
      };
      choose(1, "4");
      choose(0, "4");
      choose(1, "you");
      document.querySelector("#new").click();
      document.querySelector("[name=swap2]").checked = true;
      document.querySelector("#new-form [value=start]").click();
    }""")
    expect(visitor.page.locator("#note button")).to_have_count(3, timeout=30000)
    visitor.wait_for_address("!hash.startsWith('#gomoku/h8i9h9') && hash.match(/[0-9]+/g)?.length === 3")
    visitor.close()


def the_engine_ponders(browser, url):
    """Turned on while a person thinks, it disturbs nothing."""
    visitor = Visitor(browser, url, "#reversi/f5d6", **DESKTOP)
    visitor.choose("you", "tengen")
    visitor.page.locator("#time").fill("0.3")
    visitor.page.evaluate("""() => {
      window.lines = [];
      const [ask, post] = [window.fetch, Worker.prototype.postMessage];
      window.fetch = (url, options) => {
        window.lines.push(options.body);
        return ask(url, options);
      };
      Worker.prototype.postMessage = function (line) {
        window.lines.push(line);
        return post.call(this, line);
      };
    }""")
    visitor.page.locator("#ponder").check()
    visitor.wait_for("""window.lines.includes('{"do":"ponder","on":true}')""")
    visitor.cell(2 * 8 + 2).click()
    visitor.wait_for_address("hash.length === '#reversi/f5d6c3d3'.length")
    visitor.expect_status("Black to move")
    visitor.click("undo")
    visitor.wait_for_address("hash === '#reversi/f5d6'")
    visitor.close()


def clicks_are_answered_while_it_thinks(browser, url):
    visitor = Visitor(browser, url, "#gomoku/h8", **DESKTOP)
    visitor.page.locator("#time").fill("60")
    visitor.page.locator("[data-player='1']").select_option("tengen")
    visitor.expect_status("thinking")
    taken = visitor.page.evaluate("""async () => {
      const before = performance.now();
      document.querySelector('#undo').click();
      while (location.hash !== '#gomoku/') await new Promise((done) => requestAnimationFrame(done));
      return performance.now() - before;
    }""")
    print(f"a click was answered in {taken:.0f} ms while the engine thought")
    assert taken < 10_000, "it waited for the engine"
    visitor.close()


def sizes(browser, url):
    visitor = Visitor(browser, url, **DESKTOP)
    taken, total, files = visitor.page.evaluate("""() => {
      const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
      const view = performance.getEntriesByName('first-contentful-paint')[0].startTime;
      return [view, entries.reduce((sum, entry) => sum + entry.transferSize, 0), entries.length];
    }""")
    print(f"first view after {taken:.0f} ms, {total / 1000:.1f} kB in {files} files")
    visitor.close()


def play_on(browser, url):
    """Everything, on the page at this address."""
    sizes(browser, url)
    address_restores_the_position(browser, url)
    an_address_that_is_none_leaves_a_board(browser, url)
    undo_and_redo(browser, url)
    keyboard_only(browser, url)
    won_by_clicks(browser, url, DESKTOP, "desktop")
    won_by_clicks(browser, url, PHONE, "phone")
    exact_scores_and_hints(browser, url)
    exact_endgames_of_reversi(browser, url)
    review_finds_the_blunder(browser, url)
    a_new_game_ends_a_review(browser, url)
    files_are_loaded(browser, url)
    the_game_is_filmed(browser, url)
    the_board_is_pictured(browser, url)
    stones_move_unless_motion_is_reduced(browser, url)
    a_position_is_set_up(browser, url)
    chinese_is_chinese(browser, url)
    bots_play_each_other(browser, url)
    bots_pause(browser, url)
    clocks_run_out(browser, url)
    clocks_go_on(browser, url)
    another_player_takes_over(browser, url)
    the_dialogue_has_the_terms_of_the_game(browser, url)
    reviews_are_of_one_game(browser, url)
    candidates_are_of_the_position(browser, url)
    a_game_that_is_looked_through_takes_no_time(browser, url)
    threats_and_proofs_are_drawn(browser, url)
    lines_are_shown_on_hover(browser, url)
    swap2_is_a_dialogue(browser, url)
    swap2_begins_while_the_engine_thinks(browser, url)
    the_engine_ponders(browser, url)
    clicks_are_answered_while_it_thinks(browser, url)
    reversi_against_level_1(browser, url)


def run():
    with Server() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        play_on(browser, server.url)
        a_refused_page_tries_again(browser, server.url)
        browser.close()
    print("all well")


if __name__ == "__main__":
    run()
