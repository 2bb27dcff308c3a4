"""The controls: a protocol, and the parameters that change its picture."""

from __future__ import annotations

import inspect
from typing import Any

import streamlit as st

from explorer.schedule.controls import ParameterControl, parameter_controls
from explorer.ui.schedule.shown import ShownProtocol
from explorer.ui.text import escaped, small
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_class, protocol_names

__all__ = ["choose"]

DEFAULT, OTHER = "mnip", "debate"
MOST_ROUNDS = 100
MOST_SEED = 1_000_000


def choose(*, compare: bool) -> list[ShownProtocol]:
    """Let a person choose a protocol, or two to compare."""
    if not compare:
        return [_shown("", DEFAULT)]
    columns = st.columns(2, gap="large")
    protocols: list[ShownProtocol] = []
    for column, suffix, protocol in zip(columns, ("", "_2"), (DEFAULT, OTHER), strict=True):
        with column:
            protocols.append(_shown(suffix, protocol))
    return protocols


def _shown(suffix: str, protocol: str) -> ShownProtocol:
    """The controls of one protocol; `suffix` tells their names in the address apart."""
    names = protocol_names()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Protocol",
            names,
            index=names.index(protocol),
            key=f"protocol{suffix}",
            bind="query-params",
            width=210,
        )
        parameters = HyperParameters(interaction_protocol=name)
        offered: set[str] = set()
        # What is chosen may bring up more to choose.
        while fresh := [
            control for control in parameter_controls(parameters) if control.name not in offered
        ]:
            control = fresh[0]
            offered.add(control.name)
            parameters = control.applied_to(
                parameters, _value_from(control, f"{control.name}{suffix}")
            )
        seed = None
        variants = ShownProtocol(parameters, None).spec.num_variants
        if variants > 1:
            seed = st.number_input(
                "Seed",
                min_value=0,
                max_value=MOST_SEED,
                value=None,
                placeholder="any",
                help=f"An episode's seed picks one of {variants:d} schedules. Leave it empty to "
                "see all of them at once.",
                key=f"seed{suffix}",
                bind="query-params",
                width=150,
            )
    about = inspect.getdoc(protocol_class(name))
    if about:
        small(about.partition("\n")[0])
    return ShownProtocol(parameters, seed)


def _value_from(control: ParameterControl, key: str) -> Any:
    """The control of a parameter."""
    label, text = escaped(control.label), escaped(control.help)
    if control.choices is not None:
        index = control.choices.index(control.value)
        return st.selectbox(
            label,
            control.choices,
            index=index,
            width=150,
            help=text,
            key=key,
            bind="query-params",
        )
    if isinstance(control.value, bool):
        return st.toggle(label, value=control.value, help=text, key=key, bind="query-params")
    value: int = control.value
    most = MOST_ROUNDS if control.high is None else min(control.high, MOST_ROUNDS)
    return st.number_input(
        label,
        min_value=control.low,
        max_value=most,
        value=value,
        width=168,
        help=text,
        key=key,
        bind="query-params",
    )
