"""The protocols of a study, from the parameters in its file."""

from __future__ import annotations

import json

import pytest

from explorer.choice import ProtocolChoice
from explorer.studies.points import handler_of
from nip_core.errors import NipError
from nip_core.registry import parameter_names, protocol, protocol_names, published_names
from tests.depth import each


def chosen(name, **parameters):
    return ProtocolChoice.of(name).with_settings(parameters)


@each("name", [*protocol_names(), *published_names()])
def test_rounds_are_set_by_the_same_word_in_all_protocols_that_have_them(name):
    if not {"rounds", "max_message_rounds"} & {*parameter_names(name)}:
        with pytest.raises(NipError, match="rounds"):
            _ = chosen(name, rounds=2).rules
        return
    few, more = (chosen(name, rounds=n).rules for n in (1, 2))
    assert few.longest < more.longest


def test_a_group_and_a_name_by_itself_mean_the_same():
    flat = chosen("mnip", rounds=3, sequential=True, shared_reward=True).spec
    groups = {
        "mnip_protocol": {"max_message_rounds": 3, "sequential": True},
        "protocol_common": {"shared_reward": True},
    }
    assert flat == chosen("mnip", **groups).spec
    assert flat == protocol("mnip", rounds=3, sequential=True, shared_reward=True).spec


def test_a_protocol_of_ones_own_takes_them_too():
    own = ProtocolChoice.of_document(json.dumps(protocol("nip").spec.to_dict()))
    made = handler_of(own.with_settings({"rounds": 4, "verifier_reward": 2.0}))
    assert made.spec.max_message_rounds == 4
    assert made.spec.payoff.verifier_reward == 2
    assert not made.hyper_params.protocol_common.randomize_prover_stance
    drawn = handler_of(own.with_settings({"rounds": 4}), draws_side=True)
    assert drawn.hyper_params.protocol_common.randomize_prover_stance
