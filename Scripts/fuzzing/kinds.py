"""The kinds of input that are read in hundreds at a time."""

import json
import random
import re
import sqlite3
from pathlib import Path

from . import binaries, texts
from .findings import Fault
from .lab import Kind, Lab, is_timed, plain
from .program import Outcome

RUN = ["test", "-j", "1", "--timeout", "1s", "--json"]

# What a script says of the store itself, which is another one in memory and in a file.
STORE_WORDS = re.compile(
    rb"\b(stats|sql|objectID|uri|store|caches?|history|extension|process|remoteChanges|automerge|"
    rb"explain|nil apple|refresh|reset|import|model|request)\b")
# A store in a file looks at the whole model when it is opened, and takes no entity after that;
# one in memory looks at what is used.
WRONG_MODEL = re.compile(
    rb"which is not an entity|no relationship of that name|does not lead back|stores and entities come|"
    rb"must both be transient")

LIBRARY = """\
entity Author { name: String, books: [Book] inverse author on delete cascade, unique name }
entity Book {
  title: String, pages: Int = 0, price: Decimal?, rating: Double?, isRead: Bool = NO
  published: Date?, code: UUID?, link: URI?, cover: Data? external
  author: Author? inverse books, tags: [Tag] inverse books ordered
}
entity Manga: Book { volume: Int16 = 1 }
entity Tag { label: String, books: [Book] inverse tags }
"""
FILLING = """\
let ann = insert Author(name: "Ann")
let bob = insert Author(name: "Bob")
let red = insert Tag(label: "red")
for i in 1...12 { insert Book(title: "Book \\(i)", pages: i * 10, author: ann, tags: [red]) }
insert Manga(title: "Akira", volume: 2, author: bob, price: 9.99, rating: 4.5, isRead: YES)
insert Book(title: "é", published: @2024-02-29, code: uuid("12345678-1234-1234-1234-123456789012"))
save
ann.name = "Anna"
save
"""
LOOKING = """\
try objects Author
try objects Book
try objects Tag
try fetch Book where pages > 20 AND author.name BEGINSWITH "A" sort by title desc limit 5
try print count(Book where ANY tags.label == "red")
controller books = Book sort by author.name, title section by author.name batch 3
try fetch books
try show books
"""
CHANGING = """\
try insert Book(title: "new", author: Author/1)
try save
try delete Book/3
try Book/1.pages = 7
try save
try history
try show books
"""


class Scripts(Kind):
    """Scripts, parsed, formatted and run, also on both stores."""

    name, file, share, size = "scripts", "input.frc", 40, 1000
    steps = ("test", "check", "fmt", "stores")

    def make(self, chance: random.Random) -> bytes:
        return self.lab.scripts.script(chance)

    def put(self, folder: Path, inputs: dict[str, bytes]) -> None:
        if not (folder / "parts").exists():
            self.lab.corpus.bring_side_files(folder)
        for stem, content in inputs.items():
            (folder / f"{stem}.frc").write_bytes(content)

    def is_due(self, step: str) -> bool:
        # The two stores cost ten times as much as all else.
        return self.rounds % {"test": 1, "check": 4, "fmt": 8, "stores": 25}[step] == 0

    def arguments(self, step: str, stems: list[str]) -> list[str]:
        files = [f"{stem}.frc" for stem in stems]
        match step:
            case "check":
                return ["check", "--json", *files]
            case "fmt":
                return ["fmt", *files]
            case "stores":
                return [*RUN, "--stores", "memory,sqlite", *files]
        return [*RUN, *files]

    def judge(
        self, step: str, stems: list[str], outcome: Outcome, folder: Path
    ) -> dict[str, Fault]:
        match step:
            case "fmt":
                return self.badly_formatted(stems, outcome, folder)
            case "stores":
                return disagreeing(outcome, folder)
        return crashed_tests(step, outcome)

    def badly_formatted(
        self, stems: list[str], outcome: Outcome, folder: Path
    ) -> dict[str, Fault]:
        """Scripts that are not formatted after they were formatted."""
        wrong = {stem for stem, said in self.parts(outcome, stems).items() if b"error:" in said}
        sound = [stem for stem in stems if stem not in wrong]
        if not sound:
            return {}
        again = self.lab.program.run(
            ["fmt", "--check", *(f"{stem}.frc" for stem in sound)], folder, seconds=240)
        said = self.parts(again, sound)
        return {
            stem: Fault("format", "fmt", plain(said[stem]), said[stem])
            for stem in sound if said.get(stem) and again.status != 0}


def crashed_tests(step: str, outcome: Outcome) -> dict[str, Fault]:
    """Tests that ended their process, where the program goes on without them."""
    faults = {}
    for line in outcome.output.splitlines():
        if b'"kind":"crash"' in line:
            event = json.loads(line)
            faults[stem(event)] = Fault("crash", step, plain(event["message"].encode()), line)
    return faults


def disagreeing(outcome: Outcome, folder: Path) -> dict[str, Fault]:
    """Scripts that print something else on one of two stores."""
    lines: dict[str, list[bytes]] = {}
    for line in outcome.output.splitlines():
        if b'"file":"m' in line:
            lines.setdefault(stem(json.loads(line)), []).append(line)
    faults = crashed_tests("stores", outcome)
    for name, said in lines.items():
        differing = [line for line in said if b'"store":' in line]
        script = folder / f"{name}.frc"
        all_said = b"".join(said)
        if differing and not WRONG_MODEL.search(all_said) and not is_timed(all_said) and (
                not STORE_WORDS.search(script.read_bytes())):
            event = json.loads(differing[0])
            faults[name] = Fault(
                "stores", "stores", plain(f"{event['kind']} {event.get('actual')}".encode()),
                b"\n".join(differing))
    return faults


def stem(event: dict) -> str:
    return Path(event.get("script", event["file"])).name.partition(".")[0]


class Tests(Kind):
    """A kind whose inputs are each read by a script of its own."""

    steps: tuple[str, ...] = ("test",)

    def arguments(self, step: str, stems: list[str]) -> list[str]:
        return [*RUN, *(f"{stem}.frc" for stem in stems)]

    def judge(
        self, step: str, stems: list[str], outcome: Outcome, folder: Path
    ) -> dict[str, Fault]:
        return crashed_tests(step, outcome)


class Models(Tests):
    """Xcode models."""

    name, file, share = "models", "contents", 2

    def make(self, chance: random.Random) -> bytes:
        return texts.MODELS.change(chance.choice(self.lab.corpus.models), chance)

    def put(self, folder: Path, inputs: dict[str, bytes]) -> None:
        for stem, content in inputs.items():
            model = folder / f"{stem}.xcdatamodel"
            model.mkdir(exist_ok=True)
            (model / "contents").write_bytes(content)
            (folder / f"{stem}.frc").write_text(
                f'try model "{stem}.xcdatamodel"\ntry show model\n'
                'try insert Author(name: "Ann")\ntry insert Book(title: "Dune")\n'
                "try Book/1.author = Author/1\ntry save\ntry objects Book\ntry objects Author\n"
                "try swift Book\ntry fetch Book where pages > 0 sort by title\n")


class Tables(Tests):
    """Files that are imported."""

    share = 1
    seed = ""
    mutator = texts.CSV

    def make(self, chance: random.Random) -> bytes:
        return self.mutator.change(self.lab.corpus.seed(self.seed), chance)

    def put(self, folder: Path, inputs: dict[str, bytes]) -> None:
        for stem, content in inputs.items():
            (folder / f"{stem}{Path(self.seed).suffix}").write_bytes(content)
            (folder / f"{stem}.frc").write_text(
                LIBRARY + f'try import "{stem}{Path(self.seed).suffix}" into Book\nobjects Book\n'
                "try save\n")


class CSV(Tables):
    name, file, seed = "csv", "rows.csv", "rows.csv"


class JSON(Tables):
    name, file, seed, mutator = "json", "rows.json", "rows.json", texts.JSON


class Documents(Tests):
    """Markdown files with scripts in them."""

    name, file, share, size = "markdown", "input.md", 2, 100

    def __init__(self, lab: Lab):
        super().__init__(lab)
        self.mutator = texts.MarkdownMutator(lab.scripts)

    def make(self, chance: random.Random) -> bytes:
        return self.mutator.change(chance.choice(self.lab.corpus.documents), chance)

    def put(self, folder: Path, inputs: dict[str, bytes]) -> None:
        for stem, content in inputs.items():
            (folder / f"{stem}.md").write_bytes(content)

    def arguments(self, step: str, stems: list[str]) -> list[str]:
        return [*RUN, *(f"{stem}.md" for stem in stems)]


class Stores(Kind):
    """SQLite files, read by tests and written by sessions."""

    name, file, share, size = "stores", "store.sqlite", 2, 60
    steps = ("read", "write")

    def __init__(self, lab: Lab):
        super().__init__(lab)
        folder = lab.folder("stores-to-begin-with")
        self.sources = []
        for name, model, filling in (
            ("library", LIBRARY, FILLING),
            ("plain", "entity Book { title: String, pages: Int }\n",
             'repeat 9 { insert Book(title: "x", pages: 3) }\nsave\n'),
        ):
            for option in ("", " history"):
                script = folder / f"{name}{option.strip()}.frc"
                store = script.with_suffix(".sqlite")
                script.write_text(f'store sqlite "{store.name}"{option}\n{model}{filling}')
                lab.program.run(["run", script.name], folder)
                whole(store)
                self.sources.append((model, store.read_bytes()))

    def make(self, chance: random.Random) -> bytes:
        path = self.lab.work / "changed.sqlite"
        binaries.store(path, chance.choice(self.sources)[1], chance)
        return path.read_bytes()

    def put(self, folder: Path, inputs: dict[str, bytes]) -> None:
        for path in [*folder.glob("*-wal"), *folder.glob("*-shm"), *folder.glob("*-journal")]:
            path.unlink()
        for stem, content in inputs.items():
            (folder / f"{stem}.sqlite").write_bytes(content)
            for name, option, rest in (
                    (stem, " readonly", LOOKING), (f"{stem}w", "", LOOKING + CHANGING)):
                (folder / f"{name}.frc").write_text(
                    f'{LIBRARY}set clock @2026-01-01\nstore sqlite "{stem}.sqlite"{option}\nprint "{stem}"\n{rest}')

    def arguments(self, step: str, stems: list[str]) -> list[str]:
        if step == "read":
            return [*RUN, *(f"{stem}.frc" for stem in stems)]
        return ["run", *(f"{stem}w.frc" for stem in stems)]

    def judge(
        self, step: str, stems: list[str], outcome: Outcome, folder: Path
    ) -> dict[str, Fault]:
        return crashed_tests(step, outcome)


def whole(store: Path) -> None:
    """Brings what is in a store's log into its file."""
    connection = sqlite3.connect(store)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


class Caches(Kind):
    """Files of section caches, all about one store."""

    name, file, share, size = "caches", "section.frccache", 1, 100
    steps = ("caches",)

    def __init__(self, lab: Lab):
        super().__init__(lab)
        self.home = lab.folder("caches-to-begin-with")
        (self.home / "fill.frc").write_text(LIBRARY + FILLING)
        lab.program.run(["run", "fill.frc", "--store", "s.sqlite"], self.home)
        whole(self.home / "s.sqlite")
        self.script(self.home, ["m00000"])
        lab.program.run(self.arguments("caches", []), self.home)
        self.source = next((self.home / "caches").iterdir()).read_bytes()

    def script(self, folder: Path, stems: list[str]) -> None:
        controllers = "".join(
            f'controller {stem} = Book sort by author.name, title section by author.name '
            f'cache "{stem}"\ntry fetch {stem}\nprint "{stem}"\ntry show {stem}\n'
            for stem in stems)
        (folder / "look.frc").write_text(LIBRARY + controllers + "caches\n")

    def make(self, chance: random.Random) -> bytes:
        # The name is in the file, so each input says whose it is when it is put there.
        return binaries.cache(self.source, chance)

    def put(self, folder: Path, inputs: dict[str, bytes]) -> None:
        # The store stays where it is: a cache knows its file.
        caches = self.home / "caches"
        for path in caches.iterdir():
            path.unlink()
        self.script(self.home, list(inputs))
        for stem, content in inputs.items():
            named = content.replace(b"m00000", stem.encode())
            # Only a file that was right before keeps a checksum that is.
            if named != content and binaries.is_right(content):
                named = binaries.righted(named)
            (caches / f"{stem}.frccache").write_bytes(named)

    def run(self, step, inputs, folder, backtrace=False):
        return super().run(step, inputs, self.home, backtrace)

    def arguments(self, step: str, stems: list[str]) -> list[str]:
        return ["run", "look.frc", "--store", "s.sqlite", "--cache-dir", "caches"]


class Settings(Kind):
    """frc.toml, read by a run that lists its tests."""

    name, file, share, size = "configuration", "frc.toml", 1, 40
    steps = ("list",)

    def make(self, chance: random.Random) -> bytes:
        return texts.TOML.change(self.lab.corpus.seed("frc.toml"), chance)

    def put(self, folder: Path, inputs: dict[str, bytes]) -> None:
        for content in inputs.values():
            (folder / "frc.toml").write_bytes(content)
        (folder / "a.frc").write_text("print 1\n#> 1\n")
        (folder / "b.frc").write_text("print 2\n")

    def arguments(self, step: str, stems: list[str]) -> list[str]:
        return ["test", "--list=json"]

    def look(
        self, step: str, inputs: dict[str, bytes], folder: Path, repetitions: int = 1
    ) -> dict[str, Fault]:
        faults = {}
        for stem, content in inputs.items():
            faults |= super().look(step, {stem: content}, folder, repetitions)
        return faults


class Records(Settings):
    """What earlier runs left: .frc/last.json, reports with times."""

    name, file = "reports", "record.json"
    steps = ("failed", "times", "merge")

    def make(self, chance: random.Random) -> bytes:
        seed = chance.choice(("last.json", "report.json"))
        return texts.JSON.change(self.lab.corpus.seed(seed), chance)

    def is_due(self, step: str) -> bool:
        return self.rounds % 3 == self.steps.index(step)

    def put(self, folder: Path, inputs: dict[str, bytes]) -> None:
        super().put(folder, inputs)
        (folder / "frc.toml").unlink()
        (folder / ".frc").mkdir(exist_ok=True)
        for content in inputs.values():
            (folder / "times.json").write_bytes(content)
            (folder / ".frc" / "last.json").write_bytes(content)

    def arguments(self, step: str, stems: list[str]) -> list[str]:
        match step:
            case "failed":
                return ["test", "--failed", "--list=json", "."]
            case "times":
                return ["test", "--shard", "1/2", "--times", "times.json", "--list", "."]
        return ["test", "--json", "."]


class Logs(Settings):
    """Logs of apps, which are examined, and written as scripts."""

    name, file, share = "logs", "app.log", 2
    steps = ("replay", "script")

    def __init__(self, lab: Lab):
        super().__init__(lab)
        folder = lab.folder("logs-to-begin-with")
        (folder / "table.frc").write_text(
            LIBRARY + FILLING + LOOKING + "table view = books\n" + CHANGING)
        said = lab.program.run(["run", "--format", "json", "table.frc"], folder).output
        text = lab.program.run(["run", "table.frc"], folder).output
        self.sources = [*lab.corpus.logs, *(part.decode() for part in (said, text) if part.strip())]

    def is_due(self, step: str) -> bool:
        return step == "replay" or self.rounds % 3 == 0

    def make(self, chance: random.Random) -> bytes:
        return texts.LOGS.change(chance.choice(self.sources), chance)

    def put(self, folder: Path, inputs: dict[str, bytes]) -> None:
        for path in folder.glob("again.*"):
            path.unlink()
        for content in inputs.values():
            (folder / "app.log").write_bytes(content)

    def arguments(self, step: str, stems: list[str]) -> list[str]:
        if step == "replay":
            return ["replay", "app.log", "--explain-reading"]
        return ["replay", "app.log", "--script", "again.frc", "--html", "again.html"]

    def judge(
        self, step: str, stems: list[str], outcome: Outcome, folder: Path
    ) -> dict[str, Fault]:
        """A script that has an error."""
        if not (folder / "again.frc").exists():
            return {}
        checked = self.lab.program.run(["check", "again.frc"], folder)
        if checked.status == 0:
            return {}
        line = next(iter(checked.errors.splitlines()), b"")
        return {stems[0]: Fault("script", step, plain(line), checked.shown)}
