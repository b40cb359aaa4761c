"""What the page tells of a position: scores, hints, lines, proofs, reviews, and all of it in Chinese."""

import re

from playwright.sync_api import expect

from board.visitor import PHONE, Visitor

# A game of Reversi with nine empty squares left.
REVERSI_ENDGAME = ("#reversi/c4c5f6c3b2f4b5d6e7a1c2a5a6c1a4f8d3g5b3b4b1a3g4e3d2a7a2d1c6c7f5b6e2f3b7h4f7g7h5g6c8d7f2e1b8h6h8"
                   "e6g3h3f1")
EXACT = re.compile("[+−]?[0-9]+")


def exact_scores_and_hints(browser, url):
    for dark in (False, True):
        visitor = Visitor(browser, url, "#connect4/4435", players=("you", "you"), dark=dark)
        visitor.click("hints")
        expect(visitor.page.locator(".exact")).to_have_count(7, timeout=60000)
        expect(visitor.page.locator(".shade").first).to_be_visible(timeout=60000)
        visitor.inspect(f"desktop-connect4-hints-{'dark' if dark else 'light'}")
        visitor.close()


def exact_endgames_of_reversi(browser, url):
    """Nine squares are empty: every move has its margin in discs, and the best has a ring."""
    for dark in (False, True):
        visitor = Visitor(browser, url, REVERSI_ENDGAME, players=("you", "you"), dark=dark)
        visitor.click("hints")
        visitor.wait_for("document.querySelectorAll('#thoughts td').length > 0 && document.querySelector('.best') !== null")
        shown = visitor.page.evaluate("""() => [...document.querySelectorAll("#thoughts tbody tr")].map((row) => row.cells[1].textContent)""")
        assert shown and all(EXACT.fullmatch(score) for score in shown), shown
        assert [int(score.replace("−", "-")) for score in shown] == sorted((int(score.replace("−", "-")) for score in shown), reverse=True), shown
        visitor.inspect(f"desktop-reversi-exact-{'dark' if dark else 'light'}")
        visitor.close()


def review_finds_the_blunder(browser, url):
    """The sixth move lets the first player win at once."""
    visitor = Visitor(browser, url, "#connect4/1212127", players=("you", "you"))
    visitor.click("review")
    expect(visitor.page.locator("#reviewed li")).not_to_have_count(0, timeout=120000)
    text = visitor.page.locator("#reviewed").inner_text()
    assert "7. Red 7: blunder" in text, text
    visitor.page.keyboard.press("Home")
    visitor.wait_for_address("hash === '#connect4/'")
    visitor.page.keyboard.press("m")
    visitor.wait_for("location.hash !== '#connect4/'")
    visitor.inspect("desktop-connect4-review")
    visitor.close()


def a_new_game_ends_a_review(browser, url):
    visitor = Visitor(browser, url, "#gomoku/" + "".join(f"{col}{row}" for row in (1, 4, 7, 10) for col in "acegikmo"), players=("you", "you"))
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


def chinese_is_chinese(browser, url):
    visitor = Visitor(browser, url, "#gomoku/h8", dark=True, window=PHONE)
    visitor.page.locator("#language").tap()
    expect(visitor.page.locator("#game-name")).to_contain_text("五子棋")
    assert visitor.page.evaluate("document.documentElement.lang") == "zh-CN"
    visitor.inspect("phone-gomoku-dark-zh")
    visitor.close()


def reviews_are_of_one_game(browser, url):
    """The same moves by another rule are another game."""
    visitor = Visitor(browser, url, "#gomoku,5x5/a1b1c1d2", players=("you", "you"))
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
    visitor = Visitor(browser, url, "#reversi/f5d6c3d3", players=("you", "you"))
    page = visitor.page
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


def threats_and_proofs_are_drawn(browser, url):
    visitor = Visitor(browser, url, "#gomoku/h8a1i8a15j8o1", players=("you", "you"))
    visitor.click("hints")
    expect(visitor.page.locator(".threat-4")).to_have_count(2)
    label = visitor.cell(7 * 15 + 10).get_attribute("aria-label")
    assert "Black makes an open four here" in label, label
    expect(visitor.page.locator("#thoughts")).to_contain_text("Black wins in 3", timeout=30000)
    visitor.page.evaluate("location.hash = '#gomoku/h8a1i8a15h9o1'")
    expect(visitor.page.locator("#marks .number:not(.small)").nth(3)).to_be_visible(timeout=30000)
    expect(visitor.page.locator("#thoughts")).to_contain_text("Black wins in")
    visitor.inspect("desktop-gomoku-threats")
    visitor.close()


def lines_are_shown_on_hover(browser, url):
    visitor = Visitor(browser, url, "#reversi/f5d6", players=("you", "you"))
    visitor.click("hints")
    expect(visitor.page.locator(".shade").first).to_be_visible(timeout=30000)
    x, y = visitor.page.evaluate("[...document.querySelectorAll('.best')].map(it => [+it.getAttribute('cx'), +it.getAttribute('cy')])[0]")
    visitor.cell(int(y) * 8 + int(x)).hover()
    expect(visitor.page.locator("#ghost .tag-text")).to_contain_text("%")
    visitor.inspect("desktop-reversi-line")
    visitor.click("hints")
    expect(visitor.page.locator(".shade")).to_have_count(0)
    visitor.click("hints")
    expect(visitor.page.locator(".shade").first).to_be_visible(timeout=30000)
    visitor.close()


def sizes(browser, url):
    visitor = Visitor(browser, url)
    taken, total, files = visitor.page.evaluate("""() => {
      const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
      const view = performance.getEntriesByName('first-contentful-paint')[0].startTime;
      return [view, entries.reduce((sum, entry) => sum + entry.transferSize, 0), entries.length];
    }""")
    print(f"first view after {taken:.0f} ms, {total / 1000:.1f} kB in {files} files")
    visitor.close()
