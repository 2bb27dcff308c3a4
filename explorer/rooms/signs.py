"""A sign for each table and each pair, such as "Blue 7", by which people find each other.

It is made of the number alone, so that nothing is stored: the number alone tells tables apart, and
the colour is what one sees from afar. It is a word as well, and never a colour alone. The colours
keep apart for colour-blind eyes (tests/explorer/rooms/test_signs.py measures it).
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from explorer.tokens import on
from nip_core.displays import displayed

__all__ = ["COLOURS", "SIGN_STYLE", "Sign", "sign_html", "sign_of"]

# The word, and the colour: it is the same on a light and on a dark page.
COLOURS = (
    ("Blue", "#1F5FB5"),
    ("Orange", "#F08A00"),
    ("Green", "#009E73"),
    ("Pink", "#E0A3C8"),
    ("Yellow", "#F0E442"),
    ("Grey", "#44474D"),
)

SIGN_STYLE = """<style>
.nip-sign { display: inline-block; padding: 0.15em 0.55em; border-radius: 0.35em; font-weight: 700; white-space: nowrap; line-height: 1.25; border: 1px solid color-mix(in srgb, currentcolor 35%, transparent); }
.nip-signs { display: flex; flex-wrap: wrap; gap: 0.5em; padding: 0 !important; margin: 0 !important; list-style: none; }
:root:has(.nip-wall) .nip-signs { font-size: clamp(1.2rem, 2.2vw, 2.6rem); }
.nip-signs li { margin: 0 !important; }
</style>"""  # noqa: E501


@displayed
@dataclass(frozen=True, slots=True)
class Sign:
    """What stands on the phones of a table or a pair.

    Parameters
    ----------
    word : str
        The colour's name.
    number : int
        The table's or the pair's, from 1 on.
    fill, ink : str
        The colour, and the colour of what is written on it.
    """

    word: str
    number: int
    fill: str
    ink: str

    def __str__(self) -> str:
        return f"{self.word} {self.number}"

    def to_dict(self) -> dict[str, Any]:
        """The same for a browser."""
        return {"text": str(self), "fill": self.fill, "ink": self.ink}


def sign_of(number: int) -> Sign:
    """The sign of a table or a pair by its number, from 1 on."""
    word, fill = COLOURS[(number - 1) % len(COLOURS)]
    return Sign(word, number, fill, on(fill))


def sign_html(number: int) -> str:
    """A sign as an element of a page, which shows :data:`SIGN_STYLE`, too."""
    sign = sign_of(number)
    style = f"background: {sign.fill}; color: {sign.ink}"
    return f'<span class="nip-sign" style="{style}">{escape(str(sign))}</span>'
