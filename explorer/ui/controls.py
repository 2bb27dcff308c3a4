"""Controls for parameters on pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

from explorer.parameter_controls import (
    ParameterControl,
    cut_rounds,
    offer_controls,
    payoff_controls,
)
from explorer.ui.text import alert, dropdown, escaped, whole_number
from nip_core.errors import NipError
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_spec

MOST_ROUNDS = 100
MOST_SEED = 2**31 - 1


def choose_seed(text: str, key: str) -> int | None:
    """Let a person choose a game's seed, at first the address's; return None for a random one."""
    return st.number_input(
        "Seed",
        min_value=0,
        max_value=MOST_SEED,
        value=whole_number(text),
        placeholder="drawn when you begin",
        help="The same seed, task and players make the same game again.",
        key=key,
    )


def choose_schedule(
    parameters: HyperParameters,
    prefix: str,
    *,
    without: Iterable[str] = (),
    most_rounds: int = MOST_ROUNDS,
) -> HyperParameters:
    """Let a person choose the parameters that change who speaks when.

    The keys of the controls begin with `prefix`. :func:`tell_link` handles links with more rounds
    than can be chosen here.
    """

    def offer(parameters: HyperParameters, control: ParameterControl) -> HyperParameters:
        key = f"{prefix}-{parameters.interaction_protocol}-{control.name}"
        label, text = escaped(control.label), escaped(control.help)
        if isinstance(control.value, bool):
            value = st.toggle(label, control.value, help=text, key=key)
        elif isinstance(control.value, int):
            high = min(most_rounds, control.high or most_rounds)
            now = min(control.value, high)
            value = int(
                st.number_input(label, control.low, high, now, help=text, key=key, width=240)
            )
        else:
            return parameters
        try:
            changed = control.applied_to(parameters, value)
            protocol_spec(changed)
        except NipError as error:
            alert("warning", str(error))
            return parameters
        return changed

    return offer_controls(parameters, offer, without=without)


def tell_link(
    asked: HyperParameters, refused: Iterable[str], most_rounds: int = MOST_ROUNDS
) -> HyperParameters:
    """Show which parts of a link are ignored or reduced; return the resulting parameters.

    `refused` are the keys of the link that could not be used.
    """
    said: list[str] = []
    if left_out := ", ".join(refused):
        said.append(f"Part of the link could not be used and was left out: {left_out}.")
    asked, cut = cut_rounds(asked, most_rounds)
    said += cut
    if said:
        alert("info", " ".join(said))
    return asked


def choose_payoff(parameters: HyperParameters, prefix: str) -> HyperParameters:
    """Let a person choose all parameters of the payoff."""
    for control in payoff_controls(parameters):
        label, value = escaped(control.label), control.value
        look: dict[str, Any] = {"help": escaped(control.help), "key": f"{prefix}-{control.name}"}
        if isinstance(value, float):
            value = st.number_input(label, value=value, step=0.25, format="%.4g", width=240, **look)
        elif isinstance(value, bool):
            value = st.toggle(label, value, **look)
        elif control.choices is not None:
            named = {choice: choice or "no" for choice in control.choices}
            value = dropdown(label, named, value, width=240, **look)
        try:
            parameters = control.applied_to(parameters, value)
        except NipError as error:
            alert("warning", str(error))
    return parameters
