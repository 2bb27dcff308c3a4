"""A live experiment of a lesson."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import streamlit as st

from explorer.lessons.experiment import ExperimentResult, Knob
from explorer.lessons.lesson import Block
from explorer.lessons.library import experiment
from explorer.ui.figures import show_figure, table_below
from explorer.ui.text import escaped
from explorer.ui.theme import theme

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from explorer.figures.style import Theme

__all__ = ["show_experiment"]

_computing = threading.Lock()


def show_experiment(block: Block, key: str) -> None:
    """Knobs, the result in a sentence, a figure, and the same as a table."""
    tried = experiment(block.name)
    settings = block.settings or {}
    with st.container(border=True):
        st.markdown(f"**{escaped(tried.title)}**")
        asked: dict[str, Any] = {}
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for knob in tried.knobs:
                asked[knob.name] = _value_from(knob, settings.get(knob.name, knob.default), key)
        # A class comes to an experiment at one moment: one computes it, and the others wait.
        with _computing:
            found, figure = _result(block.name, theme(), tuple(asked.items()))
        st.markdown(escaped(found.sentence))
        show_figure(figure, found.sentence, f"figure-{key}")
        table_below(found.data, found.sentence, f"table-{key}", f"{block.name}.csv")


# A class looks at the same few settings, and each click in a game draws the whole lesson.
@lru_cache(maxsize=128)
def _result(
    name: str, look: Theme, settings: tuple[tuple[str, Any], ...]
) -> tuple[ExperimentResult, Figure]:
    """What an experiment finds, which its settings decide alone, and its figure."""
    found = experiment(name).run(dict(settings))
    return found, found.figure(look)


def _value_from(knob: Knob, value: Any, key: str) -> Any:
    name = f"knob-{key}-{knob.name}"
    label, text = escaped(knob.label), escaped(knob.help) or None
    if knob.choices is not None:
        choices = list(knob.choices)
        index = choices.index(str(value))
        return st.selectbox(label, choices, index=index, width=200, key=name, help=text)
    if isinstance(knob.default, bool):
        return st.toggle(label, bool(value), key=name, help=text)
    low, high = knob.low or 0, knob.high or 1
    if isinstance(knob.default, int):
        whole = (int(low), int(high), int(value), int(knob.step or 1))
        return st.slider(label, *whole, width=280, key=name, help=text)
    real = (float(low), float(high), float(value), knob.step or 0.01)
    return st.slider(label, *real, width=280, key=name, help=text)
