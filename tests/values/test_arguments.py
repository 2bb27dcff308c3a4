"""Wrong arguments are refused, with what is allowed; nothing is taken quietly."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from nip_core import ExperimentSettings, HyperParameters, build_protocol_handler
from nip_core import values as v
from nip_core.errors import NipError
from tests.judges import judge
from tests.values.test_games import REWARDS

HANDLER = build_protocol_handler(HyperParameters(), ExperimentSettings())
ADP = build_protocol_handler(HyperParameters(interaction_protocol="adp"), ExperimentSettings())
SPEC = HANDLER.spec
NOT_CHANCES = [-0.1, 1.5, float("nan"), float("inf"), "half", None, True, [0.5]]
NOT_COUNTS = [0, -1, 2.0, 2.5, "3", True, float("nan")]
SIMPLE = {"decides": 0.5, "accepts_true": 0.5, "accepts_false": 0.5}

CALLS = {
    **{
        f"finite_game {name}": (NOT_CHANCES, lambda x, name=name: v.finite_game(ADP, **{name: x}))
        for name in ("prior", "prover_accuracy", "verifier_accuracy")
    },
    "finite_game symbols": (NOT_COUNTS, lambda x: v.finite_game(ADP, symbols=x)),
    **{
        f"simple_play {name}": (
            NOT_CHANCES,
            lambda x, name=name: v.simple_play(SPEC, **{**SIMPLE, name: x}),
        )
        for name in (*SIMPLE, "prior", "stance")
    },
    **{
        f"listening_play {name}": (
            NOT_CHANCES,
            lambda x, name=name: v.listening_play(SPEC, **{"decides": 1, "accuracy": 1, name: x}),
        )
        for name in ("decides", "accuracy", "prior", "stance")
    },
    "random_play prior": (NOT_CHANCES, lambda x: v.random_play(SPEC, prior=x)),
    "random_play stance": (NOT_CHANCES, lambda x: v.random_play(SPEC, stance=x)),
    "random_play logits": (NOT_COUNTS, lambda x: v.random_play(SPEC, logits=x)),
    "optimal_stopping accuracy": (NOT_CHANCES, lambda x: v.optimal_stopping(HANDLER, accuracy=x)),
    "optimal_stopping prior": (
        NOT_CHANCES,
        lambda x: v.optimal_stopping(HANDLER, accuracy=0.7, prior=x),
    ),
    "sample episodes": (NOT_COUNTS, lambda x: v.sample(HANDLER, v.random_play(SPEC), x)),
    "sample chunk": (NOT_COUNTS, lambda x: v.sample(HANDLER, v.random_play(SPEC), 5, chunk=x)),
    "sample seed": (
        [-1, 0.5, "1", True, 1 << 64],
        lambda x: v.sample(HANDLER, v.random_play(SPEC), 5, seed=x),
    ),
    "rollouts episodes": (
        NOT_COUNTS,
        lambda x: next(v.rollouts(HANDLER, v.random_play(SPEC), episodes=x)),
    ),
    "wilson hits": ([-1, 11, 1.5, "1", None], lambda x: v.wilson(x, 10)),
    "wilson count": ([-1, 1.5, "1", None], lambda x: v.wilson(0, x)),
    "wilson level": ([0, 1, -1, 2, float("nan"), "95%"], lambda x: v.wilson(1, 2, x)),
    "betting_mean level": (
        [0, 1, -1, 2, float("nan"), "95%"],
        lambda x: v.betting_mean(np.array([0.5]), np.array([1]), 0, 1, x),
    ),
    "estimated_play label": ([-1, 2, 0.5, "1", None], lambda x: estimated((x, 0, [1]))),
    "estimated_play seed": ([-1, 0.5, "1", None], lambda x: estimated((1, x, [1]))),
    "estimated_play decision": ([-1, 3, 7, 0.5, "1", None], lambda x: estimated((1, 0, [x]))),
    "estimated_play record": ([3, None, (1, 0), (1, 0, 2), "abcd"], lambda x: estimated(x)),
    "estimated_play smoothing": (
        [0, -1, float("nan"), float("inf"), "1", None],
        lambda x: v.estimated_play(SPEC, [], smoothing=x),
    ),
    "stackelberg at_most": (
        [float("nan"), "1", None],
        lambda x: v.stackelberg(v.finite_game(ADP), pessimistic=True, at_most=x),
    ),
    "stackelberg most_programs": (
        NOT_COUNTS,
        lambda x: v.stackelberg(v.finite_game(ADP), pessimistic=True, most_programs=x),
    ),
}


def estimated(record):
    return v.estimated_play(SPEC, [(1, 0, [2, 2, 1]), record])


@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments_are_refused(name):
    wrong, call = CALLS[name]
    for value in wrong:
        with pytest.raises(NipError) as caught:
            call(value)
        assert str(caught.value), value


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
    # A float that was made from a simple fraction is read as that.
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
    # As many values as before, too.
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
        paid = {name: round(rng.uniform(-2, 2), 9) for name in REWARDS}
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
