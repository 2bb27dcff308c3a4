"""The Draw page: its first answer beside a click on a protocol's page, and frames in a browser."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchmarks.editing import large
from benchmarks.schedule import page_of_protocol
from benchmarks.timing import best_seconds, size
from explorer.choice import ProtocolChoice
from explorer.drawing import Drawing, drawing_screen
from nip_core import specification
from nip_core.editing import Draft

# The end of a frame in which an event is handled: browsers deliver moves at its beginning.
FRAME = """const frame = (act) => new Promise((done) => requestAnimationFrame(() => {
  const start = performance.now();
  act();
  setTimeout(() => done(performance.now() - start));
}));
const find = (root, what) => root.querySelector(what) || [...root.querySelectorAll("*")]
  .map((e) => e.shadowRoot && find(e.shadowRoot, what)).find(Boolean);
const middle = (e) => {
  const { x, y, width, height } = e.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
};
const mouse = { bubbles: true, composed: true, pointerId: 1, pointerType: "mouse" };
const at = (target, type, [clientX, clientY], buttons = 0) =>
  target.dispatchEvent(new PointerEvent(type, { ...mouse, clientX, clientY, buttons }));
"""
# The pointer goes over the cells, one a frame.
HOVER = f"""async (moves) => {{ {FRAME}
  const cells = [...find(document, ".cells").querySelectorAll("[role=gridcell]")];
  const times = [];
  for (let n = 0; n < moves; n++) {{
    const cell = cells[(n * 7) % cells.length];
    times.push(await frame(() => at(cell, "pointerover", middle(cell))));
  }}
  return times;
}}"""
# A turn is dragged by its number, or the edge of a stage; the press counts as the first frame.
DRAG = f"""async ([what, moves]) => {{ {FRAME}
  const handle = find(document, what), [x, y] = middle(handle), times = [];
  times.push(await frame(() => at(handle, "pointerdown", [x, y], 1)));
  for (let n = 1; n <= moves; n++)
    times.push(await frame(() => at(handle, "pointermove", [x + 5 * n, y], 1)));
  window.dispatchEvent(new KeyboardEvent("keydown", {{ key: "Escape" }}));
  return times;
}}"""


def measure_answers() -> Iterator[dict[str, Any]]:
    """Yield milliseconds of the first answer to an edit, beside a click on the page of mnip.

    The aim is 1.0 of such a click for mnip, and 2.0 for 30 turns of 6 seats. Values are being
    computed meanwhile, in another process.
    """
    page = page_of_protocol("mnip")
    click = best_seconds(page.run)
    for name, draft in (
        ("mnip", Draft.of(specification("mnip"))),
        ("30 turns, 6 seats", large()),
    ):
        drawing, numbers = Drawing("0" * 12, (draft, "")), count()

        def edit(drawing: Drawing = drawing, numbers: Iterator[int] = numbers) -> None:
            number = next(numbers)
            times = {"stage": 0, "times": 2 + number % 2}
            refused = drawing.act({"mark": f"{number}", "do": "repeat", "arguments": times})
            assert refused is None, refused
            drawing_screen(drawing)

        answer = best_seconds(edit)
        yield {
            "protocol": name,
            "answer_ms": 1e3 * answer,
            "click_ms": 1e3 * click,
            "to_click": answer / click,
        }


def measure_frames() -> Iterator[dict[str, Any]]:
    """Yield milliseconds from an event to the end of its frame; the aim is 17 at the 95th percent.

    ``first`` is the first frame of a drag that shows it, the worst of several.
    """
    chromium = os.environ.get("NIP_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        return
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import App

    written = json.dumps(large().document)
    protocols = {
        "mnip": {"protocol": "mnip"},
        "30 turns, 6 seats": ProtocolChoice.own(written).to_query(),
    }
    moves, drags = size(60, 6), size(5, 2)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        app = App(Path(folder))
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            for name, query in protocols.items():
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                page.goto(f"{app.url}/draw?{urlencode(query)}")
                page.locator(".cells [role=gridcell]").first.wait_for()
                # Until the values of the beginning are there.
                page.wait_for_timeout(3000)
                taken = {"hover": [page.evaluate(HOVER, moves) for _ in range(drags)]}
                for kind, what in (("turn", ".cells .turn"), ("edge", ".over .edge")):
                    if page.locator(what).count():
                        taken[kind] = [page.evaluate(DRAG, [what, moves]) for _ in range(drags)]
                for kind, times in taken.items():
                    every = sorted(each for run in times for each in run)
                    yield {
                        "protocol": name,
                        "what": kind,
                        "median_ms": statistics.median(every),
                        "p95_ms": every[int(0.95 * len(every))],
                        "first_ms": max(max(run[:3]) for run in times),
                    }
                page.close()
        finally:
            browser.close()
            app.kill()
