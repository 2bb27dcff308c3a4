"""The page that prepares a workshop, and its rehearsal, on a phone."""

from __future__ import annotations

import pytest

from tests.browser.conftest import ROOMS_PASSWORD
from tests.browser.waiting import expect


def fits(page):
    """Whether nothing is cut off at the side."""
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def password(page):
    field = page.get_by_label("Facilitator's password")
    field.fill(ROOMS_PASSWORD)
    field.press("Enter")


@pytest.mark.parametrize("dark", [False, True])
def test_a_plan_is_read_on_a_phone(app, open_page, shot, dark):
    page = open_page(
        f"{app.url}/room?new=1&play=debate&minutes=20", width=390, height=844, dark=dark
    )
    page.get_by_role("list", name="The plan, minute by minute").wait_for()
    expect(page.get_by_text("Before the truth")).to_be_visible()
    assert fits(page)
    shot(page, f"workshop-phone-{'dark' if dark else 'light'}")
    password(page)
    page.get_by_role("button", name="Rehearse with 30 bots").click()
    page.get_by_text("Minute 1 of 20").wait_for()
    page.get_by_text("tables play").first.wait_for()
    assert fits(page)
    shot(page, f"workshop-phone-rehearsal-{'dark' if dark else 'light'}")
