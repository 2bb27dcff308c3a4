"""A lesson in a room, in real browsers: a facilitator, a projector, and a pair of phones."""

from __future__ import annotations

import re
from functools import reduce

from playwright.sync_api import Locator

from explorer.lessons.library import lessons
from explorer.rooms.lesson import asks, steps
from tests.browser.acting import click, fill, press
from tests.browser.conftest import ROOMS_PASSWORD
from tests.browser.waiting import becomes, expect, settled


def at_step(lead, number):
    lead.get_by_text(re.compile(rf"^Step {number} of \d+")).wait_for()


def go_on(lead, number):
    """Continue from a step.

    The banner may show this step before the page around it does: until then the button leads to
    this step, so that two clicks do not skip one.
    """

    def is_on():
        click(lead, "Next", exact=True)
        try:
            expect(lead.get_by_text(f"Step {number + 1} of").first).to_be_visible(timeout=5_000)
        except AssertionError:
            return False
        return True

    becomes(is_on)


def led(app, open_page, slug):
    """Open a room for a lesson, as its facilitator; return the page and the code."""
    lead = open_page(f"{app.url}/learn?lesson={slug}")
    click(lead, "Start a workshop", role="link")
    fill(lead.get_by_label("Facilitator's password"), ROOMS_PASSWORD, "Enter")
    click(lead, "Open the room", exact=True)
    lead.get_by_role("button", name="Begin").wait_for()
    return lead, re.search(r"code=(\w+)", lead.url)[1]


def test_two_phones_are_the_two_provers(app, open_page, shot, axe):
    lead, code = led(app, open_page, "two-rooms")
    wall = lead.context.new_page()
    wall.set_viewport_size({"width": 1920, "height": 1080})
    wall.goto(f"{app.url}/room?code={code}&as=projector")
    wall.get_by_text(code).first.wait_for()
    phones = [open_page(f"{app.url}/join/{code}", width=390, height=844) for _ in range(2)]
    for phone in phones:
        click(phone, "Join", exact=True)
        phone.get_by_text("The lesson begins soon").wait_for()
    # From here on, nobody reloads a page: the facilitator's changes arrive by themselves.
    click(lead, "Begin", exact=True)
    at_step(lead, 1)
    for step in (2, 3):
        click(lead, "Next", exact=True)
        at_step(lead, step)
    for phone in phones:
        phone.get_by_role("button", name="First choose a number on the line").wait_for()
        press(phone.get_by_role("slider"), "ArrowRight")
        click(phone, "Guess", exact=True)
        phone.get_by_text(re.compile(r"Your guess: \d+%")).wait_for()
    wall.get_by_text("2 of 2 have answered").wait_for()
    assert wall.get_by_text("The truth").count() == 0
    click(lead, "Reveal", exact=True)
    wall.get_by_text("The truth: 87.5%", exact=True).wait_for()
    shot(wall, "lesson-wall-guess")
    phones[0].get_by_text("The truth: 87.5%").wait_for()
    axe(wall)
    for step in (4, 5):
        click(lead, "Next", exact=True)
        at_step(lead, step)
    for phone in phones:
        phone.get_by_text("agree on a plan now").wait_for()
    click(lead, "Open", exact=True)
    for phone in phones:
        phone.get_by_text("is asked about country").wait_for()
    click(lead, "Reveal", exact=True)
    click(lead, "Put up the wall", exact=True)
    for phone in phones:
        phone.get_by_text("neither hears the other's question").wait_for()
    click(lead, "Open", exact=True)
    for phone in phones:
        phone.get_by_text("Question 1 of 4: country").wait_for()
        expect(phone.get_by_text("is asked about country")).to_have_count(0)
    first, second = phones
    click(first, "A (blue)", exact=True)
    first.get_by_text("Waiting for Person").first.wait_for()
    shot(first, "lesson-phone-waits")
    axe(first)
    first.reload()
    first.get_by_text("You said A (blue)").wait_for()
    click(second, "A (blue)", exact=True)
    # Both see the verdict as soon as both have answered.
    for phone in phones:
        phone.get_by_text(re.compile("It fitted|you were caught")).first.wait_for()
    wall.get_by_text(re.compile(r"[01] of 1 \(")).first.wait_for()
    assert wall.get_by_text(re.compile("theory")).count() == 0
    click(lead, "Reveal", exact=True)
    wall.get_by_text("theory: 87.5%").wait_for()
    shot(lead, "lesson-lead")
    axe(lead)


LESSON = next(each for each in lessons()[0] if each.slug == "stranger")


def take(phone, block):
    """Answer a block's question on one of two phones."""
    if block.kind == "playable":
        # Earlier drawings have been sent.
        phone.get_by_role("button", name="First choose a number on the line").wait_for()
        press(phone.locator(".touch .handle").first, "ArrowRight")
        press(phone.get_by_role("slider"), "ArrowRight")
        click(phone, "Send", exact=True)
        phone.get_by_text("Your result:").wait_for()
    elif block.kind == "game":
        click(phone.get_by_role("button", name=re.compile("^the (first|second) cup$")).first)
        phone.get_by_text(re.compile("Waiting for|Named")).first.wait_for()
    else:
        # Chance draws for each phone which of two questions comes first.
        texts = [each.answers[0].text for each in block.asks if each.answers] or block.choices
        first, *others = (phone.get_by_role("button", name=text, exact=True) for text in texts)
        click(reduce(Locator.or_, others, first).first)
        settled(phone)


def test_a_lesson_with_bots_and_two_phones_from_its_start_to_its_end(app, open_page):
    lead, code = led(app, open_page, LESSON.slug)
    click(lead, "Rehearse with 30 bots", exact=True)
    lead.get_by_role("button", name="Bots leave").wait_for()
    phones = [open_page(f"{app.url}/join/{code}", width=390, height=844) for _ in range(2)]
    for phone in phones:
        click(phone, "Join", exact=True)
        phone.get_by_text("The lesson begins soon").wait_for()
    click(lead, "Begin", exact=True)
    taken = set()
    for number, places in enumerate(steps(LESSON), 1):
        at_step(lead, number)
        block = next((block for n in places if asks(block := LESSON.blocks[n - 1])), None)
        # Each kind of question is taken once; the others are passed while they are open.
        if block is not None and (block.kind, block.transfer) not in taken:
            taken.add((block.kind, block.transfer))
            if block.pairs:
                for phone in phones:
                    phone.get_by_text("Do not show your phone").wait_for()
                click(lead, "Open", exact=True)
            for phone in phones:
                take(phone, block)
            lead.get_by_text("Open: 2 of 2 have answered").wait_for()
            click(lead, "Bots answer", exact=True)
            click(lead, "Lock", exact=True)
            lead.get_by_text("Locked: 2 of 2 have answered").wait_for()
            click(lead, "Reveal", exact=True)
            lead.get_by_text("Revealed. 2 of 2 have answered").wait_for()
        if number < len(steps(LESSON)):
            go_on(lead, number)
    assert len(taken) > 4
