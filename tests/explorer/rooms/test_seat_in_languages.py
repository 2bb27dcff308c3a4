"""Tests of seat.py and tables.py in other languages: no fixed text of a screen is English."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from explorer import rooms
from explorer.languages import PSEUDO, speaking
from tests.explorer.rooms.people import LEADER, act_of, at, opened, sits

# What people and scripts say, the task, names of seats, and sentences made from the protocol.
CONTENT = {
    *("claim", "sides", "means", "after", "agents", "statement", "asks", "briefing", "why", "seat"),
    *("explanation", "exposing", "prompt", "text", "grid", "readers", "yardstick", "you", "role"),
    *("channels.name", "rewards.seat", "verdict.options", "name", "wait", "place", "by", "agent"),
    *("tone", "seats", "sender", "fill", "ink", "messages", "truth", "composer.channels", "stance"),
    *("desk.facts", "desk.call", "says.kind", "ending.verdict"),
}
BRACKETED = re.compile(r"⟦[^⟦⟧]*⟧")


def english(shown: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the texts of a screen, besides its content, that are outside of brackets."""
    if path and (path[-1] in CONTENT or ".".join(path[-2:]) in CONTENT):
        return
    if isinstance(shown, dict):
        for key, value in shown.items():
            yield from english(value, (*path, key))
    elif isinstance(shown, list | tuple):
        for value in shown:
            yield from english(value, path)
    elif isinstance(shown, str):
        left = shown
        while (inner := BRACKETED.sub("", left)) != left:
            left = inner
        if re.search(r"[^\W\d_]{2,}", left):
            yield f"{'.'.join(path)}: {shown}"


def everybody(storage, code):
    """Return what is English on the screens of three people."""
    with speaking(PSEUDO):
        screens = [rooms.seat_screen(at(storage, code, person)) for person in (1, 2, 3)]
        return [text for screen in screens for text in english(screen, ("screen",))]


def test_words_outside_of_brackets_are_found():
    assert [*english({"now": "⟦Turn ⟦a⟧⟧", "hint": "Send ⟦it⟧", "claim": "It is so."})] == [
        "hint: Send ⟦it⟧"
    ]


@pytest.mark.parametrize("verdict", [0, 1])
def test_no_fixed_text_of_a_table_is_english(storage, verdict):
    code = opened(storage, 3)
    seats = {agent: sits(storage, code, agent) for agent in ("verifier", "prover0", "prover1")}
    assert everybody(storage, code) == []
    for agent in ("verifier", "prover0", "prover1"):
        table = at(storage, code, seats[agent])
        assert table.play(act_of(table)) is None
        assert everybody(storage, code) == []
    table = at(storage, code, seats["verifier"])
    with speaking(PSEUDO):
        assert table.play({"seat": "verifier", "round": 0, "mark": "m"})["message"].startswith("⟦")
    rooms.pause(rooms.Access(storage, code, LEADER))
    assert everybody(storage, code) == []
    rooms.resume(rooms.Access(storage, code, LEADER))
    assert table.play(act_of(table, verdict=verdict)) is None
    assert everybody(storage, code) == []
    rooms.reveal(rooms.Access(storage, code, LEADER))
    assert everybody(storage, code) == []


def test_a_person_without_a_name_is_called_in_the_language(storage):
    code = opened(storage, 3)
    person = at(storage, code, 2).person
    said = {}
    for language in ("en", "de", "es"):
        with speaking(language):
            said[language] = person.shown
    assert said == {"en": "Person 2", "de": "Person 2", "es": "Persona 2"}
