"""What all kinds of input share: the program, the corpus, a place to work, the findings."""

import random
import re
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path

from .corpus import Corpus
from .findings import Fault, Findings, mark_of_crash
from .program import Outcome, Program
from .reducing import reduced
from .scripts import ScriptMutator

# What the inputs of a round are called.
STEM = re.compile(rb"\bm\d{5}\b")
# Every store has a UUID of its own, as Core Data's have.
UUID = re.compile(rb"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}")
# What is said where time or memory ran out.
TIMED = (b'"kind":"timeout"', b'Limit"', b"timed out", b'"event":"stopped"')
# Of defects that look alike, no more than so many are kept.
MOST_KEPT = 20
# The part of the time that may go into making inputs short.
REDUCING = 0.15


@dataclass
class Count:
    """What was done with one kind of input."""

    inputs: int = 0
    runs: int = 0
    seconds: float = 0
    faults: dict[str, int] = field(default_factory=dict)


class Lab:
    """Runs the program on inputs and keeps what goes wrong."""

    def __init__(self, root: Path, program: Path, work: Path, findings: Path, seed: str):
        self.corpus = Corpus(root)
        self.program = Program(program, work)
        self.work = work
        self.findings = Findings(findings)
        self.seed = seed
        self.scripts = ScriptMutator(self.corpus.scripts)
        self.counts: dict[str, Count] = {}
        self.began = time.monotonic()
        self.reducing = 0.0

    def count(self, kind: str) -> Count:
        return self.counts.setdefault(kind, Count())

    def folder(self, name: str) -> Path:
        """An empty folder."""
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def chance(self, *parts: object) -> random.Random:
        """A source of chance that follows from the seed and what it is for."""
        return random.Random("/".join(map(str, (self.seed, *parts))))

    def report(self, kind: "Kind", fault: Fault, seed: str, data: bytes) -> None:
        """Counts a fault, and keeps the first of its kind with a short input."""
        faults = self.count(kind.name).faults
        faults[fault.why] = faults.get(fault.why, 0) + 1
        if not self.findings.is_new(kind.name, fault) or faults[fault.why] > MOST_KEPT:
            return
        start = time.monotonic()
        shorter = data
        if self.reducing < REDUCING * (start - self.began) + 60:
            shorter = reduced(data, lambda part: shows(kind, part, fault))
            self.reducing += time.monotonic() - start
        folder = self.findings.keep(
            kind.name, fault, seed, kind.file, data, shorter, kind.how(fault))
        print(f"found {folder.name}: {fault.name}", flush=True)


def shows(kind: "Kind", data: bytes, fault: Fault) -> bool:
    found = kind.examine(data, fault.step)
    return found is not None and (found.why, found.mark) == (fault.why, fault.mark)


class Kind:
    """A kind of input: makes some, runs the program on them and looks at what it says.

    The inputs of a round are run together by one process, as far as the program
    can do that. If something is wrong, each one is looked at alone.
    """

    name = ""
    # What a single input is called where it is kept.
    file = "input"
    # How much of the time this kind gets.
    share = 1.0
    # How many inputs a round has.
    size = 200
    # The names of what is done with each input.
    steps: tuple[str, ...] = ()

    def __init__(self, lab: Lab):
        self.lab = lab
        self.rounds = 0

    # What a kind says about itself.

    def make(self, chance: random.Random) -> bytes:
        raise NotImplementedError

    def put(self, folder: Path, inputs: dict[str, bytes]) -> None:
        """Writes inputs, by their stems, before each run of the program."""
        raise NotImplementedError

    def arguments(self, step: str, stems: list[str]) -> list[str]:
        raise NotImplementedError

    def is_due(self, step: str) -> bool:
        """Whether a step is done in this round."""
        return True

    def parts(self, outcome: Outcome, stems: list[str]) -> dict[str, bytes]:
        """What was said about each input, by its stem."""
        found: dict[str, list[bytes]] = {}
        stem = stems[0] if len(stems) == 1 else ""
        for line in outcome.output.splitlines() + outcome.errors.splitlines():
            # The sums count what ran out of time, too.
            if b'"event":"summary"' in line:
                continue
            if len(stems) > 1 and (name := STEM.search(line)):
                stem = name[0].decode()
            found.setdefault(stem, []).append(line)
        return {stem: b"\n".join(lines) for stem, lines in found.items()}

    def judge(
        self, step: str, stems: list[str], outcome: Outcome, folder: Path
    ) -> dict[str, Fault]:
        """What is wrong beside crashes, hangs and differences."""
        return {}

    def how(self, fault: Fault) -> str:
        return "frc " + " ".join(self.arguments(fault.step, ["input"]))

    # What is the same for every kind.

    def round(self) -> None:
        """Makes some inputs and looks at them."""
        self.rounds += 1
        seed = f"{self.lab.seed}/{self.name}/{self.rounds}"
        chance = self.lab.chance(self.name, self.rounds)
        inputs = {f"m{index:05d}": self.make(chance) for index in range(self.size)}
        start = time.monotonic()
        for step in self.steps:
            if self.is_due(step):
                for stem, fault in self.look(step, inputs, self.lab.folder(self.name)).items():
                    # Those that are innocent alone may still be wrong together.
                    data = inputs.get(stem, b"")
                    alone = self.examine(data, step) if stem in inputs else None
                    if alone is None:
                        fault.mark = f"together: {fault.mark}"
                    self.lab.report(self, alone or fault, f"{seed}/{stem}", data)
        count = self.lab.count(self.name)
        count.inputs += self.size
        count.seconds += time.monotonic() - start

    def examine(self, data: bytes, step: str) -> Fault | None:
        """Looks at one input alone."""
        folder = self.lab.folder(self.name + "-alone")
        # Of a small set, only one pair of orders out of some differs.
        return self.look(step, {"m00000": data}, folder, 5).get("m00000")

    def run(
        self, step: str, inputs: dict[str, bytes], folder: Path, backtrace: bool = False
    ) -> Outcome:
        self.put(folder, inputs)
        self.lab.count(self.name).runs += 1
        return self.lab.program.run(
            self.arguments(step, list(inputs)), folder,
            seconds=30 if len(inputs) == 1 else 240, backtrace=backtrace)

    def look(
        self, step: str, inputs: dict[str, bytes], folder: Path, repetitions: int = 1
    ) -> dict[str, Fault]:
        """Runs the program on inputs in several processes, and compares what they say."""
        stems = list(inputs)
        first = self.run(step, inputs, folder)
        if first.hung or first.crashed:
            return self.split(step, inputs, folder, first)
        faults = self.judge(step, stems, first, folder)
        said = self.parts(first, stems)
        for _ in range(repetitions):
            again = self.run(step, inputs, folder)
            if again.hung or again.crashed:
                return self.split(step, inputs, folder, again)
            if repeatable(again.shown) != repeatable(first.shown):
                faults |= differences(step, said, self.parts(again, stems))
        return faults

    def split(
        self, step: str, inputs: dict[str, bytes], folder: Path, outcome: Outcome
    ) -> dict[str, Fault]:
        """Finds which input ends the program."""
        stems = list(inputs)
        if len(stems) == 1:
            if outcome.hung:
                return {stems[0]: Fault("hang", step, outcome.hung, outcome.shown)}
            shown = self.run(step, inputs, folder, backtrace=True)
            mark = f"{outcome.signal} {mark_of_crash(shown.errors)}"
            return {stems[0]: Fault("crash", step, mark, shown.shown)}
        faults: dict[str, Fault] = {}
        middle = len(stems) // 2
        for half in (stems[:middle], stems[middle:]):
            part = {stem: inputs[stem] for stem in half}
            again = self.run(step, part, self.lab.folder(self.name))
            if again.hung or again.crashed:
                faults |= self.split(step, part, folder, again)
        if not faults:
            why = "hang" if outcome.hung else "crash"
            faults["all"] = Fault(why, step, outcome.hung or outcome.signal, outcome.shown)
        return faults


def differences(
    step: str, first: dict[str, bytes], second: dict[str, bytes]
) -> dict[str, Fault]:
    """The inputs about which two processes say different things."""
    faults = {}
    for stem in first.keys() | second.keys():
        one, two = repeatable(first.get(stem, b"")), repeatable(second.get(stem, b""))
        # Where time ran out depends on the machine. The sum of all depends on that.
        if one == two or not stem or is_timed(one) or is_timed(two):
            continue
        pair = next(((a, b) for a, b in zip(one.splitlines(), two.splitlines()) if a != b),
                    (one[-200:], two[-200:]))
        faults[stem] = Fault(
            "difference", step, plain(pair[0]), b"first\n" + one + b"\n\nsecond\n" + two)
    return faults


def repeatable(said: bytes) -> bytes:
    """What is said without what is another one each time."""
    return UUID.sub(b"UUID", said)


def is_timed(said: bytes) -> bool:
    return any(word in said for word in TIMED)


def plain(line: bytes) -> str:
    """A line without what is its own: names, numbers and quoted texts."""
    words = line.decode(errors="replace")
    words = re.sub(r"m\d{5}\S*", "FILE", words)
    words = re.sub(r"\d+", "N", words)
    return words[:140]
