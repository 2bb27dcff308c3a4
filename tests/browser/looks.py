"""The same page in different looks: light, dark, on a phone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from explorer.pictures.chart_style import PAGE
from tests.browser.acting import press
from tests.browser.waiting import settled

__all__ = ["LOOKS", "each_look", "in_every_look"]

LOOKS = ("light", "dark", "phone")

# Whether the page is drawn on this colour.
PAPER = """(colour) => {
  const page = document.querySelector("[data-testid=stApp]");
  return getComputedStyle(page).backgroundColor === colour;
}"""


def in_every_look(page, ready=lambda: None) -> Iterator[str]:
    """Show one visit's page in every look, for the cost of one visit.

    Open the page at a phone's width: what is measured when it is first drawn must also work at
    larger widths, as when a device is turned.

    Parameters
    ----------
    page : Page
        The page.
    ready : callable
        Waits until the page is complete.
    """
    for look in reversed(LOOKS):
        page.set_viewport_size({"width": 390 if look == "phone" else 1280, "height": 900})
        theme = "dark" if look == "dark" else "light"
        page.emulate_media(color_scheme=theme)
        page.wait_for_function(PAPER, arg=colour(PAGE[theme].paper))
        # The server draws charts and the mark, and learns of the colours at the next run.
        press(page, "r")
        settled(page)
        ready()
        yield look


def colour(code: str) -> str:
    """Return a colour in the form that browsers give it."""
    return "rgb({}, {}, {})".format(*(int(code[i : i + 2], 16) for i in (1, 3, 5)))


def each_look(items, quick: Mapping[str, str] = {}):
    """Return every item in every look, for `parametrize`; some of them are quick, by item."""
    return [
        pytest.param(item, look, marks=[pytest.mark.quick] if quick.get(item) == look else [])
        for item in items
        for look in LOOKS
    ]
