"""The fast computation of similarity rewards agrees, bit by bit, with the one by channel."""

from typing import Any

from nip_core import (
    ExperimentSettings,
    HyperParameters,
    SpecProtocol,
    build_protocol_handler,
    protocol_names,
)
from nip_core.handler.zero_knowledge import ZeroKnowledgeProtocol
from nip_core.spec import Schedule, Turn
from tests.depth import cases, each
from tests.later import later, torch
from tests.test_contract import random_batch

reading = later("nip_core.handler.reading")
stepping = later("nip_core.handler.stepping")
simulation = later("nip_core.handler.zero_knowledge_stepping")

COEFFICIENTS = {"simulator_reward_coefficient": 0.342, "aux_prover_reward_coefficient": 0.123}
LOGITS = ("agents", "main_message_logits")


def variant_of(name: str) -> Any:
    parameters = HyperParameters(
        interaction_protocol=name,
        protocol_common={"zero_knowledge": True},
        zk_protocol=COEFFICIENTS,
    )
    return build_protocol_handler(parameters, ExperimentSettings())


def masked_by_channel(handler: Any, env: Any) -> Any:
    """Return the rewards of a step, with silent messages removed before the comparison."""
    inputs = reading.check_values(handler, reading.read_inputs(handler, env))
    reward = stepping.step_checked(handler, inputs)[3]
    similarity = simulation.simulator_reward(
        handler, inputs, env[LOGITS], env["agents", "decision_logits"]
    )
    shares = torch.zeros(len(handler.agent_names))
    shares[handler.prover_indices] = COEFFICIENTS["aux_prover_reward_coefficient"]
    shares[handler.adversarial_verifier_index] = -1
    shares[handler.simulator_index] = 1
    return reward + similarity.unsqueeze(-1) * shares


@each("name", protocol_names())
def test_rewards_are_the_same_bits(name):
    handler = variant_of(name)
    for number in range(cases(5)):
        batch = random_batch(handler, 64 + number)
        # Messages of length zero and with logits that are not numbers, in rounds with and without
        # turns.
        batch[LOGITS][::5] = 0.0
        batch[LOGITS][::7] = float("nan")
        expected = masked_by_channel(handler, batch)
        found = handler.step_interaction_protocol(batch)[3]
        assert torch.equal(found.nan_to_num(nan=77.0), expected.nan_to_num(nan=77.0))


def test_silence_pays_nothing_whatever_its_logits_are():
    handler = variant_of("nip")
    batch = random_batch(handler, 200)
    masks = handler.get_active_agents_mask_from_rounds_and_seed(batch["round"])
    silent = ~masks[:, handler.simulator_index].any(dim=-1)
    assert silent.any()
    batch[LOGITS][silent] = float("nan")
    assert not handler.step_interaction_protocol(batch)[3].isnan().any()


def test_gradients_are_numbers_where_logits_are_none():
    handler = variant_of("nip")
    batch = random_batch(handler, 60)
    masks = handler.get_active_agents_mask_from_rounds_and_seed(batch["round"])
    silent = ~masks[:, handler.simulator_index].any(dim=-1)
    batch[LOGITS][silent] = float("nan")
    logits = batch[LOGITS].clone().requires_grad_()
    batch[LOGITS] = logits
    handler.step_interaction_protocol(batch)[3][:, handler.simulator_index].sum().backward()
    assert logits.grad is not None
    assert not logits.grad.isnan().any()
    assert logits.grad.abs().sum() > 0


def test_a_round_with_some_of_the_channels_is_masked_channel_by_channel():
    spec = variant_of("mnip").base_protocol.spec
    first, second = spec.channel_names
    # The verifier speaks on one channel in the first round, and on the other one in the second.
    written = (Turn((("verifier", first),)), Turn((("verifier", second),)))
    changed = spec.replace(schedules=(Schedule((), written),))

    def base(*given: Any, verifier_name: str) -> SpecProtocol:
        assert verifier_name == "verifier"
        return SpecProtocol(*given, changed)

    parameters = HyperParameters(zk_protocol=COEFFICIENTS)
    handler = ZeroKnowledgeProtocol(parameters, ExperimentSettings(), base)
    batch = random_batch(handler, 128)
    found = handler.step_interaction_protocol(batch)[3]
    assert torch.equal(found, masked_by_channel(handler, batch))
