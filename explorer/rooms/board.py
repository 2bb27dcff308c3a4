"""The facilitator's board and the projector's: the state of every table as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from explorer.languages import tr
from explorer.pictures import PROVERS, SEATS, seat_styles
from explorer.rooms.agenda import doing_of
from explorer.rooms.events import CLOCK, REMOVED
from explorer.rooms.guidance import (
    Guidance,
    all_over,
    deleted_on,
    guidance,
    is_watched,
    predicting,
    prediction_question,
    sign_of,
)
from explorer.rooms.lesson_answers import predictions
from explorer.rooms.lesson_views import LIVE, LeadView
from explorer.rooms.models import models_lent
from explorer.rooms.plan import RoomCondition, RoomPlan
from explorer.rooms.room import Door, Person, Room, RoomTable
from explorer.rooms.seating import is_counted, seats_of_bots
from explorer.rooms.tables import bots_are_known, episode_at
from nip_core.displays import displayed
from nip_core.play import Episode

if TYPE_CHECKING:
    from nip_core.language import Act, Specification


def versions(room: Room) -> dict[str, int]:
    """Return the number of events of each of the room's present episodes. Not for a seat."""
    return room.storage.rooms.versions(
        [t.episode_id for t in room.tables if t.episode_id is not None]
    )


def board(room: Room, there: frozenset[str] | None = None) -> list[dict[str, Any]]:
    """Return the state of each table of the present task; never messages, labels or verdicts.

    For a projector, it is made only of what each seat at the table may know. All who may act in a
    turn count as asked until it is over. The number of seats that bots have moved for is included
    once everybody may know it: when the table is over, or at once if the room's plan says so.

    For leaders, given the windows that are open `there`, it shows who has moved. The state of a
    seat is one of asked, moved, waits, lost (the person has no open window), bot, empty; ``asked``
    says whether the turn waits for the seat, be it played by a person or a bot.

    A row is made again when the position of the table's episode or `there` has changed; with a new
    position of the room, all are.
    """
    known = versions(room)
    rows: list[dict[str, object]] = []
    for table in room.tables:
        key, at = f"row {table.number} {there is None}", (known.get(table.episode_id or ""), there)
        if room.derived.get(key, (None,))[0] != at:
            room.derived[key] = at, _row(room, table, at[0], there)
        rows.append(room.derived[key][1])
    return rows


def _row(
    room: Room, table: RoomTable, version: int | None, there: frozenset[str] | None
) -> dict[str, object]:
    public = there is None
    rules = room.plan.condition(table.condition).rules
    episode, bots, stood_in, speak = None, (), (), frozenset[str]()
    if table.episode_id is not None:
        episode = episode_at(room, table.episode_id, version)
        if public and table.phase == "running" and not episode.over:
            speak = frozenset(act.seat for act in _acts(episode.rules, episode.node.round))
        if not public or bots_are_known(room, table):
            bots, stood_in = seats_of_bots(room, table, episode), episode.stood_in()

    def seat(agent: str) -> dict[str, Any]:
        if there is None:
            return {"state": "asked" if agent in speak else "waits"}
        return _seat(room, table, agent, episode, there)

    return {
        "number": table.number,
        "condition": "" if public else table.condition,
        "turn": table.turn,
        "phase": table.phase,
        "over": table.phase == "over",
        "round": 0 if episode is None else episode.node.round,
        "rounds": rules.longest,
        "deadline": table.deadline,
        "left": table.left,
        "bots": len(bots),
        "counted": is_counted(room, bots),
        "seats": [
            {"agent": agent, "name": rules.seat_name(agent), **seat(agent)}
            for agent in rules.seat_names
        ],
        "lit": [] if episode is None else _lit(episode, public),
        "lit_by_bots": [list(move) for move in stood_in],
    }


def _seat(
    room: Room, table: RoomTable, agent: str, episode: Episode | None, there: frozenset[str]
) -> dict[str, object]:
    seat = table.seats.get(agent)
    person = None if seat is None or seat.person is None else room.person(seat.person)
    bot = None if seat is None or seat.bot is None else str(seat.bot["kind"])
    to_move = episode is not None and table.phase != "over" and agent in episode.to_move
    if bot is not None:
        state = "bot"
    elif person is None:
        state = "empty"
    elif there and not person.bot and f"person:{person.number}" not in there:
        # If no windows are recorded at all, nobody counts as lost.
        state = "lost"
    elif episode is None or table.phase == "over":
        state = "waits"
    elif to_move:
        state = "asked"
    else:
        state = "moved" if agent in episode.held else "waits"
    return {
        "person": None if person is None else person.number,
        "who": "" if person is None else person.shown,
        "bot": bot,
        "state": state,
        "asked": to_move,
        "note": "" if seat is None else seat.note,
    }


def _lit(episode: Episode, public: bool) -> list[list[Any]]:
    """Return the cells of the grid that have been played, as pairs of turn and seat."""
    path = episode.path()[1:]
    played: list[list[Any]] = [[node.round - 1, agent] for node in path for agent in node.moves]
    if public:
        # Who has moved may depend on hidden choices, so only cells that are played in any case are
        # returned.
        acts = [_acts(episode.rules, number) for number in range(len(path))]
        sure = [{act.seat for act in some if act.when == "true"} for some in acts]
        played = [[number, agent] for number, agent in played if agent in sure[number]]
    held = [] if public else [[episode.node.round, agent] for agent in episode.held]
    return played + held


def _acts(rules: Specification, number: int) -> list[Act]:
    """Return the acts that are possible after this many turns, which everybody knows."""
    return [act for place in rules.places_after(number) for act in rules.turn(place).acts]


def board_screen(
    conditions: Sequence[RoomCondition],
    rows: Iterable[Mapping[str, Any]],
    *,
    selected: int | None = None,
) -> dict[str, object]:
    """Return the data of ``explorer/front/board.js`` for the facilitator.

    The `rows` are from `board`; the `selected` table is the one whose details are shown.
    """
    several = len(conditions) > 1
    kinds = {
        condition.name: _kind(condition.rules, condition.name * several) for condition in conditions
    }
    tables = [_table(row, row["condition"]) for row in rows]
    return _screen(kinds, tables, selected, still=False)


def _screen(
    kinds: Mapping[str, Any],
    tables: Sequence[Mapping[str, object]],
    selected: int | None,
    *,
    still: bool,
) -> dict[str, object]:
    return at_present({"kinds": kinds, "tables": tables, "selected": selected, "still": still})


def wall_screen(
    rules: Mapping[int, Specification], rows: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the board's data for a projector, without names of people and conditions.

    The `rows` are from `board`, the `rules` those of each table, by its number. Tables whose
    protocols have the same schedule look alike,
    whatever else differs between their conditions.
    """
    kinds: list[dict[str, object]] = []
    tables: list[dict[str, object]] = []
    for row in rows:
        kind = _kind(rules[row["number"]], "")
        if kind not in kinds:
            kinds.append(kind)
        tables.append(_table(row, str(kinds.index(kind))))
    return _screen({str(n): kind for n, kind in enumerate(kinds)}, tables, None, still=True)


def at_present(screen: Mapping[str, Any]) -> dict[str, object]:
    """Return a board's data with the server's time, from which it counts down."""
    return {**screen, "now": datetime.now(UTC).isoformat()}


@lru_cache(maxsize=64)
def _kind(rules: Specification, mark: str) -> dict[str, Any]:
    return {
        "mark": mark,
        "rounds": rules.longest,
        "seats": _seats(rules),
        "lanes": lanes_of(rules),
    }


def lanes_of(rules: Specification) -> list[dict[str, Any]]:
    """Return a lane for each seat on each channel on which it may speak, with its turns.

    All turns that are possible are included, since nobody may know where play is. A last band is
    for seats that choose without writing.
    """
    spoken: dict[tuple[int, str], set[int]] = {}
    for number in range(rules.longest):
        for act in _acts(rules, number):
            bands = map(rules.channel_names.index, act.say) if act.say else [len(rules.channels)]
            for band in bands:
                spoken.setdefault((band, act.seat), set()).add(number)
    return [
        {
            "band": band,
            "seat": seat,
            "speaks": [number in spoken[band, seat] for number in range(rules.longest)],
        }
        for band in range(len(rules.channels) + 1)
        for seat in rules.seat_names
        if (band, seat) in spoken
    ]


def _seats(rules: Specification) -> dict[str, Any]:
    # The page has a class for each colour of the palette.
    names = {colours: f"p{place}" for place, colours in enumerate(PROVERS, start=1)}
    names |= {colours: seat.lower() for seat, colours in SEATS.items()}
    looks = seat_styles(rules)
    return {
        seat: {
            "name": looks[seat].name,
            "label": looks[seat].label,
            "colour": names[looks[seat].light, looks[seat].dark],
        }
        for seat in rules.seat_names
    }


def _table(row: Mapping[str, Any], kind: str) -> dict[str, object]:
    return {
        "number": row["number"],
        "sign": sign_of(row["number"]).to_dict(),
        "kind": kind,
        **({"says": tr("Over, with bots")} if row["bots"] and row["phase"] == "over" else {}),
        "phase": row["phase"],
        "round": row["round"],
        "ends": row["deadline"],
        "spoken": _by_seat(row["lit"]),
        "bots": _by_seat(row["lit_by_bots"]),
        "seats": [_live_seat(seat) for seat in row["seats"]],
    }


def _by_seat(moves: Iterable[Sequence[Any]]) -> dict[str, list[int]]:
    rounds: dict[str, list[int]] = {}
    for round_id, agent in moves:
        rounds.setdefault(agent, []).append(round_id)
    return rounds


def _live_seat(seat: Mapping[str, Any]) -> dict[str, object]:
    return {
        "agent": seat["agent"],
        "who": seat.get("who") or (tr("Bot") if seat.get("bot") else ""),
        "state": seat["state"],
        "asked": seat.get("asked", seat["state"] == "asked"),
    }


@displayed
@dataclass(frozen=True, slots=True)
class WallPage:
    """What the projector shows of a room with tables."""

    code: str
    invitation: str
    title: str
    phase: str
    turn: int
    # How many are here before the start; 0 later.
    people: int = 0
    bots: int = 0
    # While people predict the result: the question, the choices, how many have, of how many.
    asked: tuple[str, tuple[str, ...], int, int] | None = None
    over: bool = False  # whether all tables are over
    far: dict[str, int] = field(default_factory=dict[str, int])  # `totals` of the tables
    # While tables are played, `wall_screen` without the time, for `explorer/front/board.js`.
    board: dict[str, object] | None = None


def wall_page(room: Room) -> WallPage:
    """Return what the projector shows of a room with tables."""
    page = WallPage(room.code, room.invitation, room.plan.title, room.phase, room.turn)
    bots = sum(person.bot for person in room.here)
    people = len(room.here) - bots
    if room.phase == "gathering":
        return replace(page, people=people, bots=bots)
    if room.phase in ("revealed", "closed"):
        return page
    if predicting(room):
        predicted = predictions(room, room.turn)
        prediction = prediction_question(room), tuple(predicted), predicted.total(), people
        return replace(page, asked=prediction)
    rows = board(room)
    rules = {table.number: room.plan.condition(table.condition).rules for table in room.tables}
    shown = wall_screen(rules, rows)
    del shown["now"]  # added by `at_present`, so that time alone does not change the view
    return replace(page, over=all_over(room), far=totals(rows), board=shown)


@displayed
@dataclass(frozen=True, slots=True)
class LeadPage:
    """What a facilitator's page draws."""

    code: str
    invitation: str
    name: str
    phase: str
    plan: RoomPlan
    # Those who are here, and those who were removed. Only those of the facilitator's own browser
    # say which browser is theirs.
    people: tuple[Person, ...]
    signs: Mapping[int, int]  # by person, the number of their table or pair, which selects its sign
    away: int  # at tables, how many people have no window open
    door: Door  # who may join
    deleted_on: str  # the day on which all of the room is deleted
    other_leaders: int  # how many other browsers lead the room
    spectators: int  # how many browsers have used the link to watch
    is_watched: bool  # whether there is such a link
    has_keys: bool  # whether this process has keys for the room's models
    began: str | None  # when the workshop's clock was started
    doing: str | None  # what the room is doing, as `doing_of` writes it
    # The position of the log on which the page's commands are based. The page is rerun whenever
    # something happens that would change their meaning.
    position: int = field(metadata=LIVE)
    guidance: Guidance | None = None  # at tables, the next step
    rows: tuple[dict[str, Any], ...] = ()  # at tables, the state of each: `board`
    lesson: LeadView | None = None  # in a lesson, where the class is

    @property
    def here(self) -> list[Person]:
        """Return those who are here, without bots."""
        return [person for person in self.people if not person.left and not person.bot]

    @property
    def bots(self) -> int:
        """Return how many bots are here."""
        return sum(person.bot and not person.left for person in self.people)


def lead_page(
    room: Room, visitor: str, signs: Mapping[int, int], lesson: LeadView | None = None
) -> LeadPage:
    """Return what the facilitator's page draws."""
    now, rows, away = None, list[dict[str, object]](), 0
    if lesson is None:
        there = frozenset(room.storage.presence.there(room.number))
        away = sum(f"person:{person.number}" not in there for person in room.here)
        if room.phase != "gathering":
            rows = board(room, there)
        predicted = predictions(room, room.turn).total() if predicting(room) else 0
        now = guidance(room, rows, predicted)
    return LeadPage(
        code=room.code,
        invitation=room.invitation,
        name=room.name,
        phase=room.phase,
        plan=room.plan,
        people=_people(room, visitor),
        signs=signs,
        away=away,
        door=room.door,
        deleted_on=deleted_on(room),
        other_leaders=len(room.rows.leaders - {visitor}),
        spectators=len(room.spectators),
        is_watched=is_watched(room),
        has_keys=models_lent(room),
        began=room.state.get(CLOCK),
        doing=doing_of(room),
        position=room.version,
        guidance=now,
        rows=tuple(rows),
        lesson=lesson,
    )


def _people(room: Room, visitor: str) -> tuple[Person, ...]:
    key = f"people for {visitor}"
    if key not in room.derived:
        room.derived[key] = tuple(
            person if person.visitor == visitor else replace(person, visitor=None)
            for person in room.people
            if not person.left or person.sent_away == REMOVED
        )
    return room.derived[key]


def totals(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the progress of the tables: how many there are, how many are over, rounds played.

    ``bots`` is the number of finished tables that do not count, since bots have moved there.
    """
    progress = {"tables": 0, "over": 0, "bots": 0, "played": 0, "rounds": 0}
    for row in rows:
        over = row["phase"] == "over"
        progress["tables"] += 1
        progress["over"] += over
        progress["bots"] += over and not row["counted"]
        progress["rounds"] += row["rounds"]
        progress["played"] += row["rounds"] if over else min(row["round"], row["rounds"])
    return progress
