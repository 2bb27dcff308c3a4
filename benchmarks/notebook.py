"""First displays in a notebook, compared with an anywidget that does nothing.

Each is the first of its kind in a new kernel, after the import; a bare anywidget is shown before
each of them. The page itself measures from the key that runs the cell to the frame in which the
display is painted.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.start import browser_page
from benchmarks.timing import size
from tests.browser.acting import click, press
from tests.browser.test_notebook import Lab

RUNS = 7
WARM = """
import anywidget
from explorer.notebook import play, read, rewards, show_schedule
from nip_core import Episode, HyperParameters, Move, bundled_tasks

def bare(name):
    esm = f"export default {{ render({{ el }}) {{ el.className = '{name}'; el.append('x'); }} }}"
    return type(name, (anywidget.AnyWidget,), {"_esm": esm})()

mnip = HyperParameters(interaction_protocol="mnip")
task = bundled_tasks("easy")[0]
over = Episode(mnip, task, seed=1)
question = {"prover0_channel": "Is it right?", "prover1_channel": "Is it right?"}
over.play(Move("verifier", question))
over.play(Move("prover0", {"prover0_channel": "Yes."}))
over.play(Move("prover1", {"prover1_channel": "Yes."}))
over.play(Move("verifier", decision=1))
bare("warm")
"""
# The cell, and the selector that shows that it is painted: in a front's own root, or in the page.
DISPLAYS = {
    "show_schedule": ("show_schedule(mnip)", ".stage .moving path"),
    "play": ("play(Episode(mnip, task, seed=2), seat='verifier')", ".hotseat textarea"),
    "rewards": ("rewards(mnip)", ".worth .picture rect"),
    "read": ("read(over)", ".end .facts > *"),
}
CELLS = (WARM, *(cell for name in DISPLAYS for cell in (f"bare('{name}')", DISPLAYS[name][0])))
WATCH = """(sign) => {
  const live = () => [...document.querySelectorAll(".nip-live")];
  const roots = () => [document, ...live().map((host) => host.shadowRoot)];
  let from = null;
  window.took = null;
  const look = () => {
    if (roots().some((root) => root.querySelector(sign))) window.took = performance.now() - from;
    else requestAnimationFrame(look);
  };
  const run = (event) => {
    if (event.key !== "Enter") return;
    removeEventListener("keydown", run, true);
    from = performance.now();
    look();
  };
  addEventListener("keydown", run, true);
}"""


def measure() -> Iterator[dict[str, Any]]:
    """Measure seconds until it is painted, medians of kernels; nothing without JupyterLab."""
    if find_spec("jupyterlab") is None or shutil.which("chromium") is None:
        return
    bare: list[float] = []
    ours: dict[str, list[float]] = {name: [] for name in DISPLAYS}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        lab = Lab(Path(folder), CELLS)
        try:
            with browser_page() as page:
                for _ in range(size(RUNS, 1)):
                    page.goto(f"{lab.url}/doc/tree/played.ipynb?reset")
                    page.get_by_text("| Idle").wait_for()
                    click(page.locator(".jp-CodeCell").first)
                    _run(page, ".warm")
                    for name, (_, sign) in DISPLAYS.items():
                        bare.append(_run(page, f".{name}"))
                        ours[name].append(_run(page, sign))
                    lab.end_kernels()
        finally:
            lab.end()
    plain = statistics.median(bare)
    for name, seconds in ours.items():
        yield {
            "what": f"first {name} in a notebook",
            "s": statistics.median(seconds),
            "a bare anywidget, s": plain,
            "ratio": statistics.median(seconds) / plain,
        }


def _run(page: Any, sign: str) -> float:
    """Run the next cell, and wait until its display is painted and the page is idle."""
    page.evaluate(WATCH, sign)
    press(page, "Shift+Enter")
    page.wait_for_function("window.took !== null", polling=50)
    page.wait_for_timeout(1000)
    return page.evaluate("window.took") / 1000
