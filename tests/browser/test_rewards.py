"""The Rewards page in a real browser."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from PIL import Image

from explorer.pictures.chart_style import PAGE
from tests.browser.acting import click, download, dragged, pick, press, scroll_to
from tests.browser.looks import DESKTOP, look_like
from tests.browser.waiting import becomes, expect, settled


def bars(page):
    page.locator(".js-plotly-plot .barlayer .point").first.wait_for(state="attached")
    return page.locator(".js-plotly-plot .barlayer .point").count()


def test_a_slider_moves_the_values_and_the_link_shows_the_same(app, open_page):
    page = open_page(f"{app.url}/rewards")
    bars(page)
    pick(page, page.get_by_role("combobox", name="The verifier plays"), "With fixed chances")
    press(page.get_by_role("slider", name="Accepts what is true"), "End")
    page.wait_for_url(re.compile("accepts_true=1"))
    press(page.get_by_role("slider", name="Accepts what is false"), "Home")
    page.wait_for_url(re.compile("accepts_false=0"))
    page.get_by_text("Right: 93.8%").wait_for()
    settled(page)
    page.goto(page.url)
    page.get_by_text("Right: 93.8%").wait_for()
    bars(page)


def test_a_knob_that_is_dragged_moves_the_point(app, open_page):
    page = open_page(f"{app.url}/rewards")
    chart = page.locator(".chart").nth(1)
    expect(chart.locator(".says")).to_contain_text("completeness is at most 30.0%")
    own, allowed = (
        chart.get_by_role("slider", name=name)
        for name in ("Own check is right", "Soundness error allowed")
    )
    before = chart.locator("svg").first.inner_html()
    with dragged(allowed, 0.4, start=(0.1, 0.5)):
        # The chart changes during the drag, not only at its end.
        expect(chart.locator(".says")).to_contain_text(re.compile("soundness error of (49|50|51)"))
        becomes(lambda: chart.locator("svg").first.inner_html() != before)
    press(own, "End")
    expect(chart.locator(".says")).to_contain_text("completeness is at most 100.0%")
    got = download(page.get_by_role("button", name="Chart (SVG)").nth(1))
    assert "completeness is at most 100.0%" in got.path().read_text("utf-8")


def test_long_games_move_once_the_knob_is_let_go(app, open_page):
    page = open_page(f"{app.url}/rewards?nip_protocol.max_message_rounds=60")
    chart = page.locator(".chart").nth(1)
    says, own = chart.locator(".says"), chart.get_by_role("slider", name="Own check is right")
    expect(says).to_contain_text("at most 30.0%")
    own.evaluate("e => { e.value = 0.9; e.dispatchEvent(new Event('input', {bubbles: true})) }")
    expect(chart.locator("output").nth(1)).to_have_text("90%")
    settled(page)
    expect(says).to_contain_text("at most 30.0%")
    own.evaluate("e => e.dispatchEvent(new Event('change', {bubbles: true}))")
    expect(says).to_contain_text("at most 90.0%")


@pytest.mark.parametrize("protocol", ["nip", "mnip"])
def test_a_drag_at_fifty_rounds_moves_the_point_with_one_request(app, open_page, protocol):
    """How long it takes is measured by `benchmarks/drag.py`."""
    page, sent = open_page(), []
    page.on("websocket", lambda line: line.on("framesent", lambda frame: sent.append(frame)))
    key = f"{protocol}_protocol.max_message_rounds"
    page.goto(f"{app.url}/rewards?protocol={protocol}&{key}=50")
    chart = page.locator(".chart", has=page.get_by_role("slider"))
    expect(chart.locator(".says")).to_contain_text("With a soundness error")
    settled(page)
    asked, before = len(sent), chart.locator("svg").first.inner_html()
    # The slider is still held: nothing says that it has been let go.
    chart.get_by_role("slider").nth(1).evaluate(
        "e => { e.value = 0.7; e.dispatchEvent(new Event('input', {bubbles: true})) }"
    )
    becomes(lambda: chart.locator("svg").first.inner_html() != before)
    settled(page)
    becomes(lambda: len(sent) - asked, 1, page=page)


def test_every_verdict_is_seen_in_when_it_ends(app, open_page):
    """In every colour, a bar has an outline, and differs from the page and from other bars."""
    page = open_page(f"{app.url}/rewards?show=When it ends&play=simple")
    page.locator(".chart .picture svg").nth(2).wait_for()
    for look in (DESKTOP, replace(DESKTOP, dark=True)):
        look_like(page, look)
        becomes(partial(every_verdict_is_seen, page, look.theme))


BARS = """chart => [...chart.querySelectorAll("svg rect")].map((bar) => {
  const { x, y, width, height } = bar.getBoundingClientRect();
  // Half of an outline lies outside.
  return [bar.getAttribute("fill"), { x: x - 1, y: y - 1, width: width + 2, height: height + 2 }];
})"""


def every_verdict_is_seen(page, theme):
    chart = page.locator(".chart .picture").nth(2)
    scroll_to(chart)
    boxes = {}
    # At once, since a chart is redrawn when the look changes.
    for colour, box in chart.evaluate(BARS):
        boxes.setdefault(colour, []).append(box)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    ground = np.array([int(PAGE[theme].paper[i : i + 2], 16) for i in (1, 3, 5)])
    contrast = np.abs(np.asarray(picture).astype(int) - ground).max(axis=-1)
    tallest = [max(mine, key=lambda box: box["height"]) for mine in boxes.values()]
    return len(boxes) == 3 and all(is_seen(contrast, box) for box in tallest)


def is_seen(contrast, box):
    left, top = round(box["x"]), round(box["y"])
    right, bottom = round(box["x"] + box["width"]), round(box["y"] + box["height"])
    seen = contrast[top:bottom, left:right]
    rims = (seen[3:-3, :3], seen[3:-3, -3:], seen[:3, 3:-3].T)
    return bottom - top > 9 and all(np.mean(rim.max(axis=1) > 100) > 0.9 for rim in rims)


def test_a_sample_can_be_stopped(app, open_page, shot):
    # Long games, and so many that even a slow browser can stop them.
    address = "protocol=debate&play=simple&decides=0.01&debate_protocol.max_message_rounds=60"
    page = open_page(f"{app.url}/rewards?show=Sample&{address}")
    click(page.get_by_role("button", name="Sample", exact=True).last)
    page.get_by_text(re.compile(r"^[\d,]+ episodes$")).first.wait_for()
    click(page, "Stop", now=True)
    settled(page)
    # Earlier results are shown.
    page.get_by_text(re.compile(r"\d+ episodes, each played")).wait_for()
    page.locator(".js-plotly-plot").first.wait_for()
    page.locator(".chart .picture svg").nth(2).wait_for()
    shot(page, "rewards-sample")


def test_zero_knowledge_and_files(app, open_page, shot):
    page = open_page(f"{app.url}/rewards?protocol=nip&protocol_common.zero_knowledge=true")
    becomes(lambda: bars(page) > 100)
    shot(page, "rewards-zero-knowledge")
    click(page, "Export")
    assert "simulator" in download(page, "Distribution (CSV)").path().read_text("utf-8")
    assert "exact_values" in download(page, "Open as notebook").path().read_text("utf-8")


def test_from_the_schedule_to_the_rewards(app, open_page):
    page = open_page(f"{app.url}/protocols?protocol=debate&sequential=true")
    click(page, "What is a seat worth?", role="link")
    page.get_by_text("Verdicts: ").wait_for()
    page.wait_for_url(re.compile("set.sequential=true"))
