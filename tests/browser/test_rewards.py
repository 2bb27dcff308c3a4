"""The Rewards page in a real browser."""

from __future__ import annotations

import re

from tests.browser.acting import back, click, download, press
from tests.browser.looks import DESKTOP, PHONE
from tests.browser.waiting import becomes, expect, settled


def figure(page):
    page.locator(".js-plotly-plot .barlayer .point").first.wait_for(state="attached")
    return page.locator(".js-plotly-plot").first


def lower_end(element):
    box = element.bounding_box()
    return box["y"] + box["height"]


def test_the_distribution_is_in_the_first_view(app, open_page):
    for look in (DESKTOP, PHONE):
        page = open_page(f"{app.url}/rewards", **look.window)
        bars = figure(page).locator(".barlayer").first
        becomes(lambda bars=bars, look=look: lower_end(bars) < look.height)


def test_the_three_questions_are_chosen_by_mouse_and_keyboard(app, open_page):
    page = open_page(f"{app.url}/rewards")
    figure(page)
    click(page.get_by_role("radio", name="By wit"))
    page.wait_for_url(re.compile("q=wit"))
    expect(page.get_by_text("How often the verdict is right")).to_be_visible()
    press(page.get_by_role("radio", name="By wit"), "ArrowRight")
    page.wait_for_url(re.compile("q=commit"))
    expect(page.locator(".chart .says").filter(visible=True)).to_contain_text(
        "True claims accepted: at least 60%"
    )
    back(page)
    page.wait_for_url(re.compile("q=wit"))


def test_a_slider_moves_the_marks_and_the_link_shows_the_same(app, open_page):
    page = open_page(f"{app.url}/rewards?q=wit")
    page.locator(".chart .picture svg").wait_for()
    press(page.get_by_role("slider", name="True side has evidence"), "End")
    page.wait_for_url(re.compile("shows=1"))
    expect(page.get_by_role("radio", name="By wit")).to_contain_text("80%")
    settled(page)
    page.goto(page.url)
    expect(page.get_by_role("radio", name="By wit")).to_contain_text("80%")


def test_the_handle_moves_along_the_frontier(app, open_page):
    page = open_page(f"{app.url}/rewards?q=commit")
    chart = page.locator(".chart")
    expect(chart.locator(".says")).to_contain_text("at least 60%")
    before = chart.locator("svg").first.inner_html()
    press(chart.get_by_role("slider"), "Home")
    expect(chart.locator(".says")).to_contain_text("at least 0%")
    becomes(lambda: chart.locator("svg").first.inner_html() != before)
    page.wait_for_url(re.compile("at=0"))


def test_files_are_below_the_picture(app, open_page):
    page = open_page(f"{app.url}/rewards")
    figure(page)
    click(page.get_by_text("Table, files and Python"))
    got = download(page.get_by_role("button", name="Data (CSV)"))
    assert "verifier,-1.0," in got.path().read_text("utf-8")
