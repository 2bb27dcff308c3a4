"""Tests of overrides.py, classes.py, hooks.py and interface.py.

Handlers in the reference's style: every documented extension point works everywhere.
"""

import pickle

import pytest

from nip_core import (
    DeterministicSingleVerifierProtocolHandler,
    ExperimentSettings,
    HyperParameters,
    MerlinArthurProtocol,
    NipProtocol,
    ProtocolHandler,
    SingleVerifierProtocolHandler,
    ZeroKnowledgeProtocol,
)
from nip_core.errors import SpecError, UnsupportedError
from tests.depth import each
from tests.later import tensordict, torch

SETTINGS = ExperimentSettings()


def make(cls, **groups):
    return cls(HyperParameters(**groups), SETTINGS)


def step(handler, round_id, verdict, y=1, seed=0):
    agents, channels = handler.num_agents, handler.num_message_channels
    decision = torch.full((agents,), 2)
    decision[handler.verifier_index] = verdict
    seats = {"decision": decision, "done": torch.zeros(agents, dtype=torch.bool)}
    if handler.spec.is_zero_knowledge:
        seats["main_message_logits"] = torch.zeros(agents, channels, 1, 2)
        seats["decision_logits"] = torch.zeros(agents, 3)
    flags = {key: torch.tensor(False) for key in ("done", "terminated")}
    whole = {"round": torch.tensor(round_id), "seed": torch.tensor(seed), "y": torch.tensor([y])}
    env = tensordict.TensorDict({**whole, **flags, "agents": seats}, batch_size=[])
    done, _, terminated, reward = handler.step_interaction_protocol(env)
    rewards = dict(zip(handler.agent_names, reward.tolist(), strict=True))
    return done.item(), terminated.item(), rewards


class Fresh(DeterministicSingleVerifierProtocolHandler):
    """Written for the reference implementation, without a specification."""

    message_channel_names = ["left", "right"]
    max_message_rounds = 4
    min_message_rounds = 2

    @property
    def agent_names(self):
        return ["alice", "bob", self.verifier_name]

    @property
    def agent_channel_visibility(self):
        return [("alice", "left"), ("bob", "right"), ("verifier", "left"), ("verifier", "right")]

    def is_agent_active(self, agent_name, round_id, channel_name):
        if agent_name == "verifier":
            return round_id % 2 == 1
        return round_id % 2 == 0 and (agent_name, channel_name) in self.agent_channel_visibility


def test_a_fresh_class_needs_no_specification():
    handler = make(Fresh)
    assert handler.prover_names == ["alice", "bob"]
    assert handler.max_verifier_questions == 2
    assert handler.agent_first_active_round == {"alice": 0, "bob": 0, "verifier": 1}
    assert handler.active_agents_by_round[0] == {"left": ["alice"], "right": ["bob"]}
    assert handler.active_agents_mask[1].tolist() == [[False] * 2, [False] * 2, [True] * 2]
    guess = handler.get_verifier_guess_mask_from_rounds_and_seed(torch.arange(4), None)
    assert guess.tolist() == [False, True, False, True]
    assert handler.spec.decision_counts(1)
    # Two provers whose stances are not given argue 0 and 1.
    assert step(handler, 1, 1) == (True, False, {"alice": 0.0, "bob": 1.0, "verifier": 1.0})
    assert step(handler, 1, 0) == (True, False, {"alice": 1.0, "bob": 0.0, "verifier": -1.0})
    assert step(handler, 3, 2) == (False, True, {"alice": 0.0, "bob": 0.0, "verifier": -1.0})


def test_one_prover_argues_one():
    class Alone(Fresh):
        agent_names = ["alice", "verifier"]
        agent_channel_visibility = [("alice", "left"), ("verifier", "left"), ("verifier", "right")]

    assert step(make(Alone), 1, 1)[2]["alice"] == 1.0
    assert step(make(Alone), 1, 0)[2]["alice"] == 0.0


def test_a_fresh_class_has_a_zero_knowledge_variant():
    handler = ZeroKnowledgeProtocol(HyperParameters(), SETTINGS, Fresh)
    assert handler.max_message_rounds == 4
    assert handler.message_channel_names[:3] == [
        "left_standard",
        "right_standard",
        "left_adversarial",
    ]
    assert step(handler, 1, 1)[2] == {
        "alice": 0.0,
        "bob": 1.0,
        "verifier": 1.0,
        "adversarial_verifier": 0.0,
        "simulator": 0.0,
    }


def test_rounds_as_class_attributes_on_a_registered_protocol():
    class Long(NipProtocol):
        max_message_rounds = 20
        min_message_rounds = 7

    handler = make(Long)
    assert handler.spec.max_message_rounds == 20
    assert len(handler.active_agents_mask) == 20
    assert handler.max_verifier_questions == 10
    assert step(handler, 4, 1)[0] is False
    assert step(handler, 6, 1)[0] is True
    assert step(handler, 19, 2)[1] is True


def test_rounds_as_properties_that_call_super():
    class Longer(NipProtocol):
        @property
        def max_message_rounds(self):
            return super().max_message_rounds + 2

    assert make(Longer).spec.max_message_rounds == 10
    assert make(Longer, nip_protocol={"max_message_rounds": 3}).active_agents_mask.shape[0] == 5


def test_activity_that_calls_super():
    class Pause(NipProtocol):
        def is_agent_active(self, agent_name, round_id, channel_name):
            return round_id != 2 and super().is_agent_active(agent_name, round_id, channel_name)

    handler = make(Pause)
    assert not handler.active_agents_mask[2].any()
    assert not handler.can_agent_be_active("verifier", 2, "main")
    assert handler.max_verifier_questions == 3
    assert step(handler, 2, 1)[0] is False
    assert step(handler, 4, 1)[0] is True
    variant = ZeroKnowledgeProtocol(HyperParameters(), SETTINGS, Pause)
    assert not variant.active_agents_mask[2].any()
    assert step(variant, 2, 1)[2]["verifier"] == 0.0


class LaterByName(NipProtocol):
    """Delays everything by a round, so that applying it twice would be noticed."""

    def is_agent_active(self, agent_name, round_id, channel_name):
        return super().is_agent_active(agent_name, round_id - 1, channel_name)


class LaterByMask(NipProtocol):
    """The same delay."""

    def get_active_agents_mask_from_rounds_and_seed(self, round_id, seed=None):
        before = (round_id - 1).clamp(min=0)
        mask = super().get_active_agents_mask_from_rounds_and_seed(before, seed)
        return mask & (round_id > 0)[..., None, None]


@each("later", [LaterByName, LaterByMask])
def test_super_returns_the_declaration_before_and_after_overrides_are_called(later):
    handler = make(later)
    for _ in range(2):
        speaks = [handler.is_agent_active("verifier", r, "main") for r in range(4)]
        assert speaks == [False, True, False, True]
        mask = handler.get_active_agents_mask_from_rounds_and_seed(torch.arange(4))
        assert mask[:, 1, 0].tolist() == speaks
        assert handler.active_agents_mask[:4, 1, 0].tolist() == speaks
        assert [handler.spec.may_decide(r) for r in range(4)] == speaks
        handler = pickle.loads(pickle.dumps(handler))


def test_visibility_and_names_on_a_registered_protocol():
    class Overheard(NipProtocol):
        @property
        def agent_names(self):
            return ["prover", "listener", "verifier"]

        @property
        def agent_channel_visibility(self):
            return [*super().agent_channel_visibility, ("listener", "main")]

    handler = make(Overheard)
    assert handler.can_agent_see_channel("listener", "main")
    assert handler.agent_channel_visibility_mask.tolist() == [[True]] * 3
    assert handler.verifier_index == 2
    assert step(handler, 0, 1)[2] == {"prover": 1.0, "listener": 1.0, "verifier": 1.0}


def test_agents_on_channels_that_they_cannot_see_are_refused():
    class Blind(NipProtocol):
        agent_channel_visibility = [("verifier", "main")]

    with pytest.raises(SpecError, match="'prover' speaks on channel 'main', which it cannot see"):
        make(Blind)._validate_active_agents()


def test_the_override_for_possible_activity_is_used():
    class Never(NipProtocol):
        def can_agent_be_active(self, agent_name, round_id, channel_name):
            return False

    assert not make(Never).can_agent_be_active_any_channel("verifier", 0)


class ThirdSeed(SingleVerifierProtocolHandler):
    """One of three provers speaks, chosen by code from the seed."""

    agent_names = ["a", "b", "c", "verifier"]
    message_channel_names = ["main"]
    max_message_rounds = 2
    min_message_rounds = 1
    calls = 0

    @property
    def agent_channel_visibility(self):
        return [(name, "main") for name in self.agent_names]

    def get_active_agents_mask_from_rounds_and_seed(self, round_id, seed=None):
        type(self).calls += 1
        mask = torch.zeros(*round_id.shape, 4, 1, dtype=torch.bool)
        for index in range(3):
            mask[..., index, 0] = (round_id == 0) & (seed % 3 == index)
        mask[..., 3, 0] = round_id == 1
        return mask


def test_a_mask_in_code_becomes_variants_and_is_called_at_every_step():
    handler = make(ThirdSeed)
    assert handler.spec.num_variants == 3
    assert handler.can_agent_be_active("c", 0, "main")
    assert not handler.is_agent_active("c", 0, "main")
    assert handler.active_agents_by_round is None
    calls = ThirdSeed.calls
    assert step(handler, 1, 1)[0] is True
    assert ThirdSeed.calls > calls
    rounds, seeds = torch.zeros(3, dtype=torch.int64), torch.arange(3)
    mask = handler.get_active_agents_mask_from_rounds_and_seed(rounds, seeds)
    assert mask[:, :3, 0].tolist() == torch.eye(3, dtype=torch.bool).tolist()


def test_a_mask_that_never_repeats_is_refused():
    class Restless(ThirdSeed):
        def get_active_agents_mask_from_rounds_and_seed(self, round_id, seed=None):
            mask = super().get_active_agents_mask_from_rounds_and_seed(round_id, seed)
            return mask & (seed != 63)[..., None, None]

    with pytest.raises(SpecError, match="does not repeat"):
        _ = make(Restless).spec


def test_a_mask_on_a_registered_seed_picked_protocol():
    class OnlyMerlin(MerlinArthurProtocol):
        def get_active_agents_mask_from_rounds_and_seed(self, round_id, seed=None):
            return super().get_active_agents_mask_from_rounds_and_seed(round_id, seed * 2)

    handler = make(OnlyMerlin)
    assert handler.spec.num_variants == 1
    assert not handler.can_agent_be_active("prover1", 0, "main")


@each("base", [NipProtocol, Fresh, MerlinArthurProtocol])
def test_prover_rewards_in_code(base):
    class Generous(base):
        def _include_prover_rewards(
            self, verifier_decision_made, verifier_decision, reward, env_td
        ):
            super()._include_prover_rewards(
                verifier_decision_made, verifier_decision, reward, env_td
            )
            for index in self.prover_indices:
                reward[..., index] += 10.0 + env_td["round"]

    handler = make(Generous)
    for prover in handler.prover_names:
        assert step(handler, 1, 2)[2][prover] == 11.0
    variant = ZeroKnowledgeProtocol(HyperParameters(), SETTINGS, Generous)
    assert step(variant, 1, 2)[2][handler.prover_names[0]] == 11.0


def test_other_hooks_of_a_step():
    class Endless(NipProtocol):
        def _get_new_terminated_mask(self, round_id, verifier_decision_made):
            return torch.zeros_like(verifier_decision_made)

    class Deaf(NipProtocol):
        def _get_agent_decision_made_mask(self, round_id, y, guess_mask, decision, **options):
            return torch.zeros_like(guess_mask)

    assert step(make(Endless), 7, 2)[1] is False
    assert step(make(Deaf), 0, 1)[0] is False


def test_an_empty_class_names_what_is_missing():
    class Nothing(DeterministicSingleVerifierProtocolHandler):
        pass

    with pytest.raises(UnsupportedError, match="neither a `build_spec` method nor `agent_names`"):
        _ = make(Nothing).spec
    assert issubclass(Nothing, ProtocolHandler)


def test_a_mask_of_another_shape_is_refused():
    class Flat(NipProtocol):
        def get_active_agents_mask_from_rounds_and_seed(self, round_id, seed=None):
            return super().get_active_agents_mask_from_rounds_and_seed(round_id, seed)[..., 0]

    words = r"get_active_agents_mask_from_rounds_and_seed returned shape \(64, 8, 2\); expected "
    with pytest.raises(SpecError, match=words + r"\(64, 8, 2, 1\)"):
        make(Flat).spec  # noqa: B018


@each("follow", [True, False])
def test_a_forced_decision_counts_only_where_it_is_followed(follow):
    handler = make(NipProtocol, protocol_common={"force_guess": "one"})
    undecided, may = torch.tensor([2]), torch.tensor([True])
    last = torch.tensor([handler.max_message_rounds - 1])
    made = handler._get_agent_decision_made_mask(
        last, torch.tensor([1]), may, undecided, follow_force_guess=follow
    )
    assert made.tolist() == [follow]
