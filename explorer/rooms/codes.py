"""Codes to join a room by: easy to read from a projector, and to type on a phone."""

from __future__ import annotations

import secrets

from explorer.rooms.errors import NoSuchRoomError

__all__ = ["ALPHABET", "LENGTH", "new_code", "read_code"]

# Letters of which none is taken for another or for a digit, and that make no words: no vowels,
# and neither L, Q nor V.
ALPHABET = "BCDFGHJKMNPRSTWXYZ"
LENGTH = 5
# What is typed for a letter that looks like it.
MEANT = str.maketrans({"8": "B", "6": "G", "5": "S", "2": "Z", "0": "D", "O": "D", "V": "W"})
IGNORED = str.maketrans(dict.fromkeys(" \t\r\n-_.,/'\"\u2013\u2014\u00a0"))
MOST_TYPED = 40


def new_code() -> str:
    """A code that nobody can foresee."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def read_code(text: str) -> str:
    """The code that somebody means: in any case, with blanks and dashes.

    Raises
    ------
    NoSuchRoomError
        If it cannot be one.
    """
    code = text[:MOST_TYPED].translate(IGNORED).upper().translate(MEANT)
    if len(text) > MOST_TYPED or len(code) != LENGTH or not set(code) <= set(ALPHABET):
        raise NoSuchRoomError
    return code
