"""What was found wrong, and where it is kept."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Fault:
    """What an input does that it should not."""

    # crash, hang, difference, stores or format.
    why: str
    # The step in which it happened, so that only this one is repeated.
    step: str
    # What tells this defect from others.
    mark: str
    # What the program printed.
    output: bytes = field(repr=False, default=b"")

    @property
    def name(self) -> str:
        return f"{self.why}: {self.mark}"


def mark_of_crash(errors: bytes) -> str:
    """The trap's own words and the functions at the top of the stack."""
    text = errors.decode(errors="replace")
    words = re.findall(r"Fatal error: [^\n]*|Assertion failed[^\n]*|terminate called[^\n]*", text)
    frames = re.findall(r"^\d+ (?:\[[^\]]*\] )*(?:0x\w+ )?(.+?) (?:\+ \d+ )?in ", text, re.M)
    own = [frame for frame in frames if not frame.startswith(("_swift_", "swift_"))][:3]
    return " < ".join((words[:1] or ["no words"]) + own)


class Findings:
    """A folder with a folder for each defect that was found."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.counts: dict[str, int] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def is_new(self, kind: str, fault: Fault) -> bool:
        """Counts a fault, and says whether it is the first of its kind."""
        name = f"{kind}: {fault.name}"
        self.counts[name] = self.counts.get(name, 0) + 1
        return self.counts[name] == 1

    def keep(
        self, kind: str, fault: Fault, seed: str, name: str, data: bytes, shorter: bytes,
        how: str,
    ) -> Path:
        """Writes an input, its short form and what the program printed."""
        number = len(list(self.folder.iterdir())) + 1
        folder = self.folder / f"{number:03d}-{kind}-{fault.why}"
        folder.mkdir()
        (folder / name).write_bytes(data)
        (folder / f"short-{name}").write_bytes(shorter)
        (folder / "output").write_bytes(fault.output)
        about = {
            "kind": kind, "why": fault.why, "step": fault.step, "mark": fault.mark, "seed": seed,
            "how": how,
        }
        (folder / "about.json").write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n")
        return folder
