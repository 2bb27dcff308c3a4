"""Parameters as controls, each with its explanation from the code's own docs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import streamlit as st

from explorer.schedule.controls import ParameterControl, offer_controls
from explorer.ui.text import alert, escaped
from nip_core.errors import NipError
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_spec

__all__ = ["choose_payoff", "choose_schedule"]

MOST_ROUNDS = 100


def choose_schedule(
    parameters: HyperParameters, prefix: str, *, without: Iterable[str] = ()
) -> HyperParameters:
    """Let a person choose the parameters that change who speaks when.

    Parameters
    ----------
    parameters : HyperParameters
    prefix : str
        Of the controls' keys.
    without : iterable of str
        Parameters that are not offered.
    """

    def offer(parameters: HyperParameters, control: ParameterControl) -> HyperParameters:
        key = f"{prefix}-{parameters.interaction_protocol}-{control.name}"
        label, text = escaped(control.label), escaped(control.help)
        if isinstance(control.value, bool):
            value = st.toggle(label, control.value, help=text, key=key)
        elif isinstance(control.value, int):
            high = min(MOST_ROUNDS, control.high or MOST_ROUNDS)
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


def choose_payoff(parameters: HyperParameters, prefix: str) -> HyperParameters:
    """Let a person choose all parameters of the payoff."""
    groups = ["protocol_common"]
    if parameters.protocol_common.zero_knowledge:
        groups.append("zk_protocol")
    for group in groups:
        now = getattr(parameters, group)
        changes: dict[str, object] = {}
        for field in dataclasses.fields(now):
            value, text = getattr(now, field.name), escaped(field.metadata["help"])
            label = escaped(field.name.replace("_", " ").capitalize())
            key = f"{prefix}-{field.name}"
            if isinstance(value, float):
                changes[field.name] = st.number_input(
                    label, value=value, step=0.25, format="%.4g", help=text, key=key, width=240
                )
            elif field.name == "shared_reward":
                changes[field.name] = st.toggle(label, value, help=text, key=key)
            elif field.name == "force_guess":
                choices = field.metadata["choices"]
                changes[field.name] = st.selectbox(
                    label,
                    choices,
                    index=choices.index(value),
                    format_func=lambda choice: choice or "no",
                    help=text,
                    key=key,
                    width=240,
                )
        try:
            parameters = parameters.replace(**{group: changes})
        except NipError as error:
            alert("warning", str(error))
    return parameters
