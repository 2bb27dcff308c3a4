"""What a round leads to, by the protocol's rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nip_core.handler.rules import Item
from nip_core.nested_array_dict import NestedArrayDict
from nip_core.play.moves import NO_DECISION, Move
from nip_core.play.setup import Setup

if TYPE_CHECKING:
    from nip_core.play.episode import Node

__all__ = ["counted_decision", "rewards_by_agent", "step"]


def step(
    setup: Setup, round_id: int, moves: Mapping[str, Move]
) -> tuple[bool, bool, tuple[float, ...]]:
    """What a round's moves lead to.

    Returns
    -------
    done, terminated : bool
    rewards : tuple of float
        By agent.
    """
    if setup.handler.overrides_rules:
        return _step_by_handler(setup, round_id, moves)
    rules, spec = setup.handler.rules, setup.spec
    outcome = rules.step(
        Item(
            y=setup.task.y,
            round=round_id,
            guess=spec.may_decide(round_id, setup.seed),
            decisions=(_decision(spec.verifier, moves),),
            done=False,
            terminated=False,
            agents_done=(False,) * len(spec.agents),
            stance=setup.prover_stance,
        )
    )
    return outcome.shared_done, outcome.terminated, rules.rewards(outcome)


def _step_by_handler(
    setup: Setup, round_id: int, moves: Mapping[str, Move]
) -> tuple[bool, bool, tuple[float, ...]]:
    """The same, asked of a handler that replaces a rule: rules of its own speak of tensors."""
    names = setup.spec.agent_names
    env = NestedArrayDict(
        {
            "y": [setup.task.y],
            "round": [round_id],
            "seed": [setup.seed],
            "done": [False],
            "terminated": [False],
            "prover_stance": [setup.prover_stance or 0],  # read only where it is drawn
            "agents": {
                "decision": [[_decision(name, moves) for name in names]],
                "done": [[False] * len(names)],
            },
        },
        batch_size=[1],
    )
    shared_done, _, terminated, reward = setup.handler.step_interaction_protocol(env)
    return bool(shared_done), bool(terminated), tuple(float(paid) for paid in reward[0])


def _decision(agent: str, moves: Mapping[str, Move]) -> int:
    return moves[agent].decision if agent in moves else NO_DECISION


def counted_decision(setup: Setup, node: Node) -> int | None:
    """The verdict that ended an episode, which may have been forced on the verifier."""
    if not node.done:
        return None
    return setup.handler.rules.forced(_decision(setup.spec.verifier, node.moves), setup.task.y)


def rewards_by_agent(setup: Setup, path: Sequence[Node]) -> dict[str, tuple[float, ...]]:
    """Each agent's rewards round by round."""
    played = [node for node in path if node.parent is not None]
    return {
        agent: tuple(node.rewards[index] for node in played)
        for index, agent in enumerate(setup.spec.agent_names)
    }
