"""Take the pictures of the app in README and docs: ``python -m tests.make_figures [NAME ...]``."""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from nip_core import bundled_tasks
from tests.browser.acting import click, fill, focus, press
from tests.browser.conftest import FLAGS, ROOMS_PASSWORD, ROOT, App
from tests.browser.waiting import follow

FOLDER = ROOT / "docs"
TIMEOUT = 120_000  # ms
TASK = bundled_tasks("easy")[0]


def home(page: Page) -> None:
    page.get_by_text("Play again").wait_for()


def protocols(page: Page) -> None:
    page.get_by_role("link", name="Peer prediction").wait_for()


def protocol(page: Page) -> None:
    focus(page.locator(".stage .view"))
    press(page, *["ArrowRight"] * 3)
    page.locator(".narration").get_by_text("Turn 4").wait_for()


def draw(page: Page) -> None:
    page.get_by_text("Verdict right", exact=True).wait_for()
    click(page.get_by_role("rowheader", name="Prover 2 on Prover 1 channel"))


def play(page: Page) -> None:
    click(page, "Begin")
    fill(page.locator("textarea"), "What is returned for [1, 2, 3, 4]?")
    click(page, "Ask", exact=True)
    page.locator(".words").filter(has_text=re.compile("Turn 3 of")).wait_for()


def rewards(page: Page) -> None:
    page.locator(".js-plotly-plot").first.wait_for()
    # What stands for an answer that is not there yet.
    page.get_by_text("…", exact=True).first.wait_for(state="hidden")


def learn(page: Page) -> None:
    page.get_by_text("Table of protocols").wait_for()


def projector(page: Page) -> None:
    """Rehearse a lesson, reveal its first guess, and go to what the class sees."""
    click(page, "A lesson together", role="radio")
    click(page.get_by_text("Two provers, two rooms", exact=True).first)
    fill(page.get_by_label("Facilitator's password"), ROOMS_PASSWORD, "Enter")
    click(page, "Rehearse with 30 bots")
    page.get_by_text("and 30 bots").wait_for()
    click(page, "Next")
    for step in (2, 3):
        page.get_by_text(re.compile(rf"^Step {step} of ")).wait_for()
        if step == 2:
            click(page, "Next", exact=True)
    page.get_by_text("30 of 30").first.wait_for()
    click(page, "Reveal", exact=True)
    page.get_by_text("Revealed.").first.wait_for()
    page.goto(f"{page.url}&as=projector")
    page.get_by_text("The truth").first.wait_for()


# The page of each picture, and its height.
FIGURES = {
    home: ("", 920),
    protocols: ("protocols", 900),
    protocol: ("protocols?protocol=mnip", 900),
    draw: ("draw?protocol=mnip", 900),
    play: (f"play?protocol=mnip&task=id:{TASK.id}", 900),
    rewards: ("rewards?protocol=nip", 900),
    learn: ("learn", 900),
    projector: ("room?new=1", 720),
}


def main() -> None:
    os.environ["PYTHONPATH"] = str(ROOT)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        app = App(Path(folder))
        try:
            path = os.environ.get("NIP_CHROMIUM") or shutil.which("chromium")
            browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            follow(page)
            page.set_default_timeout(TIMEOUT)
            for take, (address, height) in FIGURES.items():
                if sys.argv[1:] and take.__name__ not in sys.argv[1:]:
                    continue
                page.set_viewport_size({"width": 1280, "height": height})
                page.goto(f"{app.url}/{address}")
                take(page)
                page.wait_for_timeout(2_000)  # until nothing moves
                page.screenshot(path=FOLDER / f"{take.__name__}.png")
        finally:
            app.kill()


if __name__ == "__main__":
    main()
