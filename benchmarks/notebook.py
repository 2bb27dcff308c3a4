"""A grid in a notebook, from the cell's run to its paint, beside an anywidget that does nothing."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.start import browser_page
from benchmarks.timing import size
from tests.browser.test_notebook import Lab

RUNS = 4
WARM = """
import anywidget
from explorer.notebook import show_schedule
from nip_core import HyperParameters, protocol_spec

mnip = protocol_spec(HyperParameters(interaction_protocol="mnip"))

def bare(name):
    esm = f"export default {{ render({{ el }}) {{ el.className = '{name}'; el.append('x'); }} }}"
    return type(name, (anywidget.AnyWidget,), {"_esm": esm})()

bare("warm")
"""


def measure() -> Iterator[dict[str, Any]]:
    """Seconds of the first display in a new kernel; nothing without JupyterLab or Chromium."""
    if find_spec("jupyterlab") is None or shutil.which("chromium") is None:
        return
    bare: list[float] = []
    grid: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(Path(folder), (WARM, "bare('bare')", "show_schedule(mnip)"))
        try:
            with browser_page() as page:
                for _ in range(size(RUNS, 1)):
                    page.goto(f"{lab.url}/doc/tree/played.ipynb?reset")
                    page.get_by_text("| Idle").wait_for()
                    page.locator(".jp-CodeCell").first.click()
                    _run(page, ".warm")
                    bare.append(_run(page, ".bare"))
                    grid.append(_run(page, ".nip-live .moving path"))
                    lab.end_kernels()
        finally:
            lab.end()
    ours, plain = min(grid), min(bare)
    yield {
        "what": "first grid in a notebook",
        "s": ours,
        "a bare anywidget, s": plain,
        "ratio": ours / plain,
    }


def _run(page: Any, sign: str) -> float:
    """Run the next cell, and wait for what it shows."""
    start = time.perf_counter()
    page.keyboard.press("Shift+Enter")
    page.locator(sign).first.wait_for(state="attached")
    return time.perf_counter() - start
