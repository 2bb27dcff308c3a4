"""What a round leads to, as the protocol's handler says: the rules are not written again here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nip_core.nested_array_dict import NestedArrayDict
from nip_core.play.moves import NO_DECISION, Move
from nip_core.play.setup import Setup

if TYPE_CHECKING:
    from nip_core.play.episode import Node

__all__ = ["counted_decision", "rewards_by_agent", "step"]


def step(
    setup: Setup, round_id: int, moves: Mapping[str, Move]
) -> tuple[bool, bool, tuple[float, ...]]:
    """Ask the handler what a round's moves lead to.

    Returns
    -------
    done, terminated : bool
    rewards : tuple of float
        By agent.
    """
    names = setup.spec.agent_names
    decisions = [moves[name].decision if name in moves else NO_DECISION for name in names]
    env = NestedArrayDict(
        {
            "y": [setup.task.y],
            "round": [round_id],
            "seed": [setup.seed],
            "done": [False],
            "terminated": [False],
            "prover_stance": [setup.prover_stance or 0],  # read only where it is drawn
            "agents": {"decision": [decisions], "done": [[False] * len(names)]},
        },
        batch_size=[1],
    )
    shared_done, _, terminated, reward = setup.handler.step_interaction_protocol(env)
    return bool(shared_done), bool(terminated), tuple(float(paid) for paid in reward[0])


def counted_decision(setup: Setup, node: Node) -> int | None:
    """The verdict that ended an episode, which may have been forced on the verifier."""
    if not node.done:
        return None
    import torch

    from nip_core.stepping import forced_decision

    move = node.moves.get(setup.spec.verifier)
    given = torch.tensor(NO_DECISION if move is None else move.decision)
    return int(forced_decision(setup.spec.payoff, given, torch.tensor(setup.task.y)))


def rewards_by_agent(setup: Setup, path: Sequence[Node]) -> dict[str, tuple[float, ...]]:
    """Each agent's rewards round by round."""
    played = [node for node in path if node.parent is not None]
    return {
        agent: tuple(node.rewards[index] for node in played)
        for index, agent in enumerate(setup.spec.agent_names)
    }
