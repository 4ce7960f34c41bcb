"""Builds the programs, and says what they run on."""

import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path


def first_line(*arguments):
    """What a command prints first; nothing where it fails or is missing."""
    try:
        found = subprocess.run(arguments, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return (found.stdout or found.stderr).strip().split("\n")[0]


def build(package):
    """Builds frc as Scripts/frc --release does, and the measuring programs; returns their folder."""
    scripts = package.parent.parent / "Scripts"
    flags = subprocess.run(
        ["bash", "-c", f"source '{scripts}/setup'; printf '%s\\n' \"${{program_flags[@]}}\""],
        capture_output=True, text=True, check=True).stdout.split()
    arguments = ["swift", "build", "-c", "release", "--package-path", str(package), *flags]
    print("building the measurements; this takes some minutes", file=sys.stderr)
    subprocess.run(arguments, check=True, stdout=sys.stderr)
    return Path(first_line(*arguments, "--show-bin-path"))


def spin():
    """Seconds of a core for work that is always the same."""
    start = time.process_time()
    total = 0
    for number in range(2_000_000):
        total += number & 7
    return time.process_time() - start


class Noise:
    """How much the machine varies: the spread of the same work over a run."""

    def __init__(self):
        self.times = []

    def measure(self):
        self.times += [spin() for _ in range(3)]

    @property
    def spread(self):
        """The distance of three quarters of the times from their median, as a part of it."""
        middle = statistics.median(self.times)
        distances = sorted(abs(one - middle) / middle for one in self.times)
        return distances[3 * len(distances) // 4]

    def __str__(self):
        return f"{100 * self.spread:.0f} %"


def machine(rounds, noise):
    """A line about the machine, and the versions of the tools."""
    model = ""
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next((line.split(":")[1].strip() for line in file if "model name" in line), "")
    parts = [
        f"{model or platform.processor()}, {os.cpu_count()} cores",
        first_line("swift", "--version").split(" (")[0],
        f"{rounds} rounds" if rounds > 1 else "one round", f"noise of the machine {noise}",
    ]
    return "Measured: " + "; ".join(part for part in parts if part) + "."
