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
    specification,
)
from nip_core import values as v
from nip_core.errors import NipError, show
from nip_core.spec import PAYOFFS
from tests.depth import each
from tests.judges import judge
from tests.play_worlds import graph_task

HANDLER = build_protocol_handler(HyperParameters(), ExperimentSettings())
ADP = build_protocol_handler(HyperParameters(interaction_protocol="adp"), ExperimentSettings())
SPEC = HANDLER.spec
SIMPLE = {"decides": 0.5, "accepts_true": 0.5, "accepts_false": 0.5}
GAME = v.finite_game(ADP)
PLAY = v.random_play(SPEC)
VALUES = v.exact_values(HANDLER, PLAY)
SAMPLE = v.sample(HANDLER, PLAY, 10)
ROW = {"round": 0, "label": 0, "reject": 0, "accept": 1, "go_on": 0}
HIDDEN = build_protocol_handler(
    HyperParameters(protocol_common={"zero_knowledge": True}), ExperimentSettings()
)
ZERO_KNOWLEDGE = v.exact_values(HIDDEN, v.random_play(HIDDEN.spec))
DRAWN = {"prior": 0.5, "stance": 0.5, "logits": 1}
PLAYED = {"handler": HANDLER, "model": PLAY, "episodes": 5, "seed": 0, "chunk": 5, "device": "cpu"}

COMMITMENT = {
    "handler": ADP,
    "pessimistic": True,
    "prior": 0.5,
    "prover_accuracy": 1,
    "verifier_accuracy": 0.5,
}

POINTS = {
    **dict.fromkeys(("decides", "accepts_true", "accepts_false", "prior", "stance"), 0.5),
    **dict.fromkeys(PAYOFFS, 0.5),
    "accuracy": None,
}
PLAYED_OUT = Episode("nip", graph_task(0))
RECORDS = [v.Heard(1, 1, ("yes",)), v.Heard(0, 0, ("no",))]

# For every public callable, a complete set of valid arguments.
RIGHT = {
    "answers_heard": {"spec": SPEC},
    "best_response": {"game": GAME, "strategy": v.uniform_strategy(GAME), "pessimistic": True},
    "betting_mean": {
        "values": np.array([0.5]),
        "counts": np.array([1]),
        "lowest": 0,
        "highest": 1,
        "level": 0.9,
    },
    "estimated_play": {
        "spec": SPEC,
        "records": [(1, 0, [2, 2, 1])],
        "smoothing": 1.0,
        "stance": 0.5,
    },
    "abstracted": {"document": specification("nip"), "evidence": v.Evidence()},
    "card": {
        "document": specification("solo_verifier"),
        "evidence": v.Evidence(),
        "seconds": 5.0,
        "most": 10_000,
        "cancelled": None,
    },
    "Evidence": {
        **dict.fromkeys(("shows", "fakes", "own", "prior", "fresh", "knows"), 0.5),
        "repeat": True,
    },
    "best_mechanism": {**COMMITMENT, "opposition": None},
    "frontier": {**COMMITMENT, "opposition": None},
    "evidence_counts": {"episode": PLAYED_OUT, "problem": "a"},
    "measured_evidence": {
        "records": [],
        "alone": None,
        "base": None,
        "level": 0.9,
        "least": 1,
    },
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
    "exploitability": {
        "given": ADP,
        "strategy": {},
        "prior": 0.5,
        "prover_accuracy": 1,
        "verifier_accuracy": 0.5,
    },
    "finite_game": {
        "handler": ADP,
        "symbols": 2,
        "prior": 0.5,
        "prover_accuracy": 1,
        "verifier_accuracy": 0.5,
    },
    "heard": {"episodes": []},
    "listening_play": {"spec": SPEC, "decides": 1, "accuracy": 1, **DRAWN},
    "mid_point": {"handler": HANDLER, "values": VALUES, "agent": "verifier"},
    "mid_points": {"handler": HANDLER, "values": VALUES},
    "optimal_stopping": {"handler": HANDLER, "accuracy": 0.7, "prior": 0.5},
    "outcomes": {"handler": HANDLER},
    "verdict_pay": {"spec": specification("nip"), "most": 100},
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
    "reward_bounds": {"handler": HANDLER},
    "rollouts": PLAYED,
    "sample": PLAYED,
    "simple_play": {"spec": SPEC, **SIMPLE, **DRAWN},
    "stackelberg": {"game": GAME, "pessimistic": True, "at_most": 5.0, "most_programs": 100},
    "sweep": {"handler": HANDLER, **POINTS},
    "to_efg": {"game": GAME},
    "uniform_strategy": {"game": GAME},
    "value_table": {**COMMITMENT, "rounds": [2]},
    "verifier_turns": {"spec": SPEC},
    "wilson": {"hits": 0, "count": 9, "level": 0.9},
    "zero_sum_value": {"game": GAME},
    "FiniteGame": vars(GAME),
    "Heard": {"label": 1, "verdict": 2, "said": ("yes",)},
    "PlayModel": vars(PLAY),
    "PlayModel.check_fits": {"self": PLAY, "spec": SPEC},
    "PlayModel.from_rows": {"spec": SPEC, "rows": []},
    **{
        f"ExactValues.{name}": {"self": VALUES, "agent": "verifier"}
        for name in ("mean", "variance", "distribution", "components")
    },
    **{f"Sample.{name}": {"self": SAMPLE, "agent": "verifier"} for name in ("mean", "histogram")},
    "Frontier.completeness": {"self": v.frontier(ADP, pessimistic=True), "soundness_error": 0.5},
    "ExactValues.sample": {"self": VALUES, "episodes": 5, "seed": 0},
    "Sample.mean_interval": {"self": SAMPLE, "agent": "verifier", "level": 0.9},
}

# Results, which are accepted as arguments only unchanged.
RESULTS = {
    *("Commitment", "Distribution", "Endings", "ExactValues", "Histogram", "MidPoint", "Outcomes"),
    *("Frontier", "Mechanism", "Response", "Sample", "StoppingRule", "Sweep", "ValueTable"),
    *("Abstracted", "Card", "CardLine", "Reading", "VerdictPay"),
    *("Exploitability", "Judged", "Kind", "PlayValues", "Rate", "RecordedEvidence"),
    *("EvidenceCounts", "MeasuredEvidence", "MeasuredRate"),
}

# Arithmetic of inner loops, which checks nothing: its arguments were computed here. The last three
# are for the pages, which have a protocol.
UNCHECKED = {"bootstrap_ends", "settled", "student_quantile", "wilson_at"}
UNCHECKED |= {"clustered_error", "clustered_wilson"}
UNCHECKED |= {"check_one_prover", "judged", "paid_by_verdict"}

WRONG = (
    *(None, "half", b"x", 0.5, float("nan"), float("inf"), 10**400, -1, 0, 7, 2.0, True),
    *([], {}, [None], ["x"], {"x": 1}, object(), GAME, PLAY, HANDLER),
)
COUNTS = {"symbols", "episodes", "chunk", "logits", "most_programs"}
CHANCES = {"prior", "stance", "decides", "accuracy", "accepts_true", "accepts_false"}
CHANCES |= {"shows", "fakes", "own", "fresh", "knows"}
CHANCES |= {"prover_accuracy", "verifier_accuracy", "soundness_error"}


def is_nothing(value):
    return value is None


def is_list(value):
    return value == [] and isinstance(value, list)


def is_chance(value):
    return type(value) in (int, float) and 0 <= value <= 1


def is_amount(value):
    return type(value) in (int, float) and value == value and abs(value) < 8


# Values that are valid in one function only.
OF_FUNCTIONS = {
    "card": {
        "seconds": lambda value: value is None or (type(value) in (int, float) and 0 < value < 8),
        "most": lambda value: value is None or (type(value) is int and value in (0, 7)),
        "cancelled": is_nothing,
    },
    "recorded_evidence": {
        "records": lambda value: False,
        "prior": lambda value: value is None or (is_chance(value) and 0 < value < 1),
        "stakes": lambda value: is_amount(value) and value > 0,
    },
    "exploitability": {
        "given": lambda value: value is HANDLER,
        "strategy": lambda value: value == {} and isinstance(value, dict),
        **dict.fromkeys(
            ("prior", "prover_accuracy", "verifier_accuracy"),
            lambda value: value is None or is_chance(value),
        ),
    },
    "heard": {"episodes": is_list},
    "evidence_counts": {"problem": lambda value: value in (None, "half")},
    "predicted_right": {"seconds": lambda value: value is None or (is_amount(value) and value > 0)},
    "measured_evidence": {
        "alone": lambda value: value is None or is_list(value),
        "base": is_nothing,
        "least": lambda value: type(value) is int and value == 7,
    },
    "sweep": {
        **dict.fromkeys(
            ("accepts_true", "accepts_false"), lambda value: value is None or is_chance(value)
        ),
        "accuracy": is_nothing,  # beside fixed chances
        **dict.fromkeys(PAYOFFS, lambda value: value is None or is_amount(value)),
    },
    "value_table": {"rounds": is_nothing},
    "verdict_pay": {
        "spec": lambda value: False,
        "most": lambda value: type(value) is int and value in (0, 7),
    },
    "play_values": {
        "spec": lambda value: False,
        "habits": is_list,
        "exact": lambda value: value is True,
        "seconds": lambda value: value is None or (type(value) in (int, float) and 0 < value < 8),
        **dict.fromkeys(("most", "plays"), lambda value: type(value) is int and value in (0, 7)),
        "cancelled": is_nothing,
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
        return (type(value) is int and value == 7) or (
            value is None and (function, name) in {("rollouts", "episodes"), (function, "chunk")}
        )
    if (function, name) == ("frontier", "prior"):
        return value == 0.5
    if name in CHANCES:
        return plain and 0 <= value <= 1
    return {
        "seed": type(value) is int and value in (0, 7),
        "ends": type(value) is int and value in (0, 7),
        "count": type(value) is int and value in (0, 7),
        "hits": type(value) is int and value in (0, 7),
        "level": value == 0.5,
        "lowest": plain and value <= 1,
        "highest": plain and value >= 0.5 and value != 10**400,
        "smoothing": value in (0.5, 7, 2.0) and plain,
        "at_most": plain and value == value and value != 10**400,
        "pessimistic": value is True or (value is None and function == "best_response"),
        "renamable": value is True,
        "title": value == "half",
        "knowledge": value == "half",
        "records": value == [],
        "rows": value == [],
        "start": value is None,
        "evidence": value is None,
        "repeat": value is True,
        "hear": value is None,
        "opposition": value is None,
        "adversary": value is None,
        "game": value is GAME,
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
        assert {"agent": "seat"}.get(name, name) in said or name in said, (value, said)
        assert show(value)[:40] in said or "shape" in said, (value, said)
        assert re.search("must be|Known:|shape", said), (value, said)


# Composite values with one wrong part: the part is named.
OF_PARTS = {"alone", "records", "rows", "strategy", "rounds", "episodes", "said"}

# Values of the right kind with wrong content: what the message says, and the call.
INSIDE = {
    "label": ([-1, 2, 0.5, "1", None, True], lambda x: estimated((x, 0, [1]))),
    "seed": ([-1, 0.5, "1", None, True], lambda x: estimated((1, x, [1]))),
    "decision": ([-1, 3, 7, 0.5, "1", None, True], lambda x: estimated((1, 0, [x]))),
    "Record 2": ([3, None, (1, 0), (1, 0, 2), "abcd"], lambda x: estimated(x)),
    "Row 1": ([3, None, [], {}, "x", {"round": 0}, {**ROW, "accept": 10**400}], lambda x: rows(x)),
    "round": ([None, "x", -1, 99, 0.5], lambda x: rows({**ROW, "round": x})),
    "hits": ([-1, 11, 1.5], lambda x: v.wilson(x, 10)),
    "lowest": ([2, 1.5], lambda x: v.betting_mean(np.empty(0), np.empty(0), x, 1)),
    "counts": ([[-1], [1, 2], []], lambda x: v.betting_mean([0.5], x, 0, 1)),
    "strategy": (
        [None, "x", 7, [], {}, {"accept": "x"}, {"accept": float("nan")}, {"nothing": 1.0}],
        lambda x: v.best_response(GAME, dict.fromkeys(v.uniform_strategy(GAME), x)),
    ),
    "device": (["meta", "cpu0", "tpu", 7], lambda x: v.sample(HANDLER, PLAY, 5, device=x)),
    "symbols": ([10**9], lambda x: v.finite_game(ADP, symbols=x)),
    "agent": (["nobody", ["verifier"]], lambda x: ZERO_KNOWLEDGE.variance(x)),
}


def estimated(record):
    return v.estimated_play(SPEC, [(1, 0, [2, 2, 1]), record])


def rows(row):
    return v.PlayModel.from_rows(SPEC, [row])


@pytest.mark.parametrize("name", INSIDE)
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
        v.listening_play(SPEC, decides=third, accuracy=third, prior=third),
    ):
        assert (type(play.prior), play.prior) == (float, 1 / 3)
        assert v.exact_values(HANDLER, play).mean("verifier") <= 1
    assert v.optimal_stopping(HANDLER, accuracy=third, prior=third).value <= 1
    # A float that was made from a simple fraction is read as that fraction.
    exact = v.stackelberg(v.finite_game(ADP, prior=1 / 3), pessimistic=False).exact
    assert exact == v.stackelberg(v.finite_game(ADP, prior=third), pessimistic=False).exact
    assert exact == third


@pytest.mark.parametrize("unit", [1e-12, 1e-9, 1e-3, 1e3, 1e9, 1e12])
def test_rules_and_estimates_do_not_depend_on_the_unit(unit):
    def handler(size):
        paid = {
            "verifier_reward": 2.0,
            "verifier_incorrect_penalty": -1.5,
            "verifier_terminated_penalty": -0.75,
            "verifier_no_guess_reward": -0.05,
            "prover_reward": 0.7,
        }
        chosen = HyperParameters(protocol_common={key: size * x for key, x in paid.items()})
        return build_protocol_handler(chosen, ExperimentSettings())

    plain, other = (v.optimal_stopping(handler(size), accuracy=0.7) for size in (1.0, unit))
    assert np.array_equal(plain.decisions, other.decisions)
    assert np.array_equal(plain.ties, other.ties)
    assert other.value == pytest.approx(unit * plain.value, rel=1e-9)
    for agent in SPEC.agent_names:
        found = []
        for size in (1.0, unit):
            model = v.random_play(SPEC)
            found.append(v.mid_point(handler(size), v.exact_values(handler(size), model), agent))
        old, new = found
        assert "rules" not in new.parts
        assert (new.is_equal, new.is_sure) == (old.is_equal, old.is_sure)
        assert new.mean == pytest.approx(unit * old.mean, rel=1e-9)
    # The number of values is the same too.
    laws = [
        v.exact_values(handler(s), v.random_play(SPEC)).distribution("verifier")
        for s in (1.0, unit)
    ]
    assert len(laws[0].values) == len(laws[1].values)


def test_files_for_others_hold_decimal_numbers():
    chosen = HyperParameters(
        interaction_protocol="adp",
        protocol_common={"verifier_reward": 0.123456789012, "verifier_incorrect_penalty": -1e-9},
    )
    game = v.finite_game(build_protocol_handler(chosen, ExperimentSettings()), prior=0.3)
    text = v.to_efg(game)
    assert "{ 0.123456789012, 0 }" in text
    assert "-0.000000001, " in text
    assert '"y=0, prover sees 0" 0.7 "y=1, prover sees 1" 0.3' in text
    assert "/" not in text.split("\n", 2)[2]


def test_openspiel_reads_games_of_many_digits(tmp_path):
    rng = random.Random(1)
    for number in range(8):
        paid = {name: round(rng.uniform(-2, 2), 9) for name in PAYOFFS}
        chosen = HyperParameters(
            interaction_protocol=rng.choice(["adp", "nip"]),
            nip_protocol={"max_message_rounds": 3},
            protocol_common=paid,
        )
        handler = build_protocol_handler(chosen, ExperimentSettings())
        game = v.finite_game(handler, prior=round(rng.random(), 9), verifier_accuracy=0.7)
        path = tmp_path / f"{number}.efg"
        path.write_text(v.to_efg(game), encoding="ascii")
        theirs = judge("pyspiel").load_game(f"efg_game(filename={path})")
        assert theirs.num_players() == 2
