"""Seats' mean rewards if the verifier plays at random, in plain Python.

:func:`nip_core.values.exact_values` computes this and more for any model of play, with numpy. A
table shows this figure at the end of every game, also without numpy.
"""

from __future__ import annotations

import math

from nip_core.errors import UnsupportedError
from nip_core.handler.rules import UNDECIDED, Item, Rules
from nip_core.spec import ProtocolSpec

__all__ = ["mean_at_random"]

DECISIONS = (0, 1, UNDECIDED)


def mean_at_random(spec: ProtocolSpec) -> dict[str, float]:
    """Return each seat's mean reward if all decisions, and both labels, are equally likely.

    Raises
    ------
    UnsupportedError
        For a zero-knowledge protocol, whose rewards depend on similarity.

    Examples
    --------
    >>> from nip_core.registry import protocol_spec
    >>> round(mean_at_random(protocol_spec("solo_verifier"))["verifier"], 4)
    -0.3333
    """
    if spec.is_zero_knowledge:
        raise UnsupportedError("What is paid for similarity is worked out by nip_core.values only.")
    rules = Rules(spec)
    cases = [(seed, y) for seed in range(spec.num_variants) for y in (0, 1)]
    paid: list[list[float]] = [[] for _ in spec.agents]
    for seed, y in cases:
        reached = 1 / len(cases)
        for round_id in range(spec.max_message_rounds):
            going_on = 0.0
            decisions = DECISIONS if spec.may_decide(round_id, seed) else (UNDECIDED,)
            for decision in decisions:
                chance = reached / len(decisions)
                item = _item(spec, y, round_id, seed, decision)
                step = rules.step(item)
                for each, reward in zip(paid, rules.rewards(step), strict=True):
                    each.append(chance * reward)
                going_on += 0.0 if step.shared_done or step.terminated else chance
            reached = going_on
    return {agent: math.fsum(parts) for agent, parts in zip(spec.agent_names, paid, strict=True)}


def _item(spec: ProtocolSpec, y: int, round_id: int, seed: int, decision: int) -> Item:
    return Item(
        y=y,
        round=round_id,
        guess=spec.may_decide(round_id, seed),
        decisions=(decision,),
        done=False,
        terminated=False,
        agents_done=(False,) * len(spec.agents),
    )
