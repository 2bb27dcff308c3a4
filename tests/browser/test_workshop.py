"""A workshop in ten minutes: from the page that prepares it to a running room with its plan."""

from __future__ import annotations

import re

import pytest

from tests.browser.acting import blur, click, download, fill
from tests.browser.conftest import ROOMS_PASSWORD
from tests.browser.test_lesson_room import at_step
from tests.browser.waiting import expect, fits
from tests.depth import first
from tests.explorer.ui.protocols.test_page import OURS


def password(page):
    fill(page.get_by_label("Facilitator's password"), ROOMS_PASSWORD, "Enter")


def test_from_the_page_to_a_running_room_with_its_plan(app, open_page, shot, axe):
    lead, clicks = open_page(f"{app.url}/room?new=1"), 0

    def tap(name, role="button"):
        nonlocal clicks
        click(lead, name, role=role)
        clicks += 1

    tap("A lesson together", "radio")
    click(lead.get_by_text("Two provers, two rooms", exact=True).first)
    clicks += 1
    tap("45 minutes", "radio")
    plan = lead.get_by_role("list", name="The plan, minute by minute")
    expect(plan.get_by_text("The handout, in pairs")).to_be_visible()
    expect(plan.get_by_text("Pairs of phones are the liars: one room")).to_be_visible()
    # What was chosen stands in the address.
    expect(lead).to_have_url(re.compile(r"minutes=45.*lesson=two-rooms"))
    shot(lead, "workshop-plan")
    axe(lead)
    fits(lead)

    # -- the rehearsal: it runs at once, and is thrown away -------------------------------------
    password(lead)
    tap("Rehearse with 30 bots")
    lead.get_by_text("Minute 1 of 45").wait_for()
    lead.get_by_text("Bots: 30").wait_for()
    tap("Next")
    # The question before the lesson, its first text, and then a guess.
    at_step(lead, 2)
    click(lead, "Next", exact=True)
    at_step(lead, 3)
    lead.get_by_text("30 of 30").first.wait_for()
    shot(lead, "workshop-rehearsal")
    rehearsal = re.search(r"code=(\w+)", lead.url)[1]
    tap("End the rehearsal")
    lead.get_by_role("button", name="Rehearse with 30 bots").wait_for()
    # The choices are still made.
    expect(plan.get_by_text("Pairs of phones are the liars: one room")).to_be_visible()
    expect(lead).to_have_url(re.compile(r"minutes=45.*lesson=two-rooms"))

    # -- paper, and the real room ---------------------------------------------------------------
    assert download(lead, "Handout").suggested_filename == "two-rooms-handout.html"
    password(lead)
    tap("Open the room")
    sheet = download(lead, "Invitation sheet")
    clicks += 2
    code = re.search(r"code=(\w+)", lead.url)[1]
    assert code != rehearsal
    assert sheet.suggested_filename == f"room-{code}.html"
    shot(lead, "workshop-ready")
    tap("Start the clock")
    lead.get_by_text("Minute 1 of 45").wait_for()
    tap("Begin")
    lead.get_by_role("button", name="Back", exact=True).wait_for()
    # The plan is where the class is, and not where the clock is.
    expect(lead.get_by_text("The map; everybody guesses", exact=True).first).to_be_visible()
    assert clicks <= 12
    axe(lead)
    shot(lead, "workshop-running")
    # The rehearsal is gone.
    lead.goto(f"{app.url}/room?code={rehearsal}")
    lead.get_by_text("There is no room with this code").wait_for()


def write_a_protocol(page, app):
    """Open a specification on the form, write a task for it, and reload the page."""
    page.goto(f"{app.url}/room?new=1&play=other&protocol=own&minutes=20")
    fill(page.get_by_label("Or its text"), OURS)
    click(page, "Read it")
    task = page.get_by_label("Plan", exact=True)
    fill(task, "Move the market to Sunday.")
    blur(task)
    expect(page).to_have_url(re.compile("spec=.*written="))
    page.reload()
    expect(task).to_have_value("Move the market to Sunday.")


@pytest.mark.parametrize("dark", first(1, [True, False]))
def test_a_plan_is_read_on_a_phone(app, open_page, shot, dark):
    page = open_page(
        f"{app.url}/room?new=1&play=debate&minutes=20", width=390, height=844, dark=dark
    )
    if dark:
        write_a_protocol(page, app)
    page.get_by_role("list", name="The plan, minute by minute").wait_for()
    expect(page.get_by_text("Before the truth")).to_be_visible()
    fits(page)
    shot(page, f"workshop-phone-{'dark' if dark else 'light'}")
    password(page)
    click(page, "Rehearse with 30 bots")
    page.get_by_text("Minute 1 of 20").wait_for()
    page.get_by_text("tables play").first.wait_for()
    fits(page)
    shot(page, f"workshop-phone-rehearsal-{'dark' if dark else 'light'}")
