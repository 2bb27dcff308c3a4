"""What people answer in a lesson: guesses, quizzes, predictions, outcomes of games."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from explorer.rooms.errors import NotNowError, RoomError, TooManyError
from explorer.rooms.room import Room, load_room, room_of
from explorer.storage import ConflictError, Storage
from nip_core.displays import displayed

__all__ = ["KINDS", "MANY", "Answer", "answer", "answers", "count"]

KINDS = ("guess", "quiz", "outcome", "pair", "prediction")
# Of these each is counted; of the others the last one is.
MANY = ("outcome", "pair")
MOST_VALUE = 200
MOST_OF_ONE = 300
MOST_IN_ALL = 1_000


@displayed
@dataclass(frozen=True, slots=True)
class Answer:
    """What one person has answered.

    Parameters
    ----------
    person : int
    lesson : str
    block : int
    part : str
    kind : {"guess", "quiz", "outcome", "pair", "prediction"}
    value : str
    at : str
        When, in ISO 8601 and UTC.
    """

    person: int
    lesson: str
    block: int
    part: str
    kind: str
    value: str
    at: str


def answer(
    storage: Storage,
    code: str,
    person: int,
    lesson: str,
    block: int,
    part: str,
    kind: str,
    value: str,
    *,
    by: str,
) -> None:
    """Keep an answer; of outcomes of games, one more.

    Raises
    ------
    NotYoursError
        If this browser is not that person.
    NotNowError
        If the facilitator takes no answers at the moment.
    TooManyError, RoomError
    """
    room = load_room(storage, code)
    somebody = room.own(person, by)
    if somebody.left:
        raise NotNowError("You have left the room. Join again to answer.")
    give(storage, room, person, lesson, block, part, kind, value)


def give(
    storage: Storage,
    room: Room,
    person: int,
    lesson: str,
    block: int,
    part: str,
    kind: str,
    value: str,
) -> None:
    """Keep an answer of somebody whose right was seen to, or of nobody in a rehearsal."""
    short = len(lesson) <= 60 and len(part) <= 60 and len(value) <= MOST_VALUE
    if kind not in KINDS or not short or "\0" in lesson + part + value or not 0 <= block < 1_000:
        raise RoomError("This is no answer to anything here. Load the page again.")
    place = {
        "room": room.number,
        "person": person,
        "lesson": lesson,
        "block": block,
        "part": part,
    }
    most = MOST_OF_ONE if kind in MANY else 1
    values = {"kind": kind, "value": value}
    for _ in range(3):
        try:
            kept = storage.rooms.put_answer(
                room.code, place, values, most=most, most_in_all=MOST_IN_ALL
            )
        except ConflictError:
            continue  # the same person, in another window
        if not kept:
            raise TooManyError("You have given as many answers as are counted of one person.")
        return
    raise RoomError("The answer could not be kept. Send it again.")


def answers(storage: Storage, code: str, person: int | None = None) -> list[Answer]:
    """The answers of one person, or of all for those who lead, in the order in which they came."""
    people = None if person is None else [person]
    rows = storage.rooms.answers_of(room_of(storage, code).number, people=people)
    names = Answer.__slots__
    return [Answer(**{name: row[name] for name in names}) for row in rows]


def count(storage: Storage, code: str) -> dict[tuple[str, int, str], Counter[str]]:
    """How often each value was answered, by lesson, block and part: no person is in it."""
    found: dict[tuple[str, int, str], Counter[str]] = {}
    for row in storage.rooms.answers_counted(room_of(storage, code).number):
        here = found.setdefault((row["lesson"], row["block"], row["part"]), Counter())
        here[row["value"]] += row["often"]
    return found
