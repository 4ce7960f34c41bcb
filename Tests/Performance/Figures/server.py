"""The time in which frc lsp answers while a script is written."""

import json
import statistics
import subprocess
import time

from tables import table

# How many statements the document has.
COUNT = 3000
URI = "file:///tmp/frc-figures/large.frc"
# Where the keys are typed: before a statement in the middle.
LINE = 1500


def script(count):
    """A script of so many statements."""
    lines = [
        "entity Author { name: String, books: [Book] inverse author }",
        "entity Book { title: String, pages: Int = 0, author: Author? inverse books }",
        "controller books = Book sort by title",
    ]
    for number in range(1, count // 3):
        lines.append(f'let b{number} = insert Book(title: "Book {number}", pages: {number})')
        lines.append(f"b{number}.pages += 10")
        lines.append(f'fetch Book where pages > {number} AND author.name == "x" sort by title')
    return "\n".join(lines) + "\n"


class Server:
    """frc lsp with one document."""

    def __init__(self, program, text, live):
        self.process = subprocess.Popen(
            [program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.version = 1
        self.asked = 0
        self.result("initialize", {
            "capabilities": {"general": {"positionEncodings": ["utf-16"]}},
            "initializationOptions": {"live": live, "pause": 0}})
        self.note("textDocument/didOpen", {"textDocument": {
            "uri": URI, "languageId": "frc", "version": 1, "text": text}})
        self.take(lambda message: message.get("method") == "textDocument/publishDiagnostics")

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def take(self, is_wanted):
        while True:
            header = self.process.stdout.readline()
            if not header:
                raise RuntimeError("frc lsp has ended")
            self.process.stdout.readline()
            message = json.loads(self.process.stdout.read(int(header.split(b":")[1])))
            if is_wanted(message):
                return message

    def note(self, method, params):
        self.send({"method": method, "params": params})

    def result(self, method, params):
        self.asked += 1
        number = self.asked
        self.send({"id": number, "method": method, "params": params})
        return self.take(lambda message: message.get("id") == number)["result"]

    def type(self, key, line=LINE):
        """Types a key at the start of a line."""
        self.version += 1
        place = {"line": line, "character": 0}
        self.note("textDocument/didChange", {
            "textDocument": {"uri": URI, "version": self.version},
            "contentChanges": [{"range": {"start": place, "end": place}, "text": key}]})

    def diagnostics(self):
        version = self.version
        return self.take(lambda message: message.get("params", {}).get("version") == version)

    def complete(self):
        found = self.result("textDocument/completion", {
            "textDocument": {"uri": URI}, "position": {"line": LINE + 1, "character": 3}})
        if not found["items"]:
            raise RuntimeError("frc lsp completes nothing")

    def colours(self):
        self.result("textDocument/semanticTokens/full", {"textDocument": {"uri": URI}})

    def end(self):
        self.result("shutdown", None)
        self.send({"method": "exit"})
        self.process.wait()


def times(count, work):
    """The milliseconds of each of some calls."""
    found = []
    for _ in range(count):
        start = time.perf_counter()
        work()
        found.append(1000 * (time.perf_counter() - start))
    return found


def measure(program, folder, rounds, keys=21):
    """The milliseconds of the answers, and of 'frc check' in the same run, by their names."""
    text = script(COUNT)
    path = folder / "large.frc"
    path.write_text(text)
    measured = {name: [] for name in ("key", "both", "completion", "colours", "running", "check")}
    for _ in range(rounds):
        check = [program, "check", str(path)]
        measured["check"] += times(5, lambda: subprocess.run(check, check=True, capture_output=True))
        server = Server(program, text, live=False)

        def key():
            server.type(" ")
            server.diagnostics()

        def key_and_completion():
            server.type(" ")
            server.complete()

        key()
        measured["key"] += times(keys, key)
        measured["completion"] += times(keys, server.complete)
        measured["both"] += times(keys, key_and_completion)
        measured["colours"] += times(keys, server.colours)
        server.end()
        # A script that does not end by itself runs while the server answers.
        server = Server(program, text + "repeat 1000000000 { }\n", live=True)
        measured["running"] += times(keys, server.complete)
        server.end()
    return measured


def answers(program, folder, rounds):
    """A table of the answers' times, and of 'frc check' in the same run."""
    measured = measure(program, folder, rounds)
    names = [
        ("diagnostics after a key", "key", "30"),
        ("a completion", "completion", "10"),
        ("a completion at once after a key", "both", ""),
        ("a completion while the script runs", "running", "10"),
        ("`frc check`, a process for each", "check", ""),
    ]
    return f"Milliseconds, with {COUNT:,} statements:\n\n" + table(
        ["", "median", "slowest", "at most"],
        [[name, f"{statistics.median(measured[key]):.1f}", f"{max(measured[key]):.1f}", most]
         for name, key, most in names])
