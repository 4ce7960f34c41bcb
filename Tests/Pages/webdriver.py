"""A browser that tests drive, by the WebDriver protocol over plain HTTP."""

import base64
import json
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request

MISSING = [name for name in ("chromium", "chromedriver") if not shutil.which(name)]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Space": "\ue00d", "Left": "\ue012", "Right": "\ue014", "Home": "\ue011",
        "End": "\ue010", "Tab": "\ue004", "Enter": "\ue007", "Up": "\ue013", "Down": "\ue015",
        "Escape": "\ue00c", "Backspace": "\ue003", "Control": "\ue009", "Alt": "\ue00a", "Shift": "\ue008"}


# The driver is on this machine, whatever proxy there is for others.
CONNECTION = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Browser:
    """Headless Chromium. Close it when it is no longer needed."""

    def __init__(self, width=1600, height=1400):
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True)
        port = None
        while port is None:
            line = self.driver.stdout.readline()
            if not line:
                raise RuntimeError("chromedriver did not start")
            port = re.search(r"successfully on port (\d+)", line)
        self.base = f"http://127.0.0.1:{port[1]}"
        options = {
            "args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                     f"--window-size={width},{height}"]}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.base += "/session/" + session["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with CONNECTION.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()

    def open(self, url):
        # A page of which only the fragment differs would not be loaded again.
        if self.call("GET", "/url").partition("#")[0] == url.partition("#")[0]:
            self.call("POST", "/url", {"url": "about:blank"})
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """Runs a function's body in the page, and returns what it returns."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments):
        """Runs a function's body whose last argument is to be called with the result."""
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def until(self, script, *arguments, patience=30):
        """Runs a function's body until it returns something, which this returns."""
        end = time.monotonic() + patience
        while not (value := self.run(script, *arguments)):
            if time.monotonic() > end:
                raise AssertionError(f"after {patience} s, this is still {value!r}: {script}")
            time.sleep(0.01)
        return value

    def click(self, selector):
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        self.call("POST", f"/element/{found[ELEMENT]}/click", {})

    def press(self, *names):
        """Presses keys, one after the other, as a person would."""
        actions = []
        for name in names:
            key = KEYS.get(name, name)
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.call("POST", "/actions", {
            "actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def chord(self, *names):
        """Presses keys together, the last one while the others are held."""
        keys = [KEYS.get(name, name) for name in names]
        actions = [{"type": "keyDown", "value": key} for key in keys]
        actions += [{"type": "keyUp", "value": key} for key in reversed(keys)]
        self.call("POST", "/actions", {
            "actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def emulate(self, **features):
        """Lets the reader prefer something, such as `prefers_reduced_motion="reduce"`."""
        self.devtools("Emulation.setEmulatedMedia", {"features": [
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()]})

    def devtools(self, command, parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def resize(self, width, height):
        self.call("POST", "/window/rect", {"width": width, "height": height})

    def messages(self):
        """What the console was told since this was asked last."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]

    def requests(self):
        """The addresses that were asked for since this was asked last."""
        addresses = []
        for entry in self.call("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                addresses.append(message["params"]["request"]["url"])
        return addresses

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))
