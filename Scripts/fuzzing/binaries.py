"""Changes stores and section caches, by their own formats."""

import random
import sqlite3
import struct
from pathlib import Path

from .scripts import spoiled

MASK = (1 << 64) - 1
PRIMES = (
    0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
NUMBERS = (
    0, 1, 2, 7, 8, 255, 1 << 31, (1 << 31) - 1, 1 << 32, 1 << 62, (1 << 63) - 1, 1 << 63, MASK,
    MASK - 1, MASK - 7,
)
VALUES = (
    "NULL", "0", "1", "-1", "9223372036854775807", "-9223372036854775808", "1e308", "9e999", "0.5",
    "'text'", "x'00ff'", "''", "x''", "zeroblob(70000)", "'2024'", "cast(x'ff' AS TEXT)",
    "'a' || char(0) || 'b'", "99", "hex(randomblob(16))",
)


def store(path: Path, source: bytes, chance: random.Random) -> None:
    """Writes a changed store: other bytes, other rows or another schema."""
    content = source
    if chance.random() < 0.5:
        path.write_bytes(source)
        change_rows(path, chance)
        content = path.read_bytes()
    if content is source or chance.random() < 0.2:
        content = changed_pages(content, chance)
    path.write_bytes(content)


def change_rows(path: Path, chance: random.Random) -> None:
    """Changes a database with SQLite, so that it stays a whole one."""
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA writable_schema = ON")
        tables = [row[0] for row in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'")]
        for _ in range(chance.choice((1, 1, 2, 4))):
            table = chance.choice(tables)
            columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
            column, other = chance.choice(columns or ["x"]), chance.choice(columns or ["x"])
            value = chance.choice(VALUES)
            part = f"WHERE rowid % {chance.choice((1, 2, 3))} = 0"
            change = chance.choice((
                f'UPDATE "{table}" SET "{column}" = {value} {part}',
                f'UPDATE "{table}" SET "{column}" = {value} {part}',
                f'UPDATE "{table}" SET "{column}" = {value} {part}',
                f'UPDATE "{table}" SET "{column}" = "{other}" {part}',
                f'UPDATE "{table}" SET rowid = rowid + {chance.choice((1, 1000, 2 ** 62))}',
                f'DELETE FROM "{table}" {part}', f'DROP TABLE "{table}"',
                f'ALTER TABLE "{table}" DROP COLUMN "{column}"',
                f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "{other}X"',
                f'ALTER TABLE "{table}" RENAME TO "{table}2"',
                f'INSERT INTO "{table}" SELECT * FROM "{table}" WHERE 0',
                f'INSERT INTO "{table}" DEFAULT VALUES',
                f'CREATE TABLE "{chance.choice(tables)}_" (x)',
                f'CREATE VIEW "V{table}" AS SELECT 1',
                f'CREATE TRIGGER t{chance.randrange(99)} AFTER UPDATE ON "{table}" BEGIN '
                f'DELETE FROM "{table}"; END',
                f"UPDATE sqlite_master SET sql = replace(sql, 'INTEGER', 'VARCHAR') "
                f"WHERE name = '{table}'",
                f"UPDATE sqlite_master SET rootpage = rootpage + 1 WHERE name = '{table}'",
                f"PRAGMA user_version = {chance.randrange(1 << 31)}",
                "PRAGMA journal_mode = DELETE",
            ))
            try:
                connection.execute(change)
            except sqlite3.Error:
                continue
        connection.commit()
    except sqlite3.Error:
        pass
    finally:
        connection.close()


def changed_pages(source: bytes, chance: random.Random) -> bytes:
    """Changes fields of the head and of pages, and exchanges pages."""
    content = bytearray(source)
    size = struct.unpack(">H", source[16:18])[0] or 65536
    pages = max(1, len(content) // max(512, size))
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        page = chance.randrange(pages) * size
        match chance.randrange(6):
            case 0:
                place = chance.randrange(100)
                content[place:place + 1] = bytes([chance.randrange(256)])
            case 1:
                head = page + (100 if page == 0 else 0)
                content[head + chance.randrange(12)] = chance.choice((0, 1, 2, 5, 10, 13, 255))
            case 2:
                place = page + 8 + 2 * chance.randrange(20) + (100 if page == 0 else 0)
                content[place:place + 2] = struct.pack(">H", chance.randrange(65536))
            case 3:
                other = chance.randrange(pages) * size
                content[page:page + size] = content[other:other + size]
            case 4:
                return bytes(content[:chance.randrange(len(content) + 1)])
            case 5:
                content = bytearray(spoiled(bytes(content), chance))
        if len(content) < size * pages:
            break
    return bytes(content)


def cache(source: bytes, chance: random.Random) -> bytes:
    """A changed section cache; half of them have the checksum that fits."""
    content = bytearray(source)
    for _ in range(chance.choice((1, 1, 2, 3))):
        if len(content) >= 48 and chance.random() < 0.6:
            place = chance.choice((8, 12, 16, 32 + 8 * chance.randrange((len(content) - 32) // 8)))
            place = min(place + chance.choice((0, 0, 0, 1, 2, 3, 5)), len(content) - 8)
            number = chance.choice(NUMBERS)
            if chance.random() < 0.3:
                number, = struct.unpack_from("<Q", content, place)
                number += chance.choice((-1, 1, 8, 256))
            struct.pack_into("<Q", content, place, number & MASK)
        else:
            content = bytearray(spoiled(bytes(content), chance))
    if chance.random() < 0.6 and len(content) >= 32:
        content[:8] = source[:8]
        if chance.random() < 0.8:
            content[8:12] = source[8:12]
            length = struct.unpack_from("<I", content, 12)[0]
            rows = len(content) - 32 - length
            if chance.random() < 0.7 and rows >= 0:
                struct.pack_into("<Q", content, 16, rows // 8)
        return righted(bytes(content))
    return bytes(content)


def is_right(content: bytes) -> bool:
    """Whether a cache has the checksum that fits."""
    return len(content) >= 32 and content[24:32] == struct.pack("<Q", checksum(content))


def righted(content: bytes) -> bytes:
    """A cache with the checksum that fits."""
    return content[:24] + struct.pack("<Q", checksum(content)) + content[32:]


def checksum(content: bytes) -> int:
    return xxhash(content[32:], xxhash(content[:24], 0))


def xxhash(content: bytes, seed: int) -> int:
    """XXH64, the checksum of section caches."""
    one, two, three, four, five = PRIMES

    def turn(number: int, by: int) -> int:
        return ((number << by) | (number >> (64 - by))) & MASK

    def mix(lane: int, word: int) -> int:
        return turn((lane + word * two) & MASK, 31) * one & MASK

    place, count = 0, len(content)
    if count >= 32:
        lanes = [seed + one + two, seed + two, seed, seed - one]
        lanes = [lane & MASK for lane in lanes]
        while place <= count - 32:
            words = struct.unpack_from("<4Q", content, place)
            lanes = [mix(lane, word) for lane, word in zip(lanes, words)]
            place += 32
        total = sum(turn(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            total = ((total ^ mix(0, lane)) * one + four) & MASK
    else:
        total = (seed + five) & MASK
    total = (total + count) & MASK
    while place <= count - 8:
        word = struct.unpack_from("<Q", content, place)[0]
        total = (turn(total ^ mix(0, word), 27) * one + four) & MASK
        place += 8
    if place <= count - 4:
        word = struct.unpack_from("<I", content, place)[0]
        total = (turn(total ^ (word * one & MASK), 23) * two + three) & MASK
        place += 4
    for byte in content[place:]:
        total = turn(total ^ (byte * five & MASK), 11) * one & MASK
    total = (total ^ (total >> 33)) * two & MASK
    total = (total ^ (total >> 29)) * three & MASK
    return total ^ (total >> 32)
