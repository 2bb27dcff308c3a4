"""How long it takes until something is painted.

From the command to the first grid, compared with a page without charts, torch and our code; and
from the address to Home, the gallery and the first picture of the Rewards page, compared with the
first grid of a protocol's page, each on a server that has shown nothing yet.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.timing import size

ROOT = Path(__file__).parent.parent
RUNS = 3
GRID = "protocols?protocol=mnip", ".moving"
# The address of what is painted, and its sign.
PAINTED = {
    "the first grid of a protocol": GRID,
    "Home": ("", "h1"),
    # Drawn by us, then by plotly, which may also come first.
    "the first picture of Rewards": ("rewards", ".nip-wide-only img, .js-plotly-plot .main-svg"),
    "the gallery of protocols": ("protocols", ".family a"),
}
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def measure() -> Iterator[dict[str, Any]]:
    """Measure seconds until something is painted, the best of a few; nothing without Chromium."""
    if shutil.which("chromium") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "bare.py"
        page.write_text("import streamlit as st\nst.write('ready')\n", "utf-8")
        options = ("--server.headless=true", "--browser.gatherUsageStats=false")
        bare = ("-m", "streamlit", "run", str(page), "--server.port=8911", *options)
        ours = ("-m", "explorer", "--no-browser", "--port=8912", f"--database=sqlite:///{folder}/e")
        plain = min(_seconds(bare, 8911, "text=ready") for _ in range(size(RUNS, 1)))
        path, sign = GRID
        first = min(_seconds(ours, 8912, sign, path) for _ in range(size(RUNS, 1)))
        paints: dict[str, list[float]] = {what: [] for what in PAINTED}
        for _ in range(size(RUNS, 1)):
            # In turns, so that all have the same conditions.
            for what, (path, sign) in PAINTED.items():
                paints[what].append(_seconds(ours, 8912, sign, path, from_command=False))
    yield {
        "what": "from the command to the first grid",
        "s": first,
        "a bare page, s": plain,
        "ratio": first / plain,
    }
    (_, grid), *others = ((what, min(seconds)) for what, seconds in paints.items())
    for what, seconds in others:
        yield {
            "what": f"{what} on a cold server",
            "s": seconds,
            "the first grid, s": grid,
            "ratio": seconds / grid,
        }


def _seconds(
    command: Sequence[str], port: int, sign: str, path: str = "", *, from_command: bool = True
) -> float:
    """Return the seconds until an element is visible on a server's first page, in an open browser.

    They are counted from the command, or from when the server answers.
    """
    with browser_page() as page, started(command) as start:
        if not from_command:
            wait_for(port)
            start = time.perf_counter()
        while True:
            try:
                page.goto(f"http://127.0.0.1:{port}/{path}")
                break
            except Exception:
                # The server is not there yet. Any other failure appears as a start that never ends.
                if time.perf_counter() - start > 60:
                    raise
                time.sleep(0.05)
        # `wait_for_selector` would look only every half second.
        while not page.locator(f"{sign} >> visible=true").count():
            time.sleep(0.01)
        return time.perf_counter() - start


@contextmanager
def started(command: Sequence[str]) -> Iterator[float]:
    """Run a server during the block; yield its starting time."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield start
    finally:
        process.kill()
        process.wait()


def wait_for(port: int) -> None:
    """Wait until a server answers."""
    for _ in range(1200):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError(f"Nothing answers on port {port}.")


@contextmanager
def browser_page() -> Iterator[Any]:
    """Return a page of a browser without history and cache."""
    from playwright.sync_api import sync_playwright

    from tests.browser.waiting import follow

    with sync_playwright() as driver, tempfile.TemporaryDirectory() as profile:
        context = driver.chromium.launch_persistent_context(
            profile, executable_path=shutil.which("chromium"), args=list(FLAGS)
        )
        context.on("page", follow)
        yield context.new_page()
        context.close()
