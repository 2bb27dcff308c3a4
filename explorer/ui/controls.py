"""Parameters as controls, each with its explanation from the code's own docs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import streamlit as st

from explorer.schedule.controls import knobs
from explorer.ui.text import alert, escaped
from nip_core.errors import NipError
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_spec

__all__ = ["turn_knobs", "turn_rewards"]

MOST_ROUNDS = 100


def turn_knobs(
    parameters: HyperParameters, prefix: str, *, without: Iterable[str] = ()
) -> HyperParameters:
    """Let a person turn the parameters that change who speaks when.

    Parameters
    ----------
    parameters : HyperParameters
    prefix : str
        Of the controls' keys.
    without : iterable of str
        Parameters that are not offered.
    """
    turned = set(without)
    # What is turned may bring up more to turn.
    while fresh := [knob for knob in knobs(parameters) if knob.name not in turned]:
        knob = fresh[0]
        turned.add(knob.name)
        key = f"{prefix}-{parameters.interaction_protocol}-{knob.name}"
        label, text = escaped(knob.label), escaped(knob.help)
        if isinstance(knob.value, bool):
            value = st.toggle(label, knob.value, help=text, key=key)
        elif isinstance(knob.value, int):
            high = min(MOST_ROUNDS, knob.high or MOST_ROUNDS)
            now = min(knob.value, high)
            value = int(st.number_input(label, knob.low, high, now, help=text, key=key, width=240))
        else:
            continue
        try:
            changed = knob.turned(parameters, value)
            protocol_spec(changed)
        except NipError as error:
            alert("warning", str(error))
        else:
            parameters = changed
    return parameters


def turn_rewards(parameters: HyperParameters, prefix: str) -> HyperParameters:
    """Let a person turn all parameters of the payoff."""
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
