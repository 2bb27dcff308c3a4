"""A lesson in a room, in real browsers: a facilitator, a projector, and a pair of phones."""

from __future__ import annotations

import re

from explorer.lessons.library import lessons
from explorer.rooms.lesson import asks, steps
from tests.browser.conftest import ROOMS_PASSWORD
from tests.browser.waiting import becomes, expect, settled


def at_step(lead, number):
    lead.get_by_text(re.compile(rf"^Step {number} of \d+")).wait_for()


def press(page, name):
    # A click during a redraw may be lost.
    settled(page)
    page.get_by_role("button", name=name, exact=True).first.click()


def go_on(lead, number):
    """Continue from a step.

    The banner may show this step before the page around it does: until then the button leads to
    this step, so that two clicks do not skip one.
    """

    def is_on():
        press(lead, "Next")
        try:
            expect(lead.get_by_text(f"Step {number + 1} of").first).to_be_visible(timeout=5_000)
        except AssertionError:
            return False
        return True

    becomes(is_on)


def led(app, open_page, slug):
    """Open a room for a lesson, as its facilitator; return the page and the code."""
    lead = open_page(f"{app.url}/learn?lesson={slug}")
    lead.get_by_role("link", name="Start a workshop").click()
    password = lead.get_by_label("Facilitator's password")
    password.fill(ROOMS_PASSWORD)
    password.press("Enter")
    press(lead, "Open the room")
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
        press(phone, "Join")
        phone.get_by_text("The lesson begins soon").wait_for()
    # From here on, nobody reloads a page: the facilitator's changes arrive by themselves.
    press(lead, "Begin")
    at_step(lead, 1)
    press(lead, "Next")
    for phone in phones:
        phone.get_by_role("button", name="Guess").wait_for()
        press(phone, "Guess")
        phone.get_by_text("Your guess: 50%").wait_for()
    wall.get_by_text("2 of 2 have answered").wait_for()
    assert wall.get_by_text("The truth").count() == 0
    press(lead, "Reveal")
    wall.get_by_text("The truth: 87.5%").wait_for()
    shot(wall, "lesson-wall-guess")
    phones[0].get_by_text("The truth: 87.5%").wait_for()
    axe(wall)
    press(lead, "Next")
    for phone in phones:
        phone.get_by_text("agree on a plan now").wait_for()
    press(lead, "Open")
    for phone in phones:
        phone.get_by_text("is asked about country").wait_for()
    press(lead, "Reveal")
    press(lead, "Put up the wall")
    for phone in phones:
        phone.get_by_text("neither hears the other's question").wait_for()
    press(lead, "Open")
    for phone in phones:
        phone.get_by_text("Question 1 of 4: country").wait_for()
        expect(phone.get_by_text("is asked about country")).to_have_count(0)
    first, second = phones
    press(first, "A (blue)")
    first.get_by_text("Waiting for Person").first.wait_for()
    shot(first, "lesson-phone-waits")
    axe(first)
    first.reload()
    first.get_by_text("You said A (blue)").wait_for()
    press(second, "A (blue)")
    # Both see the verdict as soon as both have answered.
    for phone in phones:
        phone.get_by_text(re.compile("It fitted|you were caught")).first.wait_for()
    wall.get_by_text(re.compile(r"[01] of 1 \(")).first.wait_for()
    assert wall.get_by_text(re.compile("theory")).count() == 0
    press(lead, "Reveal")
    wall.get_by_text("theory: 87.5%").wait_for()
    shot(lead, "lesson-lead")
    axe(lead)


LESSON = next(each for each in lessons()[0] if each.slug == "stranger")


def take(phone, block):
    """Answer a block's question on one of two phones."""
    if block.kind == "playable":
        # Earlier drawings have been sent.
        phone.get_by_role("button", name="Send", exact=True).wait_for()
        phone.locator(".touch .handle").first.press("ArrowRight")
        press(phone, "Send")
        phone.get_by_text("Your result:").wait_for()
    elif block.kind == "game":
        phone.get_by_role("button", name=re.compile("^the (first|second) cup$")).first.click()
        phone.get_by_text(re.compile("Waiting for|Named")).first.wait_for()
    else:
        said = block.answers[0].text if block.kind == "quiz" else block.choices[0]
        phone.locator("label").filter(has_text=said).first.click()
        settled(phone)


def test_a_lesson_with_bots_and_two_phones_from_its_start_to_its_end(app, open_page):
    lead, code = led(app, open_page, LESSON.slug)
    press(lead, "Rehearse with 30 bots")
    lead.get_by_role("button", name="Bots leave").wait_for()
    phones = [open_page(f"{app.url}/join/{code}", width=390, height=844) for _ in range(2)]
    for phone in phones:
        press(phone, "Join")
        phone.get_by_text("The lesson begins soon").wait_for()
    press(lead, "Begin")
    for number, places in enumerate(steps(LESSON), 1):
        at_step(lead, number)
        block = next((block for n in places if asks(block := LESSON.blocks[n - 1])), None)
        if block is not None:
            if block.pairs:
                for phone in phones:
                    phone.get_by_text("Do not show your phone").wait_for()
                press(lead, "Open")
            for phone in phones:
                take(phone, block)
            lead.get_by_text("Open: 2 of 2 have answered").wait_for()
            press(lead, "Bots answer")
            press(lead, "Lock")
            lead.get_by_text("Locked: 2 of 2 have answered").wait_for()
            press(lead, "Reveal")
            lead.get_by_text("Revealed. 2 of 2 have answered").wait_for()
        if number < len(steps(LESSON)):
            go_on(lead, number)
