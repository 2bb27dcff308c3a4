"""Everything that a room recorded, as CSV files. People are numbers, unless they have names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from explorer.files import csv_bytes
from explorer.languages import in_english
from explorer.lessons import Lesson, game, options, question_of
from explorer.rooms.errors import NotLeaderError
from explorer.rooms.guidance import sign_of
from explorer.rooms.lesson import LessonRoom, has_wall
from explorer.rooms.lesson_acts import load_lesson
from explorer.rooms.lesson_answers import MANY
from explorer.rooms.pairs import seat_of
from explorer.rooms.results import outcomes, right_counts, right_interval
from explorer.rooms.room import Access, Room, RoomTable, room_of
from explorer.rooms.seating import is_counted, seats_of_bots
from explorer.rooms.tables import episode_at
from nip_core.play import INSTEAD_OF, STANDS_IN_FOR, Episode, Moved, Seated, chosen_in, stands_in
from nip_core.spec import shown_round
from nip_core.tasks import VERDICTS

LESSON_COLUMNS = (
    "person", "bot", "counted", "lesson", "block", "kind", "question", "round",
    "answer", "right", "pair", "sign", "seat", "turn", "asked", "wall", "at",
)  # fmt: skip


@in_english
def lesson_table(access: Access) -> list[dict[str, object]]:
    """Return one row for each answer: a guess, a quiz answer, a game's outcome, a round of a pair.

    ``counted`` says whether the tallies count it: answers of bots are left out if people answered
    too. ``round`` is ``"before"`` or ``"after"``. For pairs, ``pair`` and ``turn`` count from 1,
    ``seat`` is 1 or 2, and ``asked`` is the person's own question.
    """
    at = load_lesson(access, even_closed=True)
    if not at.room.leads(access.visitor):
        raise NotLeaderError
    bots = {person.number for person in at.room.people if person.bot}
    return [
        {
            **dict.fromkeys(LESSON_COLUMNS, ""),
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


def _said(at: LessonRoom, row: Any) -> dict[str, object]:
    lesson: Lesson = at.lesson
    if not 1 <= row["block"] <= len(lesson.blocks):
        return {"answer": row["value"]}  # the lesson was changed later
    block = at.block(row["block"])
    if (row["kind"] in MANY) != (block.kind == "game"):
        # Old answers are known by the place of their block, where another one may stand now.
        return {"answer": row["value"]}
    if row["kind"] == "pair":
        return {"question": game(block.name).title, **_in_pair(at, row)}
    if row["kind"] == "outcome":
        return {"question": game(block.name).title, "answer": row["value"]}
    known = options(block)
    if not known or not row["value"].isdigit() or int(row["value"]) >= len(known):
        return {"question": block.question, "answer": row["value"]}
    text, right = known[int(row["value"])]
    judged = any(member for _, member in known)
    question = question_of(block, row["value"])
    return {"question": question, "answer": text, "right": right if judged else ""}


def _in_pair(at: LessonRoom, row: Any) -> dict[str, object]:
    key, answer = (row["block"], row["part"]), json.loads(row["value"])
    names = {choice.name: choice.label for choice in at.game(key[0]).choices()}
    fields: dict[str, object] = {
        "answer": names.get(str(answer["answer"]), answer["answer"]),
        "turn": answer["question"] + 1,
        "wall": has_wall(key),
    }
    place = seat_of(at.seating(key), row["person"])
    pair = at.pair(key, row["person"])
    if place is None or pair is None:
        return fields
    number = place[0] + 1
    fields |= {"pair": number, "sign": str(sign_of(number)), "seat": place[1] + 1}
    turn: int = answer["question"]
    if turn < len(pair[0].rounds):
        played = pair[0].rounds[turn]
        fields["asked"] = played.asked[place[1]]
        first, second = played.answers
        if first is not None and second is not None:
            fields["right"] = at.game(key[0]).holds(played.asked, (first, second))
    return fields


PEOPLE = ("person", "name", "bot", "joined", "left", "sent_away")
TABLES = (
    "task_number", "table", "sign", "condition", "protocol", "task", "y", "phase", "turns",
    "decision", "right", "bots", "counted", "episode", "truth", "answer",
)  # fmt: skip
SEATS = (
    "task_number", "table", "sign", "seat", "from", "person", "player", "instead_of", "late",
    "level",
)  # fmt: skip
MOVES = (
    "task_number", "table", "sign", "condition", "turn", "seat", "person", "player", "channel",
    "text", "choice", "option", "decision", "confidence", "bot", "at", "seconds",
)  # fmt: skip
RESULT = ("condition", "tables", "right", "wrong", "undecided", "share", "low", "high")
ANSWERS = ("person", "lesson", "block", "part", "kind", "value", "at")


@in_english
def files(access: Access) -> dict[str, bytes]:
    """Return the files by name: people, tables, seats, moves, answers and the result.

    A lesson has only files of people and answers. The result says of each condition how many
    verdicts were right, with a 95% interval of the share.

    Turns, tasks and tables count from 1. A move's ``seconds`` are measured from the start of the
    turn at the table; ``bot`` says that a bot made it in a seat meant for somebody else. A table's
    ``bots`` are the seats for which bots have moved, and ``counted`` says whether it counts in the
    room's result. ``instead_of`` says for whom a bot played ("nobody" in an empty seat), and
    ``late`` that it did so for a single turn when time was up.
    """
    room = room_of(access)
    if not room.leads(access.visitor):
        raise NotLeaderError
    made: dict[str, tuple[Sequence[str], Sequence[Mapping[str, Any]]]] = {
        "people": (PEOPLE, _people(room))
    }
    if room.kind == "lesson":
        made["answers"] = LESSON_COLUMNS, lesson_table(access)
    else:
        played = [
            (table, episode_at(room, table.episode_id))
            for table in room.everything
            if table.episode_id is not None
        ]
        made |= {
            "tables": (TABLES, [_table(room, *episode) for episode in played]),
            "seats": (SEATS, [row for episode in played for row in _seats(*episode)]),
            "moves": (MOVES, [row for episode in played for row in _moves(*episode)]),
            "answers": (ANSWERS, room.storage.rooms.answers_of(room.number)),
            "result": (RESULT, _result(room)),
        }
    return {f"{room.code}-{name}.csv": _csv(*rows) for name, rows in made.items()}


def _result(room: Room) -> list[dict[str, Any]]:
    names = [condition.name for condition in room.plan.conditions]
    played = [outcome for outcome in outcomes(room) if outcome.counted]
    rows: list[dict[str, object]] = []
    for count in right_counts(played, names):
        low, high = right_interval(played, count.condition) or (None, None)
        rows.append(
            {
                "condition": count.condition,
                "tables": count.tables,
                "right": count.right,
                "wrong": count.wrong,
                "undecided": count.undecided,
                "share": count.right / count.played if count.played else None,
                "low": low,
                "high": high,
            }
        )
    return rows


def _csv(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bytes:
    import pandas as pd

    return csv_bytes(pd.DataFrame(rows, columns=list(columns)))


def _people(room: Room) -> list[dict[str, object]]:
    rows = room.rows.people
    return [
        {
            "person": person.number,
            "name": person.name,
            "bot": person.bot,
            "joined": rows[person.number]["joined"],
            "left": rows[person.number]["left"],
            "sent_away": person.sent_away,
        }
        for person in room.people
    ]


def _place(table: RoomTable) -> dict[str, object]:
    return {
        "task_number": table.turn,
        "table": table.number,
        "sign": str(sign_of(table.number)),
    }


def _table(room: Room, table: RoomTable, episode: Episode) -> dict[str, Any]:
    result, roles = episode.result() if episode.over else None, episode.rules.roles
    truth = episode.setup.deal.facts.get(roles.truth or "")
    bots = seats_of_bots(room, table, episode)
    return {
        **_place(table),
        "condition": table.condition,
        "protocol": episode.rules.name,
        "task": episode.task.id,
        "y": VERDICTS.index(str(truth)) if roles.on_statement and truth else None,
        "phase": table.phase,
        "turns": episode.node.round,
        "decision": None if result is None else result.decision,
        "right": None if result is None else result.right,
        "bots": " ".join(bots),
        "counted": result is not None and is_counted(room, bots),
        "episode": table.episode_id,
        "truth": truth,
        "answer": None if result is None else result.verdict,
    }


def _seats(table: RoomTable, episode: Episode) -> list[dict[str, object]]:
    return [
        {**_place(table), "seat": event.agent, "from": event.at, **_player(event.player)}
        for event in episode.events
        if isinstance(event, Seated)
    ]


def _moves(table: RoomTable, episode: Episode) -> list[dict[str, Any]]:
    """Return a row for each message and each choice, in the order in which they were made."""
    rows: list[dict[str, Any]] = []
    sits: dict[str, Mapping[str, Any]] = {}
    # The episode is replayed, since only the rules know when a round is over.
    again = Episode.from_setup(episode.setup)
    began: str | None = None
    for event in episode.events:
        before = again.node.round
        again.apply(event)
        if isinstance(event, Seated):
            sits[event.agent] = event.player
            began = began or event.at
        if not isinstance(event, Moved):
            continue
        move = event.move
        who = _player(sits.get(move.agent, {}))
        row = {
            **_place(table),
            "condition": table.condition,
            "turn": shown_round(before),
            "seat": move.agent,
            "person": who["person"],
            "player": who["player"],
            "bot": stands_in(sits.get(move.agent, {})),
            "at": event.at,
            "seconds": _between(began, event.at),
        }
        rows += [{**row, "channel": on, "text": text} for on, text in move.messages.items()]
        roles = episode.rules.roles
        for name, option in chosen_in(move, episode.rules).items():
            made = {"choice": name, "option": option, "confidence": move.confidence}
            decides = name in roles.verdict and option in VERDICTS
            decision = VERDICTS.index(str(option)) if decides else None
            rows.append({**row, **made, "decision": decision})
        if again.node.round != before:
            began = event.at
    return rows


def _player(player: Mapping[str, Any]) -> dict[str, object]:
    who = str(player.get("who", ""))
    return {
        "person": int(who.removeprefix("person ")) if who.startswith("person ") else None,
        "player": player.get("model") or player.get("kind"),
        "instead_of": player.get(INSTEAD_OF) or _late_for(player),
        "late": player.get("late"),
        "level": player.get("level"),
    }


def _late_for(player: Mapping[str, Any]) -> Any:
    """Return for whom a bot has made a single move."""
    late = player.get(STANDS_IN_FOR)
    return (late.get("who") or late.get("model")) if isinstance(late, Mapping) else None  # pyright: ignore


def _between(start: str | None, end: str | None) -> float | None:
    if start is None or end is None:
        return None
    passed = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return round(passed.total_seconds(), 3)
