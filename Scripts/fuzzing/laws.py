"""The random tests in their long form."""

import os
import re
import subprocess
from pathlib import Path


def run(root: Path, seed: str | None) -> int:
    """Builds the targets with random tests, optimised, and runs these tests; returns 0 if all pass.

    With a seed they try only that one. Without one, the sample app's tests run too.
    """
    tests = root / "Tests"
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(tests.rglob("*Tests.swift"))}
    files = [path for path, text in texts.items() if "import RandomLaws\n" in text]
    targets = sorted({path.relative_to(tests).parts[0] for path in files})
    variables = {"FRC_LAWS": "long", "FRC_TESTS": " ".join(targets)}
    if seed:
        variables["FRC_SEED"] = seed
    suites = [name for path in files for name in re.findall(r"\bstruct (\w+Tests)\b", texts[path])]
    build = ["--scratch-path", root / ".build-laws", "-c", "release", "-Xswiftc", "-enable-testing"]
    result = subprocess.run(
        ["swift", "test", "--package-path", root, *build, "--filter", rf"\.({'|'.join(suites)})/"],
        env=os.environ | variables)
    # The lists of the sample app have seeds of their own.
    if seed or result.returncode:
        return result.returncode
    sample = ["swift", "test", "--package-path", tests / "SampleApp", *build]
    return subprocess.run(sample, env=os.environ | {"FRC_LAWS": "long"}).returncode
