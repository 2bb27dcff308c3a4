"""The Home page in a real browser."""

from __future__ import annotations

import re

import pytest

from tests.browser.acting import back, click, press
from tests.browser.conftest import clicks
from tests.browser.waiting import becomes, expect, fits

MOST_TABS = 12  # to the first choice


@pytest.mark.quick
def test_from_the_first_page_to_a_game_by_keyboard(app, open_page, shot, axe):
    page = open_page(app.url)
    story = page.get_by_role("figure", name="A short episode")
    # It plays by itself, and can be stopped.
    story.get_by_text("Both answer at once.").wait_for()
    pause = story.get_by_role("button", name="Pause")
    press(pause, "Enter")
    story.get_by_role("button", name="Play", exact=True).wait_for()
    press(story.get_by_role("button", name="Turn 3"), "Enter")
    story.get_by_text("An empty list makes it divide by zero").wait_for()
    # With reduced motion, the end is shown.
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    story.get_by_role("button", name="Play again").wait_for()
    for look, width in (("light", 1280), ("dark", 390)):
        page.emulate_media(color_scheme=look, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 900})
        story.get_by_role("button", name="Play again").wait_for()
        axe(page)
        fits(page)
        shot(page, f"home-{look}-{width}")
    first = page.get_by_role("link", name="Play a first game").first
    for _ in range(MOST_TABS):
        press(page, "Tab")
        if first.evaluate("link => link === link.getRootNode().activeElement"):
            break
    before = clicks(page)
    press(page, "Enter")
    page.wait_for_url(re.compile("/play\\?episode="))
    page.get_by_text("Which quotes can the other side not explain?").wait_for()
    becomes(lambda: clicks(page), before + 1)
    # Home links to the last game, and to the last study.
    page.evaluate("localStorage.setItem('nip-study', JSON.stringify({name: 'two', title: 'Two'}))")
    back(page)
    left = page.get_by_role("navigation", name="Where you left off")
    study = left.get_by_role("link", name="Study Two")
    expect(study).to_have_attribute("href", "/studies?study=two")
    click(page.get_by_role("navigation", name="Where you left off").get_by_role("link").first)
    page.locator(".composer").first.wait_for()
