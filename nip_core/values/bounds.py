"""The least and the most that an episode can pay each seat, whatever anybody plays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.errors import UnsupportedError
from nip_core.registry import AnyProtocol
from nip_core.values.checks import a_protocol, checked
from nip_core.values.judged import Judged, count_speakers, judged
from nip_core.values.outcomes import UNDECIDED, Outcomes, outcomes_of

__all__ = ["reward_bounds"]

Floats = npt.NDArray[np.floating[Any]]

# The cosines of a round in a zero-knowledge variant: of messages, and of decisions.
_COSINES = 2


@checked(handler=a_protocol)
def reward_bounds(handler: AnyProtocol) -> Floats:
    """Return the least and the most that an episode can pay each seat.

    They are computed from the last round backwards, over all decisions, labels, stances and
    schedules. For similarity rewards, every cosine is assumed to be -1 or 1.

    Returns
    -------
    bounds : array, ``[agent, 2]``
        Infinite if a subclass makes one verifier's pay depend on the other's actions.
    """
    game = judged(handler)
    try:
        table = outcomes_of(game)
    except UnsupportedError:
        return np.tile([-np.inf, np.inf], (len(game.agent_names), 1))
    least, most = (_extreme(game, table, sign) for sign in (-1, 1))
    bounds = np.stack([least, most], axis=-1)
    if table.adversary is None or game.handler is None:
        return bounds
    spec = game.handler.spec
    index = spec.agent_index(spec.verifiers[1])
    bounds[index] += min(0.0, *table.adversary.fine), max(0.0, *table.adversary.fine)
    payoff, compared = spec.payoff, count_speakers(spec, spec.verifiers[1]) > 0
    rounds = float(compared.sum(axis=1).max())
    reach = abs(payoff.simulator_reward_coefficient) * _COSINES * rounds
    for place, agent in enumerate(spec.agents):
        share = {"verifier": 0.0, "prover": abs(payoff.aux_prover_reward_coefficient)}
        bounds[place] += np.array([-1, 1]) * reach * share.get(agent.role, 1.0)
    return bounds


def _extreme(game: Judged, table: Outcomes, sign: int) -> Floats:
    """Return the largest totals of rewards multiplied by `sign`, multiplied by `sign` again."""
    best = np.full(table.pays.shape[-1], -np.inf)
    for variant, phases in enumerate(table.phases):
        later = np.zeros(table.pays.shape[2:])  # [label, stance, agent]
        for round_id in reversed(range(len(phases))):
            phase = phases[round_id]
            stops = table.stops[phase][..., None]
            totals = sign * table.pays[phase] + np.where(stops, 0.0, later)
            # A decision out of turn has no effect.
            may = table.may[phase] if game.turns[variant, round_id] else [UNDECIDED]
            later = totals[may].max(axis=0)
        best = np.maximum(best, later.max(axis=(0, 1)))
    return sign * best + 0.0  # a zero has no sign
