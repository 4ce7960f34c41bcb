"""Changes models, tables, JSON, settings and documents, each by its own signs."""

import random
import re

from .corpus import data
from .scripts import NUMBERS, STRINGS, ScriptMutator, spoiled

ODD_XML = [
    "<?x?>", "<!-- -- -->", "<![CDATA[x]]>", "&lt;", "&#0;", "&#x110000;", "&none;",
    '<!DOCTYPE model [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>', "<a:b/>", "<", "</model>",
    '<?xml version="1.1" encoding="UTF-16"?>', "<entity>" * 300, "]]>", "\ufeff", "<\u00e1/>",
    '<!DOCTYPE model SYSTEM "file:///etc/hostname">', "<e" + ' a="1"' * 2,
]
XML_VALUES = [
    "YES", "NO", "", "0", "-1", "1", "2", "99999999999999999999", "0.5", "nan", "Book", "Author",
    "name", "title", "books", "Nullify", "Cascade", "Deny", "No Action", "Integer 16", "Integer 64",
    "Decimal", "Double", "Float", "String", "Boolean", "Date", "Binary", "UUID", "URI",
    "Transformable", "Composite", "Undefined", "(a+)+$", "[", "pages &gt; $X", "ANY x.y == 1",
    "SUBQUERY(books, $b, $b.pages &gt; 1).@count", "books.@count", "now()", "self", "Object",
    "2024-02-30", "é", "\u202e", "a b", "a" * 300, "&lt;&amp;&quot;", "entity",
]
JSON_PARTS = [
    "null", "true", "false", "0", "-0", "1e999", "-1e-999", "01", "1.", "[", "]", "{", "}", ",", ":",
    '""', '"\\u0000"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\x"', '"a"', "[]", "{}", "NaN", "'a'",
    "[" * 600, '{"a":' * 600, "9223372036854775808", "1E5", '"\t"', "\ufeff", "//", "\x00",
]
TOML_PARTS = [
    "=", "[", "]", "[[a]]", "[a.b]", "{a = 1}", '"""', "'''", "1979-05-27T07:32:00Z", "inf", "nan",
    "0xff", "1_000", "-1", "99999999999999999999", "true", "false", '""', '"\\u0000"', '"\\U00110000"',
    "'../..'", '"/dev/zero"', '"(a+)+$"', "jobs = 1000000", 'timeout = "1e9min"', 'timeout = "0s"',
    "[" * 500, "a.b.c.d = 1", "#", "\r", "\ufeff", 'stores = ["memory", "memory"]', 'locale = "xx"',
]
MARKDOWN_PARTS = [
    "```\n", "```frc\n", "````frc\n", "~~~frc\n", "```frc ignore\n", "# x\n", "## \n", "> ```frc\n",
    "    ```frc\n", "<!-- -->\n", "\r\n", "```frc\n```\n", "#> x\n", "#@ skip\n", "#@ unordered\n",
]


LOG_PARTS = [
    "[0, 0]", "[0, 999999999]", "[999999999, 0]", "[1, 2, 3]", "(0, 3)", "{length = 2, path = 0 - 7}",
    "path = 9223372036854775807 - 0", "->", "nil", "(null)", "Optional([0, 1])", "insert", "delete",
    "move", "update", "type: 0", "type: 3", "section", "controllerWillChangeContent",
    "controllerDidChangeContent", "didChange:", "didChangeSection", "books willChangeContent",
    "books didChangeContent", "books insertRows [0, 3]", "books beginUpdates", "books endUpdates",
    "*** Terminating app due to uncaught exception 'X', reason: '", "Fatal Exception: X\n",
    "Invalid update: invalid number of rows in section 0", "Updates = [", "]", "'", '"', "{", "}", "<", ">",
    "attempt to delete row 3 from section 0 which only contains 3 rows before the update",
    "with userInfo (null)", "sections: [3, 2]", "[A] ", "<NSFetchedResultsController: 0x1> ", "\x1b[31m",
    '{"event":"willChangeContent","controller":"books"}', '{"event":"returned","controller":"books"}',
    '{"event":"sections","controller":"books","moment":"fetch","sections":[{"name":"A","objects":'
    '["Book/1","Book/1"]},{"name":"A","count":2000000}]}', "\n", "\r", "\0", "\ufeff", "9" * 30, "x" * 3000,
]


class TextMutator:
    """Changes a text word by word; `parts` are words that its format knows."""

    def __init__(self, pattern: str, parts: list[str]):
        self.pattern = re.compile(pattern, re.S)
        self.parts = parts

    def change(self, source: str, chance: random.Random) -> bytes:
        words = self.pattern.findall(source)
        for _ in range(chance.choice((1, 1, 1, 2, 3, 5, 8))):
            if not words:
                break
            place, other = chance.randrange(len(words)), chance.randrange(len(words))
            length = chance.choice((1, 1, 1, 2, 5, 20))
            match chance.randrange(7):
                case 0:
                    words[place] = words[other]
                case 1:
                    del words[place:place + length]
                case 2:
                    words[place:place] = words[other:other + length]
                case 3:
                    words[place], words[other] = words[other], words[place]
                case 4:
                    words.insert(place, chance.choice(self.parts))
                case 5 | 6:
                    words[place] = self.like(words[place], chance)
        content = data("".join(words))
        match chance.randrange(40):
            case 0 | 1:
                return spoiled(content, chance)
            case 2:
                return "".join(words).encode(chance.choice(("utf-16", "utf-32")), "replace")
        return content

    def like(self, word: str, chance: random.Random) -> str:
        """Another word of the same kind, where that can be told."""
        if re.fullmatch(r'"[^"]*"', word) and "<" not in word:
            return f'"{chance.choice(self.parts + XML_VALUES[:1])}"' if chance.random() < 0.5 else (
                chance.choice(STRINGS))
        if re.fullmatch(r"-?\d[\d.]*", word):
            return chance.choice(NUMBERS)
        return chance.choice(self.parts)


class ModelMutator(TextMutator):
    """Changes Xcode models: mostly values of attributes, and whole elements."""

    def __init__(self) -> None:
        super().__init__(r'"[^"]*"|<[^>\s]*|/?>|[\w:.-]+|\s+|.', ODD_XML)

    def like(self, word: str, chance: random.Random) -> str:
        if word.startswith('"'):
            return f'"{chance.choice(XML_VALUES)}"'
        return super().like(word, chance) if chance.random() < 0.3 else word


MODELS = ModelMutator()
CSV = TextMutator(
    r'"[^"]*"|[^,\r\n"]+|.',
    [",", "\n", "\r\n", "\r", '"', '""', "\0", "\ufeff", ";", "nil", "YES", "é", "\u2028", *NUMBERS,
     "2024-02-30", "2024-01-01T00:00:00Z", "x" * 3000, '"\n\n"', "title", "pages"])
JSON = TextMutator(r'"(?:\\.|[^"\\])*"|-?\d[\d.eE+-]*|\w+|\s+|.', JSON_PARTS)
TOML = TextMutator(r'"[^"\n]*"|\w[\w-]*|\s+|.', TOML_PARTS)


class LineMutator(TextMutator):
    """Changes the order of lines, puts odd ones between them, and changes single words: names,
    index paths and marks."""

    def __init__(self, lines: list[str], parts: list[str]) -> None:
        super().__init__(
            r'"(?:\\.|[^"\\\n])*"|\[\d+, ?\d+\]|[A-Z]\w*/p?\d+|#[@>?|]|\w+|\n|[ \t]+|.', parts)
        self.lines = lines

    def change(self, source: str, chance: random.Random) -> bytes:
        lines = source.splitlines(keepends=True) or ["\n"]
        for _ in range(chance.choice((0, 1, 1, 2, 5))):
            place, other = chance.randrange(len(lines)), chance.randrange(len(lines))
            match chance.randrange(4):
                case 0:
                    lines.insert(place, lines[other])
                case 1:
                    lines[place], lines[other] = lines[other], lines[place]
                case 2 if len(lines) > 1:
                    del lines[place:place + chance.choice((1, 1, 3))]
                    lines = lines or ["\n"]
                case _:
                    lines.insert(place, chance.choice(self.lines) + "\n")
        return super().change("".join(lines), chance)

    def like(self, word: str, chance: random.Random) -> str:
        if re.fullmatch(r"\[\d+, ?\d+\]", word):
            return f"[{chance.choice((0, 0, 1, 9, 99999999, 2**63))}, " + (
                f"{chance.choice((0, 1, 2, 7, 99999999, 2**63 - 1))}]")
        if re.fullmatch(r"[A-Z]\w*/p?\d+", word):
            return f"{word.partition('/')[0]}/{chance.choice((1, 2, 3, 2**63))}"
        return super().like(word, chance)


LOGS = LineMutator(LOG_PARTS, LOG_PARTS)
# Whole entries of a prompt's history.
ODD_ENTRIES = [
    "print 1 \\\n", "\\n\\n\\n\n", "\\\\n\n", "\n", "   \n", "print \"\\u{0}\"\n", ":undo\n", "a" * 70_000 + "\n",
    "repeat 3 {\\n  print 1\\n}\n", "\t\t\n", "print 1\r\n", "é" * 4000 + "\n", "\x1b]0;x\x07\n", "no newline",
]
HISTORY = TextMutator(r"\w+|\s|.", ["\\", "\\n", "\n", "\0", "\ufeff", "\x1b[2J", "é", "🎉", "x" * 5000])


class MarkdownMutator:
    """Changes documents: mostly their scripts, sometimes what is around them."""

    def __init__(self, scripts: ScriptMutator):
        self.scripts = scripts
        self.around = TextMutator(r"```[^\n]*\n|[^\n]*\n|[^\n]+", MARKDOWN_PARTS)

    def change(self, source: str, chance: random.Random) -> bytes:
        # A part of a long document says as much as all of it.
        lines = source.splitlines(keepends=True)
        start = chance.randrange(len(lines))
        part = "".join(lines[start:start + chance.choice((20, 60, 150))])
        for _ in range(chance.choice((0, 1, 1, 2))):
            part += f"\n```frc\n{text_of(self.scripts.script(chance))}\n```\n"
        return self.around.change(part, chance)


def text_of(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


