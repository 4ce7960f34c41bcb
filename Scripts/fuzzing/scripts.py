"""Makes scripts that are nearly right out of scripts that are."""

import random
import re
from dataclasses import dataclass

from .corpus import data

# Words of which one may stand where another does.
GROUPS = [
    "asc desc", "on off", "AND OR and or && ||", "memory sqlite", "save rollback reset undo redo",
    "min max count sum average", "nullify cascade deny noAction",
    "error storeTrump objectTrump overwrite rollback",
    "caseInsensitive localized localizedCaseInsensitive localizedStandard",
    "== != < <= > >= = <> =< =>", "BEGINSWITH CONTAINS ENDSWITH LIKE MATCHES IN BETWEEN",
    "ANY ALL SOME NONE NOT", "changes didChange none snapshot diff counts", "+= -= =",
    "+ - * / % ** ..< ...", "transient derived ordered external",
    "includesPendingChanges returnsObjectsAsFaults shouldRefreshRefetchedObjects",
    "samePathMove updateAndMove sectionChangeAsUpdate snapshotsWithoutReloads unreadMergesLost",
    "countedSections",
    "willChangeContent didChangeObject didChangeSection didChangeContent",
    "awakeFromInsert awakeFromFetch willSave didSave prepareForDeletion validateForDelete",
    "insertRows deleteRows reloadRows moveRow configureCell configureCellWithObject reloadData",
    "String Int Int16 Int32 Int64 Double Float Decimal Bool Date UUID URI Data",
    "limit offset batch", "fetch count delete objects show", "controller request table",
    "objectIDs statusOnly count", "true false nil YES NO", "suspend resume reload",
    "@count @sum @min @max @avg @distinctUnionOfObjects", "$object $indexPath $newIndexPath $type",
    "TRUEPREDICATE FALSEPREDICATE", "[c] [d] [cd] [n]",
]
GROUP_OF = {word: group.split() for group in GROUPS for word in group.split()}

KEYWORDS = set(GROUP_OF) | set(
    """abstract entity model version display unique on store process readonly history remoteChanges
    migrate was alone
    context parent policy merge into automerge observe by after before refresh all merging insert
    let update delete cache caches import obtain permanent ids for returning perform stepping in
    repeat extension include expect try set clock locale author sql nil else controller change
    where sort section prefetch values group having distinct quirk delegate sectionIndexTitle
    stored self trace nothing insert move sectionInsert sectionDelete print stats evaluate explain
    swift return using as matching inverse""".split())

# Statements that run inside of others.
MAY_FAIL = set("""insert delete update print fetch count objects show save rollback reset undo redo
    refresh merge perform for if repeat evaluate explain swift batch obtain expect reload""".split())

NUMBERS = """0 1 2 3 7 10 -1 100 127 128 255 1000 32767 32768 2147483647 2147483648
9223372036854775807 9223372036854775808 18446744073709551616 0.1 3.999 1e3 1e308 1e309 1e-320
0.30000000000000004 1_000 00 1e""".split()
STRINGS = [
    '""', '"x"', "'é'", '"\\u{0}"', '"\\u{1F468}\\u{200D}\\u{1F469}"', '"e\\u{301}"', '"İı"',
    '"ß"', '"\\u{202E}abc"', '"a\\nb"', '"%@ %K %%"', '"(a+)+$"', '".*"', '"[a"', '"\\\\"',
    '"\\(1 + 1)"', '"*?"', '"' + "long " * 60 + '"', '"9999999999999999999"', '"nan"', '"-0"',
    '"' + "aA" * 20 + '!"', '"あ"', '"ア"', '"\\t"', '"2024-02-29"',
]
DATES = """@0001-01-01 @9999-12-31T23:59:59.999999999Z @2024-02-29 @2023-02-29 @1970-01-01
@2001-01-01T00:00:00+14:00 @1582-10-10""".split()
WHOLE_STATEMENTS = """save
rollback
reset
undo
redo
refresh all
set nil apple
explain
stats
show model
caches
delete caches
merge batch into main
merge history into main
history
obtain permanent ids
set sql on""".split("\n")
ODD_TEXTS = ["\0", "\u200b", "\u2028", "\ufeff", "\r", "\t", "\x1b[31m", "é", "🎉", "\udcff", "\\",
             "#>", "#@", ";", "…", "[..]", "(" * 250, "{" * 250, "- " * 300, " OR 1" * 1100]

TOKEN = re.compile(r"""
      (?P<comment>\#[^\n]*) | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    | (?P<date>@\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?) | (?P<object>[A-Z]\w*/\d+)
    | (?P<variable>\$\w+) | (?P<number>\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?) | (?P<entity>[A-Z]\w*)
    | (?P<name>[^\W\d]\w*) | (?P<line>\n) | (?P<blank>[^\S\n]+)
    | (?P<sign>@\w+|\[[cdn]+\]|\.\.\.|\.\.<|[-+=!<>]=|=[<>]|<>|&&|\|\||\*\*|.)""", re.X)
# What runs for long without telling anything new.
BOMB = re.compile(r"\b(repeat|insert)(\s+)(\d[\d_]{4,}(?:\.\d+)?(?:e\d+)?|\d+e\d+)")

Token = tuple[str, str]


def tokens(text: str) -> list[Token]:
    found = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup
        found.append(("word" if match[0] in KEYWORDS else kind, match[0]))
    return found


def statements(all_tokens: list[Token]) -> list[list[Token]]:
    """Cuts a script at the line ends outside of brackets and before no indentation."""
    found: list[list[Token]] = [[]]
    depth = 0
    for index, (kind, text) in enumerate(all_tokens):
        found[-1].append((kind, text))
        if text in "([{":
            depth += 1
        elif text in ")]}":
            depth = max(0, depth - 1)
        elif kind == "line" and depth == 0:
            following = all_tokens[index + 1:index + 2]
            if not following or following[0][0] != "blank":
                found.append([])
    return [statement for statement in found if statement]


def runs(statement: list[Token]) -> bool:
    """Whether a statement may stand behind `try` and in a block."""
    return bool(statement) and statement[0][1] in MAY_FAIL


@dataclass
class Source:
    """A script of the corpus, cut into statements, and the names in it."""

    statements: list[list[Token]]
    names: dict[str, list[str]]


class ScriptMutator:
    """Changes scripts of the corpus so that most of them still parse."""

    def __init__(self, texts: list[str]):
        self.sources = []
        self.names: dict[str, list[str]] = {}
        for text in texts:
            source = Source(statements(tokens(text)), {})
            for statement in source.statements:
                words = [token for token in statement if token[0] != "blank"]
                for index, (kind, word) in enumerate(words):
                    # Other words with a capital letter are types.
                    if kind == "entity" and (index == 0 or words[index - 1][1] != "entity"):
                        continue
                    if kind in ("string", "date", "object", "variable", "number", "entity", "name"):
                        source.names.setdefault(kind, []).append(word)
                        self.names.setdefault(kind, []).append(word)
            if source.statements:
                self.sources.append(source)

    def script(self, chance: random.Random) -> bytes:
        """Returns a new script."""
        source = chance.choice(self.sources)
        parts = [list(statement) for statement in source.statements]
        if chance.random() < 0.7:
            parts = [[token for token in part if not token[1].startswith("#>")] for part in parts]
        for _ in range(chance.choice((1, 1, 2, 2, 3, 4, 6, 9))):
            if not parts:
                parts = [tokens("save\n")]
            chance.choices(STEPS, WEIGHTS)[0](self, parts, source, chance)
        if chance.random() < 0.6:
            # An error then ends one statement only.
            parts = [[("word", "try "), *part] if runs(part) else part for part in parts]
        text = "".join(word for part in parts for _, word in part)
        if chance.random() < 0.98:
            text = BOMB.sub(lambda match: match[1] + match[2] + "1000", text)
        encoded = data(text)
        return spoiled(encoded, chance) if chance.random() < 0.03 else encoded

    # MARK: Statements

    def delete(self, parts, source, chance):
        del parts[chance.randrange(len(parts))]

    def repeat(self, parts, source, chance):
        parts.insert(chance.randrange(len(parts) + 1), list(chance.choice(parts)))

    def swap(self, parts, source, chance):
        first, second = chance.randrange(len(parts)), chance.randrange(len(parts))
        parts[first], parts[second] = parts[second], parts[first]

    def splice(self, parts, source, chance):
        """Takes statements of another script, about this one's names."""
        other = chance.choice(self.sources)
        start = chance.randrange(len(other.statements))
        if chance.random() < 0.9 and not runs(other.statements[start]):
            return
        new_names: dict[str, str] = {}
        place = chance.randrange(len(parts) + 1)
        for statement in other.statements[start:start + chance.choice((1, 1, 2, 4))]:
            renamed = []
            for kind, word in statement:
                if kind in ("entity", "name", "variable") and chance.random() < 0.9:
                    if word not in new_names:
                        new_names[word] = chance.choice(source.names.get(kind, [word]))
                    word = new_names[word]
                renamed.append((kind, word))
            parts.insert(place, renamed)
            place += 1

    def add(self, parts, source, chance):
        parts.insert(
            chance.randrange(len(parts) + 1),
            tokens(chance.choice(WHOLE_STATEMENTS) + "\n"))

    def wrap(self, parts, source, chance):
        """Puts statements into a block, or one behind `try`."""
        start = chance.randrange(len(parts))
        end = start + chance.choice((1, 1, 2, 3))
        if not runs(parts[start]):
            return
        head = chance.choice((
            "try ", "try ", "try ", "try ", "perform {\n", "perform stepping {\n", "if true {\n",
            "repeat 3 {\n", "for item in 1...3 {\n", "extension {\n", "try perform {\n"))
        tail = "" if head == "try " else "}\n"
        inside = [token for part in parts[start:end] for token in part]
        parts[start:end] = [[("sign", head), *inside, ("sign", tail)]]

    # MARK: Tokens

    def replace(self, parts, source, chance):
        """Puts a word in the place of one of its kind."""
        part = chance.choice(parts)
        places = [index for index, token in enumerate(part)
                  if token[0] not in ("blank", "line", "comment")]
        if not places:
            return
        for index in chance.sample(places, min(len(places), chance.choice((1, 1, 2)))):
            kind, word = part[index]
            part[index] = (kind, self.other(kind, word, source, chance))

    def other(self, kind, word, source, chance) -> str:
        if word in GROUP_OF:
            return chance.choice(GROUP_OF[word])
        extremes = {"number": NUMBERS, "string": STRINGS, "date": DATES}.get(kind)
        if extremes and chance.random() < 0.4:
            return chance.choice(extremes)
        near = source.names.get(kind) if chance.random() < 0.8 else self.names.get(kind)
        if near:
            return chance.choice(near)
        # Another keyword is mostly a mistake that the parser tells at once.
        return chance.choice(SORTED_KEYWORDS) if kind == "word" and chance.random() < 0.1 else word

    def remove(self, parts, source, chance):
        part = chance.choice(parts)
        if part:
            start = chance.randrange(len(part))
            del part[start:start + chance.choice((1, 1, 2, 5))]

    def insert(self, parts, source, chance):
        """Puts some words of the corpus into a statement."""
        part = chance.choice(parts)
        other = chance.choice(chance.choice(self.sources).statements)
        start = chance.randrange(len(other))
        place = chance.randrange(len(part) + 1)
        part[place:place] = other[start:start + chance.choice((1, 2, 4, 8))]

    def exchange(self, parts, source, chance):
        """Exchanges what two statements end in."""
        first, second = chance.choice(parts), chance.choice(parts)
        if first and second and first is not second:
            here, there = chance.randrange(len(first)), chance.randrange(len(second))
            first[here:], second[there:] = second[there:], first[here:]

    def spoil(self, parts, source, chance):
        part = chance.choice(parts)
        part.insert(chance.randrange(len(part) + 1), ("sign", chance.choice(ODD_TEXTS)))


SORTED_KEYWORDS = sorted(KEYWORDS)
WEIGHED = [
    (ScriptMutator.replace, 40), (ScriptMutator.splice, 14), (ScriptMutator.repeat, 14),
    (ScriptMutator.swap, 8), (ScriptMutator.delete, 4), (ScriptMutator.wrap, 14),
    (ScriptMutator.add, 10), (ScriptMutator.remove, 1), (ScriptMutator.insert, 1),
    (ScriptMutator.exchange, 1), (ScriptMutator.spoil, 0.5),
]
STEPS = [step for step, _ in WEIGHED]
WEIGHTS = [weight for _, weight in WEIGHED]


def spoiled(content: bytes, chance: random.Random) -> bytes:
    """Changes, removes or repeats some bytes, whatever they mean."""
    content = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 4, 8))):
        if not content:
            break
        place = chance.randrange(len(content))
        length = min(chance.choice((1, 1, 2, 4, 16, 64)), len(content) - place)
        match chance.randrange(6):
            case 0:
                content[place] = chance.randrange(256)
            case 1:
                content[place] ^= 1 << chance.randrange(8)
            case 2:
                del content[place:place + length]
            case 3:
                content[place:place] = content[place:place + length]
            case 4:
                other = chance.randrange(len(content))
                content[other:other + length] = content[place:place + length]
            case 5:
                content[place:place + length] = chance.choice((b"\0", b"\xff")) * length
    if chance.random() < 0.1:
        del content[chance.randrange(len(content) + 1):]
    return bytes(content)
