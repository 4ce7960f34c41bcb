"""Makes an input that shows a defect as short as it can be in some time."""

import re
import time
from collections.abc import Callable


def reduced(data: bytes, fails: Callable[[bytes], bool], seconds: float = 60) -> bytes:
    """Removes lines, then words, then bytes, as long as `fails` stays true."""
    end = time.monotonic() + seconds
    for cut in (lambda text: text.splitlines(keepends=True), words, characters):
        parts = cut(data)
        # Short parts of a large file would take longer than there is time for.
        if len(parts) > 4000:
            parts = chunks(data, 4000)
        data = b"".join(fewer(parts, fails, end))
    return data


def fewer(
    parts: list[bytes], fails: Callable[[bytes], bool], end: float
) -> list[bytes]:
    """Delta debugging: leaves out runs of parts, long ones first."""
    size = max(1, len(parts) // 2)
    while parts:
        start, removed = 0, False
        while start < len(parts):
            if time.monotonic() > end:
                return parts
            rest = parts[:start] + parts[start + size:]
            if rest and fails(b"".join(rest)):
                parts, removed = rest, True
            else:
                start += size
        if size == 1 and not removed:
            return parts
        size = max(1, size // 2)
    return parts


def words(data: bytes) -> list[bytes]:
    return re.findall(rb"\w+|\s+|[^\w\s]", data)


def characters(data: bytes) -> list[bytes]:
    return [data[index:index + 1] for index in range(len(data))]


def chunks(data: bytes, count: int) -> list[bytes]:
    size = -(-len(data) // count)
    return [data[index:index + size] for index in range(0, len(data), size)]
