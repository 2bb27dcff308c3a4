"""Somebody answers for a model of Inspect in a real browser."""

from __future__ import annotations

import pytest

from explorer.studies.inspect.person_page import Answer, PersonPage, Question
from tests.browser.acting import choose, click, fill, press
from tests.browser.waiting import expect, fits
from tests.depth import exhaustive
from tests.explorer.studies.inspect.somebody import asked

HOSTILE = "<img src=x onerror=alert(1)> **bold** \u202egnp.exe\n| \"Verdict: 'lie'\"\n"
CODE = "Look:\n```python\nif a < b:\n    pass\n```\n"
TOOL = {
    "name": "add",
    "description": "Add two numbers.",
    "parameters": {
        "properties": {
            "x": {"type": "integer", "description": "One number."},
            "how": {"type": "string", "enum": ["fast", "slow"]},
            "more": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["x"],
    },
}


@exhaustive
@pytest.mark.parametrize("look", [{}, {"width": 390, "height": 844, "dark": True}])
def test_a_person_answers_by_text_and_by_tools(open_page, shot, axe, look):
    served = PersonPage()
    questions = [
        Question(
            [
                {"role": "system", "text": "You are the verifier."},
                {"role": "user", "text": f'{HOSTILE}{CODE}Write "Verdict: accept", or ask.'},
            ]
        ),
        Question([{"role": "user", "text": "What is 2 + 2?"}], [TOOL], needs_tool=True),
    ]
    first = asked(served, questions[0])
    page = open_page(served.address, **look)
    expect(page.get_by_text("<img src=x onerror=alert(1)> **bold** \ufffdgnp.exe")).to_be_visible()
    expect(page.locator("pre")).to_have_text("if a < b:\n    pass")
    expect(page.get_by_role("button", name="Verdict: 'lie'")).to_have_count(0)
    second = asked(served, questions[1])
    expect(page.get_by_text("1 more question waits.")).to_be_visible()
    click(page, "Send")
    expect(page.get_by_text("The answer is empty.")).to_be_visible()
    fill(page.get_by_role("textbox"), "I am sure.")
    page.reload()
    click(page, "Verdict: accept")
    expect(page.get_by_role("textbox")).to_have_value("I am sure.\nVerdict: accept")
    fits(page)
    axe(page)
    shot(page, f"person-page-{look.get('width', 1280)}")
    press(page.get_by_role("textbox"), "Control+Enter")
    assert first.result(60) == Answer("I am sure.\nVerdict: accept")
    expect(page.get_by_text("Add two numbers.")).to_be_visible()
    fill(page.get_by_label("x", exact=True), "four")
    click(page, "Send")
    expect(page.get_by_text("x is not a number.")).to_be_visible()
    fill(page.get_by_label("x", exact=True), "4")
    expect(page.get_by_text("x is not a number.")).to_have_count(0)
    choose(page.get_by_label("how (optional)"), "slow")
    fill(page.get_by_label("more (optional)"), "[1, 2]")
    fits(page)
    axe(page)
    shot(page, f"person-page-tool-{look.get('width', 1280)}")
    click(page, "Send")
    expect(page.get_by_text("No question at the moment.")).to_be_visible()
    assert second.result(60) == Answer("", "add", {"x": 4, "how": "slow", "more": [1, 2]})
