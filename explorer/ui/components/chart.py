"""A chart in the browser, with knobs that move it while they are dragged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import cast

import streamlit as st

from explorer.pictures import Chart
from explorer.ui.components.front import front_component

__all__ = ["ChartKnob", "show_chart", "within"]

_component = front_component("chart")
MOST_TURNED = 64  # characters of a turn's name


@dataclass(frozen=True, slots=True)
class ChartKnob:
    """A number from one end to the other, in percent on the screen.

    Parameters
    ----------
    name, label : str
    value, low, high, step : float
    """

    name: str
    label: str
    value: float
    low: float = 0.0
    high: float = 1.0
    step: float = 0.01


def show_chart(
    chart: Chart,
    key: str,
    *,
    knobs: Sequence[ChartKnob] = (),
    live: bool = True,
    on_turn: Callable[[Mapping[str, float]], None] | None = None,
) -> None:
    """Show a chart.

    Parameters
    ----------
    chart : Chart
    key : str
    knobs : sequence of Knob
    live : bool
        Is a knob heard while it is dragged, or only once it is let go?
    on_turn : callable, optional
        Takes the knobs that were turned, each between its ends.
    """
    turns = f"{key}-turn"
    limits = {knob.name: (knob.low, knob.high) for knob in knobs}

    def turned() -> None:
        sent = _as_mapping(st.session_state.get(key, {}).get("knob"))
        st.session_state[turns] = str(sent.get("turn"))[:MOST_TURNED]
        if on_turn is not None:
            on_turn(within(_as_mapping(sent.get("knobs")), limits))

    data = {
        **chart.to_plain(),
        "knobs": [asdict(knob) for knob in knobs],
        "live": live,
        "turn": st.session_state.get(turns),
        "says": chart.words if knobs else "",
    }
    _component(data=data, key=key, on_knob_change=turned)


def _as_mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def within(
    given: Mapping[str, object], limits: Mapping[str, tuple[float, float]]
) -> dict[str, float]:
    """Return the numbers among what a browser has sent that knobs can be turned to."""
    found: dict[str, float] = {}
    for name, (low, high) in limits.items():
        value = given.get(name)
        if isinstance(value, int | float) and low <= value <= high:
            found[name] = float(value)
    return found
