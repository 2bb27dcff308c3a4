"""The caption describes the schedule."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.pictures import caption
from explorer.pictures.narration import rounds_phrase
from nip_core import HyperParameters, protocol_spec
from tests.depth import cases
from tests.explorer.pictures.handlers import large_spec
from tests.strategies import specs


def said(name: str, *, zero_knowledge: bool = False, **own: object) -> str:
    common = {"zero_knowledge": zero_knowledge, "verifier_first": own.pop("verifier_first", True)}
    parameters = HyperParameters(interaction_protocol=name, protocol_common=common)
    return caption(protocol_spec(parameters.replace(**{f"{name}_protocol": own} if own else {})))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            said("debate", sequential=True, min_message_rounds=3),
            "The provers answer one after the other, prover 1 in rounds 2, 5, 8 and prover 2 in "
            "rounds 3, 6; each reads the other; the verifier may decide in rounds 1, 4, 7, and a "
            "decision counts from round 4 on.",
        ),
        (
            said("nip", verifier_first=False, max_message_rounds=100),
            "The prover speaks in every 2nd round from 1 to 99; the verifier may decide in every "
            "2nd round from 2 to 100.",
        ),
        (
            said("nip", max_message_rounds=1),
            "The prover never speaks; the verifier may decide in round 1.",
        ),
        (
            caption(large_spec()),
            "Provers 1 and 2 answer at once in 75 rounds between 2 and 100; provers 3, 4 and 5 "
            "answer at once in 50 rounds between 3 and 100; each reads all others; the verifier "
            "may decide in every 4th round from 1 to 97, and a decision counts from round 5 on.",
        ),
    ],
)
def test_captions(text, expected):
    assert text == expected


def test_a_seed_is_named_where_chance_plays_a_part():
    spec = protocol_spec(HyperParameters(interaction_protocol="merlin_arthur"))
    assert caption(spec, 3).startswith("With seed 3, prover 2 speaks in round 1;")


@settings(max_examples=cases(100))
@given(specs(), st.none() | st.integers(0, 5))
def test_any_caption_is_one_sentence_about_the_verifier(spec, seed):
    text = caption(spec, seed)
    assert text[0].isupper()
    assert re.fullmatch(r"[^.]+\.", text)
    assert len(text) < 600
    chosen = range(spec.num_variants) if seed is None else [seed]
    decides = any(spec.may_decide(r, s) for s in chosen for r in range(spec.max_message_rounds))
    assert ("nobody can decide" in text) == (not decides)
    assert ("hance" in text) <= (spec.num_variants > 1 and seed is None)


def spelled(phrase: str, total: int) -> list[int] | None:
    """Return the rounds that a phrase names, or None if it only counts them."""
    if phrase == "every round":
        return list(range(1, total + 1))
    if phrase == "no round":
        return []
    if match := re.fullmatch(r"every (\d+)(?:nd|rd|th) round from (\d+) to (\d+)", phrase):
        step, first, last = map(int, match.groups())
        return list(range(first, last + 1, step))
    if match := re.fullmatch(r"(\d+) to (\d+)", phrase):
        return list(range(int(match[1]), int(match[2]) + 1))
    if re.fullmatch(r"\d+ rounds between \d+ and \d+", phrase):
        return None
    return [int(word) for word in phrase.split(", ")]


@given(
    st.sets(st.integers(0, 40))
    | st.builds(range, st.integers(0, 9), st.just(40), st.integers(1, 5))
)
def test_a_phrase_stands_for_its_rounds(rounds):
    rounds = sorted(rounds)
    phrase = rounds_phrase(rounds, 41)
    meant = spelled(phrase, 41)
    if meant is None:
        assert phrase == f"{len(rounds)} rounds between {rounds[0] + 1} and {rounds[-1] + 1}"
    else:
        assert meant == [round_id + 1 for round_id in rounds]
