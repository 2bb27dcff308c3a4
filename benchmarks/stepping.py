"""Stepping and mask look-up against a naive loop, a raw copy, and one `torch.where`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from tensordict import TensorDict

from benchmarks.timing import best_seconds, size
from nip_core import ExperimentSettings, HyperParameters, ProtocolHandler, build_protocol_handler
from nip_core.batches import BatchTable
from nip_core.handler.reading import check_values, read_inputs
from nip_core.handler.stepping import step_checked

STAGED = ("nip", "khan_debate", "jury", "trusted_monitor")
PROTOCOLS = ("nip", "mnip", "debate", "merlin_arthur", "zk-nip")
BATCHES = (1, 32, 1024, 65_536, 1_000_000)
# The reference implementation's microseconds per step on two cores of one machine; for orientation
# only, since they were not measured in the same run.
REFERENCE_US = {
    "nip": {1: 77, 32: 75, 1024: 99, 65_536: 973, 1_000_000: 15_635},
    "mnip": {1: 85, 32: 87, 1024: 118, 65_536: 1_287, 1_000_000: 22_419},
    "zk-nip": {1: 379, 32: 404, 1024: 617, 65_536: 8_335},
}


def make_handler(protocol: str) -> ProtocolHandler:
    """Return a handler with default parameters; the prefix ``zk-`` means zero knowledge."""
    name = protocol.removeprefix("zk-")
    common = {"zero_knowledge": name != protocol}
    parameters = HyperParameters(interaction_protocol=name, protocol_common=common)
    return build_protocol_handler(parameters, ExperimentSettings())


def make_batch(handler: ProtocolHandler, size: int) -> TensorDict:
    """Return random items, one in ten of them already over."""
    torch.manual_seed(size)
    agents, channels = handler.num_agents, handler.num_message_channels
    seats: dict[str, Any] = {
        "decision": torch.randint(0, 3, (size, agents)),
        "done": torch.rand(size, agents) < 0.1,
    }
    if handler.spec.is_zero_knowledge:
        seats["main_message_logits"] = torch.randn(size, agents, channels, 1, 4)
        seats["decision_logits"] = torch.randn(size, agents, 3)
    entries = {
        "y": torch.randint(0, 2, (size, 1)),
        "round": torch.randint(0, handler.max_message_rounds, (size,)),
        "seed": torch.randint(0, 1_000_000, (size,)),
        "done": torch.rand(size) < 0.05,
        "terminated": torch.rand(size) < 0.05,
        "agents": seats,
    }
    return TensorDict(entries, batch_size=[size])


def naive_step(handler: ProtocolHandler, items: list[dict[str, Any]]) -> list[list[float]]:
    """A naive step: a loop over items, with an `if` for each rule."""
    spec, pay = handler.spec, handler.payoff
    verifier = handler.verifier_index
    rewards: list[list[float]] = []
    for item in items:
        reward = [0.0] * len(spec.agents)
        rewards.append(reward)
        if item["done"] or item["terminated"]:
            continue
        decision = item["decision"][verifier]
        may_decide = spec.may_decide(item["round"], item["seed"])
        made = may_decide and decision != 2 and item["round"] >= spec.min_message_rounds - 1
        if made:
            right = decision == item["y"]
            reward[verifier] = pay.verifier_reward if right else pay.verifier_incorrect_penalty
            for index, agent in enumerate(spec.agents):
                if agent.role == "prover" and agent.stance == decision:
                    reward[index] = pay.prover_reward
        elif item["round"] == spec.max_message_rounds - 1:
            reward[verifier] = pay.verifier_terminated_penalty
        elif may_decide:
            reward[verifier] = pay.verifier_no_guess_reward
    return rewards


def naive_items(batch: TensorDict) -> list[dict[str, Any]]:
    """Return the batch as plain Python items."""
    columns = {key: batch[key].tolist() for key in ("round", "seed", "done", "terminated")}
    columns["y"] = batch["y"].squeeze(-1).tolist()
    columns["decision"] = batch["agents", "decision"].tolist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def measure() -> Iterator[dict[str, Any]]:
    """Yield a row for each protocol and batch size, with times in microseconds."""
    where = (torch.tensor(True), torch.tensor(1.0), torch.tensor(0.0))
    where_us = 1e6 * best_seconds(lambda: torch.where(*where))
    for protocol in PROTOCOLS:
        handler = make_handler(protocol)
        for count in size(BATCHES, BATCHES[:2]):
            batch = make_batch(handler, count)
            tensors = list(batch.values(include_nested=True, leaves_only=True))
            outcome = handler.step_interaction_protocol(batch)
            inputs = check_values(handler, read_inputs(handler, batch))
            sample = naive_items(batch[: min(count, 1024)])
            rounds, seed = batch["round"], batch["seed"]
            row: dict[str, Any] = {
                "protocol": protocol,
                "batch": count,
                "where_us": where_us,
                "copy_us": 1e6 * best_seconds(lambda: [t.clone() for t in [*tensors, *outcome]]),
                "step_us": 1e6 * best_seconds(lambda: handler.step_interaction_protocol(batch)),
                "mask_us": 1e6
                * best_seconds(
                    lambda: handler.get_active_agents_mask_from_rounds_and_seed(rounds, seed)
                ),
                "naive_us": 1e6
                * best_seconds(lambda: naive_step(handler, sample), rounds=3)
                / len(sample)
                * count,
            }
            if not handler.spec.is_zero_knowledge:
                row["unchecked_us"] = 1e6 * best_seconds(lambda: step_checked(handler, inputs))
            reference = REFERENCE_US.get(protocol, {}).get(count)
            row["step_to_copy"] = row["step_us"] / row["copy_us"]
            row["step_to_where"] = row["step_us"] / where_us
            row["step_to_naive"] = row["step_us"] / row["naive_us"]
            row["step_to_reference"] = reference and row["step_us"] / reference
            yield row


def measure_tables() -> Iterator[dict[str, Any]]:
    """Measure a step of random states of protocols in stages, with open options."""
    for protocol in STAGED:
        table = BatchTable(protocol)
        for count in size(BATCHES, BATCHES[:1]):
            generator = torch.Generator().manual_seed(count)
            states = torch.randint(1, table.num_states, (count,), generator=generator)
            choices: dict[str, torch.Tensor] = {}
            for name in table.choices:
                may = table.may(states, name)
                chances = (may | ~may.any(dim=-1, keepdim=True)).float()
                choices[name] = torch.multinomial(chances, 1, generator=generator).squeeze(-1)
            yield {
                "protocol": protocol,
                "states": table.num_states,
                "batch": count,
                "step_us": 1e6 * best_seconds(lambda: table.step(states, choices)),
                "unchecked_us": 1e6 * best_seconds(lambda: table.step_checked(states, choices)),
            }


def measure_construction() -> Iterator[dict[str, Any]]:
    """Measure construction with the first look-up of a mask."""
    for protocol in PROTOCOLS:
        name = protocol.removeprefix("zk-")
        common = {"zero_knowledge": name != protocol}
        parameters = HyperParameters(interaction_protocol=name, protocol_common=common)
        rounds, seed = torch.zeros(1, dtype=torch.int64), torch.zeros(1, dtype=torch.int64)

        def construct(parameters: HyperParameters = parameters) -> object:
            handler = build_protocol_handler(parameters, ExperimentSettings())
            return handler.get_active_agents_mask_from_rounds_and_seed(rounds, seed)

        yield {"protocol": protocol, "construction_us": 1e6 * best_seconds(construct)}
