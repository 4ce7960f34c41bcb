"""Runs the tests of a file in two browsers at once.

Each browser takes the next test when it has finished one. A test finds its browser in
`self.browser`, and must set what it needs there: another test had the browser before.
"""

import collections
import concurrent.futures
import os
import pathlib
import sys
import time
import traceback
import unittest

from webdriver import Browser, MISSING

# The times of a page mean something only if no other page is drawn beside it.
IS_QUIET = bool(os.environ.get("FRC_QUIET_MACHINE"))
# Every comparison, however much it is like another.
IS_LONG = os.environ.get("FRC_LAWS") == "long"


class BrowserTestCase(unittest.TestCase):
    """Tests that need a browser."""

    maxDiff = None
    # Tests of much weight begin first, and many small ones last, so that both browsers end together.
    weight = 1
    browser: Browser

    def setUp(self):
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        """Says something about a test that passed, which `-v` shows."""
        self.notes.append(text)


class TwoBrowsers:
    """A test runner for `unittest.main`. It prints a line for the file, and each failure whole."""

    browser_options: dict[str, int] = {}

    def __init__(self, verbosity=1, failfast=False, **_):
        self.is_verbose = verbosity > 1
        self.fails_fast = failfast

    def run(self, suite: unittest.TestSuite) -> unittest.TestResult:
        began = time.monotonic()
        tests = sorted(flattened(suite), key=lambda test: -getattr(test, "weight", 1))
        if not tests:
            sys.exit("no test has such a name")
        whole = unittest.TestResult()
        classes = list(dict.fromkeys(type(test) for test in tests))
        ready = [case for case in classes if self.is_set_up(case, whole)]
        waiting = collections.deque(test for test in tests if type(test) in ready)
        count = min(1 if IS_QUIET else 2, len(waiting))
        try:
            with concurrent.futures.ThreadPoolExecutor(2) as threads:
                try:
                    workers = [threads.submit(self.work, waiting, whole) for _ in range(count)]
                    for worker in concurrent.futures.as_completed(workers):
                        worker.result()
                finally:
                    # A browser that did not start, or Ctrl-C, ends the other one after its test.
                    waiting.clear()
        finally:
            for case in ready:
                case.tearDownClass()
                case.doClassCleanups()
        self.report(whole, count, time.monotonic() - began)
        return whole

    def is_set_up(self, case: type[unittest.TestCase], whole: unittest.TestResult) -> bool:
        try:
            case.setUpClass()
        except Exception:
            whole.errors.append((f"setUpClass ({case.__qualname__})", traceback.format_exc()))
            case.doClassCleanups()
            return False
        return True

    def work(self, waiting: collections.deque, whole: unittest.TestResult) -> None:
        """Runs tests in a browser until none is left."""
        browser = Browser(**self.browser_options)
        try:
            while waiting:
                try:
                    test = waiting.popleft()
                except IndexError:  # The other browser took it.
                    return
                test.browser = browser
                result = unittest.TestResult()
                began = time.monotonic()
                test(result)
                self.add(result, test, time.monotonic() - began, whole)
                if self.fails_fast and not result.wasSuccessful():
                    waiting.clear()
        finally:
            browser.close()

    def add(self, result, test, seconds: float, whole: unittest.TestResult) -> None:
        whole.testsRun += result.testsRun
        for kind in ("failures", "errors", "skipped", "expectedFailures", "unexpectedSuccesses"):
            getattr(whole, kind).extend(getattr(result, kind))
        if self.is_verbose:
            outcome = "ok" if result.wasSuccessful() else "FAILED"
            notes = "".join(f"\n    {note}" for note in getattr(test, "notes", []))
            # In one call, so that lines of two browsers do not mix.
            sys.stdout.write(f"{seconds:6.2f} s  {test.id().partition('.')[2]}: {outcome}{notes}\n")
            sys.stdout.flush()

    def report(self, whole: unittest.TestResult, browsers: int, seconds: float) -> None:
        for kind, problems in (("ERROR", whole.errors), ("FAIL", whole.failures)):
            for test, text in problems:
                print(f"{'=' * 70}\n{kind}: {test}\n{'-' * 70}\n{text}")
        for test, reason in whole.skipped:
            print(f"skipped: {test}: {reason}")
        problems = len(whole.errors) + len(whole.failures) + len(whole.unexpectedSuccesses)
        outcome = f"{problems} problem{'s' * (problems > 1)}" if problems else "passed"
        name = pathlib.Path(sys.argv[0]).name
        where = "one browser" if browsers == 1 else f"{browsers} browsers"
        print(f"{name}: {whole.testsRun} tests in {where}, {seconds:.1f} s: {outcome}", flush=True)


def flattened(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flattened(test)
        else:
            yield test


def main(**browser_options: int) -> None:
    """Runs the tests of the program, with the options of `unittest.main`."""
    if MISSING:
        sys.exit(f"not tested: {' and '.join(MISSING)} missing; apt-get install chromium chromium-driver")

    class Runner(TwoBrowsers):
        pass
    Runner.browser_options = browser_options
    unittest.main(testRunner=Runner)
