"""Masks agree with the schedule, wherever its cycle begins."""

import torch

from nip_core import ExperimentSettings, HyperParameters, SpecProtocol, build_protocol_handler
from nip_core.spec import Schedule, Turn


def test_a_cycle_begins_where_the_prelude_ends():
    base = build_protocol_handler(HyperParameters(), ExperimentSettings()).spec
    ask, answer = Turn((("verifier", "main"),)), Turn((("prover", "main"),))
    spec = base.replace(
        schedules=(
            Schedule(prelude=(answer,), cycle=(ask, answer, Turn())),
            Schedule(prelude=(answer, answer), cycle=(ask,)),
            Schedule(prelude=(ask,)),
        ),
        max_message_rounds=8,
    )
    handler = SpecProtocol(HyperParameters(), ExperimentSettings(), spec)
    for seed in range(-3, 4):
        rounds = torch.arange(8)
        seeds = torch.full((8,), seed)
        mask = handler.get_active_agents_mask_from_rounds_and_seed(rounds, seeds)
        for number, rows in enumerate(mask.tolist()):
            speakers = {
                (agent, channel)
                for agent, row in zip(spec.agent_names, rows, strict=True)
                for channel, active in zip(spec.channel_names, row, strict=True)
                if active
            }
            assert speakers == set(spec.turn(number, seed).speakers), (seed, number)
