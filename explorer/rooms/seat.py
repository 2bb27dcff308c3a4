"""A person's seat as plain data, and what they do there: what their line brings and takes."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from explorer.game_table.seen import Seen
from explorer.rooms.drafts import place_in_browser
from explorer.rooms.errors import NotNowError, RoomError
from explorer.rooms.replacing import hand_back
from explorer.rooms.room import RoomTable
from explorer.rooms.signs import sign_of
from explorer.rooms.strip import Strip, Tone, strip
from explorer.rooms.tables import LEFT, SeatedTable, seat_at
from explorer.storage import Storage, StorageError
from nip_core.errors import NipError

__all__ = ["act_at_seat", "mark_of", "seat_screen"]

OVER = "The conversation is over. It can still be read."
KEPT = "What you have typed is kept until you can go on."

MOST_MARK = 64  # characters

Refusal = dict[str, str | None]


def seat_screen(at: SeatedTable) -> dict[str, Any] | None:
    """What ``explorer/front/seat.js`` shows a person at their table; None while they have none.

    It is made of their seat's view, and of what everybody at the table may know.

    Returns
    -------
    dict, optional
        ``place``, by which the browser knows this seat in this episode; ``now``, what to do now;
        ``away``, whether a bot plays instead; and ``table``, from
        :func:`~explorer.game_table.screen.screen`.
    """
    if at.table is None or at.seen is None:
        return None
    table = _table(at, at.seen)
    place = _place(at)
    return {
        "place": place,
        "now": _now(at, at.table, table, place),
        "away": at.replaced,
        "table": table,
    }


def _table(at: SeatedTable, seen: Seen) -> dict[str, Any]:
    """The seat's screen; without a place for a move while none would be taken."""
    if at.over:
        return seen.stopped(OVER, for_good=True)
    if at.paused or at.replaced:
        return seen.stopped(KEPT)
    return seen.screen


def _now(at: SeatedTable, facts: RoomTable, table: dict[str, Any], place: str) -> Strip:
    look = table["agents"][at.agent]
    composer = table["composer"]
    tone: Tone = "wait"
    if composer["channels"] or composer["may_decide"]:
        tone = "go"
    elif at.paused or at.over:
        tone = "stop"
    return strip(
        at.what_now,
        tone=tone,
        where=f"Table {sign_of(facts.number)}, {look['name']} · {at.room.name}",
        seat={"agent": at.agent, **look},
        ends=None if at.deadline is None else datetime.fromisoformat(at.deadline),
        place=place,
        sign=facts.number,
    )


def _place(at: SeatedTable) -> str:
    return place_in_browser(at.room.code, at.person.number, at.episode_id, at.agent)


def mark_of(said: Any) -> str:
    """What a window calls something that it asks for, which may be anything."""
    act = cast("dict[str, Any]", said) if isinstance(said, dict) else {}
    return f"{act.get('mark')}"[:MOST_MARK]


def act_at_seat(
    storage: Storage, code: str, person: int, visitor: str, said: Any
) -> Refusal | None:
    """Do what a person's window asks for: a move, or to have the seat back from a bot.

    Parameters
    ----------
    storage : Storage
    code : str
    person : int
    visitor : str
        The browser, which has to be that person.
    said : object
        It comes from a browser, and may be anything: ``place``, and ``back``, or a move.

    Returns
    -------
    dict, optional
        Why it was refused, and for which channel; None if it was done, now or when the same was
        said before.
    """
    act = cast("dict[str, Any]", said) if isinstance(said, dict) else {}
    try:
        at = seat_at(storage, code, person, visitor)
        if at.person.left:
            raise NotNowError(LEFT)
        if at.table is None or at.seen is None or act.get("place") != _place(at):
            raise NotNowError("The room has gone on since. Look at the table again.")
        if act.get("back") is True:
            if at.replaced:
                hand_back(storage, code, at.table.number, at.agent, by=visitor)
            return None
    except StorageError as error:
        return {"message": error.for_people, "channel": None}
    except (NipError, RoomError) as error:
        return {"message": str(error), "channel": None}
    return at.play(act)
