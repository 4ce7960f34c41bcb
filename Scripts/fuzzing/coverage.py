"""Fuzzing that libFuzzer guides by what code an input reaches."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from .corpus import Corpus, data

TARGETS = (
    "script", "format", "predicate", "model", "cache", "keys", "test", "rows", "log", "lesson",
    "answer", "progress", "history")
# How many inputs of a target are kept with the tests, and how large they may be.
MOST_KEPT = 40
LARGEST_KEPT = 2000


def fuzz(root: Path, target: str, work: Path, findings: Path, seconds: float) -> int:
    """Runs a target for a time; returns 0 if nothing ended it."""
    program = build(root)
    kept = root / "Tests/Fuzzing/Corpus" / target
    kept.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    corpus = work / "corpus"
    corpus.mkdir()
    for index, seed in enumerate(seeds(Corpus(root), target)):
        (corpus / f"seed{index}").write_bytes(seed)
    environment = os.environ | {"FRC_FUZZ_TARGET": target}
    before = set(findings.iterdir())
    result = subprocess.run(
        [program, f"-max_total_time={int(seconds)}", "-timeout=10", "-rss_limit_mb=4096",
         "-max_len=8192", "-print_final_stats=1", "-verbosity=1",
         f"-artifact_prefix={findings}/{target}-", corpus, kept], env=environment)
    for path in sorted(set(findings.iterdir()) - before):
        print(f"found {path.name}")
    if result.returncode == 0:
        keep(program, environment, work, corpus, kept)
    return 1 if result.returncode else 0


def build(root: Path) -> Path:
    """Builds the targets with libFuzzer, in a folder of its own."""
    command = ["swift", "build", "--package-path", root, "--scratch-path", root / ".build-fuzzing",
               "-c", "release", "--sanitize", "fuzzer", "--product", "fuzzing"]
    environment = os.environ | {"FRC_FUZZING": "1"}
    subprocess.run(command, env=environment, check=True)
    shown = subprocess.run([*command, "--show-bin-path"], env=environment, check=True,
                           capture_output=True, text=True)
    return Path(shown.stdout.strip()) / "fuzzing"


def keep(program: Path, environment: dict, work: Path, corpus: Path, kept: Path) -> None:
    """Keeps few and short inputs that together reach most of the code."""
    merged = work / "merged"
    merged.mkdir()
    subprocess.run([program, "-merge=1", "-verbosity=0", merged, kept, corpus], env=environment,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    inputs = sorted(merged.iterdir(), key=lambda path: path.stat().st_size)
    small = [path for path in inputs if path.stat().st_size <= LARGEST_KEPT]
    # Of many, some of every size.
    chosen = small[::max(1, -(-len(small) // MOST_KEPT))]
    known = {path.name for path in kept.iterdir()}
    if len(known) < MOST_KEPT:
        for path in chosen[:MOST_KEPT - len(known)]:
            shutil.copyfile(path, kept / path.name[:16])
    count = len(list(kept.iterdir()))
    print(f"{len(inputs)} inputs reach different code; {count} are kept in {kept}")


def seeds(corpus: Corpus, target: str) -> Iterator[bytes]:
    """What the repository has of a target's inputs."""
    match target:
        case "script" | "format":
            yield from (data(script) for script in corpus.scripts)
        case "predicate":
            for script in corpus.scripts:
                for found in re.findall(r"\bwhere (.+?)(?: sort by| limit| \{|$)", script, re.M):
                    yield data(found)
        case "model":
            yield from (data(model) for model in corpus.models)
        case "cache":
            return
        case "test":
            yield from (data(script) for script in corpus.scripts)
            # What a learner hands in.
            yield from (
                data(re.sub(r"^#> ", "#? ", lesson, flags=re.M)) for lesson in corpus.lessons)
        case "rows":
            yield b"c" + data(corpus.seed("rows.csv"))
            yield b"j" + data(corpus.seed("rows.json"))
        case "log":
            yield from (data(log) for log in corpus.logs)
        case "lesson":
            yield from (data(lesson) for lesson in corpus.lessons)
        case "answer":
            for index, lesson in enumerate(corpus.lessons):
                lines = re.findall(r"^#[>|] (.*)", lesson, re.M)
                yield bytes([index]) + data("\n".join([*lines, "", ":hint", ":solution", ":next"]))
        case "progress":
            yield data(corpus.seed("lessons.json"))
        case "history":
            yield data(corpus.seed("history"))
        case "keys":
            yield b"\x1b[A\x1b[200~print 1\x1b[201~\r"
            yield "é🎉名\r".encode() + b"\xff\xc3\x28"
