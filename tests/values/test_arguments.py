"""Wrong arguments are refused with the allowed ones; none is silently changed."""

import inspect
import random
import re
from fractions import Fraction

import numpy as np
import pytest

from nip_core import (
    Episode,
    ExperimentSettings,
    HyperParameters,
    build_protocol_handler,
    protocol,
    specification,
)
from nip_core import values as v
from nip_core.errors import NipError, show
from nip_core.language import from_version_1
from nip_core.spec import PAYOFFS
from tests.depth import each
from tests.judges import judge
from tests.play_worlds import graph_task

HANDLER = build_protocol_handler(HyperParameters(), ExperimentSettings())
ADP = build_protocol_handler(HyperParameters(interaction_protocol="adp"), ExperimentSettings())
SPEC = HANDLER.spec
SIMPLE = {"decides": 0.5, "accepts_true": 0.5, "accepts_false": 0.5}
PLAY = v.random_play(SPEC)
VALUES = v.exact_values(HANDLER, PLAY)
HIDDEN = build_protocol_handler(
    HyperParameters(protocol_common={"zero_knowledge": True}), ExperimentSettings()
)
ZERO_KNOWLEDGE = v.exact_values(HIDDEN, v.random_play(HIDDEN.spec))
DRAWN = {"prior": 0.5, "stance": 0.5, "logits": 1}

COMMITMENT = {
    "handler": ADP,
    "pessimistic": True,
    "prior": 0.5,
    "prover_accuracy": 1,
    "verifier_accuracy": 0.5,
}

SOLVED = {
    "spec": specification("adp"),
    "habits": [],
    "players": [],
    "seconds": 5.0,
    "most": 10_000,
    "cancelled": None,
}
AUDITED = {"useful": {"verifier": 1}, "harm": {"prover": 1}, "honest": {}}
PLAYED_OUT = Episode("nip", graph_task(0))
RECORDS = [v.Heard(1, 1, ("yes",)), v.Heard(0, 0, ("no",))]

CARD = {
    "document": specification("solo_verifier"),
    "evidence": v.Evidence(),
    "seconds": 5.0,
    "most": 10_000,
    "cancelled": None,
    "keys": ("errors",),
}

# For every public callable, a complete set of valid arguments.
RIGHT = {
    "betting_mean": {
        "values": np.array([0.5]),
        "counts": np.array([1]),
        "lowest": 0,
        "highest": 1,
        "level": 0.9,
    },
    "abstracted": {"document": specification("nip"), "evidence": v.Evidence()},
    "card": CARD,
    "cards": CARD,
    "best_pay": {key: CARD[key] for key in ("document", "evidence", "seconds")},
    "Evidence": {
        **dict.fromkeys(("shows", "fakes", "own", "prior", "fresh", "knows"), 0.5),
        "repeat": True,
    },
    "best_mechanism": {**COMMITMENT, "opposition": None},
    "best_reply": {**SOLVED, "seats": "prover", "goal": None, "worst_tie": None},
    "opposed": {**SOLVED, "one": "verifier", "other": "prover", "goal": None},
    "committed": {
        **SOLVED,
        "leader": "verifier",
        "followers": "prover",
        "ties": "for",
        "goal": None,
        "follower_goal": None,
    },
    "audit_frontier": {**SOLVED, "watching": "verifier", "watched": "prover", **AUDITED},
    "to_efg": {**SOLVED, "sides": ("verifier", "prover"), "goals": ()},
    "with_counters": {"spec": specification("adp"), "counters": {}},
    "right": {"spec": specification("adp")},
    "evidence_counts": {"episode": PLAYED_OUT, "problem": "a"},
    "measured_evidence": {"records": [], "alone": None, "base": None, "level": 0.9, "least": 1},
    "predicted_right": {
        "document": specification("nip"),
        "measured": v.measured_evidence([]),
        "seconds": 5.0,
    },
    "recorded_evidence": {
        "records": RECORDS,
        "kind": lambda said: said[-1],
        "prior": 0.5,
        "stakes": 1.0,
        "level": 0.9,
    },
    "exact_values": {"handler": HANDLER, "model": PLAY},
    "heard": {"episodes": []},
    "verdict_pay": {"spec": specification("nip"), "most": 100},
    "plain_values": {"spec": specification("nip"), "habits": []},
    "play_values": {
        "spec": specification("jury"),
        "habits": [],
        "exact": True,
        "seconds": 5.0,
        "most": 10_000,
        "plays": 5,
        "seed": 0,
        "cancelled": None,
    },
    "random_play": {"spec": SPEC, **DRAWN},
    "simple_play": {"spec": SPEC, **SIMPLE, **DRAWN},
    "verifier_turns": {"spec": SPEC},
    "wilson": {"hits": 0, "count": 9, "level": 0.9},
    "Heard": {"label": 1, "verdict": 2, "said": ("yes",)},
    "PlayModel": vars(PLAY),
    **{
        f"ExactValues.{name}": {"self": VALUES, "agent": "verifier"}
        for name in ("mean", "variance", "distribution")
    },
}

# Results, which are accepted as arguments only unchanged.
RESULTS = {
    *("Abstracted", "Card", "CardLine", "Reading", "VerdictPay"),
    *("Distribution", "Endings", "ExactValues", "Mechanism", "PlayValues"),
    "PlainValues",
    *("AuditFrontier", "Committed", "ExtensiveGame", "Opposed", "Reply", "Watch"),
    *("MixedPlan", "Mixture", "Plan", "SeatedPlan"),
    *("Kind", "Rate", "RecordedEvidence"),
    *("EvidenceCounts", "MeasuredEvidence", "MeasuredRate"),
}

# Arithmetic of inner loops, which checks nothing: its arguments were computed here.
UNCHECKED = {"bootstrap_ends", "student_quantile", "wilson_at"}
UNCHECKED |= {"clustered_error", "clustered_wilson"}

WRONG = (
    *(None, "half", b"x", 0.5, float("nan"), float("inf"), 10**400, -1, 0, 7, 2.0, True),
    *([], {}, [None], ["x"], {"x": 1}, object(), PLAY, HANDLER),
)
COUNTS = {"logits"}
CHANCES = {"prior", "stance", "decides", "accuracy", "accepts_true", "accepts_false"}
CHANCES |= {"shows", "fakes", "own", "fresh", "knows"}
CHANCES |= {"prover_accuracy", "verifier_accuracy"}


def is_nothing(value):
    return value is None


def is_list(value):
    return value == [] and isinstance(value, list)


def is_chance(value):
    return type(value) in (int, float) and 0 <= value <= 1


def is_amount(value):
    return type(value) in (int, float) and value == value and abs(value) < 8


def is_nobody(value):
    return isinstance(value, list | dict) and not value


LIMITS = {
    "seconds": lambda value: value is None or (type(value) in (int, float) and 0 < value < 8),
    "most": lambda value: value is None or (type(value) is int and value in (0, 7)),
    "cancelled": is_nothing,
}
SIDES = ("seats", "one", "other", "leader", "followers", "watching", "watched")
OF_SOLVERS = {
    **LIMITS,
    "spec": lambda value: False,
    **dict.fromkeys(("habits", "players", "goals"), is_list),
    **dict.fromkeys(SIDES, is_nobody),
    "sides": is_nobody,
    **dict.fromkeys(
        ("goal", "worst_tie", "follower_goal"), lambda value: value is None or is_a_goal(value)
    ),
    **dict.fromkeys(("useful", "harm"), lambda value: is_a_goal(value)),
    "honest": lambda value: isinstance(value, dict),
    "ties": lambda value: False,
}


def is_a_goal(value):
    return isinstance(value, dict)


# Values that are valid in one function only.
OF_FUNCTIONS = {
    **{key: {**LIMITS, "keys": lambda value: False} for key in ("card", "cards")},
    "best_pay": {"seconds": LIMITS["seconds"]},
    **dict.fromkeys(("best_reply", "opposed", "committed", "audit_frontier", "to_efg"), OF_SOLVERS),
    "with_counters": {"spec": lambda value: False, "counters": lambda value: value == {}},
    "right": {"spec": lambda value: False},
    "recorded_evidence": {
        "records": lambda value: False,
        "prior": lambda value: value is None or (is_chance(value) and 0 < value < 1),
        "stakes": lambda value: is_amount(value) and value > 0,
    },
    "heard": {"episodes": is_list},
    "evidence_counts": {"problem": lambda value: value in (None, "half")},
    "predicted_right": {"seconds": lambda value: value is None or (is_amount(value) and value > 0)},
    "measured_evidence": {
        "alone": lambda value: value is None or is_list(value),
        "base": is_nothing,
        "least": lambda value: type(value) is int and value == 7,
    },
    "verdict_pay": {
        "spec": lambda value: False,
        "most": lambda value: type(value) is int and value in (0, 7),
    },
    "plain_values": {"spec": lambda value: False, "habits": is_list},
    "play_values": {
        "spec": lambda value: False,
        "habits": is_list,
        "exact": lambda value: value is True,
        **LIMITS,
        **dict.fromkeys(("most", "plays"), lambda value: type(value) is int and value in (0, 7)),
    },
    "Heard": {
        "label": lambda value: type(value) is int and value == 0,
        "verdict": lambda value: type(value) is int and value == 0,
    },
}


def is_allowed(function, name, value):
    """Return whether a wrong value is valid for this argument after all."""
    plain = type(value) in (int, float)
    if name in OF_FUNCTIONS.get(function, {}):
        return OF_FUNCTIONS[function][name](value)
    if name in COUNTS:
        return type(value) is int and value == 7
    if name in CHANCES:
        return plain and 0 <= value <= 1
    return {
        "seed": type(value) is int and value in (0, 7),
        "count": type(value) is int and value in (0, 7),
        "hits": type(value) is int and value in (0, 7),
        "level": value == 0.5,
        "lowest": plain and value <= 1,
        "highest": plain and value >= 0.5 and value != 10**400,
        "pessimistic": value is True,
        "records": value == [],
        "evidence": value is None,
        "repeat": value is True,
        "opposition": value is None,
        "adversary": value is None,
        "model": value is PLAY,
        "handler": value is HANDLER,
        "spec": value is HANDLER,
    }.get(name, False)


def called(name, given):
    function = v
    for part in name.split("."):
        function = getattr(function, part)
    given = dict(given)
    own = [given.pop("self")] if "self" in given else []
    if "sides" in given:
        sides = given.pop("sides")
        own = [given.pop("spec"), *(sides if isinstance(sides, tuple) else (sides,))]
    return function(*own, **given)


def test_every_public_callable_has_valid_arguments_here():
    callable_names = {name for name in v.__all__ if callable(getattr(v, name))}
    assert callable_names == {name for name in RIGHT if "." not in name} | RESULTS | UNCHECKED
    for name, given in RIGHT.items():
        called(name, given)
        if "." not in name:
            assert set(inspect.signature(getattr(v, name)).parameters) == set(given), name


@each(
    ("function", "name"),
    [(function, name) for function, given in RIGHT.items() for name in given if name != "self"],
)
def test_wrong_arguments_are_refused_by_name(function, name):
    for value in WRONG:
        given = {**RIGHT[function], name: value}
        if is_allowed(function, name, value):
            called(function, given)
            continue
        with pytest.raises(NipError) as caught:
            called(function, given)
        if name in OF_PARTS and isinstance(value, list | dict):
            continue
        said = str(caught.value)
        # The message about an array of the wrong shape names the shape.
        is_seat = name in ("agent", "sides", *SIDES)
        assert name in said or (is_seat and "seat" in said), (value, said)
        assert show(value)[:40] in said or "shape" in said, (value, said)
        assert re.search("must be|Known:|shape", said), (value, said)


# Composite values with one wrong part: the part is named.
OF_PARTS = {"alone", "records", "episodes", "said", "sides", *SIDES}

# Values of the right kind with wrong content: what the message says, and the call.
INSIDE = {
    "hits": ([-1, 11, 1.5], lambda x: v.wilson(x, 10)),
    "lowest": ([2, 1.5], lambda x: v.betting_mean(np.empty(0), np.empty(0), x, 1)),
    "counts": ([[-1], [1, 2], []], lambda x: v.betting_mean([0.5], x, 0, 1)),
    "agent": (["nobody", ["verifier"]], lambda x: ZERO_KNOWLEDGE.variance(x)),
}


@each("name", INSIDE)
def test_wrong_parts_of_values_are_refused(name):
    wrong, call = INSIDE[name]
    for value in wrong:
        with pytest.raises(NipError, match=name):
            call(value)


def test_fractions_are_chances_like_any_other():
    third = Fraction(1, 3)
    for play in (
        v.random_play(SPEC, prior=third, stance=third),
        v.simple_play(SPEC, **dict.fromkeys(SIMPLE, third), prior=third),
    ):
        assert (type(play.prior), play.prior) == (float, 1 / 3)
        assert v.exact_values(HANDLER, play).mean("verifier") <= 1
    # A float that was made from a simple fraction is read as that fraction.
    for prior in (1 / 3, third):
        assert v.best_mechanism(ADP, prior=prior, pessimistic=False).safe_value == third


def test_openspiel_reads_games_of_many_digits(tmp_path):
    rng = random.Random(1)
    for number in range(8):
        paid = {name: round(rng.uniform(-2, 2), 9) for name in PAYOFFS}
        chosen = protocol(rng.choice(["adp", "nip"]), **paid).spec
        if chosen.name == "nip":
            chosen = chosen.replace(max_message_rounds=3)
        game = v.abstracted(from_version_1(chosen), v.Evidence(own=0.7))
        path = tmp_path / f"{number}.efg"
        sides = ("verifier", "prover")
        path.write_text(v.to_efg(game.spec, *sides, habits=game.honest()).text, encoding="ascii")
        theirs = judge("pyspiel").load_game(f"efg_game(filename={path})")
        assert theirs.num_players() == 2
