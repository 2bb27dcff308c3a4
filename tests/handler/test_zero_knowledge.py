"""The base protocol of a zero-knowledge handler steps the variant's environment.

The environment has two agents more than the base: the adversarial verifier and the simulator come
last. The reference implementation's own test of a zero-knowledge step does this and compares both
outcomes. Here the same is compared for every protocol. Items are drawn with all flags at random;
where an item was already finished, D5 and D6 of `DIVERGENCES.md` apply, each in the assertion that
is marked with it.
"""

from typing import Any

import pytest

from nip_core import (
    ExperimentSettings,
    HyperParameters,
    NestedArrayDict,
    build_protocol_handler,
    protocol_names,
)
from nip_core.errors import StepInputError
from tests.depth import each
from tests.later import later, torch
from tests.test_contract import make, random_batch

reading = later("nip_core.handler.reading")
stepping = later("nip_core.handler.stepping")

COSINES = {"simulator_reward_coefficient": 0.342, "aux_prover_reward_coefficient": 0.123}


def pair(name: str, **common: Any) -> tuple[Any, Any]:
    """Return the zero-knowledge variant of a protocol, and its base."""
    parameters = HyperParameters(
        interaction_protocol=name,
        protocol_common={"zero_knowledge": True, "prover_reward": 0.5, **common},
        zk_protocol=COSINES,
    )
    variant = build_protocol_handler(parameters, ExperimentSettings())
    return variant, variant.base_protocol


def as_arrays(batch: Any) -> NestedArrayDict:
    return NestedArrayDict(
        {key: value.numpy() for key, value in batch.items(True, True)}, batch_size=batch.batch_size
    )


def narrowed(batch: Any, agents: int) -> Any:
    """Return the environment without the agents that the variant adds."""
    narrow = batch.clone()
    for key in ("decision", "done"):
        narrow["agents", key] = batch["agents", key][..., :agents]
    return narrow


def unchecked(base: Any, env: Any) -> Any:
    return stepping.step_checked(base, reading.read_inputs(base, env))


def by_rules(base: Any, env: Any) -> Any:
    return base.apply_rules(reading.check_values(base, reading.read_inputs(base, env)))


def checked(base: Any, env: Any) -> Any:
    return base.step_interaction_protocol(env)


def cloned(env):
    return env.clone()


# How the environment is given, how it is stepped, and its shape.
WAYS = [
    (cloned, checked, (60,)),
    (as_arrays, checked, (3, 20)),
    (cloned, unchecked, (3, 20)),
    (as_arrays, unchecked, ()),
    (cloned, by_rules, ()),
    (as_arrays, by_rules, (60,)),
]


@pytest.mark.parametrize("name", protocol_names())
@each(("read", "step", "shape"), WAYS)
def test_the_base_reads_the_first_columns(name, read, step, shape):
    variant, base = pair(name)
    batch = random_batch(variant, 60)
    batch = batch.reshape(shape) if shape else batch[7]
    before = batch.clone()
    wide = step(base, read(batch))
    narrow = step(base, narrowed(batch, base.num_agents))
    for place in (0, 2, 3):
        assert torch.equal(wide[place], narrow[place])
    # As in the reference, the episode is done for everybody in the environment.
    ended = batch["agents", "done"] | wide[0].unsqueeze(-1)
    assert torch.equal(wide[1], ended)
    assert torch.equal(wide[1][..., : base.num_agents], narrow[1])
    assert (batch == before).all()


@each("name", protocol_names())
def test_large_batches_take_the_other_path(name):
    variant, base = pair(name)
    few = random_batch(variant, 60)
    many = torch.cat([few] * 70)
    for large, small in zip(
        base.step_interaction_protocol(many), base.step_interaction_protocol(few), strict=True
    ):
        assert torch.equal(large, small.repeat(70, *[1] * (small.dim() - 1)))


@each("name", protocol_names())
def test_the_added_agents_are_not_read(name):
    variant, base = pair(name)
    batch = random_batch(variant, 60)
    outcome = base.step_interaction_protocol(batch)
    batch["agents", "decision"][..., base.num_agents :] = 77
    for one, other in zip(outcome, base.step_interaction_protocol(batch), strict=True):
        assert torch.equal(one, other)


@each("name", protocol_names())
def test_no_other_number_of_agents_is_taken(name):
    variant, base = pair(name)
    batch = random_batch(variant, 4)
    for handler in (variant, base):
        own = handler.num_agents
        for number in {own - 1, own + 1, own + 2, own + 3} - {variant.num_agents}:
            odd = batch.clone()
            odd["agents", "decision"] = torch.zeros(4, number, dtype=torch.int64)
            odd["agents", "done"] = torch.zeros(4, number, dtype=torch.bool)
            with pytest.raises(StepInputError, match=rf"must be \(4, {own}\)"):
                handler.step_interaction_protocol(odd)
    # Both entries are of the same agents.
    odd = batch.clone()
    odd["agents", "done"] = odd["agents", "done"][..., : base.num_agents]
    with pytest.raises(StepInputError, match=rf"must be \(4, {variant.num_agents}\)"):
        base.step_interaction_protocol(odd)


def test_a_handler_built_alone_does_not_take_the_variants_environment():
    variant = make("mnip", "zero_knowledge")
    batch = random_batch(variant, 30)
    alone = make("mnip", "plain").step_interaction_protocol(batch)
    for one, other in zip(
        alone, variant.base_protocol.step_interaction_protocol(batch), strict=True
    ):
        assert torch.equal(one, other)


@pytest.mark.parametrize("name", protocol_names())
def test_the_variants_step_beside_its_bases(name):
    """The comparisons of the reference's test of a step, for every protocol."""
    variant, base = pair(name)
    torch.manual_seed(0)
    batch = random_batch(variant, 512, seed=3)
    for key in ("done", "terminated"):
        batch[key] = torch.rand(512) < 0.5
    batch["agents", "done"] = torch.rand(512, variant.num_agents) < 0.5
    shared, done, terminated, reward = variant.step_interaction_protocol(batch)
    _, base_done, base_terminated, base_reward = base.step_interaction_protocol(batch)

    seat, adversary, simulator = (
        variant.agent_names.index(n) for n in ("verifier", "adversarial_verifier", "simulator")
    )
    active = base.get_active_agents_mask_from_rounds_and_seed(batch["round"], batch["seed"])
    speaks = active[..., seat, :]
    guess = base.get_verifier_guess_mask_from_rounds_and_seed(batch["round"], batch["seed"])
    counts = guess & (batch["round"] >= base.min_message_rounds - 1)
    incoming = batch["agents", "done"]
    live = ~batch["done"] & ~batch["terminated"]
    fresh = live & ~incoming[..., seat]  # the verifier has not decided before
    decides = counts & (batch["agents", "decision"][..., adversary] != 2)

    assert torch.equal(done[..., seat], base_done[..., seat])
    # D5: in an item that is over, nobody decides.
    kept = incoming | batch["done"].unsqueeze(-1)
    expected = torch.where(live, incoming[..., adversary] | decides, kept[..., adversary])
    assert torch.equal(done[..., adversary], expected)
    both = done[..., seat] & done[..., adversary]
    assert torch.equal(shared, torch.where(live, both, batch["done"]))  # D5: the same
    for index in {*range(variant.num_agents)} - {seat, adversary}:
        assert torch.equal(done[..., index], torch.where(live, shared, kept[..., index]))  # D5
    # D6: the last round ends the episode also when one of both verifiers has decided, and (D5)
    # does not when both had.
    last = batch["round"] == variant.max_message_rounds - 1
    assert torch.equal(terminated, batch["terminated"] | (live & last & ~both))
    neither = fresh & ~done[..., seat]
    assert torch.equal(terminated[neither], base_terminated[neither])
    # D5: a verifier that had already decided is neither paid nor fined again.
    own = torch.where(fresh, base_reward[..., seat], 0.0)
    assert torch.equal(reward[..., seat], own)
    # The simulator is paid for similarity; D5: not in an item that is over.
    size = base.num_message_channels
    logits = batch["agents", "main_message_logits"]
    theirs = logits[..., adversary, size : 2 * size, :, :] * speaks[..., None, None]
    made_up = logits[..., simulator, 2 * size :, :, :] * speaks[..., None, None]
    similar = torch.cosine_similarity(theirs.flatten(-3), made_up.flatten(-3), dim=-1)
    choices = batch["agents", "decision_logits"]
    alike = torch.cosine_similarity(choices[..., adversary, :], choices[..., simulator, :], dim=-1)
    paid = COSINES["simulator_reward_coefficient"] * (similar + alike * guess) * live
    torch.testing.assert_close(reward[..., simulator], paid)
    # D6: a verifier that alone has not decided by the last round is fined.
    alone = live & last & done[..., seat] & ~done[..., adversary]
    fine = alone * variant.payoff.verifier_terminated_penalty
    torch.testing.assert_close(reward[..., adversary], fine - paid)
    for index in base.prover_indices:
        share = COSINES["aux_prover_reward_coefficient"] * paid
        own = torch.where(fresh, base_reward[..., index], 0.0)
        torch.testing.assert_close(reward[..., index], own + share)
