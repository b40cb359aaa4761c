"""Games on the page: clicks, taps and keys, players, clocks, set-up and Swap2."""

import time

from playwright.sync_api import expect

from board.visitor import DESKTOP, Visitor

# Lines that win against an opponent who does not see them: cells, by column and row from the top left.
WINS = {"gomoku": "#gomoku/h8a1i8a15j8o1", "connect4": "#connect4/414141"}


def won_by_clicks(browser, url, window, name):
    """Each game is won by clicks, or taps, from a position with few moves to go."""
    ends = {"gomoku": [(10, 7), (11, 7), (6, 7)], "connect4": [(3, 0)]}
    sizes = {"gomoku": 15, "connect4": 7}
    touch = window.get("has_touch", False)
    for game, cells in ends.items():
        visitor = Visitor(browser, url, WINS[game], players=("you", "1"), window=window)
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
        visitor.inspect(f"{name}-{game}-won")
        visitor.close()


def reversi_against_level_1(browser, url):
    """The engine's first choice, played by clicks on the square that is ringed, beats level 1."""
    visitor = Visitor(browser, url, "#reversi/", players=("you", "1"))
    page = visitor.page
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
    visitor.inspect("desktop-reversi-won")
    visitor.close()


def undo_and_redo(browser, url):
    visitor = Visitor(browser, url, "#connect4/44", players=("you", "you"))
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


def keyboard_only(browser, url):
    visitor = Visitor(browser, url, "#gomoku,9x9/", players=("you", "you"))
    page = visitor.page
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
    visitor.inspect("desktop-new")
    page.keyboard.press("Escape")
    expect(page.locator("#new-dialog")).not_to_be_visible()
    visitor.close()


def stones_move_unless_motion_is_reduced(browser, url):
    """A stone falls, a disc turns over, and for those who want no motion both are there at once."""
    for address, cell, name in (("#connect4/44", 0, "drop"), ("#reversi/f5d6", 2 * 8 + 2, "turn")):
        for reduced, expected in (("no-preference", name), ("reduce", "none")):
            visitor = Visitor(browser, url, address)
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
    visitor = Visitor(browser, url, "#connect4/44", players=("you", "you"))
    page = visitor.page

    def begin(game):
        visitor.click("new")
        page.locator("[name=game]").select_option(game)
        page.locator("#new-form button[value=set-up]").click()
        expect(page.locator("#note button")).to_have_count(2)

    begin("connect4")
    visitor.cell(10).click()
    visitor.cell(3).click()
    visitor.cell(4 * 7 + 3).click()
    visitor.inspect("desktop-set-up")
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


def bots_play_each_other(browser, url):
    visitor = Visitor(browser, url, "#connect4,4x4/", players=("2", "2"))
    visitor.wait_for("/won|Drawn/.test(document.querySelector('#status').textContent)")
    visitor.close()


def bots_pause(browser, url):
    visitor = Visitor(browser, url, "#gomoku/")
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


def visitor_with_clocks(browser, url):
    """A person whose minute runs: the engine has answered their first move."""
    visitor = Visitor(browser, url, "#connect4/", players=("you", "tengen"))
    visitor.page.locator("#clock").select_option("60+0")
    visitor.cell(0).click()
    visitor.wait_for_address("hash.length === '#connect4/11'.length")
    visitor.wait_for("/^0:5/.test(document.querySelector('[data-clock=\"0\"]').textContent)")
    return visitor


def clocks_run_out(browser, url):
    """The clocks are those of the page: its time is put forward, not waited for."""
    visitor = visitor_with_clocks(browser, url)
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
    visitor = visitor_with_clocks(browser, url)
    page = visitor.page

    def runs(side):
        clock = f"document.querySelector('[data-clock=\"{side}\"]').textContent"
        seen = page.evaluate(clock)
        assert seen < "1:00", seen
        visitor.wait_for(f"{clock} < '{seen}'", 5)

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
    visitor = Visitor(browser, url, "#gomoku/h8")
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
    visitor = Visitor(browser, url, "#gomoku,9x9,renju/e5", players=("you", "you"))
    page = visitor.page
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
    visitor = Visitor(browser, url, "#connect4/4433", players=("you", "you"))
    visitor.page.locator("#clock").select_option("600+5")
    for key, address in (("ArrowLeft", "443"), ("ArrowLeft", "44"), ("ArrowRight", "443")):
        visitor.page.keyboard.press(key)
        visitor.wait_for_address(f"hash === '#connect4/{address}'")
    visitor.page.wait_for_timeout(300)
    clocks = [visitor.page.locator(f"[data-clock='{side}']").inner_text() for side in (0, 1)]
    assert clocks == ["10:00", "10:00"], clocks
    visitor.close()


def swap2_is_a_dialogue(browser, url):
    """The engine puts three stones, and the person takes white."""
    visitor = Visitor(browser, url, "#gomoku/", players=("4", "you"))
    page = visitor.page
    visitor.click("new")
    page.locator("[name=swap2]").check()
    page.locator("#new-form button[value=start]").click()
    expect(page.locator("#note button")).to_have_count(3, timeout=30000)
    visitor.inspect("desktop-swap2")
    page.locator("#note button").nth(2).click()
    for cell in (0, 14):
        visitor.cell(cell).click()
    expect(page.locator("#note")).to_contain_text("is played by", timeout=30000)
    assert "you" in [page.locator(f"[data-player='{side}']").input_value() for side in (0, 1)]
    visitor.close()


def swap2_begins_while_the_engine_thinks(browser, url):
    """The move of the game before comes when the new game was asked for, and is none of its opening."""
    visitor = Visitor(browser, url, "#gomoku/h8i9h9", players=("you", "you"))
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
    visitor = Visitor(browser, url, "#reversi/f5d6", players=("you", "tengen"))
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
    visitor = Visitor(browser, url, "#gomoku/h8")
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
