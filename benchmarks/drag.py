"""Dragging a slider of the Rewards page in a browser, until the moved point is painted.

The server's share is measured by `values.measure_drag`.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections.abc import Iterator
from typing import Any

from benchmarks.start import browser_page, started, wait_for
from benchmarks.timing import size

PORT = 8913
PLACES = 20
# From an event of the slider to the frame with a changed picture.
DRAG = """async (chart, value) => {
  const knob = chart.querySelectorAll("input")[1];
  const before = chart.querySelector("svg").innerHTML;
  const start = performance.now();
  knob.value = value;
  knob.dispatchEvent(new Event("input", { bubbles: true }));
  // An event that meets a run of the page may be lost; in a real drag another one follows.
  while (chart.querySelector("svg").innerHTML === before && performance.now() < start + 5000)
    await new Promise((go) => requestAnimationFrame(go));
  await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  return performance.now() - start;
}"""


def measure() -> Iterator[dict[str, Any]]:
    """Measure milliseconds from the slider to the painted point; nothing without Chromium."""
    if shutil.which("chromium") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        options = ("--no-browser", f"--port={PORT}", f"--database=sqlite:///{folder}/e")
        with started(("-m", "explorer", *options)), browser_page() as page:
            wait_for(PORT)
            for name, rounds in size((("nip", 8), ("nip", 50), ("mnip", 50)), (("nip", 8),)):
                key = f"{name}_protocol.max_message_rounds"
                page.goto(f"http://127.0.0.1:{PORT}/rewards?protocol={name}&{key}={rounds}")
                chart = page.locator(".chart", has=page.get_by_role("slider"))
                chart.wait_for()
                # Until the rest of the page is drawn.
                page.wait_for_timeout(size(2000, 500))
                # Never at the same position twice, since results are cached.
                places = [(55 + place) / 100 for place in range(size(PLACES, 3))]
                times = sorted(chart.evaluate(DRAG, place) for place in places)
                yield {
                    "protocol": name,
                    "rounds": rounds,
                    "median_ms": statistics.median(times),
                    "p95_ms": times[int(0.95 * (len(times) - 1))],
                    "of 100 ms": statistics.median(times) / 100,
                }
