"""Games outside the page: in its address, in texts that are pasted, and in pictures that are saved."""

import json
import os
import struct
from xml.etree import ElementTree

from playwright.sync_api import expect

from board.visitor import PICTURES, Visitor


def address_restores_the_position(browser, url):
    for address in ("#connect4,9x9,hole=2.3/445", "#reversi/f5d6", "#gomoku,9x9,renju/e5d5"):
        visitor = Visitor(browser, url, address)
        visitor.wait_for_address(f"hash === '{address}'")
        assert visitor.page.locator("#stones [class=last]").count() == 1
        visitor.page.evaluate("location.hash = '#reversi/f5'")
        visitor.wait_for("document.querySelector('#game-name').textContent.startsWith('Reversi')")
        visitor.close()


def an_address_that_is_none_leaves_a_board(browser, url):
    """What the engine refuses, and what is not even asked of it."""
    for address in ("#gomoku/h8h8", "#gomoku,9x99/", "#gomoku/%zz", "#connect4,hole/"):
        visitor = Visitor(browser, url, address, players=("you", "you"))
        before = visitor.address()
        visitor.cell(0).click()
        visitor.wait_for_address(f"hash.length > {len(before)}")
        visitor.close()


def files_are_loaded(browser, url):
    visitor = Visitor(browser, url, "#connect4/")
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
    visitor.inspect("desktop-share")
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
    visitor = Visitor(browser, url, "#reversi/f5d6c3")
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
        visitor = Visitor(browser, url, f"#{game}", dark=True)
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
