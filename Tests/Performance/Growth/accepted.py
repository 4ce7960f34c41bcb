"""Growth that is more than proportional, and why."""

import re

# A pattern of an input, one of a command, and the reason.
ACCEPTED = [
    (r"contexts|entities, each the parent", r".*",
     "the end of each turn and each save look at every context, and an entity at its ancestors"),
    (r"relationships of one object|relationships, given by|a derived count", r".*",
     "a list of a to-many relationship is copied when a turn changes it"),
    (r"turns that a table shows|sections, each inserted|a table|tables|a suspended table", r".*",
     "a table lays out all rows of a changed section again"),
    (r"turn|deletions, each|moves|sections|controllers|caches|refreshes|undo|objects, each", r"frc test.*",
     "the replay law compares all rows after each batch"),
    (r".*", r"frc play.*", "a page looks at every row and every object with changes after each statement"),
    (r"unknown escapes", r".*", "the column of a warning is counted from the start of its line"),
]


def reason(case):
    """Why a case may grow by more; nil for any other."""
    for inputs, commands, why in ACCEPTED:
        if re.search(inputs, case.input) and re.fullmatch(commands, case.command):
            return why
    return None
