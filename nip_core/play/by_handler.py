"""Rounds whose outcome a class with rules in code computes itself, with tensors."""

from __future__ import annotations

from collections.abc import Mapping

from nip_core.handler import ProtocolHandler
from nip_core.play.moves import NO_DECISION, Move
from nip_core.play.setup import Setup

__all__ = ["outcome_by_handler"]


def outcome_by_handler(
    handler: ProtocolHandler, setup: Setup, round_id: int, moves: Mapping[str, Move]
) -> tuple[bool, bool, tuple[float, ...]]:
    """Return whether the episode is done, whether it is terminated, and each agent's reward."""
    # Imported here, since only such handlers need numpy.
    from nip_core.nested_array_dict import NestedArrayDict

    names = setup.rules.seat_names
    decisions = [moves[name].decision if name in moves else NO_DECISION for name in names]
    env = NestedArrayDict(
        {
            "y": [setup.task.y],
            "round": [round_id],
            "seed": [setup.seed],
            "done": [False],
            "terminated": [False],
            "prover_stance": [setup.prover_stance or 0],  # read only if it is drawn
            "agents": {"decision": [decisions], "done": [[False] * len(names)]},
        },
        batch_size=[1],
    )
    shared_done, _, terminated, reward = handler.step_interaction_protocol(env)
    return bool(shared_done), bool(terminated), tuple(float(paid) for paid in reward[0])
