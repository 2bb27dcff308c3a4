"""A tutorial in marimo: everything runs, and using a display reruns the cells that refer to it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from tests.browser.acting import click, fill, focus, press
from tests.browser.conftest import ROOT
from tests.browser.waiting import answering, expect, patient
from tests.judges import judge

# Cells that a person adds. Values are read in separate cells.
ADDED = (
    "from explorer.notebook import rewards, show_schedule\ngrid = show_schedule('mnip')\ngrid",
    "f'Python is at {grid.selected}'",
    "worth = rewards('mnip')\nworth",
    "f'The judge has {worth.values.of(\"verifier\").mean:.3f}'",
    "table = play(Episode('mnip', task, seed=5))\ntable",
    "repr(table.episode)",
)


@pytest.fixture
def served(tmp_path):
    """Return the address at which marimo shows it."""
    judge("marimo")
    notebook, program = tmp_path / "play.ipynb", tmp_path / "play.py"
    document = nbformat.read(ROOT / "notebooks" / "2_play.ipynb", 4)
    document.cells += map(new_code_cell, ADDED)
    nbformat.write(document, notebook)
    marimo = [sys.executable, "-m", "marimo", "-q"]
    around = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(tmp_path)}
    subprocess.run([*marimo, "convert", notebook, "-o", program], check=True, env=around)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*marimo, "run", program, "--headless", "--no-token", f"--port={port}"],
        cwd=tmp_path,
        env=around,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        with patient():
            answering(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(120)


@pytest.mark.exhaustive
def test_a_tutorial_is_live_in_marimo_and_cells_follow(served, open_page, shot):
    page = open_page(served, width=1280, height=1000)
    live = page.locator(".nip-live")
    # The table and the reader of the tutorial, and the added cells.
    expect(live.locator(".hotseat, .stage, .worth")).to_have_count(5)
    expect(page.get_by_text("Traceback")).to_have_count(0)

    focus(live.locator(".stage .view"))
    press(page, "ArrowRight", "ArrowRight")
    page.get_by_text("Python is at 2").wait_for()

    worth = live.locator(".worth")
    click(worth.get_by_text("Payoffs", exact=True))
    fill(worth.get_by_label("Verifier reward"), "3")
    page.get_by_text("The judge has 0.975").wait_for()

    table = live.locator(".hotseat").last
    fill(table.locator("textarea").first, "Why?", "Enter")
    page.get_by_text("), turn 3 of at most 8)").wait_for()
    click(table, "Accept", "Yes, accept")
    page.get_by_text("over: accept").wait_for()
    shot(page, "notebook-marimo")
