"""The app as a process of its own, and a real browser to drive it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Error, sync_playwright

ROOT = Path(__file__).parent.parent.parent
SHOTS = ROOT / "screenshots"
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    # A name that is not this machine's own, as a classroom would use it.
    "--host-resolver-rules=MAP classroom.test 127.0.0.1",
)


class App:
    """The app, served by the command that people use.

    Parameters
    ----------
    folder : Path
        Where its database is.
    *options : str
        What else is said on the command line.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.options = options
        self.port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "explorer", "--no-browser", "--port", str(self.port)),
                *("--database", f"sqlite:///{self.folder}/episodes.db", *self.options),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=(self.folder / "log.txt").open("ab"),
            text=True,
        )
        said = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+) ", said)[1])
        for _ in range(300):
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=1):
                    return
            except OSError:
                time.sleep(0.1)
        raise AssertionError(self.log)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)
        self.process.stdout.close()

    @property
    def log(self) -> str:
        return (self.folder / "log.txt").read_text("utf-8")


@pytest.fixture(scope="session")
def app(tmp_path_factory):
    served = App(tmp_path_factory.mktemp("app"), "--allow-host", "classroom.test")
    yield served
    served.kill()


@pytest.fixture(scope="session")
def chromium_path() -> str:
    found = os.environ.get("NIP_CHROMIUM") or shutil.which("chromium")
    if not found:
        pytest.skip("Chromium is not installed (Debian: apt install chromium).")
    return found


@pytest.fixture(scope="session")
def chromium(chromium_path):
    """One browser for all tests; starting one takes longer than most of them."""
    with sync_playwright() as driver:
        # Playwright gives it a profile folder of its own.
        browser = driver.chromium.launch(executable_path=chromium_path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """Open a page as somebody new, who shares nothing with others; what fails in it fails here."""
    contexts, faults = [], []

    def opened(url, *, width=1280, height=900, dark=False):
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
        )
        # A machine that does other things too is slow; a fault is one on a slow machine as well.
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


def pick(page, box, option):
    """Choose an option of a select box. A rerun just then closes the list: open it again."""
    wanted = page.get_by_role("option", name=option)
    for _ in range(5):
        box.click()
        try:
            wanted.click(timeout=3_000)
        except Error:
            page.keyboard.press("Escape")
        else:
            return
    raise AssertionError(f"No option {option!r}: {page.get_by_role('option').all_inner_texts()}")


@pytest.fixture
def shot(request):
    """Keep a picture of the page, for people to look at."""

    def take(page, name):
        SHOTS.mkdir(exist_ok=True)
        page.screenshot(path=SHOTS / f"{name}.png", full_page=True)

    return take


AXE = """async () => {
  const found = await axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
    resultTypes: ["violations"],
  });
  const places = (nodes) => nodes.map((node) => node.target.flat().join(" "));
  return found.violations.map((v) => [v.id, v.impact, places(v.nodes)]);
}"""


@pytest.fixture(scope="session")
def axe_source() -> str:
    """axe-core, from the Python package that carries it."""
    from axe_playwright_python.base import AXE_FILE_PATH

    return Path(AXE_FILE_PATH).read_text("utf-8")


@pytest.fixture
def axe(axe_source):
    """What axe-core finds on a page, as (rule, impact, places)."""

    def check(page):
        page.evaluate(axe_source)
        return page.evaluate(AXE)

    return check
