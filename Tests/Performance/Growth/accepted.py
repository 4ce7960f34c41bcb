"""Growth that is more than proportional, why, and how much of it is accepted.

An accepted row has a bound too: the nanoseconds for each pair of the input's
parts. A row of n statements that looks at n rows after each takes n² looks. So
it fails if one look becomes dearer, and it fails if the growth is over 4.4.
"""

import re

# What n² steps grow by per doubling, and a margin.
MOST_GROWTH = 4.4

# A pattern of an input, one of a command, the most nanoseconds a pair, and the reason.
ACCEPTED = [
    (r"turn|^deletions|^moves|^sections|^controllers|^caches|^refreshes|^undo|^updates|each saved",
     r"frc test.*", 400, "the replay law compares all rows of a snapshot and of an observer"),
    (r".*", r"frc play.*", 4000,
     "a page reads all rows of tables, of observers and of faults after each statement"),
    (r"^entities, each the parent", r"frc fuzz", 1_000_000,
     "each of n lists has the objects of all entities below its own"),
    (r"^contexts", r"frc export", 400, "each step of the package names all contexts, as text"),
    (r"^lines of one statement", r"the prompt", 4000, "the editor parses the statement at each key"),
]


def accepted(case):
    """Why a case may grow by more, and its nanoseconds a pair; nil for any other."""
    for inputs, commands, nanoseconds, why in ACCEPTED:
        if re.search(inputs, case.input) and re.fullmatch(commands, case.command):
            return why, nanoseconds
    return None


def excuse(cell):
    """Why a cell that grew by more is accepted; nil if it is not."""
    found = accepted(cell.case)
    if not found or cell.growth > MOST_GROWTH:
        return None
    why, nanoseconds = found
    each = cell.seconds[-1] / cell.sizes[-1] ** 2 * 1e9
    return f"{each:.0f} ns a pair of at most {nanoseconds}: {why}" if each <= nanoseconds else None
