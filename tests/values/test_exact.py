"""Tests of exact.py, checks.py, endings.py, outcomes.py and play_models.py.

Exact values, compared with every path, as fractions, and with hand calculation.
"""

import dataclasses
import itertools
from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nip_core import (
    ExperimentSettings,
    HyperParameters,
    ProtocolHandler,
    SpecProtocol,
    build_protocol_handler,
)
from nip_core.errors import ModelError, UnsupportedError
from nip_core.values import PlayModel, exact_values, random_play, simple_play, verifier_turns
from nip_core.values.judged import judged
from nip_core.values.outcomes import outcomes_of
from tests import reference
from tests.depth import cases
from tests.strategies import handlers

MOST_TURNS = {False: 4, True: 2}


# -- a slow, independent reference ----------------------------------------------------------------


@st.composite
def chances(draw: st.DrawFn, *, size: int = 3) -> list[Fraction]:
    """Draw chances that are multiples of an eighth, which floats represent exactly."""
    cuts = sorted(draw(st.integers(0, 8)) for _ in range(size - 1))
    return [Fraction(b - a, 8) for a, b in zip([0, *cuts], [*cuts, 8], strict=True)]


@st.composite
def tables(draw: st.DrawFn, handler: ProtocolHandler) -> dict[str, Any]:
    """Draw a model of play as fractions."""
    spec = handler.spec
    cases = itertools.product(range(spec.num_variants), range(spec.max_message_rounds), range(2))
    places = list(cases)
    return {
        "prior": Fraction(draw(st.integers(0, 8)), 8),
        "stance": Fraction(draw(st.integers(0, 8)), 8),
        "decide": {p: draw(chances()) for p in places},
        "adversary": {p: draw(chances()) for p in places},
    }


def model_of(handler: ProtocolHandler, table: dict[str, Any]) -> PlayModel:
    spec = handler.spec
    shape = (spec.num_variants, spec.max_message_rounds, 2, 3)
    tables = {name: np.empty(shape) for name in ("decide", "adversary")}
    for name, filled in tables.items():
        for place, row in table[name].items():
            filled[place] = [float(p) for p in row]
    return PlayModel(**tables, prior=float(table["prior"]), stance=float(table["stance"]))


def all_paths(handler: ProtocolHandler, table: dict[str, Any]) -> dict[str, dict[Any, Fraction]]:
    """Return the laws of an episode's results, by walking every path through the reference.

    All logits are zero, so that nothing is paid for similarity.
    """
    doc, agents = handler.spec.to_dict(), handler.spec.agent_names
    laws: dict[str, dict[Any, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    verifier = agents.index(handler.spec.verifier)
    forced = {None: None, "zero": 0, "one": 1}

    def walk(chance: Fraction, item: dict[str, Any], totals: tuple[float, ...]) -> None:
        y, seed, round_id = item["y"], item["seed"], item["round"]
        turn = reference.may_decide(doc, round_id, seed)
        place = (seed, round_id, y)
        own = table["decide"][place] if turn else [0, 0, 1]
        double = (
            table["adversary"][place] if turn and len(handler.spec.verifiers) == 2 else [0, 0, 1]
        )
        for (d, p), (e, q) in itertools.product(enumerate(own), enumerate(double)):
            if not p * q:
                continue
            decision = [2] * len(agents)
            for name, choice in zip(handler.spec.verifiers, (d, e), strict=False):
                decision[agents.index(name)] = choice
            out = reference.step(doc, {**item, "decision": decision}, handler.draws_prover_stance)
            paid = tuple(t + r for t, r in zip(totals, out["reward"], strict=True))
            verdict = item["verdict"]
            if out["agent_done"][verifier] and not item["agents_done"][verifier]:
                rule = handler.payoff.force_guess
                verdict = y if rule == "y" else d if rule is None else forced[rule]
            if out["shared_done"] or out["terminated"]:
                laws["verdict"][verdict] += chance * p * q
                laws["round"][round_id] += chance * p * q
                for agent, total in zip(agents, paid, strict=True):
                    laws[agent][total] += chance * p * q
                continue
            after = {**item, "round": round_id + 1, "agents_done": out["agent_done"]}
            walk(chance * p * q, after | {"verdict": verdict}, paid)

    logits = {
        "main_message_logits": np.zeros((len(agents), len(doc["channels"]), 1, 1)).tolist(),
        "decision_logits": np.zeros((len(agents), 3)).tolist(),
    }
    stances = (0, 1) if handler.draws_prover_stance else (0,)
    for seed, y, stance in itertools.product(range(len(doc["schedules"])), (0, 1), stances):
        weight = Fraction(1, len(doc["schedules"])) * (table["prior"] if y else 1 - table["prior"])
        if len(stances) == 2:
            weight *= table["stance"] if stance else 1 - table["stance"]
        item = {
            "y": y, "seed": seed, "round": 0, "prover_stance": stance, "done": False,
            "terminated": False, "agents_done": [False] * len(agents), "verdict": 2, **logits,
        }  # fmt: skip
        if weight:
            walk(weight, item, (0.0,) * len(agents))
    return laws


def most_turns(handler: ProtocolHandler) -> int:
    return int(verifier_turns(handler.spec).sum(axis=1).max())


@settings(max_examples=cases(150), deadline=None)
@given(st.data(), handlers())
def test_every_path(data, handler):
    spec = handler.spec
    assume(most_turns(handler) <= MOST_TURNS[spec.is_zero_knowledge])
    table = data.draw(tables(handler))
    laws = all_paths(handler, table)
    values = exact_values(handler, model_of(handler, table))
    if values.similarity is not None:
        # Similarity rewards have a law of their own (test_similarity.py).
        nothing = dict.fromkeys(spec.agent_names, 0.0)
        unpaid = dataclasses.replace(values.similarity, shares=nothing)
        values = dataclasses.replace(values, similarity=unpaid)
    assert values.endings.probability.sum() == pytest.approx(1, abs=1e-12)
    for number, verdict in enumerate(("reject", "accept", "none")):
        assert values.verdicts[verdict] == pytest.approx(float(laws["verdict"][number]), abs=1e-12)
    for round_id, chance in enumerate(values.rounds):
        assert chance == pytest.approx(float(laws["round"][round_id]), abs=1e-12)
    for agent in spec.agent_names:
        law = {total: p for total, p in laws[agent].items() if p}
        found = values.distribution(agent)
        assert not found.masses.size
        assert found.values.tolist() == sorted(law)
        assert found.probabilities == pytest.approx(
            [float(law[total]) for total in sorted(law)], abs=1e-12
        )
        mean = sum(Fraction(total) * p for total, p in law.items())
        spread = sum((Fraction(total) - mean) ** 2 * p for total, p in law.items())
        assert values.mean(agent) == pytest.approx(float(mean), abs=1e-12)
        assert values.variance(agent) == pytest.approx(float(spread), abs=1e-10)


# -- by hand --------------------------------------------------------------------------------------


def handler_of(name: str, **groups: Any) -> ProtocolHandler:
    chosen = HyperParameters(interaction_protocol=name, **groups)
    return build_protocol_handler(chosen, ExperimentSettings())


def test_random_play_of_nip_by_hand():
    # The verifier speaks in rounds 0, 2, 4, 6. It goes on with chance 1/3 each time, so the
    # rounds run out with (1/3)^4 = 1/81; otherwise it is right or wrong with the same chance.
    # Verifier: 40/81 * 1 + 40/81 * (-1) + 1/81 * (-1) = -1/81. Prover (argues 1): 40/81.
    handler = handler_of("nip")
    values = exact_values(handler, random_play(handler.spec))
    assert values.mean("verifier") == pytest.approx(-1 / 81, abs=1e-15)
    assert values.mean("prover") == pytest.approx(40 / 81, abs=1e-15)
    assert values.rounds == pytest.approx([2 / 3, 0, 2 / 9, 0, 2 / 27, 0, 2 / 81, 1 / 81])
    # E[r^2] = 1 for the verifier, who always gets 1 or -1.
    assert values.variance("verifier") == pytest.approx(1 - 1 / 81**2)


def test_bad_models_are_refused_in_words():
    handler = handler_of("nip")
    with pytest.raises(ModelError, match="add up to 1"):
        PlayModel(np.full((1, 8, 2, 3), 0.5))
    with pytest.raises(ModelError, match="shape"):
        PlayModel(np.ones((3,)))
    with pytest.raises(ModelError, match="prior"):
        random_play(handler.spec, prior=1.5)
    with pytest.raises(ModelError, match="The table has 1 variants of 2 rounds; 'nip' has 1 of 8"):
        exact_values(handler, random_play(handler_of("adp").spec))


def test_ways_of_going_on_that_pay_differently_are_refused():
    class Odd(SpecProtocol):
        def _include_prover_rewards(self, made, decision, reward, env):
            super()._include_prover_rewards(made, decision, reward, env)
            reward[..., 0] += (decision == 1) & ~made

    spec = handler_of("nip", nip_protocol={"min_message_rounds": 4}).spec
    handler = Odd(HyperParameters(), ExperimentSettings(), spec)
    with pytest.raises(UnsupportedError, match="ways of going on are paid differently"):
        exact_values(handler, random_play(spec))


def test_the_payoff_s_own_numbers_are_exact_where_steps_are_not():
    """Steps with replaced rules are in single precision, in which 0.1 is another number."""

    class Replaced(SpecProtocol):
        def _include_prover_rewards(self, made, decision, reward, env):
            super()._include_prover_rewards(made, decision, reward, env)
            reward[..., 0] += 0.7 * made

    common = {
        "verifier_reward": 0.1,
        "verifier_incorrect_penalty": -0.3,
        "prover_reward": 0.2,
        "verifier_terminated_penalty": -0.6,
        "verifier_no_guess_reward": 0.05,
    }
    chosen = HyperParameters(protocol_common=common)
    spec = build_protocol_handler(chosen, ExperimentSettings()).spec
    assert spec.agent_names[0] == "prover"
    pays = outcomes_of(judged(Replaced(chosen, ExperimentSettings(), spec))).pays
    assert {*pays[..., 1].flat} == {0.0, 0.1, -0.3, -0.6, 0.05}
    # Amounts that the payoff does not name are as exact as the step.
    assert {*pays[..., 0].flat} == {0.0, float(np.float32(0.7)), float(np.float32(0.2 + 0.7))}


# -- all protocols --------------------------------------------------------------------------------


def test_ten_thousand_rounds_add_up():
    spec = handler_of("nip").spec.replace(max_message_rounds=10_000)
    handler = SpecProtocol(HyperParameters(), ExperimentSettings(), spec)
    model = simple_play(spec, decides=0.001, accepts_true=0.9, accepts_false=0.2)
    values = exact_values(handler, model)
    assert values.endings.probability.sum() == pytest.approx(1, abs=1e-12)
    assert values.verdicts["none"] == pytest.approx(0.999**5000, rel=1e-9)
