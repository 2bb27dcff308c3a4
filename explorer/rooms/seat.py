"""A person's seat: the screen that their connection sends, and the moves that it takes."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from explorer.play import Refusal, attempt
from explorer.rooms.changes import place_in_browser
from explorer.rooms.errors import NotNowError
from explorer.rooms.guidance import StatusBanner, Tone, status_banner
from explorer.rooms.pairs import sign_of
from explorer.rooms.people import hand_back
from explorer.rooms.room import RoomTable
from explorer.rooms.tables import LEFT, SeatedTable, seat_at
from explorer.storage import Storage

__all__ = ["act_at_seat", "mark_of", "seat_screen"]

OVER = "The conversation is over. It can still be read."
KEPT = "What you have typed is kept."

MOST_MARK = 64  # characters


def seat_screen(at: SeatedTable) -> dict[str, Any] | None:
    """Return what ``explorer/front/seat.js`` shows a person at their table; None without a seat.

    It contains only their seat's view and what everybody at the table may know: ``place``, by which
    the browser knows this seat in this episode; ``now``, the status banner; ``away``, whether a bot
    plays instead; and ``table``, from :func:`~explorer.play.screen`, without an input while no move
    would be accepted.
    """
    if at.table is None or at.seen is None:
        return None
    table = at.seen.screen
    if at.over:
        table = at.seen.stopped(OVER, for_good=True)
    elif at.paused or at.replaced:
        table = at.seen.stopped(KEPT)
    now = _now(at, at.table, table)
    return {"place": _place(at), "now": now, "away": at.replaced, "table": table}


def _now(at: SeatedTable, facts: RoomTable, table: dict[str, Any]) -> StatusBanner:
    look = table["agents"][at.agent]
    composer = table["composer"]
    tone: Tone = "wait"
    if composer["channels"] or composer["may_decide"] or composer.get("choices"):
        tone = "go"
    elif at.paused or at.over:
        tone = "stop"
    return status_banner(
        at.what_now,
        tone=tone,
        where=f"Table {sign_of(facts.number)}, {look['name']} · {at.room.name}",
        seat={"agent": at.agent, **look},
        ends=None if at.deadline is None else datetime.fromisoformat(at.deadline),
        place=_place(at),
        sign=facts.number,
    )


def _place(at: SeatedTable) -> str:
    return place_in_browser(at.room.code, at.person.number, at.episode_id, at.agent)


def mark_of(said: Any) -> str:
    """Return the window's own name for a request, which may be anything."""
    act = cast("dict[str, Any]", said) if isinstance(said, dict) else {}
    return f"{act.get('mark')}"[:MOST_MARK]


def act_at_seat(
    storage: Storage, code: str, person: int, visitor: str, said: Any
) -> Refusal | None:
    """Do what a person's window asks for: make a move, or take the seat back from a bot.

    Parameters
    ----------
    said : object
        Sent by a browser, so it may be anything: ``place``, and ``back`` or a move.

    Returns
    -------
    Refusal, optional
    """

    def do(act: dict[str, Any]) -> Refusal | None:
        at = seat_at(storage, code, person, visitor)
        if at.person.left:
            raise NotNowError(LEFT)
        if at.table is None or at.seen is None or act.get("place") != _place(at):
            raise NotNowError("The room has moved on. Look at the table again.")
        if act.get("back") is not True:
            return at.play(act)
        if at.replaced:
            hand_back(storage, code, at.table.number, at.agent, visitor=visitor)
        return None

    return attempt(said, do)
