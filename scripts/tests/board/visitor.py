"""The program, and a person with its page open in a browser.

PROGRAM and PICTURES are what the script was called with: the program, and a folder for pictures or None.
"""

import os
import subprocess
import sys
import time
from urllib.parse import urlparse

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

PROGRAM = os.path.abspath(sys.argv[1])
PICTURES = sys.argv[2] if len(sys.argv) > 2 else None
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]
DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


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
    """A person with the page open. `players` are chosen for the sides, unless the page's own will do."""

    prepare = staticmethod(lambda page: None)

    def __init__(self, browser, url, address="", players=None, dark=False, window=DESKTOP):
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
        if players:
            self.choose(*players)

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

    def inspect(self, name):
        """The page is accessible and fits in its window; it is drawn where pictures are asked for."""
        self.check_accessible(name)
        overflow = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, f"{name}: wider than the window by {overflow}"
        if PICTURES:
            os.makedirs(PICTURES, exist_ok=True)
            self.page.screenshot(path=os.path.join(PICTURES, f"{name}.png"))

    def check_accessible(self, name):
        results = Axe().run(self.page)
        assert results.violations_count == 0, f"{name}: {results.generate_report()}"
