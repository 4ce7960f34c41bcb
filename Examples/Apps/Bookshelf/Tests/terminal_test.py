#!/usr/bin/env python3
"""Runs Bookshelf at a terminal of its own: keys, window sizes, signals, and what is left behind.

    Tests/terminal_test.py [PROGRAM]        the program; .build/debug/Bookshelf if left out
"""

import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = FOLDER / ".build/debug/Bookshelf"
PATIENCE = 20
CONTROL = re.compile(r"\x1b\[(\??[\d;]*)([A-Za-z])|\x1b\[?[\d;?]*$|([^\x1b])", re.S)


class Screen:
    """What a person sees. Knows just the control sequences that the program writes."""

    def __init__(self, columns, rows):
        self.columns, self.modes, self.partial = columns, {"25"}, ""
        self.rows = [""] * rows
        self.row = self.column = 0

    def resize(self, columns, rows):
        self.columns = columns
        self.rows = (self.rows + [""] * rows)[:rows]
        self.row = min(self.row, rows - 1)

    def write(self, text):
        text, self.partial = self.partial + text, ""
        for match in CONTROL.finditer(text):
            argument, command, character = match.groups()
            if character is not None:
                self.put(character)
            elif command is None:
                self.partial = match[0]
            elif command == "H":
                place = [int(part) for part in (argument or "1;1").split(";")]
                # Below the last row there is none, as while the window becomes smaller.
                self.row, self.column = min(place[0], len(self.rows)) - 1, place[1] - 1
            elif command == "K":
                self.rows[self.row] = self.rows[self.row][:self.column]
            elif command == "J":
                self.rows = [""] * len(self.rows)
            elif command in "hl":
                (self.modes.add if command == "h" else self.modes.discard)(argument.lstrip("?"))

    def put(self, character):
        if character < " " or self.row >= len(self.rows) or self.column >= self.columns:
            return
        line = self.rows[self.row].ljust(self.column)
        self.rows[self.row] = line[:self.column] + character + line[self.column + 1:]
        self.column += 1

    @property
    def text(self):
        return "\n".join(row.rstrip() for row in self.rows)


class Program:
    def __init__(self, *arguments, columns=70, rows=12):
        self.terminal, self.other = pty.openpty()
        self.screen = Screen(columns, rows)
        self.resize(columns, rows, tell=False)
        self.settings = termios.tcgetattr(self.other)
        self.process = os.fork()
        if self.process == 0:
            os.login_tty(self.other) if hasattr(os, "login_tty") else self.log_in()
            os.close(self.terminal)
            os.execv(PROGRAM, [str(PROGRAM), *map(str, arguments)])
        self.status = None

    def log_in(self):
        os.setsid()
        fcntl.ioctl(self.other, termios.TIOCSCTTY, 0)
        for descriptor in range(3):
            os.dup2(self.other, descriptor)

    def resize(self, columns, rows, tell=True):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(columns, rows)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read(self, seconds):
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.terminal, 65536)
        except OSError:
            return False
        self.pending = getattr(self, "pending", b"") + data
        text = self.pending.decode(errors="ignore")
        self.pending = self.pending[len(text.encode()):]
        self.screen.write(text)
        return True

    def wait(self, *texts, without=()):
        """Waits until the screen has the texts."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            shown = self.screen.text
            if all(text in shown for text in texts) and not any(text in shown for text in without):
                return
            self.read(0.1)
        raise AssertionError(f"not seen: {texts}; the screen is:\n{self.screen.text}")

    def end(self):
        """Waits for the end of the program, and returns its exit status."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.read(0.05)
            found, status = os.waitpid(self.process, os.WNOHANG)
            if found:
                while self.read(0.05):
                    pass
                self.status = os.waitstatus_to_exitcode(status)
                return self.status
        os.kill(self.process, signal.SIGKILL)
        raise AssertionError("the program did not end")

    def close(self):
        if self.status is None:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.terminal)
        os.close(self.other)


class TerminalTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="bookshelf-")
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "books.sqlite"

    def start(self, *arguments, **size):
        program = Program(*(arguments or [self.file]), **size)
        self.addCleanup(program.close)
        return program

    def check_end(self, program):
        self.assertEqual(program.end(), 0)
        self.assertEqual(program.screen.modes & {"25", "1049"}, {"25"})
        self.assertEqual(termios.tcgetattr(program.other), program.settings)

    def test_books_are_there_again(self):
        program = self.start()
        program.wait("Bookshelf", "0 books", "q quit")
        program.type("aDune\rHerbert\rFuture\r")
        program.wait("Future (1)\n> Dune, Herbert", "Added Dune")
        program.type(f"i{FOLDER / 'Books/classics.tsv'}\r")
        program.wait("28 books", "Imported 27 books")
        program.type("/austen")
        program.wait("3 books", "England (3)\n> Emma", without=["Dune"])
        program.type("\rd")
        program.wait("2 books", "Deleted Emma")
        program.type("u")
        program.wait("3 books", "Undone")
        program.type("q")
        self.check_end(program)

        again = self.start()
        again.wait("28 books", "England (10)\n> Emma, Jane Austen")
        again.type("\x03")
        self.check_end(again)

    def test_signals_leave_the_terminal_as_it_was(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(signal=number):
                program = self.start()
                program.wait("q quit")
                self.assertEqual(program.screen.modes & {"25", "1049"}, {"1049"})
                program.type("aDune")
                program.wait("Title: Dune_")
                os.kill(program.process, number)
                self.check_end(program)

    def test_the_end_of_the_terminal_ends_the_program(self):
        program = self.start()
        program.wait("q quit")
        os.close(program.terminal)
        program.terminal = os.open("/dev/null", os.O_RDWR)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if os.waitpid(program.process, os.WNOHANG)[0]:
                program.status = 0
                return
            time.sleep(0.05)
        self.fail("the program did not end")

    def test_the_window_changes_its_size(self):
        program = self.start()
        program.wait("q quit")
        program.type("aDune\rHerbert\rFuture\r")
        program.wait("Added Dune")
        for columns, rows in ((40, 6), (100, 30), (20, 3), (70, 12)):
            program.resize(columns, rows)
            count = f"{'1 book':>{columns - len('Bookshelf')}}"
            program.wait(f"Bookshelf{count}", without=["Title"])
            if rows > 3:
                program.wait("Future (1)\n> Dune, Herbert")
            lines = program.screen.text.split("\n")
            program.wait("/ search  a add"[:columns])
            self.assertEqual(len(lines), rows)

    def test_an_import_is_cancelled(self):
        many = self.file.with_suffix(".tsv")
        many.write_text("".join(f"Book {n}\tAuthor\tShelf {n % 9}\n" for n in range(200_000)))
        program = self.start()
        program.wait("q quit")
        program.type(f"i{many}\r")
        program.wait("Importing: ")
        program.type("x")
        program.wait("The import was cancelled")
        program.type("q")
        self.check_end(program)

    def test_only_files_of_text_are_imported(self):
        pipe, zeros = self.file.with_suffix(".pipe"), self.file.with_suffix(".zeros")
        os.mkfifo(pipe)
        with zeros.open("wb") as file:
            # Takes no place on the disk.
            file.truncate(1 << 40)
        for path in (pipe, zeros, "/dev/zero", self.file.parent):
            program = self.start()
            program.wait("q quit")
            program.type(f"i{path}\r")
            program.wait("The import failed: ", "is no file of text")
            program.type("q")
            self.check_end(program)

    def test_wrong_arguments(self):
        for arguments, status in ((["--help"], 0), (["a", "b"], 2), (["/dev/null/x"], 1)):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.start(*arguments).end(), status)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
