"""Tests of protocol.py, data.py, document.py and parts.py.

Specifications: what is refused, strangers' documents, and the linter's remarks.
"""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import (
    Agent,
    HyperParameters,
    Payoff,
    ProtocolSpec,
    Schedule,
    protocol_spec,
    spec_schema,
)
from nip_core.errors import SpecError, UnknownNameError, UnsupportedError
from nip_core.handler.zero_knowledge import zero_knowledge
from nip_core.spec import Channel, Turn
from tests.depth import cases, each
from tests.odd import json_values
from tests.strategies import specs

ASK, ANSWER = Turn.of({"v": ["c"]}), Turn.of({"p": ["c"]})


def spec(**changes: Any) -> ProtocolSpec:
    values: dict[str, Any] = {
        "name": "small",
        "agents": (Agent("p", "prover", 1), Agent("v", "verifier")),
        "channels": (Channel("c", ("p", "v")),),
        "schedules": (Schedule(cycle=(ANSWER, ASK)),),
        "max_message_rounds": 4,
    }
    return ProtocolSpec(**{**values, **changes})


@each(
    ("changes", "message"),
    [
        ({"agents": (Agent("p", "prover"),)}, "exactly one agent must be the verifier, not 0"),
        ({"agents": (Agent("v", "verifier"), Agent("v", "prover"))}, "two agents are named 'v'"),
        ({"agents": (Agent("v", "verifier", 1), Agent("p", "prover"))}, "cannot have a stance"),
        ({"agents": (Agent("v", "verifier"), Agent("p", "prover", 2))}, "stance 2"),
        ({"agents": (Agent("v", "verifier"), Agent("p", "judge"))}, "role 'judge'; roles: prover"),
        ({"agents": (Agent("", "verifier"),)}, "cannot be named ''"),
        ({"channels": ()}, "1 to 64 channels, not 0"),
        (
            {"channels": (Channel("c", ("p", "v", "w")),)},
            "'w', which is not an agent. Agents: p, v",
        ),
        ({"channels": (Channel("c", ("v",)),)}, "'p' speaks on channel 'c', which it cannot see"),
        ({"channels": (Channel("c", ("p", "v"), base="b"),)}, "both `base` and `copy`"),
        ({"schedules": ()}, "1 to 64 schedules, not 0"),
        ({"schedules": (Schedule((Turn.of({"x": ["c"]}),)),)}, "the agent 'x'. Known: p, v"),
        ({"schedules": (Schedule((Turn.of({"p": ["d"]}),)),)}, "the channel 'd'. Known: c"),
        ({"max_message_rounds": 0}, "max_message_rounds cannot be 0"),
        ({"min_message_rounds": -1}, "min_message_rounds cannot be -1"),
        ({"max_message_rounds": 10**9}, "a whole number from 1"),
        ({"payoff": Payoff(prover_reward=float("inf"))}, "prover_reward cannot be inf"),
        ({"payoff": Payoff(force_guess="maybe")}, "'zero', 'one' or 'y'"),
        (
            {"agents": (Agent("p", "prover"), Agent("v", "verifier"), Agent("s", "simulator"))},
            "come together",
        ),
    ],
)
def test_contradictions_are_refused(changes, message):
    with pytest.raises(SpecError) as caught:
        spec(**changes)
    assert message in str(caught.value)


def test_unknown_names_list_what_exists():
    with pytest.raises(UnknownNameError, match="Did you mean 'p'"):
        spec().agent("pp")
    with pytest.raises(UnknownNameError, match="Known: 'c'"):
        spec().channel("main")


@settings(max_examples=cases(40))
@given(specs())
def test_documents_round_trip(drawn):
    for one in (drawn, zero_knowledge(drawn)):
        document = one.to_dict()
        text = json.dumps(document)
        jsonschema.validate(json.loads(text), spec_schema())
        again = ProtocolSpec.from_dict(json.loads(text))
        assert again == one
        assert hash(again) == hash(one)


def test_zero_knowledge_is_not_applied_twice():
    with pytest.raises(UnsupportedError, match="already"):
        zero_knowledge(zero_knowledge(spec()))


@given(json_values(st.floats()))
def test_any_json_is_refused_with_a_message(value):
    with pytest.raises(SpecError):
        ProtocolSpec.from_dict(value)


def codes(one: ProtocolSpec) -> set[str]:
    return {finding.code for finding in one.lint()}


@each(
    ("code", "changes"),
    [
        ("agent-never-speaks", {"schedules": (Schedule(cycle=(ASK,)),)}),
        ("channel-unused", {"channels": (Channel("c", ("p", "v")), Channel("d", ("p", "v")))}),
        ("channel-unread", {"channels": (Channel("c", ("p", "v")), Channel("d", ()))}),
        ("no-decision", {"schedules": (Schedule(cycle=(ANSWER,)),)}),
        ("min-rounds-unreachable", {"min_message_rounds": 5}),
        (
            "prover-never-answered",
            {"schedules": (Schedule((ASK, ANSWER)),), "max_message_rounds": 2},
        ),
        ("last-message-unread", {"max_message_rounds": 5}),
        (
            "silent-round",
            {"schedules": (Schedule((ANSWER, Turn(), ASK)),), "max_message_rounds": 3},
        ),
        (
            "channel-monologue",
            {
                "channels": (Channel("c", ("p", "v")), Channel("d", ("p",))),
                "schedules": (Schedule(cycle=(Turn.of({"p": ["c", "d"]}), ASK)),),
            },
        ),
    ],
)
def test_lint(code, changes):
    assert codes(spec()) == set()
    assert code in codes(spec(**changes))


def test_an_unknown_protocol_is_an_error_that_lists_the_known():
    with pytest.raises(UnknownNameError, match="Did you mean 'mnip'") as caught:
        protocol_spec(HyperParameters(interaction_protocol="mnipp"))
    assert isinstance(caught.value, KeyError)
