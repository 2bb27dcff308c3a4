"""A person's seat: the screen that their connection sends, the page around it, and their moves."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from explorer.languages import marked, tr
from explorer.play import Refusal, attempt
from explorer.rooms.errors import NotNowError
from explorer.rooms.guidance import (
    Own,
    StatusBanner,
    Tone,
    own_facts,
    predicting,
    prediction_choices,
    prediction_question,
    sign_of,
    status_banner,
)
from explorer.rooms.lesson_views import LIVE
from explorer.rooms.people import hand_back
from explorer.rooms.plan import RoomCondition
from explorer.rooms.room import Access, RoomTable, place_in_browser
from explorer.rooms.tables import LEFT, SeatedTable, seat_at
from nip_core.displays import displayed

OVER = marked("The conversation is over. It can still be read.")

MOST_MARK = 64  # characters


def seat_screen(at: SeatedTable) -> dict[str, object] | None:
    """Return what ``explorer/front/seat.js`` shows a person at their table; None without a seat.

    It contains only their seat's view and what everybody at the table may know: ``place``, by which
    the browser knows this seat in this episode; ``now``, the status banner; ``away``, whether a bot
    plays instead; and ``table``, from :func:`~explorer.play.screen`, without an input while no move
    would be accepted.
    """
    if at.table is None or at.seen is None:
        return None
    table = {**at.seen.screen, "desk": at.seen.desk()}
    if at.over:
        table = at.seen.stopped(tr(OVER), for_good=True)
    elif at.paused or at.replaced:
        # The banner says why.
        table = at.seen.stopped("")
    now = _now(at, at.table, table)
    return {"place": _place(at), "now": now, "away": at.replaced, "table": table}


def _now(at: SeatedTable, facts: RoomTable, table: dict[str, Any]) -> StatusBanner:
    look = table["agents"][at.agent]
    composer = table["composer"]
    tone: Tone = "wait"
    if composer["acts"]:
        tone = "go"
    elif at.paused or at.over:
        tone = "stop"
    return status_banner(
        at.what_now,
        tone=tone,
        where=tr(
            "Table {sign}, {seat} · {room}",
            sign=sign_of(facts.number),
            seat=look["name"],
            room=at.room.name,
        ),
        seat={"agent": at.agent, **look},
        ends=None if at.deadline is None else datetime.fromisoformat(at.deadline),
        place=_place(at),
        sign=facts.number,
    )


def _place(at: SeatedTable) -> str:
    return place_in_browser(at.room.code, at.person.number, at.episode_id, at.agent)


@displayed
@dataclass(frozen=True, slots=True)
class Waiting:
    """What a person who has joined sees until their table is played."""

    says: str  # what happens next
    others: int  # how many others are here
    # A sentence about what is played; empty where there are several conditions, since people do not
    # learn theirs.
    protocol: str
    # The person's table, and the name of their seat, where people choose seats.
    seat: tuple[int, str] | None
    # The tables with free seats: the agent and the name of each.
    free: tuple[tuple[int, tuple[tuple[str, str], ...]], ...]


@displayed
@dataclass(frozen=True, slots=True)
class Prediction:
    """A question about the result, before the truth is revealed; `mine` is the person's answer."""

    question: str
    choices: tuple[str, ...]
    mine: str | None


@displayed
@dataclass(frozen=True, slots=True)
class SeatPage:
    """What a person's page shows around the screen of their seat."""

    own: Own
    phase: str
    turn: int  # the present task
    revealed: bool  # whether its truth is revealed, so that the room's result can be looked at
    seat: tuple[int, str] | None  # the person's table and agent
    waiting: Waiting | None  # shown instead of a table
    prediction: Prediction | None  # what the person is asked, if it is the time for that
    # The position of the log, on which the choice of a seat is based.
    position: int = field(metadata=LIVE)


def seat_page(at: SeatedTable, predicted: str | None) -> SeatPage:
    """Return what a person's page shows; `predicted` is what they have predicted."""
    room = at.room
    prediction = None
    if predicting(room):
        choices = tuple(prediction_choices(room))
        prediction = Prediction(prediction_question(room), choices, predicted)
    return SeatPage(
        own=own_facts(room, at.person.number),
        phase=room.phase,
        turn=room.turn,
        revealed=room.revealed,
        seat=at.person.seat,
        waiting=_waiting(at) if at.seen is None else None,
        prediction=prediction,
        position=room.version,
    )


def _waiting(at: SeatedTable) -> Waiting:
    room = at.room
    one = room.kind == "tables" and len(room.plan.conditions) == 1
    seat, free = None, list[tuple[int, tuple[tuple[str, str], ...]]]()
    if room.plan.seating == "choice":
        for table in room.tables:
            rules = room.plan.condition(table.condition).rules
            empty = [agent for agent, seat in table.seats.items() if seat.person is None]
            if empty:
                named = tuple((agent, rules.seat_name(agent)) for agent in empty)
                free.append((table.number, named))
            if at.table is not None and at.table.number == table.number:
                seat = table.number, rules.seat_name(at.agent)
    return Waiting(
        says=at.what_now,
        others=len(room.here) - 1,
        protocol=_about_protocol(room.plan.conditions[0]) if one else "",
        seat=seat,
        free=tuple(free),
    )


def _about_protocol(condition: RoomCondition) -> str:
    choice, rules = condition.choice, condition.rules
    seats = ", ".join(map(rules.seat_name, rules.seat_names))
    said = (f"{choice.title}.", choice.in_short, tr("At each table: {seats}.", seats=seats))
    return " ".join(filter(None, said))


def mark_of(request: Any) -> str:
    """Return the window's own name for a request, which may be anything."""
    act = cast("dict[str, object]", request) if isinstance(request, dict) else {}
    return f"{act.get('mark')}"[:MOST_MARK]


def act_at_seat(access: Access, person: int, request: Any) -> Refusal | None:
    """Carry out a request of a person's window: make a move, or take the seat back from a bot.

    It was sent by a browser, so it is unchecked: ``place``, and ``back`` or a move.
    """

    def do(act: dict[str, object]) -> Refusal | None:
        at = seat_at(access, person)
        if at.person.left:
            raise NotNowError(tr(LEFT))
        if at.table is None or at.seen is None or act.get("place") != _place(at):
            raise NotNowError(tr("The room has moved on. Look at the table again."))
        if act.get("back") is not True:
            return at.play(act)
        if at.replaced:
            hand_back(access, at.table.number, at.agent)
        return None

    return attempt(request, do)
