"""Tests of parameters/. Parameters: documented defaults, exact round trips, and clear refusals."""

import copy
import pickle

import pytest
from hypothesis import given

from nip_core import (
    HyperParameters,
    NipParameters,
    ParameterGroup,
    ProtocolCommonParameters,
    parameter_group,
)
from nip_core.errors import ParameterError
from tests.depth import each
from tests.strategies import parameters


def test_documented_defaults():
    values = HyperParameters().to_dict()
    rounds = {"max_message_rounds": 8, "min_message_rounds": 1}
    two = {**rounds, "sequential": False, "prover0_first": True, "randomize_channel_order": True}
    assert values["protocol_common"] == {
        "verifier_first": True,
        "randomize_prover_stance": False,
        "prover_reward": 1,
        "verifier_reward": 1,
        "verifier_incorrect_penalty": -1,
        "verifier_terminated_penalty": -1,
        "verifier_no_guess_reward": 0,
        "shared_reward": False,
        "force_guess": None,
        "zero_knowledge": False,
    }
    assert values["nip_protocol"] == rounds
    assert values["debate_protocol"] == values["mnip_protocol"] == two
    assert values["zk_protocol"] == {
        "simulator_reward_coefficient": 1,
        "aux_prover_reward_coefficient": 1,
    }
    assert values["spg"] == {"stackelberg_sequence": None}
    assert values["interaction_protocol"] == "nip"


@given(parameters())
def test_round_trips(chosen):
    values = chosen.to_dict()
    before = copy.deepcopy(values)
    again = HyperParameters.from_dict(values)
    assert values == before
    assert again == chosen
    assert hash(again) == hash(chosen)
    assert again.to_dict() == values
    assert pickle.loads(pickle.dumps(chosen)) == chosen == copy.deepcopy(chosen)


def test_object_or_dictionary():
    given_dict = {"max_message_rounds": 3}
    by_dict = HyperParameters(nip_protocol=given_dict)
    assert by_dict == HyperParameters(nip_protocol=NipParameters(max_message_rounds=3))
    assert given_dict == {"max_message_rounds": 3}


@each(
    ("values", "words"),
    [
        ({"nip_protocol": {"max_rounds": 3}}, ["max_rounds", "3", "max_message_rounds"]),
        ({"nip_protokoll": {}}, ["nip_protokoll", "nip_protocol"]),
        ({"nip_protocol": {"max_message_rounds": 0}}, ["max_message_rounds", "0", "from 1 to"]),
        ({"nip_protocol": {"max_message_rounds": 2.5}}, ["2.5", "whole number"]),
        ({"nip_protocol": {"max_message_rounds": True}}, ["True", "whole number"]),
        ({"protocol_common": {"force_guess": "two"}}, ["'two'", "'zero'", "'one'", "'y'"]),
        ({"protocol_common": {"prover_reward": float("nan")}}, ["nan", "finite"]),
        ({"protocol_common": {"prover_reward": "1"}}, ["'1'", "finite number"]),
        ({"protocol_common": {"shared_reward": 1}}, ["shared_reward", "True or False"]),
        ({"protocol_common": NipParameters()}, ["protocol_common", "ProtocolCommonParameters"]),
        ({"spg": {"stackelberg_sequence": "ab"}}, ["stackelberg_sequence", "'ab'"]),
        ({"spg": {"stackelberg_sequence": [["a"], 3]}}, ["stackelberg_sequence", "3"]),
        ({"message_size": 0}, ["message_size", "0"]),
        ({"scenario": 5}, ["scenario", "5"]),
    ],
)
def test_refusals_name_key_value_and_what_is_allowed(values, words):
    with pytest.raises(ParameterError) as caught:
        HyperParameters(**values)
    assert isinstance(caught.value, ValueError)
    for word in words:
        assert word in str(caught.value)


def test_frozen():
    chosen = HyperParameters()
    with pytest.raises(AttributeError, match="replace"):
        chosen.scenario = "other"
    with pytest.raises(AttributeError):
        chosen.protocol_common.shared_reward = True
    assert chosen.replace(nip_protocol={"max_message_rounds": 3}).nip_protocol == NipParameters(3)
    with pytest.raises(AttributeError, match="no parameter 'nothing'"):
        _ = chosen.nothing


def test_replace_keeps_the_rest_of_a_group():
    chosen = HyperParameters(protocol_common={"prover_reward": 3})
    common = chosen.replace(protocol_common={"shared_reward": True}).protocol_common
    assert common == ProtocolCommonParameters(prover_reward=3, shared_reward=True)


def test_every_parameter_explains_itself():
    for name in ("protocol_common", "nip_protocol", "debate_protocol", "zk_protocol"):
        group = parameter_group(name)
        assert issubclass(group, ParameterGroup)
        for field in group.__dataclass_fields__.values():
            assert len(field.metadata["help"]) > 20


def test_files_of_protocols_are_read_before_a_parameter_is_refused(monkeypatch):
    """A file declares its protocol's parameters, and it may not have been read yet."""
    read = []
    monkeypatch.setattr("nip_core.parameters.read_protocols", read.append)
    with pytest.raises(ParameterError, match="has no parameter 'of_nobody'"):
        HyperParameters(of_nobody={})
    assert [enough() for enough in read] == [False]
