"""The one way to act on a page: it waits, and nothing is lost on an element that is replaced."""

from __future__ import annotations

import pytest
from playwright.sync_api import Error

from tests.browser.acting import click, dragged, fill, press
from tests.browser.waiting import becomes, expect, held

# What stands there, and what happens to it a second later by the page's clock.
PAGE = """<body>{}<script>
const did = [], note = (what) => did.push(what);
setTimeout(() => {{ {} }}, 1000);
</script></body>"""
DOUBLED = '<textarea id="old"></textarea><textarea id="new"></textarea>'
# The first box is replaced by an empty one as soon as somebody has written in it.
REPLACED = """<textarea oninput="
  note(this.value); this.replaceWith(document.createElement('textarea'));"></textarea>"""
BUTTON = "<button onclick=\"note('clicked')\">Ask</button>"
# A page of the app while its script runs, for all that a test can see.
RUNS = """<script type="none" src="data:,static/js/"></script>
<div data-testid="stApp" data-test-script-state="running">
<button onclick="note(this.parentNode.dataset.testScriptState)">Ask</button></div>"""
HANDLE = """<p style="position: absolute; left: 100px; width: 200px" onpointerdown="note('down')"
  onpointermove="if (event.buttons) note(event.clientX)" onpointerup="note('up')">Handle</p>"""
ENDS = "document.querySelector('div').dataset.testScriptState = 'notRunning'"


def shown(open_page, content, later=""):
    page = open_page()
    page.set_content(PAGE.format(content, later))
    return page


@pytest.mark.parametrize(
    ("content", "later", "noted"), [(DOUBLED, "old.remove()", []), (REPLACED, "", ["Why?"])]
)
def test_a_text_is_filled_into_the_box_that_stays(open_page, content, later, noted):
    page = shown(open_page, content, later)
    fill(page.locator("textarea"), "Why?")
    expect(page.locator("textarea")).to_have_value("Why?")
    becomes(lambda: page.evaluate("did"), noted)


def test_a_button_that_stands_there_twice_is_pressed_once(open_page):
    page = shown(open_page, 2 * BUTTON, "document.querySelector('button').remove()")
    click(page, "Ask")
    press(page.get_by_role("button"), "Enter")
    becomes(lambda: page.evaluate("did"), ["clicked"] * 2)


@pytest.mark.parametrize(("now", "state"), [(False, "notRunning"), (True, "running")])
def test_an_action_waits_for_the_run_unless_it_is_quicker(open_page, now, state):
    page = shown(open_page, RUNS, ENDS)
    click(page, "Ask", now=now)
    becomes(lambda: page.evaluate("did"), [state])


def test_other_mistakes_are_reported_at_once(open_page):
    with pytest.raises(Error, match="not an <input>"):
        fill(shown(open_page, "<p>Text</p>").locator("p"), "Why?")


def test_a_handle_is_dragged_and_let_go(open_page):
    page = shown(open_page, HANDLE)
    with dragged(page.locator("p"), 0.25, start=(0.5, 0.5)):
        becomes(lambda: page.evaluate("[did[0], did.at(-1)]"), ["down", 250])
    becomes(lambda: page.evaluate("did.at(-1)"), "up")


def test_a_clock_that_is_held_moves_when_it_is_told_to(open_page):
    page = open_page()
    with held(page):
        page.set_content(PAGE.format("", "note('late')"))
        page.clock.run_for(900)
        becomes(lambda: page.evaluate("did"), [])
        page.clock.run_for(100)
        becomes(lambda: page.evaluate("did"), ["late"])
    # By itself, again.
    page.evaluate("setTimeout(() => note('later'), 10)")
    becomes(lambda: page.evaluate("did"), ["late", "later"])
