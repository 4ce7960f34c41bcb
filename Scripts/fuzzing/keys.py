"""Keys that nobody would type, in the editor of the prompt, with a look at libedit's memory."""

import random
import subprocess
from pathlib import Path

from .findings import Fault
from .lab import Kind, Lab
from .memory import Checks
from .prompt import DISORDER, typed

# What an input consists of: the user's settings of libedit, and what is typed.
MARK = b"\n\0KEYS\0\n"
PER_SESSION = 2000

# These end the input on an empty line.
ENDING = {"ed-end-of-file", "vi-list-or-eof", "em-delete-or-list"}

LETTERS = [
    *(bytes([value]) for value in range(0x20, 0x7F)), b" ", b" ", b"  ", b"e\xcc\x81",
    *(text.encode() for text in ("日", "本", "é", "👍", "ß", "fetch Book ", "(a) {b} [c]", "a.b-c")),
]
EDITING = [
    b"\x01", b"\x02", b"\x05", b"\x06", b"\x07", b"\x08", b"\t", b"\x0b", b"\x0c", b"\x0e", b"\x10",
    b"\x12", b"\x12b", b"\x14", b"\x15", b"\x16", b"\x17", b"\x18", b"\x18\x15", b"\x18\x18", b"\x19",
    b"\x1d", b"\x1e", b"\x1f", b"\x7f", b"\0",
    *(b"\x1b" + text for text in (
        b"[A", b"[B", b"[C", b"[D", b"[H", b"[F", b"[3~", b"[Z", b"[1;5C", b"[1;5D", b"[3;5~", b"[5~",
        b"[15~", b"[<0;1;2M", b"[I", b"OP", b"\r", b"\x7f", b"_", b"\x1f", b"/", b"<", b">")),
    *(b"\x1b%c" % letter for letter in b"abcdefghijklmnpqrstuvwxyz0123456789."),
]
COUNTS = [b"2", b"3", b"7", b"10", b"40", b"0", b"900"]
OPERATORS = [b"d", b"c", b"y", b"d", b"y", b"dd", b"yy", b"cc"]
MOVEMENTS = [
    *(bytes([value]) for value in b"hl wbeWBE0$^|%;,kjGKJ-+"), b"fa", b"Fa", b"t ", b"T(", b"f)",
]
COMMANDS = [bytes([value]) for value in b"aAiIrRsSxXDCYpP~uU.nN/?#_@vqzZ:=\"'"]
MACROS = [r"\e$ix", r"\ed$", "abc", r"\e0i(", "3x", r"\e2bi", r"x\ey$p", "^A^K"]
# A text that is a key itself, which another key may type.
KEY_MACRO = r"\241"


def known_keys(mode: str, chance: random.Random) -> bytes:
    """A key of one of the modes, or a whole command of it."""
    kind = chance.random()
    if kind < 0.02:
        return b"\x1b[200~" + text(chance) + b"\x1b[201~"
    if kind < 0.05:
        return b"\r"
    if mode == "emacs" or kind < 0.2:
        letters = kind < 0.55 if mode == "emacs" else kind < 0.15
        return chance.choice(LETTERS if letters else EDITING)
    if kind < 0.35:
        return b"\x1b"
    if kind < 0.45:
        return chance.choice((b"i", b"a", b"A", b"I")) + chance.choice(LETTERS)
    if kind < 0.6:
        return chance.choice(COMMANDS)
    return (chance.choice(COUNTS) if chance.random() < 0.3 else b"") + (
        chance.choice(OPERATORS) if chance.random() < 0.4 else b"") + chance.choice(MOVEMENTS)


def text(chance: random.Random) -> bytes:
    """A text to paste: mostly short, sometimes longer than libedit's memory at its start."""
    count = chance.choice((1, 5, 5, 20, 20, 60, 60, 300, 1100, 3000))
    if chance.random() < 0.01:
        count = 12_000
    if chance.random() < 0.3:
        return chance.choice((b"a", b" ", "日".encode(), b"(")) * count
    return b"".join(
        b"\r" if chance.random() < 0.05 else chance.choice(LETTERS) for _ in range(count))


class Keys(Kind):
    """Inputs are the settings of libedit and the keys of a session."""

    file, size, steps = "editrc-and-keys", 1, ("type",)

    def __init__(self, lab: Lab, mode: str, checks: Checks):
        super().__init__(lab)
        self.name, self.mode, self.checks = f"keys-{mode}", mode, checks
        shown = subprocess.run([lab.program.path, "--commands"], capture_output=True, text=True)
        # How many keys were typed.
        self.typed = 0
        self.commands = [name for name in shown.stdout.split() if name not in ENDING]

    def round(self) -> None:
        super().round()
        self.typed += PER_SESSION

    def again(self, path: Path) -> None:
        """Types the keys of a file."""
        data = path.read_bytes()
        if fault := self.examine(data, self.steps[0]):
            self.lab.report(self, fault, str(path), data)

    def make(self, chance: random.Random) -> bytes:
        chosen, keys = [], [known_keys(self.mode, chance) for _ in range(PER_SESSION)]
        settings = [f"bind {'-v' if self.mode == 'vi' else '-e'}"]
        # Half of the users have bound other commands.
        if chance.random() < 0.5:
            chosen = chance.sample(range(0xA1, 0x100), 40)
            for code in chosen:
                command = chance.choice(self.commands)
                settings += [f'bind {part}"\\{code:o}" {command}' for part in ("", "-a ")]
            settings += [f"bind {chance.choice(('', '-a '))}0 ed-argument-digit"]
            for code in chosen[:4]:
                # A key that types itself has no end.
                macros = MACROS if code == 0xA1 else [*MACROS, KEY_MACRO]
                settings += [
                    f'bind -s {chance.choice(("", "-a "))}"\\{code:o}" "{chance.choice(macros)}"']
            for index in range(PER_SESSION):
                if chance.random() < 0.15:
                    keys[index] = chr(chance.choice(chosen)).encode()
        return "".join(f"frc:{line}\n" for line in settings).encode() + MARK + b"".join(keys)

    def how(self, fault: Fault) -> str:
        return "LineEditorProbe --whole --assist, in a terminal, with this .editrc and the keys typed"

    def look(
        self, step: str, inputs: dict[str, bytes], folder: Path, repetitions: int = 1
    ) -> dict[str, Fault]:
        faults = {}
        for stem, content in inputs.items():
            settings, _, keys = content.partition(MARK)
            self.lab.count(self.name).runs += 1
            outcome = typed(
                self.lab.program, ["--whole", "--assist", "--history", str(folder / "history")], keys,
                folder, editrc=settings.decode(errors="replace"), leaving=(b"\x03", b"\x04"),
                is_limited=self.checks.is_small, awaits_editor=True, **self.checks.watch(folder))
            shown = outcome.output
            for mark, report in self.checks.faults(folder).items():
                faults[stem] = Fault("memory", step, mark, report)
            if stem in faults:
                continue
            if b"mistake: " in shown:
                mark = shown.partition(b"mistake: ")[2].split(b"\r")[0].decode(errors="replace")
                faults[stem] = Fault("mistake", step, mark, shown)
            elif shown.endswith(DISORDER):
                faults[stem] = Fault("terminal", step, "left in another mode", shown)
            elif outcome.hung:
                faults[stem] = Fault("hang", step, outcome.hung, shown)
            elif outcome.status:
                faults[stem] = Fault("crash", step, outcome.signal or f"status {outcome.status}", shown)
        return faults


def build(root: Path) -> Path:
    """Builds the editor for tests, with the options of a release build of frc.

    Other flags would let the two builds replace each other's files.
    """
    command = """
        source Scripts/setup
        swift build -c release --product LineEditorProbe ${program_flags[@]+"${program_flags[@]}"}
        """
    result = subprocess.run(["bash", "-c", command], cwd=root, capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"the editor cannot be built:\n{result.stdout}{result.stderr}")
    return root / ".build/release/LineEditorProbe"


def kept(root: Path) -> list[Path]:
    """Inputs that once failed."""
    return sorted((root / "Tests/Fuzzing/Keys").glob("*"))
