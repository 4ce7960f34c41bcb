"""Inputs that are not one script: other files, many files, logs, stores, an editor, a terminal."""

import json
import os
import sqlite3
import subprocess

from commands import TIME, make, many, row, write
from objects import HISTORY, SECTIONS, SHELF, in_one_turn, inserted
from texts import BOOK, times

RUN = ("run", "input.frc")
ALL = ("run", "test", "check")


def csv(n):
    return "title,pages\n" + times("t{i},{i}", n)


IMPORT = BOOK + "import 'a.csv' into Book\n"
row("rows of a CSV file", "frc run", make(RUN, input__frc=lambda n: IMPORT, a__csv=csv))
row("rows of a CSV file, tracked", "frc run", make(
    RUN, input__frc=lambda n: SHELF + "fetch books\nimport 'a.csv' into Book\n", a__csv=csv))
row("wrong rows of a CSV file", "frc run", make(
    RUN, input__frc=lambda n: IMPORT, a__csv=lambda n: "title,pages\n" + "a,b\n" * n))
row("a long field of a CSV file", "frc run", make(
    RUN, input__frc=lambda n: IMPORT, a__csv=lambda n: 'title\n"' + 'a""\n' * n + '"\n'))
row("an open quote in a CSV file", "frc run", make(
    RUN, input__frc=lambda n: IMPORT, a__csv=lambda n: 'title\n' + '"a\n' * n))
row("columns of a CSV file", "frc run", make(
    RUN, input__frc=lambda n: "entity Book {\n" + times("a{i}: Int = 0", n) + "}\nimport 'a.csv' into Book\n",
    a__csv=lambda n: ",".join(f"a{i}" for i in range(n)) + "\n" + ",".join("1" * n) + "\n"), 100)
row("objects of a JSON file", "frc run", make(
    RUN, input__frc=lambda n: BOOK + "import 'a.json' into Book\n",
    a__json=lambda n: "[" + ",".join(f'{{"title":"{i}","pages":{i}}}' for i in range(n)) + "]"))
row("wrong objects of a JSON file", "frc run", make(
    RUN, input__frc=lambda n: BOOK + "import 'a.json' into Book\n",
    a__json=lambda n: "[" + ",".join('{"title":1}' for i in range(n)) + "]"))
row("a long string of a JSON file", "frc run", make(
    RUN, input__frc=lambda n: BOOK + "import 'a.json' into Book\n",
    a__json=lambda n: '[{"title":"' + "a\\n" * n + '"}]'))


def model(inside):
    return lambda n: (
        '<?xml version="1.0" encoding="UTF-8"?>\n<model type="com.apple.IDECoreDataModeler.DataModel">\n'
        + inside(n) + "</model>\n")


ENTITY = '<entity name="{}" representedClassName="A">{}</entity>\n'
MODELS = {
    "entities of a model": lambda n: "".join(
        ENTITY.format(f"B{i}", '<attribute name="a" attributeType="String"/>') for i in range(n)),
    "attributes of a model": lambda n: ENTITY.format("B", "".join(
        f'<attribute name="a{i}" optional="YES" attributeType="String"/>' for i in range(n))),
    "relationships of a model": lambda n: ENTITY.format("A", "".join(
        f'<relationship name="b{i}" optional="YES" toMany="YES" destinationEntity="B" inverseName="a{i}" '
        'inverseEntity="B"/>' for i in range(n))) + ENTITY.format("B", "".join(
            f'<relationship name="a{i}" optional="YES" maxCount="1" destinationEntity="A" '
            f'inverseName="b{i}" inverseEntity="A"/>' for i in range(n))),
    "parents of a model": lambda n: ENTITY.format("B0", "") + "".join(
        f'<entity name="B{i + 1}" representedClassName="A" parentEntity="B{i}"/>\n' for i in range(n)),
    "requests of a model": lambda n: ENTITY.format(
        "B", '<attribute name="a" attributeType="String"/>') + "".join(
            f'<fetchRequest name="r{i}" entity="B" predicateString="a == &quot;{i}&quot;"/>\n'
            for i in range(n)),
    "comments of a model": lambda n: "<!-- a -->\n" * n + ENTITY.format("B", ""),
    "references in a model": lambda n: ENTITY.format(
        "B", f'<attribute name="a" attributeType="String" defaultValueString="{"&amp;" * n}"/>'),
    "elements of a model, nested": lambda n: "<a>" * n + "</a>" * n,
}
for name, inside in MODELS.items():
    for command in (("run", "input.frc"), ("check", "input.frc")):
        row(name, f"frc {command[0]}", make(
            command, input__frc=lambda n: "model 'a.xcdatamodel'\nshow model\n",
            **{"a__xcdatamodel/contents": model(inside)}), 50)

# Inclusions.
for command in (("run", "input.frc"), ("test", "input.frc", *TIME), ("check", "input.frc")):
    name = f"frc {command[0]}"
    row("inclusions of one file", name, make(
        command, input__frc=lambda n: "include 'a.txt'\n" * n, a__txt=lambda n: "let a = 1\n"), 100)
    row("a long file that is included", name, make(
        command, input__frc=lambda n: "include 'a.txt'\n", a__txt=lambda n: times("let a{i} = {i}", n)))

    def included(n, folder, command=command):
        for i in range(n):
            write(folder, f"a{i}.txt", f"let a{i} = 1\n")
        write(folder, "input.frc", times("include 'a{i}.txt'", n))
        return ["frc", *command]

    row("files that are included", name, included, 50)

    def chain(n, folder, command=command):
        depth = max(n // 200, 1)
        for i in range(depth):
            write(folder, f"a{i}.txt", f"include 'a{i + 1}.txt'\n")
        write(folder, f"a{depth}.txt", "let a = 1\n")
        write(folder, "input.frc", "include 'a0.txt' alone\n" * 200)
        return ["frc", *command]

    row("inclusions, n / 200 deep 200 times", name, chain, 400, 12800)

# Many files.
PASSING = "print {0}\n#> {0}\n".format
FAILING = "print {0}\n#> x\n".format
NEW = "print {0}\n".format
for name, arguments, text in (
        ("frc test", ("test", "many", *TIME), PASSING),
        ("frc test --no-isolate", ("test", "--no-isolate", "many", *TIME), PASSING),
        ("frc test --list", ("test", "--list", "many", *TIME), PASSING),
        ("frc test --shuffle", ("test", "--shuffle", "1", "many", *TIME), PASSING),
        ("frc test --slowest", ("test", "--slowest", "10", "many", *TIME), PASSING),
        ("frc test --shard", ("test", "--shard", "1/2", "many", *TIME), PASSING),
        ("frc test --filter", ("test", "--filter", "**/*1.frc", "many", *TIME), PASSING),
        ("frc test --coverage", ("test", "--coverage", "many", *TIME), PASSING),
        ("frc check", ("check", "many"), PASSING),
        ("frc fmt", ("fmt", "many"), "print   {0}\n".format),
        ("frc play", ("play", "many", "-o", "site"), PASSING),
        ("frc export", ("export", "many", "-o", "package"), lambda i: SHELF + f"fetch books\ninsert Book(title: '{i}')\n")):
    row("scripts in a folder", name, many(arguments, text), 50)
for name, arguments in (
        ("frc test", ("test", "many", *TIME)), ("frc test --update", ("test", "--update", "many", *TIME)),
        ("frc test --update --dry-run", ("test", "--update", "--dry-run", "many", *TIME)),
        ("frc test --report", ("test", "--report", "junit=r.xml", "--report", "markdown=r.md", "--report",
                               "json=r.json", "--report", "tap=r.tap", "many", *TIME))):
    row("failing scripts in a folder", name, many(arguments, FAILING), 50)


def fixtures(n, folder):
    write(folder, "frc.toml", "fixtures = [" + ", ".join(f'"other/{i}.frc"' for i in range(n)) + "]\n")
    return many(("test", "many", *TIME), PASSING)(20, folder)


row("fixtures in frc.toml, for 20 scripts", "frc test", fixtures, 20)
row("paths of the command line", "frc test", lambda n, folder: many(
    ("test", *(f"many/{i:06}.frc" for i in range(n)), *TIME), PASSING)(n, folder), 50, 12800)


def nested_folders(n, folder):
    depth = max(n // 100, 1)
    for number in range(100):
        write(folder, f"many/{number}/" + "a/" * depth + "a.frc", "print 1\n#> 1\n")
    return ["frc", "test", "many", *TIME]


row("folders, n / 100 deep 100 times", "frc test", nested_folders, 400, 51200)

# Markdown.
for name, arguments in (("frc test", ("test", "a.md", *TIME)),
                        ("frc test --update", ("test", "--update", "a.md", *TIME)),
                        ("frc play", ("play", "a.md", "-o", "site"))):
    row("code blocks of Markdown", name, make(
        arguments, a__md=lambda n: times("Text.\n\n```frc\nprint {i}\n```\n", n)), 50)
    row("headings of Markdown", name, make(
        arguments, a__md=lambda n: times("# H{i}\n\n```frc\nprint {i}\n```\n", n)), 50)
    row("lines of Markdown", name, make(
        arguments, a__md=lambda n: "Text and *more*.\n" * n + "\n```frc\nprint 1\n#> 1\n```\n"))

# Lessons.
LESSON = """#@ lesson predict An object appears
#@ covers created batch
# A list shows what a controller found.

entity Book {{ title: String }}
controller books = Book sort by title
{}fetch books

#@ task A book is added.
insert Book(title: "Dune")
#> books willChangeContent
#> books didChange object insert Book/1 "Dune" -> [0, 0]
#> books didChangeContent

#@ why A new object that matches is an insert.
{}#@ wrong created The object is there now, so it looks like an update.
#| update Book/1 [0, 0]
#@ hint One book comes.
#@ hint The list was empty, so the book is in the first row.
#@ hint Write: insert Book/1 and then its index path [0, 0].
""".format
CHECK_LESSON = ("lesson", "check", "a.frc")
row("lessons in a folder", "frc lesson check", many(
    ("lesson", "check", "many"), lambda i: LESSON("", "").replace("appears", f"appears {i}"), extra=None), 20)
row("lessons in a folder", "frc learn --list", many(
    ("learn", "many", "--list"), lambda i: LESSON("", "").replace("appears", f"appears {i}")), 20)
row("statements of a lesson", "frc lesson check", make(
    CHECK_LESSON, a__frc=lambda n: LESSON(times("let a{i} = 1", n), "")), 50)
row("wrong answers of a lesson", "frc lesson check", make(
    CHECK_LESSON, a__frc=lambda n: LESSON("", "#@ wrong created Not an update.\n#| update Book/1 [0, 0]\n" * n)),
    20)
row("text of a lesson", "frc lesson check", make(
    CHECK_LESSON, a__frc=lambda n: LESSON("", "").replace("#@ hint One", "# More text.\n" * n + "#@ hint One")))


# Logs.
def callbacks(n):
    inserts = "".join(
        f'{{"event":"willChangeContent","controller":"books"}}\n'
        f'{{"event":"didChangeObject","controller":"books","type":"insert","object":"Book/{i + 1}",'
        f'"newIndexPath":[0,{i}]}}\n{{"event":"didChangeContent","controller":"books"}}\n' for i in range(n))
    return inserts


def one_batch(n):
    return '{"event":"willChangeContent","controller":"books"}\n' + "".join(
        f'{{"event":"didChangeObject","controller":"books","type":"insert","object":"Book/{i + 1}",'
        f'"newIndexPath":[0,{i}]}}\n' for i in range(n)) + '{"event":"didChangeContent","controller":"books"}\n'


def recorded(text):
    """The events that a run prints, as a log."""

    def log(size, folder):
        write(folder, "input.frc", text(size))
        with open(os.path.join(folder, "a.log"), "wb") as file:
            subprocess.run([PROGRAM[0], "run", "input.frc", "--format", "json"], cwd=folder, stdout=file,
                           stderr=subprocess.DEVNULL, check=False)
        return ["frc", "replay", "a.log"]

    return log


PROGRAM = [""]
WRONG = ("*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: "
         "'Invalid update: invalid number of rows in section 0.  The number of rows contained in an "
         "existing section after the update ({1}) must be equal to the number of rows contained in that "
         "section before the update ({0}), plus or minus the number of rows inserted or deleted from that "
         "section (0 inserted, 0 deleted) and plus or minus the number of rows moved into or out of that "
         "section (0 moved in, 0 moved out).'\n").format
TOLD = ("controllerWillChangeContent:\ndidChangeObject: NSFetchedResultsChangeInsert indexPath: (null) "
        "newIndexPath: <NSIndexPath: 0xc000000000000016> {{length = 2, path = 0 - {0}}}\n"
        "controllerDidChangeContent:\n").format
ENTRY = {"traceID": 1, "eventType": "logEvent", "source": None, "subsystem": "com.example.app", "processID": 123,
         "backtrace": {"frames": [{"imageOffset": 1}]}, "timestamp": "2026-01-01 10:00:00.000000+0100"}
for name, log in (
        ("batches of a log", callbacks), ("callbacks of one batch", one_batch),
        ("other lines of a log", lambda n: "2026-01-01 10:00:00.000 App[1:1] Something else.\n" * n + one_batch(3)),
        ("batches in a console", lambda n: "".join(TOLD(i) for i in range(n))),
        ("entries of the system's log", lambda n: "".join(
            json.dumps({**ENTRY, "eventMessage": line}) + "\n" for i in range(n) for line in TOLD(i).splitlines())),
        ("exceptions in a console", lambda n: "".join(TOLD(i) + WRONG(i, i + 2) for i in range(n))),
        ("a long line of a log", lambda n: "x" * n + "\n" + one_batch(3)),
        ("brackets in a log", lambda n: "[" * n + "\n" + '{"event":' * n + "\n" + one_batch(3)),
        ("braces in a line of a log", lambda n: "{length = 2, path = 0 - " * n + "\n" + one_batch(3))):
    row(name, "frc replay", make(("replay", "a.log"), a__log=log), 100)
    if name in ("batches of a log", "callbacks of one batch", "exceptions in a console"):
        row(name, "frc replay --script", make(
            ("replay", "a.log", "--script", "s.frc"), a__log=log), 100)
        row(name, "frc replay --html", make(("replay", "a.log", "--html", "p.html"), a__log=log), 100)
row("batches in a console", "frc replay --pattern", make(
    ("replay", "a.log", "--pattern", "{type} {object} at {old} -> {new}"),
    a__log=lambda n: "".join(f"insert Book/{i} at nil -> [0, {i}]\n" for i in range(n))), 100)
row("turns that frc recorded", "frc replay", recorded(lambda n: SHELF + "fetch books\n" + inserted(n)), 100)
row("sections that frc recorded", "frc replay", recorded(
    lambda n: "entity Book { title: String, pages: Int = 0 }\ncontroller books = Book sort by pages "
    "section by pages\nfetch books\n" + inserted(n)), 100)


# Stores.
def store(text, command):
    """Makes the store with frc itself, and then reads it."""

    def made(size, folder):
        write(folder, "made.frc", 'store sqlite "a.sqlite"\n' + text(size))
        subprocess.run([PROGRAM[0], "run", "made.frc"], cwd=folder, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        write(folder, "input.frc", text(size).split("insert")[0] + "count Book\nfetch Book\n")
        return ["frc", *command]

    return made


MADE = {
    "rows of a store": lambda n: BOOK + in_one_turn(n).replace("perform {\n", "perform {\n") + "save\n",
    "entities of a store": lambda n: BOOK + times("entity Book{i} {{ title: String? }}", n)
    + "insert Book(title: 'a')\nsave\n",
    "columns of a store": lambda n: "entity Book {\n" + times("a{i}: Int = 0", n) + "}\ninsert Book()\nsave\n",
    "relationships of a store": lambda n: "entity Author { name: String?\n" + times(
        "books{i}: [Book] inverse author{i}", n) + "}\nentity Book {\n" + times("author{i}: Author?", n)
    + "}\ninsert Book()\nsave\n",
}
for name, text in MADE.items():
    row(name, "frc schema", store(text, ("schema", "a.sqlite")), 50, 1600 if "columns" in name else 1 << 20)
    if "relationships" not in name:
        row(name, "frc run --store", store(text, ("run", "--store", "a.sqlite", "input.frc")), 50)


def foreign(size, folder):
    """A file that frc did not make, with many tables."""
    base = sqlite3.connect(os.path.join(folder, "a.sqlite"))
    base.execute("CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, "
                 "Z_MAX INTEGER)")
    base.execute("CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR, Z_PLIST BLOB)")
    for i in range(size):
        base.execute(f"CREATE TABLE ZB{i} (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZA VARCHAR, "
                     f"ZB{max(i - 1, 0)} INTEGER)")
        base.execute("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, 0, 0)", (i + 1, f"B{i}"))
    base.commit()
    base.close()
    return ["frc", "schema", "a.sqlite"]


row("tables of a foreign store", "frc schema", foreign, 50)
def watched(size, folder):
    """A store that grows by n objects while frc follows it."""
    model = BOOK + "controller books = Book sort by title\nfetch books\n"
    write(folder, "input.frc", model)
    write(folder, "first.frc", 'store sqlite "a.sqlite"\n' + BOOK + "insert Book(title: 'a')\nsave\n")
    write(folder, "made.frc", 'store sqlite "a.sqlite"\n' + BOOK + in_one_turn(size) + "save\n")
    subprocess.run([PROGRAM[0], "run", "first.frc"], cwd=folder, stdout=subprocess.DEVNULL, check=False)
    # It prints the end of the batch when it has followed the save.
    return ["sh", "-c", '"$0" watch a.sqlite input.frc >out.txt & p=$!; sleep 0.5; "$0" run made.frc; '
            "until grep -q didChangeContent out.txt; do sleep 0.2; done; kill -TERM $p; wait $p", PROGRAM[0]]


row("objects that another process saves", "frc watch", watched, 1000, 64000)
row("a history that is kept", "frc run --store", store(
    lambda n: HISTORY.split("\n", 1)[1] + times("insert Book(title: '{i}')\nsave", n),
    ("run", "--store", "a.sqlite", "input.frc")), 50)

# Random turns.
row("turns", "frc fuzz", lambda n, folder: ["frc", "fuzz", "--turns", str(n), "--seed", "1"], 100)


# An editor.
def asked(text, method, other=lambda n: "", **params):
    """What an editor sends to ask once about a script of n parts, which may include another file."""

    def write_all(size, folder):
        write(folder, "other.frc", other(size))
        document = {"uri": f"file://{folder}/input.frc"}
        messages = [
            {"id": 1, "method": "initialize", "params": {
                "capabilities": {}, "initializationOptions": {"live": False}}},
            {"method": "textDocument/didOpen", "params": {"textDocument": {
                **document, "languageId": "frc", "version": 1, "text": text(size)}}},
            {"id": 2, "method": method, "params": {"textDocument": document, **params}},
            {"id": 3, "method": "shutdown"}, {"method": "exit"}]
        bodies = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages]
        write(folder, "messages", "".join(f"Content-Length: {len(body)}\r\n\r\n{body}" for body in bodies))
        return ["frc", "lsp", "<", "messages"]

    return write_all


row("colours of statements", "frc lsp", asked(
    lambda n: times('let b{i} = "{i}"', n), "textDocument/semanticTokens/full"))
row("uses of a name in another file", "frc lsp", asked(
    lambda n: "include 'other.frc'\nprint a\n", "textDocument/references",
    other=lambda n: "let a = 1\n" + "print a\n" * n, position={"line": 1, "character": 6}))


# A terminal. The keys come as they would from hands and from a clipboard.
def typed(keys, history=None):
    def make_keys(size, folder):
        write(folder, "keys.txt", keys(size))
        if history:
            write(folder, "history", history(size))
        return ["terminal", "keys.txt"]

    return make_keys


def answered(keys, arguments, script=None):
    """A command at a terminal, other than the prompt."""

    def make_keys(size, folder):
        write(folder, "keys.txt", keys(size))
        if script:
            write(folder, "a.frc", script(size))
        return ["terminal", "keys.txt", *arguments]

    return make_keys


row("wrong blocks", "frc review", answered(
    lambda n: "a" * n + "q", ["review", "a.frc"], lambda n: times("print {i}\n#> x", n)), 50, 6400)
row("answers to a lesson", "frc learn", answered(
    lambda n: "delete Book/1 [0, 0]\n\n" * n + ":quit\n", ["learn"]), 50, 6400)

# Statements that come with the command.
row("statements of the command line", "frc -e", lambda n, folder: [
    "frc", *(part for i in range(n) for part in ("-e", f"let a{i} = {i}"))], 250, 16000)
row("statements in one -e", "frc -e", lambda n, folder: [
    "frc", "-e", times("let a{i} = 1", min(n, 8000))], 250, 8000)
# Texts of a fixed length.
row("a text that is printed", "frc help", lambda n, folder: ["frc", "help", "run"], 1, 1)
row("a file that is printed", "frc swift", lambda n, folder: ["frc", "swift", "--recorder"], 1, 1)

for name, keys in (
        ("statements that are typed", lambda n: times("let a{i} = {i}", n)),
        ("statements that are typed, with a controller", lambda n: SHELF + "fetch books\n" + times(
            "insert Book(title: '{i}')", n)),
        ("lines of one statement", lambda n: "perform {\n" + times("let a{i} = 1", n) + "}\n"),
        ("characters of one line", lambda n: "print " + "1 + " * min(n, 900) + "1\n"),
        ("a pasted text", lambda n: "\x1b[200~" + times("let a{i} = {i}", n) + "\x1b[201~\n"),
        ("a pasted line", lambda n: "\x1b[200~print '" + "a" * n + "'\x1b[201~\n"),
        ("lines back in the history", lambda n: times("let a{i} = {i}", n) + "\x10" * n + "\n"),
        ("a search in the history", lambda n: times("let a{i} = {i}", n) + "\x12a0" + "\x12" * n + "\n"),
        ("completions", lambda n: times("let name{i} = {i}", n) + "print na\t\t\x07\x15\n"),
        ("names that are listed", lambda n: times("let name{i} = {i}", n) + "print na\t\x07\x15\n"),
        (":undo of all statements", lambda n: times("let a{i} = {i}", n) + f":undo {n}\n:redo {n}\n"),
        (":timeline", lambda n: times("let a{i} = {i}", n) + ":timeline\n"),
        (":record", lambda n: times("let a{i} = {i}", n) + ":record out.frc\n"),
        (":share", lambda n: SHELF + "fetch books\n" + times("insert Book(title: '{i}')", n)
         + ":share page.html\n"),
        (":history", lambda n: times("let a{i} = {i}", n) + ":history\n"),
        ("sections that a statement removed", lambda n: SECTIONS + f"for i in 1...{n} "
         "{ insert Book(pages: i, title: 'a') }\nfetch books\ndelete Book where pages > 1\n"
         + "show books\n" * 5),
        (":mode table", lambda n: BOOK + f"insert {n} Book(title: 'a')\n:mode table\nfetch Book\n"),
        (":load", lambda n: f":load keys.txt\n#" + "\n" + times("# {i}", n))):
    row(name, "the prompt", typed(lambda n, keys=keys: keys(n) + ":quit\n"), 40, 100000)
row("entries of an old history", "the prompt", typed(
    lambda n: "print 1\n:history zz\n\x12zz\x07\x15\n:quit\n", lambda n: times("let a{i} = {i}", n)), 1000)
