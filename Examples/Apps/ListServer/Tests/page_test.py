#!/usr/bin/env python3
"""Follows the list in two windows of Chromium while a background writer changes it.

    Tests/page_test.py [PROGRAM] [-v] [-k NAME]     default: .build/debug/ListServer
"""

import json
import pathlib
import socket
import subprocess
import sys
import threading
import time
import urllib.request

FOLDER = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(FOLDER.parents[2] / "Tests/Pages"))
from browsers import BrowserTestCase, main
from webdriver import CONNECTION

PROGRAM = FOLDER / ".build/debug/ListServer"
PATIENCE = 30

# The list as the page shows it.
SHOWN = """
return [...document.querySelectorAll("#list section")].map(section => ({
  name: section.querySelector("h2").textContent,
  rows: [...section.querySelectorAll("li")].map(row => ({
    id: row.dataset.id, text: [...row.children].map(part => part.textContent).join(" ")}))}))
"""
# Remembers the elements of now, to find them again.
REMEMBER = """
window.remembered = new Map([...document.querySelectorAll("li")].map(row => [row.dataset.id, row]))
return window.remembered.size
"""
# Says of each row that was there and still is whether its element is the same.
KEPT = """
return [...document.querySelectorAll("li")]
  .filter(row => window.remembered.has(row.dataset.id))
  .map(row => window.remembered.get(row.dataset.id) === row)
"""
# Counts the messages that replace the list from now on, by looking at what the page parses.
COUNT_REPLACEMENTS = """
const parse = JSON.parse
window.replacements = 0
window.changes = 0
JSON.parse = text => {
  const value = parse(text)
  if (value.difference?.replacement) window.replacements += 1
  else window.changes += value.difference?.objects?.length ?? 0
  return value
}
"""


class Server:
    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [PROGRAM, "--still", *arguments], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise RuntimeError("the server did not start")
        self.port = int(self.address.rstrip("/").rsplit(":", 1)[1])

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def change(self, count):
        request = urllib.request.Request(
            f"{self.address}changes?count={count}", b"", method="POST")
        CONNECTION.open(request, timeout=60).close()

    def message_number(self):
        """The number of the newest message, which the first message to a new follower names."""
        with CONNECTION.open(f"{self.address}events", timeout=60) as answer:
            for line in answer:
                if line.startswith(b"data:"):
                    return json.loads(line.removeprefix(b"data:"))["number"]

    def list(self):
        with CONNECTION.open(f"{self.address}list", timeout=60) as answer:
            sections = json.load(answer)

        def text(row):
            return f"{row['minute'] // 60:02}:{row['minute'] % 60:02} {row['line']} {row['destination']}"
        return [{"name": section["name"], "rows": [
            {"id": row["id"], "text": text(row["row"])} for row in section["rows"]]}
            for section in sections]


class Cable:
    """Passes connections on to a server, and can be cut."""

    def __init__(self, port):
        self.target, self.is_cut, self.sockets = port, False, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.is_cut:
                client.close()
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            self.sockets += [client, server]
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self.copy, args=pair, daemon=True).start()

    @staticmethod
    def copy(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            Cable.end(end)

    @staticmethod
    def end(connection):
        """Ends a connection, also for the thread that reads from it."""
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        connection.close()

    def cut(self):
        self.is_cut = True
        for connection in self.sockets:
            self.end(connection)
        self.sockets = []

    def mend(self):
        self.is_cut = False

    def close(self):
        self.cut()
        self.listener.close()


class PageTests(BrowserTestCase):
    def tearDown(self):
        # Connections of one test must not wait for its server in the next.
        windows = self.browser.call("GET", "/window/handles")
        for window in windows[1:]:
            self.use(window)
            self.browser.call("DELETE", "/window")
        self.use(windows[0])
        self.browser.call("POST", "/url", {"url": "about:blank"})

    def serve(self, *arguments):
        server = Server("--port", "0", *arguments)
        self.addCleanup(server.close)
        return server

    def use(self, window):
        self.browser.call("POST", "/window", {"handle": window})

    def open_windows(self, count, address):
        windows = [self.browser.call("GET", "/window")]
        while len(windows) < count:
            windows.append(self.browser.call("POST", "/window/new", {"type": "window"})["handle"])
        for window in windows:
            self.use(window)
            self.browser.call("POST", "/url", {"url": address})
            self.browser.run(COUNT_REPLACEMENTS)
        return windows

    def wait_for_list(self, server):
        """Waits until the page shows the controller's list."""
        end = time.monotonic() + PATIENCE
        while True:
            wanted, shown = server.list(), self.browser.run(SHOWN)
            if shown == wanted != [] and wanted == server.list():
                self.assertEqual(self.errors(), [])
                return shown
            if time.monotonic() > end:
                self.assertEqual(shown, wanted)
                self.fail("the list stays empty")
            time.sleep(0.01)

    def errors(self):
        """What the page said is wrong. A connection that was cut is not the page's error."""
        return [message for message in self.browser.messages()
                if "Failed to load resource" not in message]

    def forget_connection(self):
        """Lets the page say "Connected" again only when it has a new connection."""
        self.browser.run("document.querySelector('#connection').textContent = ''")

    def wait_for_connection(self):
        self.wait_for("return document.querySelector('#connection').textContent", "Connected")

    @staticmethod
    def sections_of_rows(shown):
        return {row["id"]: section["name"] for section in shown for row in section["rows"]}

    def wait_for(self, script, value):
        end = time.monotonic() + PATIENCE
        while (found := self.browser.run(script)) != value:
            self.assertLess(time.monotonic(), end, f"{script}: {found!r}, expected {value!r}")
            time.sleep(0.01)

    def test_two_windows_and_a_background_writer(self):
        server = self.serve()
        windows = self.open_windows(2, server.address)
        for _ in range(3):
            for window in windows:
                self.use(window)
                self.wait_for_list(server)
                self.assertGreater(self.browser.run(REMEMBER), 10)
            server.change(100)
            lists = []
            for window in windows:
                self.use(window)
                lists.append(self.wait_for_list(server))
                kept = self.browser.run(KEPT)
                self.assertGreater(len(kept), 3)
                self.assertTrue(all(kept))
            self.assertEqual(lists[0], lists[1])
            self.assertGreater(len(lists[0]), 1)
        for window in windows:
            self.use(window)
            # Everything came as differences, but for the list at the beginning.
            self.assertLessEqual(self.browser.run("return window.replacements"), 1)
            self.assertGreater(self.browser.run("return window.changes"), 300)
            self.wait_for_connection()

    def test_rows_keep_their_elements_when_sections_come_and_go(self):
        server = self.serve()
        self.open_windows(1, server.address)
        before = self.sections_of_rows(self.wait_for_list(server))
        moves, sections = 0, set()
        for _ in range(50):
            self.browser.run(REMEMBER)
            server.change(1)
            after = self.sections_of_rows(self.wait_for_list(server))
            kept = self.browser.run(KEPT)
            self.assertEqual(len(kept), len(before.keys() & after.keys()))
            self.assertTrue(all(kept))
            moves += sum(before[row] != after[row] for row in before.keys() & after.keys())
            sections.add(frozenset(after.values()))
            before = after
        # Rows went to other sections, and sections came or went.
        self.assertGreater(moves, 5)
        self.assertGreater(len(sections), 1)

    def test_a_lost_connection(self):
        kept = 100
        server = self.serve("--keep", str(kept))
        cable = Cable(server.port)
        self.addCleanup(cable.close)
        windows = self.open_windows(2, f"http://127.0.0.1:{cable.port}/")
        for window in windows:
            self.use(window)
            self.wait_for_list(server)
            self.browser.run(REMEMBER)
            self.browser.run("window.replacements = 0")
            self.forget_connection()

        # What was missed comes as differences, and nothing is replaced.
        cable.cut()
        server.change(20)
        self.wait_for("return document.querySelector('#connection').textContent", "Connecting")
        cable.mend()
        for window in windows:
            self.use(window)
            self.wait_for_connection()
            self.wait_for_list(server)
            self.assertEqual(self.browser.run("return window.replacements"), 0)

        # Too much was missed: the whole list comes, and rows still keep their elements.
        # The server merges changes while it answers, so only its numbers say how many messages
        # there were.
        before = server.message_number()
        cable.cut()
        while server.message_number() <= before + kept:
            server.change(50)
        cable.mend()
        for window in windows:
            self.use(window)
            self.wait_for("return window.replacements", 1)
            self.wait_for_list(server)
            self.assertTrue(all(self.browser.run(KEPT)))

    def test_a_server_that_starts_again(self):
        server = self.serve()
        cable = Cable(server.port)
        self.addCleanup(cable.close)
        self.open_windows(1, f"http://127.0.0.1:{cable.port}/")
        server.change(100)
        self.wait_for_list(server)

        self.forget_connection()
        server.process.kill()
        server.process.wait()
        other = self.serve()
        cable.target = other.port
        self.wait_for_connection()
        self.wait_for_list(other)

    def test_a_difference_that_does_not_fit(self):
        server = self.serve()
        self.open_windows(1, server.address)
        self.wait_for_list(server)
        # As if a message had been lost.
        self.browser.run("window.replacements = 0")
        self.browser.run("sections.forEach(section => section.rows.reverse())")
        server.change(100)
        self.wait_for("return window.replacements > 0", True)
        self.browser.messages()
        self.wait_for_list(server)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    main(width=700, height=900)
