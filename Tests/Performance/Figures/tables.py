"""Makes Markdown tables of what programs print in several rounds."""

import math
import re
import statistics

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")


def cells_of_row(line):
    """The cells of a row of a Markdown table."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def cells(line):
    """The columns of a printed line: what two blanks or more divide."""
    return re.split(r"\s{2,}", line.strip())


def median(texts):
    """The median of numbers in the digits that they were printed with, and their spread."""
    numbers = [float(text.replace(",", "")) for text in texts]
    middle = statistics.median(numbers)
    digits = max(len(text.partition(".")[2]) for text in texts)
    spread = max(abs(number - middle) for number in numbers) / abs(middle) if middle else 0
    return f"{middle:.{digits}f}", spread


def merged(lines):
    """One line out of the same line of several rounds: each number is the median of its own."""
    first = lines[0]
    numbers = [NUMBER.findall(line) for line in lines]
    if len({len(found) for found in numbers}) != 1:
        return first, 0
    middles = [median([found[place] for found in numbers]) for place in range(len(numbers[0]))]
    rest = iter(middles)
    text = NUMBER.sub(lambda _: next(rest)[0], first)
    return text, max((spread for _, spread in middles), default=0)


def rounds_of(outputs):
    """The lines of several runs, merged, each with its spread."""
    split = [[line for line in output.split("\n") if line.strip()] for output in outputs]
    if len({len(lines) for lines in split}) != 1:
        raise ValueError("the rounds printed different numbers of lines")
    return [merged(list(lines)) for lines in zip(*split)]


def table(header, rows):
    """A Markdown table; rows are lists of cells."""
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    for row in rows:
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
    return "\n".join(lines)


def percent(spread):
    return f"{100 * spread:.0f} %"


def significant(number):
    """A number with three significant digits, or two decimal places if these are fewer."""
    digits = 2 - math.floor(math.log10(abs(number))) if number else 2
    return f"{round(number, digits):,.{max(0, min(digits, 2))}f}"


def columns(lines, header):
    """Lines of columns as a table, with the spread behind; lines of another shape are left out."""
    rows = []
    for line, spread in lines:
        found = cells(line)
        if len(found) == len(header):
            rows.append(found + [percent(spread)])
    return table(header + ["spread"], rows)
