"""The three forms of a transcript of `llm_debate`, all turned into the latest one.

The rules are those of the program's own parsers (`web/backend/services` in its repository). Two of
its text forms, which are told apart by the names of files, are not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from nip_core.documents import TASK_LINE, parse_json
from nip_core.errors import TranscriptError
from nip_core.transcript.others.recorded import Field

__all__ = ["latest_form"]

SEPARATOR = "-" * 45
OF_LISTS = ("ans1", "ansA")
RIGHT, WRONG = "correct answer", "negative answer"
CLAIM = re.compile(r"([^:\n]{1,100}):\s*I claim the answer is\s*(.{1,2000})")
SIDES = ("correct", "incorrect")


def latest_form(row: Mapping[str, str]) -> Field:
    """Return the transcript of a row in the latest form.

    Raises
    ------
    TranscriptError
        If it has none of the three forms.
    """
    text = row["transcript"]
    if not text.lstrip().startswith("{"):
        return Field(_from_text(row, text), "transcript")
    document = Field(parse_json(text, TASK_LINE, TranscriptError, "transcript"), "transcript")
    if any(key in document.table() for key in OF_LISTS):
        return Field(_from_lists(row, document), "transcript")
    return document


def _from_lists(row: Mapping[str, str], old: Field) -> dict[str, Any]:
    """Return the form with `ans1`, `name1` and rounds that are lists of one or two texts."""
    first, second = ("ans1", "ans2") if "ans1" in old.table() else ("ansA", "ansB")
    answers = [old[first].text(), old[second].text()]
    swap = old["swap"].flag()
    rounds = [[said.text() for said in each] for each in old["rounds"]]
    order = SIDES[::-1] if swap else SIDES
    speakers = order
    if rounds and len(rounds[0]) == 1:
        side = row.get("consultant_type", "")
        if side not in SIDES:
            raise TranscriptError(
                "it is a consultancy in the form with ans1, which does not say whether the "
                "consultant was right; give a column consultant_type (correct or incorrect)."
            )
        speakers = (side,)
    if any(len(each) != len(speakers) for each in rounds):
        raise old["rounds"].wrong(f"a list of lists of {len(speakers)}")
    return {
        "question": old["question"].text(),
        "story": old.table().get("story"),
        "answers": dict(zip(order, answers, strict=True)),
        "swap": swap,
        "rounds": [dict(zip(speakers, each, strict=True)) for each in rounds],
    }


def _from_text(row: Mapping[str, str], text: str) -> dict[str, Any]:
    """Return the form that is plain text: claims first, then rounds between lines of dashes."""
    for column in ("question", RIGHT, WRONG):
        if not row.get(column):
            raise TranscriptError(f"its transcript is plain text, so it needs a column {column!r}.")
    opening, *parts = text.split(SEPARATOR)
    claims = {name.strip(): claim.strip() for name, claim in CLAIM.findall(opening)}
    names = [name for name, claim in claims.items() if claim in (row[RIGHT], row[WRONG])]
    if len(names) != 2 or {claims[name] for name in names} != {row[RIGHT], row[WRONG]}:
        raise TranscriptError(
            "its transcript is plain text that does not begin with two debaters who say “I claim "
            "the answer is” before the two answers."
        )
    swap = claims[names[0]] == row[WRONG]
    order = SIDES[::-1] if swap else SIDES
    rounds: list[dict[str, Any]] = []
    for part in parts:
        first, found, second = part.partition(f"{names[1]}:\n")
        if found:
            said = (_without_names(first, names), _without_names(second, names))
            rounds.append(dict(zip(order, said, strict=True)))
    return {
        "question": row["question"],
        "answers": {"correct": row[RIGHT], "incorrect": row[WRONG]},
        "swap": swap,
        "rounds": rounds,
    }


def _without_names(text: str, names: list[str]) -> str:
    """Return a message without the lines that only say whose turn it is."""
    heads = {f"{name}:" for name in names}
    lines = (line for line in text.splitlines() if line.strip() not in heads)
    return "\n".join(line for line in lines if not re.fullmatch(r"Turn \d{1,4}:", line.strip()))
