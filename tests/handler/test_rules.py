"""Tests of rules.py and cases.py.

The rules for one item agree with the tables, the hooks and the slow reference.
"""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nip_core import (
    ExperimentSettings,
    HyperParameters,
    NipProtocol,
    ProtocolHandler,
    build_protocol_handler,
    protocol_names,
)
from nip_core.handler.rules import Item
from tests import reference
from tests.depth import cases, each, first
from tests.later import later, torch
from tests.strategies import batch_of, handlers

handler_cases = later("nip_core.handler.cases")
reading = later("nip_core.handler.reading")
stepping = later("nip_core.handler.stepping")

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def every_case(handler):
    """Return one item for each round, variant, decision, label, flag and stance."""
    spec = handler.spec
    verifiers = [spec.agent_index(name) for name in spec.verifiers]
    flags = [False, True]
    for round_id, seed, y, stance, done, terminated in itertools.product(
        range(spec.max_message_rounds), range(spec.num_variants), (0, 1), (0, 1), flags, flags
    ):
        if stance and not handler.draws_prover_stance:
            continue
        for said in itertools.product((0, 1, 2), repeat=len(verifiers)):
            for was in itertools.product(flags, repeat=len(verifiers)):
                decision, agents_done = [2] * len(spec.agents), [False] * len(spec.agents)
                for index, what, before in zip(verifiers, said, was, strict=True):
                    decision[index], agents_done[index] = what, before
                yield {
                    "y": y,
                    "round": round_id,
                    "seed": seed,
                    "decision": decision,
                    "done": done,
                    "terminated": terminated,
                    "agents_done": agents_done,
                    "prover_stance": stance,
                }


def by_plain_rules(handler, item):
    spec, rules = handler.spec, handler.rules
    step = rules.step(
        Item(
            y=item["y"],
            round=item["round"],
            guess=spec.may_decide(item["round"], item["seed"]),
            decisions=[item["decision"][index] for index in rules.verifiers],
            done=item["done"],
            terminated=item["terminated"],
            agents_done=item["agents_done"],
            stance=item["prover_stance"],
        )
    )
    rewards = rules.rewards(step)
    assert all(type(flag) is bool for flag in (step.shared_done, step.terminated))
    assert all(type(flag) is bool for flag in step.agents_done)
    assert all(type(paid) is float for paid in rewards)
    return step.shared_done, list(step.agents_done), step.terminated, list(rewards)


def by_reference(handler, doc, item):
    # Silent players have no similarity, so nothing is paid for it.
    agents, channels = len(doc["agents"]), len(doc["channels"])
    silence = {
        "main_message_logits": [[[[0.0]]] * channels] * agents,
        "decision_logits": [[0.0] * 3] * agents,
    }
    found = reference.step(doc, {**item, **silence}, handler.draws_prover_stance)
    return found["shared_done"], found["agent_done"], found["terminated"], found["reward"]


def compare(handler):
    items = list(every_case(handler))
    doc = handler.spec.to_dict()
    plain = [by_plain_rules(handler, item) for item in items]
    for item, ours in zip(items, plain, strict=True):
        assert ours == by_reference(handler, doc, item), item
    inputs = reading.read_inputs(
        handler, batch_of(items, (len(items),), dtype=torch.int64, flat_y=True)
    )
    for outcome in (stepping.step_checked(handler, inputs), handler.apply_rules(inputs)):
        for place, part in enumerate(outcome):
            assert part.tolist() == [each[place] for each in plain]


def variants():
    """Return parameters of every registered protocol: plain, zero knowledge, and in words."""
    for name, zero_knowledge, scenario, drawn in itertools.product(
        protocol_names(), (False, True), ("graph_isomorphism", "code_validation"), (False, True)
    ):
        if zero_knowledge and scenario == "code_validation":
            continue
        common = {"zero_knowledge": zero_knowledge, "randomize_prover_stance": drawn}
        parameters = HyperParameters(scenario, interaction_protocol=name, protocol_common=common)
        if build_protocol_handler(parameters, ExperimentSettings()).draws_prover_stance == drawn:
            yield parameters


@pytest.mark.parametrize("force_guess", [None, "zero", "one", "y"])
@pytest.mark.parametrize("shared", first(1, [False, True]))
def test_every_case_of_every_protocol(force_guess, shared):
    # All amounts differ, so that none can be mistaken for another.
    pay = {
        "prover_reward": 2.0,
        "verifier_reward": 4.0,
        "verifier_incorrect_penalty": -8.0,
        "verifier_terminated_penalty": -16.0,
        "verifier_no_guess_reward": 0.5,
        "shared_reward": shared,
        "force_guess": force_guess,
    }
    for parameters in variants():
        compare(
            build_protocol_handler(parameters.replace(protocol_common=pay), ExperimentSettings())
        )


@settings(max_examples=cases(16), suppress_health_check=SLOW, deadline=None)
@given(handlers())
def test_every_case_of_drawn_protocols(handler):
    if len(list(itertools.islice(every_case(handler), 6000))) < 6000:
        compare(handler)


@settings(max_examples=cases(20), deadline=None)
@given(st.sampled_from(["nip", "mnip"]), st.booleans(), st.floats(-1e30, 1e30))
def test_amounts_are_paid_as_they_are(name, shared, amount):
    """Plain Python rounds nothing, at any scale."""
    handler = build_protocol_handler(
        HyperParameters(
            interaction_protocol=name,
            protocol_common={
                "prover_reward": amount,
                "verifier_reward": amount,
                "shared_reward": shared,
            },
        ),
        ExperimentSettings(),
    )
    paid = {
        reward
        for item in every_case(handler)
        for reward in by_plain_rules(handler, item)[3]
        if not item["done"]
    }
    assert amount in paid
    assert paid <= {0.0, -1.0, amount}


def test_every_case_is_there_once():
    for parameters in variants():
        handler = build_protocol_handler(parameters, ExperimentSettings())
        phases, items, _ = handler_cases.case_items(handler)
        columns = [*items.decisions, items.y, items.done, items.terminated]
        columns += items.agents_done if handler.spec.is_zero_knowledge else []
        columns += [items.stance] if handler.draws_prover_stance else []
        for phase in range(len(items.y)):
            found = set(zip(*(column[phase].tolist() for column in columns), strict=True))
            assert len(found) == items.y.shape[1]
        spec = handler.spec
        for variant, round_id in itertools.product(
            range(spec.num_variants), range(spec.max_message_rounds)
        ):
            place = (phases[variant, round_id], 0)
            last = spec.max_message_rounds - 1
            assert items.guess[place] == spec.may_decide(round_id, variant)
            assert (items.round[place] == last) == (round_id == last)


@each("name", ["apply_rules", "step_interaction_protocol"])
def test_a_class_that_replaces_the_whole_step_has_rules_of_its_own(name):
    kind = type("Own", (NipProtocol,), {name: getattr(ProtocolHandler, name)})
    assert kind(HyperParameters(), ExperimentSettings()).overrides_rules
    assert not NipProtocol(HyperParameters(), ExperimentSettings()).overrides_rules
