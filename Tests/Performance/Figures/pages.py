"""The tables of a page: where they are, and how they differ from those before."""

import re

from tables import cells_of_row

NUMBER = re.compile(r"-?[\d,]+(?:\.\d+)?")


def marks(name):
    return f"<!-- figures: {name} -->\n", f"\n<!-- end of {name} -->"


def table_of(page, name):
    """The text between the marks of a name; None if the page has none."""
    start, end = marks(name)
    if start not in page or end not in page:
        return None
    return page.split(start, 1)[1].split(end, 1)[0]


def replaced(page, name, text):
    start, end = marks(name)
    before, rest = page.split(start, 1)
    return before + start + "\n" + text.strip() + "\n" + end + rest.split(end, 1)[1]


def numbers_of(text):
    """The numbers of a Markdown table by row and column; a row's name are its cells of words."""
    found = {}
    header = None
    title = ""
    for line in text.split("\n"):
        if not line.startswith("|"):
            title = line.strip() or title
            header = None
            continue
        row = cells_of_row(line)
        if header is None:
            header = row
            continue
        name = ", ".join([title] + [cell for cell in row if cell and not NUMBER.fullmatch(cell)])
        for column, cell in zip(header, row):
            if NUMBER.fullmatch(cell) and column not in ("spread", "target", "at most"):
                found[name, column] = float(cell.replace(",", ""))
    return found


def differences(old, new, noise):
    """Lines that say which numbers differ from those before by more than the machine's noise."""
    before, after = numbers_of(old), numbers_of(new)
    lines = []
    for key, number in after.items():
        if before.get(key) and number:
            ratio = number / before[key]
            if abs(ratio - 1) > 0.1 + 2 * noise:
                row, column = key
                lines.append(f"{row}, {column}: {before[key]:g}, now {number:g} ({ratio:.2f})")
    return lines
