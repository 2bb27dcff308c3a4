"""The numbers that stand in the prose of lessons are the numbers that the engine finds."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

import explorer.lessons
from explorer.lessons.experiments.hints import World
from explorer.lessons.experiments.point_at_the_error import caught
from explorer.lessons.sumcheck import difference, evaluate, success

CONTENT = Path(explorer.lessons.__file__).parent / "content"


def prose(name: str) -> str:
    return (CONTENT / name).read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "sentence", "number"),
    [
        ("03_questions", "about {:.0%}. A liar can reach", success(11, 2, 2)),
        ("05_debate", "1 in {}.", 1 / caught(10, Fraction(1, 2))),
        ("05_debate", "10 is {:.3f}.", caught(10, Fraction(9, 10))),
        ("05_debate", "6, about {:.0%}.", caught(6, Fraction(19, 20))),
        (
            "06_merlin_arthur",
            "About {:.0%}: no better",
            World(Fraction(9, 10), Fraction(1, 10), 10).precision(),
        ),
        (
            "06_merlin_arthur",
            "9 / 1.9, about {:.0%}",
            World(Fraction(9, 10), Fraction(1), 1).precision(),
        ),
    ],
)
def test_a_number_of_the_prose(name, sentence, number):
    value = f"{int(number):,}" if "{}" in sentence else float(number)
    assert sentence.format(value) in prose(f"{name}.toml")


def test_a_blind_opponent_wins_one_game_in_eight():
    assert caught(3, Fraction(1, 2)) == Fraction(1, 8)
    assert "one game in eight" in prose("05_debate.toml")


def test_the_handout_of_the_sum_check_is_right():
    claimed, true, prime = [1, 1, 3], [1, 2, 1], 11
    assert (evaluate(claimed, 0, prime) + evaluate(claimed, 1, prime)) % prime == 6
    assert evaluate(claimed, 4, prime) == 9
    off = [(a - b) % prime for a, b in zip(claimed, true, strict=True)]
    assert [x for x in range(prime) if evaluate(off, x, prime) == 0] == [0, 6]
    assert difference(1, [0, 6], prime) == off


def test_every_plan_takes_the_time_that_it_says():
    for plan in tomllib.loads(prose("guide.toml"))["plan"]:
        assert sum(step["minutes"] for step in plan["steps"]) == plan["minutes"]


def test_glossary_entries_are_found_once_and_lead_somewhere():
    entries = tomllib.loads(prose("glossary.toml"))["entry"]
    terms = [entry["term"] for entry in entries]
    assert len(set(terms)) == len(terms)
    assert terms == sorted(terms, key=str.lower)
    assert {other for entry in entries for other in entry["see"]} <= set(terms)
