"""The app as its own process, and a real browser that uses it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright

from tests.browser.waiting import answering, becomes, follow, longest, shorten
from tests.explorer.conftest import frame_server, frames

# Fixtures for pages without a browser, for tests that compare both.
__all__ = ["frame_server", "frames"]

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SHOTS = ROOT / "screenshots"
ROOMS_PASSWORD = "of the facilitators"
# How many times slower pages (not their workers) run scripts, to find tests that read too early.
SLOWER = float(os.environ.get("NIP_SLOWER_PAGES", "1"))
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    # A name that is not this machine's, as in a classroom.
    "--host-resolver-rules=MAP classroom.test 127.0.0.1",
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """After a test that has waited for too long, the others wait for less."""
    if call.excinfo is not None and HERE in item.path.parents and call.duration >= longest():
        shorten()
    return (yield)


class App:
    """The app, served by the command that people use.

    Parameters
    ----------
    folder : Path
        The folder of its database.
    *options : str
        Further options of the command line.
    """

    port = 0

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.options = options
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
            env={
                **os.environ,
                "NIP_STUDIES": str(self.folder / "studies"),
                # Tests use pages without a pause.
                "NIP_PROCESSOR_SECONDS": "600",
                "NIP_EXPLORER_ROOMS_PASSWORD": ROOMS_PASSWORD,
                # The other name means this machine too.
                "NIP_EXPLORER_PUBLIC": "0",
            },
            stdout=subprocess.PIPE,
            stderr=(self.folder / "log.txt").open("ab"),
            text=True,
        )
        said = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+) ", said)[1])
        try:
            answering(f"{self.url}/healthz", self.process)
        except AssertionError as error:
            raise AssertionError(self.log) from error

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(120)
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


class Visitor:
    """A context of a browser that tests use one after the other.

    Chromium keeps the app's scripts in compiled form: otherwise, most of a test's time is fetching
    and compiling them. Everything else is deleted after each test.
    """

    def __init__(self, context: BrowserContext) -> None:
        # Each of its pages is followed, and tests move their clocks: `page.clock.run_for(ms)`. A
        # clock runs by itself, too. Workers have their own.
        context.on("page", follow)
        context.clock.install()
        self.context = context
        self._idle = context.pages[0] if context.pages else context.new_page()
        self._storage = context.new_cdp_session(self._idle)
        self._origins: set[str] = set()

    @property
    def is_new(self) -> bool:
        return len(self.context.pages) == 1 and not self._origins

    def page(self) -> Page:
        page = self.context.new_page()
        if SLOWER > 1:
            devtools = self.context.new_cdp_session(page)
            devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        page.set_default_timeout(longest() * 1_000)
        page.on("framenavigated", lambda frame: self._origins.add(origin(frame.url)))
        return page

    def forget(self) -> None:
        """Close all pages, and delete the visitor's data."""
        if self.is_new:
            return
        for page in self.context.pages:
            if page is not self._idle:
                page.close()
        for each in self._origins:
            if each.startswith("http"):
                self._storage.send(
                    "Storage.clearDataForOrigin", {"origin": each, "storageTypes": "all"}
                )
        self.context.clear_cookies()
        self.context.clear_permissions()
        self.context.set_offline(False)
        self._origins.clear()


class Browser:
    """One browser for all tests of a worker; starting one takes longer than most of them.

    The first visitor has a profile, which keeps more from test to test than other contexts do.
    """

    def __init__(self, driver: Playwright, path: str, profile: Path) -> None:
        self._profile = driver.chromium.launch_persistent_context(
            profile, executable_path=path, args=list(FLAGS)
        )
        self._visitors = [Visitor(self._profile)]

    def page(self) -> Page:
        """Return an empty page of a new visitor."""
        visitor = next((each for each in self._visitors if each.is_new), None)
        if visitor is None:
            visitor = Visitor(self._profile.browser.new_context())
            self._visitors.append(visitor)
        return visitor.page()

    def forget(self) -> None:
        """Close all pages, and delete the data of visitors."""
        for visitor in self._visitors:
            visitor.forget()

    def close(self) -> None:
        self._profile.close()


def origin(url: str) -> str:
    """Return a page's origin: scheme, host and port."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


@pytest.fixture(scope="session")
def started_browser(chromium_path, tmp_path_factory):
    with sync_playwright() as driver:
        opened = Browser(driver, chromium_path, tmp_path_factory.mktemp("profile"))
        yield opened
        opened.close()


@pytest.fixture
def browser(started_browser):
    yield started_browser
    started_browser.forget()


@pytest.fixture
def open_page(browser):
    """Return a function that opens a page as a new visitor; errors in the page fail the test."""
    faults = []

    def opened(url="about:blank", *, width=1280, height=900, dark=False):
        page = browser.page()
        page.add_init_script(CLICKS)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.extend(against_the_rules(message.text)))
        page.goto(url)
        return page

    yield opened
    assert faults == []


def against_the_rules(text):
    """Return the browser's messages about violations of our own content security policy."""
    if "Content Security Policy" in text and "frame-ancestors" not in text:
        yield text


# An empty page has no storage.
CLICKS = """addEventListener("click", (event) => {
  if (event.isTrusted && origin !== "null") {
    sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1;
  }
}, true);"""


def clicks(page):
    """Return how many clicks (and presses of Enter on a button or link) a journey took in this
    window.
    """
    return page.evaluate("Number(sessionStorage.clicks ?? 0)")


@pytest.fixture
def shot(request):
    """Save a screenshot, for people to look at."""

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
    """Return axe-core from the Python package that contains it."""
    from axe_playwright_python.base import AXE_FILE_PATH

    return Path(AXE_FILE_PATH).read_text("utf-8")


# A real violation stays; elements that are being faded in are half transparent for a moment.
ON_ITS_WAY = 60


@pytest.fixture
def axe(axe_source):
    """Check a page by axe-core's rules, or those of some impacts, after it has come to rest."""

    def check(page, *impacts):
        def broken():
            # Half a megabyte; a page that was checked before has it.
            if not page.evaluate("'axe' in window"):
                page.evaluate(axe_source)
            found = page.evaluate(AXE)
            return [each for each in found if not impacts or each[1] in impacts]

        becomes(broken, [], timeout=ON_ITS_WAY)

    return check
