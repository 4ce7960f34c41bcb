"""Runs frc in a process of its own, with limits, and says how it ended."""

import os
import resource
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Outcome:
    """How one process ended."""

    status: int
    output: bytes
    errors: bytes
    # Why the process was ended, if it was: it computed or waited for too long.
    hung: str = ""

    @property
    def signal(self) -> str:
        """The name of the signal that ended the process, or an empty text."""
        return signal.Signals(-self.status).name if self.status < 0 else ""

    @property
    def crashed(self) -> bool:
        return not self.hung and (self.status < 0 or b"Fatal error" in self.errors)

    @property
    def shown(self) -> bytes:
        """Everything that a person would see."""
        return self.output + self.errors + b"\nstatus %d %s" % (self.status, self.hung.encode())


class Program:
    """The program frc, run without any variable of the environment of this process.

    Swift seeds its hashes at random in every process, so two runs never have the
    same order of a set.
    """

    def __init__(self, path: Path, folder: Path):
        self.path = path
        self.temporary = folder / "tmp"
        self.temporary.mkdir(parents=True, exist_ok=True)
        self.environment = {
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "SWIFT_BACKTRACE": "enable=no",
            "TERM": "xterm",
            "TMPDIR": str(self.temporary),
        }

    def run(
        self, arguments: list[str], folder: Path, *, seconds: int = 30, idle: int = 60,
        backtrace: bool = False, typed: bytes = b"", **variables: str,
    ) -> Outcome:
        """Runs the program to its end; `typed` is its standard input.

        `seconds` is the time that it may compute. `idle` is the time for which it
        may do nothing at all. Neither depends on what else the machine does.
        """
        environment = self.environment | variables
        if backtrace:
            environment["SWIFT_BACKTRACE"] = (
                "enable=yes,color=no,threads=crashed,images=none,limit=24,interactive=no")
        with tempfile.TemporaryFile(dir=self.temporary) as output, \
                tempfile.TemporaryFile(dir=self.temporary) as errors, \
                tempfile.TemporaryFile(dir=self.temporary) as given:
            given.write(typed)
            given.seek(0)
            process = subprocess.Popen(
                [self.path, *arguments], cwd=folder, env=environment, stdin=given if typed else subprocess.DEVNULL,
                stdout=output, stderr=errors, start_new_session=True,
                preexec_fn=lambda: limit(seconds))
            hung = wait(process, idle)
            output.seek(0)
            errors.seek(0)
            outcome = Outcome(process.returncode, output.read(), errors.read(), hung)
        if outcome.signal == "SIGXCPU":
            outcome.hung = f"computed for {seconds} s"
        return outcome


def limit(seconds: int, gigabytes: int = 8) -> None:
    """Sets the limits of a process that is about to become the program."""
    # A fuzzer in the background ignores Ctrl-C, and the program would inherit that.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    gigabyte = 1 << 30
    for kind, amount in (
        (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, gigabytes * gigabyte),
        (resource.RLIMIT_FSIZE, gigabyte), (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (amount, amount + (5 if kind == resource.RLIMIT_CPU else 0)))


def wait(process: subprocess.Popen, idle: int) -> str:
    """Waits for a process, and ends it where it and its children do nothing."""
    last, since = -1.0, time.monotonic()
    while True:
        try:
            process.wait(timeout=1)
            return ""
        except subprocess.TimeoutExpired:
            pass
        used, runs = activity(process.pid)
        if runs or used != last:
            last, since = used, time.monotonic()
        elif time.monotonic() - since > idle:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return f"did nothing for {idle} s"


def activity(group: int) -> tuple[float, bool]:
    """The ticks that a group of processes has used, and whether one wants to go on."""
    used, runs = 0.0, False
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            for stat in (entry / "task").glob("*/stat"):
                fields = stat.read_text().rpartition(")")[2].split()
                if int(fields[2]) != group:
                    break
                used += int(fields[11]) + int(fields[12])
                runs = runs or fields[0] == "R"
        except OSError:
            continue
    return used, runs
