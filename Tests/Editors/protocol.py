#!/usr/bin/env python3
"""Checks each message of frc lsp against the types of the protocol, and how it copes with size.

Needs lsprotocol: python3 -m venv VENV; VENV/bin/pip install lsprotocol
Usage: VENV/bin/python Tests/Editors/protocol.py [FRC] [EXCHANGES]
"""

import json
import os
import queue
import random
import subprocess
import sys
import tempfile
import threading

from lsprotocol import converters, types

FRC = os.path.realpath(sys.argv[1] if len(sys.argv) > 1 else ".build/debug/frc")
EXCHANGES = int(sys.argv[2]) if len(sys.argv) > 2 else 2000

SCRIPT = (
    "# 😀 e\u0301 before\r\n"
    "entity Author { name: String, books: [Book] inverse author }\r\n"
    "entity Book { title: String, pages: Int = 0, author: Author? inverse books }\r\n"
    "controller books = Book sort by title\r\n"
    "fetch books\r\n"
    '\tlet a = insert Book(title: "😀 e\u0301 日本");\tlet b = insert Book(title: "\\(a.title)!")\r\n'
    "#> books willChangeContent\r\n"
    "perform {\r\n"
    '  a.title = "😀";\ta.pages += length("e\u0301")\r\n'
    "}\r\n"
    "fetch Book where author.name == \"😀\" AND pages > 3 sort by title\r\n"
)
PIECES = ["😀", "e\u0301", "\t", "\r\n", "inser Book", "insert Book(title: \"x\")", "}", "{", ".", "#> x", "#@ ti", "fetch "]

METHODS = {
    "textDocument/completion": types.CompletionParams,
    "textDocument/hover": types.HoverParams,
    "textDocument/signatureHelp": types.SignatureHelpParams,
    "textDocument/definition": types.DefinitionParams,
    "textDocument/documentHighlight": types.DocumentHighlightParams,
    "textDocument/prepareRename": types.PrepareRenameParams,
    "textDocument/references": None,
    "textDocument/rename": None,
    "textDocument/documentSymbol": None,
    "textDocument/foldingRange": None,
    "textDocument/selectionRange": None,
    "textDocument/semanticTokens/full": None,
    "textDocument/semanticTokens/range": None,
    "textDocument/formatting": None,
    "textDocument/rangeFormatting": None,
    "textDocument/onTypeFormatting": None,
    "textDocument/codeAction": None,
    "textDocument/inlayHint": None,
    "textDocument/codeLens": None,
    "textDocument/diagnostic": None,
}

converter = converters.get_converter()
responses = {method: pair[1] for method, pair in types.METHOD_TO_TYPES.items()}
process = subprocess.Popen([FRC, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tempfile.mkdtemp())
inbox = queue.Queue()
checked = {"answers": 0, "errors": 0, "sent": 0}


def read():
    while True:
        length = None
        while True:
            line = process.stdout.readline()
            if not line:
                inbox.put(None)
                return
            if line == b"\r\n":
                break
            length = int(line.split(b":")[1])
        inbox.put(json.loads(process.stdout.read(length)))


threading.Thread(target=read, daemon=True).start()


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
    process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    process.stdin.flush()


def strict(value, message):
    """Fails for fields that the protocol's type does not have."""
    back = converter.unstructure(value)
    again = json.loads(json.dumps(back))
    missing = lost(message, again)
    assert not missing, f"{missing} in {message}"


def lost(sent, known, path=""):
    if isinstance(sent, dict):
        if not isinstance(known, dict):
            return path
        return next(filter(None, (lost(v, known.get(k), f"{path}/{k}") for k, v in sent.items() if v is not None)), None)
    if isinstance(sent, list):
        if not isinstance(known, list) or len(sent) != len(known):
            return path
        return next(filter(None, (lost(a, b, f"{path}/{i}") for i, (a, b) in enumerate(zip(sent, known)))), None)
    return None if sent == known else path


def check_sent(message):
    kind = types.METHOD_TO_TYPES[message["method"]][0]
    strict(converter.structure(message, kind), message)
    checked["sent"] += 1
    if "id" in message:
        is_asked = message["method"] == "workspace/configuration"
        send({"id": message["id"], "result": [{"pause": 0}] if is_asked else None})


def ask(number, method, params):
    send({"id": number, "method": method, "params": params})
    while True:
        message = inbox.get(timeout=20)
        assert message is not None, "the server ended"
        if "method" in message:
            check_sent(message)
            continue
        assert message["id"] == number, message
        if "error" in message:
            converter.structure(message, types.ResponseErrorMessage)
            checked["errors"] += 1
        else:
            assert "result" in message
            strict(converter.structure(message, responses[method]), message)
            checked["answers"] += 1
        return message


def open_document(uri, text):
    send({"method": "textDocument/didOpen", "params": {"textDocument": {
        "uri": uri, "languageId": "frc", "version": 1, "text": text}}})


def close_document(uri):
    send({"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}})


def diagnostics(uri):
    """Waits for the next diagnostics of a document."""
    while True:
        message = inbox.get(timeout=60)
        assert message is not None, "the server ended"
        check_sent(message)
        if message["method"] == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
            return message["params"]["diagnostics"]


def check_size():
    """Checks that a line of 5 MB and a thousand documents are answered."""
    uri = "file:///tmp/frc-protocol/long.frc"
    text = 'print "' + "\u00e9" * 2_500_000 + '"\n'
    open_document(uri, text)
    assert diagnostics(uri) == []
    units = len(text[:-2].encode(encoding.replace("utf-16", "utf-16-le").replace("utf-32", "utf-32-le")))
    end = units // {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    send({"method": "textDocument/didChange", "params": {
        "textDocument": {"uri": uri, "version": 2}, "contentChanges": [{
            "range": {"start": {"line": 0, "character": end - 1}, "end": {"line": 0, "character": end}},
            "text": ""}]}})
    assert ask(20000000, "textDocument/hover", {
        "textDocument": {"uri": uri}, "position": {"line": 0, "character": 2}})["result"] is not None
    close_document(uri)
    uris = [f"file:///tmp/frc-protocol/{number}.frc" for number in range(1000)]
    for other in uris:
        open_document(other, "inser 1\n")
    waiting = set(uris)
    while waiting:
        message = inbox.get(timeout=60)
        check_sent(message)
        if message["method"] == "textDocument/publishDiagnostics" and message["params"]["diagnostics"]:
            waiting.discard(message["params"]["uri"])
    for other in uris:
        close_document(other)
    assert "error" in ask(20000001, "textDocument/hover", {
        "textDocument": {"uri": uris[0]}, "position": {"line": 0, "character": 2}})
    print("a line of 5 MB and 1,000 documents are answered")


random.seed(1)
uri = "file:///tmp/frc-protocol/%F0%9F%98%80.frc"
encoding = os.environ.get("ENCODING", "utf-16")
window = {"workDoneProgress": True, "showDocument": {"support": True}}
refresh = {"refreshSupport": True}
ask(0, "initialize", {
    "processId": None, "rootUri": None, "initializationOptions": {"pause": 0},
    "capabilities": {"general": {"positionEncodings": [encoding]}, "window": window,
                     "workspace": {"inlayHint": refresh, "codeLens": refresh, "configuration": True,
                                   "didChangeWatchedFiles": {"dynamicRegistration": True}}}})
send({"method": "initialized", "params": {}})
check_size()
open_document(uri, SCRIPT)
document = {"uri": uri}
for number in range(1, EXCHANGES + 1):
    position = {"line": random.randint(0, 12), "character": random.randint(0, 40)}
    end = {"line": position["line"] + random.randint(0, 2), "character": random.randint(0, 40)}
    span = {"start": position, "end": max(position, end, key=lambda p: (p["line"], p["character"]))}
    if random.random() < 0.2:
        send({"method": "textDocument/didChange", "params": {
            "textDocument": {"uri": uri, "version": number + 1},
            "contentChanges": [{"range": {"start": position, "end": position}, "text": random.choice(PIECES)}]}})
    if random.random() < 0.05:
        send({"method": "textDocument/didChange", "params": {
            "textDocument": {"uri": uri, "version": number + 1}, "contentChanges": [{"text": SCRIPT}]}})
    method = random.choice(list(METHODS))
    ask(number, method, {
        "textDocument": document, "position": position, "positions": [position], "range": span,
        "newName": "other", "context": {"diagnostics": [], "includeDeclaration": True}, "ch": "\n",
        "options": {"tabSize": 2, "insertSpaces": True}})
ask(EXCHANGES + 1, "shutdown", None)
send({"method": "exit"})
assert process.wait(timeout=10) == 0
print(f"{EXCHANGES} exchanges in {encoding}: {checked['answers']} answers, {checked['errors']} errors and "
      f"{checked['sent']} messages of the server are those of the protocol")
