"""The repository's own scripts, models and documents, from which inputs are made."""

import shutil
from pathlib import Path

# Where scripts of all kinds are, and the files that they name.
SCRIPT_FOLDERS = ("Tests/GoldenTests/Goldens", "Examples", "Tests/frcTests/TestFixtures")
DOCUMENTS = ("README.md", "GRAMMAR.md", "Documentation/Rules.md", "Documentation/CI.md")
SEEDS = "Tests/Fuzzing/Seeds"
LOGS = "Tests/LogReplayTests/Logs"
LESSONS = "Sources/Lessons/Course"


class Corpus:
    """Texts to begin with, each by its path in the repository."""

    def __init__(self, root: Path):
        self.root = root
        folders = [root / folder for folder in SCRIPT_FOLDERS]
        self.scripts = [
            text(path) for folder in folders for path in sorted(folder.rglob("*.frc"))]
        self.models = [text(path) for folder in folders for path in sorted(
            folder.rglob("*.xcdatamodel/contents"))]
        self.documents = [text(root / name) for name in DOCUMENTS if (root / name).exists()]
        self.logs = [text(path) for path in sorted((root / LOGS).glob("*.log"))]
        self.lessons = [text(path) for path in sorted((root / LESSONS).glob("*.frc"))]
        self.seeds = root / SEEDS

    def seed(self, name: str) -> str:
        """A file that no script of the repository has, such as a settings file."""
        return text(self.seeds / name)

    def bring_side_files(self, folder: Path) -> None:
        """Copies what scripts include, and the models that they name, to a folder."""
        for base in SCRIPT_FOLDERS[:2]:
            for path in (self.root / base).rglob("*"):
                inside = part_of_model(path)
                if inside is not None or path.parent.name in ("parts", "include"):
                    name = inside or Path(path.parent.name, path.name)
                    if path.is_file():
                        (folder / name).parent.mkdir(parents=True, exist_ok=True)
                        shutil.copyfile(path, folder / name)


def part_of_model(path: Path) -> Path | None:
    """The path of a file of an Xcode model, from the model's folder on."""
    for index, part in enumerate(path.parts):
        if part.endswith((".xcdatamodel", ".xcdatamodeld")):
            return Path(*path.parts[index:])
    return None


def text(path: Path) -> str:
    # Odd bytes come back as they were.
    return path.read_bytes().decode("utf-8", "surrogateescape")


def data(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
