"""The Rewards page in a real browser."""

from __future__ import annotations

import re

from tests.browser.acting import back, click, download, press
from tests.browser.looks import DESKTOP, PHONE, resize
from tests.browser.waiting import becomes, expect, settled


def figure(page):
    page.locator(".js-plotly-plot .barlayer .point").first.wait_for(state="attached")
    return page.locator(".js-plotly-plot").first


def lower_end(element):
    box = element.bounding_box()
    return box["y"] + box["height"]


FIRST_PART = "[data-testid=stLayoutWrapper]:has(> .st-key-nip-first-part)"


def test_the_page_answers_three_questions(app, open_page):
    page = open_page(f"{app.url}/rewards", **PHONE.window)
    # The picture is in the first part of the page (see `first_paint.js`), and in the first view.
    page.locator(".st-key-nip-first-part .main-svg").first.wait_for()
    becomes(lambda: page.locator(f"{FIRST_PART} + *").count(), 1)
    for look in (PHONE, DESKTOP):
        resize(page, look)
        bars = figure(page).locator(".barlayer").first
        becomes(lambda bars=bars, look=look: lower_end(bars) < look.height)
    click(page.get_by_text("Table, files and Python"))
    got = download(page.get_by_role("button", name="Data (CSV)"))
    assert "verifier,-1.0," in got.path().read_text("utf-8")
    # By mouse and by keyboard.
    click(page.get_by_role("radio", name="By wit"))
    page.wait_for_url(re.compile("q=wit"))
    expect(page.get_by_text("How often the verdict is right")).to_be_visible()
    press(page.get_by_role("radio", name="By wit"), "ArrowRight")
    page.wait_for_url(re.compile("q=commit"))
    back(page)
    page.wait_for_url(re.compile("q=wit"))
    a_slider_moves_the_marks_and_the_link_shows_the_same(page)
    click(page.get_by_role("radio", name="By commitment"))
    the_handle_moves_along_the_frontier(page)


def the_handle_moves_along_the_frontier(page):
    chart = page.locator(".chart").filter(visible=True)
    says = chart.locator(".says")
    expect(says).to_contain_text("True claims accepted: at least 60%")
    before = chart.locator("svg").first.inner_html()
    press(chart.get_by_role("slider"), "Home")
    expect(says).to_contain_text("at least 0%")
    becomes(lambda: chart.locator("svg").first.inner_html() != before)
    page.wait_for_url(re.compile("at=0"))


def a_slider_moves_the_marks_and_the_link_shows_the_same(page):
    page.locator(".chart .picture svg").filter(visible=True).wait_for()
    press(page.get_by_role("slider", name="True side has evidence"), "End")
    page.wait_for_url(re.compile("shows=1"))
    expect(page.get_by_role("radio", name="By wit")).to_contain_text("80%")
    settled(page)
    page.goto(page.url)
    expect(page.get_by_role("radio", name="By wit")).to_contain_text("80%")
