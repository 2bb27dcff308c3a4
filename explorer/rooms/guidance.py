"""What a facilitator does now: a sentence, and what can be done, the likeliest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.rooms.bots import with_bots
from explorer.rooms.room import Room
from explorer.rooms.signs import sign_of

__all__ = ["ACTIONS", "Guidance", "all_over", "guidance", "predicting"]

# What each action says on its button.
ACTIONS = {
    "start": "Start",
    "resume": "Go on",
    "reveal": "Tell the truth",
    "next": "Next task",
    "pause": "Pause",
    "extend": "One minute more",
    "end": "End the task",
    "close": "Close the room",
}
# These cannot be undone, so that they are asked about.
FINAL = ("end", "close")


# What is said of a table where something is told of a model, by what plays its seat.
MODELS = {
    ("llm",): "a language model has not answered. A scripted player takes over soon. Choose the "
    "table to read why; under More you can give it another key.",
    ("scripted", "random"): "a scripted player has taken over for a language model. Choose the "
    "table to read why, or to give the seat back.",
}


@dataclass(frozen=True, slots=True)
class Guidance:
    """What to do now.

    Parameters
    ----------
    sentence : str
    actions : tuple of str
        Of :data:`ACTIONS`.
    main : str
        The one of them that the sentence asks for; empty if there is nothing but to wait.
    """

    sentence: str
    actions: tuple[str, ...]
    main: str = ""


def all_over(room: Room) -> bool:
    """Is the present task over at all tables?"""
    return bool(room.tables) and all(table.phase == "over" for table in room.tables)


def predicting(room: Room) -> bool:
    """May people say now which condition is the safer one? Before the truth is told."""
    over = room.phase in ("running", "paused", "ended") and all_over(room)
    return over and len({table.condition for table in room.tables}) == 2


def guidance(room: Room, rows: Sequence[Mapping[str, Any]], predicted: int) -> Guidance:
    """What the facilitator does now.

    Parameters
    ----------
    room : Room
    rows : sequence of mapping
        From :func:`~explorer.rooms.board.board`.
    predicted : int
        How many people have predicted the result.
    """
    if room.phase == "closed":
        return Guidance("The room is closed. Its result stays until it is deleted.", ())
    if room.phase == "gathering":
        return _gathering(room)
    if room.phase == "paused":
        return Guidance(
            "All tables are paused. Go on when you are ready.", ("resume", "end"), "resume"
        )
    if room.phase == "revealed":
        return Guidance(
            "The truth is told. Go through the result together, or play the next task.",
            ("next", "close"),
            "next",
        )
    if all_over(room):
        return _over(room, rows, predicted)
    return _running(room, rows)


def _gathering(room: Room) -> Guidance:
    here, bots = len(room.here), sum(person.bot for person in room.here)
    if bots:
        own = "" if here == bots else f" and {here - bots} of you"
        return Guidance(f"{bots} bots{own} are here. Start when you like.", ("start",), "start")
    if not here:
        return Guidance("Show the code to everybody. You can start once the first has joined.", ())
    people = "1 person is" if here == 1 else f"{here} people are"
    return Guidance(f"{people} here. Start when all are.", ("start",), "start")


def _over(room: Room, rows: Sequence[Mapping[str, Any]], predicted: int) -> Guidance:
    several = "All tables are over" if len(room.tables) > 1 else "The table is over"
    if bots := sum(not row["counted"] for row in rows):
        several += f" ({with_bots(bots)})"
    if predicting(room):
        people = sum(not person.bot for person in room.here)
        return Guidance(
            f"{several}. People predict the result now ({predicted} of {people} have). Tell "
            "the truth when you are ready.",
            ("reveal", "next", "close"),
            "reveal",
        )
    return Guidance(
        f"{several}. Tell the truth when all are listening.",
        ("reveal", "next", "close"),
        "reveal",
    )


def _running(room: Room, rows: Sequence[Mapping[str, Any]]) -> Guidance:
    limited = room.plan.round_seconds is not None
    actions = ("pause", *(("extend",) if limited else ()), "end")
    held_up = [row["number"] for row in rows if _held_up(row)]
    if held_up:
        waits = "waits" if len(held_up) == 1 else "wait"
        do = "let a bot take over" if room.plan.bots else "end it if they do not come back"
        return Guidance(
            f"{_tables(held_up)} {waits} for somebody who is not there. Choose the table, and "
            f"{do}.",
            actions,
        )
    for bots, said in MODELS.items():
        numbers = [r["number"] for r in rows if any(_told(s, bots) for s in r["seats"])]
        if numbers:
            return Guidance(f"{_tables(numbers)}: {said}", actions)
    playing = sum(row["phase"] == "running" for row in rows)
    tables = "1 table plays" if playing == 1 else f"{playing} tables play"
    return Guidance(f"{tables}. Watch, or walk around: nothing needs you.", actions)


def _tables(numbers: Sequence[int]) -> str:
    which = ", ".join(str(sign_of(number)) for number in numbers[:6])
    which += "..." if len(numbers) > 6 else ""
    return f"Table {which}" if len(numbers) == 1 else f"Tables {which}"


def _told(seat: Mapping[str, Any], bots: tuple[str, ...]) -> bool:
    return bool(seat["told"]) and seat["bot"] in bots


def _held_up(row: Mapping[str, Any]) -> bool:
    """Does a table wait for somebody who is not there?"""
    if row["phase"] != "running":
        return False
    return any(
        seat["state"] == "empty" or (seat["state"] == "lost" and seat["asked"])
        for seat in row["seats"]
    )
