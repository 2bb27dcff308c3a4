"""How seats' values change along a parameter."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np

from explorer.choice import ROUNDS
from explorer.rewards.valuation import CHANCES, Valuation
from nip_core.errors import NipError
from nip_core.spec import PAYOFFS
from nip_core.values import judged

if TYPE_CHECKING:
    import pandas as pd

    from nip_core.registry import AnyProtocol
    from nip_core.values import ExactValues


COEFFICIENTS = ("simulator_reward_coefficient", "aux_prover_reward_coefficient")
STEPS, LEAST_ROUNDS, MOST_ROUNDS = 25, 40, 2000
# The ends of a band, as quantiles.
QUANTILES = (0.1, 0.9)


def swept_values(valuation: Valuation, name: str) -> pd.DataFrame:
    """Return how each seat's value changes along a parameter, exact at every point.

    ``value`` is the parameter's, and ``low`` and ``high`` are the quantiles (:data:`QUANTILES`) of
    an episode's reward, which are possible rewards.
    """
    import pandas as pd

    rows = [
        {
            "seat": agent,
            "value": value,
            "mean": values.mean(agent),
            **dict(zip(("low", "high"), values.quantiles(agent, QUANTILES), strict=True)),
        }
        for value, values in _valued(valuation, name, _points(valuation, name))
        for agent in values.spec.agent_names
    ]
    return pd.DataFrame(rows, columns=["seat", "value", "mean", "low", "high"])


def _valued(
    valuation: Valuation, name: str, points: Sequence[float]
) -> Iterator[tuple[float, ExactValues]]:
    """Yield the values at each point at which the parameters make a valid protocol."""
    from nip_core.values import exact_values

    for value in points:
        try:
            changed = _with_value(valuation, name, value)
            protocol = changed.protocol()
            values = exact_values(protocol, changed.model(protocol))
        except NipError:
            continue
        yield value, values


def is_flat(means: Iterable[Sequence[float]]) -> bool:
    """Return whether every seat's mean stays the same along a sweep, up to rounding."""
    from nip_core.values import settled

    return not any(settled(max(seat_means) - min(seat_means), seat_means) for seat_means in means)


def telling(valuation: Valuation, names: Sequence[str]) -> str:
    """Return the first of some parameters that changes some seat's mean."""
    for name in names:
        points = _points(valuation, name)
        few = [points[0], points[len(points) // 2], points[-1]]
        means = [
            [values.mean(agent) for agent in values.spec.agent_names]
            for _, values in _valued(valuation, name, few)
        ]
        if not is_flat(zip(*means, strict=True)):
            return name
    return names[0]


def sweepable(valuation: Valuation, protocol: AnyProtocol) -> list[str]:
    """Return the parameters that have an effect here: chances, and settings that are numbers."""
    choice, chances = valuation.choice, valuation.chances(protocol)
    # A table of play has a row for each turn, so that their number must stay.
    fixed = ("max_message_rounds",) if valuation.play in ("table", "recorded") else ()
    coefficients = COEFFICIENTS if judged(protocol).is_zero_knowledge else ()
    known = choice.source.defaults
    # The settings of a document are fractions; the parameters of the library have many kinds.
    settings = (name for name, default in known.items() if isinstance(default, Fraction))
    names = (*PAYOFFS, *coefficients, *ROUNDS, *settings)
    return [*chances, *(name for name in names if name in known and name not in fixed)]


def parameter_label(valuation: Valuation, name: str) -> str:
    """Return a parameter's name on the screen."""
    if name == "stance":
        spec, accepted = valuation.choice.rules, judged(valuation.protocol()).rounds.answers[1]
        return f"Provers argue for {spec.title_of(accepted)}"
    if name in CHANCES:
        return CHANCES[name][0]
    controls = (*valuation.choice.controls, *valuation.choice.payoffs)
    labels = {control.name: control.label for control in controls}
    return labels.get(name) or name.replace("_", " ").capitalize()


def current_value(valuation: Valuation, name: str) -> float:
    """Return the present value of a parameter."""
    if name in CHANCES:
        return getattr(valuation, name)
    return float(cast("float", valuation.choice.value(name)))


def _points(valuation: Valuation, name: str) -> Sequence[float]:
    if name in CHANCES:
        return np.linspace(0, 1, STEPS).tolist()
    now = current_value(valuation, name)
    default = valuation.choice.source.defaults[name]
    if name in ROUNDS or (isinstance(default, Fraction) and default.denominator == 1):
        most = min(max(LEAST_ROUNDS, 2 * int(now)), MOST_ROUNDS)
        return sorted({*np.linspace(1, most, LEAST_ROUNDS).astype(int).tolist(), int(now)})
    # The parameter's own size decides the range, or the size of the other payoffs if it is 0.
    others = [abs(current_value(valuation, other)) for other in PAYOFFS if name in PAYOFFS]
    size = abs(now) or next((other for other in others if other), 1.0)
    half = STEPS // 2
    if isinstance(default, Fraction):  # never negative
        return np.linspace(0, now + 2 * size, STEPS).tolist()
    return [now + 2 * size * (step / half) for step in range(-half, half + 1)]


def _with_value(valuation: Valuation, name: str, value: float) -> Valuation:
    if name in CHANCES:
        return dataclasses.replace(valuation, **{name: value})
    return dataclasses.replace(valuation, choice=valuation.choice.with_setting(name, value))
