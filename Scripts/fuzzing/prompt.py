"""The prompt in a terminal: damaged histories, and keys that nobody would type."""

import fcntl
import os
import pty
import random
import select
import signal
import struct
import subprocess
import termios
import time
import zlib
from pathlib import Path

from . import texts
from .findings import Fault
from .lab import Kind
from .program import Outcome, Program, limit

KEYS = [
    b"\x01", b"\x02", b"\x05", b"\x06", b"\x07", b"\x08", b"\t", b"\r", b"\n", b"\x0b", b"\x0c",
    b"\x0e", b"\x10", b"\x12", b"\x14", b"\x15", b"\x17", b"\x19", b"\x1b", b"\x1f", b"\x7f",
    b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1b[H", b"\x1b[F", b"\x1b[3~", b"\x1b[5~",
    b"\x1b[1;5C", b"\x1b[1;5D", b"\x1bb", b"\x1bf", b"\x1bd", b"\x1b\x7f", b"\x1b.", b"\x1bu",
    b"\x1b[200~print 1\nprint 2\n\x1b[201~", b"\x1b[200~", b"\x1b[201~", b"\x1b[", b"\x1bO",
    b"\x1b[999999999999A", b"\x1b[?1;2c", b"\xc3", b"\xa9", b"\xff", b"\xf0\x9f\x98\x80",
    b"\xe2\x80\x8d", b"e\xcc\x81", b"{", b"}", b"(", b'"', b"\\", b"entity Book { title: String }\r",
    b"insert Book(title: \"x\")\r", b"fetch Book\r", b":help\r", b":undo\r", b":back 2\r", b"q",
    b":history\r", b"in\t", b"print 1 +\r", b"controller b = Book sort by title\r", b"fetch b\r",
    b"perform stepping { insert Book(title: \"y\") }\r", b"x" * 300, b" ",
    # Keys and answers of terminals that mean nothing here.
    b"\x1b[15~", b"\x1b[6~", b"\x1b[1;2D", b"\x1b[3;5~", b"\x1bOP", b"\x1b[[A", b"\x1b[97;5u",
    b"\x1b[57441;1u", b"\x1b[13;2u", b"\x1b[<0;10;20M", b"\x1b[M !!", b"\x1b[12;40R", b"\x1b[I",
    b"\x1b]11;rgb:1e1e/1e1e/1e1e\x07", b"\x1bP1+r544e=78\x1b\\", b"\x1b_Gi=1;OK\x1b\\", b"\x1b]0;x",
    b"\x13", b"\x11", b"\x1c", b"\x16", b"\x16\x1b", b"\x1b\x1b[D", b"\x1b9\x1b9",
    # vi's commands.
    b"\x1bk", b"\x1bj", b"\x1b0", b"\x1b$", b"\x1bdw", b"\x1bcw", b"\x1b3x", b"\x1bfe", b"\x1brz",
    b"\x1b..", b"1...9", b"\x1bp", b"\x1bu", b"\x1bR", b"\x1b~", b"\x1b;", b"\x1b%", b"i", b"A",
]
# How long the program may compute.
SECONDS = 60
LEAVING = (b"\x03", b"q", b"\x03", b"\x15", b"\x04", b"\r")


class Prompts(Kind):
    """Inputs are a history file, a mark, and the keys that are typed."""

    name, file, share, size = "prompt", "history-and-keys", 0.5, 10
    steps = ("type",)
    mark = b"\n\0KEYS\0\n"

    def make(self, chance: random.Random) -> bytes:
        history = texts.HISTORY.change(self.lab.corpus.seed("history"), chance)
        keys = b"".join(chance.choices(KEYS, k=chance.randrange(1, 40)))
        return history.replace(self.mark, b"") + self.mark + keys

    def put(self, folder: Path, inputs: dict[str, bytes]) -> None:
        for content in inputs.values():
            (folder / "history").write_bytes(content.partition(self.mark)[0])

    def how(self, fault: Fault) -> str:
        return "FRC_HISTORY=history frc, in a terminal, with the keys typed"

    def look(
        self, step: str, inputs: dict[str, bytes], folder: Path, repetitions: int = 1
    ) -> dict[str, Fault]:
        faults = {}
        for stem, content in inputs.items():
            self.put(folder, {stem: content})
            self.lab.count(self.name).runs += 1
            outcome = typed(
                self.lab.program, [], content.partition(self.mark)[2], folder,
                FRC_HISTORY=str(folder / "history"))
            if outcome.output.endswith(DISORDER):
                faults[stem] = Fault("terminal", step, "left in another mode", outcome.output)
            elif outcome.hung:
                faults[stem] = Fault("hang", step, outcome.hung, outcome.output)
            elif outcome.status < 0 or b"Fatal error" in outcome.output:
                faults[stem] = Fault("crash", step, outcome.signal, outcome.output)
        return faults


class Histories(Prompts):
    """History files, with the keys that look through them."""

    name, share = "histories", 0.5
    looks = (
        b":history\r", b":history 3\r", b"\x1b[A\x1b[A\x1b[A\r", b"\x1b[A\x1b[B", b"\x12pr\x12\x12\r", b"\x12x\x07",
        b"\x10\x10\x0e", b"pr\x1b[A\x1b[A\x15", b"\x1b<\x1b>", b"\x1bk\x1bk", b"\x1b.\x1b.", b"in\t\x15")

    def make(self, chance: random.Random) -> bytes:
        history = self.lab.corpus.seed("history")
        lines = [*history.splitlines(keepends=True), *chance.choices(texts.ODD_ENTRIES, k=chance.randrange(6))]
        chance.shuffle(lines)
        history = texts.HISTORY.change("".join(lines) * chance.choice((1, 1, 1, 40)), chance)
        keys = b"".join(chance.choices(self.looks, k=chance.randrange(1, 8)))
        return history.replace(self.mark, b"") + self.mark + keys


# What the output ends with where the terminal is not as it was.
DISORDER = b"\n(the terminal is not as it was)"


def typed(
    program: Program, arguments: list[str], keys: bytes, folder: Path, *,
    editrc: str | None = None, leaving: tuple[bytes, ...] = LEAVING, is_limited: bool = True,
    awaits_editor: bool = False, leaves_by_keys: bool = False, **variables: str,
) -> Outcome:
    """Types keys at the program in a terminal, then those that leave it, or ends it by a signal.

    The window's size, the pieces in which the keys come, the signals, and vi's keys
    unless `editrc` says which, follow from the keys, so that the same input does the
    same again. A program with AddressSanitizer needs more memory than the limit.
    With `awaits_editor`, no key is typed while a statement runs. With `leaves_by_keys`, each
    key is typed when the program waits for one, and the last one ends the program.
    """
    chance = random.Random(zlib.crc32(keys))
    chosen = chance.choice(["", "frc:bind -e\n", "frc:bind -v\n"])
    (folder / ".editrc").write_text(chosen if editrc is None else editrc)
    master, slave = pty.openpty()
    resize(slave, chance)
    before = termios.tcgetattr(slave)

    def begin() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        limit(SECONDS, gigabytes=8 if is_limited else 1 << 20)

    process = subprocess.Popen(
        [program.path, *arguments], cwd=folder,
        env=program.environment | {"EDITOR": "true", "HOME": str(folder)} | variables, stdin=slave,
        stdout=slave, stderr=slave, start_new_session=True, preexec_fn=begin)
    shown, begun = bytearray(), time.monotonic()
    # Before there is a prompt, Ctrl-C still ends the program, which may have ended already.
    while not drain(master, shown, 0.02) and process.poll() is None:
        if time.monotonic() > begun + 30:
            break
    rest = keys
    while rest and process.poll() is None:
        count = chance.choice((1, 2, 5, 64, 64))
        if leaves_by_keys:
            # Of keys that come together, a program that asks for a single one takes the first.
            count = 1
            await_editor(slave, master, shown, process)
        elif awaits_editor:
            # What is typed while a statement runs would be edited by the system.
            count = min(count, rest.find(b"\r") % len(rest) + 1)
            await_editor(slave, master, shown, process)
        send(master, rest[:count])
        rest = rest[count:]
        # What is typed has not reached the program's side of the terminal before it is shown.
        drain(master, shown, 1 if leaves_by_keys else 0)
        if chance.random() < 0.05:
            resize(slave, chance)
    if leaves_by_keys:
        # A program that computes is as silent as one that waits for a key.
        end = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < end:
            drain(master, shown, 0.02)
        end = time.monotonic() + 240
    elif chance.random() < 0.2:
        # Nothing may keep it from ending, and the terminal must be as it was.
        # This sends nothing if it has ended by itself.
        process.send_signal(chance.choice((signal.SIGTERM, signal.SIGHUP)))
        end = time.monotonic() + 60
    else:
        # Ctrl-C would throw away what was typed and not read yet.
        while drain(master, shown, 0.02) or unread(slave):
            if process.poll() is not None or time.monotonic() > begun + 240:
                break
        # Slow machines get their time: one that is stuck takes all of it.
        end = time.monotonic() + 240
    turn = 0
    while process.poll() is None and time.monotonic() < end:
        send(master, leaving[turn % len(leaving)])
        drain(master, shown, 0.1)
        turn += 1
    hung = "" if process.poll() is not None else "did not leave the prompt"
    if hung:
        os.killpg(process.pid, signal.SIGKILL)
    status = process.wait()
    if status == -signal.SIGXCPU:
        hung = f"computed for {SECONDS} s"
    drain(master, shown, 0)
    if not hung and termios.tcgetattr(slave) != before:
        shown += DISORDER
    os.close(slave)
    os.close(master)
    # To be ended by a signal that was sent is no crash.
    if status in (-signal.SIGTERM, -signal.SIGHUP, -signal.SIGQUIT):
        status = 0
    return Outcome(status, bytes(shown), b"", hung)


def resize(terminal: int, chance: random.Random) -> None:
    size = struct.pack("HHHH", chance.randrange(1, 50), chance.randrange(1, 201), 0, 0)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)


def await_editor(
    slave: int, master: int, shown: bytearray, process: subprocess.Popen, seconds: float = 20
) -> None:
    """Waits until the program edits a line again."""
    end = time.monotonic() + seconds
    while termios.tcgetattr(slave)[3] & termios.ICANON or unread(slave):
        if process.poll() is not None or time.monotonic() > end:
            return
        drain(master, shown, 0.001)


def unread(terminal: int) -> bool:
    """Whether the program has not read all that was typed."""
    try:
        count = fcntl.ioctl(terminal, termios.FIONREAD, struct.pack("i", 0))
        return struct.unpack("i", count)[0] > 0
    except OSError:
        return False


def send(terminal: int, keys: bytes) -> None:
    try:
        if select.select([], [terminal], [], 1)[1]:
            os.write(terminal, keys)
    except OSError:
        pass


def drain(terminal: int, shown: bytearray, seconds: float) -> bool:
    """Takes what is on the screen, so that the program can go on; says whether there was any."""
    was_any = False
    while select.select([terminal], [], [], seconds)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            return False
        if not piece:
            return False
        was_any = True
        shown += piece
        # The end says what happened.
        del shown[:-65536]
        seconds = 0
    return was_any
