"""The language server over pipes: random edits, requests, cancellations and broken bytes."""

import json
import queue
import random
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

from .findings import Fault, mark_of_crash
from .lab import Kind
from .program import limit

PIECES = [
    'insert Book(title: "', "😀", "e\u0301", "\r\n", "\n", "\n", "\r", "\t", "entity Book { title: String }",
    "controller books = Book sort by title", "fetch books", "#> books willChangeContent", "#@ skip x",
    "{", "}", "(", ")", '"', "let x = 1", "print $", "Book/1.", "\\(", "where title == ", "\ufeff",
    'include "a.frc"', 'include "b.frc"', "perform {", "#", ";", "SUBQUERY(", "日本", "repeat 9999999 { }",
    "insert 99999 Book()", "x" * 3000, "```frc\n", "# Heading\n",
]
METHODS = [
    "completion", "hover", "signatureHelp", "documentSymbol", "foldingRange", "definition", "references",
    "documentHighlight", "prepareRename", "semanticTokens/full", "formatting", "diagnostic", "codeLens",
    "inlayHint", "codeAction", "rename", "selectionRange", "rangeFormatting", "onTypeFormatting",
    "semanticTokens/range", "nonsense",
]
# What two documents with the same text have in common.
COMPARED = ["semanticTokens/full", "selectionRange", "foldingRange", "documentSymbol"]
BROKEN = [
    b'Content-Length: 5\r\n\r\n{"id"', b"Content-Length: -3\r\n\r\n", b"Content-Length: x\r\n\r\n",
    b"Content-Length: 99999999999999999999\r\n\r\n", b"Content-Length: 9999999999\r\n\r\n", b"\r\n\r\n",
    b"Content-Length: 2\r\n\r\n[]", b"Content-Length: 4\r\n\r\nnull", b"nonsense\r\n\r\n",
    b"Content-Length: 2\r\n\r\n{}", b"X-Long: header\r\n" * 400, b"\xff\xfe\x00" * 20, b"Content-Length:" * 500,
    b"Content-Length: 200000000\r\n\r\n{\"jsonrpc\"",
]
URIS = ["file:///tmp/frc-fuzz/a.frc", "file:///tmp/frc-fuzz/b.frc", "untitled:c.md"]
# By how much the memory may grow while large documents are opened and closed, in MB.
MOST_GROWTH = 24


class Server(Kind):
    """Inputs are the lines of a session: a step in JSON each, so that a shorter one is one, too."""

    name, file, share, size = "server", "session.jsonl", 0.5, 2
    steps = ("serve",)

    def make(self, chance: random.Random) -> bytes:
        return b"".join(json.dumps(step(chance)).encode() + b"\n" for _ in range(1000))

    def how(self, fault: Fault) -> str:
        return "frc lsp, with the steps of the session as Scripts/fuzzing/server.py sends them"

    def look(
        self, step: str, inputs: dict[str, bytes], folder: Path, repetitions: int = 1
    ) -> dict[str, Fault]:
        faults = {}
        for stem, content in inputs.items():
            self.lab.count(self.name).runs += 1
            session = Session(self.lab.program.path, self.lab.program.environment, folder)
            try:
                session.perform(content)
            except Wrong as wrong:
                faults[stem] = session.fault(step, wrong)
            finally:
                session.kill()
        return faults


def step(chance: random.Random) -> list[object]:
    document = chance.randrange(len(URIS))
    kind = chance.choices(
        ["open", "close", "edit", "whole", "ask", "cancel", "broken", "half", "length", "compare"],
        [8, 1, 30, 1, 40, 8, 4, 4, 2, 4])[0]
    match kind:
        case "open" | "close" | "compare": return [kind, document]
        case "edit": return [kind, document, chance.random(), chance.random(), chance.choice(PIECES)]
        case "whole": return [kind, document, "".join(chance.choices(PIECES, k=5))]
        case "ask":
            return [kind, document, chance.choice(METHODS), chance.randrange(-1, 8),
                    chance.choice([0, 3, 17, 2**31 - 1, -4])]
        case "cancel": return [kind, chance.choice([0, 1, 2, 30, 10_000])]
        case "broken": return [kind, chance.randrange(len(BROKEN))]
        case "half": return [kind, chance.random()]
        case _: return ["length", chance.choice([-20, -1, 1, 30, 100_000])]


# The parameters of each step.
SHAPES: dict[str, tuple[type, ...]] = {
    "open": (int,), "close": (int,), "compare": (int,), "edit": (int, float, float, str), "whole": (int, str),
    "ask": (int, str, int, int), "cancel": (int,), "broken": (int,), "half": (float,), "length": (int,),
}


def steps_of(content: bytes) -> Iterator[tuple[str, list]]:
    """The steps of a session, without lines that were cut."""
    for line in content.splitlines():
        try:
            kind, *rest = json.loads(line)
            is_whole = tuple(map(type, rest)) == SHAPES[kind]
        except (ValueError, TypeError, KeyError):
            continue
        if is_whole and (kind not in ("open", "close", "compare", "edit", "whole", "ask") or rest[0] < len(URIS)):
            yield kind, rest


class Wrong(Exception):
    """What the server did that it must not do."""


class Session:
    """A client that keeps the text of its documents, and every answer that it is owed."""

    def __init__(self, program: Path, environment: dict[str, str], folder: Path):
        self.errors = (folder / "errors").open("w+b")
        self.process = subprocess.Popen(
            [program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
            cwd=folder, env=environment, start_new_session=True, preexec_fn=lambda: limit(600))
        self.inbox: queue.Queue = queue.Queue()
        self.texts: dict[str, list[str]] = {}
        self.asked = 0
        self.owed: dict[int, str] = {}
        self.regretted: set[int] = set()
        self.version = 0
        threading.Thread(target=self.read, daemon=True).start()

    # Messages.

    def read(self) -> None:
        stream = self.process.stdout
        while header := stream.readline():
            if header == b"\r\n":
                continue
            length = int(header.split(b":")[1])
            stream.readline()
            self.inbox.put(json.loads(stream.read(length)))
        self.inbox.put(None)

    def send(self, message: dict, damage: int = 0) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % (len(body) + damage) + body)

    def write(self, data: bytes) -> None:
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except OSError:
            raise Wrong("ended") from None

    def note(self, method: str, **params: object) -> None:
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: object) -> int:
        self.asked += 1
        self.owed[self.asked] = method
        self.send({"id": self.asked, "method": method, "params": params})
        return self.asked

    def take(self) -> dict:
        """Takes one message, and checks that it is owed."""
        try:
            message = self.inbox.get(timeout=60)
        except queue.Empty:
            raise Wrong("hang: no answer to " + ", ".join(sorted(set(self.owed.values())))) from None
        if message is None:
            raise Wrong("ended")
        if "method" in message:
            if "id" in message:
                self.send({"id": message["id"], "result": None})
        elif message["id"] is not None:
            if message["id"] not in self.owed:
                raise Wrong("answer: nobody asked, or asked only once")
            if message.get("error", {}).get("code") == -32800 and message["id"] not in self.regretted:
                raise Wrong("answer: cancelled by nobody")
            del self.owed[message["id"]]
        return message

    def result(self, method: str, params: object) -> object:
        number = self.ask(method, params)
        while True:
            message = self.take()
            if "method" not in message and message["id"] == number:
                return message.get("result")

    # Steps.

    def perform(self, content: bytes) -> None:
        self.result("initialize", {
            "capabilities": {"window": {"workDoneProgress": True}, "workspace": {"inlayHint": {"refreshSupport": True}}},
            "initializationOptions": {"pause": 20, "live": len(content) % 3 == 0}})
        for kind, rest in steps_of(content):
            getattr(self, "do_" + kind)(*rest)
        self.end()

    def do_open(self, document: int) -> None:
        self.version += 1
        self.texts[URIS[document]] = []
        self.note("textDocument/didOpen", textDocument={
            "uri": URIS[document], "languageId": "frc", "version": self.version, "text": ""})

    def do_close(self, document: int) -> None:
        if self.texts.pop(URIS[document], None) is not None:
            self.note("textDocument/didClose", textDocument={"uri": URIS[document]})

    def do_edit(self, document: int, first: float, second: float, piece: str) -> None:
        text = self.texts.get(URIS[document])
        if text is None:
            return
        start, end = sorted(boundary(text, int(place * (len(text) + 1))) for place in (first, second))
        span = {"start": position(text, start), "end": position(text, end)}
        text[start:end] = piece
        self.change(document, {"range": span, "text": piece})

    def do_whole(self, document: int, piece: str) -> None:
        if URIS[document] in self.texts:
            self.texts[URIS[document]] = list(piece)
            self.change(document, {"text": piece})

    def change(self, document: int, change: dict) -> None:
        self.version += 1
        self.note("textDocument/didChange", contentChanges=[change],
                  textDocument={"uri": URIS[document], "version": self.version})

    def do_ask(self, document: int, method: str, line: int, character: int) -> None:
        place = {"line": line, "character": character}
        self.ask("textDocument/" + method, {
            "textDocument": {"uri": URIS[document]}, "position": place, "positions": [place],
            "range": {"start": place, "end": {"line": line + 2, "character": 0}}, "newName": "other",
            "context": {"diagnostics": [], "includeDeclaration": True}, "ch": "\n",
            "options": {"tabSize": 2, "insertSpaces": True}})

    def do_cancel(self, before: int) -> None:
        self.regretted.add(self.asked - before)
        self.note("$/cancelRequest", id=self.asked - before)

    def do_broken(self, number: int) -> None:
        self.write(BROKEN[number])

    def do_half(self, part: float) -> None:
        body = b'{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":"off"}}'
        whole = b"Content-Length: %d\r\n\r\n" % len(body) + body
        self.write(whole[:int(part * len(whole))])

    def do_length(self, difference: int) -> None:
        self.send({"method": "$/setTrace", "params": {"value": "off"}}, difference)

    def do_compare(self, document: int) -> None:
        """Opens the text that the server should have as another document, and compares answers."""
        uri = URIS[document]
        twin = "-twin.".join(uri.rsplit(".", 1))
        if uri not in self.texts:
            return
        text = self.texts[uri]
        self.note("textDocument/didOpen", textDocument={
            "uri": twin, "languageId": "frc", "version": 1, "text": "".join(text)})
        places = [position(text, place) for place in range(0, len(text) + 1, max(1, len(text) // 9))]
        for method in COMPARED:
            one, two = (self.result("textDocument/" + method, {
                "textDocument": {"uri": name}, "positions": places}) for name in (uri, twin))
            if one != two and self.texts[uri] is text:
                raise Wrong(f"text: {method} differs from that of the client's text")
        self.note("textDocument/didClose", textDocument={"uri": twin})

    def end(self) -> None:
        """Takes all answers, measures the memory without documents, and ends the server."""
        for document in range(len(URIS)):
            self.do_compare(document)
            self.do_close(document)
        while self.owed:
            self.take()
        sizes = [self.memory_after_documents() for _ in range(8)]
        if sizes[-1] > sizes[2] + MOST_GROWTH:
            raise Wrong("memory: closed documents are kept")
        self.result("shutdown", None)
        self.send({"method": "exit"})
        try:
            status = self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            raise Wrong("hang: after exit") from None
        if status != 0:
            raise Wrong("ended")

    def memory_after_documents(self) -> int:
        """Opens and closes large documents, and returns the server's memory in MB."""
        text = "entity Book { title: String }\n" + 'insert Book(title: "x")\n' * 4000
        for number in range(5):
            uri = f"file:///tmp/frc-fuzz/large-{number}.frc"
            self.note("textDocument/didOpen", textDocument={
                "uri": uri, "languageId": "frc", "version": 1, "text": text})
            self.result("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
            self.note("textDocument/didClose", textDocument={"uri": uri})
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * 4096 >> 20

    def fault(self, step: str, wrong: Wrong) -> Fault:
        why, _, mark = str(wrong).partition(": ")
        if why == "ended":
            self.process.wait()
            self.errors.seek(0)
            said = self.errors.read()
            return Fault("crash", step, f"{self.process.returncode} {mark_of_crash(said)}", said)
        return Fault(why, step, mark)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.errors.close()


def boundary(text: list[str], place: int) -> int:
    """A place before which an edit may begin or end: not in a line's end."""
    inside = 0 < place < len(text) and text[place - 1:place + 1] == ["\r", "\n"]
    return place - 1 if inside else place


def position(text: list[str], place: int) -> dict[str, int]:
    """A place as a client counts it, in UTF-16."""
    line = start = 0
    for index in range(place):
        after = text[index + 1] if index + 1 < len(text) else ""
        if text[index] == "\n" or text[index] == "\r" and after != "\n":
            line, start = line + 1, index + 1
    return {"line": line, "character": sum(1 + (character > "\uffff") for character in text[start:place])}
