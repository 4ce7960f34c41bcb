"""Checks that every measurement still runs, and ratios of small inputs, with wide bounds."""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from server import measure
from tables import cells

# Programs, their arguments, and the rows that are checked: a pattern of a line, the column that is
# checked, counted from the end, and what it may be at most. GRDB is not optimised.
CHECKS = [
    ("Operations", ["200", "2000"], [(r"log n", -2, 0.7), (r"n log n", -2, 1.6)]),
    ("Observers", ["300", "3000"], [(r"saved change", -2, 8)]),
    ("AgainstGRDB", ["500", "1"], [(r"Codable records", -2, 5)]),
    ("Import", ["1000", "1"], []),
    ("Tracking", ["fixed", "mix", "10", "1000", "100", "5"], []),
]
# Turns of a script among ten times as many rows may take so many times as long, or less than the
# seconds by which two runs differ on a busy machine.
TURNS = 2000
MOST_GROWTH = 3
UNCERTAIN = 0.25
# What is over its bound is measured again: a busy machine puts a row over it by chance, and
# what has become slower is over it each time.
MEASUREMENTS = 3
# How many times as long as 'frc check' of the whole script an answer of frc lsp may take.
ANSWERS = {"key": 2, "completion": 1, "colours": 2}


def program_folder(root, package):
    """Builds with the options of the tests, in their folder."""
    scripts = root / "Scripts"
    flags = subprocess.run(
        ["bash", "-c",
         f"FRC_STRICT=1; source '{scripts}/setup'; printf '%s\\n' \"${{test_flags[@]}}\""],
        capture_output=True, text=True, check=True).stdout.split()
    environment = dict(os.environ, FRC_STRICT="1")
    arguments = ["swift", "build", "--package-path", str(package), *flags]
    subprocess.run(arguments, check=True, env=environment, stdout=sys.stderr)
    subprocess.run(["swift", "build", "--product", "frc", *flags],
                   check=True, env=environment, stdout=sys.stderr, cwd=root)
    found = subprocess.run([*arguments, "--show-bin-path"], check=True, env=environment,
                           capture_output=True, text=True)
    return Path(found.stdout.strip())


def wrong_rows(name, output, rules):
    """The rows that are over their bounds, and rules that no row follows."""
    wrong = []
    for pattern, column, most in rules:
        found = [cells(line) for line in output.split("\n")
                 if re.search(rf"(^|\s\s){pattern}", line)]
        numbers = [(row, float(row[column])) for row in found
                   if -column <= len(row) and re.fullmatch(r"-?[\d.]+", row[column])]
        if not numbers:
            wrong.append(f"{name} prints no row with '{pattern}'")
        wrong += [f"{name}: {row[0]}: {number:g}, at most {most}"
                  for row, number in numbers if number > most]
    return wrong


def script(rows, turns):
    lines = [
        "entity Book { title: String, publisher: String }",
        "controller books = Book sort by publisher, title section by publisher",
        "fetch books",
        f'perform {{ for i in 0..<{rows} {{ insert Book(title: "Book \\(i)", '
        'publisher: "p\\(i % 50)") } }',
    ]
    for turn in range(turns):
        # A row that comes again gets another publisher than before: every turn changes something.
        publisher = (turn + turn // rows) % 50
        lines.append(f'Book/{turn * 7 % rows + 1}.publisher = "p{publisher}"')
    return "\n".join(lines) + "\n"


def seconds(arguments, folder):
    """The processor time of a command."""
    process = subprocess.Popen(arguments, cwd=folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def measured_again(what_is_wrong):
    """What is wrong in each of several measurements."""
    wrong = []
    for _ in range(MEASUREMENTS):
        wrong = what_is_wrong()
        if not wrong:
            break
    return wrong


def rows_over(name, arguments, rules, program, folder):
    """Runs one of our programs, and returns the rows that are over their bounds."""
    start = time.monotonic()
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True,
                          check=False)
    print(f"{name} {' '.join(arguments)}: {time.monotonic() - start:.1f} s", flush=True)
    # A program that misses a target ends with 1: the targets are those of a release build.
    if done.returncode not in (0, 1):
        return [f"{name} ended with {done.returncode}: {done.stderr.strip()[-300:]}"]
    return wrong_rows(name, done.stdout, rules)


def growth_over(name, arguments, program, folder):
    """Whether a turn of a command takes longer among many rows."""
    times = []
    for rows in (1000, 10_000):
        path = folder / f"{rows}.frc"
        without = folder / f"{rows}-without.frc"
        path.write_text(script(rows, TURNS))
        without.write_text(script(rows, 0))
        # The shortest of each: a difference of two runs has the hindrance of one of them.
        runs = [(seconds([program, name, str(path), *arguments], folder),
                 seconds([program, name, str(without), *arguments], folder))
                for _ in range(2)]
        times.append(min(run[0] for run in runs) - min(run[1] for run in runs))
    print(f"frc {name}: {TURNS} turns among 1,000 and 10,000 rows: {times[0]:.2f} and "
          f"{times[1]:.2f} s", flush=True)
    growth = times[1] / max(times[0], 0.01)
    if growth <= MOST_GROWTH or times[1] <= UNCERTAIN:
        return []
    return [f"a turn of 'frc {name}' among 10,000 rows takes {growth:.1f} times as long as among "
            f"1,000; at most {MOST_GROWTH}"]


def slow_answers(program, folder):
    """The answers of the language server that take too long beside 'frc check'."""
    measured = measure(program, folder, rounds=1, keys=7)
    rival = statistics.median(measured["check"])
    wrong = []
    for name, most in ANSWERS.items():
        middle = statistics.median(measured[name])
        print(f"frc lsp, {name}: {middle:.1f} ms; frc check: {rival:.1f} ms", flush=True)
        if middle > most * rival:
            wrong.append(f"frc lsp, {name}: {middle:.1f} ms, at most {most} times {rival:.1f} ms")
    return wrong


def check(root, package, programs):
    folder_of_programs = (programs or program_folder(root, package)).resolve()
    wrong = []
    with tempfile.TemporaryDirectory(prefix="frc-figures-") as path:
        folder = Path(path)
        for name, arguments, rules in CHECKS:
            program = str(folder_of_programs / name)
            wrong += measured_again(
                lambda: rows_over(name, arguments, rules, program, folder))
        frc = str(folder_of_programs / "frc")
        for name, arguments in (("play", ["-o", "page.html"]), ("test", []), ("run", [])):
            wrong += measured_again(lambda: growth_over(name, arguments, frc, folder))
        wrong += measured_again(lambda: slow_answers(frc, folder))
    for line in wrong:
        print(f"wrong: {line}")
    return 1 if wrong else 0
