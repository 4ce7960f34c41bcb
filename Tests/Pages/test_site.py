#!/usr/bin/env python3
"""Reads the documentation site in two browsers at once, from a disk and from a server.

    Tests/Pages/test_site.py [-v] [-k NAME]   FRC_SITE names the folder of the site
"""

import functools
import http.server
import os
import pathlib
import threading
import time

from browsers import BrowserTestCase, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = pathlib.Path(os.environ.get("FRC_SITE", ROOT / ".build/documentation/site"))


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class SiteTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        handler = functools.partial(QuietHandler, directory=str(SITE))
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.address = f"http://127.0.0.1:{cls.server.server_port}"

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def searched(self, address):
        """Types the name of a rule, and waits until the search finds its heading."""
        self.browser.open(address)
        self.browser.click("input.md-search__input")
        self.browser.press(*"section-emptied")
        self.browser.until(
            "return [...document.querySelectorAll('.md-search-result__link')].map(a => a.href)"
            ".find(link => /Rules.html.*#section-emptied/.test(link))")

    def test_search_finds_a_rule_from_a_disk(self):
        self.searched((SITE / "index.html").as_uri())

    def test_search_finds_a_rule_from_a_server(self):
        self.searched(self.address + "/index.html")

    def test_a_script_can_be_played(self):
        self.browser.open((SITE / "Documentation/Guide/FirstSession.html").as_uri())
        self.browser.click("a.frc-play")
        self.browser.until("return document.getElementById('recording') !== null")

    def test_every_script_of_the_guide_has_a_page(self):
        for page in sorted((SITE / "Documentation/Guide").glob("*.html")):
            text = page.read_text()
            # One script needs the file of an app.
            unplayed = 1 if page.name == "Stores.html" else 0
            self.assertEqual(
                text.count('class="frc-play"'), text.count("language-frc highlight") - unplayed,
                page.name)

    def test_scripts_have_colours(self):
        self.browser.open((SITE / "Documentation/Guide/FirstSession.html").as_uri())
        self.assertEqual(
            self.browser.run("return document.querySelector('.highlight .k').textContent").strip(),
            "entity")

    def test_dark_and_light(self):
        self.addCleanup(self.browser.emulate)
        shade = "return getComputedStyle(document.body).backgroundColor"
        self.browser.emulate(prefers_color_scheme="light")
        self.browser.open((SITE / "index.html").as_uri())
        light = self.browser.until(shade)
        self.browser.emulate(prefers_color_scheme="dark")
        # The page remembers its colours some time after it was loaded, perhaps those before.
        end = time.monotonic() + 30
        while self.browser.run(shade) == light:
            self.assertLess(time.monotonic(), end, f"with dark colours it is still {light}")
            self.browser.run("localStorage.clear()")
            self.browser.open((SITE / "index.html").as_uri())

    def test_nothing_comes_from_another_host(self):
        self.browser.requests()
        self.browser.open(self.address + "/Documentation/Rules.html")
        others = [url for url in self.browser.requests()
                  if not url.startswith((self.address, "data:", "about:", "blob:"))]
        self.assertEqual(others, [])

    def test_the_library_has_reference_pages(self):
        self.browser.open(self.address + "/Library.html")
        links = self.browser.run(
            "return [...document.querySelectorAll('.md-content table a')].map(a => a.href)")
        if not (SITE / "docc").exists() or not any((SITE / "docc").iterdir()):
            self.skipTest("the site was built without DocC")
        self.assertEqual(len(links), 4)
        for link in links:
            self.browser.open(link)
            title = self.browser.until("return document.querySelector('h1')?.textContent")
            self.assertIn("FetchedResults", title)


if __name__ == "__main__":
    main(width=1300, height=1000)
