"""Builds the programs, and says what they run on."""

import os
import platform
import subprocess
import sys
from pathlib import Path


def first_line(*arguments):
    """What a command prints first; nothing where it fails or is missing."""
    try:
        found = subprocess.run(arguments, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return (found.stdout or found.stderr).strip().split("\n")[0]


def build(package):
    """Builds frc as Scripts/frc does, and the measuring programs; returns their folder."""
    scripts = package.parent.parent / "Scripts"
    flags = subprocess.run(
        ["bash", "-c", f"source '{scripts}/setup'; printf '%s\\n' \"${{program_flags[@]}}\""],
        capture_output=True, text=True, check=True).stdout.split()
    arguments = ["swift", "build", "-c", "release", "--package-path", str(package), *flags]
    print("building the measurements; this takes some minutes", file=sys.stderr)
    subprocess.run(arguments, check=True, stdout=sys.stderr)
    return Path(first_line(*arguments, "--show-bin-path"))


def machine(package, rounds):
    """The machine, and the versions of the tools."""
    model = ""
    memory = ""
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next((line.split(":")[1].strip() for line in file if "model name" in line), "")
        with open("/proc/meminfo", encoding="utf-8") as file:
            memory = f"{int(file.readline().split()[1]) / 1048576:.0f} GB"
    rows = [
        ("processor", f"{model or platform.processor()}, {os.cpu_count()} cores"),
        ("memory", memory),
        ("system", f"{platform.system()} {platform.release()}"),
        ("Swift", first_line("swift", "--version").split(" (")[0]),
        ("sqlite3", first_line("sqlite3", "--version").split(" ")[0]),
        ("frc", first_line("git", "-C", str(package), "describe", "--always", "--dirty")),
        ("rounds", str(rounds)),
    ]
    return "| | |\n| --- | --- |\n" + "\n".join(
        f"| {name} | {text} |" for name, text in rows if text)
