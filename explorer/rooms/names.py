"""What people are called."""

from __future__ import annotations

import unicodedata

from explorer.rooms.errors import RoomError

__all__ = ["MOST_NAME", "checked_name"]

MOST_NAME = 40
# Controls, what turns the direction of writing round, halves of characters, and what nobody sees.
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def checked_name(name: str) -> str:
    """A name on one line, of characters that are seen; it may be empty, and is never markup to us.

    Raises
    ------
    RoomError
        If it is too long.
    """
    if len(name) > 50 * MOST_NAME:
        raise RoomError(_TOO_LONG)
    # What is joined to the letter before it in a family of signs is no sign by itself.
    plain = "".join(
        c if unicodedata.category(c) not in UNSEEN or c == "\u200d" else " "
        for c in unicodedata.normalize("NFC", name)
    )
    words = " ".join(plain.split())
    if len(words) > MOST_NAME:
        raise RoomError(_TOO_LONG)
    return words if any(unicodedata.category(c)[0] in "LNSP" for c in words) else ""


_TOO_LONG = f"A name has at most {MOST_NAME} characters. Type a shorter one."
