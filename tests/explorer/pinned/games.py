"""Play that continues from the kept database: what each step changes for each watcher."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from unittest.mock import patch

from explorer import rooms
from explorer.rooms import RoomError
from tests.explorer.pinned import pins
from tests.explorer.pinned.browsers import LEADER, move_of, visitor
from tests.explorer.pinned.doors import Door
from tests.explorer.rooms.people import lead_board

__all__ = ["STORIES", "story"]

MOST_MOVES = 100
Shown = dict[str, Any]


class Story:
    """The steps of one room of the kept database, and their effects.

    Parameters
    ----------
    door : Door
    name : str
        What the room is there for.

    Attributes
    ----------
    steps : list of dict
        What was done, and what it has changed in each window.
    """

    def __init__(self, door: Door, name: str) -> None:
        self.door, self.name = door, name
        self.code = pins.codes()[name]
        self.steps: list[Shown] = []
        self._before: Shown = {}

    def did(self, what: object) -> None:
        """Record what all windows show now that they did not show before."""
        shown = {
            f"{watcher} of browser {browser}": self._seen(watcher, browser)
            for watcher, browser in pins.watchers()
            if watcher != "gallery"
        }
        with suppress(RoomError):
            shown["board"] = {str(row["number"]): row for row in self._board(lead_board)}
            shown["wall"] = {str(row["number"]): row for row in self._board(rooms.board)}
        self.steps.append({"did": what, "changed": changes(self._before, shown)})
        self._before = shown

    def _seen(self, watcher: str, browser: int) -> Shown:
        shown = self.door.look(self.code, watcher, browser)
        # A connection sends no reason.
        return {"gone": True} if "refused" in shown else shown

    def _board(self, board: Callable[..., list[Shown]]) -> list[Shown]:
        return board(rooms.room_of(rooms.Access(self.door.storage, self.code)))

    def lead(self, act: Callable[..., object], *arguments: Any, **named: Any) -> None:
        """Act as the facilitator."""
        self._try("lead", act, LEADER, *arguments, **named)

    def be(self, person: int, act: Callable[..., object], *arguments: Any) -> None:
        """Act as a person."""
        self._try(f"person {person}", act, person, person, *arguments)

    def _try(
        self, who: str, act: Callable[..., object], browser: int, *arguments: Any, **named: Any
    ) -> None:
        """Do something, or return why it was refused."""
        refused = None
        try:
            act(rooms.Access(self.door.storage, self.code, visitor(browser)), *arguments, **named)
        except RoomError as error:
            refused = str(error)
        self.did([who, ACTS[act], *map(str, arguments), "refused", refused])

    def say(self, person: int, act: Shown) -> None:
        """Act at a person's seat through their window's connection."""
        said = {name: value for name, value in act.items() if name != "place"}
        refused = self.door.act(self.code, person, act)
        self.did([f"person {person}", said, "refused", refused])

    def move(self, person: int) -> bool:
        """Let a person move, if it is their turn."""
        seat = self.door.look(self.code, f"person:{person}", person).get("seat")
        act = None if seat is None else move_of(seat, person)
        if act is None:
            return False
        self.say(person, act)
        return True

    def play(self, moves: int = MOST_MOVES) -> None:
        """Let people move in turn, at most so many times."""
        made, going_on = 0, True
        while going_on:
            going_on = False
            for person in pins.PEOPLE:
                if made < moves and self.move(person):
                    made, going_on = made + 1, True


def changes(before: Shown, now: Shown) -> Shown:
    """Return what differs between two documents; what was removed is None."""
    found: Shown = {}
    for name in {**before, **now}:
        old, new = before.get(name), now.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            if inner := changes(old, new):
                found[name] = inner
        elif old != new or (name in before) != (name in now):
            found[name] = new
    return found


# -- the stories -----------------------------------------------------------------------------------


def a_game(at: Story) -> None:
    """A protocol is played to its end, with some refused moves, and its truth is revealed."""
    at.did("look")
    waiting = at.door.look(at.code, "person:1", 1)["seat"]
    table = waiting["table"]
    refused = {"place": waiting["place"], "seat": table["seat"], "round": table["round"]}
    at.say(1, {**refused, "messages": {"nowhere": "Hello"}, "decision": 2, "mark": "refused"})
    at.say(1, {**refused, "place": "elsewhere", "messages": {}, "mark": "no place"})
    at.play()
    at.lead(rooms.reveal)


def two_conditions(at: Story) -> None:
    """A room of two tables: paused, a seat replaced and taken back, two tasks, and its end."""
    at.did("look")
    at.lead(rooms.pause)
    at.lead(rooms.pause, 1)
    at.lead(rooms.replace_by_bot, 2, "prover0")
    at.lead(rooms.resume)
    at.lead(rooms.hand_back, 2, "prover0")
    at.play()
    at.lead(rooms.reveal)
    at.be(2, rooms.leave)
    at.be(3, rooms.forget)
    at.lead(rooms.next_task)
    at.play(2)
    at.lead(rooms.end)
    at.lead(rooms.close)


def a_lesson(at: Story) -> None:
    """Pairs answer, with a bot for one person; answers are closed and revealed; all go on alone."""
    after = (3, "after")
    at.did("look")
    at.be(4, rooms.pair_answer, after, 0, "1")
    at.be(3, rooms.pair_answer, after, 0, "1")
    at.be(1, rooms.pair_answer, after, 1, "1")
    at.be(1, rooms.pair_seat, after, "bot")
    at.be(2, rooms.pair_answer, after, 1, "2")
    at.be(3, rooms.pair_seat, after, "bot")
    at.be(2, rooms.pair_seat, after, "back")
    for act in ("lock", "reveal"):
        at.lead(rooms.steer, act)
    at.be(3, rooms.pair_answer, after, 1, "1")
    for step in range(1, 9):
        at.lead(rooms.steer, "go", step)
    at.lead(rooms.steer, "led", False)
    at.be(1, rooms.answer_block, (2, "before"), "87.5")
    at.be(2, rooms.leave)
    at.lead(rooms.steer, "go", 2)
    at.lead(rooms.steer, "reset")
    at.lead(rooms.close)


# The names of acts in the golden file, whatever their names in the code.
ACTS: dict[Callable[..., object], str] = {
    rooms.answer_block: "answer",
    rooms.close: "close",
    rooms.end: "end",
    rooms.forget: "forget",
    rooms.hand_back: "hand back",
    rooms.leave: "leave",
    rooms.next_task: "next task",
    rooms.pair_answer: "answer in a pair",
    rooms.pair_seat: "seat in a pair",
    rooms.pause: "pause",
    rooms.replace_by_bot: "replace by a bot",
    rooms.resume: "resume",
    rooms.reveal: "reveal",
    rooms.steer: "steer",
}

# Playthroughs (`tests/playthroughs`) have a game of every protocol.
STORIES: dict[str, Callable[[Story], None]] = {
    **{f"game {name}": a_game for name in ("debate", "merlin_arthur", "mnip")},
    "running": two_conditions,
    "lesson: pairs after": a_lesson,
}

# -- the record ------------------------------------------------------------------------------------

# Random or changing values: times of the moves just made, values derived from them, and ids.
DRAWN = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:\d\d)?"), "TIME"),
    (re.compile(r"(?<=TIME,)\d+\.\d+$"), "SECONDS"),
    (re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{16})\b"), "ID"),
)


def story(door: Door, name: str) -> Shown:
    """Play a story; return its steps, and the exports after it."""
    at = Story(door, name)
    # Pairs are drawn anew where the lesson has changed since the database was made.
    with patch("explorer.rooms.pairs.secrets", token_hex=lambda _: "0" * 32):
        STORIES[name](at)
    left = {"exports": pins.export(door.storage, at.code), "episodes": {}}
    for number, played in enumerate(_revealed(at)):
        left["episodes"][str(number)] = pins.episode(played)
    return steadied({"steps": at.steps, "left": json.loads(json.dumps(left))})


def _revealed(at: Story) -> list[Any]:
    with suppress(RoomError):
        revealed = rooms.revealed_tables(
            rooms.room_of(rooms.Access(at.door.storage, at.code)), visitor(LEADER)
        )
        return [episode for _, episode in revealed]
    return []


def steadied(found: Any) -> Any:
    """Return a document without times and random values."""
    if isinstance(found, dict):
        return {key: steadied(value) for key, value in found.items()}
    if isinstance(found, list):
        return [steadied(value) for value in found]
    if isinstance(found, str):
        for drawn, instead in DRAWN:
            found = drawn.sub(instead, found)
    return found
