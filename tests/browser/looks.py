"""The two looks in which pages are checked: a light desktop, and a dark phone.

Colours and widths differ between them, so whatever depends on either is seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from explorer.pictures.chart_style import PAGE
from tests.browser.acting import press
from tests.browser.waiting import settled

__all__ = ["DESKTOP", "LOOKS", "PHONE", "Look", "in_every_look", "look_like", "resize"]


@dataclass(frozen=True)
class Look:
    """A window's size and colours."""

    name: str
    width: int
    height: int
    dark: bool

    @property
    def window(self) -> dict[str, int | bool]:
        """Return what `open_page` needs to open a window that looks like this."""
        return {"width": self.width, "height": self.height, "dark": self.dark}

    @property
    def theme(self) -> str:
        """Return the name of the colours, as media queries have it."""
        return "dark" if self.dark else "light"


DESKTOP = Look("desktop", 1280, 900, dark=False)
PHONE = Look("phone", 390, 844, dark=True)
# The phone comes first: what is measured when it is first drawn must also work at larger widths, as
# when a device is turned.
LOOKS = (PHONE, DESKTOP)

# Whether the page is drawn on this colour.
PAPER = """(colour) => {
  const page = document.querySelector("[data-testid=stApp]");
  return getComputedStyle(page).backgroundColor === colour;
}"""


def in_every_look(page) -> Iterator[Look]:
    """Show one visit's page in every look, for the cost of one visit; open it as on a phone."""
    for look in LOOKS:
        look_like(page, look)
        yield look


def resize(page, look: Look) -> None:
    """Give a window another size and other colours."""
    page.set_viewport_size({"width": look.width, "height": look.height})
    page.emulate_media(color_scheme=look.theme)


def look_like(page, look: Look) -> None:
    """Give a window another size and other colours, and wait until its page is drawn anew."""
    resize(page, look)
    page.wait_for_function(PAPER, arg=colour(PAGE[look.theme].paper))
    # The server draws charts and the mark, and learns of the colours at the next run.
    press(page, "r")
    settled(page)


def colour(code: str) -> str:
    """Return a colour in the form that browsers give it."""
    return "rgb({}, {}, {})".format(*(int(code[i : i + 2], 16) for i in (1, 3, 5)))
