"""A move with a scripted answer at the table, compared with a bare component's round trip."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.schedule import CLICK, ROOT, served
from benchmarks.timing import size
from tests.browser.acting import click

GAMES, MOVES = 6, 8
TASK = "id:2ukmvgxobpoldmg7"  # the runner-up, with its fault
# Asks, and waits for the frame in which the answer is shown.
ASK = """async (text) => {
  const found = (root) => root.querySelector(".nip-front .table") ??
    [...root.querySelectorAll("*")].map((e) => e.shadowRoot && found(e.shadowRoot)).find(Boolean);
  const table = found(document);
  const said = () => table.querySelectorAll(".message").length;
  const box = table.querySelector("textarea");
  const before = said();
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  const start = performance.now();
  box.form.requestSubmit();
  while (said() < before + 2) await new Promise((go) => requestAnimationFrame(go));
  await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  return performance.now() - start;
}"""


def measure() -> Iterator[dict[str, Any]]:
    """Measure milliseconds from sending a question to the frame with the answer.

    Each question is about another input, so that a program is run for it. The two pages are
    measured in turns, since a machine is not equally fast at all times.
    """
    chromium = os.environ.get("NIP_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        return
    from playwright.sync_api import sync_playwright

    with served() as url, _app() as app, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        bare, table = (browser.new_page(viewport={"width": 1280, "height": 900}) for _ in range(2))
        bare.goto(f"{url}/?what=bare")
        bare.locator("canvas").wait_for()
        trips: list[float] = []
        asked: list[float] = []
        for game in range(size(GAMES, 1)):
            # Long enough for all questions.
            table.goto(f"{app}/play?protocol=nip&task={TASK}&seed=1&set.max_message_rounds=20")
            click(table, "Begin")
            table.locator("textarea").wait_for()
            table.wait_for_timeout(1000)
            for number in range(size(MOVES, 2)):
                trip = bare.evaluate(CLICK, (10, 10))[1]
                move = table.evaluate(ASK, f"What does it return for [{game}, {number}, 1]?")
                if number:  # the first one loads something
                    trips.append(trip)
                    asked.append(move)
                # At a random phase of the screen's frames, to which both times are rounded up.
                table.wait_for_timeout(40 + 7 * (number % 11))
        browser.close()
    trip, move = statistics.median(trips), statistics.median(asked)
    yield {
        "what": "a question with a scripted answer",
        "to_painted_ms": move,
        "bare_ms": trip,
        "to_bare": move / trip,
    }


@contextlib.contextmanager
def _app() -> Iterator[str]:
    """Serve the app with a database of its own; return its address."""
    with tempfile.TemporaryDirectory() as folder:
        options = ("--no-browser", "--port", "0", "--database", f"sqlite:///{folder}/episodes.db")
        server = subprocess.Popen(
            [sys.executable, "-m", "explorer", *options],
            cwd=ROOT,
            env={**os.environ, "NIP_STUDIES": str(Path(folder) / "studies")},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+:\d+", server.stdout.readline())
            assert found is not None
            yield found[0]
        finally:
            server.terminate()
            server.wait(20)
