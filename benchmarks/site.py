"""The static site: its bytes, and how long a visitor waits, compared with Pyodide alone."""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.start import browser_page
from tests.browser.acting import click, fill

BARE = """
import { loadPyodide } from "./pyodide/pyodide.mjs";
const python = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
python.runPython("1 + 1");
document.documentElement.dataset.python = "ready";
"""
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
WAIT = 120_000  # ms


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/course/nip/"
        server.shutdown()


def measure() -> Iterator[dict[str, Any]]:
    """Measure bytes and seconds; nothing without Chromium and one of npm and NIP_PYODIDE."""
    given = os.environ.get("NIP_PYODIDE")
    if shutil.which("chromium") is None or not (given or shutil.which("npm")):
        return
    from explorer.site.build import write_site
    from explorer.site.pyodide import pyodide_files

    files = pyodide_files(Path(given) if given else None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "course" / "nip"
        written = write_site(folder, files)
        yield {
            "what": "bytes",
            "before the first grid, kB": written.first_bytes / 1e3,
            "all, MB": written.all_bytes / 1e6,
        }
        (folder / "pyodide" / "pyodide.asm.wasm").write_bytes(files["pyodide.asm.wasm"])
        (folder / "pyodide" / "pyodide-lock.json").write_bytes(files["pyodide-lock.json"])
        (folder / "bare.js").write_text(BARE, encoding="utf-8")
        (folder / "bare.html").write_text('<script type="module" src="bare.js"></script>')
        with _served(Path(name)) as url:
            bare = _bare(url)
            yield from _visit(url, bare)


def _bare(url: str) -> float:
    with browser_page() as page:
        start = time.perf_counter()
        page.goto(f"{url}bare.html")
        page.wait_for_selector("html[data-python=ready]", timeout=WAIT)
        return time.perf_counter() - start


def _visit(url: str, bare: float) -> Iterator[dict[str, Any]]:
    with browser_page() as page:
        start = time.perf_counter()
        page.goto(f"{url}#protocols?protocol=mnip")
        page.wait_for_selector("#page-protocols svg", timeout=WAIT)
        grid = time.perf_counter() - start
        yield {"what": "first paint", "s": page.evaluate(PAINT) / 1000, "first grid, s": grid}
        page.wait_for_selector("html[data-python=ready]", timeout=WAIT)
        page.evaluate("async () => { await navigator.serviceWorker.ready; }")
    with browser_page() as page:
        start = time.perf_counter()
        page.goto(f"{url}#first-game")
        page.wait_for_selector("#page-play textarea", timeout=WAIT)
        table = time.perf_counter() - start
        yield {
            "what": "a table, on the first visit",
            "s": table,
            "bare Pyodide, s": bare,
            "after it, s": max(0.0, table - bare),
        }
        for number, said in enumerate(("the first move", "the second move")):
            fill(page.get_by_role("textbox").first, "What does it return for the example?")
            start = time.perf_counter()
            click(page, "Ask", exact=True)
            page.get_by_text(f"Round {2 * number + 3} of 8").wait_for(timeout=WAIT)
            yield {"what": f"{said} answered", "s": time.perf_counter() - start}
