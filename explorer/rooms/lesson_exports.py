"""All that a room answered in its lesson, as a table. People are numbers in it."""

from __future__ import annotations

import json
from typing import Any

from explorer.lessons.lesson import Lesson
from explorer.lessons.library import game
from explorer.rooms.errors import NotLeaderError
from explorer.rooms.lesson_acts import load_lesson
from explorer.rooms.lesson_counts import options
from explorer.rooms.lesson_room import LessonRoom, has_wall
from explorer.rooms.pairs import seat_of
from explorer.rooms.signs import sign_of
from explorer.storage import Storage

__all__ = ["COLUMNS", "lesson_table"]

COLUMNS = (
    "person", "bot", "counted", "lesson", "block", "kind", "question", "round",
    "answer", "right", "pair", "sign", "seat", "turn", "asked", "wall", "at",
)  # fmt: skip


def lesson_table(storage: Storage, code: str, *, by: str) -> list[dict[str, Any]]:
    """One row for each answer: a guess, a quiz answer, a game's outcome, a round of a pair.

    ``counted`` says whether the tallies count it: bots beside people are left out. ``round`` is
    ``"before"`` or ``"after"``. Of pairs, ``pair`` and ``turn`` count from 1, ``seat`` is 1 or 2,
    and ``asked`` is the own question.

    Raises
    ------
    NotLeaderError
    """
    at = load_lesson(storage, code, even_closed=True)
    if not at.room.leads(by):
        raise NotLeaderError
    bots = {person.number for person in at.room.people if person.bot}
    return [
        {
            **dict.fromkeys(COLUMNS, ""),
            "person": row["person"],
            "bot": row["person"] in bots,
            "counted": row["person"] not in at.uncounted,
            "lesson": row["lesson"],
            "block": row["block"],
            "kind": row["kind"],
            "round": row["part"],
            "at": row["at"],
            **_said(at, row),
        }
        for row in at.rows
    ]


def _said(at: LessonRoom, row: Any) -> dict[str, Any]:
    lesson: Lesson = at.lesson
    if not 1 <= row["block"] <= len(lesson.blocks):
        return {"answer": row["value"]}  # the lesson was changed since
    block = at.block(row["block"])
    if row["kind"] == "pair":
        return {"question": game(block.name).title, **_in_pair(at, row)}
    if row["kind"] == "outcome":
        return {"question": game(block.name).title, "answer": row["value"]}
    known = options(block)
    if not known or not row["value"].isdigit() or int(row["value"]) >= len(known):
        return {"question": block.question, "answer": row["value"]}
    text, right = known[int(row["value"])]
    judged = any(each for _, each in known)
    return {"question": block.question, "answer": text, "right": right if judged else ""}


def _in_pair(at: LessonRoom, row: Any) -> dict[str, Any]:
    key, said = (row["block"], row["part"]), json.loads(row["value"])
    names = {choice.name: choice.label for choice in at.game(key[0]).choices()}
    found: dict[str, Any] = {
        "answer": names.get(str(said["answer"]), said["answer"]),
        "turn": said["question"] + 1,
        "wall": has_wall(key),
    }
    place = seat_of(at.seating(key), row["person"])
    pair = at.pair(key, row["person"])
    if place is None or pair is None:
        return found
    number = place[0] + 1
    found |= {"pair": number, "sign": str(sign_of(number)), "seat": place[1] + 1}
    turn: int = said["question"]
    if turn < len(pair[0].rounds):
        played = pair[0].rounds[turn]
        found["asked"] = played.asked[place[1]]
        first, second = played.answers
        if first is not None and second is not None:
            found["right"] = at.game(key[0]).holds(played.asked, (first, second))
    return found
