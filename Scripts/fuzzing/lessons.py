"""Lessons, what learners hand in, and what was kept of their progress."""

import random
import re
from pathlib import Path

from . import texts
from .kinds import RUN, Settings, Tests
from .lab import Kind, Lab
from .program import Outcome

DIRECTIVES = [
    "#@ lesson predict x", "#@ lesson reach x", "#@ lesson mend x", "#@ lesson find x", "#@ lesson",
    "#@ covers deleted", "#@ covers nothing", "#@ see ../../x.frc", "#@ task", "#@ task x", "#@ answer",
    "#@ answer 3 delete", "#@ answer 99999999999999999999 move", "#@ goal", "#@ goal 3 statements", "#@ why",
    "#@ why x", "#@ hint", "#@ hint x", "#@ broken", "#@ wrong", "#@ wrong deleted x", "#@ wrong crash x",
    "#@ wrong statement x", "#@ budget 0", "#@ skip", "#@ timeout 1ms", "#| nothing", "#| ", "#|", "#> x",
]
# What a learner answers: callbacks, with paths out of range, repeated names and a broken order.
ANSWERS = [
    "nothing", "insert Book/1 [0, 0]", "insert Book/1 -> [0, 0]", "delete Book/1 [0, 0]",
    "update Book/1 [0, 0]", "move Book/1 [0, 0] -> [0, 1]", "move Book/1 [0, 0] -> [0, 0]",
    "insert Book/99999999999999999999 [0, 0]", "insert Book/1 [99999999999999999999, 0]",
    "delete Book/1 [-1, 0]", "insert section 0", 'insert section 0 "A"', "delete section 9223372036854775807",
    "books willChangeContent", "books didChangeContent", "books willChangeContent\nbooks willChangeContent",
    "books didChangeContent\nbooks willChangeContent", 'books didChange object insert Book/1 "Dune" -> [0, 0]',
    'books didChange object move Book/1 "Dune" [0, 0] -> [7, 7]', 'books didChange section insert 0 "A"',
    "insert Book/1 [0, 0]\ninsert Book/1 [0, 0]", "insert", "move Book/1", "[0, 0]", "3 delete", "0 update",
    "99999999999999999999 move", "-1 insert", "delete 3", "counts 1 2", "books snapshot", "…", "[..]", "[re:(a+)+$]",
    "table view = books { update reloadRows }", "table view = books", "Book/1.pages = 3", "delete Book/1", "fetch books",
    "perform { delete Book/1\nsave }", 'insert Book(title: "x")', "save", "reset", "rollback", "{", "}", "print nothing",
    "repeat 1000000000 { print 1 }", ":hint", ":hint\n:hint\n:hint\n:hint", ":solution", ":skip", ":again", ":quit",
    ":next", ":nosuch", ":", "\0", "\ufeff", "\x1b[31m", "é", "x" * 3000, "(" * 300, "",
]
PARTS = [
    "[0, 0]", "[0, 999999999999]", "Book/1", "->", "#@", "#>", "#?", "#|", "{", "}", '"', "\n"]


def mutator_of(lines: list[str]) -> texts.LineMutator:
    return texts.LineMutator(lines, [*PARTS, *lines])


class Lessons(Kind):
    """Lessons, which are checked, and listed as a course."""

    name, file, share, size = "lessons", "lesson.frc", 4, 100
    steps = ("check", "list")
    mutator = mutator_of(DIRECTIVES)

    def is_due(self, step: str) -> bool:
        return step == "check" or self.rounds % 3 == 0

    def make(self, chance: random.Random) -> bytes:
        return self.mutator.change(chance.choice(self.lab.corpus.lessons), chance)

    def put(self, folder: Path, inputs: dict[str, bytes]) -> None:
        for stem, content in inputs.items():
            (folder / f"{stem}.frc").write_bytes(content)

    def arguments(self, step: str, stems: list[str]) -> list[str]:
        if step == "list":
            return ["learn", ".", "--list"]
        return ["lesson", "check", "--timeout", "1s", *(f"{stem}.frc" for stem in stems)]


class HandIns(Tests):
    """Scripts in which a learner predicts each turn."""

    name, file, share, size = "hand-ins", "input.frc", 4, 200
    mutator = mutator_of([f"#? {line}" for answer in ANSWERS for line in answer.splitlines()])

    def __init__(self, lab: Lab):
        super().__init__(lab)
        self.sources = [
            re.sub(r"^#> ", "#? ", re.sub(r"^#[@|].*\n", "", script, flags=re.M), flags=re.M)
            for script in lab.corpus.lessons]

    def make(self, chance: random.Random) -> bytes:
        return self.mutator.change(chance.choice(self.sources), chance)

    def put(self, folder: Path, inputs: dict[str, bytes]) -> None:
        for stem, content in inputs.items():
            (folder / f"{stem}.frc").write_bytes(content)


class Answers(Settings):
    """What is typed in a course: the number of a lesson, and the lines that follow."""

    name, file, share, size = "answers", "answers.txt", 3, 40
    steps: tuple[str, ...] = ("learn",)
    mutator = mutator_of(ANSWERS)

    def make(self, chance: random.Random) -> bytes:
        lesson = chance.randrange(len(self.lab.corpus.lessons))
        right = re.findall(r"^#[>|] (.*)", self.lab.corpus.lessons[lesson], flags=re.M)
        lines: list[str] = []
        for _ in range(chance.choice((1, 2, 4, 8))):
            lines += chance.sample(right, min(len(right), chance.choice((0, 1, 3))))
            lines.append(chance.choice(ANSWERS))
            lines += [""] * chance.choice((0, 1))
        return b"%d\n" % (lesson + 1) + self.mutator.change("\n".join(lines) + "\n", chance)

    def put(self, folder: Path, inputs: dict[str, bytes]) -> None:
        for content in inputs.values():
            (folder / "answers.txt").write_bytes(content)

    def how(self, fault) -> str:
        return "FRC_PROGRESS= frc learn NUMBER < LINES, by the first line and those after it"

    def run(
        self, step: str, inputs: dict[str, bytes], folder: Path, backtrace: bool = False
    ) -> Outcome:
        self.put(folder, inputs)
        self.lab.count(self.name).runs += 1
        number, _, lines = next(iter(inputs.values())).partition(b"\n")
        return self.lab.program.run(
            ["learn", str(self.lesson(number)), "--timeout", "1s"], folder, backtrace=backtrace,
            typed=lines, FRC_PROGRESS="")

    def lesson(self, number: bytes) -> int:
        """A lesson that exists, also where an input was made shorter."""
        count = len(self.lab.corpus.lessons)
        return int(number) if number.isdigit() and 0 < int(number) <= count else 1


class Progress(Settings):
    """What was kept of a learner's progress: it is listed, reported and continued."""

    name, file, share, size = "progress", "lessons.json", 1, 40
    steps = ("list", "report", "go on")

    def is_due(self, step: str) -> bool:
        return self.rounds % 3 == self.steps.index(step)

    def make(self, chance: random.Random) -> bytes:
        return texts.JSON.change(self.lab.corpus.seed("lessons.json"), chance)

    def put(self, folder: Path, inputs: dict[str, bytes]) -> None:
        for content in inputs.values():
            (folder / "lessons.json").write_bytes(content)

    def arguments(self, step: str, stems: list[str]) -> list[str]:
        match step:
            case "list":
                return ["learn", "--list"]
            case "report":
                return ["learn", "--report", "json"]
        return ["learn"]

    def run(
        self, step: str, inputs: dict[str, bytes], folder: Path, backtrace: bool = False
    ) -> Outcome:
        self.put(folder, inputs)
        self.lab.count(self.name).runs += 1
        return self.lab.program.run(
            self.arguments(step, []), folder, backtrace=backtrace,
            typed=b"insert Book/1 [0, 0]\n\n:hint\n:skip\n:solution\n:quit\n" if step == "go on" else b"",
            FRC_PROGRESS=str(folder / "lessons.json"))
