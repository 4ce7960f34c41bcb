#!/usr/bin/env python3
"""Plays pages of `frc play` in Chromium, with real clicks and keys.

    Tests/Pages/test_play.py [-k NAME]        FRC names the program;
                                              FRC_QUIET_MACHINE=1 holds times to their limits
"""

import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from webdriver import Browser, MISSING

ROOT = pathlib.Path(__file__).resolve().parents[2]
FRC = os.environ.get("FRC", str(ROOT / ".build/debug/frc"))
GOLDENS = 50

# What the document shows of each controller and table: headers and rows in order.
SHOWN = """
const lists = {}
for (const list of document.querySelectorAll(".list"))
  lists[list.dataset.name] = [...list.querySelectorAll(".canvas > :not([aria-hidden])")]
    .map(row => row.classList.contains("section")
      ? "section " + row.dataset.key.slice(1)
      : row.querySelector(".object").textContent)
return lists
"""
# All that a reader sees, without the movement.
WHOLE = """
document.getAnimations().forEach(animation => animation.finish())
return document.querySelector("main").innerText + document.querySelector("#position").textContent
"""


def frc(*arguments, folder=ROOT, check=True):
    result = subprocess.run([FRC, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    if check and result.returncode != 0:
        raise AssertionError(f"frc {arguments}: {result.stderr}")
    return result


def scripts():
    examples = sorted((ROOT / "Examples").rglob("*.frc"))
    goldens = sorted((ROOT / "Tests/GoldenTests/Goldens").rglob("*.frc"))
    random.Random(21).shuffle(goldens)
    parsing = (path for path in goldens if frc("check", path, check=False).returncode == 0)
    return examples, list(itertools.islice(parsing, GOLDENS))


class PlayTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="frc-pages-"))
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.browser.emulate(prefers_reduced_motion="reduce")
        self.browser.resize(1600, 1400)

    def page(self, script, name="page.html"):
        """The address of the page of a script."""
        path = self.folder / name
        frc("play", script, "-o", path)
        return path.as_uri()

    def write(self, text, name="script.frc"):
        path = self.folder / name
        path.write_text(text)
        return path

    def shown(self):
        return self.browser.run(SHOWN)

    def data(self):
        return self.browser.run("return JSON.parse(document.getElementById('recording').textContent)")

    def go(self, fragment):
        self.browser.run("location.hash = arguments[0]", fragment)
        self.browser.wait("requestAnimationFrame(() => setTimeout(arguments[0], 0))")

    def address(self):
        """The fragment, once the page has put it there: it waits between two changes."""
        self.browser.wait("setTimeout(arguments[0], 300)")
        return self.browser.run("return location.hash")

    # MARK: What is shown

    def controllers_by_statement(self, script, steps):
        """What `show` prints after each statement, asked of a copy of the script."""
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(script.parent, copy)
        lines = script.read_text().split("\n")
        names = sorted(set(re.findall(r"^\s*controller (\w+)", script.read_text(), re.M)))
        result = {}
        for index in reversed(range(len(steps))):
            last = steps[index]["lines"][1]
            if index + 1 < len(steps) and steps[index + 1]["lines"][0] <= last:
                continue
            lines[last:last] = [f'print "after {index}"'] + [f"try show {name}" for name in names]
        path = copy / script.name
        path.write_text("\n".join(lines))
        after = None
        for line in frc("run", "--format", "json", path, folder=copy, check=False).stdout.split("\n"):
            event = json.loads(line) if line else {}
            if event.get("event") == "value" and str(event["value"]).startswith("after "):
                after = result.setdefault(int(event["value"].split()[1]), {})
                continue
            if after is not None and event.get("event") == "show":
                after.setdefault(event["controller"], event["sections"])
            elif event.get("event") not in ("show", "error"):
                after = None
        return result

    def check_script(self, script):
        """Compares the document after each statement with the controller's sections."""
        # So tall that every row is drawn, with few pixels, which take long to draw.
        self.browser.devtools("Emulation.setDeviceMetricsOverride",
                              {"width": 1600, "height": 9000, "deviceScaleFactor": 0.1, "mobile": False})
        self.addCleanup(self.browser.devtools, "Emulation.clearDeviceMetricsOverride", {})
        self.browser.open(self.page(script))
        steps = self.data()["steps"]
        compared = 0
        for step, controllers in sorted(self.controllers_by_statement(script, steps).items()):
            self.go(f"#{step + 1}")
            shown = self.shown()
            for name, sections in controllers.items():
                with self.subTest(script=script.name, statement=step + 1, controller=name):
                    self.assertIn(name, shown)
                    hasHeaders = any(row.startswith("section ") for row in shown[name])
                    wanted = []
                    for section in sections:
                        wanted += ["section " + section["name"]] * hasHeaders + section["objects"]
                    self.assertEqual(shown[name], wanted)
                    compared += 1
        return compared

    def test_sections_of_examples_and_goldens(self):
        examples, goldens = scripts()
        compared = sum(self.check_script(script) for script in examples + goldens)
        print(f"{len(examples)} examples, {len(goldens)} goldens, {compared} comparisons")
        self.assertGreater(compared, 300)
        self.assertEqual(self.browser.messages(), [])
        for address in self.browser.requests():
            self.assertRegex(address, "^(file:|data:|about:)")

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
            count = self.browser.run("return recording.positions.length")
            forward, back = [], []
            for index in range(count):
                forward.append(self.browser.run(WHOLE))
                self.browser.press("Right")
            for index in range(count):
                back.append(self.browser.run(WHOLE))
                self.browser.press("Left")
            self.assertEqual(forward, back[::-1], name)
            self.assertGreater(len(set(forward)), count / 2)

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
        self.assertEqual(self.address().split(".")[0], "#8")
        b.click("#previous")
        self.assertEqual(self.address(), "#7")
        self.assertEqual(b.run("return byID('link').getAttribute('href')"), "#7")
        b.click("#unit option[value=turn]")
        b.run("document.activeElement.blur()")
        b.press("Right", "Right")
        self.assertEqual(self.address(), "#9")
        b.click("#unit option[value=callback]")
        b.run("byID('slider').focus()")
        b.press("Right")
        self.assertNotEqual(self.address(), "#9")
        b.press("Home")
        self.assertEqual(b.run("return position"), 0)
        b.click("#lines li a[href='#9']")
        self.assertEqual(self.address(), "#9")
        b.open(address + "#9999")
        self.assertEqual(b.run("return position"), 0)

    def test_keyboard_alone(self):
        b = self.browser
        b.open(self.page(ROOT / "Examples/users.frc"))
        reached = []
        for _ in range(14):
            b.press("Tab")
            reached.append(b.run("return document.activeElement.id || document.activeElement.className || document.activeElement.tagName"))
        for control in ("slider", "next", "play", "unit", "speed", "asks", "link"):
            self.assertIn(control, reached)
        b.run("document.activeElement.blur()")
        b.click("#speed option[value='20']")
        b.run("document.activeElement.blur()")
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
        self.assertIn("✗ it is sent", b.run("return byID('quiz').innerText"))

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
        b.devtools("Emulation.clearDeviceMetricsOverride", {})
        b.devtools("Emulation.setEmulatedMedia", {"media": "print"})
        self.assertEqual(b.run("return getComputedStyle(document.querySelector('footer')).display"), "none")
        b.devtools("Emulation.setEmulatedMedia", {"media": ""})

    def test_size(self):
        path = self.folder / "size.html"
        frc("play", self.write("print 1\n"), "-o", path)
        self.assertLess(path.stat().st_size, 200_000)

    def test_site(self):
        site = self.folder / "site"
        frc("play", ROOT / "Examples", ROOT / "Documentation/Rules.md", "-o", site)
        b = self.browser
        b.open((site / "index.html").as_uri())
        links = b.run("return [...document.querySelectorAll('main a')].map(a => a.href)")
        self.assertEqual(len(links), len(list((ROOT / "Examples").rglob("*.frc"))) + 1)
        for link in links:
            b.open(link)
            self.assertTrue(b.run("return recording.positions.length > 0"), link)
            self.assertEqual(b.run("return document.querySelector('nav a').href"), (site / "index.html").as_uri())
        self.assertEqual(b.messages(), [])

    def test_large(self):
        b = self.browser
        b.emulate(prefers_reduced_motion="no-preference")
        source = random.Random(7)
        turns = "\n".join(f"B/{source.randint(1, 10_000)}.n = {source.randint(0, 1_000_000)}" for _ in range(2_000))
        script = self.write(
            "entity B { t: String, n: Int }\ncontroller c = B sort by n\n"
            f'for i in 1...10000 {{ insert B(t: "book \\(i)", n: i * 100) }}\nfetch c\n{turns}\n', "large.frc")
        address = self.page(script, "large.html")
        b.open(address)
        opened = b.run("return performance.now() && performance.getEntriesByType('navigation')[0].loadEventEnd")
        print(f"opened in {opened:.0f} ms; {(self.folder / 'large.html').stat().st_size / 1e6:.1f} MB")
        if os.environ.get("FRC_QUIET_MACHINE"):
            self.assertLess(opened, 2_000)
        b.call("POST", "/timeouts", {"script": 120_000})
        frames = b.wait("""
            const done = arguments[0], frames = []
            byID("speed").value = "20"
            go(recording.place("#5"), 0)
            let last = performance.now()
            const frame = () => {
              const now = performance.now()
              frames.push(now - last)
              last = now
              if (frames.length < 600) requestAnimationFrame(frame); else { pause(); done([position, Math.max(...frames)]) }
            }
            play(); requestAnimationFrame(frame)""")
        print(f"600 frames to position {frames[0]}, the longest {frames[1]:.0f} ms")
        # A machine that does other work beside it says nothing about the page.
        if os.environ.get("FRC_QUIET_MACHINE"):
            self.assertLess(frames[1], 100)
        jump = b.run("const t = performance.now(); go(recording.positions.length - 1); return performance.now() - t")
        print(f"a jump to the end: {jump:.0f} ms")


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
    if MISSING:
        sys.exit("pages are not tested in a browser: apt-get install chromium chromium-driver")
    unittest.main(verbosity=2)
