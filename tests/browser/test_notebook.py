"""The explorer in a real JupyterLab: a walk, a game, a control, and the file without a kernel."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from nip_core import bundled_tasks
from tests.browser.acting import click, fill, focus, press, write
from tests.browser.conftest import ROOT
from tests.browser.waiting import becomes, expect, patient
from tests.judges import judge

TASK = bundled_tasks()[0]
CELLS = (
    "from explorer.notebook import play, rewards, show_schedule\n"
    "from nip_core import Episode, HyperParameters, bundled_tasks\n"
    "mnip = HyperParameters(interaction_protocol='mnip')\n"
    "episode = Episode(mnip, bundled_tasks()[0], 1)",
    "show_schedule(mnip)",
    "play(episode, seat='verifier')",
    "rewards(mnip)",
)
# Settings that a person may have: no news, dark theme, and widgets saved in the file.
SETTINGS = {
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/apputils-extension/themes": {"theme": "JupyterLab Dark"},
    "@jupyter-widgets/jupyterlab-manager/plugin": {"saveState": True},
}


class Lab:
    """JupyterLab with one notebook, started as people do."""

    def __init__(self, folder, cells=CELLS) -> None:
        self.file = folder / "work" / "played.ipynb"
        self.file.parent.mkdir()
        notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(notebook, self.file)
        for name, chosen in SETTINGS.items():
            package, _, plugin = name.rpartition("/")
            place = folder / "settings" / package / f"{plugin}.jupyterlab-settings"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(json.dumps(chosen))
        rooms = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "IPYTHONDIR": "ipython",
        }
        environment = {name: str(folder / room) for name, room in rooms.items()}
        self.log = folder / "log.txt"
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--port=0", "--allow-root"),
                *("--IdentityProvider.token=", f"--ServerApp.root_dir={self.file.parent}"),
                "--ServerApp.disable_check_xsrf=True",
            ],
            cwd=self.file.parent,
            env={**os.environ, **environment, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=self.log.open("wb"),
        )
        self.url = self._address()

    def _address(self) -> str:
        def said():
            text = self.log.read_text("utf-8")
            assert self.process.poll() is None, text
            return re.search(r"http://127\.0\.0\.1:\d+", text)

        return becomes(said)[0]

    def end(self) -> None:
        self.end_kernels()
        # When asked to end, it may wait a long time.
        self.process.kill()
        self.process.wait(120)

    def end_kernels(self) -> None:
        with urllib.request.urlopen(f"{self.url}/api/sessions") as answer:
            sessions = json.load(answer)
        for session in sessions:
            address = f"{self.url}/api/sessions/{session['id']}"
            urllib.request.urlopen(urllib.request.Request(address, method="DELETE")).close()

    def saved(self, page) -> str:
        """Return the file once everything on the page is in it."""
        press(page, "Control+s")
        page.wait_for_function("() => !document.querySelector('.jp-mod-dirty')")
        return self.file.read_text("utf-8")


@pytest.fixture
def lab(tmp_path):
    judge("jupyterlab")
    with patient():
        served = Lab(tmp_path)
        yield served
    served.end()


def test_a_notebook_is_an_explorer_too(lab, open_page, shot):
    page = open_page(f"{lab.url}/doc/tree/played.ipynb", width=1280, height=1000)
    page.get_by_text("| Idle").wait_for()
    click(page.get_by_role("menuitem", name="Run", exact=True))
    click(page.get_by_text("Run All Cells", exact=True))
    cells, live = page.locator(".jp-CodeCell"), page.locator(".nip-live")
    worth = live.locator(".worth")
    worth.wait_for()

    # The display leaves the keys to the notebook, and gets the app's fonts from the kernel.
    becomes(lambda: not page.evaluate("document.activeElement.matches('.nip-live')"))
    page.wait_for_function("() => [...document.fonts].some((one) => /Newsreader/.test(one.family))")

    # A schedule is stepped through by keyboard, in the notebook's dark theme.
    schedule = live.locator(".stage")
    focus(schedule.locator(".view"))
    press(page, *["ArrowRight"] * 3)
    narration = schedule.locator(".narration")
    narration.get_by_text("Turn 4").wait_for()
    expect(schedule).to_have_css("background-color", "rgb(20, 22, 28)")
    shot(page, "notebook-schedule-dark")

    # A game is played to a verdict. Letters are not commands of the notebook then; Control+S still
    # is.
    game = live.locator(".hotseat")
    box = game.locator("textarea")
    fill(box, "")
    write(box, "aa bb dd xx 00")
    before = lab.saved(page)
    assert "This program is correct" in before
    assert TASK.explanation[:30] not in before
    assert "aa bb dd" not in before
    press(box, "Enter")
    game.get_by_text("aa bb dd xx 00").first.wait_for()
    page.wait_for_function(
        "() => document.activeElement.shadowRoot?.activeElement?.matches('textarea')"
    )
    expect(cells).to_have_count(len(CELLS))
    click(game, "Reject", "Yes, reject")
    verdict = game.locator(".headline")
    verdict.get_by_text("rejected a").wait_for()
    shot(page, "notebook-play-dark")

    # A control of seats' values is changed.
    says = worth.locator(".says")
    at_first = says.inner_text()
    click(worth.get_by_text("Payoffs", exact=True))
    fill(worth.get_by_label("Verifier reward"), "3")
    says.get_by_text("a right verdict pays +3").wait_for()
    expect(says).not_to_have_text(at_first, use_inner_text=True)
    shot(page, "notebook-rewards-dark")

    # The page is reloaded: the kernel has everything, and so does the file, once the still forms
    # are updated.
    still = page.locator(".nip-still")
    still.get_by_text("Verdict: reject").wait_for(state="attached")
    still.get_by_text("a right verdict pays +3").wait_for(state="attached")
    after = lab.saved(page)
    assert TASK.explanation[:30] in after
    assert len(after) < 600_000  # the fonts are not in it
    page.reload()
    verdict.get_by_text("rejected a").wait_for()
    narration.get_by_text("Turn 4").wait_for()
    expect(page.locator(".nip-still").first).to_be_hidden()

    # Without a kernel, and without widgets in the file, the still forms are shown.
    page.close()  # JupyterLab complains if it sends something to an ended kernel
    lab.end_kernels()
    document = nbformat.reads(after, 4)
    del document.metadata["widgets"]
    nbformat.write(document, lab.file)
    other = open_page(f"{lab.url}/doc/tree/played.ipynb?reset", width=1280, height=1000)
    other.locator(".nip-still").get_by_text("Verdict: reject").wait_for()
    # The notebook is not trusted: styles and drawings are removed, and the pictures stay.
    drawn = other.locator(".nip-still img")
    wide = "(all) => all.map((each) => each.naturalWidth > 400)"
    becomes(lambda: drawn.evaluate_all(wide), [True] * 2)
    shot(other, "notebook-still")
