#!/usr/bin/env python3
"""Starts ListServer, and sends requests that it must refuse, or that are cut off.

    Tests/server_test.py [PROGRAM]          the program; .build/debug/ListServer if left out
"""

import http.client
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / ".build/debug/ListServer"
PATIENCE = 30


class Server:
    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [PROGRAM, "--still", "--port", "0", *arguments], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().strip().rstrip("/").rsplit(":", 1)[1])
        self.errors = []
        self.reader = threading.Thread(target=self.read_errors)
        self.reader.start()

    def read_errors(self):
        self.errors.extend(self.process.stderr)

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def trains(self, day=1):
        return [row["destination"]
                for row in json.loads(self.ask("GET", f"/departures?day={day}&line=S1")[1])]

    def list(self):
        return json.loads(self.ask("GET", "/list")[1])

    def count(self):
        return json.loads(self.ask("GET", "/status")[1])["departures"]

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        self.process.stderr.close()


class ServerTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="list-server-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = str(self.folder / "departures.sqlite")

    def serve(self, *arguments):
        server = Server(*arguments)
        self.addCleanup(server.close)
        return server

    def wait_for(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_a_refused_import_leaves_the_old_trains(self):
        server = self.serve("--file", self.file)
        self.assertEqual(server.ask("POST", "/departures?day=1", "S1;Old;725\n")[0], 200)
        before = server.count()
        many = "S1;New;10\n" * 1_000
        for line in ("S1;New", "S1;New;1440", "S1;New;-1", f"S1;New;{2 ** 63 - 1}", "S" * 100_000):
            with self.subTest(line=line[:30]):
                status, text = server.ask("POST", "/departures?day=1", many + line)
                self.assertEqual(status, 400)
                self.assertIn("unreadable line: S", text)
                self.assertLess(len(text), 1_000)
                self.assertEqual((server.trains(), server.count()), (["Old"], before))
        # The answer comes after all that the client sends.
        for lines in ("S1;New\n" + many * 500, "S" * 5_000_000):
            self.assertEqual(server.ask("POST", "/departures?day=1", lines)[0], 400)
        for day in ("", "x", "1.5", str(2 ** 63)):
            self.assertEqual(server.ask("POST", f"/departures?day={day}", many)[0], 400)
            self.assertEqual(server.ask("GET", f"/departures?day={day}")[0], 400)

    def test_an_import_that_is_cut_off_leaves_the_old_trains(self):
        server = self.serve("--file", self.file)
        self.assertEqual(server.ask("POST", "/departures?day=1", "S1;Old;725\n")[0], 200)
        before = server.count()
        many = "S1;New;10\n" * 1_000
        for head, part in (
                (f"Content-Length: {len(many) * 2}", many),
                (f"Content-Length: {len(many) * 1_000}", many),
                ("Transfer-Encoding: chunked", f"{len(many):x}\r\n{many}\r\n")):
            with self.subTest(head=head):
                known = len(server.errors)
                with socket.create_connection(("127.0.0.1", server.port)) as client:
                    client.sendall(
                        f"POST /departures?day=1 HTTP/1.1\r\n{head}\r\n\r\n{part}".encode())
                    # The server has read all of it by then.
                    time.sleep(0.3)
                self.wait_for(lambda: len(server.errors) > known and server.count() == before)
                self.assertEqual(server.trains(), ["Old"])

    def test_changes_that_are_refused(self):
        server = self.serve()
        for count in ("-5", "x", "", "1.5", "1001", str(2 ** 63)):
            self.assertEqual(server.ask("POST", f"/changes?count={count}")[0], 400, count)
        for path in ("/changes", "/changes?count=0", "/changes?count=1000"):
            self.assertEqual(server.ask("POST", path)[0], 204, path)

    def test_two_servers_of_one_file(self):
        servers = [self.serve("--file", self.file) for _ in range(2)]
        end = time.monotonic() + 7
        while time.monotonic() < end:
            for day, server in enumerate(servers):
                self.assertEqual(server.ask("POST", "/changes?count=5")[0], 204)
                status, _ = server.ask("POST", f"/departures?day={day}", "S1;New;10\n")
                self.assertEqual(status, 200)
        self.wait_for(lambda: servers[0].list() == servers[1].list())
        for server in servers:
            self.assertIsNone(server.process.poll())
            self.assertEqual(server.errors, [])
            self.assertEqual(server.trains(day=1), ["New"])

    def test_starts_that_fail(self):
        server = self.serve()
        for arguments, status, message in (
                (["--keep", str(2 ** 63 - 1)], 2, "expected a number from 0 to 100000"),
                (["--keep", "-1"], 2, "expected a number from 0 to 100000"),
                (["--port", "65536"], 2, "expected a port, found '65536'"),
                (["--file", ""], 2, "expected a file"),
                (["--file"], 2, "expected a file"),
                (["--write-first-version", "0"], 2, "expected a number from 1"),
                (["--write-first-version", "1"], 2, "expected --file"),
                (["--write-first-version", "1", "--file", "/dev/null/x"], 1, "'x'"),
                (["--file", "/dev/null/x"], 1, "'x'"),
                (["--file", str(self.folder)], 1, "it is a folder"),
                (["--port", str(server.port)], 1, f"cannot listen on port {server.port}")):
            with self.subTest(arguments=arguments):
                done = subprocess.run(
                    [PROGRAM, *arguments], capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertTrue(done.stderr.startswith("ListServer: "), done.stderr)
                self.assertIn(message, done.stderr)
                self.assertEqual("usage:" in done.stderr, status == 2)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
