"""A workshop in ten minutes: from the page that prepares it to a running room with its plan."""

from __future__ import annotations

import re
import time

import pytest

from tests.browser.conftest import ROOMS_PASSWORD
from tests.browser.waiting import expect, fits
from tests.explorer.ui.test_schedule_published import OURS


def password(page):
    field = page.get_by_label("Facilitator's password")
    field.fill(ROOMS_PASSWORD)
    field.press("Enter")


def test_from_the_page_to_a_running_room_with_its_plan(app, open_page, shot, axe):
    began, clicks = time.perf_counter(), 0

    def press(page, name, role="button"):
        nonlocal clicks
        page.get_by_role(role, name=name).click()
        clicks += 1

    lead = open_page(f"{app.url}/room?new=1")
    press(lead, "A lesson together", "radio")
    lead.get_by_text("Two provers, two rooms", exact=True).first.click()
    clicks += 1
    press(lead, "45 minutes", "radio")
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
    press(lead, "Rehearse with 30 bots")
    lead.get_by_text("Minute 1 of 45").wait_for()
    lead.get_by_text("and 30 bots").wait_for()
    press(lead, "Next")
    lead.get_by_text("30 of 30").first.wait_for()
    shot(lead, "workshop-rehearsal")
    rehearsal = re.search(r"code=(\w+)", lead.url)[1]
    press(lead, "End the rehearsal")
    lead.get_by_role("button", name="Rehearse with 30 bots").wait_for()
    # The choices are still made.
    expect(plan.get_by_text("Pairs of phones are the liars: one room")).to_be_visible()
    expect(lead).to_have_url(re.compile(r"minutes=45.*lesson=two-rooms"))

    # -- paper, and the real room ---------------------------------------------------------------
    with lead.expect_download() as got:
        press(lead, "Handout")
    assert got.value.suggested_filename == "two-rooms-handout.html"
    password(lead)
    press(lead, "Open the room")
    with lead.expect_download() as got:
        press(lead, "Invitation sheet")
    code = re.search(r"code=(\w+)", lead.url)[1]
    assert code != rehearsal
    assert got.value.suggested_filename == f"room-{code}.html"
    shot(lead, "workshop-ready")
    press(lead, "Start the clock")
    lead.get_by_text("Minute 1 of 45").wait_for()
    press(lead, "Begin")
    lead.get_by_role("button", name="Back", exact=True).wait_for()
    expect(lead.get_by_text("People join", exact=True).first).to_be_visible()
    took = time.perf_counter() - began
    print(f"\nA workshop prepared with {clicks} clicks in {took:.1f} s")
    assert clicks <= 12
    axe(lead)
    shot(lead, "workshop-running")
    # The rehearsal is gone.
    lead.goto(f"{app.url}/room?code={rehearsal}")
    lead.get_by_text("There is no room with this code").wait_for()


def write_a_protocol(page, app):
    """Open a specification on the form, write a task for it, and reload the page."""
    page.goto(f"{app.url}/room?new=1&play=other&protocol=own&minutes=20")
    page.get_by_label("Or its text").fill(OURS)
    page.get_by_role("button", name="Read it").click()
    task = page.get_by_label("Plan", exact=True)
    task.fill("Move the market to Sunday.")
    task.blur()
    expect(page).to_have_url(re.compile("spec=.*written="))
    page.reload()
    expect(task).to_have_value("Move the market to Sunday.")


@pytest.mark.parametrize("dark", [False, True])
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
    page.get_by_role("button", name="Rehearse with 30 bots").click()
    page.get_by_text("Minute 1 of 20").wait_for()
    page.get_by_text("tables play").first.wait_for()
    fits(page)
    shot(page, f"workshop-phone-rehearsal-{'dark' if dark else 'light'}")
