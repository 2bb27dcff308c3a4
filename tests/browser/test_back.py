"""Back, after a page was left through the menu: it shows what had been chosen there."""

from __future__ import annotations

import re

import pytest

from tests.browser.acting import back, click
from tests.browser.waiting import expect, settled
from tests.depth import first

# Choices in the address of each page that has some, and a page to which people go on.
CHOICES = [
    ("rewards?protocol=mnip&q=wit", "Protocols"),
    ("protocols?protocol=debate&view=Table", "Play"),
    ("play?protocol=adp", "Rewards"),
    ("studies?study=baseline", "Learn"),
    ("transcripts?order=oldest", "Studies"),
    ("learn?q=zero", "Play"),
]


@pytest.mark.parametrize("place", first(1, CHOICES), ids=lambda place: place[0])
def test_back_leads_to_what_was_chosen(app, open_page, place):
    address, onward = place
    page = open_page(f"{app.url}/{address}")
    settled(page)
    before = page.url
    click(page.get_by_role("banner"), onward, role="link", exact=True)
    expect(page).to_have_url(re.compile(rf"/{onward.lower()}(\?|$)"))
    back(page)
    expect(page).to_have_url(before)
    settled(page)
    expect(page).to_have_url(before)
    if "q=wit" in address:
        expect(page.get_by_role("radio", name="By wit")).to_be_checked()
