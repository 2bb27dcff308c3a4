"""What a person in a room is to do now; see ``explorer/front/now.js``."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from explorer.rooms import with_clock
from explorer.ui.components.front import front_component

__all__ = ["Tone", "show_now"]

# Is it the person's turn, somebody else's, or nobody's?
Tone = Literal["go", "wait", "stop"]

_component = front_component("now")


def show_now(
    now: str,
    *,
    tone: Tone,
    where: str,
    key: str,
    seat: dict[str, Any] | None = None,
    ends: datetime | None = None,
    place: str | None = None,
) -> None:
    """Put the strip on the page.

    Parameters
    ----------
    now : str
        What to do now, in one sentence.
    tone : {"go", "wait", "stop"}
    where : str
        Which room and table this is, and who one is there.
    key : str
    seat : dict, optional
        The looks of the person's seat: its technical name ``agent``, its ``name`` and ``badge``,
        and ``light`` and ``dark``, a colour and what is written on it.
    ends : datetime, optional
        Until when there is time.
    place : str, optional
        What is the same in all windows at one seat.
    """
    strip = {
        "now": now,
        "tone": tone,
        "where": where,
        "seat": seat,
        "ends": None if ends is None else ends.timestamp(),
        "place": place,
    }
    _component(data=with_clock({"now": strip})["now"], key=key)
