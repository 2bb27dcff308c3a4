"""The strip that says what to do now, as plain data; see ``explorer/front/now.js``."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any, Literal

from explorer.rooms.signs import sign_of

__all__ = ["Strip", "Tone", "strip", "with_clock"]

# Is it the person's turn, somebody else's, or nobody's?
Tone = Literal["go", "wait", "stop"]
Strip = dict[str, Any]


def strip(
    now: str,
    *,
    tone: Tone,
    where: str = "",
    seat: dict[str, Any] | None = None,
    ends: datetime | None = None,
    place: str | None = None,
    far: float | None = None,
    sign: int | None = None,
) -> Strip:
    """Make one.

    Parameters
    ----------
    now : str
        What to do now, in one sentence.
    tone : {"go", "wait", "stop"}
    where : str
        Which room and table this is, and who one is there.
    seat : dict, optional
        The looks of the person's seat: its technical name ``agent``, its ``name`` and ``badge``,
        and ``light`` and ``dark``, a colour and what is written on it.
    ends : datetime, optional
        Until when there is time.
    place : str, optional
        What is the same in all windows at one seat.
    far : float, optional
        Which share of what is waited for is there: a bar.
    sign : int, optional
        The table or the pair, by whose sign people find each other.
    """
    return {
        "now": now,
        "tone": tone,
        "where": where,
        "seat": seat,
        "ends": None if ends is None else ends.timestamp(),
        "place": place,
        "far": far,
        "sign": None if sign is None else sign_of(sign).to_dict(),
    }


def with_clock(said: dict[str, Any]) -> dict[str, Any]:
    """A strip, or what has one as its ``now``, with the server's time if it says until when.

    It is put on when the strip is sent: what is compared is the same at all times.
    """
    if said.get("ends") is not None:
        return {**said, "clock": time.time()}
    if isinstance(said.get("now"), dict):
        return {**said, "now": with_clock(said["now"])}
    return said
