"""What to do now, as plain data: the facilitator's next step, and the status of each window."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from explorer.languages import language, marked, tr
from explorer.pictures import on
from explorer.rooms.events import KEY
from explorer.rooms.room import Room
from explorer.rooms.seating import with_bots
from nip_core.displays import displayed

# The labels of the actions' buttons.
ACTIONS = {
    "start": "Start",
    "resume": "Go on",
    "reveal": "Reveal the truth",
    "next": "Next task",
    "pause": "Pause",
    "extend": "One minute more",
    "end": "End the task",
    "close": "Close the room",
}
# These cannot be undone, so they need a confirmation.
FINAL = ("end", "close")


# What is shown at a table where a model has a problem, by the kind of player in its seat.
MODELS = {
    ("llm",): "a language model has not answered. A scripted player takes over soon. Choose the "
    "table to read why; under More you can give it another key.",
    ("scripted", "random"): "a scripted player has taken over for a language model. Choose the "
    "table to read why, or to give the seat back.",
}


@displayed
@dataclass(frozen=True, slots=True)
class Guidance:
    """The facilitator's next step."""

    sentence: str
    actions: tuple[str, ...]  # keys of `ACTIONS`
    main: str = ""  # the recommended one; empty if there is nothing to do but wait


def all_over(room: Room) -> bool:
    """Return whether the present task is over at all tables."""
    return bool(room.tables) and all(table.phase == "over" for table in room.tables)


def predicting(room: Room) -> bool:
    """Return whether people may predict the safer condition: before the truth is revealed."""
    over = room.phase in ("running", "paused", "ended") and all_over(room)
    return over and len({table.condition for table in room.tables}) == 2


ABOUT_STATEMENTS = marked("At which tables did verifiers accept more of the false statements?")
ABOUT_VERDICTS = marked("At which tables were more of the verdicts right?")
SAME = marked("About the same")  # stored in English


def prediction_question(room: Room) -> str:
    """Return what people predict."""
    return tr(ABOUT_STATEMENTS if room.plan.on_statements else ABOUT_VERDICTS)


def prediction_choices(room: Room) -> list[str]:
    """Return what they may predict."""
    return [*(condition.name for condition in room.plan.conditions), SAME]


def guidance(room: Room, rows: Sequence[Mapping[str, Any]], predicted: int) -> Guidance:
    """Return the facilitator's next step.

    The `rows` are from `board`; `predicted` is how many people have predicted the result.
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
            "The truth is revealed. Go through the result together, or play the next task.",
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
        advice = (
            f"People predict the result now ({predicted} of {people} have). Reveal the truth when "
            "you are ready."
        )
    else:
        advice = "Reveal the truth when all are listening."
    return Guidance(f"{several}. {advice}", ("reveal", "next", "close"), "reveal")


def _running(room: Room, rows: Sequence[Mapping[str, Any]]) -> Guidance:
    limited = room.plan.round_seconds is not None
    actions = ("pause", *(("extend",) if limited else ()), "end")
    held_up = [row["number"] for row in rows if _held_up(row)]
    if held_up:
        waits = "waits" if len(held_up) == 1 else "wait"
        do = "let a bot take over" if room.plan.bots else "end it if they do not come back"
        advice = f"{waits} for somebody who is not there. Choose the table, and {do}."
        return Guidance(f"{_tables(held_up)} {advice}", actions)
    for bots, advice in MODELS.items():
        numbers = [r["number"] for r in rows if any(_has_note(s, bots) for s in r["seats"])]
        if numbers:
            return Guidance(f"{_tables(numbers)}: {advice}", actions)
    playing = sum(row["phase"] == "running" for row in rows)
    tables = "1 table plays" if playing == 1 else f"{playing} tables play"
    return Guidance(f"{tables}. Watch, or walk around: nothing needs you.", actions)


def _tables(numbers: Sequence[int]) -> str:
    which = ", ".join(str(sign_of(number)) for number in numbers[:6])
    which += "..." if len(numbers) > 6 else ""
    return f"Table {which}" if len(numbers) == 1 else f"Tables {which}"


def _has_note(seat: Mapping[str, Any], bots: tuple[str, ...]) -> bool:
    return bool(seat["note"]) and seat["bot"] in bots


def _held_up(row: Mapping[str, Any]) -> bool:
    """Return whether a table waits for somebody whose windows are all closed."""
    if row["phase"] != "running":
        return False
    return any(
        seat["state"] == "empty" or (seat["state"] == "lost" and seat["asked"])
        for seat in row["seats"]
    )


# -- the signs of tables and pairs, and the banner that shows them ---------------------------------

# Words and colours; the colours are the same in the light and the dark theme.
COLOURS = (
    (marked("Blue"), "#1F5FB5"),
    (marked("Orange"), "#F08A00"),
    (marked("Green"), "#009E73"),
    (marked("Pink"), "#E0A3C8"),
    (marked("Yellow"), "#F0E442"),
    (marked("Grey"), "#44474D"),
)


@displayed
@dataclass(frozen=True, slots=True)
class Sign:
    """What the phones of one table or pair show, so that people find each other."""

    word: str  # the colour's name
    number: int  # the number of the table or pair, from 1
    fill: str
    ink: str  # the text colour on it

    def __str__(self) -> str:
        return f"{self.word} {self.number}"

    def to_dict(self) -> dict[str, Any]:
        """Return the sign as a plain document."""
        return {"text": str(self), "fill": self.fill, "ink": self.ink}


def sign_of(number: int) -> Sign:
    """Return the sign of a table or a pair by its number, from 1."""
    word, fill = COLOURS[(number - 1) % len(COLOURS)]
    return Sign(tr(word), number, fill, on(fill))


# Whether it is the person's turn or somebody else's, or nothing can be done.
Tone = Literal["go", "wait", "stop"]
StatusBanner = dict[str, object]


def status_banner(
    now: str,  # what to do, in one sentence
    *,
    tone: Tone,
    where: str = "",  # the room, the table and the person's role
    # The appearance of the person's seat: its technical name `agent`, its `name` and `badge`, and
    # `light` and `dark`, each a colour with the text colour on it.
    seat: Mapping[str, object] | None = None,
    ends: datetime | None = None,  # the end of the time limit
    place: str | None = None,  # the same value in all windows at one seat
    far: float | None = None,  # the progress shown as a bar, from 0 to 1
    sign: int | None = None,  # the number of the table or pair, which selects its sign
) -> StatusBanner:
    """Return a status banner."""
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


def with_clock(banner: dict[str, Any]) -> dict[str, Any]:
    """Return a banner, or data with a banner as ``now``, with the server's time added.

    The time is added only if there is a limit, and only when it is sent, so that comparisons ignore
    it.
    """
    if banner.get("ends") is not None:
        return {**banner, "clock": time.time()}
    if isinstance(banner.get("now"), dict):
        return {**banner, "now": with_clock(banner["now"])}
    return banner


# -- what is kept of a person ----------------------------------------------------------------------


@displayed
@dataclass(frozen=True, slots=True)
class Own:
    """What every window of a person shows of themselves and of the room."""

    code: str
    room: str  # its name
    person: int
    name: str  # their name as others see it
    left: bool  # whether they have left
    rehearsal: bool  # whether a browser may be several people
    recorded: tuple[str, ...]  # what is kept of them


def own_facts(room: Room, person: int) -> Own:
    """Return what a person's windows show of themselves."""
    somebody = room.person(person)
    return Own(
        code=room.code,
        room=room.name,
        person=person,
        name=somebody.shown,
        left=somebody.left,
        rehearsal=room.plan.rehearsal,
        recorded=recorded(room),
    )


def is_watched(room: Room) -> bool:
    """Return whether there is a link by which spectators see a seat's view during play."""
    return room.plan.gallery == "seat" and bool(room.state.get(KEY))


MONTHS = (
    marked("January"),
    marked("February"),
    marked("March"),
    marked("April"),
    marked("May"),
    marked("June"),
    marked("July"),
    marked("August"),
    marked("September"),
    marked("October"),
    marked("November"),
    marked("December"),
)


def deleted_on(room: Room) -> str:
    """Return the day on which all of a room is deleted."""
    day = datetime.fromisoformat(room.expires)
    month = tr(MONTHS[day.month - 1])
    return tr("{day} {month} {year}", day=day.day, month=month, year=day.year)


def recorded(room: Room) -> tuple[str, ...]:
    """Return what is kept of a person, who reads it, and until when."""
    key = f"recorded in {language()}"
    if key not in room.derived:
        room.derived[key] = tuple(_recorded(room))
    return room.derived[key]


def _recorded(room: Room) -> list[str]:
    names = room.plan.names
    if room.kind == "lesson":
        kept = tr("This room keeps your answers, and no name: you are a number here.")
        readers = tr("The facilitator sees how many answered what, and can keep it as a file.")
        if names:
            kept = tr("This room keeps your answers, and your name, if you type one.")
            readers = tr(
                "The facilitator sees how many answered what, and has a sheet of who answered "
                "what, with names; both can be kept as files."
            )
    else:
        kept = tr(
            "This room keeps what you write and decide, and when, and no name: you are a number "
            "here."
        )
        if names:
            kept = tr(
                "This room keeps what you write and decide, and when, and your name, if you type "
                "one."
            )
        readers = tr(
            "Your table reads what you write to it. After the reveal everybody in the room may, "
            "and the facilitator can keep it as a file."
        )
    return [
        kept,
        readers,
        *_of_bots(room),
        *_of_spectators(room),
        tr("All of it is deleted on {date} at the latest.", date=deleted_on(room)),
        tr(
            "You can leave at any time, and have your part deleted: your name, your answers and "
            "all that you wrote. Which verdict you gave, and when, stays; so does anything that "
            "others quoted."
        ),
    ]


def _of_bots(room: Room) -> list[str]:
    """Say whether a bot may play in somebody's place, and when others learn of it."""
    if room.kind == "lesson":
        return [tr("A bot may answer for a partner who is missing. You will see when it does.")]
    if not room.plan.bots:
        none = tr("No bot plays in anybody's place.")
        late = tr("A table ends when its time is up.")
        return [f"{none} {late}" if room.plan.round_seconds else none]
    if room.plan.bots_told == "once":
        return [
            tr(
                "If somebody is missing or too late, a bot may move for them. They see it at "
                "once, and so do the others. Such tables are not counted."
            )
        ]
    return [
        tr(
            "If somebody is missing or too late, a bot may move for them. They see it at once, "
            "the others when the table is over. Such tables are not counted."
        )
    ]


def _of_spectators(room: Room) -> list[str]:
    """Return sentences for the players about spectators who may watch."""
    seat = room.plan.gallery_seat
    if not is_watched(room) or seat is None:
        return []
    name = next(
        condition.rules.seat_name(seat[1])
        for condition in room.plan.conditions
        if seat[1] in condition.rules.seat_names
    )
    return [
        tr(
            "Spectators see what the {seat} at table {table} sees, while it is played.",
            seat=name.lower(),
            table=sign_of(seat[0]),
        )
    ]
