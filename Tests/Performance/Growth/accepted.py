"""Growth that is more than proportional, and why."""

import re

# A pattern of an input, one of a command, and the reason.
ACCEPTED = [
    (r"^contexts", r".*", "each statement ends the turn of every context, and a save tells all of them"),
    (r"^entities, each the parent|^parents of a model", r".*", "an entity tells all that it inherits from"),
    (r"^relationships of one object|^(ordered )?relationships, given by", r".*",
     "a list of a to-many relationship is copied when a turn changes it"),
    (r"^turns that a table shows|^a suspended table", r".*",
     "a table lays out all rows of a changed section again"),
    (r"turn|^deletions|^moves|^sections|^controllers|^caches|^refreshes|^undo|^updates|each saved",
     r"frc test.*", "the replay law compares all rows after each batch"),
    (r".*", r"frc play.*", "a page looks at all rows and all unsaved objects after each statement"),
    (r"^entities", r"frc export", "objects of many entities that have the same number share a hash"),
    (r"^unknown escapes", r".*", "the column of a warning is counted from the start of its line"),
    (r"^lines of one statement", r"the prompt", "the editor parses the statement again at each key"),
]


def reason(case):
    """Why a case may grow by more; nil for any other."""
    for inputs, commands, why in ACCEPTED:
        if re.search(inputs, case.input) and re.fullmatch(commands, case.command):
            return why
    return None
