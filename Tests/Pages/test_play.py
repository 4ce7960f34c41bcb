#!/usr/bin/env python3
"""Plays pages of `frc play` in two browsers at once, with real clicks and keys.

    Tests/Pages/test_play.py [-v] [-k NAME]   FRC names the program; -v shows each test and its time

The page of a script is compared after each statement with what `show` prints of controllers and
tables, and after each callback of a batch with what the callbacks so far say. FRC_LAWS=long draws
more frames of a large page. FRC_QUIET_MACHINE=1 holds times to their limits, in one browser.
"""

import concurrent.futures
import dataclasses
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile

from browsers import BrowserTestCase, IS_LONG, IS_QUIET, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
FRC = os.environ.get("FRC", str(ROOT / ".build/debug/frc"))
GOLDENS = 50

# What the document shows of each controller and table: headers and rows in order.
SHOWN = """
const shown = () => {
  const lists = {}
  for (const list of document.querySelectorAll(".list"))
    lists[list.dataset.name] = [...list.querySelectorAll(".canvas > :not([aria-hidden])")]
      .map(row => row.classList.contains("section")
        ? "section " + row.dataset.key.slice(1)
        : row.querySelector(".object").textContent)
  return lists
}
"""
# The same after each of some statements, without a wait: `go` draws at once. The last is looked at
# again after a frame, when the page was laid out and lists have scrolled.
SHOWN_AFTER_EACH = SHOWN + """
const [statements, done] = arguments
const all = statements.map(statement => {
  go(recording.place(`#${statement}`), 0)
  return [statement, shown()]
})
requestAnimationFrame(() => setTimeout(() => done([...all, [statements.at(-1), shown()]])))
"""
# All that a reader sees, without the movement.
WHOLE = """
const whole = () => {
  document.getAnimations().forEach(animation => animation.finish())
  return document.querySelector("main").innerText + document.querySelector("#position").textContent
}
"""
# Changes to a page, each of which must be found when its lists are compared.
FAULTS = {
    "a row that is gone stays": "ListView.prototype.leave = () => {}",
    "lists stay as they were": """
        const { show } = ListView.prototype
        ListView.prototype.show = function (...rest) { if (!this.list.head) show.apply(this, rest) }""",
    "the last row is missing": """
        const { show } = ListView.prototype
        ListView.prototype.show = function (list, ...rest) {
          show.call(this, { ...list, items: list.items.slice(0, -1) }, ...rest)
        }""",
    "two rows are in the wrong order": """
        const { show } = ListView.prototype
        ListView.prototype.show = function (...rest) {
          show.apply(this, rest)
          this.canvas.append(...[...this.canvas.querySelectorAll(".row")].slice(-2, -1))
        }""",
    "headers are missing": """
        const { show } = ListView.prototype
        ListView.prototype.show = function (...rest) {
          show.apply(this, rest)
          this.canvas.querySelectorAll(".section").forEach(header => header.remove())
        }""",
    "a header has the name of another section": """
        const { show } = ListView.prototype
        ListView.prototype.show = function (...rest) {
          show.apply(this, rest)
          const headers = this.canvas.querySelectorAll(".section")
          if (headers.length > 1) headers[1].dataset.key = headers[0].dataset.key
        }""",
    "rows are changed after the frame": """
        const { show } = ListView.prototype
        ListView.prototype.show = function (...rest) {
          show.apply(this, rest)
          requestAnimationFrame(() => this.canvas.querySelector(".row")?.remove())
        }""",
}


# All that a list shows at each of some positions: headers and rows with their keys, index paths and
# signs, and what is gone.
SHOWN_AT_EACH = """
const [places, done] = arguments
const text = (row, name) => row.querySelector(name)?.textContent ?? ""
const lines = list => [...list.querySelectorAll(".canvas > :not([aria-hidden])")].map(row => ({
  key: row.dataset.key, sign: text(row, ".sign"), path: text(row, ".path"),
  age: row.querySelector(".path.new") ? "new" : row.querySelector(".path.old") ? "old" : "" }))
const gone = list => [...list.querySelectorAll(".gone li")].map(row =>
  [text(row, ".path"), text(row, ".object"), text(row, ".shown")])
done(places.map(([step, frame]) => {
  const at = recording.firsts[step] + frame - recording.positions[recording.firsts[step]].frame
  go(Math.min(at, recording.lasts[step]), 0)
  const lists = {}
  for (const list of document.querySelectorAll(".list"))
    lists[list.dataset.name] = { lines: lines(list), gone: gone(list) }
  return lists
}))
"""
SIGNS = {"inserted": "+", "deleted": "-", "moved": ">", "updated": "*"}

# Changes to a page that must be found in the middle of a batch.
BATCH_FAULTS = {
    "nothing happens before the end": "partial = before => before",
    "everything happens at once": "partial = (before, after) => after",
    "new paths are old ones": "ListView.prototype.pathOf = function (key) { return [Places.of(this.list.before ?? this.list.items).path(key) ?? '', 'old'] }",
    "a moved row stays in its section": """
        const good = partial
        partial = (before, after, { come, gone }) => good(before, after, { come: new Set([...come].filter(k => !gone.has(k))), gone: new Set([...gone].filter(k => !come.has(k))) })""",
}


def frc(*arguments, folder=ROOT, check=True):
    result = subprocess.run([FRC, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    if check and result.returncode != 0:
        raise AssertionError(f"frc {arguments}: {result.stderr}")
    return result


def scripts() -> tuple[list[pathlib.Path], list[pathlib.Path]]:
    examples = sorted((ROOT / "Examples").rglob("*.frc"))
    goldens = sorted((ROOT / "Tests/GoldenTests/Goldens").rglob("*.frc"))
    random.Random(21).shuffle(goldens)
    parsing = (path for path in goldens if frc("check", path, check=False).returncode == 0)
    return examples, list(itertools.islice(parsing, GOLDENS))


EXAMPLES, SOME_GOLDENS = scripts()


class PageTestCase(BrowserTestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="frc-pages-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.browser.devtools("Emulation.clearDeviceMetricsOverride", {})
        self.browser.emulate(prefers_reduced_motion="reduce")
        self.browser.resize(1600, 1400)
        self.browser.messages()
        self.browser.requests()

    def tearDown(self):
        """No page says that something is wrong, and none asks for anything from elsewhere."""
        self.assertEqual(self.browser.messages(), [])
        for address in self.browser.requests():
            self.assertRegex(address, "^(file:|data:|about:)")

    def page(self, script, name="page.html", *options):
        """The address of the page of a script."""
        path = self.folder / name
        frc("play", script, "-o", path, *options)
        return path.as_uri()

    def write(self, text, name="script.frc"):
        path = self.folder / name
        path.write_text(text)
        return path

    def make_tall(self):
        """Draws every row, with few pixels, which take long to draw."""
        self.browser.devtools("Emulation.setDeviceMetricsOverride",
                              {"width": 1600, "height": 9000, "deviceScaleFactor": 0.1, "mobile": False})


# MARK: What is shown

@dataclasses.dataclass
class Comparison:
    """A page of a script, and what its lists must show."""

    script: pathlib.Path
    page: pathlib.Path
    # By the numbers of the statements, and the names of the controllers.
    sections: dict[int, dict[str, list[dict]]]
    # What `show` prints of tables, by the numbers of the statements and the names of the tables.
    tables: dict[int, dict[str, list[dict]]]
    batches: "list[Batch]"

    @classmethod
    def of(cls, script: pathlib.Path, page: pathlib.Path) -> "Comparison":
        recording = recording_of(page)
        sections, tables = sections_by_statement(script, recording["steps"])
        return cls(script, page, sections, tables, batches(recording))

    @property
    def statements(self) -> list[int]:
        return sorted(self.sections)

    @property
    def count(self) -> int:
        """How many lists are compared."""
        return sum(len(self.sections[statement]) for statement in self.statements)


def recording_of(page: pathlib.Path) -> dict:
    """What a page knows of its script."""
    pattern = '<script type="application/json" id="recording">(.*?)</script>'
    return json.loads(re.search(pattern, page.read_text(), re.S)[1])


def sections_by_statement(script: pathlib.Path, steps) -> dict[int, dict[str, list[dict]]]:
    """What `show` prints after each statement, asked of a copy of the script."""
    lines = script.read_text().split("\n")
    names = sorted(set(re.findall(r"^\s*(?:controller|table) (\w+)", script.read_text(), re.M)))
    for index in reversed(range(len(steps))):
        last = steps[index]["lines"][1]
        if index + 1 < len(steps) and steps[index + 1]["lines"][0] <= last:
            continue
        lines[last:last] = [f'print "after {index + 1}"'] + [f"try show {name}" for name in names]
    with tempfile.TemporaryDirectory(prefix="frc-pages-") as folder:
        # Scripts read files beside them, but neither other scripts nor the apps.
        copy = shutil.copytree(script.parent, pathlib.Path(folder) / "copy",
                               ignore=shutil.ignore_patterns("*.frc", "Apps"))
        path = copy / script.name
        path.write_text("\n".join(lines))
        printed = frc("run", "--format", "json", path, folder=copy, check=False).stdout
    result, tables = {}, {}
    after = None
    for line in printed.split("\n"):
        event = json.loads(line) if line else {}
        if event.get("event") == "value" and str(event["value"]).startswith("after "):
            after = result.setdefault(int(event["value"].split()[1]), {})
            continue
        if after is not None and event.get("event") == "show":
            after.setdefault(event["controller"], event["sections"])
        elif after is not None and event.get("event") == "showTable":
            tables.setdefault(max(result), {}).setdefault(event["table"], event["lines"])
        elif event.get("event") not in ("show", "showTable", "error"):
            after = None
    return result, tables


@dataclasses.dataclass
class Batch:
    """A batch of a controller: its list before and after, and its callbacks."""

    step: int
    name: str
    before: list[str]
    # The numbers of the frames: of willChangeContent, and of each callback.
    frames: list[int]
    callbacks: list[dict] = dataclasses.field(default_factory=list)
    after: list[str] | None = None


def key_of(item):
    return "r" + item if isinstance(item, str) else "s" + item[0]


def edited(items: list[str], edits) -> list[str]:
    """A list after the edits of a recording."""
    result, place = [], 0
    for edit in edits:
        if isinstance(edit, list):
            result += map(key_of, edit)
        elif edit > 0:
            result += items[place:place + edit]
        place += abs(edit) if isinstance(edit, int) else 0
    return result


def batches(recording) -> list[Batch]:
    """All batches of a recording, with the lists that the model had around them."""
    lists: dict[str, list[str]] = {}
    found = []
    for index, step in enumerate(recording["steps"]):
        if step.get("session"):
            lists = {}
        opened: dict[str, Batch] = {}
        frames = step.get("frames", [])
        for place, part in enumerate([*frames, step], 1):
            event = part.get("event", {})
            name, kind = event.get("controller"), event.get("event")
            for list_name, change in part.get("lists", []):
                if change is None:
                    lists.pop(list_name, None)
                elif "edits" in change:
                    lists[list_name] = edited(lists.get(list_name, []), change["edits"])
                else:
                    lists.setdefault(list_name, [])
            if kind == "willChangeContent":
                opened[name] = Batch(index, name, lists.get(name, []), [place])
            elif name in opened and kind in ("didChangeObject", "didChangeSection"):
                opened[name].callbacks.append(event)
                opened[name].frames.append(place)
            elif name in opened and kind == "didChangeContent":
                batch = opened.pop(name)
                batch.after = lists.get(name, [])
                if batch.callbacks:
                    found.append(batch)
    return found


def in_sections(items: list[str]) -> list[tuple[str, list[str]]]:
    sections = []
    for key in items:
        if key[0] == "s":
            sections.append((key, []))
        else:
            if not sections:
                sections.append(("", []))
            sections[-1][1].append(key)
    return sections


def path_text(path) -> str:
    return f"[{path[0]}, {path[1]}]"


def faults_of(batch: Batch, count: int, lines: list[dict]) -> list[str]:
    """What is wrong in a list after some of a batch's callbacks: each row is where its callback says,
    and each other row where it was."""
    faults = []
    old, new = in_sections(batch.before), in_sections(batch.after)
    told = [event for event in batch.callbacks[:count]]
    come, gone = {}, set()
    for event in told:
        key = "s" + event["name"] if event["event"] == "didChangeSection" \
            else "r" + event["object"].rsplit("/", 1)[1]
        if event["type"] == "delete":
            come.pop(key, None)
        if event["type"] != "insert":
            gone.add(key)
        if event["type"] != "delete":
            come[key] = event.get("newIndexPath") or event.get("indexPath")
    shown = in_sections([line["key"] for line in lines])
    where = {row: header for header, rows in shown for row in rows}
    keys = [line["key"] for line in lines]
    if len(set(keys)) != len(keys):
        faults.append(f"an item is there twice: {keys}")
    paths = {line["key"]: (line["path"], line["age"]) for line in lines}
    wanted = {}
    for section, (header, rows) in enumerate(old):
        for row, key in enumerate(rows):
            if key not in come and key not in gone:
                wanted[key] = (header, path_text([section, row]), "old")
    for key, path in come.items():
        if key[0] == "r":
            wanted[key] = (new[path[0]][0], path_text(path), "new")
    if set(wanted) != set(where):
        faults.append(f"rows {sorted(where)} instead of {sorted(wanted)}")
    for key in wanted.keys() & where.keys():
        if (where[key], *paths[key]) != wanted[key]:
            faults.append(f"{key} is {(where[key], *paths[key])} instead of {wanted[key]}")
    # Headers: those that were, those that came, and none without a reason.
    had, has = [header for header, _ in old], [header for header, _ in new]
    left = {header for header, _, _ in wanted.values()}
    expected = {header for header in had if header not in gone or header in left} \
        | {header for header in come if header[0] == "s"} | left
    if {header for header, _ in shown} != (expected if lines else set()):
        faults.append(f"headers {[header for header, _ in shown]} instead of {sorted(expected)}")
    # Order: what has come and what stays is in the new order, and what was is in the old one.
    changing = {"r" + e["object"].rsplit("/", 1)[1] for e in batch.callbacks if "object" in e}
    for header, rows in shown:
        order = [row for name, all_rows in new for row in all_rows if name == header]
        settled = [row for row in rows if row in order and (row in come or row not in changing)]
        if settled != sorted(settled, key=order.index):
            faults.append(f"order of {settled} under {header!r}")
        order = [row for name, all_rows in old for row in all_rows if name == header]
        waiting = [row for row in rows if row in order and row not in come]
        if waiting != sorted(waiting, key=order.index):
            faults.append(f"order of {waiting} under {header!r}")
    moved = {header for header in come if header[0] == "s"}
    settled = [header for header, _ in shown if header in has and (header in moved or header not in
               {"s" + e["name"] for e in batch.callbacks if e["event"] == "didChangeSection"})]
    if settled != sorted(settled, key=has.index):
        faults.append(f"order of headers {settled}")
    if count == len(batch.callbacks) and keys != batch.after:
        faults.append(f"at the end {keys} instead of {batch.after}")
    return faults


class ListTests(PageTestCase):
    """Compares the lists of a page with the sections of the controllers: a test for each script."""

    weight = 0
    comparisons: dict[pathlib.Path, Comparison]

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="frc-pages-")
        cls.addClassCleanup(folder.cleanup)
        cls.site = pathlib.Path(folder.name) / "site"
        cls.alone = pathlib.Path(folder.name) / "alone"
        cls.alone.mkdir()
        frc("play", ROOT / "Examples", ROOT / "Documentation/Rules.md", "-o", cls.site, "--answers")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
            comparisons = list(threads.map(cls.comparison, EXAMPLES + SOME_GOLDENS))
        cls.comparisons = {comparison.script: comparison for comparison in comparisons}

    @classmethod
    def comparison(cls, script):
        page = cls.alone / (test_name(script) + ".html")
        frc("play", script, "-o", page, "--answers")
        return Comparison.of(script, cls.page_in_site(script) if script in EXAMPLES else page)

    @classmethod
    def page_in_site(cls, script):
        return cls.site / script.relative_to(ROOT).with_suffix(".html")

    def compared(self, comparison, fault=""):
        """What is shown and what was wanted, by statement and controller."""
        self.make_tall()
        self.browser.open(comparison.page.as_uri())
        if fault:
            self.browser.run(fault)
        if not comparison.statements:
            return
        for statement, shown in self.browser.wait(SHOWN_AFTER_EACH, comparison.statements):
            for name, sections in comparison.sections[statement].items():
                rows = shown.get(name)
                # A controller without sections has one without a name, and no header.
                has_headers = any(section["name"] for section in sections) \
                    or any(row.startswith("section ") for row in rows or [])
                wanted = []
                for section in sections:
                    wanted += ["section " + section["name"]] * has_headers + section["objects"]
                yield statement, name, rows, wanted

    def check_script(self, script):
        """Compares the document after each statement with the controller's sections."""
        comparison = self.comparisons[script]
        compared = 0
        for statement, name, shown, wanted in self.compared(comparison):
            self.assertEqual(shown, wanted, f"{name} after statement {statement} of {script.name}")
            compared += 1
        self.assertGreaterEqual(compared, comparison.count)
        self.check_batches(comparison)
        self.check_tables(comparison)
        self.note(f"{compared} comparisons after {len(comparison.statements)} statements")
        if script in EXAMPLES:
            self.check_page_in_site(comparison)

    def moments(self, comparison):
        """The moments in batches, each with what is wrong in the document then."""
        found = [(batch, count) for batch in comparison.batches
                 for count in range(len(batch.callbacks) + 1)]
        places = [(batch.step, batch.frames[count]) for batch, count in found]
        for (batch, count), shown in zip(found, self.browser.wait(SHOWN_AT_EACH, places)):
            yield batch, count, faults_of(batch, count, shown.get(batch.name, {"lines": []})["lines"])

    def check_batches(self, comparison):
        """Compares the document after each callback with what the callbacks so far say."""
        found = list(self.moments(comparison))
        for batch, count, faults in found:
            self.assertEqual(faults, [], f"{batch.name} in statement {batch.step + 1}, after "
                                         f"{count} callbacks, of {comparison.script.name}")
        self.note(f"{len(found)} moments in {len(comparison.batches)} batches")

    def check_tables(self, comparison):
        """Compares the marks of tables after each statement with those that `show` prints."""
        places = [(statement - 1, 1_000_000) for statement in sorted(comparison.tables)]
        for (step, _), shown in zip(places, self.browser.wait(SHOWN_AT_EACH, places)):
            for name, lines in comparison.tables[step + 1].items():
                where = f"{name} after statement {step + 1} of {comparison.script.name}"
                self.assertIn(name, shown, where)
                drawn = [line["sign"] for line in shown[name]["lines"]]
                drawn += ["-"] * len(shown[name]["gone"])
                wanted = [SIGNS.get(line.get("mark"), "") for line in lines]
                self.assertEqual(sorted(drawn), sorted(wanted), where)
                staying = [sign for line, sign in zip(lines, wanted) if line.get("mark") != "deleted"]
                self.assertEqual([sign for sign in drawn if sign != "-"], staying, where)
        self.note(f"{sum(map(len, comparison.tables.values()))} tables")

    def check_page_in_site(self, comparison):
        """The page of a site is the page of the script, with a link to the index."""
        self.assertTrue(self.browser.run("return recording.positions.length > 0"))
        self.assertEqual(self.browser.run("return document.querySelector('nav a').href"),
                         (self.site / "index.html").as_uri())
        alone = (self.alone / (test_name(comparison.script) + ".html")).read_text()
        self.assertEqual(*(re.sub(r"<nav>.*?</nav>|2\d{3}-\d\d-\d\dT[\d:.]+Z", "", text).split("\n")
                           for text in (alone, comparison.page.read_text())))

    def test_the_site_has_every_example(self):
        index = self.site / "index.html"
        rules = self.site / "Rules.html"
        self.browser.open(index.as_uri())
        links = self.browser.run("return [...document.querySelectorAll('main a')].map(a => a.href)")
        pages = [self.page_in_site(script).as_uri() for script in EXAMPLES]
        self.assertEqual(sorted(links), sorted([*pages, rules.as_uri()]))
        self.browser.open(rules.as_uri())
        self.assertTrue(self.browser.run("return recording.positions.length > 0"))
        self.assertEqual(self.browser.run("return document.querySelector('nav a').href"), index.as_uri())

    def test_enough_is_compared(self):
        comparisons = self.comparisons.values()
        compared = sum(comparison.count for comparison in comparisons)
        self.note(f"{len(EXAMPLES)} examples, {len(SOME_GOLDENS)} goldens, {compared} comparisons")
        self.assertEqual(len(SOME_GOLDENS), GOLDENS)
        self.assertGreater(compared, 600)

    def test_enough_moments_are_compared(self):
        comparisons = self.comparisons.values()
        moments = sum(len(batch.callbacks) + 1 for c in comparisons for batch in c.batches)
        tables = sum(len(tables) for c in comparisons for tables in c.tables.values())
        self.note(f"{moments} moments in batches, {tables} tables")
        self.assertGreater(moments, 400)
        self.assertGreater(tables, 60)

    def test_faults_are_found(self):
        comparison = self.comparisons[ROOT / "Examples/users.frc"]
        for name, fault in FAULTS.items():
            with self.subTest(name):
                self.assertTrue(any(shown != wanted for _, _, shown, wanted in self.compared(comparison, fault)))

    def test_faults_in_batches_are_found(self):
        comparison = self.comparisons[ROOT / "Examples/users.frc"]
        for name, fault in BATCH_FAULTS.items():
            with self.subTest(name):
                self.make_tall()
                self.browser.open(comparison.page.as_uri())
                self.browser.run(fault)
                self.assertTrue(any(faults for _, _, faults in self.moments(comparison)))


def test_name(script):
    parts = script.relative_to(ROOT).with_suffix("").parts
    return "test_" + re.sub(r"\W", "_", "_".join(part for part in parts if part not in ("Tests", "GoldenTests")))


for path in EXAMPLES + SOME_GOLDENS:
    assert not hasattr(ListTests, test_name(path)), f"two tests have the name {test_name(path)}"
    setattr(ListTests, test_name(path), lambda self, path=path: self.check_script(path))


class LargeTests(PageTestCase):
    # Half a minute, most of it in the program.
    weight = 2

    def test_large(self):
        b = self.browser
        b.emulate(prefers_reduced_motion="no-preference")
        source = random.Random(7)
        turns = "\n".join(f"B/{source.randint(1, 10_000)}.n = {source.randint(0, 1_000_000)}" for _ in range(2_000))
        script = self.write(
            "entity B { t: String, n: Int }\ncontroller c = B sort by n\n"
            f'for i in 1...10000 {{ insert B(t: "book \\(i)", n: i * 100) }}\nfetch c\n{turns}\n', "large.frc")
        address = self.page(script, "large.html", "--timeout", "300s")
        b.open(address)
        opened = b.run("return performance.now() && performance.getEntriesByType('navigation')[0].loadEventEnd")
        self.note(f"opened in {opened:.0f} ms; {(self.folder / 'large.html').stat().st_size / 1e6:.1f} MB")
        if IS_QUIET:
            self.assertLess(opened, 2_000)
        b.call("POST", "/timeouts", {"script": 120_000})
        count = 600 if IS_QUIET or IS_LONG else 60
        at, longest = b.wait("""
            const [count, done] = arguments, frames = []
            byID("speed").value = "20"
            go(recording.place("#5"), 0)
            let last = performance.now()
            const frame = () => {
              const now = performance.now()
              frames.push(now - last)
              last = now
              if (frames.length < count) requestAnimationFrame(frame); else { pause(); done([position, Math.max(...frames)]) }
            }
            play(); requestAnimationFrame(frame)""", count)
        self.note(f"{count} frames to position {at}, the longest {longest:.0f} ms")
        self.assertGreater(at, b.run("return recording.place('#5')"))
        # A machine that does other work beside it says nothing about the page.
        if IS_QUIET:
            self.assertLess(longest, 100)
        jump = b.run("const t = performance.now(); go(recording.positions.length - 1); return performance.now() - t")
        self.note(f"a jump to the end: {jump:.0f} ms")


class PlayTests(PageTestCase):
    def data(self):
        return self.browser.run("return JSON.parse(document.getElementById('recording').textContent)")

    def shown(self):
        return self.browser.run(SHOWN + "return shown()")

    def go(self, fragment):
        """Goes to a position by the page's address, as a link does."""
        self.browser.wait("""
            const [fragment, done] = arguments
            location.hash = fragment
            const look = () => position === recording.place(fragment) ? done() : setTimeout(look)
            look()""", fragment)

    def check_address(self, pattern):
        """Waits until the address is as wanted: the page waits between two changes of it."""
        address, fragment = self.browser.wait("""
            const [pattern, done] = arguments
            const wanted = new RegExp(pattern)
            const end = performance.now() + 3000
            const look = () => {
              const [address, fragment] = [location.hash, recording.fragment(position)]
              const isThere = address === fragment && wanted.test(address)
              if (isThere || performance.now() > end) done([address, fragment]); else setTimeout(look, 10)
            }
            look()""", pattern)
        self.assertEqual(address, fragment)
        self.assertRegex(address, pattern)

    def test_batch_by_callbacks(self):
        """Within a batch the document is what the callbacks so far make of the old rows."""
        self.browser.open(self.page(self.write("""
entity B { t: String, p: String }
controller c = B sort by p, t section by p
fetch c
perform { insert B(t: "a", p: "A"); insert B(t: "b", p: "A"); insert B(t: "c", p: "B") }
perform { B/1.p = "B"; B/2.t = "x"; delete B/3; insert B(t: "d", p: "C") }
""")))
        steps = self.data()["steps"]
        old = ["section A", "B/1", "B/2", "section B", "B/3"]
        self.go("#4")
        self.assertEqual(self.shown()["c"], old)
        frames = steps[4]["frames"]
        rows = set(old)
        for index, frame in enumerate(frames, 1):
            event = frame["event"]
            key = event.get("object") or ("section " + event["name"] if "name" in event else None)
            if key and event["type"] == "delete": rows.discard(key)
            if key and event["type"] == "insert": rows.add(key)
            self.go(f"#5.{index}")
            self.assertEqual(set(self.shown()["c"]), rows, event)
        self.assertEqual(self.shown()["c"], ["section A", "B/2", "section B", "B/1", "section C", "B/4"])

    def test_back_and_forward(self):
        for name in ("worldcup", "users", "users-crash", "contexts"):
            self.browser.open(self.page(ROOT / f"Examples/{name}.frc"))
            # The page draws on the key itself, and this listener is called after the page's own.
            self.browser.run(WHOLE + """
                window.seen = [whole()]
                addEventListener("keydown", () => seen.push(whole()))""")
            count = self.browser.run("return recording.positions.length")
            # The last key to the right changes nothing.
            self.browser.press(*["Right"] * count, *["Left"] * (count - 1))
            seen = self.browser.run("return seen")
            self.assertEqual(len(seen), 2 * count, name)
            for index, (forward, back) in enumerate(zip(seen[:count], seen[::-1])):
                self.assertEqual(forward, back, (name, index))
            self.assertGreater(len(set(seen)), count / 2)

    def test_tables_and_exceptions(self):
        self.browser.open(self.page(ROOT / "Examples/users-crash.frc"))
        self.browser.press("End")
        text = self.browser.run("return document.body.innerText")
        count = len([f for s in self.data()["steps"] for f in s.get("frames", []) if f["event"]["event"] == "exception"])
        self.assertGreater(count, 0)
        for index, step in enumerate(self.data()["steps"]):
            for place, frame in enumerate(step.get("frames", []), 1):
                if frame["event"]["event"] != "exception": continue
                self.go(f"#{index + 1}.{place}")
                self.assertIn(frame["event"]["reason"][:60], self.browser.run("return document.querySelector('#events').innerText"))

    # MARK: The player

    def test_buttons_slider_units_and_links(self):
        b = self.browser
        address = self.page(ROOT / "Examples/worldcup.frc")
        b.open(address + "#7")
        self.assertIn("Statement 7 of", b.run("return position && byID('position').textContent"))
        b.click("#next")
        self.check_address(r"^#8(\.|$)")
        b.click("#previous")
        self.check_address("^#7$")
        self.assertEqual(b.run("return byID('link').getAttribute('href')"), "#7")
        b.click("#unit option[value=turn]")
        b.run("document.activeElement.blur()")
        b.press("Right", "Right")
        self.check_address("^#9$")
        b.click("#unit option[value=callback]")
        b.run("byID('slider').focus()")
        b.press("Right")
        self.check_address("^#(?!9$)")
        b.press("Home")
        self.assertEqual(b.run("return position"), 0)
        b.click("#lines li a[href='#9']")
        self.check_address("^#9$")
        # Nothing that still waits changes the address.
        b.wait("setTimeout(arguments[0], 300)")
        self.check_address("^#9$")
        # Nor does what is written just after the click.
        b.run("go(0); location.hash = '#8'; history.replaceState(null, '', '#1')")
        self.check_address("^#8$")
        b.open(address + "#9999")
        self.assertEqual(b.run("return position"), 0)

    def test_keyboard_alone(self):
        b = self.browser
        b.open(self.page(ROOT / "Examples/users.frc"))
        reached = []
        for _ in range(16):
            b.press("Tab")
            reached.append(b.run("return document.activeElement.id || document.activeElement.className || document.activeElement.tagName"))
        for control in ("slider", "next", "play", "unit", "speed", "asks", "type", "full", "link"):
            self.assertIn(control, reached)
        b.run("document.activeElement.blur()")
        b.click("#speed option[value='20']")
        b.run("document.activeElement.blur()")
        b.press("End", *["Left"] * 20)
        self.assertEqual(b.run("return recording.positions.length - 1 - position"), 20)
        b.press("Space")
        b.wait("""const done = arguments[0]
            const look = () => timer ? setTimeout(look, 50) : done(); look()""")
        self.assertTrue(b.run("return position === recording.positions.length - 1"))

    def test_quiz(self):
        b = self.browser
        b.open(self.page(ROOT / "Examples/users.frc"))
        b.click("#asks")
        b.press("End")
        self.assertFalse(b.run("return byID('quiz').hidden"))
        self.assertEqual(b.run("return recording.positions[position].frame"), 0)
        step = b.run("return recording.positions[position].step")
        sent = b.run("return recording.steps[arguments[0]].frames.map(f => f.event.text[0])", step)
        story = b.run("return byID('events').innerText + byID('lines').innerText")
        for line in sent:
            self.assertNotIn(line, story)
        # One cannot pass by key, button or slider.
        before = b.run("return position")
        b.press("Right")
        self.assertEqual(b.run("return position"), before)
        right = b.run("return quiz.choices(arguments[0]).map(c => c.isRight)", step)
        for index, is_right in enumerate(right, 1):
            if is_right:
                b.click(f"#quiz label:nth-of-type({index}) input")
        b.click("#quiz .check")
        self.assertIn(f"{len(right)} of {len(right)} right", b.run("return byID('quiz').innerText"))
        b.click("#quiz .check")
        self.assertEqual(b.run("return position"), before + 1)
        # A wrong answer is told what is right.
        b.press("End")
        b.click("#quiz label:last-of-type input")
        b.click("#quiz .check")
        self.assertIn("✗ this one is sent", b.run("return byID('quiz').innerText"))

    def test_quiz_of_half_a_delegate(self):
        """A turn that sends only the callbacks around a batch asks for these, and for no others it can send."""
        b = self.browser
        world = 'entity B { t: String }\ncontroller c = B sort by t\nfetch c\n'
        none = "No callback is sent"
        for delegate, right, wrong in (("didChange", "c didChangeContent", ["c willChangeContent", none]),
                                       ("none", none, [])):
            b.open(self.page(self.write(f'{world}delegate c {delegate}\ninsert B(t: "a")\n')))
            choices = b.run("return quiz.choices(4)")
            self.assertEqual([choice["text"] for choice in choices if choice["isRight"]], [right])
            self.assertLessEqual(set(wrong), {choice["text"] for choice in choices})

    def test_movement(self):
        b = self.browser
        script = self.write("""
entity B { t: String }
controller c = B sort by t
fetch c
perform { insert B(t: "a"); insert B(t: "b"); insert B(t: "c") }
B/1.t = "z"
""")
        moving = """go(recording.place('#5.1'), 0); delete go.last; go(recording.place('#5.2'))
            return document.getAnimations().length"""
        b.emulate(prefers_reduced_motion="no-preference")
        b.open(self.page(script))
        self.assertGreater(b.run(moving), 0)
        b.emulate(prefers_reduced_motion="reduce")
        b.open(self.page(script))
        self.assertEqual(b.run(moving), 0)

    # MARK: Hostile text, accessibility, size

    def test_hostile_text(self):
        b = self.browser
        texts = ["</script><script>document.title='broken'</script>", "<img src=x onerror=alert(1)>",
                 "\\\"'&amp;", "tab\\there", "\u202eright to left\u202c", "\u2066isolated", "{{style}} $& ]]>"]
        inserts = "\n".join(f'insert B(t: "{text}", p: "{text}")' for text in texts)
        script = self.write(
            f"entity B {{ t: String, p: String }}\ncontroller c = B sort by p, t section by p\nfetch c\n"
            f"{inserts}\nprint c.sections\n", "<b>'\"&\u202e.frc")
        b.open(self.page(script))
        b.press("End")
        self.assertEqual(b.messages(), [])
        self.assertEqual(b.run("return document.querySelectorAll('img, main script, h1 b').length"), 0)
        self.assertIn("<b>'\"&", b.run("return document.title"))
        shown = b.run("return [...document.querySelectorAll('.row .shown')].map(row => row.textContent)")
        self.assertIn(texts[0], shown)
        self.assertIn(texts[1], shown)
        self.assertIn("U+202Eright to leftU+202C", shown)
        self.assertFalse(any(re.search("[\u202a-\u202e\u2066-\u2069]", text)
                             for text in [b.run("return document.body.innerText"), b.run("return document.title")]))
        svg = self.folder / "card.svg"
        frc("play", "--svg", script, "-o", svg)
        b.open(svg.as_uri())
        self.assertEqual(b.run("return document.documentElement.tagName"), "svg")
        self.assertEqual(b.run("return document.querySelectorAll('script, img, parsererror').length"), 0)

    def test_accessibility(self):
        b = self.browser
        address = self.page(ROOT / "Examples/users-crash.frc")
        for scheme in ("light", "dark"):
            b.emulate(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            b.open(address)
            for fragment in ("#1", "#8.2", "#12", "#14"):
                # A quiz would stop at its first question.
                b.run("byID('asks').checked = false")
                self.go(fragment)
                for quiz in (False, True):
                    b.run("byID('asks').checked = arguments[0]; byID('asks').onchange()", quiz)
                    problems = b.run(ACCESSIBILITY)
                    self.assertEqual(problems, [], (scheme, fragment, quiz))

    def test_narrow_and_print(self):
        b = self.browser
        b.open(self.page(ROOT / "Examples/users-crash.frc") + "#12")
        b.devtools("Emulation.setDeviceMetricsOverride",
                   {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": False})
        self.assertLessEqual(b.run("return document.documentElement.scrollWidth"), 360)
        self.assertTrue(b.run("const r = byID('play').getBoundingClientRect(); return r.right <= 360 && r.bottom <= innerHeight"))
        # The statement can be seen, though the lines above it are broken.
        b.open(self.page(ROOT / "Examples/users.frc", "users.html") + "#8.2")
        b.wait("setTimeout(arguments[0], 300)")
        self.assertTrue(b.run("""
            const [line, lines] = [document.querySelector("#lines .here"), byID("lines")].map(e => e.getBoundingClientRect())
            return line.top >= lines.top && line.top + 20 <= lines.bottom"""))
        # The script comes first, and below it what it does.
        tops = b.run("return ['script', 'stage', 'story'].map(id => byID(id).getBoundingClientRect().top)")
        self.assertEqual(tops, sorted(tops))
        b.devtools("Emulation.clearDeviceMetricsOverride", {})
        b.devtools("Emulation.setEmulatedMedia", {"media": "print"})
        self.assertEqual(b.run("return getComputedStyle(document.querySelector('footer')).display"), "none")
        b.devtools("Emulation.setEmulatedMedia", {"media": ""})

    def test_projector(self):
        """Large type keeps everything on the screen of a projector, and fills it."""
        b = self.browser
        address = self.page(ROOT / "Examples/users.frc")
        b.devtools("Emulation.setDeviceMetricsOverride",
                   {"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": False})
        sizes = """return ["#lines code", ".row .shown", "#events .what", ".row"].map(name => {
            const element = document.querySelector(name)
            return name === ".row" ? element.offsetHeight : parseFloat(getComputedStyle(element).fontSize) })"""
        b.open(address + "#8.2")
        normal = b.run(sizes)
        b.click("#type option[value='1.8']")
        large = b.run(sizes)
        for before, after in zip(normal, large):
            self.assertAlmostEqual(after / before, 1.8, delta=.05)
        self.assertGreaterEqual(large[0], 22)
        # Rows follow each other without a gap, and nothing is beside the screen.
        tops = b.run("return [...document.querySelectorAll('.canvas')].map(c => [...c.children].map(row => row.offsetTop))")
        for rows in tops:
            self.assertEqual(rows, [index * large[3] for index in range(len(rows))])
        self.assertLessEqual(b.run("return document.documentElement.scrollWidth"), 1280)
        self.assertLess(b.run("return document.querySelector('footer').offsetHeight"), 150)
        # The page keeps the choice.
        b.open(address + "#9")
        self.assertEqual(b.run("return [byID('type').value, rowHeight]"), ["1.8", 50])
        b.run("byID('type').value = '1'; byID('type').onchange(); localStorage.clear()")
        until = """
            const [label, done] = arguments
            const look = () => byID("full").textContent === label ? done() : setTimeout(look, 20)
            look()"""
        b.click("#full")
        b.wait(until, "Leave full screen")
        self.assertTrue(b.run("return document.fullscreenElement !== null"))
        b.run("document.activeElement.blur()")
        b.press("f")
        b.wait(until, "Full screen")
        self.assertTrue(b.run("return document.fullscreenElement === null"))
        b.devtools("Emulation.clearDeviceMetricsOverride", {})

    def test_lesson(self):
        """The page of a lesson asks, and has neither its answer nor its hints."""
        b = self.browser
        lesson = ROOT / "Examples/Lessons/12-a-section-appears.frc"
        b.open(self.page(lesson) + "#4")
        self.assertTrue(b.run("return byID('asks').checked"))
        b.press("End")
        self.assertFalse(b.run("return byID('quiz').hidden"))
        text = b.run("return document.body.innerText + byID('recording').textContent")
        for secret in ("hint", "The first row of a name makes the section", "#@ wrong"):
            self.assertNotIn(secret, text)
        b.open(self.page(lesson, "answers.html", "--answers"))
        self.assertFalse(b.run("return byID('asks').checked"))
        self.assertIn("The first row of a name makes the section", b.run("return byID('lines').textContent"))

    def test_size(self):
        path = self.folder / "size.html"
        frc("play", self.write("print 1\n"), "-o", path)
        self.assertLess(path.stat().st_size, 200_000)


# Names of all controls, roles that belong together, one main heading, and contrast.
ACCESSIBILITY = r"""
const problems = []
const visible = element => element.checkVisibility() && !element.closest("[aria-hidden], .spoken")
const nameOf = element => element.getAttribute("aria-label") || element.labels?.[0]?.innerText || element.innerText || element.title
for (const element of document.querySelectorAll("a, button, input, select, [tabindex]"))
  if (visible(element) && !nameOf(element)?.trim()) problems.push("no name: " + element.outerHTML.slice(0, 80))
const parents = { row: "[role=table] [role=rowgroup]", cell: "[role=row]", rowheader: "[role=row]", rowgroup: "[role=table]" }
for (const role in parents)
  for (const element of document.querySelectorAll(`[role=${role}]`))
    if (!element.parentElement.closest(parents[role])) problems.push(`${role} outside of ${parents[role]}`)
const ids = [...document.querySelectorAll("[id]")].map(element => element.id)
if (new Set(ids).size !== ids.length) problems.push("an id twice")
if (document.querySelectorAll("h1").length !== 1 || !document.documentElement.lang || !document.querySelector("main")) problems.push("no landmark")
if (!document.querySelector("[aria-live]")) problems.push("no live region")
let level = 0
for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
  if (!visible(heading)) continue
  if (Number(heading.tagName[1]) > level + 2) problems.push("a heading skips levels: " + heading.innerText)
  level = Number(heading.tagName[1])
}
const channels = color => (color.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number)
const luminance = ([r, g, b]) => [r, g, b].map(c => (c /= 255) <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0)
const ground = element => {
  for (; element; element = element.parentElement) {
    const color = channels(getComputedStyle(element).backgroundColor)
    if (color.length < 4 || color[3] === 1) return color
  }
  return [255, 255, 255]
}
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
while (texts.nextNode()) {
  const element = texts.currentNode.parentElement
  if (!texts.currentNode.data.trim() || !visible(element) || element.closest("script, style, noscript, option, :disabled")) continue
  const [a, b] = [luminance(channels(getComputedStyle(element).color)), luminance(ground(element))]
  const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05)
  if (contrast < 4.5) problems.push(`contrast ${contrast.toFixed(2)}: ${texts.currentNode.data.slice(0, 40)}`)
}
return [...new Set(problems)]
"""

if __name__ == "__main__":
    main()
