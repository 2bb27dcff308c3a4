"""Charts of what a protocol's seats are worth, computed and drawn, for the page and notebooks.

Those of theory raise a NipError where they cannot be computed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from explorer.pictures import Chart, draw_curves, draw_exploitability, draw_frontier, draw_three
from explorer.rewards.answers import sample_steps, sampled
from explorer.rewards.sweep import current_value, parameter_label, swept_values
from explorer.rewards.theory import (
    Opening,
    WorthOfRounds,
    exploitable,
    frontier_at,
    opening,
    over_prior,
    over_rounds,
)
from nip_core.values import judged

if TYPE_CHECKING:
    import pandas as pd

    from explorer.rewards.valuation import Valuation
    from nip_core.registry import AnyProtocol
    from nip_core.values import ExactValues, Exploitability, PlayModel


CHARTS = (
    *("opening", "frontier", "rounds", "prior", "exploitability"),
    *("endings", "sweep", "sample"),
)
"""The names of the charts in notebooks."""


def opening_chart(protocol: AnyProtocol, values: Opening | None = None) -> Chart:
    """Draw what three verifiers earn; `values`, if that was computed already."""
    values = values or opening(protocol)
    rows = [
        ("Flips coins", values.coins),
        ("Hears independent answers", values.stops),
        ("Faces the worst possible prover", values.guaranteed),
    ]
    return draw_three(
        judged(protocol).spec, [(name, value) for name, value in rows if value is not None]
    )


def frontier_chart(
    protocol: AnyProtocol,
    values: ExactValues | None = None,
    *,
    prior: float = 0.5,
    check: float = 0.75,
    knows: float = 1.0,
    allowed: float = 0.1,
) -> Chart:
    """Draw the frontier of completeness and soundness error, with a point on it.

    A way of playing, whose exact values are given, is a point of its own. The rest is as in
    :func:`~explorer.rewards.theory.frontier_at`.
    """
    point = frontier_at(protocol, prior=prior, check=check, knows=knows, allowed=allowed)
    plays = None
    if values is not None:
        rates = values.soundness_error, values.completeness
        plays = None if any(map(math.isnan, rates)) else rates
    return draw_frontier(
        judged(protocol).spec,
        [(float(error), float(right)) for error, right in point.curve.corners],
        (point.soundness_error, point.completeness),
        best=point.best,
        plays=plays,
        is_exact=point.curve.is_exact,
    )


def rounds_chart(
    protocol: AnyProtocol,
    rounds: WorthOfRounds | None = None,
    *,
    prior: float = 0.5,
    check: float = 0.75,
) -> Chart:
    """Draw the value of each number of rounds, of a second prover, and of separating provers."""
    rounds = rounds or over_rounds(protocol, prior=prior, check=check)
    game = judged(protocol)
    return draw_curves(
        game.spec,
        [(curve.name, curve.points) for curve in rounds.curves()],
        "Rounds",
        title="What each number of rounds is worth",
        whole=True,
        now=game.num_rounds,
    )


def prior_chart(
    protocol: AnyProtocol, model: PlayModel, *, prior: float = 0.5, check: float = 0.75
) -> Chart:
    """Draw what verifiers earn by how likely statements are true."""
    return draw_curves(
        judged(protocol).spec,
        [(curve.name, curve.points) for curve in over_prior(protocol, model, check=check)],
        "The chance that the statement is true",
        title="Value against the prior",
        percent=True,
        now=prior,
    )


def exploitability_chart(
    protocol: AnyProtocol,
    strategies: dict[str, Exploitability] | None = None,
    *,
    prior: float = 0.5,
    check: float = 0.75,
    knows: float = 1.0,
) -> Chart:
    """Draw how much strategies lose to a prover that knows them."""
    strategies = strategies or exploitable(protocol, prior=prior, check=check, knows=knows)
    rows = {
        name: (
            float(strategy.replied),
            float(strategy.worst),
            float(strategy.best),
            float(strategy.safe),
        )
        for name, strategy in strategies.items()
    }
    return draw_exploitability(judged(protocol).spec, rows)


def sweep_chart(valuation: Valuation, name: str, points: pd.DataFrame | None = None) -> Chart:
    """Draw how seats' values change along a parameter of :func:`~explorer.rewards.sweep.sweepable`.

    `points` are its :func:`~explorer.rewards.sweep.swept_values`, if they were computed already.
    """
    from explorer.pictures import draw_sweep

    points = swept_values(valuation, name) if points is None else points
    title, now = parameter_label(valuation, name), current_value(valuation, name)
    return draw_sweep(judged(valuation.protocol()).spec, points, title, now)


def sample_chart(
    protocol: AnyProtocol,
    values: ExactValues,
    model: PlayModel,
    *,
    episodes: int = 1_000,
    seed: int = 0,
) -> Chart:
    """Play episodes, and draw how their means approach the exact means."""
    from explorer.pictures import draw_sample

    steps = sample_steps(sampled(protocol, model, episodes, seed))
    exact = {agent: values.mean(agent) for agent in values.spec.agent_names}
    return draw_sample(values.spec, steps, exact)
