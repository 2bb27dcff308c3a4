"""The controls: a protocol, and the parameters that change its picture."""

from __future__ import annotations

import inspect
from typing import Any

import streamlit as st

from explorer.schedule.controls import Knob, knobs
from explorer.ui.schedule.shown import Side
from explorer.ui.text import escaped, small
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_class, protocol_names

__all__ = ["choose"]

DEFAULT, OTHER = "mnip", "debate"
MOST_ROUNDS = 100
MOST_SEED = 1_000_000


def choose(*, compare: bool) -> list[Side]:
    """Let a person choose a protocol, or two to compare."""
    if not compare:
        return [_side("", DEFAULT)]
    columns = st.columns(2, gap="large")
    sides: list[Side] = []
    for column, suffix, protocol in zip(columns, ("", "_2"), (DEFAULT, OTHER), strict=True):
        with column:
            sides.append(_side(suffix, protocol))
    return sides


def _side(suffix: str, protocol: str) -> Side:
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
        turned: set[str] = set()
        # What is turned may bring up more to turn.
        while fresh := [knob for knob in knobs(parameters) if knob.name not in turned]:
            knob = fresh[0]
            turned.add(knob.name)
            parameters = knob.turned(parameters, _turn(knob, f"{knob.name}{suffix}"))
        seed = None
        variants = Side(parameters, None).spec.num_variants
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
    return Side(parameters, seed)


def _turn(knob: Knob, key: str) -> Any:
    """The control of a parameter."""
    label, text = escaped(knob.label), escaped(knob.help)
    if knob.choices is not None:
        index = knob.choices.index(knob.value)
        return st.selectbox(
            label,
            knob.choices,
            index=index,
            width=150,
            help=text,
            key=key,
            bind="query-params",
        )
    if isinstance(knob.value, bool):
        return st.toggle(label, value=knob.value, help=text, key=key, bind="query-params")
    value: int = knob.value
    most = MOST_ROUNDS if knob.high is None else min(knob.high, MOST_ROUNDS)
    return st.number_input(
        label,
        min_value=knob.low,
        max_value=most,
        value=value,
        width=168,
        help=text,
        key=key,
        bind="query-params",
    )
