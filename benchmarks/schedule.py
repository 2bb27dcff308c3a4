"""A protocol's page: its data, and its clicks in a browser compared with a bare component's."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.timing import best_seconds, size
from explorer.pictures import Shown, grid_data, picture, schedule_payload
from nip_core import HyperParameters, protocol_spec
from tests.explorer.pictures.handlers import large_spec

ROOT = Path(__file__).parent.parent
CLICKS, WARM_UP = 50, 10
SERVE = """
import sys, uvicorn, streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from explorer.asgi import FRONTS
app = st.App(sys.argv[1], middleware=[Middleware(GZipMiddleware)], routes=[FRONTS])
quiet = {"log_level": "warning", "access_log": False}
uvicorn.run(app, port=int(sys.argv[2]), ws="websockets-sansio", **quiet)
"""
# Clicks, and waits for the first frame after the page reports that it has received it.
CLICK = """async (place) => {
  const find = (root) => root.querySelector("canvas, .view") ||
    [...root.querySelectorAll("*")].map((e) => e.shadowRoot && find(e.shadowRoot)).find(Boolean);
  const picture = find(document);
  const box = picture.getBoundingClientRect();
  const at = { clientX: box.x + place[0], clientY: box.y + place[1], bubbles: true };
  const said = () => document.querySelector("[data-testid=stMain]").innerText;
  const before = said();
  const start = performance.now();
  picture.dispatchEvent(new MouseEvent("click", at));
  await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  const local = performance.now() - start;
  while (said() === before) await new Promise((go) => requestAnimationFrame(go));
  await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  return [local, performance.now() - start];
}"""


# A step of the walk: our script's time, and the time until the next frame is painted.
STEP = """async (view) => {
  await new Promise((go) => requestAnimationFrame(go));
  const start = performance.now();
  view.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  const script = performance.now() - start;
  await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  return [script, performance.now() - start];
}"""


def measure_data() -> Iterator[dict[str, Any]]:
    """Measure the table, the browser's data and the picture, in milliseconds and kilobytes."""
    mnip = protocol_spec(HyperParameters(interaction_protocol="mnip"))
    for name, spec in (("mnip", mnip), ("6 x 9 x 100", large_spec())):
        shown = [Shown(spec, name)]
        yield {
            "protocol": name,
            "cells": len(grid_data(spec)),
            "grid_data_ms": 1e3 * best_seconds(lambda: grid_data(spec)),
            "payload_ms": 1e3 * best_seconds(lambda: schedule_payload(shown)),
            "payload_kB": len(schedule_payload(shown)) / 1e3,
            "svg_ms": 1e3 * best_seconds(lambda: picture(spec).svg(), rounds=3),
        }


def measure_reruns() -> Iterator[dict[str, Any]]:
    """Measure a run of the page's script on the server, compared with a one-line page."""
    from streamlit.testing.v1 import AppTest

    bare = AppTest.from_string("import streamlit as st\nst.write('bare')").run()
    bare_ms = 1e3 * best_seconds(bare.run)
    yield {"page": "bare", "rerun_ms": bare_ms}
    for protocol, rounds in (("mnip", 8), ("mnip", 100)):
        page = page_of_protocol(protocol, max_message_rounds=str(rounds))
        rerun_ms = 1e3 * best_seconds(page.run)
        name = f"{protocol}, {rounds} rounds"
        yield {"page": name, "rerun_ms": rerun_ms, "to_bare": rerun_ms / bare_ms}


def page_of_protocol(protocol: str, **settings: str) -> Any:
    """Return the page of a protocol after its first run; its `run` is what a click costs."""
    from streamlit.testing.v1 import AppTest

    page = AppTest.from_file(str(ROOT / "explorer" / "app.py"), default_timeout=30)
    page.switch_page(str(ROOT / "pages" / "protocols.py"))
    page.query_params.update(protocol=protocol, **settings)
    return page.run()


def measure_clicks() -> Iterator[dict[str, Any]]:
    """Measure milliseconds from a click to the frame in which the page has handled it.

    ``own`` is the grid's own answer, painted before the server receives the click.
    """
    chromium = os.environ.get("NIP_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        return
    from playwright.sync_api import sync_playwright

    with served() as url, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        floor = None
        for what in size(("bare", "grid") * 2, ("bare", "grid")):
            page = browser.new_page(viewport={"width": 1280, "height": 1400})
            received: list[int] = []
            page.on(
                "websocket", lambda ws: ws.on("framereceived", lambda f: received.append(len(f)))
            )
            start = time.perf_counter()
            page.goto(f"{url}/?what={what}")
            page.locator("canvas, .moving").wait_for()
            painted = time.perf_counter() - start
            page.wait_for_timeout(1000)
            first, times = sum(received), []
            clicks, warm_up = size(CLICKS, 3), size(WARM_UP, 1)
            for click in range(-warm_up, clicks):
                place = (10, 10) if what == "bare" else (200 + 32 * (click % 12), 60)
                taken = page.evaluate(CLICK, place)
                if click >= 0:
                    times.append(taken)
                # At a random phase of the screen's frames, to which both times are rounded up.
                page.wait_for_timeout(40 + 7 * (click % 11))
            page.close()
            whole = statistics.mean(sorted(both for _, both in times)[: clicks * 9 // 10])
            floor = whole if what == "bare" else floor
            yield {
                "what": what,
                "goto_to_painted_ms": 1e3 * painted,
                "first_kB": first / 1e3,
                "click_kB": (sum(received) - first) / (clicks + warm_up) / 1e3,
                "own_ms": statistics.mean(own for own, _ in times) if what == "grid" else None,
                "click_to_painted_ms": whole,
                "to_bare": whole / floor if floor and what == "grid" else None,
            }
        browser.close()


def measure_steps() -> Iterator[dict[str, Any]]:
    """Measure a step through the rounds of mnip in a browser: milliseconds, and data sent."""
    chromium = os.environ.get("NIP_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        return
    from playwright.sync_api import sync_playwright

    with served() as url, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for rounds in size((8, 400), (8,)):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            sent: list[int] = []
            page.on(
                "websocket",
                lambda ws, sent=sent: ws.on("framesent", lambda frame: sent.append(len(frame))),
            )
            page.goto(f"{url}/?what={rounds}")
            view = page.locator(".view")
            view.wait_for()
            page.wait_for_timeout(1000)
            before = len(sent)
            taken = [view.evaluate(STEP) for _ in range(min(rounds - 1, size(60, 3)))]
            page.wait_for_timeout(500)
            yield {
                "rounds": rounds,
                "script_ms": statistics.median(script for script, _ in taken),
                "painted_ms": statistics.median(painted for _, painted in taken),
                "messages to the server": len(sent) - before,
            }
            page.close()
        browser.close()


@contextlib.contextmanager
def served() -> Iterator[str]:
    """Serve the measured page as the app is served; return its address."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        script = Path(folder, "page.py")
        shutil.copy(Path(__file__).with_name("schedule_app.py"), script)
        shutil.copytree(ROOT / "explorer" / ".streamlit", Path(folder, ".streamlit"))
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        command = [sys.executable, "-c", SERVE, str(script), str(port)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        server = subprocess.Popen(command, env=environment, cwd=folder, stderr=subprocess.DEVNULL)
        url = f"http://127.0.0.1:{port}"
        try:
            for _ in range(200):
                with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=1):
                    break
                time.sleep(0.1)
            yield url
        finally:
            server.terminate()
            server.wait(10)
