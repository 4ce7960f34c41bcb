"""Measures how a command's time grows with its input."""

import os
import pty
import resource
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field

MOST_MEMORY = 8 << 30


@dataclass(frozen=True)
class Case:
    """An input of any size, and a command that reads it."""

    input: str
    command: str
    # Called as make(n, folder). Writes the input, and returns the arguments.
    make: object
    start: int = 250
    most: int = 1 << 22


@dataclass
class Cell:
    """What was measured of a case."""

    case: Case
    sizes: list = field(default_factory=list)
    seconds: list = field(default_factory=list)
    status: int = 0
    repeated: int = 0
    note: str = ""

    @property
    def growth(self):
        """The growth per doubling, from n to 4n; None where the case is too fast to tell."""
        if len(self.seconds) < 3:
            return None
        small, _, large = self.seconds[-3:]
        return (large / max(small, 0.001)) ** 0.5


@dataclass
class Limits:
    # A case is large enough when 4n takes so many seconds.
    enough: float = 1.0
    # And it ends there, where it is not.
    too_long: float = 60
    growth: float = 2.3
    repeats: int = 3


def run_once(arguments, folder, stdin, limits):
    """Returns the processor time of a command and of what it starts, and its exit status."""

    def prepare():
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    environment = dict(os.environ, HOME=folder, FRC_HISTORY="", NO_COLOR="1", TMPDIR=folder)
    environment.pop("FRC_PROGRESS", None)
    errors = os.path.join(folder, "errors.txt")
    with open(stdin or os.devnull, "rb") as source, open(errors, "wb") as complaints:
        process = subprocess.Popen(
            arguments, cwd=folder, env=environment, stdin=source, stdout=subprocess.DEVNULL,
            stderr=complaints, preexec_fn=prepare, start_new_session=True)
        alarm = threading.Timer(limits.too_long, lambda: os.killpg(process.pid, 9))
        alarm.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            alarm.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    with open(errors, "rb") as complaints:
        first = complaints.read(300).decode("utf-8", "replace").strip().split("\n")[0]
    return usage.ru_utime + usage.ru_stime, process.returncode, first


def type_once(program, arguments, keys, folder, limits):
    """Types keys at a terminal, and returns the same of the program there.

    A review drops what is typed before it asks, so each of its keys answers a question.
    """
    question = b"quit, ? " if arguments[:1] == ["review"] else None
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        history = os.path.join(folder, "history")
        environment = dict(os.environ, HOME=folder, FRC_HISTORY=history, TERM="xterm-256color",
                           TMPDIR=folder, COLUMNS="100", LINES="40")
        try:
            arguments = arguments or ["--allow-write", folder]
            os.execve(program, [program, *arguments], environment)
        finally:
            os._exit(127)
    alarm = threading.Timer(limits.too_long, lambda: os.kill(process, 9))
    alarm.start()

    def write_all():
        rest = keys
        try:
            while rest:
                rest = rest[os.write(terminal, rest[:512]):]
        except OSError:
            pass

    typist = threading.Thread(target=write_all)
    shown = b""
    try:
        # It writes nothing before the first prompt.
        while b"frc>" not in shown and not (arguments and shown):
            shown += os.read(terminal, 1 << 16)
        if question:
            answers = iter(keys)
            for _ in range(shown.count(question)):
                os.write(terminal, bytes([next(answers)]))
        else:
            typist.start()
        while more := os.read(terminal, 1 << 16):
            # A question may come in two parts.
            shown = shown[-len(question) + 1:] + more if question else b""
            for _ in range(shown.count(question) if question else 0):
                os.write(terminal, bytes([next(answers)]))
    except (OSError, StopIteration):
        pass
    finally:
        alarm.cancel()
        _, status, usage = os.wait4(process, 0)
        os.close(terminal)
    if typist.ident:
        typist.join()
    return usage.ru_utime + usage.ru_stime, os.waitstatus_to_exitcode(status), ""


class Measurement:
    def __init__(self, program, limits):
        self.program = program
        self.limits = limits

    def once(self, case, size):
        """One run in a new folder."""
        folder = tempfile.mkdtemp(prefix="frc-growth-")
        try:
            arguments = case.make(size, folder)
            stdin = None
            if "<" in arguments:
                stdin = os.path.join(folder, arguments[arguments.index("<") + 1])
                arguments = arguments[:arguments.index("<")]
            if arguments[0] == "terminal":
                with open(os.path.join(folder, arguments[1]), "rb") as file:
                    keys = file.read().replace(b"\n", b"\r")
                return type_once(self.program, arguments[2:], keys, folder, self.limits)
            if arguments[0] == "frc":
                arguments = [self.program] + arguments[1:]
            return run_once(arguments, folder, stdin, self.limits)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def cell(self, case):
        """Doubles the size until it takes long enough, and repeats what looks like too much."""
        cell = Cell(case)
        nothing, _, _ = self.once(case, 1)
        size = case.start
        while True:
            seconds, cell.status, cell.note = self.once(case, size)
            cell.sizes.append(size)
            cell.seconds.append(max(seconds - nothing, 0))
            if cell.status < 0 or size * 2 > case.most:
                break
            if len(cell.seconds) >= 3 and cell.seconds[-1] >= self.limits.enough:
                break
            if seconds < self.limits.enough / 30 and size * 16 <= case.most:
                cell.sizes, cell.seconds = [], []
                size *= 4
            size *= 2
        if len(cell.seconds) < 3 or cell.seconds[-1] < self.limits.enough / 4:
            cell.sizes, cell.seconds = cell.sizes[-1:], cell.seconds[-1:]
            return cell
        cell.sizes, cell.seconds = cell.sizes[-3:], cell.seconds[-3:]
        # Another program's work may have slowed a run, and never speeds one up.
        while cell.growth > self.limits.growth and cell.repeated < self.limits.repeats:
            if cell.seconds[-1] > 8 * self.limits.enough:
                break
            cell.repeated += 1
            for place, size in enumerate(cell.sizes):
                seconds = max(self.once(case, size)[0] - nothing, 0)
                cell.seconds[place] = min(cell.seconds[place], seconds)
        return cell
