"""Tests of protocols/.

The requirements for every registered protocol and its zero-knowledge variant.
"""

import copy
import pickle
import random
from typing import Any

import pytest

from nip_core import (
    Agent,
    ExperimentSettings,
    HyperParameters,
    ProtocolSpec,
    Schedule,
    build_protocol_handler,
    protocol_infos,
    protocol_names,
    protocol_spec,
    protocol_title,
)
from nip_core.handler.zero_knowledge import zero_knowledge
from nip_core.spec import Channel, Turn
from tests.depth import each
from tests.later import torch
from tests.strategies import batch_of


@pytest.fixture(params=["plain", "zero_knowledge"])
def variant(request) -> str:
    return request.param


@pytest.fixture(params=protocol_names())
def handler(request, variant) -> Any:
    return make(request.param, variant)


def make(name: str, variant: str, device: str = "cpu") -> Any:
    common = {"zero_knowledge": variant == "zero_knowledge"}
    parameters = HyperParameters(interaction_protocol=name, protocol_common=common)
    return build_protocol_handler(parameters, ExperimentSettings(device=device))


def random_batch(handler: Any, size: int, seed: int = 0) -> Any:
    rng, spec = random.Random(seed), handler.spec
    agents, channels = len(spec.agents), len(spec.channels)

    def logits(*shape: int) -> Any:
        return [logits(*shape[1:]) for _ in range(shape[0])] if shape else rng.gauss(0, 1)

    items = []
    for _ in range(size):
        item = {
            "y": rng.randrange(2),
            "round": rng.randrange(spec.max_message_rounds),
            "seed": rng.randrange(1000),
            "prover_stance": rng.randrange(2),
            "done": rng.random() < 0.1,
            "terminated": rng.random() < 0.1,
            "decision": [rng.randrange(3) for _ in range(agents)],
            "agents_done": [rng.random() < 0.1 for _ in range(agents)],
        }
        if spec.is_zero_knowledge:
            item["main_message_logits"] = logits(agents, channels, 2, 3)
            item["decision_logits"] = logits(agents, 3)
        items.append(item)
    return batch_of(items, (size,), dtype=torch.int64, flat_y=False)


def test_names_and_numbers_fit_together(handler):
    assert handler.num_agents == len(handler.agent_names) == len(set(handler.agent_names))
    assert handler.num_message_channels == len(handler.message_channel_names)
    assert handler.agent_names[handler.verifier_index] == handler.verifier_name == "verifier"
    assert [handler.agent_names[i] for i in handler.prover_indices] == handler.prover_names
    assert not set(handler.prover_names) & set(handler.verifier_names)
    groups = handler.default_stackelberg_sequence
    assert sorted(name for group in groups for name in group) == sorted(handler.agent_names)
    assert handler.stackelberg_sequence == groups
    assert 1 <= handler.max_verifier_questions <= handler.max_message_rounds
    handler._validate_active_agents()


def test_steps_are_deterministic_and_only_read(handler):
    batch = random_batch(handler, 64)
    before = batch.clone()
    first = handler.step_interaction_protocol(batch)
    again = handler.step_interaction_protocol(batch)
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert (batch == before).all()
    first[3].fill_(7.0)
    first[1].fill_(True)
    third = handler.step_interaction_protocol(batch)
    assert all(torch.equal(a, b) for a, b in zip(third, again, strict=True))
    assert (batch == before).all()


def test_tables_cannot_be_written_to_from_outside(handler):
    rounds, seeds = torch.tensor([0]), torch.tensor([0])
    mask = handler.get_active_agents_mask_from_rounds_and_seed(rounds, seeds)
    before = mask.clone()
    mask.fill_(True)
    handler.agent_channel_visibility_mask.fill_(True)
    if handler.active_agents_mask is not None:
        handler.active_agents_mask.fill_(True)
    assert torch.equal(handler.get_active_agents_mask_from_rounds_and_seed(rounds, seeds), before)


@each("duplicate", [copy.deepcopy, lambda h: pickle.loads(pickle.dumps(h))])
def test_copies_behave_the_same(handler, duplicate):
    batch = random_batch(handler, 32)
    ours = handler.step_interaction_protocol(batch)
    other = duplicate(handler)
    assert other.spec == handler.spec
    assert "_step_cache" not in vars(other)
    for a, b in zip(ours, other.step_interaction_protocol(batch), strict=True):
        assert torch.equal(a, b)


def test_device_is_honoured(handler):
    """The meta device computes nothing, so any tensor left on the processor is found."""
    zero_knowledge = "zero_knowledge" if handler.spec.is_zero_knowledge else "plain"
    other = make(handler.hyper_params.interaction_protocol, zero_knowledge, device="meta")
    assert other.agent_channel_visibility_mask.device.type == "meta"
    if other.active_agents_mask is not None:
        assert other.active_agents_mask.device.type == "meta"


def test_gradients_flow_where_there_are_logits():
    for name in protocol_names():
        handler = make(name, "zero_knowledge")
        batch = random_batch(handler, 32, seed=1)
        for key in ("main_message_logits", "decision_logits"):
            batch["agents", key].requires_grad_()
        handler.step_interaction_protocol(batch)[3].sum(dim=0)[-1].backward()
        for key in ("main_message_logits", "decision_logits"):
            gradient = batch["agents", key].grad
            assert gradient is not None
            assert gradient.isfinite().all()
            assert gradient.abs().sum() > 0


@each("kind", ["float16", "bfloat16", "float64"])
def test_what_is_paid_for_similarity_does_not_depend_on_the_kind_of_numbers(kind):
    for name in protocol_names():
        handler = make(name, "zero_knowledge")
        batch = random_batch(handler, 64, seed=2)
        # A silent channel has zeros, which resemble no message.
        batch["agents", "main_message_logits"][::3] = 0.0
        batch["agents", "decision_logits"][::4] = 0.0
        rewards = []
        for dtype in (getattr(torch, kind), torch.float32):
            for key in ("main_message_logits", "decision_logits"):
                batch["agents", key] = batch["agents", key].to(dtype)
            rewards.append(handler.step_interaction_protocol(batch)[3])
        assert torch.allclose(rewards[0].float(), rewards[1], atol=1e-6)


def test_people_choose_from_simple_to_rich():
    infos = protocol_infos()
    assert sorted(info.name for info in infos) == protocol_names()
    assert [info.name for info in infos if not info.for_developers] == [
        *("solo_verifier", "adp", "nip", "merlin_arthur", "debate", "mnip_together", "mnip")
    ]
    assert len({info.full_name for info in infos}) == len(infos)
    for info in infos:
        assert info.sentence.endswith(".")
        assert info.full_name == protocol_title(info.name)
        spec = protocol_spec(HyperParameters(interaction_protocol=info.name))
        words = " ".join([info.full_name, info.sentence, *(f.message for f in spec.lint())])
        assert "xpert" not in words
        assert not any(name in words for name in spec.provers if name[-1].isdigit())


def test_a_protocol_that_says_nothing_about_itself_has_a_name_all_the_same():
    assert protocol_title("two_quick_questions") == "Two quick questions"
    with_number = Agent("a", "prover"), Agent("b", "prover"), Agent("v", "verifier")
    spec = ProtocolSpec(
        name="drawn",
        agents=with_number,
        channels=(Channel("a_and_b", ("a", "b")), Channel("Our_v", ("a", "v"))),
        schedules=(Schedule(cycle=(Turn.of({"a": ["a_and_b"], "v": ["Our_v"]}),)),),
        max_message_rounds=2,
    )
    assert [spec.seat_name(name) for name in "abv"] == ["Prover 1", "Prover 2", "Verifier"]
    assert [spec.seat_phrase(name) for name in "bv"] == ["prover 2", "the verifier"]
    titles = [spec.channel_title(name) for name in spec.channel_names]
    assert titles == ["Prover 1 and prover 2", "Our verifier"]
    doubles = zero_knowledge(spec)
    assert doubles.channel_title("Our_v_adversarial") == "Our verifier, adversarial"
    messages = [remark.message for remark in spec.lint()]
    assert "Prover 2 never speaks." in messages
