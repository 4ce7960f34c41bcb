"""What is measured, by the name of its figures in the page."""

import json
import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import plots
import server
from tables import cells, columns, median, percent, rounds_of, significant, table


@dataclass
class Setting:
    package: Path
    programs: Path
    folder: Path
    rounds: int
    # Where plots are written.
    plots: Path

    def program(self, name):
        path = self.programs / name
        if not path.exists():
            raise FileNotFoundError(f"there is no program {name}")
        return str(path)

    def outputs(self, name, *arguments):
        """What a program prints, in each round. One that misses a target still prints."""
        found = []
        for _ in range(self.rounds):
            done = subprocess.run([self.program(name), *arguments], capture_output=True, text=True,
                                  cwd=self.folder, check=False)
            if not done.stdout:
                raise RuntimeError(f"{name} printed nothing: {done.stderr.strip()[:200]}")
            found.append(done.stdout)
        return found


def needed(tool):
    if not shutil.which(tool):
        raise FileNotFoundError(f"{tool} is not installed")
    return tool


# Start-up.

def startup(setting):
    runs = "100"
    contenders = [("a Swift program that does nothing", [setting.program("Nothing")]),
                  ("`frc -e 'print 1'`", [setting.program("frc"), "-e", "print 1"])]
    if shutil.which("sqlite3"):
        contenders.append(("`sqlite3 :memory: 'select 1'`", ["sqlite3", ":memory:", "select 1"]))
    export = setting.folder / "startup.json"
    commands = [" ".join(f"'{part}'" for part in arguments) for _, arguments in contenders]
    subprocess.run([needed("hyperfine"), "-N", "--warmup", "5", "--runs", runs, "--export-json",
                    str(export), *commands], check=True, capture_output=True)
    rows = []
    results = json.loads(export.read_text())["results"]
    for (name, arguments), result in zip(contenders, results):
        milliseconds = [f"{1000 * result[key]:.2f}" for key in ("median", "min", "max")]
        rows.append([name, *milliseconds, instructions_of(arguments, setting.folder)])
    return table(["program", "median, ms", "fastest", "slowest", "instructions"], rows)


def instructions_of(arguments, folder):
    """How many instructions a command takes, by valgrind; it does not see those of the kernel."""
    if not shutil.which("valgrind"):
        return ""
    # valgrind gives up on large programs with the names of their source lines.
    stripped = folder / "stripped"
    found = subprocess.run(["strip", "-g", "-o", str(stripped), shutil.which(arguments[0])],
                           capture_output=True, check=False)
    program = str(stripped) if found.returncode == 0 else arguments[0]
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program,
         *arguments[1:]], capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    return f"{int(found[1]):,}" if found else ""


# The controller beside others.

TRACKING = ["contender", "rows", "changes", "update", "move", "insert", "delete", "mix"]


def tracking(setting):
    lines = rounds_of(setting.outputs("Tracking", "1000000"))
    draw_tracking([cells(line) for line, _ in lines], setting.plots)
    parts = []
    for line, spread in lines:
        found = cells(line)
        if "; ms" in line:
            parts.append((line.split(";")[0], []))
        # The page has those that readers compare.
        elif len(found) == len(TRACKING) and found[1:3] in (["1000000", "1"], ["1000000", "100"]):
            parts[-1][1].append(found + [percent(spread)])
    return "\n\n".join(
        f"Milliseconds a batch, {title}:\n\n" + table(TRACKING + ["spread"], rows)
        for title, rows in parts)


def draw_tracking(rows, folder):
    """A panel for each kind of change and each number of changes, with a line for each tool."""
    panels, contenders, title = {}, [], ""
    for row in rows:
        if "; ms" in row[0]:
            title = row[0].split(";")[0]
        if len(row) != len(TRACKING) or not row[1].isdigit() or title != "100 sections":
            continue
        if row[0] not in contenders:
            contenders.append(row[0])
        for kind, time_of_it in zip(TRACKING[3:], row[3:]):
            series = panels.setdefault(f"{kind}, {row[2]} of n", {})
            series.setdefault(row[0], []).append((int(row[1]), float(time_of_it) * 1000))
    plots.write(folder, "tracking", panels, contenders, "µs")


def counted(setting):
    needed("valgrind")
    done = subprocess.run([str(setting.package / "instructions")], capture_output=True, text=True,
                          check=True)
    rows = [line.split() for line in done.stdout.strip().split("\n")]
    return table(rows[0], [[f"{int(cell):,}" for cell in row] for row in rows[1:]])


def stores(setting):
    lines = rounds_of(setting.outputs("Stores", "1000000"))
    rows = []
    for line, spread in lines[1:]:
        found = re.match(r"\s*(.+?): ([\d.]+ \w+)(?:, (.+?) ([\d.]+ \w+), ratio ([\d.]+))?", line)
        if found:
            what, ours, other, theirs, ratio = found.groups()
            rows.append([what, ours, f"{theirs} ({other})" if theirs else "", ratio or "",
                         percent(spread)])
    return table(["", "frc", "compared with", "ratio", "spread"], rows)


def predicates(setting):
    lines = rounds_of(setting.outputs("Predicates"))
    header = ["predicate", "with the walk", "alone", "target"]
    body = [(line, spread) for line, spread in lines if cells(line) != header]
    return "Millions of evaluations a second, on one core:\n\n" + columns(body, header)


def runners(setting):
    rows = []
    for line, spread in rounds_of(setting.outputs("Runners", "5")):
        found = re.match(r"(.+?)\s{2,}([\d.]+)(?:\s+\((\d+)\))?$", line)
        if found:
            rows.append([f"`{found[1]}`", found[2], found[3] or "", percent(spread)])
    return table(["command", "seconds", "at most", "spread"], rows)


def typed(setting):
    lines = rounds_of(setting.outputs("Typed"))
    header = ["", "untyped", "typed", "ratio", "target"]
    return "Nanoseconds an object:\n\n" + columns(lines, header)


def relationships(setting):
    header = ["change", "1,000 members", "4,000", "16,000", "growth"]
    return "Nanoseconds a change:\n\n" + columns(rounds_of(setting.outputs("Relationships"))[2:], header)


def observers(setting):
    few, many = "10000", "1000000"
    header = ["", f"{int(few):,} rows", f"{int(many):,} rows", "ratio", "target"]
    lines = rounds_of(setting.outputs("Observers", few, many))
    return "Microseconds:\n\n" + columns(lines[2:], header)


def importing(setting):
    header = ["list", "written, s", "delivered, s", "changes", "wait, ms", "99th", "longest",
              "by clock", "main, s"]
    rows = []
    for size in (1_000, 500):
        lines = rounds_of(setting.outputs("Import", "100000", "5", str(size)))
        rows += [(re.sub(r"^\w+", rf"\g<0> by {size:,}", line), spread)
                 for line, spread in lines[2:]]
    return columns(rows, header)


def grdb(setting):
    lines = rounds_of(setting.outputs("AgainstGRDB"))
    return columns(lines[2:], ["", "compared with", "frc", "other", "ratio", "target"])


def scripts(setting):
    rows = []
    for script in sorted((setting.package / "Scripts").glob("*.frc")):
        seconds, memory = [], 0
        for _ in range(setting.rounds):
            start = time.monotonic()
            process = subprocess.Popen([setting.program("frc"), "run", str(script)],
                                       stdout=subprocess.DEVNULL)
            _, _, usage = os.wait4(process.pid, 0)
            seconds.append(f"{time.monotonic() - start:.2f}")
            memory = max(memory, usage.ru_maxrss / 1024)
        middle, spread = median(seconds)
        rows.append([f"`{script.name}`", middle, f"{memory:.0f}", percent(spread)])
    return table(["script", "seconds", "MB at its highest", "spread"], rows)


def language_server(setting):
    return server.answers(setting.program("frc"), setting.folder, setting.rounds)


def growth(setting):
    """The growth of every command, and a picture of each command's inputs."""
    arguments = [str(setting.package / "growth"), "--program", setting.program("frc"), "--summary"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise RuntimeError(done.stderr.strip()[:200])
    return done.stdout


STORES = ["in memory", "in a file"]


def operations(setting):
    """The time of public operations by the number of rows, and a picture of it."""
    lines = rounds_of(setting.outputs("Operations"))
    sizes = [int(size) for size in re.findall(r"(\d+) rows", lines[1][0])]
    found = by_operation([cells(line) for line, _ in lines[2:]], sizes)
    draw_operations(found, sizes, setting.plots)
    return operations_table(found, sizes)


def by_operation(rows, sizes):
    """The times and the exponent of each operation in each store that can do it."""
    found = {}
    for row in rows:
        if len(row) == len(sizes) + 4:
            name, _, store = row[0].rpartition(", ")
            found.setdefault(name, {})[store] = [float(time) for time in row[2:-2]], float(row[-2])
    return found


def operations_table(found, sizes):
    """A row for each operation, with the fewest and the most rows; all sizes are in the picture."""
    ends = {0: sizes[0], -1: sizes[-1]}
    header = ["operation"]
    header += [f"{size:,} rows, {store}" for size in ends.values() for store in STORES]
    header += [f"exponent, {store}" for store in STORES]
    rows = []
    for name, stores in found.items():
        row = [name]
        row += [significant(stores[store][0][end]) if store in stores else ""
                for end in ends for store in STORES]
        # A negative zero would be written with its sign; adding 0 removes it.
        row += [f"{stores[store][1] + 0:.2f}" if store in stores else "" for store in STORES]
        rows.append(row)
    return "Microseconds of a core:\n\n" + table(header, rows)


def draw_operations(found, sizes, folder):
    panels = {name: {store: list(zip(sizes, times)) for store, (times, _) in stores.items()}
              for name, stores in found.items()}
    plots.write(folder, "operations", panels, STORES, "µs")


MEASUREMENTS = {
    "startup": startup, "tracking": tracking, "instructions": counted, "stores": stores,
    "predicates": predicates, "scripts": scripts, "server": language_server, "runners": runners,
    "typed": typed, "relationships": relationships, "observers": observers, "grdb": grdb,
    "importing": importing, "operations": operations, "growth": growth,
}
