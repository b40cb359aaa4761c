#!/usr/bin/env python3
"""Drives the page of a report in a browser: report_page.py PROGRAM

Needs Chromium at /usr/bin/chromium, and playwright (pip install playwright; its own browsers are
not needed). Plays matches, makes their page with the program and opens it as a file. Fails when a
key or a button does something else than it should, when a name from outside becomes markup, when
the page asks for anything, writes to the console, or is wider than a phone.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

PROGRAM = os.path.abspath(sys.argv[1])
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]

HOSTILE = "</script><img src=x onerror=alert(1)><b>one</b>"
LONG = "gomocup:./" + "a-very-long-name" * 8

GAMES = {
    "gomoku": ["--game", "gomoku", "--size", "20x20"],
    "reversi": ["--game", "reversi"],
    "connect4": ["--game", "connect4", "--size", "9x10", "--hole", "4,8"],
}


def play(folder, name, games, arguments):
    """The records of a match of the random bot, which are quick to make."""
    path = os.path.join(folder, name + ".jsonl")
    command = [PROGRAM, "match", "random", "greedy", "--games", str(games), "--json", path]
    subprocess.run(command + arguments, check=True, capture_output=True)
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def enrich(record):
    """Adds what engines may tell, and names that a page could fall for."""
    record["engines"] = [HOSTILE, LONG]
    record["detail"] = "<i>why</i>"
    for index, move in enumerate(record["moves"]):
        later = [other["move"] for other in record["moves"][index:]]
        looked_at = list(dict.fromkeys(text for text in later if text != "pass"))[:5]
        move["value"] = 0.4 + 0.001 * index
        move["playouts"] = 1000 + index
        move["top"] = [{"move": text, "visits": 100 - 10 * at, "value": 0.5}
                       for at, text in enumerate(looked_at)]
    return record


def three_engines(folder):
    """The page of a round robin, which has ratings."""
    path = os.path.join(folder, "three.jsonl")
    page = os.path.join(folder, "three.html")
    command = [PROGRAM, "match", "random", "greedy", "five-tuple", "--game", "gomoku", "--games", "2",
               "--json", path, "--html", page]
    subprocess.run(command, check=True, capture_output=True)
    return "file://" + page


def make_page(folder, name, matches):
    files = []
    for index, records in enumerate(matches):
        files.append(os.path.join(folder, f"{name}{index}.jsonl"))
        with open(files[-1], "w", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
    page = os.path.join(folder, name + ".html")
    subprocess.run([PROGRAM, "report", *files, "--html", page], check=True, capture_output=True)
    return "file://" + page


class Reader:
    """A person with the page open."""

    def __init__(self, browser, address, width=1280, dark=False):
        scheme = "dark" if dark else "light"
        self.page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", self.on_dialog)
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(address)

    def on_dialog(self, dialog):
        self.said.append(dialog.message)
        dialog.dismiss()

    def close(self):
        assert not self.said, f"the page wrote: {self.said}"
        assert len(self.asked) == 1, f"the page asked for {self.asked}"
        self.page.close()

    def at(self):
        """The game, from 1, and the ply that are shown, by the address."""
        game, ply = self.page.evaluate("location.hash").removeprefix("#").split("/")
        return int(game), int(ply)

    def press(self, key):
        self.page.keyboard.press(key)
        return self.at()

    def count(self, selector):
        return self.page.locator(selector).count()

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    def stones(self):
        return sum(self.count(f"#stones .{name}") for name in ("black", "white", "red", "yellow"))

    def overflow(self):
        return self.page.evaluate("document.documentElement.scrollWidth - innerWidth")


def game_of(record):
    return record["setup"].split()[0]


def ordered(matches):
    """The records in the order in which the page counts them. Its events are sorted by name."""
    by_game = sorted(matches, key=lambda records: game_of(records[0]))
    return [record for records in by_game
            for record in sorted(records, key=lambda record: record["number"])]


def keys_step(browser, address, records):
    reader = Reader(browser, address)
    for index, record in enumerate(records):
        opening, moves = len(record["opening"]), len(record["moves"])
        last = opening + moves
        assert reader.at() == (index + 1, opening), reader.at()
        assert reader.press("Home") == (index + 1, 0)
        assert reader.press("ArrowLeft") == (index + 1, 0)
        texts = record["opening"] + [move["move"] for move in record["moves"]]
        stones = 4 if game_of(record) == "reversi" else 0
        for ply, text in enumerate(texts, 1):
            assert reader.press("ArrowRight") == (index + 1, ply)
            stones += text != "pass"
            assert reader.stones() == stones, f"{reader.stones()} stones at ply {ply}"
            assert f" {text}, " in reader.text("#ply-text"), reader.text("#ply-text")
        assert reader.press("ArrowRight") == (index + 1, last)
        if game_of(record) == "gomoku":
            numbers = reader.page.locator("#stones .number").all_text_contents()
            assert sorted(map(int, numbers)) == list(range(1, last + 1))
        assert reader.press("Home") == (index + 1, 0)
        assert reader.press("End") == (index + 1, last)
        if index + 1 < len(records):
            reader.press("n")
    assert reader.press("n")[0] == len(records), "there is no game after the last"
    assert reader.press("p")[0] == len(records) - 1
    reader.close()
    print(f"keys: {len(records)} games stepped through")


def buttons_and_links_step(browser, address):
    reader = Reader(browser, address + "#2/3")
    assert reader.at() == (2, 3)
    for button, at in [("One move on", (2, 4)), ("One move back", (2, 3)), ("To the start", (2, 0))]:
        reader.page.get_by_role("button", name=button).click()
        assert reader.at() == at, f"{button}: {reader.at()}"
    reader.page.get_by_role("button", name="Next game").click()
    assert reader.at()[0] == 3
    reader.page.locator("#moves tr[data-ply='4']").click()
    assert reader.at() == (3, 4)
    reader.page.evaluate("location.hash = '#1/2'")
    reader.page.wait_for_function("document.getElementById('game-title').innerText.startsWith('Game 1:')")
    assert reader.at() == (1, 2)
    reader.page.locator("#charts svg").first.click()
    assert reader.at()[1] > 2, "a click in the middle of a chart goes to the middle of the game"
    reader.page.evaluate("location.hash = '#999/2'")
    reader.page.wait_for_timeout(300)
    assert reader.page.locator("#game-title").inner_text().startswith("Game 1:"), "another game was opened"
    reader.close()
    print("buttons and links")


def the_board_turns(browser, address, matches):
    """Where no stones fall."""
    for game, records in zip(GAMES, matches):
        number = 1 + ordered(matches).index(records[0])
        reader = Reader(browser, f"{address}#{number}/2")
        falls = records[0]["setup"].startswith("connect4")
        reader.press("f")
        assert reader.count("#board.flipped") == (0 if falls else 1), game
        assert reader.page.locator("#flip").is_visible() != falls, game
        reader.close()
    print("the board turns")


def opens_where_the_chances_turned(browser, folder):
    """Both engines see the fourth move of the game turn it."""
    records = play(folder, "turned", 2, ["--game", "connect4", "--size", "6x5"])[:1]
    for index, move in enumerate(records[0]["moves"]):
        move["value"] = 0.5 if index < 3 else 0.9 if index % 2 == 1 else 0.1
    reader = Reader(browser, make_page(folder, "turn", [records]))
    assert reader.at() == (1, len(records[0]["opening"]) + 4), reader.at()
    assert reader.count("#charts .drop") == 1
    reader.press("End")
    assert reader.count("#stones .won") >= 4 or records[0]["winner"] is None
    reader.press("Home")
    reader.page.get_by_role("button", name="Play by itself").click()
    reader.page.wait_for_timeout(2000)
    assert reader.at()[1] >= 2, "it does not step by itself"
    reader.close()
    print("opens at the decisive ply")


def stepping_by_itself_ends(browser, address):
    """When another ply or game is asked for, in any way."""
    reader = Reader(browser, address + "#1/0")
    page = reader.page
    playing = page.get_by_role("button", name="Pause")
    for what, ask in [
        ("a key", lambda: page.keyboard.press("ArrowRight")),
        ("a row", lambda: page.locator("#moves tr[data-ply='2']").click()),
        ("a chart", lambda: page.locator("#charts svg").first.click()),
        ("the slider", lambda: page.locator("#slider").fill("3")),
        ("a game of the list", lambda: page.locator("#list [data-game='1']").click()),
        ("an address", lambda: page.evaluate("location.hash = '#2/1'")),
    ]:
        page.keyboard.press("Home")
        page.get_by_role("button", name="Play by itself").click()
        assert playing.count() == 1
        ask()
        page.wait_for_timeout(50)
        assert playing.count() == 0, f"{what} does not end it"
    reader.close()
    print("stepping by itself ends")


def one_engine_has_a_title(browser, folder):
    """It met no other."""
    path, page = os.path.join(folder, "self.jsonl"), os.path.join(folder, "self.html")
    command = [PROGRAM, "match", "random", "random", "--game", "connect4", "--games", "2"]
    subprocess.run([*command, "--json", path, "--html", page], check=True, capture_output=True)
    reader = Reader(browser, "file://" + page)
    assert reader.text("h1") == "random #1 – random #2", reader.text("h1")
    reader.close()
    print("one engine by itself")


def the_browser_is_opened(folder):
    """`--open` hands the page to the system's own opener, and says so where there is none."""
    opener = os.path.join(folder, "xdg-open")
    with open(opener, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\necho "$1" >"{folder}/opened.part" && mv "{folder}/opened.part" "{folder}/opened"\n')
    os.chmod(opener, 0o755)
    play(folder, "open", 2, ["--game", "connect4", "--size", "4x4"])
    page = os.path.join(folder, "open.html")
    command = [PROGRAM, "report", os.path.join(folder, "open.jsonl"), "--html", page, "--open"]
    path = f"{folder}:/usr/bin:/bin"
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PATH": path})
    until = time.monotonic() + 10
    while not os.path.exists(os.path.join(folder, "opened")):
        assert time.monotonic() < until, "nothing was opened"
        time.sleep(0.02)
    with open(os.path.join(folder, "opened"), encoding="utf-8") as file:
        assert file.read().strip() == page
    failed = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": ""})
    assert failed.returncode != 0 and "no browser could be opened" in failed.stderr, failed.stderr
    print("the page is opened")


def facts_are_shown(browser, address):
    reader = Reader(browser, address)
    assert reader.count("#charts figure") == 3
    assert reader.count("#candidates tr") == 5
    assert reader.count("#stones .shade") == 5
    assert reader.count("#stones .played") == 1
    assert "1K" in reader.text("#moves") and "40.0 %" in reader.text("#moves")
    reader.close()
    print("what engines told")


def names_stay_text(browser, address):
    reader = Reader(browser, address)
    for selector in ("h1", "#standings", "#pairing", "#game-title", "#game-list", "#charts"):
        assert HOSTILE in reader.text(selector), f"the name is not in {selector}"
    assert "<i>why</i>" in reader.text("#game-result")
    assert HOSTILE in reader.page.title()
    assert reader.count("img") == 0 and reader.count("i") == 0
    assert reader.count("b:text-is('one')") == 0
    reader.close()
    print("names are text")


def no_sideways_scrolling(browser, address):
    for width in (360, 390, 768, 1100, 1440):
        for game in (1, 3, 5):
            reader = Reader(browser, f"{address}#{game}/9", width)
            assert reader.overflow() <= 0, f"{reader.overflow()} px too wide at {width}, game {game}"
            reader.close()
    print("fits from 360 px on")


def ratings_are_shown(browser, address):
    reader = Reader(browser, address, width=360)
    rows = reader.page.locator(".cross tbody tr").all_inner_texts()
    assert len(rows) == 3 and all("±" in row for row in rows), rows
    assert reader.count(".cross .bar-cell svg") == 3
    assert reader.count(".pairings button") == 3
    assert reader.overflow() <= 0
    reader.close()
    print("ratings of three engines")


def dark_is_dark(browser, address):
    def background(dark):
        reader = Reader(browser, address, dark=dark)
        colour = reader.page.evaluate("getComputedStyle(document.body).backgroundColor")
        reader.close()
        return sum(int(part) for part in colour.removeprefix("rgb(").rstrip(")").split(","))
    assert background(True) < 100 < 600 < background(False)
    print("dark mode")


def filters_choose(browser, address, records):
    reader = Reader(browser, address)
    won = [index for index, record in enumerate(records, 1) if record["winner"] == 1]
    reader.page.select_option("#filter-result", "won " + LONG)
    assert f"{len(won)} of {len(records)}" in reader.text("#list-count")
    assert reader.at()[0] == won[0]
    assert reader.count("#list [data-game]") == len(won)
    for index in won[1:]:
        assert reader.press("n")[0] == index
    reader.page.locator(".pairings button").nth(1).click()
    assert "2 of " in reader.text("#list-count")
    reader.close()
    print("filters")


def thousands_of_games(browser, folder):
    records = play(folder, "many-records", 5000, ["--game", "connect4", "--size", "5x4"])
    address = make_page(folder, "many", [records])
    began = time.monotonic()
    reader = Reader(browser, address)
    opened = time.monotonic() - began
    assert reader.count("#list [data-game]") == 100
    assert reader.press("p") == (1, reader.at()[1])
    reader.page.locator("#list .more").click()
    assert reader.count("#list [data-game]") == 200
    assert reader.page.locator("#list").evaluate("list => list.scrollWidth <= list.clientWidth")
    reader.page.evaluate("location.hash = '#4999/2'")
    reader.page.wait_for_function("document.getElementById('game-title').innerText.startsWith('Game 4999:')")
    assert reader.press("n")[0] == 5000
    reader.close()
    size = os.path.getsize(address.removeprefix("file://")) / 1e6
    print(f"5000 games: {size:.1f} MB, opened in {opened:.2f} s")


def run():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        matches = [[enrich(record) for record in play(folder, name, 2, arguments)]
                   for name, arguments in GAMES.items()]
        address = make_page(folder, "page", matches)
        records = ordered(matches)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        keys_step(browser, address, records)
        buttons_and_links_step(browser, address)
        the_board_turns(browser, address, matches)
        opens_where_the_chances_turned(browser, folder)
        stepping_by_itself_ends(browser, address)
        one_engine_has_a_title(browser, folder)
        the_browser_is_opened(folder)
        facts_are_shown(browser, address)
        names_stay_text(browser, address)
        no_sideways_scrolling(browser, address)
        dark_is_dark(browser, address)
        filters_choose(browser, address, records)
        ratings_are_shown(browser, three_engines(folder))
        thousands_of_games(browser, folder)
        browser.close()
    print("all well")


run()
