"""From the command to the first grid, beside a page with no chart, no torch and no code of ours."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RUNS = 3
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def measure() -> Iterator[dict[str, Any]]:
    """Seconds until something is painted, the best of a few starts; nothing without Chromium."""
    if shutil.which("chromium") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "bare.py"
        page.write_text("import streamlit as st\nst.write('ready')\n", "utf-8")
        options = ("--server.headless=true", "--browser.gatherUsageStats=false")
        bare = ("-m", "streamlit", "run", str(page), "--server.port=8911", *options)
        ours = ("-m", "explorer", "--no-browser", "--port=8912", f"--database=sqlite:///{folder}/e")
        plain = min(_seconds(bare, 8911, "text=ready") for _ in range(RUNS))
        grid = min(_seconds(ours, 8912, "canvas") for _ in range(RUNS))
    yield {
        "what": "from the command to the first grid",
        "s": grid,
        "a bare page, s": plain,
        "ratio": grid / plain,
    }


def _seconds(command: Sequence[str], port: int, sign: str) -> float:
    """From starting a server to a sign on its first page, in a browser that is open already."""
    with _browser() as page:
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            while True:
                try:
                    page.goto(f"http://127.0.0.1:{port}/")
                    break
                except Exception:
                    # Not there yet; whatever else is wrong shows as a start that never ends.
                    if time.perf_counter() - start > 60:
                        raise
                    time.sleep(0.05)
            page.wait_for_selector(sign)
            return time.perf_counter() - start
        finally:
            process.kill()
            process.wait()


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver, tempfile.TemporaryDirectory() as profile:
        context = driver.chromium.launch_persistent_context(
            profile, executable_path=shutil.which("chromium"), args=list(FLAGS)
        )
        yield context.new_page()
        context.close()
