#!/usr/bin/env python3
"""Uses the playground, the course and a class of `frc serve` in browsers, with real clicks and keys.

    Tests/Pages/test_serve.py [-v] [-k NAME]   FRC names the program; -v shows each test and its time

FRC_AXE names the file of axe-core, which then looks at each page too. FRC_QUIET_MACHINE=1 holds
times to their limits, in one browser.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from browsers import BrowserTestCase, IS_QUIET, main
from sockets import WebSocket
from webdriver import Browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
FRC = os.environ.get("FRC", str(ROOT / ".build/debug/frc"))
TOKEN = "abcdefghijklmnopqrstuvwxyz"
AXE = os.environ.get("FRC_AXE")

# What a screen reader would miss: names, and texts that are hard to read.
ACCESSIBILITY = r"""
const problems = []
const visible = element => element.checkVisibility?.() ?? true
for (const element of document.querySelectorAll("button, select, input, textarea, a, [role=listbox]")) {
  if (!visible(element)) continue
  const label = element.getAttribute("aria-label") || element.innerText?.trim()
    || [...element.labels ?? []].map(label => label.innerText).join("").trim()
  if (!label) problems.push(`no name: ${element.outerHTML.slice(0, 80)}`)
}
const light = colour => {
  const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number)
  const part = value => (value /= 255) <= .03928 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4
  return { value: .2126 * part(r) + .7152 * part(g) + .0722 * part(b), a }
}
const ground = element => {
  for (; element; element = element.parentElement) {
    const found = light(getComputedStyle(element).backgroundColor)
    if (found.a > .9) return found.value
  }
  return 1
}
for (const element of document.querySelectorAll("body *")) {
  const text = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())
  if (!text || !visible(element) || element.closest(".spoken, noscript, script, option") || element.disabled) continue
  if (element.tagName === "TEXTAREA" && element.id === "text") continue
  const [one, other] = [light(getComputedStyle(element).color).value, ground(element)].sort((a, b) => b - a)
  if ((one + .05) / (other + .05) < 4.5) problems.push(`contrast ${element.outerHTML.slice(0, 80)}`)
}
const ids = [...document.querySelectorAll("[id]")].map(element => element.id)
for (const id of ids) if (ids.filter(other => other === id).length > 1) problems.push(`twice: ${id}`)
for (const element of document.querySelectorAll("[aria-labelledby], [aria-describedby], [aria-controls]"))
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"])
    for (const id of (element.getAttribute(name) ?? "").split(" ").filter(Boolean))
      if (!document.getElementById(id)) problems.push(`${name} leads nowhere: ${id}`)
if (document.querySelectorAll("main:not([hidden])").length !== 1) problems.push("not one main")
if (!document.documentElement.lang) problems.push("no language")
return [...new Set(problems)]
"""


# Lessons by their numbers: the kind, and answers with what the page says about them.
LESSONS = {
    1: ("predict", ("delete Book/1 [0, 0]", "Not yet", "it is not a delete", "rule created"),
        ("books willChangeContent\ninsert Book/1 [0, 0]", "Partly right", "didChangeContent is missing"),
        ("insert Book/1 [0, 0]", "Right.", "an insert")),
    2: ("reach", ('insert Book(title: "Zama")', "Not there yet after 1 statement", "found:    [0, 2] Book/3"),
        ('Book/3.title = "Emma"', "Partly right", "with 2 statements; 1 is enough"),
        ('insert Book(title: "Emma")', "Right.", "reached with 1 statement")),
    5: ("predict", ("update Book/1 [0, 0]", "Not yet", "it is not an update", "went past Book/2"),
        ("update Book/1 [0, 0]\nmove Book/1 [0, 0] -> [0, 2]", "Partly right", "has only one callback"),
        ("move Book/1 [0, 0] -> [0, 2]", "Right.", "it is a move")),
    7: ("mend", ("table view = books { move deleteRow insertRows }", "Not yet", "did you mean 'deleteRows'?"),
        ("table view = books { move moveRow }", "Partly right", "random turn 7 of 1000"),
        ("table view = books { move deleteRows insertRows }", "Right.", "after 1000 random turns")),
    9: ("reach", ("delete Memo/1", "find a way without 'delete'"),
        ('Memo/1.title = "A"\nMemo/1.isAvailable = NO', "Partly right", "1 is enough"),
        ("Memo/1.isAvailable = NO", "Right.")),
    10: ("find", ("1 insert", "Not yet", "statement 1 does not crash", "insert is not the cause"),
         ("3 update", "Partly right", "statement 3", "update is not the cause"),
         ("3 delete", "Right.")),
    11: ("mend", ("table view = books { update nothing }", "Not yet", "random turn 1 of 1000"),
         ("table view = books", "Partly right", "the reaction to update is missing"),
         ("table view = books { update reloadRows }", "Right.")),
    12: ("predict", ("update User/2 [0, 0]", "Not yet", "a callback about a section is missing"),
         ('insert User/2 [0, 0]\nsection insert 0 "A"', "Partly right", "in the wrong order"),
         ('section insert 0 "A"\ninsert User/2 [0, 0]', "Right.")),
    14: ("mend", ("table view = users { sectionInsert insertSections; sectionDelete nothing }", "Not yet",
                  "the section is gone"),
         ("table view = users {\nmove reloadData\nsectionInsert nothing\nsectionDelete nothing\n}", "Partly right"),
         ("table view = users {\nsectionInsert insertSections\nsectionDelete deleteSections\n}", "Right.")),
    42: ("find", ("3 sectionInsert", "Not yet", "statement 3 does not crash"),
         ("5 move", "Partly right", "move is not the cause"),
         ("5 sectionDelete", "Right.")),
}


class Server:
    """A running `frc serve`."""

    def __init__(self, *arguments, port=0, token=TOKEN, folder=None):
        environment = {**os.environ, "FRC_SERVE_TOKEN": token, **({"TMPDIR": folder} if folder else {})}
        self.process = subprocess.Popen(
            [FRC, "serve", "--no-open", "--port", str(port), *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
            # A job in the background ignores Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.lines = []
        while not (self.lines and self.lines[-1].startswith("Press Ctrl-C")):
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(self.process.stderr.read())
            self.lines.append(line)
        self.address = re.search(r"http://\S+", self.lines[0])[0]
        self.port = int(re.search(r":(\d+)/", self.address)[1])
        self.base = f"http://127.0.0.1:{self.port}/{token}/"

    @property
    def code(self):
        return re.search(r"the code (\S+)", "".join(self.lines))[1]

    @property
    def workers(self):
        """The numbers of the processes of its sessions."""
        found = []
        for folder in pathlib.Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                words = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(words[1]) == self.process.pid:
                found.append(int(folder.name))
        return found

    def wait_for_workers(self, count):
        """Waits until it has this number of sessions, and returns the numbers of their processes."""
        end = time.monotonic() + 60
        while len(found := self.workers) != count and time.monotonic() < end:
            time.sleep(0.01)
        return found

    def close(self, number=signal.SIGINT):
        began = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(timeout=10)
        self.process.stdout.close()
        self.process.stderr.close()
        return time.monotonic() - began

    def get(self, path="", host=None, origin=None, method="GET", token=True, data=None):
        """Returns the status and the text of an answer."""
        address = self.base + path if token else f"http://127.0.0.1:{self.port}/{path}"
        request = urllib.request.Request(address, data, method=method)
        if host is not None:
            request.add_header("Host", host)
        if origin is not None:
            request.add_header("Origin", origin)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=20) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def session(self, token=TOKEN, host=None, origin=None):
        return WebSocket(self.port, f"/{token}/session", host, origin)


def readme_script():
    """The first script of README.md, without what it prints."""
    text = re.search(r"```frc\n(.*?)```", (ROOT / "README.md").read_text(), re.S)[1]
    return "".join(line + "\n" for line in text.splitlines() if not line.startswith("#>"))


def check_axe(test, browser):
    """Lets axe-core look at a page."""
    if AXE is None:
        return
    # The page's policy forbids scripts of others, so the driver puts it in.
    browser.devtools("Runtime.evaluate", {"expression": pathlib.Path(AXE).read_text() + ";0"})
    found = browser.wait("const done = arguments[0]; axe.run().then(r => done(r.violations"
                         ".filter(v => ['serious', 'critical'].includes(v.impact))"
                         ".map(v => [v.id, v.nodes.map(n => n.html.slice(0, 100))])))")
    test.assertEqual(found, [])
    test.note("axe-core finds nothing serious")


class ServeTests(BrowserTestCase):
    weight = 2

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(cls.folder.name)
        (path / "own.frc").write_text("entity A { x: Int }\nprint 1 + 1\n")
        (path / "<b>.frc").write_text("print \"bold\"\n")
        (path / "latin.frc").write_bytes(b"print \"caf\xe9\"\n")
        cls.server = Server(path)
        cls.addClassCleanup(cls.folder.cleanup)
        cls.addClassCleanup(cls.server.close)

    def open(self, path="", fragment=""):
        b = self.browser
        b.emulate(prefers_reduced_motion="reduce")
        # Not in the page itself, which keeps its script when it is left.
        b.open(self.server.base + "list.json")
        b.run("localStorage.clear(); sessionStorage.clear()")
        b.messages()
        b.open(self.server.base + path + fragment)
        b.until("return session.isOpen")

    def type(self, text):
        self.browser.press(*("Enter" if letter == "\n" else letter for letter in text))

    def set(self, text):
        """Types a text by one key of the clipboard."""
        self.browser.click("#text")
        self.browser.run("byID('text').select(); document.execCommand('insertText', false, arguments[0])", text)

    def lists(self):
        return self.browser.run("""
            const lists = {}
            for (const list of document.querySelectorAll(".list"))
              lists[list.dataset.name] = [...list.querySelectorAll(".canvas > :not([aria-hidden])")]
                .map(row => row.classList.contains("section") ? "section " + row.dataset.key.slice(1)
                  : row.querySelector(".object").textContent)
            return lists""")

    def answer(self, answer):
        """Answers the question of a page once it is there."""
        end = time.monotonic() + 20
        while True:
            try:
                return self.browser.call("POST", f"/alert/{answer}", {})
            except RuntimeError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def no_messages(self):
        self.assertEqual(self.browser.messages(), [])

    # MARK: The playground

    def test_readme_typed(self):
        """The README's script is typed, key by key; its output is what `frc run` prints."""
        b = self.browser
        self.open()
        b.click("#text")
        script = readme_script()
        self.type(script)
        b.until("return live.steps.length === arguments[0] && ended >= running", 10, patience=20)
        self.assertEqual(b.run("return editor.text"), script)
        shown = b.run("return live.steps.flatMap(step => step.frames.flatMap(frame => frame.event.text))")
        expected = subprocess.run([FRC, "run", "/dev/stdin"], input=script, text=True, capture_output=True)
        self.assertEqual(shown, expected.stdout.splitlines())
        self.assertEqual(self.lists()["results"], ["Row/1", "Row/2", "Row/3"])
        self.assertIn("didChange object insert Row/3", b.run("return byID('notes').innerText"))
        # A click on a callback explains it.
        b.run("editor.goTo(live.steps.find(s => s.frames.some(f => f.event.event === 'didChangeObject')).lines[0])")
        b.until("return document.querySelector('#events li.insert button.what')")
        b.click("#events li.insert button.what")
        self.assertIn("rule", b.run("return document.querySelector('#events li.insert .why').innerText"))
        self.no_messages()

    def test_examples(self):
        """Each example opens by the list, with the files that it includes, and prints what `frc run` prints."""
        b = self.browser
        self.open()
        names = b.until("return [...document.querySelectorAll('option[value^=example]')].map(option => option.value)")
        parts = [name for name in names if name.endswith(".part")]
        names = [name for name in names if name not in parts]
        self.assertEqual(sorted(names), sorted("example/" + path.stem for path in (ROOT / "Examples").glob("*.frc")))
        self.assertEqual(sorted(parts), sorted("example/migration/" + path.name
                                               for path in (ROOT / "Examples").glob("*/*.part")))
        for name in names:
            count = b.run("return running")
            b.click(f"#open option[value='{name}']")
            b.until("return running > arguments[0] && ended >= running", count, patience=60)
            path = ROOT / "Examples" / (name.removeprefix("example/") + ".frc")
            self.assertEqual(b.run("return editor.text"), path.read_text(), name)
            shown = b.run("return live.steps.flatMap(step => step.frames.flatMap(frame => frame.event.text))")
            with tempfile.TemporaryDirectory() as folder:
                # Some leave a store beside them.
                copy = shutil.copytree(ROOT / "Examples", pathlib.Path(folder) / "Examples")
                ran = subprocess.run([FRC, "run", "--cache-dir", folder, copy / path.name],
                                     text=True, capture_output=True)
            # Like a test, the page measures nothing, and all files of a script are in one folder.
            printed = re.sub(r", memory [\d.]+ MB|\d[\d.]*s for", "", ran.stdout).splitlines()
            if name == "example/migration":
                printed = re.findall(r"^#> (.*)", path.read_text(), re.M)
            self.assertEqual([re.sub(r"\d[\d.]*s for", "", line) for line in shown], printed, name)
            self.assertEqual(b.run("return live.steps.length"), b.run("return total"), name)
        b.click(f"#open option[value='{parts[0]}']")
        b.until("return editor.text === arguments[0]",
                (ROOT / "Examples" / parts[0].removeprefix("example/")).read_text())
        b.until("return ended >= running")
        self.assertEqual(b.run("return live.steps.length"), 0)
        self.no_messages()

    def test_folder(self):
        b = self.browser
        self.open()
        b.until("return document.querySelector('option[value^=folder]')")
        names = b.run("return [...document.querySelectorAll('option[value^=folder]')].map(option => option.textContent)")
        self.assertEqual(sorted(names), ["<b>.frc", "latin.frc", "own.frc"])
        b.click("#open option[value='folder/own.frc']")
        b.until("return live.steps.length === 2 && ended >= running")
        self.assertEqual(b.run("return live.steps[1].frames[0].event.text"), ["2"])
        # A script of the user's own is replaced only if they want that; one that was opened can be opened again.
        b.click("#open option[value='folder/%3Cb%3E.frc']")
        b.until("return editor.text.includes('bold')")
        self.set("print 3\n")
        for answer, wanted in (("dismiss", "print 3"), ("accept", "print 1 + 1")):
            b.run("setTimeout(() => openChosen('folder/own.frc'))")
            self.answer(answer)
            b.until("return editor.text.includes(arguments[0])", wanted)
        self.no_messages()
        # Letters that are no UTF-8 are not replaced by others.
        b.click("#open option[value='folder/latin.frc']")
        b.until("return byID('status').textContent.includes('not UTF-8')")
        b.run("""
            session.tell("")
            const files = new DataTransfer()
            files.items.add(new File([new Uint8Array([0x23, 0xe9])], "latin.frc"))
            byID("file").files = files.files
            byID("file").dispatchEvent(new Event("change"))""")
        b.until("return byID('status').textContent.includes('not UTF-8')")
        self.assertIn("print 1 + 1", b.run("return editor.text"))

    def test_back_and_what_if(self):
        b = self.browser
        self.open()
        b.click("#text")
        self.type('entity Book { title: String }\ncontroller books = Book sort by title\nfetch books\n'
                  'insert Book(title: "Dune")\ninsert Book(title: "Emma")\nBook/1.title = "Zen"\n')
        b.until("return live.steps.length === 6 && ended >= running")
        self.assertEqual(self.lists(), {"books": ["Book/2", "Book/1"]})
        # Back one statement, by keys and by the button.
        b.chord("Alt", "z")
        b.until("return live.steps.length === 5 && ended >= running")
        self.assertEqual(self.lists(), {"books": ["Book/1", "Book/2"]})
        b.click("#undo")
        b.until("return live.steps.length === 4 && ended >= running")
        self.assertEqual(self.lists(), {"books": ["Book/1"]})
        # What if the statement on line 5 ran? Nothing changes.
        b.run("editor.goTo(5)")
        b.chord("Alt", "w")
        b.until("return byID('events').classList.contains('what-if')")
        self.assertIn('insert Book/2 "Emma" -> [0, 1]', b.run("return byID('events').innerText"))
        self.assertEqual(b.run("return live.steps.length"), 4)
        self.assertEqual(self.lists(), {"books": ["Book/1"]})
        # Back to a statement in the middle, and forward again.
        b.run("editor.goTo(3)")
        b.chord("Control", "Enter")
        b.until("return live.steps.length === 3 && ended >= running")
        self.assertEqual(self.lists(), {"books": []})
        b.chord("Control", "Shift", "Enter")
        b.until("return live.steps.length === 6 && ended >= running")
        self.assertEqual(self.lists(), {"books": ["Book/2", "Book/1"]})
        # A change above runs again what is below it.
        b.run("editor.goTo(4)")
        b.press("End", "Left", "Left", "X")
        b.until("return live.steps[3]?.frames.some(f => f.event.text.join().includes('DuneX')) && live.steps.length === 6 && ended >= running")
        self.no_messages()

    def test_lines_above_what_has_run(self):
        """Lines that come and go above statements that ran leave these as they are; no other statement runs."""
        b = self.browser
        self.open()
        script = "let a = 1\nlet b = 2\nlet c = 3\nprint a\nprint b\nprint c\n"
        self.set(script)
        b.run("editor.goTo(5)")
        b.chord("Control", "Enter")
        b.until("return live.steps.length === 5 && ended >= running")

        def ran(line):
            b.until("return until === arguments[0] && kept.get('frc until') === String(until) && ended >= running", line)
            b.until("return live.steps.length === 5 && live.steps[4].lines[0] === arguments[0]", line)
            self.assertEqual(b.run("return byID('ran').textContent"), "5 of 6 statements ran")
        b.run("editor.goTo(2)")
        b.press("End", "Enter")
        ran(6)
        b.press("Enter", "#", "Enter")
        ran(8)
        b.run("editor.goTo(1)")
        b.press("Enter")
        ran(9)
        b.press(*["Backspace"])
        ran(8)
        # Below, where the next statement has not run, and in the line itself.
        b.run("editor.goTo(8)")
        b.press("End", "Enter", "#")
        b.run("editor.goTo(8)")
        b.press("End", " ")
        ran(8)
        self.assertEqual(b.run("return editor.text.replaceAll(/^#?\\n/gm, '')"), script.replace("print b", "print b "))
        self.no_messages()

    def test_completion_and_messages(self):
        b = self.browser
        self.open()
        b.click("#text")
        self.type("entity Book { title: String }\ncontr")
        b.until("return !byID('choices').hidden")
        self.assertIn("controller", b.run("return byID('choices').innerText"))
        b.press("Tab")
        b.until("return editor.text.endsWith('controller ')")
        self.assertEqual(b.run("return document.activeElement.id"), "text")
        self.type("books = Bok sort by title\n")
        # What was found in the line before it was whole comes first.
        b.until("return byID('problems').innerText.includes('Bok')")
        b.until("return document.querySelector('#colours .t-keyword')")
        self.assertEqual(b.run("return document.querySelector('#colours .t-keyword').textContent"), "entity")
        # Also of what is typed while a session begins.
        b.run("session.socket.close()")
        b.until("return !session.isOpen")
        self.type("contr")
        b.until("return !byID('choices').hidden")
        self.assertIn("controller", b.run("return byID('choices').innerText"))
        self.no_messages()

    def test_limits_of_statements(self):
        """An endless statement can be stopped, and the session goes on."""
        b = self.browser
        self.open()
        self.set("entity A { x: Int }\ninsert A(x: 1)\nrepeat 1000000000 { A/1.x = 2 }\nprint A/1.x\n")
        b.click("#run-all")
        b.until("return !byID('stop').disabled")
        b.click("#stop")
        b.until("return ended >= running")
        self.assertIn("stopped", b.run("return byID('status').textContent"))
        self.assertEqual(b.run("return live.steps.length"), 2)
        self.set("entity A { x: Int }\ninsert A(x: 1)\nprint A/1.x\n")
        b.click("#run-all")
        b.until("return live.steps.length === 3 && ended >= running")
        self.no_messages()

    def test_stop_with_a_store_in_a_file(self):
        """What was saved to a file is not undone, so nothing has run after a stop, as the page shows."""
        b = self.browser
        self.open()
        self.set('store sqlite "a.sqlite"\nentity A { x: Int }\ninsert A(x: 1)\nsave\n'
                 'repeat 1000000000 { A/1.x = 2 }\nprint A/1.x\n')
        b.click("#run-all")
        b.until("return live.steps.length === 4 && !byID('stop').disabled")
        b.click("#stop")
        b.until("return ended >= running")
        self.assertIn("stopped", b.run("return byID('status').textContent"))
        self.assertEqual(b.run("return [live.steps.length, byID('ran').textContent]"), [0, "0 of 6 statements ran"])
        self.assertEqual(b.run("return document.querySelectorAll('#gutter .ran').length"), 0)
        b.run("editor.goTo(4)")
        b.chord("Control", "Enter")
        b.until("return live.steps.length === 4 && ended >= running")
        self.no_messages()

    def test_links_and_files(self):
        b = self.browser
        self.open()
        script = 'print "ü 日本"\n# <script>alert(1)</script>\n'
        self.set(script)
        b.click("#save option[value='link']")
        b.until("return location.hash.startsWith('#s=')")
        fragment = b.run("return location.hash")
        self.open(fragment=fragment)
        b.until("return editor.text !== ''")
        self.assertEqual(b.run("return editor.text"), script)
        # A reload after a change keeps the change, not the script of the link.
        self.set("print 2\n")
        b.run("location.reload()")
        b.until("return typeof editor !== 'undefined' && session.isOpen && editor.text === 'print 2\\n'")
        # A link replaces the script that is kept only if the user wants that, in a new page or in this one.
        for where in ("list.json", ""):
            for answer, wanted in (("dismiss", "print 2\n"), ("accept", script)):
                b.open(self.server.base + where)
                b.run("setTimeout(address => { location.href = address }, 0, arguments[0])",
                      self.server.base + fragment)
                self.answer(answer)
                b.until("return session.isOpen && editor.text === arguments[0]", wanted)
                if answer == "dismiss":
                    b.until("return location.hash === ''")
            self.set("print 2\n")
        b.open(self.server.base + "list.json")
        self.open(fragment=fragment)
        b.until("return editor.text !== ''")
        self.assertFalse(any(fragment[3:] in address for address in b.requests()))
        # What is saved is caught before the browser asks where to.
        b.run("window.saved = []; download = (...file) => saved.push(file)")
        for kind in ("frc", "golden", "page"):
            count = b.run("return saved.length")
            b.click(f"#save option[value='{kind}']")
            b.until("return saved.length > arguments[0]", count)
        saved = b.run("return saved")
        self.assertEqual(saved[0][1], script)
        self.assertEqual(saved[1][1], 'print "ü 日本"\n#> ü 日本\n# <script>alert(1)</script>\n')
        self.assertIn("<title>script</title>", saved[2][1])
        with tempfile.TemporaryDirectory() as folder:
            golden = pathlib.Path(folder) / "golden.frc"
            golden.write_text(saved[1][1])
            self.assertEqual(subprocess.run([FRC, "test", golden], capture_output=True).returncode, 0)
            page = pathlib.Path(folder) / "page.html"
            page.write_text(saved[2][1])
            b.open(page.as_uri())
            self.assertIn("1 of 1", b.run("return byID('position').textContent"))
        self.no_messages()

    def test_damaged_and_large_links(self):
        """A link whose script is damaged or too large changes nothing, and says so; no such link is made."""
        b = self.browser
        self.open()
        links = [("#s=xyz", "The address has a damaged script.")]
        for size, message in ((2_000_000, ""), (2_000_001, "The script of the link is larger than 2 MB.")):
            links.append((b.wait("packed('#'.repeat(arguments[0])).then(arguments[1])", size), message))
        for fragment, message in links:
            self.set("print 1\n")
            b.run("window.confirm = () => true; session.tell(''); location.hash = arguments[0]", fragment)
            b.until("return location.hash === ''")
            self.assertEqual(b.run("return byID('status').textContent"), message)
            self.assertEqual(b.run("return editor.text.length"), 8 if message else 2_000_000)
            if message:
                # Also in a new page.
                self.open(fragment=fragment)
                self.assertEqual(b.run("return [byID('status').textContent, editor.text]"), [message, ""])
        b.run("editor.text = '#'.repeat(2000001)")
        b.click("#save option[value='link']")
        b.until("return byID('status').textContent === 'The script is larger than 2 MB, so no link can have it.'")
        self.assertEqual(b.run("return location.hash"), "")
        self.no_messages()

    def test_reload(self):
        b = self.browser
        self.open()
        self.set("entity A { x: Int }\nlet a = 1\nprint a\nprint 2\n")
        b.run("editor.goTo(3)")
        b.chord("Control", "Enter")
        b.until("return live.steps.length === 3 && ended >= running")
        b.open(self.server.base)
        b.until("return live.steps.length === 3 && ended >= running")
        self.assertEqual(b.run("return editor.text.split('\\n').length"), 5)
        self.no_messages()

    def test_server_ends_and_begins_again(self):
        b = self.browser
        server = Server()
        try:
            b.open(server.base)
            b.until("return session.isOpen")
            self.set("let a = 1\nprint a\n")
            b.click("#run-all")
            b.until("return live.steps.length === 2 && ended >= running")
            port = server.port
            server.close(signal.SIGKILL)
            b.until("return !session.isOpen && byID('status').textContent.includes('does not answer')")
            self.assertEqual(b.run("return editor.text"), "let a = 1\nprint a\n")
            server = Server(port=port)
            b.until("return session.isOpen && live.steps.length === 2 && ended >= running", patience=30)
            self.assertEqual(b.run("return byID('status').textContent"), "")
        finally:
            server.close()

    def test_a_killed_session_begins_again(self):
        b = self.browser
        server = Server()
        try:
            b.open(server.base)
            b.until("return session.isOpen")
            self.set("let a = 1\nprint a\n")
            b.click("#run-all")
            b.until("return live.steps.length === 2 && ended >= running")
            for worker in server.workers:
                os.kill(worker, signal.SIGKILL)
            b.until("return byID('status').textContent.includes('ended')")
            b.click("#run-all")
            b.until("return session.isOpen && live.steps.length === 2 && ended >= running", patience=30)
            # So does what is asked of it, with what has run.
            for worker in server.workers:
                os.kill(worker, signal.SIGKILL)
            b.until("return byID('status').textContent.includes('ended')")
            b.run("download = (...file) => { window.saved = file }")
            b.click("#save option[value='page']")
            self.assertIn("<title>script</title>", b.until("return window.saved?.[1]"))
            b.until("return live.steps.length === 2 && ended >= running")
        finally:
            server.close()

    def test_keyboard_alone(self):
        """Everything can be reached by Tab, and the editor is no trap."""
        b = self.browser
        self.open()
        b.run("document.activeElement.blur()")
        seen = []
        for _ in range(40):
            b.press("Tab")
            name = b.run("return document.activeElement.id || document.activeElement.className")
            if name in seen and name != "viewport":
                break
            seen.append(name)
        for name in ("to-playground", "to-course", "open", "save", "text", "run", "run-all", "what-if",
                     "statement", "events"):
            self.assertIn(name, seen)
        self.assertLess(seen.index("text"), seen.index("run"))
        # The list of lessons is one stop, and a lesson that is chosen there is read next.
        b.run("byID('to-course').focus()")
        b.press("Enter")
        b.until("return document.querySelector('#log h3')")
        b.press("Tab", "Down", "Down", "Up")
        self.assertIn("Lesson 2:", b.run("return document.activeElement.getAttribute('aria-label')"))
        b.press("Enter")
        b.until("return document.querySelector('#log h3').innerText.startsWith('Lesson 2 of') && answered >= courseRun")
        self.assertEqual(b.run("return document.activeElement.id"), "log")
        b.press("Tab", *'insert Book(title: "Zama")')
        b.chord("Control", "Enter")
        b.until("return byID('log').innerText.includes('Not there yet')")
        # What is typed next takes the place of statements that ran.
        b.press(*'Book/3.title = "Emma"')
        self.assertEqual(b.run("return byID('answer').value"), 'Book/3.title = "Emma"')

    def test_accessibility(self):
        b = self.browser
        self.open()
        self.set((ROOT / "Examples/users-crash.frc").read_text())
        b.click("#run-all")
        b.until("return ended >= running && live.steps.length > 3")
        for scheme in ("light", "dark"):
            b.emulate(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            for part in ("playground", "course"):
                b.click(f"#to-{part}")
                if part == "course":
                    b.until("return document.querySelector('#log h3')")
                self.assertEqual(b.run(ACCESSIBILITY), [], (scheme, part))
                check_axe(self, b)
        b.emulate(prefers_color_scheme="light", prefers_reduced_motion="reduce")
        self.no_messages()

    def test_narrow(self):
        b = self.browser
        self.open()
        b.devtools("Emulation.setDeviceMetricsOverride",
                   {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": False})
        try:
            self.set((ROOT / "Examples/users.frc").read_text())
            b.click("#run-all")
            b.until("return ended >= running && live.steps.length > 3")
            self.assertLessEqual(b.run("return document.documentElement.scrollWidth"), 360)
            # The results begin where they can be seen beside the script.
            self.assertLess(b.run("return byID('stage').getBoundingClientRect().top"), 740)
            b.click("#to-course")
            b.until("return document.querySelector('#log h3')")
            self.assertLessEqual(b.run("return document.documentElement.scrollWidth"), 360)
        finally:
            b.devtools("Emulation.clearDeviceMetricsOverride", {})

    def test_large_script(self):
        """In a script of 10,000 lines, a key paints its own line, and nothing else."""
        b = self.browser
        self.open()
        b.run("editor.text = Array.from({ length: 10000 }, (_, i) => `let v${i} = ${i}`).join('\\n')")
        b.run("editor.goTo(9800)")
        b.until("return document.querySelector('#colours .t-keyword')", patience=60)
        b.until("return editor.drawn.get(9799).line.querySelector('.t-keyword')")
        painted = b.run("""
            window.changes = 0
            const seen = new MutationObserver(list => changes += list.filter(change => change.target.id).length)
            for (const id of ["gutter", "colours", "notes"]) seen.observe(byID(id), { childList: true, subtree: true })
            return editor.painted""")
        times = []
        for _ in range(20):
            times.append(b.wait("""
                const done = arguments[0]
                const began = performance.now()
                document.execCommand("insertText", false, "#")
                requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)))"""))
        b.until("return editor.known.has(editor.lines[9799])", patience=60)
        # Once with its new text, and once each for new colours and messages.
        self.assertLessEqual(b.run("return editor.painted") - painted, 3 * 20)
        self.assertEqual(b.run("return changes"), 0)
        times.sort()
        self.note(f"a key in 10,000 lines: {times[10]:.0f} ms at the median")
        self.assertLess(times[10], 50 if IS_QUIET else 1000)
        self.no_messages()

    def test_too_large_script(self):
        """A script that is too large for a message says so, and the session goes on."""
        b = self.browser
        self.open()
        b.run("""
            window.closed = 0
            session.socket.addEventListener("close", () => closed++)
            editor.text = ("# " + "x".repeat(5000) + "\\n").repeat(1000) + "print 1"
            run(1001)""")
        b.until("return byID('status').textContent === 'The script is too large: the playground takes at most 4 MB.'")
        self.assertEqual(b.run("return [closed, session.isOpen, live.steps.length]"), [0, True, 0])
        self.set("print 1\n")
        b.click("#run-all")
        b.until("return live.steps.length === 1 && ended >= running", patience=60)
        # The server says so, too, and the page does not try the same again.
        b.run("window.opened = 0; session.begins(() => opened++); session.socket.send('r' + 'x'.repeat(5 << 20))")
        b.until("return byID('status').textContent.includes('a message has at most 4 MB')")
        time.sleep(1)
        self.assertEqual(b.run("return [opened, session.isOpen]"), [0, False])
        b.click("#run-all")
        b.until("return session.isOpen && live.steps.length === 1 && ended >= running")
        self.no_messages()

    def test_half_a_character(self):
        """Half of an emoji, as Backspace may leave it, runs as the replacement character; the session answers."""
        b = self.browser
        self.open()
        b.run(r"editor.text = 'print \"\ud83d\"\nprint \"\ud83d\ude00\"\n'")
        b.click("#run-all")
        b.until("return live.steps.length === 2 && ended >= running")
        texts = b.run("return live.steps.map(step => step.frames[0].event.text[0])")
        self.assertEqual(texts, ["\ufffd", "\U0001f600"])
        b.until("return document.querySelector('#colours .t-string')")
        self.assertEqual(b.run("return byID('problems').innerText"), "")
        # A request that is unreadable all the same is refused, and the page does not wait for it.
        b.run(r"""running = ++session.id; session.socket.send('r{"op":"run","id":9,"text":"\\ud83d"}')""")
        b.until("return ended >= running && byID('status').textContent.includes('cannot read the request')")
        b.click("#run-all")
        b.until("return live.steps.length === 2 && ended >= running")
        self.no_messages()

    def test_many_statements(self):
        """The statements of a large script arrive faster than they can be drawn one by one."""
        b = self.browser
        self.open()
        b.run("editor.text = Array.from({ length: 2000 }, (_, i) => `let v${i} = ${i}`).join('\\n')")
        b.run("""
            window.draws = window.drawing = 0
            editor.draw = () => { draws++; Editor.prototype.draw.call(editor) }
            const draw = drawAll
            window.drawAll = () => { const began = performance.now(); draw(); drawing += performance.now() - began }""")
        began = b.run("return performance.now()")
        b.click("#run-all")
        b.until("return live.steps.length === 2000 && ended >= running", patience=120)
        took = b.run("return performance.now()") - began
        draws, drawing = b.run("return [draws, drawing]")
        self.note(f"2,000 statements: {took:.0f} ms, drawn {draws} times in {drawing:.0f} ms")
        # The slower the machine, the more of them are drawn one by one.
        self.assertLess(drawing, 0.5 * took)
        if IS_QUIET:
            self.assertLess(draws, 1000)
        self.assertEqual(b.run("return editor.drawn.get(0).number.className"), "ran")
        self.no_messages()

    def test_hostile_text(self):
        b = self.browser
        self.open()
        texts = ["</script><script>document.title='broken'</script>", "<img src=x onerror=alert(1)>", "\u202eright"]
        self.set("entity B { t: String }\ncontroller c = B sort by t\nfetch c\n"
                 + "".join(f'insert B(t: "{text}")\n' for text in texts) + 'print "<b>bold</b>"\nnonsense <b>\n')
        b.click("#run-all")
        b.until("return live.steps.length === 7 && ended >= running")
        self.assertEqual(b.run("return document.querySelectorAll('main img, main script, main b').length"), 0)
        self.assertEqual(b.run("return document.title"), "frc playground")
        shown = b.run("return [...document.querySelectorAll('.row .shown')].map(row => row.textContent)")
        self.assertIn(texts[1], shown)
        self.assertIn("U+202Eright", shown)
        self.no_messages()

    def test_no_other_server(self):
        b = self.browser
        b.requests()
        self.open()
        self.set("print 1\n")
        b.click("#run-all")
        b.until("return live.steps.length === 1 && ended >= running")
        for address in b.requests():
            self.assertTrue(address.startswith((f"http://127.0.0.1:{self.server.port}/", "data:", "about:",
                                                f"ws://127.0.0.1:{self.server.port}/")), address)

    def test_times(self):
        """First paint, and a statement's output after Enter."""
        b = self.browser
        paints = []
        for _ in range(5):
            self.open()
            paints.append(b.until("""
                return performance.getEntriesByName("first-contentful-paint")[0]?.startTime"""))
        b.click("#text")
        self.type("entity A { x: Int }\ncontroller c = A sort by x\nfetch c\n")
        b.until("return live.steps.length === 3 && ended >= running")
        b.run("""
            window.times = []
            addEventListener("keydown", event => {
              if (event.key !== "Enter") return
              const [began, count] = [performance.now(), live.steps.length]
              const look = () => live.steps.length > count && byID("events").innerText.includes("insert")
                ? times.push(performance.now() - began) : requestAnimationFrame(look)
              requestAnimationFrame(look)
            }, true)""")
        for number in range(30):
            self.type(f"insert A(x: {number})\n")
            b.until("return times.length === arguments[0]", number + 1)
        times = sorted(b.run("return times"))
        paints.sort()
        self.note(f"first paint {paints[2]:.0f} ms, Enter to output {times[15]:.0f} ms at the median, "
                  f"{times[-1]:.0f} ms at most")
        if IS_QUIET:
            self.assertLess(paints[2], 300)
            self.assertLess(times[15], 50)

    # MARK: The course

    def lesson(self, number):
        b = self.browser
        b.click(f"#lesson-list li:nth-child({number}) button")
        b.until("return document.querySelector('#log h3')?.innerText.startsWith(`Lesson ${arguments[0]} of`)", number)

    def hand_in(self, text, wanted=""):
        """Types an answer in place of the one before it, and hands it in; returns the reply, which has a wanted text."""
        b = self.browser
        b.click("#answer")
        b.chord("Control", "a")
        b.press("Backspace")
        self.type(text)
        self.assertEqual(b.run("return byID('answer').value"), text)
        b.chord("Control", "Enter")
        b.until("return byID('log').innerText.includes(arguments[0])", wanted, patience=60)
        return self.reply()

    def reply(self):
        """What the page says about the last entry."""
        b = self.browser
        b.until("return answered >= courseRun", patience=60)
        return b.run("""
            const lines = []
            for (let line = [...document.querySelectorAll("#log .reply")].at(-1); line; line = line.nextElementSibling)
              lines.push(line.innerText)
            return lines.join("\\n")""")

    def state(self, number):
        return self.browser.run("return byID('lesson-list').children[arguments[0] - 1].className", number)

    def test_ten_lessons(self):
        """Ten lessons of all kinds: each answer is typed, and the page says what is wrong with it."""
        b = self.browser
        self.open()
        b.click("#to-course")
        b.until("return document.querySelector('#log h3')")
        kinds = set()
        for number, (kind, *answers) in LESSONS.items():
            self.lesson(number)
            kinds.add(kind)
            label = b.run("return byID('lesson-list').children[arguments[0] - 1].innerText", number)
            self.assertIn(kind, label)
            for answer, verdict, *words in answers:
                reply = self.hand_in(answer)
                for word in (verdict, *words):
                    self.assertIn(word, reply, (number, answer))
                self.assertEqual("Right." in reply, verdict == "Right.", (number, answer))
                hidden = b.run("""
                    const log = byID("log").getBoundingClientRect()
                    const [first, last] = [[...document.querySelectorAll("#log .reply")].at(-1), byID("log").lastElementChild]
                        .map(line => line.getBoundingClientRect())
                    return first.top < log.top - 1 || last.bottom > log.bottom + 1 && first.top > log.top + 40""")
                self.assertFalse(hidden, f"lesson {number}: the reply to {answer!r} is not in sight")
                # Without a solution or a hint, a right answer is the learner's own.
                self.assertEqual(self.state(number), "solved" if verdict == "Right." else "begun")
            marks = b.run("return [...document.querySelectorAll('#log .graded')].flatMap(line => [...line.classList])")
            self.assertIn("right", marks)
            self.assertTrue({"wrong", "missing"} & set(marks), number)
        self.assertEqual(kinds, {"predict", "reach", "mend", "find"})
        self.assertEqual(b.run("return document.querySelectorAll('#lesson-list .solved').length"), 10)
        # Enter alone goes on, and the next lesson has no answer of this one.
        b.click("#answer")
        b.press("Enter")
        b.until("return document.querySelector('#log h3').innerText.startsWith('Lesson 43 of')")
        self.assertEqual(b.run("return byID('answer').value"), "")
        self.no_messages()

    def test_solution_and_progress(self):
        """A solution that was shown is no lesson solved; the browser keeps the progress, and writes it to a file."""
        b = self.browser
        self.open()
        b.click("#to-course")
        b.until("return document.querySelector('#log h3')")
        self.lesson(3)
        b.click("[data-command=hint]")
        self.assertIn("Hint 1 of 3", self.reply())
        b.click("[data-command=solution]")
        answer = self.reply().partition("\nType it yourself")[0]
        self.assertIn("delete Book/", answer)
        self.assertIn("Right.", self.hand_in(answer))
        self.assertEqual(self.state(3), "shown")
        b.open(self.server.base)
        b.until("return session.isOpen")
        b.click("#to-course")
        b.until("return document.querySelectorAll('#lesson-list .shown').length === 1")
        b.run("download = (...file) => { window.saved = file }")
        b.click("#export")
        self.assertEqual(json.loads(b.run("return saved[1]"))["lessons"].keys(),
                         {"01-an-object-appears", "03-an-object-goes", "04-a-change-in-place"})
        self.no_messages()

    def test_reload_in_the_course(self):
        """A reload, and a session that begins again, keep the part and the lesson, also one that was solved before."""
        b = self.browser
        self.open()
        b.click("#to-course")
        b.until("return document.querySelector('#log h3')")
        self.assertIn("Right.", self.hand_in("insert Book/1 [0, 0]"))
        self.lesson(4)
        self.lesson(1)
        for again in ("location.reload()", "session.socket.close()"):
            b.run(f"window.isOld = true; byID('log').replaceChildren(); {again}")
            b.until("return (!window.isOld || arguments[0]) && document.querySelector('#log h3')?.innerText"
                    ".startsWith('Lesson 1 of')", again.startswith("session"))
            self.assertFalse(b.run("return byID('course').hidden"))
        # An answer that is typed and not handed in stays, for each lesson.
        b.click("#answer")
        self.type("delete Book/1 [0, 0]")
        self.lesson(2)
        self.assertEqual(b.run("return byID('answer').value"), "")
        self.lesson(1)
        b.run("window.isOld = true; location.reload()")
        b.until("return !window.isOld && document.querySelector('#log h3')?.innerText.startsWith('Lesson 1 of')")
        self.assertEqual(b.run("return byID('answer').value"), "delete Book/1 [0, 0]")
        # After a right answer, the learner continues with the next lesson.
        self.assertIn("Right.", self.hand_in("insert Book/1 [0, 0]"))
        b.open(self.server.base)
        b.until("return document.querySelector('#log h3')?.innerText.startsWith('Lesson 2 of')")
        self.lesson(1)
        self.assertEqual(b.run("return byID('answer').value"), "")
        b.click("#to-playground")
        b.open(self.server.base)
        b.until("return session.isOpen")
        self.assertTrue(b.run("return byID('course').hidden"))
        self.no_messages()

    def test_answer_when_the_session_begins_again(self):
        """An answer that is typed stays when its session ends, and what is handed in then is graded once."""
        b = self.browser
        server = Server()
        try:
            b.open(server.base + "list.json")
            b.run("localStorage.clear(); sessionStorage.clear()")
            b.open(server.base)
            b.click("#to-course")
            b.until("return document.querySelector('#log h3')")
            self.lesson(3)
            self.lesson(1)
            b.click("#answer")
            self.type("delete Book/1 [0, 0]")
            port = server.port
            server.close(signal.SIGKILL)
            b.until("return !session.isOpen")
            b.run("byID('log').replaceChildren()")
            server = Server(port=port)
            b.until("return document.querySelector('#log h3')?.innerText.startsWith('Lesson 1 of')")
            self.assertEqual(b.run("return byID('answer').value"), "delete Book/1 [0, 0]")

            def end():
                for worker in server.workers:
                    os.kill(worker, signal.SIGKILL)
                b.until("return byID('status').textContent.includes('Run something to begin again')")
            end()
            b.click("#hand-in")
            b.until("return byID('log').innerText.includes('Not yet')")
            self.assertEqual(b.run("return JSON.parse(kept.get(courseKey)).lessons['01-an-object-appears'].tries"), 1)
            end()
            self.assertIn("Right.", self.hand_in("insert Book/1 [0, 0]", "Right."))
            # After it, the next lesson is opened, and nothing is handed in there.
            end()
            b.press("Enter")
            b.until("return document.querySelector('#log h3').innerText.startsWith('Lesson 2 of') && answered >= courseRun")
            self.assertEqual(b.run("return byID('answer').value"), "")
            self.assertNotIn("Not", b.run("return byID('log').lastElementChild.innerText"))
            # A lesson that is chosen then is opened.
            end()
            self.lesson(5)
        finally:
            server.close()

    def test_reload_with_a_link_to_the_script(self):
        """A link to the script that is open loses neither the part nor what has run; another one is shown."""
        b = self.browser
        self.open()
        b.run("editor.text = 'print 1'; run(1); packed(editor.text).then(link => { location.hash = link })")
        b.until("return location.hash && kept.get('frc until') === '1'")
        b.click("#to-course")
        b.until("return document.querySelector('#log h3')")
        b.run("window.isOld = true; location.reload()")
        b.until("return !window.isOld && document.querySelector('#log h3')")
        self.assertEqual(b.run("return [byID('course').hidden, until]"), [False, 1])
        b.run("window.confirm = () => true; packed('print 2').then(link => { location.hash = link })")
        b.until("return !byID('playground').hidden && editor.text === 'print 2'")
        self.no_messages()

    def test_progress_of_another_tab(self):
        """What another tab has solved stays solved."""
        b = self.browser
        self.open()
        b.click("#to-course")
        b.until("return document.querySelector('#log h3')")
        self.assertIn("Right.", self.hand_in("insert Book/1 [0, 0]"))
        b.run("""
            const all = JSON.parse(kept.get(courseKey))
            const [solved] = Object.values(all.lessons)
            for (const name of ["02-in-the-right-place", "another"]) all.lessons[name] = solved
            kept.set(courseKey, JSON.stringify(all))
            enter("")""")
        b.until("return JSON.parse(kept.get(courseKey)).current === '02-in-the-right-place'")
        lessons = json.loads(b.run("return kept.get(courseKey)"))["lessons"]
        self.assertEqual([lesson["state"] for lesson in lessons.values()], ["solved"] * 3)
        self.no_messages()

    def load_progress(self, text):
        self.browser.run("""
            const files = new DataTransfer()
            files.items.add(new File([arguments[0]], "progress.json"))
            byID("import").files = files.files
            byID("import").dispatchEvent(new Event("change"))""", text)

    def test_load_progress(self):
        """A file without progress is refused, and takes nothing from the progress that is kept. Another progress does not
        get what was typed before."""
        b = self.browser
        self.open()
        b.click("#to-course")
        b.until("return document.querySelector('#log h3')")
        self.assertIn("Right.", self.hand_in("insert Book/1 [0, 0]"))
        kept = b.run("return kept.get(courseKey)")
        record = next(iter(json.loads(kept)["lessons"].values()))
        lists = [{"format": "frc results 1", "name": "Anna", "lessons": [record]}, {"lessons": [record]},
                 {"lessons": None}, None, [], {}, {"lessons": {"01-an-object-appears": None}},
                 {"lessons": {"01-an-object-appears": {**record, "tries": 1.5}}},
                 {"lessons": {"01-an-object-appears": {**record, "lastWrong": "\ud83d"}}},
                 {"lessons": {"01-an-object-appears": {**record, "state": "done"}}}]
        for text in ["", "{", *map(json.dumps, lists)]:
            b.run("session.tell('')")
            self.load_progress(text)
            b.until("return byID('status').textContent.startsWith('The file has no progress.')")
            self.assertEqual(b.run("return [kept.get(courseKey), session.isOpen]"), [kept, True], text)
        for number in (2, 1):
            self.lesson(number)
            b.click("#answer")
            self.type("delete Book/1 [0, 0]")
        other = {"lessons": {"02-in-the-right-place": {**record, "lastWrong": None}}}
        self.load_progress(json.dumps(other))
        b.until("return byID('lesson-list').children[1].className === 'solved'", patience=30)
        self.assertEqual(self.state(1), "begun")
        self.assertEqual(b.run("return byID('answer').value"), "")
        for number in (2, 1):
            self.lesson(number)
            self.assertEqual(b.run("return byID('answer').value"), "", number)
        self.no_messages()


class ClassTests(BrowserTestCase):
    """A teacher and two students, in three browsers."""

    weight = 5

    def test_class(self):
        server = Server("--class")
        browsers = []
        try:
            teacher = self.browser
            teacher.open(server.base + "class/")
            teacher.until("return session.isOpen && byID('code').textContent")
            self.assertEqual(teacher.run("return byID('code').textContent"), server.code)
            names = ["Ada", "<img src=x onerror=alert(1)>"]
            for name in names:
                b = Browser(1000, 900)
                browsers.append(b)
                b.open(f"http://127.0.0.1:{server.port}/")
                b.click("#name")
                b.press(*name)
                b.click("#code")
                b.press(*"wrong", "Enter")
                b.until("return document.getElementById('status').textContent.includes('No class')")
                b.run("document.getElementById('code').value = ''")
                b.click("#code")
                b.press(*server.code, "Enter")
                b.until("return typeof session !== 'undefined' && session.isOpen")
                self.assertTrue(b.run("return byID('to-class').hidden"))
                b.click("#to-course")
                b.until("return document.querySelector('#log h3')")
                b.click("#answer")
                b.press(*"delete Book/1 [0, 0]")
                b.click("#hand-in")
                b.until("return byID('log').innerText.includes('Not yet')")
            teacher.until("return byID('students').children.length === 2")
            teacher.until("return byID('wrong').children.length === 1")
            self.assertIn("1. An object appears", teacher.run("return byID('students').innerText"))
            wrong = teacher.run("return byID('wrong').innerText")
            self.assertIn("delete Book/1 [0, 0]", wrong)
            self.assertIn("created: a new object matches the predicate", wrong)
            teacher.until("return byID('wrong').innerText.split(/\\s+/).includes('2')")
            self.assertIn(names[1], teacher.run("return byID('students').innerText"))
            self.assertEqual(teacher.run("return document.querySelectorAll('main img').length"), 0)
            # A student's script on the projector.
            b = browsers[0]
            b.click("#to-playground")
            b.click("#text")
            b.press(*'print "<b>hello</b>"', "Enter")
            teacher.until("return document.querySelector('#students button')")
            teacher.click("#students button")
            teacher.until("return byID('script').innerText.includes('<b>hello</b>')")
            teacher.run("download = (...file) => { window.saved = file }")
            for kind in ("csv", "json"):
                teacher.run("window.saved = null")
                teacher.click(f"#{kind}")
                text = teacher.until("return window.saved?.[1]")
                self.assertIn("01-an-object-appears", text)
                self.assertIn("Ada", text)
            self.assertEqual(teacher.run(ACCESSIBILITY), [])
            check_axe(self, teacher)
            # A student reloads, and keeps the place.
            b.open(f"http://127.0.0.1:{server.port}/{server.code}/")
            b.until("return session.isOpen")
            teacher.until("return byID('students').children.length === 2 && !byID('students').innerText.includes('away')")
            teacher.click("#end")
            teacher.call("POST", "/alert/accept", {})
            teacher.until("return byID('students').children.length === 0")
            for b in browsers:
                b.until("return document.getElementById('status')?.textContent === 'the class has ended'")
                self.assertEqual(b.run("return [location.pathname, sessionStorage.getItem('frc name')]"), ["/", None])
            for browser in [teacher, *browsers]:
                serious = [message for message in browser.messages() if "404" not in message]
                self.assertEqual(serious, [])
        finally:
            for browser in browsers:
                browser.close()
            server.close()

    def serve_class(self, *arguments):
        server = Server("--class", *arguments)
        self.addCleanup(server.close)
        self.browser.open(server.base + "list.json")
        self.browser.run("localStorage.clear(); sessionStorage.clear()")
        return server

    def join(self, server, name):
        """Lets a student join in the browser."""
        b = self.browser
        b.open(f"http://127.0.0.1:{server.port}/")
        b.click("#name")
        b.press(*name)
        b.click("#code")
        b.press(*server.code, "Enter")

    def join_without_browser(self, server, name):
        student = server.session(token=server.code)
        student.send("s", join=name)
        return student, student.receive()

    def test_refused_student(self):
        """A student whom the class does not take sees why."""
        server = self.serve_class()
        student, answer = self.join_without_browser(server, "Ada")
        self.assertEqual(answer, (1, b'x{"joined":1}'))
        self.join(server, "Ada")
        b = self.browser
        b.until("return document.getElementById('status')?.textContent.startsWith('somebody with this name is here')")
        self.assertEqual(b.run("return location.pathname"), "/")
        student.drop()

    def test_teacher_comes_back(self):
        """What a teacher asks for after their connection was closed is done when it is open again."""
        server = self.serve_class()
        student, _ = self.join_without_browser(server, "Ada")
        student.send("s", script="print 1")
        b = self.browser
        b.open(server.base + "class/")
        b.until("return document.querySelector('#students button')")
        b.run("download = (...file) => { window.saved = file }; window.confirm = () => true")
        # As the server says it after half an hour.
        end = "session.socket.onclose = () => {}; session.socket.close(); session.closed({ code: 4001, reason: 'idle' })"
        for button, wanted in (("csv", "window.saved?.[0] === 'results.csv'"),
                               ("students button", "byID('script').textContent === 'print 1'"),
                               ("end", "byID('students').children.length === 0")):
            b.run(end)
            b.click(f"#{button}")
            b.until(f"return session.isOpen && {wanted}")
        # Nothing is done later that the teacher has asked of a server that does not answer.
        self.assertEqual(student.receive()[0], 8)
        server.close()
        b.until("return !session.isOpen")
        b.click("#end")
        b.until("return byID('status').textContent.includes('does not answer') && !session.wanted")

    def test_class_that_ended_while_a_student_was_away(self):
        """A page that comes back after the end leads to the form, in which the student can join again."""
        server = self.serve_class()
        b = self.browser
        for again in ("delete session.connect; session.connect()", "location.reload()"):
            self.join(server, "Ada")
            b.until("return typeof session !== 'undefined' && session.isOpen")
            # Nor is the name refused while the class goes on.
            b.run("window.isOld = true; location.reload()")
            b.until("return !window.isOld && typeof session !== 'undefined' && session.isOpen", patience=60)
            b.run("session.connect = () => {}; session.socket.close()")
            server.wait_for_workers(0)
            teacher = server.session()
            teacher.send("s", ask="end")
            teacher.send("s", ask="list")
            self.assertIn(b'"students":[]', teacher.receive()[1])
            teacher.drop()
            b.run(again)
            b.until("return document.getElementById('status')?.textContent === 'the class has ended'")
            self.assertEqual(b.run("return [location.pathname, sessionStorage.getItem('frc name')]"), ["/", None])

    def test_class_page_without_a_name(self):
        """Who opens the page of the class without a name is asked for one, and a name of blanks is none."""
        server = self.serve_class()
        b = self.browser
        b.open(f"http://127.0.0.1:{server.port}/{server.code}/")
        b.until("return location.pathname === '/' && document.getElementById('join')")
        self.join(server, "  ")
        b.until("return document.getElementById('status').textContent === 'Write your name.'")
        b.run("document.getElementById('name').value = 'Ada'; document.getElementById('code').value = ' '")
        b.click("button")
        b.until("return document.getElementById('status').textContent === 'Write the code of the class.'")
        self.join(server, "Ada")
        b.until("return typeof session !== 'undefined' && session.isOpen")

    def test_server_that_has_ended(self):
        """The form of the class, and the list of scripts, say that the server does not answer."""
        b = self.browser
        server = self.serve_class()
        b.open(server.base)
        b.until("return session.isOpen && document.querySelector('option[value^=example]')")
        b.run("session.connect = () => {}")
        server.close()
        b.until("return !session.isOpen")
        b.click("#open option[value^=example]")
        b.until("return byID('status').textContent === 'The server does not answer.'")
        server = self.serve_class()
        b.open(f"http://127.0.0.1:{server.port}/")
        server.close()
        b.run("document.getElementById('name').value = 'Ada'; document.getElementById('code').value = 'abc234'")
        b.click("button")
        b.until("return document.getElementById('status').textContent === 'The server does not answer.'")
        b.messages()

    def test_owner_in_the_tab_of_a_student(self):
        """The owner's page asks for no name, and has nothing of the student who was in the tab before."""
        server = self.serve_class()
        self.join(server, "Ada")
        b = self.browser
        b.until("return typeof session !== 'undefined' && session.isOpen")
        b.run("editor.text = 'print 1'")
        other = Server()
        self.addCleanup(other.close)
        for owner in (server, other):
            b.open(owner.base)
            b.until("return typeof session !== 'undefined' && session.isOpen")
            self.assertEqual(b.run("return editor.text"), "")
            self.assertIsNone(b.run("return kept.student"))

    def test_students_of_one_browser(self):
        """Each student of a browser has their own results and script, and so has each course."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        lessons = pathlib.Path(folder.name) / "frc"
        lessons.mkdir()
        shutil.copy(ROOT / "Examples/Lessons/01-an-object-appears.frc", lessons / "01-an-object-appears.frc")
        port = None
        for arguments, course in (([], "Lesson"), ([lessons], "Lesson of frc")):
            server = Server("--class", *arguments, port=port or 0)
            try:
                port = server.port
                b = self.browser
                for name, state in (("Ada", "open"), ("Bo", "open"), ("Ada", "solved")):
                    b.open(f"http://127.0.0.1:{port}/")
                    b.run("document.getElementById('name').value = arguments[0]", name)
                    b.click("#code")
                    b.press(*server.code, "Enter")
                    b.until("return typeof session !== 'undefined' && session.isOpen")
                    self.assertEqual(b.run("return editor.text"), "" if state == "open" and course == "Lesson"
                                     else f'print "{name}"')
                    b.run("editor.text = arguments[0]", f'print "{name}"')
                    b.click("#to-course")
                    b.until("return document.querySelector('#log h3')")
                    self.assertEqual(b.run("return byID('lesson-title').textContent"), course)
                    found = b.run("return byID('lesson-list').children[0].className")
                    self.assertEqual(found, "begun" if state == "open" else state)
                    if name == "Ada" and state == "open":
                        b.click("#answer")
                        b.press(*"insert Book/1 [0, 0]")
                        b.click("#hand-in")
                        b.until("return byID('log').innerText.includes('Right.')")
                    # The server must know that the student is gone before they come back.
                    b.open("about:blank")
                    server.wait_for_workers(0)
            finally:
                server.close()


class StrangerTests(BrowserTestCase):
    """Who is refused, and what is left of sessions."""

    def setUp(self):
        super().setUp()
        self.server = Server()
        self.addCleanup(lambda: self.server.process.poll() is None and self.server.close())

    def test_refusals(self):
        server = self.server
        self.assertEqual(server.get()[0], 200)
        own = f"127.0.0.1:{server.port}"
        for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1:1"):
            self.assertEqual(server.get(host=host)[0], 421, host)
            self.assertIn(b" 421 ", server.session(host=host, origin=f"http://{host}").head)
        for origin in ("http://evil.example", "null", f"https://{own}", "http://127.0.0.1:1"):
            self.assertEqual(server.get(origin=origin)[0], 403, origin)
            self.assertIn(b" 403 ", server.session(origin=origin).head)
        for path in ("", "session", "serve.css", TOKEN[:-1] + "/", TOKEN + "x/", "..%2f" + TOKEN + "/"):
            self.assertEqual(server.get(path, token=False)[0], 404, path)
        self.assertIn(b" 404 ", server.session(token="x" * 26).head)
        for path in ("../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "folder/../../etc/passwd",
                     "example/..%2f..%2fREADME.md", "class/", "list.json/..", ".git/config"):
            self.assertEqual(server.get(path)[0], 404, path)
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            self.assertEqual(server.get(method=method)[0], 405, method)
        self.assertEqual(server.workers, [])

    def test_other_origin_in_the_browser(self):
        """A page of another origin opens no session, though it knows the token."""
        other = Server()
        try:
            b = self.browser
            b.open(other.base)
            b.until("return session.isOpen")
            state = b.wait("""
                const [address, done] = arguments
                const socket = new WebSocket(address)
                socket.onopen = () => done("open")
                socket.onerror = () => done("refused")""", f"ws://127.0.0.1:{self.server.port}/{TOKEN}/session")
            self.assertEqual(state, "refused")
            self.assertEqual(self.server.workers, [])
            b.messages()
        finally:
            other.close()

    def test_script_reaches_no_file(self):
        socket = self.server.session()
        secret = pathlib.Path(tempfile.gettempdir()) / "frc-serve-secret.frc"
        secret.write_text('print "secret"\n')
        self.addCleanup(secret.unlink)
        for text in (f'include "{secret}"', 'include "/etc/passwd"', 'include "../../../etc/passwd"',
                     f'store sqlite "{secret}.sqlite"\nentity A {{ x: Int }}\ninsert A(x: 1)\nsave'):
            steps = socket.run(text + "\n")
            self.assertNotIn("secret\"", json.dumps(steps).replace(str(secret), ""))
            self.assertNotIn("root:", json.dumps(steps))
        self.assertFalse(pathlib.Path(f"{secret}.sqlite").exists())
        socket.close()

    def test_stop_between_statements(self):
        """However short the statements are, a stop ends the script, also for a request that waits."""
        socket_ = self.server.session()
        text = "let a = 1\n" * 9_000
        for wait in (0, 0.001, 0.01):
            socket_.number += 2

            def stop():
                while b'"op":"step"' not in socket_.receive()[1]:
                    pass
                time.sleep(wait)
                socket_.send("r", op="stop", id=socket_.number + 1)
            socket_.run(text.replace("1", str(socket_.number)), meanwhile=stop)
            self.assertIn(socket_.stopped, ("the script was stopped", "the statement was stopped"))
        self.assertEqual(len(socket_.run("print 1\n")), 1)

    def test_many_requests_wait(self):
        """While a statement runs, the newest script waits in place of older ones, and each question is answered."""
        socket_ = self.server.session()
        # It takes minutes, also where the requests are slow to come.
        text = "entity A { n: Int }\ninsert 5000 A(n: 1)\nrepeat 900000 { let b = fetch A sort by n }\n"
        socket_.send("r", op="run", id=1, line=9, text=text)
        while b'"op":"step"' not in socket_.receive()[1]:
            pass
        for number in range(2, 102):
            socket_.send("r", op="run", id=number, line=9, text=f"print {number}\n")
            socket_.send("r", op="try", id=1000 + number, line=1, text="let c = 2\n")
        found, failures, answered, before = {}, [], 0, 0
        socket_.send("r", op="stop", id=200)
        socket_.send("r", op="run", id=201, line=9, text="print 201\n")
        while 201 not in found or len(found) < 102:
            message = json.loads(socket_.receive()[1][1:])
            if message["op"] in ("done", "try"):
                found[message["id"]] = message["op"]
            if "too many requests wait" in message.get("failure", ""):
                failures.append(message["id"])
                before = answered
            elif message["op"] == "try":
                answered += 1
        self.assertEqual(sum(op == "try" for op in found.values()), 100)
        # Those that came between two statements were answered, and left their places to others.
        self.assertGreaterEqual(len(failures) + before, 36)
        self.assertEqual(len(socket_.run("print 1\n")), 1)

    def test_public_must_be_said(self):
        run = subprocess.run([FRC, "serve", "--host", "0.0.0.0"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("--public", run.stderr)
        server = Server("--host", "0.0.0.0", "--public")
        try:
            self.assertIn("Nothing is encrypted", "".join(server.lines))
            self.assertEqual(server.get(host=f"evil.example:{server.port}")[0], 421)
        finally:
            server.close()

    def test_signal_ends_all_at_once(self):
        sockets = [self.server.session() for _ in range(10)]
        for socket_ in sockets:
            socket_.send("r", op="run", id=1, line=9, text="let a = 1\nrepeat 1000000000 { let b = a }\n")
        workers = self.server.wait_for_workers(10)
        self.assertEqual(len(workers), 10)
        # Each of them has begun its statement.
        for socket_ in sockets:
            while b'"op":"step"' not in socket_.receive()[1]:
                pass
        self.assertLess(self.server.close(), 2)
        self.assertEqual([number for number in workers if alive(number)], [])

    def test_server_killed_leaves_no_process(self):
        sockets = [self.server.session() for _ in range(5)]
        for socket_ in sockets:
            socket_.send("r", op="run", id=1, line=9, text="let a = 1\nrepeat 1000000000 { let b = a }\n")
        workers = self.server.wait_for_workers(5)
        self.assertEqual(len(workers), 5)
        for socket_ in sockets:
            while b'"op":"step"' not in socket_.receive()[1]:
                pass
        self.server.close(signal.SIGKILL)
        end = time.monotonic() + 5
        while any(map(alive, workers)) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual([number for number in workers if alive(number)], [])

    def test_long_statements_give_way(self):
        """A statement that needs a processor for long gets less of it; one that only waits for one does not."""
        server = Server("--timeout", "2min")
        self.addCleanup(server.close)
        socket_ = server.session()
        text = "let a = 1\nrepeat 1000000000 { let b = a }\n"

        def courtesy():
            """How much nicer than the server the nicest thread of the session is."""
            stats = [path.read_text() for path in pathlib.Path(f"/proc/{worker}/task").glob("*/stat")]
            return max(int(stat.rpartition(")")[2].split()[16]) for stat in stats) - os.nice(0)

        def wait_while(condition):
            end = time.monotonic() + 60
            while condition(found := courtesy()) and time.monotonic() < end:
                time.sleep(0.01)
            return found

        socket_.send("r", op="run", id=1, line=9, text=text)
        [worker] = server.wait_for_workers(1)
        while b'"op":"step"' not in socket_.receive()[1]:
            pass
        os.kill(worker, signal.SIGSTOP)
        time.sleep(1.5)
        os.kill(worker, signal.SIGCONT)
        time.sleep(0.1)
        # All that time would have made it the nicest.
        self.assertIn(courtesy(), (0, 5))
        self.assertGreater(wait_while(lambda found: found <= 5), 5)
        socket_.send("r", op="stop", id=2)
        while b'"op":"done"' not in socket_.receive()[1]:
            pass
        # The next statement has a priority of its own.
        self.assertEqual(len(socket_.run("let a = 1\nprint a\n")), 1)
        self.assertEqual(wait_while(lambda found: found > 0), 0)
        socket_.send("r", op="run", id=9, line=9, text=text)
        self.assertEqual(wait_while(lambda found: found == 0), 5)

    def test_nothing_is_left_of_many_sessions(self):
        """Processes, files, open files and memory after many sessions: 1,000 with FRC_LAWS=long."""
        count = 1000 if os.environ.get("FRC_LAWS") == "long" or IS_QUIET else 100
        # A folder of its own: the tests in the other browser make files, too.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server = Server(folder=folder.name)
        self.addCleanup(server.close)
        text = 'store sqlite "s.sqlite"\nentity A { x: Int }\ninsert A(x: 1)\nsave\n'

        def files():
            return {path.name for path in pathlib.Path(folder.name).iterdir()}

        def open_files():
            return len(list(pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir()))

        def memory():
            status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
            return int(re.search(r"VmRSS:\s+(\d+)", status)[1])
        before = None
        for number in range(count):
            socket_ = server.session()
            steps = socket_.run(text, patient=True)
            if steps is None:  # Too many at once; the server says so.
                time.sleep(0.2)
                continue
            self.assertEqual(len(steps), 4, steps)
            if number == 0:
                self.assertNotEqual(files(), set())
            # Half of them go away without a word.
            socket_.close() if number % 2 else socket_.drop()
            if number == min(50, count // 2):
                time.sleep(0.5)
                before = (open_files(), memory())
        self.assertEqual(server.wait_for_workers(0), [])
        # The server removes and closes what a process leaves after its end.
        end = time.monotonic() + 10
        while (files() or open_files() > before[0]) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(files(), set())
        self.assertLessEqual(open_files(), before[0])
        growth = memory() - before[1]
        self.note(f"after {count} sessions, {growth} kB more memory, {open_files()} open files")
        self.assertLess(growth, 8_000)

    def test_attacks(self):
        """Bodies, slow connections, damaged frames and floods, and everyone else keeps working."""
        server = self.server
        socket_ = server.session()
        self.assertEqual(len(socket_.run("print 1\n")), 1)
        slow = []
        for _ in range(1000):
            connection = socket.create_connection(("127.0.0.1", server.port))
            connection.sendall(b"GET /")
            slow.append(connection)
        body = socket.create_connection(("127.0.0.1", server.port))
        body.sendall(f"POST /{TOKEN}/ HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                     f"Content-Length: {64 << 20}\r\n\r\n".encode())
        self.assertIn(b" 413 ", body.recv(200))
        sent = 0
        try:
            while sent < 64 << 20:
                sent += body.send(bytes(1 << 16))
        except OSError:
            pass
        self.note(f"{sent >> 20} MB of a body were sent, and none is kept")
        for frame in (b"\x81\xff" + b"\x7f" * 8 + b"abcd", b"\xff\xff\xff\xff", b"\x81\x05hello", bytes(1000)):
            damaged = server.session()
            damaged.socket.sendall(frame)
            self.assertEqual(damaged.receive()[0], 8)
        for text in ("", "r", "r{", "q{}", "r" + "[" * 10_000, "r{\"op\":\"run\"}", "l{}", "l" + "[" * 10_000,
                     "c{\"op\":\"entry\",\"id\":1}", "x{}", "p{}", "s{\"ask\":\"list\"}"):
            strange = server.session()
            strange.raw(text)
            strange.drop()
        endless = [server.session() for _ in range(8)]
        for other in endless:
            other.send("r", op="run", id=1, line=9, text="let a = 1\nrepeat 1000000000 { let b = a }\n")
        flood = server.session()
        for _ in range(2000):
            flood.send("r", op="run", id=1, line=9, text="print 1\n")
        began = time.monotonic()
        for number in range(20):
            self.assertEqual(len(socket_.run(f"print {number}\n")), 1)
        self.assertEqual(server.get()[0], 200)
        self.note(f"a run takes {(time.monotonic() - began) / 20 * 1000:.0f} ms meanwhile")
        self.assertLess(time.monotonic() - began, 20)
        for connection in slow:
            connection.close()

    def test_strange_numbers(self):
        """However large or small the numbers of a message are, the session goes on."""
        socket_ = self.server.session()
        numbers = [(1 << 63) - 1, -(1 << 63), -1, 0, 1, 1 << 32]

        def answer(channel, **message):
            socket_.send(channel, **message)
            while True:
                opcode, data = socket_.receive()
                self.assertEqual(opcode, 1, (message, data))
                if data[:1] == channel.encode() and json.loads(data[1:]).get("id") == message["id"]:
                    return json.loads(data[1:])
        for number in numbers:
            lesson = answer("c", op="open", id=1, line=number)
            self.assertEqual(lesson["current"] == lesson["lessons"][-1]["name"], number > 1, number)
            for op in ("run", "try"):
                answer("r", op=op, id=number, line=number, text="print 1\n")
        document = {"uri": "file:///script.frc"}
        answer("l", jsonrpc="2.0", id=1, method="initialize", params={"capabilities": {}})
        socket_.send("l", jsonrpc="2.0", method="textDocument/didOpen", params={"textDocument": {
            **document, "version": numbers[1], "languageId": "frc", "text": "entity A { x: Int }\nprint  A/1.x\n"}})
        places = [{"line": line, "character": character} for line in numbers for character in numbers]
        for place in places:
            for name in ("completion", "hover", "definition", "onTypeFormatting", "documentHighlight", "signatureHelp"):
                answer("l", jsonrpc="2.0", id=2, method=f"textDocument/{name}", params={
                    "textDocument": document, "position": place, "ch": "\n", "options": {}})
        for start, end in zip(places, reversed(places)):
            for name in ("semanticTokens/range", "rangeFormatting", "codeAction", "inlayHint"):
                answer("l", jsonrpc="2.0", id=3, method=f"textDocument/{name}", params={
                    "textDocument": document, "range": {"start": start, "end": end}, "options": {},
                    "context": {"diagnostics": []}})
        self.assertEqual(len(socket_.run("print 2\n")), 1)

    def test_many_requests_of_a_connection(self):
        """Answers to a client that does not read are bounded, also if it sends many requests at once."""
        server = self.server
        count = 700
        request = f"GET /{TOKEN}/ HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
        server.get()
        status = pathlib.Path(f"/proc/{server.process.pid}/status")

        def memory():
            return int(re.search(r"VmRSS:\s+(\d+)", status.read_text())[1])
        before = memory()
        connections = []
        for _ in range(8):
            connections.append(socket.create_connection(("127.0.0.1", server.port)))
            connections[-1].sendall(request.replace(b"/ HTTP", b"/shared.js HTTP") * count)
        time.sleep(1)
        self.assertEqual(server.get()[0], 200)
        growth = memory() - before
        self.note(f"{growth} kB more memory for 8 connections with {count} requests each")
        self.assertLess(growth, 8 * 6_000)
        # One that reads gets each answer.
        start, rest, found = b"HTTP/1.1 200 OK", b"", 0
        while found < count:
            piece = connections[0].recv(1 << 20)
            self.assertNotEqual(piece, b"", f"after {found} answers")
            rest += piece
            found += rest.count(start)
            rest = rest[1 - len(start):]
        for connection in connections:
            connection.close()

    def test_full(self):
        server = Server("--sessions", 3)
        try:
            sockets = [server.session() for _ in range(3)]
            for each in sockets:
                self.assertEqual(len(each.run("print 1\n")), 1)
            refused = server.session()
            opcode, reason = refused.receive()
            self.assertEqual(opcode, 8)
            self.assertIn(b"all 3 sessions are in use", reason)
            sockets[0].drop()
            self.assertEqual(len(server.wait_for_workers(2)), 2)
            self.assertEqual(len(server.session().run("print 1\n")), 1)
        finally:
            server.close()

    def test_full_class(self):
        server = Server("--class", "--sessions", 3)
        try:
            # They are open before one of them joins.
            *students, refused = [server.session(token=server.code) for _ in range(4)]
            opcode, reason = refused.receive()
            self.assertEqual(opcode, 8)
            self.assertIn(b"all 3 sessions are in use", reason)
            for name, student in zip(("Ada", "Ben", "Cy"), students):
                student.send("s", join=name)
                self.assertEqual(student.receive(), (1, b'x{"joined":1}'))
            self.assertEqual(len(server.wait_for_workers(3)), 3)
        finally:
            server.close()

    def test_a_busy_computer(self):
        """The time for which a statement waits for a processor does not count against its limit."""
        server = Server("--timeout", "3s")
        try:
            socket_ = server.session()
            (worker,) = server.wait_for_workers(1)

            def let_others_run():
                for _ in range(12):
                    time.sleep(0.02)
                    os.kill(worker, signal.SIGSTOP)
                    time.sleep(0.3)
                    os.kill(worker, signal.SIGCONT)

            steps = socket_.run("let a = 1\nrepeat 400000 { let b = a }\nprint a\n", meanwhile=let_others_run)
            self.assertEqual((len(steps), socket_.stopped), (3, None))
        finally:
            server.close()

    def test_too_much_time(self):
        # So short that the limit by the clock, which is 30 times as long, is not reached on a busy computer.
        server = Server("--timeout", "500ms")
        try:
            socket_ = server.session()
            steps = socket_.run("let a = 1\nrepeat 1000000000 { let b = a }\n")
            self.assertEqual(len(steps), 1)
            self.assertIn("timed out after 500 ms;", socket_.stopped)
            self.assertEqual(len(socket_.run("let a = 1\nprint a\n")), 1)
        finally:
            server.close()

    def test_too_much_memory(self):
        server = Server("--timeout", "1s", "--max-memory", "200MB")
        try:
            large = server.session()
            text = "entity A { t: String }\nrepeat 10000000 { insert A(t: \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\") }\n"
            large.run(text, patient=True)
            self.assertEqual(len(server.session().run("print 1\n")), 1)
        finally:
            server.close()


def alive(number):
    try:
        return pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    main(width=1500, height=1100)
