"""Collects frc's scripts in pytest: each script that frc would test is a test.

`frc test` runs it, so the settings of frc.toml count, and a failure shows the same difference.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from frc import program

LISTS = pytest.StashKey[dict]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("frc", "scripts of frc")
    group.addoption(
        "--no-frc", action="store_true", help="do not collect *.frc files")
    parser.addini(
        "frc_options", "options of 'frc test' for each script, such as --stores memory,sqlite",
        type="args", default=[])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix != ".frc" or parent.config.getoption("--no-frc"):
        return None
    if file_path.resolve() not in tests(file_path.parent, parent.config):
        # A script that others include, or a file that frc.toml leaves out.
        return None
    return ScriptFile.from_parent(parent, path=file_path)


def run(config: pytest.Config, *arguments: str) -> subprocess.CompletedProcess:
    """Runs frc in pytest's root folder, where frc.toml is."""
    return subprocess.run(
        [program(), *arguments], cwd=config.rootpath, stdin=subprocess.DEVNULL,
        capture_output=True, encoding="utf-8", errors="replace", check=False)


def tests(folder: Path, config: pytest.Config) -> set[Path]:
    """Returns the scripts in a folder that frc would test."""
    known = config.stash.setdefault(LISTS, {})
    if folder not in known:
        result = run(config, "test", "--list=json", str(folder))
        if result.returncode == 0:
            listed = [json.loads(line) for line in result.stdout.splitlines()]
            known[folder] = {(config.rootpath / test["file"]).resolve() for test in listed}
        else:
            # A script or frc.toml cannot be read. The tests of the scripts say so.
            known[folder] = {path.resolve() for path in folder.glob("*.frc")}
    return known[folder]


class ScriptFile(pytest.File):
    """A script, which is one test."""

    def collect(self):
        yield Script.from_parent(self, name=self.path.stem)


class ScriptFailure(Exception):
    """What frc printed about a script that failed."""


class Script(pytest.Item):
    """The test of a script."""

    def runtest(self) -> None:
        path = os.path.relpath(self.path, self.config.rootpath)
        with tempfile.TemporaryDirectory(prefix="pytest-frc-") as folder:
            report = Path(folder) / "report.json"
            result = run(
                self.config, "test", *self.config.getini("frc_options"),
                "--report", f"json={report}", path)
            events = []
            if report.exists():
                events = [json.loads(line) for line in report.read_text("utf-8").splitlines()]
        verdicts = [event["verdict"] for event in events if event["event"] == "test"]
        if result.returncode != 0 or not verdicts:
            raise ScriptFailure((result.stdout + result.stderr).strip())
        if set(verdicts) == {"skipped"}:
            reasons = [event["reason"] for event in events if event["event"] == "skipped"]
            pytest.skip("; ".join(reasons))
        if "expectedFailure" in verdicts:
            reasons = [event["reason"] for event in events if event["event"] == "expectedFailure"]
            pytest.xfail("; ".join(reasons))

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, ScriptFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, None, os.path.relpath(self.path, self.config.rootpath)
