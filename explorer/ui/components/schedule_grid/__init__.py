"""The schedule grid in the browser: a canvas that paints a click before the server hears of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.components.v2 import component

from explorer.figures.frames import column
from explorer.figures.palette import agent_styles
from nip_core.spec import ProtocolSpec

__all__ = ["Pick", "grid_payload", "show_grid"]

HERE = Path(__file__).parent
# One letter for each state of a cell, so that a large grid travels as a few kilobytes.
CODES = {
    "speaks": "s",
    "may speak": "m",
    "reads": "r",
    "blind": "b",
    "counts": "c",
    "may decide": "d",
    "none": "n",
}

Pick = dict[str, Any]


def _source(*names: str) -> str:
    """The files as one, without indentation and comments: it travels with every answer."""
    text = "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


_component = component(
    "nip_schedule_grid",
    html=_source("grid.html"),
    css=_source("grid.css"),
    js=_source("layout.js", "paint.js", "grid.js"),
)


def grid_payload(spec: ProtocolSpec, cells: pd.DataFrame, *, title: str) -> str:
    """What the browser needs to draw the cells of a grid, and to say what they mean, as JSON.

    Parameters
    ----------
    spec : ProtocolSpec
    cells : DataFrame
        From :func:`~explorer.figures.grid.grid_data`, or, with differences marked, from
        :func:`~explorer.figures.compare.compare_data`.
    title : str
        The accessible name.
    """
    rounds, places = spec.max_message_rounds, {n: i for i, n in enumerate(spec.agent_names)}

    def table(name: str) -> np.ndarray:
        return cast("np.ndarray", cells[name].to_numpy()).reshape(-1, rounds)

    codes = np.array([CODES[state] for state in column(cells, "state")]).reshape(-1, rounds)
    chances, marked = table("probability"), "differs" in cells
    lanes: list[dict[str, Any]] = []
    for row, (agent, own) in enumerate(zip(table("agent")[:, 0], codes, strict=True)):
        lane: dict[str, Any] = {"agent": places[agent], "cells": "".join(own)}
        if any_chance := {r: p for r, p in enumerate(chances[row].tolist()) if 0 < p < 1}:
            lane["chances"] = any_chance
        if marked:
            lane["differs"] = "".join(
                "01"[differs] for differs in table("differs")[row].astype(int)
            )
            lane["odd"] = bool(table("odd lane")[row, 0])
        lanes.append(lane)
    size = len(spec.agents)
    bands = [
        {
            "channel": spec.channel_title(channel.name),
            "readers": [places[viewer] for viewer in channel.viewers],
            "lanes": lanes[size * index : size * (index + 1)],
        }
        for index, channel in enumerate(spec.channels)
    ]
    bands.append({"channel": "", "readers": [], "lanes": lanes[-1:]})
    picture = {
        "title": title,
        "rounds": rounds,
        "agents": [
            {
                "name": look.name,
                "label": look.label,
                "light": look.light,
                "lightInk": look.ink("light"),
                "dark": look.dark,
                "darkInk": look.ink("dark"),
            }
            for look in agent_styles(spec).values()
        ],
        "bands": bands,
        # The first channel has a lane for every agent.
        "seen": table("seen")[:size].tolist(),
    }
    return json.dumps(picture, ensure_ascii=False, separators=(",", ":"))


def show_grid(
    payload: str,
    *,
    selected: int,
    pick: str | None,
    key: str,
    on_pick: Callable[[Pick], None],
) -> None:
    """Put the grid on the page.

    Parameters
    ----------
    payload : str
        From :func:`grid_payload`.
    selected : int
        The round that is lit.
    pick : str, optional
        The mark of the last choice that the page has taken up.
    key : str
    on_pick : callable
        Takes what the person chose: ``round``, and ``pick``, its mark.
    """

    def picked() -> None:
        choice = st.session_state[key].get("pick")
        if choice:
            on_pick(choice)

    data = {"picture": payload, "selected": selected, "pick": pick}
    _component(data=data, key=key, on_pick_change=picked)
