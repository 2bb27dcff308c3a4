"""The Learn section in a real browser."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from itertools import islice

import pytest
from playwright.sync_api import Error, expect

from explorer.lessons.library import lessons
from tests.browser.conftest import clicks
from tests.browser.looks import in_every_look
from tests.browser.means import MEANS, MOUSE
from tests.browser.waiting import TIMEOUT, becomes, fits, settled
from tests.depth import JOURNEYS

LESSONS = {lesson.slug: lesson for lesson in lessons()[0]}


def seen(page, app, slug):
    page.goto(f"{app.url}/learn?lesson={slug}")
    page.get_by_role("heading", name=LESSONS[slug].question).wait_for()
    page.get_by_text("For facilitators").wait_for()
    settled(page)
    return page


# Two lessons contain each kind of part and are checked in every look; the others only on a phone.
# In a quick run, all are checked only on a phone.
LOOKED_AT = ("two-rooms", "zero-knowledge")


def test_what_is_looked_at_has_each_kind_of_part():
    kinds = {block.kind for slug in LOOKED_AT for block in LESSONS[slug].blocks}
    assert kinds >= WALKS.keys()


QUICK = "stranger"


# Each lesson is walked by one means, and each means has a third of the lessons; with `NIP_WALKS=all
# make shots`, each lesson is walked by each.
EVERY = os.environ.get("NIP_WALKS") == "all"
WALKED = [
    pytest.param(slug, by, marks=pytest.mark.quick if (slug, by) == (QUICK, MOUSE) else ())
    for n, slug in enumerate(LESSONS)
    for m, by in enumerate(MEANS)
    if EVERY or (n + m) % len(MEANS) == 0
]


@pytest.mark.parametrize(("slug", "by"), WALKED, ids=lambda each: getattr(each, "name", each))
def test_every_lesson_from_its_start_to_its_end(app, open_page, shot, axe, slug, by):
    page = seen(open_page(width=390), app, slug)
    looks = in_every_look(page, lambda: settled(page))
    for look in looks if JOURNEYS and slug in LOOKED_AT else islice(looks, 1):
        shot(page, f"learn-{slug}-{look}")
        axe(page, "serious", "critical")
        fits(page)
    if JOURNEYS:
        walked(page, slug, by)
    assert not page.get_by_text("could not be shown").count()


def walked(page, slug, by):
    """Go through a lesson from start to end, to the summary of its questions."""
    blocks = LESSONS[slug].blocks
    for place, block in enumerate(blocks, start=1):
        walk = WALKS.get(block.kind)
        if walk:
            walk(page, block, f"{slug}-{place}", by)
    count = sum(block.kind == "quiz" for block in blocks)
    page.get_by_text(f"{count} of {count} questions answered, {count} right.").wait_for()
    fits(page)


def guess(page, block, key, by):
    slug, _, place = key.rpartition("-")
    nothing_below(page, slug, int(place))
    if block.choices:
        by.press(page.locator(f".st-key-ask-{key} label").filter(has_text=block.choices[0]).first)
    else:
        by.press(page.locator(f".st-key-say-{key} button"))
    page.locator(f".st-key-show-{key}").wait_for(state="detached")
    settled(page)


def nothing_below(page, slug, place):
    """Check that what follows a guess is not there before it."""
    page.locator(f".st-key-show-{slug}-{place}").wait_for()
    more = page.get_by_text(re.compile(r"more parts? of the lesson after your guess"))
    expect(more).to_be_visible()
    for later, block in enumerate(LESSONS[slug].blocks[place:], place + 1):
        key = f"{slug}-{later}"
        expect(page.locator(f"[class*='-{key}'], [class*='-{key}-']")).to_have_count(0)
        if block.kind == "quiz":
            expect(page.get_by_text(block.question)).to_have_count(0)


def play(page, block, key, by):
    """Take the last choice until the game is over; then another can begin."""
    again = page.locator(f".st-key-again-{key} button")
    choices = page.locator(f"[class*='st-key-choice-{key}-'] button")
    until = time.monotonic() + TIMEOUT
    choices.or_(again).last.wait_for()
    while not again.count() and time.monotonic() < until:
        # A button may vanish during a redraw.
        with suppress(Error):
            by.press(choices.last)
        settled(page)
    by.press(again)
    again.wait_for(state="detached")


def answer(page, block, key, by):
    """Answer first wrongly, then correctly."""
    for each in sorted(block.answers, key=lambda one: one.right):
        by.press(page.locator(f".st-key-quiz-{key} label").filter(has_text=each.text).first)
        said = page.get_by_text(f"{'Right.' if each.right else 'Not quite.'} {each.why[:20]}")
        said.first.wait_for()
    settled(page)


def look_at(page, block, key, by):
    page.locator(f".st-key-figure-{key} .chart .picture svg").first.wait_for()


def draw(page, block, key, by):
    moved(page.locator(f".st-key-playable-{key} .touch"), by)


def moved(stage, by):
    """Move a drawing until its text or its handles' labels change.

    Several moves are made, since one may lead to a picture with the same text.
    """
    expect(stage.locator(".says")).not_to_be_empty()
    before = said(stage)
    handles = stage.locator(".handle[tabindex='0']:visible")
    for n in [*range(handles.count())] * 5:
        by.move(handles.nth(n))
        if said(stage) != before:
            return
    # The last touch may still be in progress.
    becomes(lambda: said(stage) != before)


def said(stage):
    return stage.locator(".says, .handle").evaluate_all(
        "all => all.map((one) => one.getAttribute('aria-label') ?? one.textContent)"
    )


WALKS = {"predict": guess, "game": play, "quiz": answer, "experiment": look_at, "playable": draw}


def test_from_the_list_and_back(app, open_page, shot, axe):
    page = open_page(f"{app.url}/learn")
    # Each card has a picture that the browser can draw.
    page.locator(".nip-lessons a").first.wait_for()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.nip-lessons a')]"
        ".every((card) => card.querySelector('img')?.naturalWidth > 50)"
    )
    page.get_by_role("link", name=re.compile("Two liars tell the same story")).click()
    page.get_by_role("heading", name="Two liars tell the same story").wait_for()
    page.get_by_text("0 of 3 questions answered, 0 right.").wait_for()
    assert clicks(page) == 1
    page.get_by_role("link", name="All lessons").click()
    page.get_by_text("On this device: ").wait_for()
    shot(page, "learn")
    axe(page)
    for name, heading in (
        ("Glossary", "Glossary"),
        ("Table of protocols", "Table of protocols"),
        ("For facilitators", "For facilitators"),
    ):
        page.goto(f"{app.url}/learn")
        page.get_by_role("link", name=name).click()
        page.get_by_role("heading", name=heading).wait_for()
        settled(page)
        axe(page)
    page.get_by_role("link", name="Write a lesson of your own").click()
    page.get_by_role("heading", name="A lesson of your own").wait_for()
    settled(page)
    shot(page, "learn-writing")
    axe(page)


def test_edges_are_opened_by_click_and_by_key(app, open_page, shot):
    page = seen(open_page(), app, "zero-knowledge")
    # The game comes after a guess.
    page.get_by_role("button", name="Show me").click()
    settled(page)
    edge = page.get_by_role("button", name="edge from 1 to 2")
    edge.first.press("Enter")
    page.get_by_text("Round 1:").wait_for()
    page.get_by_text("edge 1-2:").first.wait_for()
    other = page.get_by_role("button", name="edge from 4 to 5").first.locator("line.hit")
    caught = page.get_by_text("The cheat was caught").first
    # With a cheat, the first edge may already be the wrong one.
    other.or_(caught).first.wait_for(state="attached")  # a line is too thin to be seen
    settled(page)
    if not caught.count():
        other.click(force=True)
        page.get_by_text("edge 4-5:").first.wait_for()
    shot(page, "learn-opened-edges")


def test_every_link_of_a_lesson_opens(app, open_page):
    """One lesson's links; `tests/explorer/lessons/test_library.py` reads those of all."""
    page = seen(open_page(), app, "zero-knowledge")
    page.get_by_role("button", name="Show me").click()
    links = page.locator("a.nip-button[target='_blank']")
    links.first.wait_for()
    settled(page)
    addresses = [links.nth(n).get_attribute("href") for n in range(links.count())]
    assert len(addresses) >= 3
    for address in addresses:
        page.goto(f"{app.url}{address}")
        page.get_by_text(
            re.compile("Take a seat|What each seat is worth|Schedule")
        ).first.wait_for()
        settled(page)
        assert not page.get_by_text("could not be shown").count()
        assert not page.get_by_text("cannot be used").count()


def test_a_lesson_is_where_it_was_after_a_reload(app, open_page):
    page = seen(open_page(), app, "stranger")
    place = next(n for n, b in enumerate(LESSONS["stranger"].blocks, 1) if b.kind == "predict")
    block = LESSONS["stranger"].blocks[place - 1]
    assert not page.get_by_text("What repetition is not").count()
    guess(page, block, f"stranger-{place}", MOUSE)
    asked = next(n for n, b in enumerate(LESSONS["stranger"].blocks, 1) if b.kind == "quiz")
    answer(page, LESSONS["stranger"].blocks[asked - 1], f"stranger-{asked}", MOUSE)
    page.get_by_text("1 of 3 questions answered, 1 right.").wait_for()
    tests = page.locator(".touch [aria-label^='Tests for each stranger']")
    for _ in range(4):
        tests.press("ArrowRight")
    says = page.locator(".touch .says")
    expect(says).to_contain_text("4 tests, all passed: you believe")
    left = says.inner_text()
    page.reload()
    page.get_by_text(f"Your guess: {block.choices[0]}").wait_for()
    page.get_by_text("1 of 3 questions answered, 1 right.").wait_for()
    # The same strangers, too.
    expect(says).to_have_text(left)
    page.goto(f"{app.url}/learn")
    page.go_back()
    page.get_by_text(f"Your guess: {block.choices[0]}").wait_for()
