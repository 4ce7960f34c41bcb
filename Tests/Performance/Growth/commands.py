"""The commands, and what each of them reads."""

import os
from dataclasses import dataclass

from measuring import Case

TIME = ["--timeout", "10min", "--max-memory", "7GB", "--max-output", "2GB"]


@dataclass(frozen=True)
class Command:
    """A command that reads one script."""

    name: str
    arguments: tuple

    def on(self, text):
        """Makes the function that writes text(n) and returns the arguments."""

        def make(size, folder):
            path = os.path.join(folder, "input.frc")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text(size))
            return ["frc", *self.arguments]

        return make


RUN = Command("frc run", ("run", "input.frc"))
JSON = Command("frc run --format json", ("run", "input.frc", "--format", "json"))
PIPE = Command("frc <", ("<", "input.frc"))
TEST = Command("frc test", ("test", "input.frc", *TIME))
REPORT = Command(
    "frc test --report",
    ("test", "input.frc", "--json", "--report", "junit=r.xml", "--report", "markdown=r.md", *TIME))
UPDATE = Command("frc test --update", ("test", "--update", "input.frc", *TIME))
COVERAGE = Command("frc test --coverage", ("test", "--coverage", "input.frc", *TIME))
CHECK = Command("frc check", ("check", "input.frc"))
CHECK_JSON = Command("frc check --json", ("check", "--json", "input.frc"))
FORMAT = Command("frc fmt", ("fmt", "input.frc"))
PLAY = Command("frc play", ("play", "input.frc", "-o", "page.html"))
PICTURE = Command("frc play --svg", ("play", "--svg", "input.frc", "-o", "card.svg"))
EXPORT = Command("frc export", ("export", "input.frc", "-o", "package"))
REDUCE = Command("frc reduce", ("reduce", "input.frc"))
FUZZ = Command("frc fuzz", ("fuzz", "--turns", "40", "--seed", "1", "input.frc"))

READING = (CHECK, CHECK_JSON, FORMAT)
RUNNING = (RUN, JSON, PIPE, TEST, UPDATE, PLAY, EXPORT)
EVERY = READING + RUNNING
KINDS = {
    "every": EVERY,
    "running": RUNNING,
    # What no package for a Mac can do, and what need not be in a page.
    "store": (RUN, JSON, TEST, UPDATE),
    "turns": EVERY + (PICTURE, COVERAGE),
    "tests": (CHECK, FORMAT, TEST, REPORT, UPDATE),
    "errors": (CHECK, CHECK_JSON, FORMAT, RUN, TEST, PIPE),
    "model": EVERY + (FUZZ,),
    "failing": (TEST, REPORT, UPDATE, REDUCE),
    "reduce": (REDUCE,),
}


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def make(arguments, **files):
    """A function that writes files, each by a function of the size, and returns arguments."""

    def write_all(size, folder):
        for name, text in files.items():
            write(folder, name.replace("__", "."), text(size))
        return ["frc", *arguments]

    return write_all


def many(arguments, text, name="{:06}.frc", extra=None):
    """A function that writes n files."""

    def write_all(size, folder):
        for number in range(size):
            write(folder, "many/" + name.format(number), text(number))
        for path, text_of_it in (extra or {}).items():
            write(folder, path, text_of_it(size))
        return ["frc", *arguments]

    return write_all


OTHERS = []


def row(input, command, function, start=250, most=1 << 22):
    OTHERS.append(Case(input, command, function, start, most))
