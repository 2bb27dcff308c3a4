"""Drawings with dials: each outcome is so many of a hundred, and some outcomes have a goal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from nip_core.displays import displayed

FRONT = "touch_dials"


@displayed
@dataclass(frozen=True, slots=True)
class Dial:
    """What can be dragged.

    Parameters
    ----------
    label : str
    settings : tuple of (text, value)
        Its places: what is shown, and what is computed with.
    start : int
        The place at the beginning.
    """

    label: str
    settings: tuple[tuple[str, Any], ...]
    start: int = 0


@displayed
@dataclass(frozen=True, slots=True)
class Bar:
    """An outcome: a hundred dots, of which so many are filled.

    Parameters
    ----------
    label : str
    goal : tuple of ("most" or "least", share), optional
    bad : bool
        Whether filled dots are harm.
    """

    label: str
    goal: tuple[Literal["most", "least"], float] | None = None
    bad: bool = False


@displayed
@dataclass(frozen=True, slots=True)
class Way:
    """Under which circumstances it is computed; there may be several, by turns.

    Parameters
    ----------
    button : str
        What leads to it from the way before.
    told : str
        What holds then.
    shares : callable
        Returns the share of each outcome, for a value of each dial.
    then : str
        What to do once the goal is reached.
    """

    button: str
    told: str
    shares: Callable[..., Sequence[Fraction | float]]
    then: str = ""


def dials_data(
    name: str, goal: str, dials: Sequence[Dial], bars: Sequence[Bar], ways: Sequence[Way]
) -> dict[str, Any]:
    """Return the drawing as data for ``explorer/front/touch_dials.js``."""
    return {
        "name": name,
        "goal": goal,
        "dials": [
            {"label": d.label, "places": [text for text, _ in d.settings], "start": d.start}
            for d in dials
        ],
        "bars": [{"label": b.label, "goal": b.goal and list(b.goal), "bad": b.bad} for b in bars],
        "ways": [{"button": w.button, "told": w.told, "then": w.then} for w in ways],
        "shares": [_table(w.shares, dials, ()) for w in ways],
    }


def _table(
    shares: Callable[..., Sequence[Fraction | float]], dials: Sequence[Dial], chosen: Any
) -> Any:
    """Return the shares for all places of the dials, one list in another."""
    if not dials:
        return [float(share) for share in shares(*chosen)]
    first, *others = dials
    return [_table(shares, others, (*chosen, value)) for _, value in first.settings]
