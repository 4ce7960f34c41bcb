"""Faults of the machine: calls of the system that fail, and kills between two of them.

A library that the program loads first counts the calls that read and write files. Each
scenario runs once for every one of these calls, which fails, or before which the process
is killed or a file goes away. Between two such calls nothing on the disk changes, so these
are all the moments at which a process can be killed.
"""

import errno
import json
import re
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .program import Outcome, Program
from .prompt import typed

SOURCE = Path(__file__).with_name("faults.c")
Files = dict[str, bytes]


@dataclass
class Fault:
    """What goes wrong, and at which calls: writing, cutting off, creating, deleting, reading."""

    name: str
    calls: str
    error: int = 0
    # Whether only one call fails, and not all after it.
    once: bool = True
    # Whether the first one writes half of its bytes.
    halves: bool = False
    # Whether the call succeeds, and a file of the scenario is gone or another one before it.
    removes: bool = False
    replaces: bool = False

    @property
    def kills(self) -> bool:
        return self.error == 0 and not self.changes_file

    @property
    def changes_file(self) -> bool:
        return self.removes or self.replaces


FAULTS = [
    Fault("killed", "wtcd"),
    Fault("an I/O error", "wtcd", errno.EIO),
    Fault("a full disk", "wc", errno.ENOSPC, once=False),
    Fault("a disk that fills up in a write", "w", errno.ENOSPC, once=False, halves=True),
    Fault("no permission any more", "cd", errno.EACCES, once=False),
    Fault("an I/O error in reading", "r", errno.EIO),
    Fault("a file that cannot be found", "r", errno.ENOENT),
    Fault("a file that is removed", "wcr", removes=True),
    Fault("a file that is replaced", "wcr", replaces=True),
]
OTHER = b"print 4\n#> 4\n"


@dataclass
class Scenario:
    """A run of the program that writes files."""

    name: str
    arguments: list[str]
    # Writes the files that are there before.
    prepare: Callable[[Path], None]
    # Files that are as before or as after a run without a fault, and nothing else.
    whole: tuple[str, ...] = ()
    # Says what else is wrong with the files that a run leaves.
    check: Callable[[Path], Iterator[str]] = lambda folder: iter(())
    # Files that may be there when a process was killed.
    leftovers: str = ""
    # Whether a run after one that was killed has to end up where a whole one does.
    heals: bool = True
    # What is typed, where the program runs in a terminal. It ends with what leaves the program.
    keys: bytes | None = None
    # The file that goes, or is replaced, while the program runs.
    victim: str = ""


@dataclass
class Tally:
    runs: int = 0
    kills: int = 0
    problems: list[str] = field(default_factory=list)


class Machine:
    """Runs scenarios under faults."""

    def __init__(self, program: Program, work: Path):
        self.program = program
        self.work = work
        self.library = work / "faults.so"
        compiler = shutil.which("cc") or shutil.which("clang")
        if not compiler:
            raise SystemExit("fuzz: there is no C compiler, so no call of the system can fail")
        subprocess.run(
            [compiler, "-O1", "-shared", "-fPIC", "-o", self.library, SOURCE, "-ldl"], check=True)

    def run(self, scenario: Scenario, folder: Path, fault: Fault | None, at: int) -> Outcome:
        variables = {}
        if fault:
            variables = {
                "LD_PRELOAD": str(self.library), "FAULT_UNDER": str(folder),
                "FAULT_CALLS": fault.calls, "FAULT_AT": str(at), "FAULT_ERROR": str(fault.error),
                "FAULT_COUNT": str(self.work / "count"),
            }
            if fault.changes_file:
                variables["FAULT_FILE"] = str(folder / scenario.victim)
            if fault.replaces:
                other = self.work / "other"
                other.write_bytes(OTHER)
                variables["FAULT_OTHER"] = str(other)
            if fault.once:
                variables["FAULT_ONCE"] = "1"
            if fault.halves:
                variables["FAULT_HALF"] = "1"
        if scenario.keys is not None:
            history = str(folder / "history")
            return typed(self.program, scenario.arguments, scenario.keys, folder,
                         leaves_by_keys=True, FRC_HISTORY=history, **variables)
        return self.program.run(scenario.arguments, folder, **variables)

    def fresh(self, scenario: Scenario) -> Path:
        folder = self.work / scenario.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        scenario.prepare(folder)
        return folder

    def examine(self, scenario: Scenario, most: int, tally: Tally) -> None:
        """Runs a scenario under every fault at every call, or at `most` of them."""
        folder = self.fresh(scenario)
        before = files(folder)
        good = self.run(scenario, folder, None, 0)
        after = files(folder)
        wrong = [f"without a fault: {problem}" for problem in scenario.check(folder)]
        tally.problems += [f"{scenario.name}: {problem}" for problem in wrong]
        counts: dict[str, int] = {}
        for fault in FAULTS:
            if fault.changes_file and not scenario.victim:
                continue
            if fault.calls not in counts:
                self.run(scenario, self.fresh(scenario), fault, 0)
                counts[fault.calls] = int((self.work / "count").read_text())
            count = counts[fault.calls]
            step = max(1, -(-count // most))
            for at in range(1, count + 1, step):
                folder = self.fresh(scenario)
                outcome = self.run(scenario, folder, fault, at)
                tally.runs += 1
                tally.kills += fault.kills
                for problem in self.problems(scenario, folder, fault, outcome, good, before, after):
                    text = f"{scenario.name}: {fault.name} at call {at}: {problem}"
                    tally.problems.append(text)
                    print(text, flush=True)

    def problems(
        self, scenario: Scenario, folder: Path, fault: Fault, outcome: Outcome, good: Outcome,
        before: Files, after: Files,
    ) -> Iterator[str]:
        now = files(folder)
        if outcome.hung:
            yield outcome.hung
        if outcome.crashed and not (fault.kills and outcome.signal == "SIGKILL"):
            yield f"crashed by {outcome.signal}: {outcome.errors[-300:]!r}"
        for name in scenario.whole:
            right = {masked(before.get(name)), masked(after.get(name))}
            if fault.changes_file and name == scenario.victim:
                right |= {None, masked(OTHER)}
            if masked(now.get(name)) not in right:
                yield f"{name} is torn: {now.get(name)!r:.300}"
        yield from scenario.check(folder)
        if not fault.kills and not fault.changes_file and scenario.keys is None:
            yield from self.silence(scenario, fault, outcome, good, now, after)
        strays = now.keys() - before.keys() - after.keys()
        # A draft keeps its name if the process can neither give it the file's nor remove it.
        is_draft = any(name.endswith(".frc~") for name in strays)
        if (fault.kills and scenario.heals) or is_draft:
            again = self.run(scenario, folder, None, 0)
            now = files(folder)
            strays = now.keys() - before.keys() - after.keys()
            if again.status != good.status:
                yield f"the next run ends with {again.status}: {again.shown[-300:]!r}"
            for name in scenario.whole:
                if masked(now.get(name)) != masked(after.get(name)):
                    yield f"{name} is not as it should be after the next run"
            for name in after.keys() - now.keys():
                yield f"{name} is missing after the next run"
        for name in sorted(strays):
            if not (scenario.leftovers and re.fullmatch(scenario.leftovers, name)):
                yield f"a stray file: {name}"

    def silence(
        self, scenario: Scenario, fault: Fault, outcome: Outcome, good: Outcome, now: Files,
        after: Files,
    ) -> Iterator[str]:
        """Faults that are told twice, or not at all."""
        said = [line for line in (outcome.output + outcome.errors).splitlines()
                if re.search(rb"\b(error|warning|cannot|not (updated|written))\b", line)]
        usual = set((good.output + good.errors).splitlines())
        said = [line for line in said if line not in usual]
        if len(said) != len(set(said)):
            yield f"one message twice: {said}"
        if fault.once and len(said) > 1:
            yield f"{len(said)} messages: {said}"
        if said or outcome.status != good.status:
            return
        for name in scenario.whole:
            if masked(now.get(name)) != masked(after.get(name)):
                yield f"nothing was said, and {name} is not written"


def files(folder: Path) -> Files:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*")) if path.is_file()}


def masked(content: bytes | None) -> bytes | None:
    """Contents without times, which are others in each run."""
    return None if content is None else re.sub(rb"\d+([.:-]\d+)*(e-\d+)?", b"N", content)


# MARK: Scenarios

LIBRARY = "entity Book { title: String, pages: Int = 0 }\n"
SAVES = 60
# Beside the few that differ, so that many files are written in one run.
MORE = [f"more{number}.frc" for number in range(30)]


def save_before(folder: Path) -> None:
    (folder / "save.frc").write_text(
        f'store sqlite "s.sqlite"\n{LIBRARY}'
        + "".join(
            f'insert Book(title: "a"); insert Book(title: "b")\nBook/1.pages = {number}\nsave\n'
            for number in range(1, SAVES + 1)))


def save_check(folder: Path) -> Iterator[str]:
    """Every state between two saves is right, and no other."""
    store = folder / "s.sqlite"
    if not store.exists() or store.stat().st_size == 0:
        return
    connection = sqlite3.connect(store)
    try:
        if (found := connection.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
            yield f"the store is damaged: {found}"
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master")]
        if "ZBOOK" not in tables:
            return
        count, = connection.execute("SELECT count(*) FROM ZBOOK").fetchone()
        pages, = connection.execute("SELECT coalesce(max(ZPAGES), 0) FROM ZBOOK").fetchone()
        if count != 2 * pages:
            yield f"half a save: {count} books, the last save was number {pages}"
    except sqlite3.Error as error:
        yield f"the store cannot be read: {error}"
    finally:
        connection.close()


def caches_before(folder: Path) -> None:
    (folder / "look.frc").write_text(
        f'store sqlite "s.sqlite"\n{LIBRARY}'
        'if count(Book) == 0 { repeat 5 { insert Book(title: "x") }; save }\n'
        'controller a = Book sort by pages, title section by title cache "a"\nfetch a\nshow a\n')


def caches_check(folder: Path) -> Iterator[str]:
    for path in folder.glob("caches/*.frccache"):
        if path.read_bytes()[:8] != b"frcCache" or path.stat().st_size < 64:
            yield f"{path.name} is torn"


def scripts_before(folder: Path) -> None:
    (folder / "a.frc").write_text("print   1\n#> 0\nprint 2\n#> 0\n")
    (folder / "b.frc").write_text('print "b"\nprint    "c"\n')
    (folder / "b.golden").write_text("old\n")
    (folder / "c.md").write_text("# c\n\n```frc\nprint 3\n#> 0\n```\n")
    for name in MORE:
        (folder / name).write_text("print   5\n#> 0\n")


def reports_before(folder: Path) -> None:
    scripts_before(folder)
    for name in ("r.xml", "r.md", "r.tap"):
        (folder / name).write_text("of an earlier run\n")


def reports_check(folder: Path) -> Iterator[str]:
    report = folder / "r.xml"
    if report.exists() and report.read_bytes() != b"of an earlier run\n":
        try:
            ElementTree.parse(report)
        except ElementTree.ParseError as error:
            yield f"r.xml is torn: {error}"
    if (folder / "r.json").exists():
        *lines, rest = (folder / "r.json").read_bytes().split(b"\n")
        try:
            for line in lines:
                json.loads(line)
        except ValueError as error:
            yield f"r.json has a line that is torn: {error}"
    yield from records_check(folder)


def records_check(folder: Path) -> Iterator[str]:
    for path in folder.glob(".frc/*.json"):
        try:
            json.loads(path.read_bytes())
        except ValueError as error:
            yield f"{path.name} is torn: {error}"


ENTRIES = ["print 0", 'insert Book(title: "x")', *(f"print {number}" for number in range(1, 31))]


def history_before(folder: Path) -> None:
    (folder / "history").write_text("".join(f"{entry}\n" for entry in ENTRIES[:2]))


def long_history_before(folder: Path) -> None:
    (folder / "history").write_text("".join(f"print {number}\n" for number in range(12_000)))


def history_check(folder: Path) -> Iterator[str]:
    """What was there stays, and nothing but whole entries follows it."""
    lines = (folder / "history").read_text().split("\n")
    if lines[-1:] == [""]:
        lines.pop()
    if lines[:2] != ENTRIES[:2] or any(line not in [*ENTRIES, ":quit"] for line in lines):
        yield f"the history is torn: {lines!r:.300}"


def long_history_check(folder: Path) -> Iterator[str]:
    lines = (folder / "history").read_text().splitlines()
    if len(lines) < 1000 or any(not re.fullmatch(r"print \d+|:quit", line) for line in lines):
        yield f"the history is torn: {len(lines)} entries, the last is {lines[-1:]}"


SQLITE = r"s\.sqlite-(wal|shm|journal)"
SCENARIOS = [
    Scenario("save", ["run", "save.frc"], save_before, check=save_check, leftovers=SQLITE,
             heals=False),
    Scenario("caches", ["run", "look.frc", "--cache-dir", "caches"], caches_before,
             check=caches_check, leftovers=SQLITE),
    Scenario("update", ["test", "--update", "a.frc", "b.frc", "c.md", *MORE],
             scripts_before, ("a.frc", "b.frc", "b.golden", "c.md", *MORE), records_check,
             victim="a.frc"),
    Scenario("fmt", ["fmt", "a.frc", "b.frc", *MORE], scripts_before, ("a.frc", "b.frc", *MORE),
             victim="a.frc"),
    Scenario("reports", [
        "test", "a.frc", "b.frc", "--report", "junit=r.xml", "--report", "json=r.json", "--report",
        "markdown=r.md", "--report", "tap=r.tap"], reports_before, ("r.md", "r.tap"), reports_check,
             victim="r.md"),
    Scenario("review", ["review", "a.frc", "b.frc"], scripts_before,
             ("a.frc", "b.frc", "b.golden"), records_check, r"\.frc/review\.json", heals=False,
             # More than one may be typed before the program asks again, and it takes the first.
             keys=b"aaaaaaaaaaq"),
    Scenario("history", [], history_before, check=history_check, heals=False,
             keys="".join(f"{entry}\r" for entry in [*ENTRIES[2:], ":quit"]).encode()),
    Scenario("long history", [], long_history_before, check=long_history_check, heals=False,
             keys=b"print 1\r:quit\r"),
]


def examine(program: Program, work: Path, is_short: bool) -> int:
    """Runs every scenario; prints what is wrong, and the sums."""
    machine = Machine(program, work)
    total = Tally()
    for scenario in SCENARIOS:
        tally = Tally()
        machine.examine(scenario, 3 if is_short else 1 << 30, tally)
        print(f"{scenario.name}: {tally.runs} runs, {tally.kills} kills, "
              f"{len(tally.problems)} problems", flush=True)
        total.runs += tally.runs
        total.kills += tally.kills
        total.problems += tally.problems
    print(f"{total.runs} runs, {total.kills} kills, {len(total.problems)} problems")
    return 1 if total.problems else 0
