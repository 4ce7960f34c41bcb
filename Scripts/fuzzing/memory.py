"""Finds what libedit reads and writes outside its memory."""

import glob
import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

# Of libedit's commands that read a character before the text, and use it for nothing that a person
# could notice. They cannot be replaced, because a function of the editor does not learn the count
# or the operator that was typed before it. Sources/LineEditor/README.md has a table of them.
READS = {
    "cv_prev_word": "2b at the start of the text",
    "re_fastaddc": "~ on the only character",
    "ed_prev_line": "ed-prev-line with a count of 0",
    "cv_yank": "vi-to-column as a movement of y, with a count of 0",
}


class Problem(Exception):
    """Why libedit cannot be checked."""


class Checks:
    """Checks of memory in the programs that run with `environment`."""

    def __init__(self) -> None:
        self.environment: dict[str, str] = {}
        # Whether a program may be limited to some gigabytes.
        self.is_small = True
        self.reads: Counter[str] = Counter()

    def watch(self, folder: Path) -> dict[str, str]:
        """The environment of a program that leaves its reports in a folder."""
        return self.environment

    def faults(self, folder: Path) -> dict[str, bytes]:
        """What was reported since `watch`, by its kind and place."""
        return {}


class LibraryChecks(Checks):
    """Those of the C library, which finds a damaged block of memory when it is freed."""

    def __init__(self) -> None:
        super().__init__()
        self.environment = {"MALLOC_PERTURB_": "165", "GLIBC_TUNABLES": "glibc.malloc.check=3"}
        if found := library("libc_malloc_debug.so.0"):
            self.environment["LD_PRELOAD"] = found


class Sanitizer(Checks):
    """AddressSanitizer, in a libedit that is built from the source of the distribution."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.is_small = False
        preloaded = library("libasan.so") or compiler_library("libasan.so")
        if not preloaded:
            raise Problem("gcc's libasan is missing; install gcc")
        self.environment = {
            "LD_PRELOAD": preloaded, "LD_LIBRARY_PATH": str(sanitized_libedit(root / ".build-asan")),
        }

    def watch(self, folder: Path) -> dict[str, str]:
        for path in folder.glob("asan.*"):
            path.unlink()
        options = f"halt_on_error=0:detect_leaks=0:abort_on_error=1:log_path={folder}/asan"
        return self.environment | {"ASAN_OPTIONS": options}

    def faults(self, folder: Path) -> dict[str, bytes]:
        found = {}
        for path in sorted(folder.glob("asan.*")):
            report = path.read_bytes()
            for part in report.split(b"ERROR: AddressSanitizer: ")[1:]:
                words = part.decode(errors="replace")
                access = re.search(r"^(READ|WRITE) of size", words, re.M)
                frames = re.findall(r"^\s+#\d+ 0x\w+ in (\S+)", words, re.M)
                own = [frame for frame in frames if not frame.startswith("__")][:3]
                if access and access[1] == "READ" and own and own[0] in READS:
                    self.reads[own[0]] += 1
                    continue
                kind = words.split()[0]
                mark = " < ".join([f"{kind} {access[1] if access else ''}".strip(), *own])
                found[mark] = part
        return found


def library(name: str) -> str:
    """The path of a library that the loader finds, or an empty text."""
    cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True)
    paths = re.findall(rf"^\s*{re.escape(name)}\S* .*=> (\S+)$", cache.stdout, re.M)
    return paths[0] if paths else ""


def compiler_library(name: str) -> str:
    if not shutil.which("gcc"):
        return ""
    found = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True)
    path = Path(found.stdout.strip())
    return str(path.resolve()) if path.is_absolute() else ""


def sanitized_libedit(folder: Path) -> Path:
    """The folder of a libedit with AddressSanitizer, which is built if it is not there yet.

    Raises Problem if its source, or what builds it, cannot be had.
    """
    done = folder / "lib"
    if (done / "libedit.so.2").exists():
        return done
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    print(f"building libedit with AddressSanitizer in {folder}", flush=True)
    source = libedit_source(folder)
    flags = "-g -O1 -fno-omit-frame-pointer -fsanitize=address -fsanitize-recover=address"
    run(["./configure", "--disable-static", "--disable-examples", "CC=gcc", f"CFLAGS={flags}"],
        source, folder)
    # The distribution's changes are newer than what the tools made of the unchanged files.
    run(["make", "-C", "src", "ACLOCAL=:", "AUTOCONF=:", "AUTOMAKE=:", "AUTOHEADER=:"],
        source, folder)
    built = [path for path in glob.glob(f"{source}/src/.libs/libedit.so.*") if not os.path.islink(path)]
    if not built:
        raise Problem(f"libedit was not built; see {folder}/log")
    done.mkdir()
    shutil.copyfile(built[0], done / "libedit.so.2")
    return done


def libedit_source(folder: Path) -> Path:
    """Gets the source of the installed libedit by apt, with lists of sources of its own."""
    for tool in ("apt-get", "dpkg-source", "dpkg-query", "gcc", "make"):
        if not shutil.which(tool):
            raise Problem(f"there is no {tool}")
    package = subprocess.run(
        ["dpkg-query", "-W", "-f", "${source:Package}=${source:Version}", "libedit2"],
        capture_output=True, text=True).stdout.strip()
    if not package:
        raise Problem("libedit2 is not an installed package")
    sources = folder / "sources.list"
    sources.write_text("".join(f"{line}\n" for line in source_lines()))
    for name in ("lists/partial", "archives/partial"):
        (folder / name).mkdir(parents=True)
    apt = ["apt-get", "-o", f"Dir::Etc::SourceList={sources}", "-o", "Dir::Etc::SourceParts=-",
           "-o", f"Dir::State::Lists={folder}/lists", "-o", f"Dir::Cache={folder}",
           "-o", "APT::Sandbox::User=root" if os.geteuid() == 0 else "APT::Get::AllowUnauthenticated=0"]
    run([*apt, "update"], folder, folder)
    run([*apt, "source", "--download-only", package], folder, folder)
    descriptions = glob.glob(f"{folder}/libedit_*.dsc")
    if not descriptions:
        raise Problem(f"apt has no source of {package}; see {folder}/log")
    run(["dpkg-source", "--no-check", "-x", descriptions[0], f"{folder}/source"], folder, folder)
    return folder / "source"


def source_lines() -> list[str]:
    """The lines of apt that name sources, made of those that name packages."""
    lines = []
    for path in [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]:
        if not path.is_file():
            continue
        text = path.read_text()
        lines += re.findall(r"^deb(?:-src)? (.+)$", text, re.M) if path.suffix == ".list" else []
        for part in re.split(r"\n\s*\n", text) if path.suffix == ".sources" else []:
            field = dict(re.findall(r"^([\w-]+): *(.+)$", part, re.M))
            if "URIs" not in field:
                continue
            key = f"[signed-by={field['Signed-By']}] " if "Signed-By" in field else ""
            lines += [
                f"{key}{uri} {suite} {field.get('Components', '')}"
                for uri in field["URIs"].split() for suite in field.get("Suites", "").split()]
    # Other archives need not have sources.
    return [f"deb-src {line}" for line in dict.fromkeys(lines) if re.search(r"debian|ubuntu", line)]


def run(command: list[str], folder: Path, log: Path) -> None:
    with open(log / "log", "ab") as output:
        result = subprocess.run(command, cwd=folder, stdout=output, stderr=output)
    if result.returncode:
        raise Problem(f"{command[0]} has failed; see {log}/log")
