"""The Studies page in a real browser."""

from __future__ import annotations

import re

from tests.browser.acting import click, fill, hover
from tests.browser.conftest import clicks
from tests.browser.waiting import becomes, fits, settled


def test_a_study_from_the_form_to_one_of_its_episodes(app, open_page, shot, axe):
    page = open_page(f"{app.url}/studies?view=new")
    page.get_by_role("heading", name="A new study").wait_for()
    # The selected option has a text-coloured background, which is light in dark looks.
    page.get_by_text("Tester", exact=True).wait_for()
    page.emulate_media(color_scheme="dark")
    axe(page)
    page.emulate_media(color_scheme="light")
    problems = page.get_by_role("spinbutton", name="Problems")
    fill(problems, "1", "Enter")
    page.get_by_text("4 episodes under 2 conditions.").wait_for()
    click(page, "Start")
    # The server plays it, and the page shows the progress until there are numbers.
    page.get_by_text("A click on a dot lists its episodes below.").wait_for()
    becomes(lambda: clicks(page), 1)
    for look, width in (("light", 1280), ("dark", 390)):
        page.emulate_media(color_scheme=look)
        page.set_viewport_size({"width": width, "height": 900})
        page.locator(".js-plotly-plot .point").first.wait_for()
        axe(page)
        fits(page)
        shot(page, f"studies-{look}-{width}")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.reload()
    dot = page.locator(".js-plotly-plot .scatterlayer .point").first
    # Until the page is complete, nothing on it is visible or takes a pointer.
    dot.wait_for()
    settled(page)
    hover(dot, force=True)
    # A dot without data takes no click either.
    page.locator(".hoverlayer .hovertext").first.wait_for()
    click(dot, force=True)
    page.get_by_text("Tick a row to read the episode.").wait_for()
    settled(page)
    # The box of the first row, in the picture of a table.
    table = page.locator(".stDataFrameGlideDataEditor").first
    click(table, position={"x": 18, "y": 54})
    page.get_by_role("button", name="Back to the study").wait_for()
    # In the list, each study has a small chart.
    listed = page.context.new_page()
    listed.goto(f"{app.url}/studies")
    chart = listed.get_by_alt_text(re.compile("^Accuracy: .*%; .*%$"))
    chart.wait_for()
    becomes(lambda: chart.evaluate("image => image.naturalWidth"), 144)
    listed.close()
    page.get_by_text("Seen by").first.wait_for()
