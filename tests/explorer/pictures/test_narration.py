"""Captions and sentences about turns agree with schedules and masks."""

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.pictures import Narrator, caption, grid_of
from explorer.pictures.narration import turns_phrase
from nip_core import HyperParameters, ProtocolHandler, ProtocolSpec, protocol_spec
from tests.depth import cases, each
from tests.explorer.pictures.handlers import handler_of, large_spec
from tests.later import torch
from tests.strategies import specs


def said(name: str, *, zero_knowledge: bool = False, **own: object) -> str:
    common = {"zero_knowledge": zero_knowledge, "verifier_first": own.pop("verifier_first", True)}
    parameters = HyperParameters(interaction_protocol=name, protocol_common=common)
    return caption(protocol_spec(parameters.replace(**{f"{name}_protocol": own} if own else {})))


@each(
    ("text", "expected"),
    [
        (
            said("debate", sequential=True, min_message_rounds=3),
            "The provers answer one after the other, prover 1 in turns 2, 5, 8 and prover 2 in "
            "turns 3, 6; each reads the other; the verifier speaks in turn 1, and may decide in "
            "turns 4, 7.",
        ),
        (
            said("nip", verifier_first=False, max_message_rounds=100),
            "The prover speaks in every 2nd turn from 1 to 99; the verifier may decide in every "
            "2nd turn from 2 to 100.",
        ),
        (
            said("nip", max_message_rounds=1),
            "The prover never speaks; the verifier may decide in turn 1.",
        ),
        (said("solo_verifier"), "The verifier may decide in turn 1."),
        (
            said("nip", zero_knowledge=True),
            "The prover answers in turns 2, 4, 6, 8; the simulator speaks in turns 1, 3, 5, 7; "
            "the verifier may decide in turns 1, 3, 5, 7; the adversarial verifier may decide in "
            "turns 1, 3, 5, 7.",
        ),
        (
            caption(large_spec()),
            "Provers 1 and 2 answer at once in 75 turns between 2 and 100; provers 3, 4 and 5 "
            "answer at once in 50 turns between 3 and 100; each reads all others; the verifier "
            "speaks in turn 1, and may decide in every 4th turn from 5 to 97.",
        ),
    ],
)
def test_captions(text, expected):
    assert text == expected


def test_a_seed_is_named_where_chance_plays_a_part():
    assert caption("merlin_arthur", 3).startswith("With seed 3, prover 2 speaks in turn 1;")


@settings(max_examples=cases(100))
@given(specs(), st.none() | st.integers(0, 5))
def test_any_caption_is_one_sentence_about_the_verifier(spec, seed):
    text = caption(spec, seed)
    assert text[0].isupper()
    assert re.fullmatch(r"[^.]+\.", text)
    assert len(text) < 700
    chosen = range(spec.num_variants) if seed is None else [seed]
    acts = any(spec.may_decide(r, s) for s in chosen for r in range(spec.max_message_rounds))
    assert ("nobody can decide" in text) == (not acts)
    counts = any(spec.decision_counts(r, s) for s in chosen for r in range(spec.max_message_rounds))
    assert ("may decide" in text or "lets it, decide" in text) == counts
    assert ("hance" in text) <= (spec.num_variants > 1 and seed is None)


def spelled(phrase: str, total: int) -> list[int] | None:
    """Return the turns that a phrase names, or None if it only counts them."""
    if phrase == "every turn":
        return list(range(1, total + 1))
    if phrase == "no turn":
        return []
    if match := re.fullmatch(r"every (\d+)(?:nd|rd|th) turn from (\d+) to (\d+)", phrase):
        step, first, last = map(int, match.groups())
        return list(range(first, last + 1, step))
    if match := re.fullmatch(r"(\d+) to (\d+)", phrase):
        return list(range(int(match[1]), int(match[2]) + 1))
    if re.fullmatch(r"\d+ turns between \d+ and \d+", phrase):
        return None
    return [int(word) for word in phrase.split(", ")]


@given(
    st.sets(st.integers(0, 40))
    | st.builds(range, st.integers(0, 9), st.just(40), st.integers(1, 5))
)
def test_a_phrase_stands_for_its_turns(turns):
    turns = sorted(turns)
    phrase = turns_phrase(turns, 41)
    meant = spelled(phrase, 41)
    if meant is None:
        assert phrase == f"{len(turns)} turns between {turns[0] + 1} and {turns[-1] + 1}"
    else:
        assert meant == [number + 1 for number in turns]


# -- one turn --------------------------------------------------------------------------------------


def masks(handler: ProtocolHandler, seed: int) -> np.ndarray:
    """Return, by turn, who is active on which channel."""
    rounds = torch.arange(handler.spec.max_message_rounds)
    seeds = torch.full_like(rounds, seed)
    return handler.get_active_agents_mask_from_rounds_and_seed(rounds, seeds).numpy()


def check(handler: ProtocolHandler, seed: int | None) -> None:
    spec = handler.spec
    seeds = range(spec.num_variants) if seed is None else [seed % spec.num_variants]
    each = [masks(handler, one) for one in seeds]
    sees = handler.agent_channel_visibility_mask.numpy()
    narrator = Narrator(grid_of(spec, seed))
    sided = [name for name in spec.provers if spec.agent(name).stance is not None]
    group = [spec.agent_index(name) for name in sided or spec.provers]
    rounds = range(spec.max_message_rounds)
    ever = any(spec.decision_counts(r, s) for s in seeds for r in rounds)
    for round_id in rounds:
        text = narrator.turn(round_id)
        assert text == Narrator(grid_of(spec, seed)).turn(round_id)
        active = np.array([who[round_id] for who in each])
        acting = active.any(axis=2)
        names = spec.agent_names
        acts = {names[i] for i in np.flatnonzero(acting.all(axis=0))}
        may_act = {names[i] for i in np.flatnonzero(acting.any(axis=0))} - acts
        verdict = ""
        if ever and any(spec.may_decide(round_id, s) for s in seeds):
            counts = any(spec.decision_counts(round_id, s) for s in seeds)
            verdict = "counts" if counts else "early"
        read: list[bool] = []
        for writer in group:
            channels = active.any(axis=0)[writer]
            read += [
                sees[reader][channels].any() for reader in set(group) - {writer} if channels.any()
            ]
        check_text(spec, text, acts, may_act, verdict, read)


def check_text(
    spec: ProtocolSpec, text: str, acts: set[str], may_act: set[str], verdict: str, read: list[bool]
) -> None:
    """Check that the sentence names those who act, a possible verdict, and the readers.

    `read` is, for each prover that writes and each other prover, whether it reads any of that.
    """
    assert text[0].isupper()
    assert text.endswith(".")
    if not may_act:
        assert ("obody" in text) == (not acts)
    assert ("decide" in text) == bool(verdict)
    assert ("cannot decide yet" in text) == (verdict == "early")
    if spec.num_variants == 1 and not may_act:
        assert "hance" not in text
    if "neither prover reads" in text:
        assert not any(read)
    if "each will read" in text:
        assert all(read)
    assert not any(name in text for name in spec.provers if name[-1].isdigit())


@settings(max_examples=cases(40))
@given(specs(), st.none() | st.integers(0, 5))
def test_any_protocol_that_is_drawn(spec, seed):
    check(handler_of(spec), seed)
