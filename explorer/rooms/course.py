"""A sheet of each person's course through a lesson, for those who grade.

It is made only where the room asks for names, which people are told when they join. It is computed
from the answers each time, so somebody who deletes their part is not on the next one.
"""

from __future__ import annotations

from collections.abc import Sequence

from explorer.languages import in_english
from explorer.lessons import Block, options, question_of, title_of
from explorer.rooms.errors import NotLeaderError, RoomError
from explorer.rooms.lesson import ROUNDS, LessonRoom, asks
from explorer.rooms.lesson_acts import load_lesson
from explorer.rooms.room import Access

FIXED = ("name", "person", "joined", "answered", "right", "questions")


@in_english
def course_sheet(access: Access) -> tuple[list[str], list[dict[str, object]]]:
    """Return the columns of a sheet, and a row for each person who is not deleted.

    ``questions`` is how many questions of the lesson have a right answer, and ``right`` how many of
    them were answered rightly, by the last answer. Each further column is a step that asks.
    """
    at = load_lesson(access, even_closed=True)
    if not at.room.leads(access.visitor):
        raise NotLeaderError
    if not at.room.plan.names:
        raise RoomError(
            "This room has asked nobody for a name, so there is no sheet of who did what. Make a "
            "room with names, and people are told."
        )
    asked = [n for n, block in enumerate(at.lesson.blocks, start=1) if asks(block)]
    columns = {place: f"{place}. {_title(at.block(place))}" for place in asked}
    rows = [
        _row(at, person.number, person.name, columns)
        for person in at.room.people
        if not person.bot and not person.forgotten
    ]
    return [*FIXED, *columns.values()], rows


def _title(block: Block) -> str:
    # Of the questions before and after a lesson, people are asked different ones at each place.
    return title_of(block) if block.instead is None else f"Question {block.transfer} the lesson"


def _row(at: LessonRoom, person: int, name: str, columns: dict[int, str]) -> dict[str, object]:
    said = {place: _said(at, place, person) for place in columns}
    last = {place: _values(at, place, person)[-1:] for place in columns}
    right = [
        options(at.block(place))[int(value)][1]
        for place, values in last.items()
        for value in values
        if options(at.block(place))
    ]
    questions = sum(any(right for _, right in options(at.block(place))) for place in columns)
    return {
        "name": name,
        "person": person,
        "joined": at.room.rows.people[person]["joined"],
        "answered": sum(bool(texts) for texts in said.values()),
        "right": sum(right),
        "questions": questions,
        **{columns[place]: "; then ".join(texts) for place, texts in said.items()},
    }


def _said(at: LessonRoom, place: int, person: int) -> Sequence[str]:
    """Return a person's answers to a block, one for each round; of games, how many were played."""
    block = at.block(place)
    if block.kind == "game":
        played = sum(len(at.of((place, name), [person])) for name in ROUNDS)
        return [f"{played} played"] if played else []
    texts = [text for text, _ in options(block)]
    values = _values(at, place, person)
    if block.instead is not None:
        return [f"{question_of(block, value)} {texts[int(value)]}" for value in values]
    return [texts[int(value)] if texts else value for value in values]


def _values(at: LessonRoom, place: int, person: int) -> list[str]:
    """Return a person's answers to a block as they are stored, one for each round."""
    mine = (at.mine((place, name), person) for name in ROUNDS)
    return [value for value in mine if value is not None]
