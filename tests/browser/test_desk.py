"""A prover's desk in a real browser: somebody new answers the verifier without computing."""

from __future__ import annotations

import re

import pytest

from nip_core.tasks import problems
from tests.browser.acting import click
from tests.browser.waiting import becomes, expect, fits
from tests.depth import first

TASK = next(problem.wrong for problem in problems() if problem.slug == "runner_up")
SIZES = {"phone": (390, 844), "desktop": (1280, 900)}
MOST = 8  # answers in a game
# The turn of the last message, or the result.
STATE = """() => {
  const inside = (root) => [...root.querySelectorAll("*")].flatMap(
    (each) => [each, ...(each.shadowRoot ? inside(each.shadowRoot) : [])]);
  const all = inside(document);
  const shows = (name) => all.filter((each) => each.matches(name) && each.checkVisibility());
  return { over: shows(".headline .sign").length > 0, says: shows(".offer").length,
    said: shows(".message").length };
}"""


@pytest.mark.parametrize("size", first(1, SIZES))
def test_somebody_new_answers_without_computing(app, open_page, shot, size):
    width, height = SIZES[size]
    page = open_page(width=width, height=height)
    page.goto(f"{app.url}/play?protocol=nip&seat=prover&task=id:{TASK.id}&seed=4")
    click(page, "Begin")
    said = 0
    for _ in range(MOST):
        before = said
        state = becomes(
            lambda before=before: page.evaluate(STATE),
            lambda now, before=before: now["over"] or (now["says"] and now["said"] > before),
        )
        if state["over"]:
            break
        expect(page.locator(".desk")).to_contain_text("It returns")
        expect(page.locator(".meter")).to_contain_text("%")
        fits(page)
        shot(page, f"play-desk-{size}")
        said = state["said"]
        click(page.locator(".offer.story, .offer.true").first)
        # It fills the box, and nothing is sent.
        becomes(lambda: page.locator("textarea").input_value())
        becomes(lambda: page.evaluate(STATE)["said"], said)
        click(page, "Send")
    expect(page.locator(".headline")).to_contain_text(re.compile("You (won|lost): the verifier"))
    expect(page.locator(".review .yours")).to_contain_text("Here you said")
    shot(page, f"play-desk-over-{size}")
    expect(page.locator(".desk")).to_be_hidden()
