"""The pictures, and the walk through the rounds that they share."""

from __future__ import annotations

import time
from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.figures import (
    caption,
    compare_data,
    grid_data,
    read_so_far,
    round_figure,
    sequence_figure,
)
from explorer.figures.turns import window
from explorer.ui.components.schedule_grid import Pick, grid_payload, show_grid
from explorer.ui.figures import show_figure
from explorer.ui.schedule.shown import ShownProtocol
from explorer.ui.tables import plain_table
from explorer.ui.text import small
from explorer.ui.theme import theme
from nip_core.spec import round_of_shown, shown_round

__all__ = ["VIEWS", "selected_round", "walk"]

VIEWS = ("Grid", "Round", "Sequence")
PACE = 1.0  # seconds that a round stays when the walk goes by itself

State = st.session_state


def selected_round(protocols: list[ShownProtocol]) -> int:
    """The selected round, which both protocols share; the slider and the address count from 1."""
    return min(round_of_shown(State.get("round", 1)), _last(protocols))


def walk(protocols: list[ShownProtocol]) -> None:
    """Show the pictures, with a slider and a button to walk through the rounds."""
    going = State.get("walking", False)
    cells = [grid_data(protocol.spec, protocol.seed) for protocol in protocols]
    if len(protocols) == 2:
        left, right = protocols
        cells = list(compare_data(left.spec, right.spec, seeds=(left.seed, right.seed)))
    payloads = [
        grid_payload(protocol.spec, own, title=f"Schedule of {protocol.name}")
        for protocol, own in zip(protocols, cells, strict=True)
    ]
    st.fragment(_walk, run_every=PACE if going else None)(protocols, payloads, going)


def _last(protocols: list[ShownProtocol]) -> int:
    return max(protocol.spec.max_message_rounds for protocol in protocols) - 1


def _walk(protocols: list[ShownProtocol], payloads: list[str], going: bool) -> None:
    """The part of the page that a new round changes; nothing else runs again."""
    last = _last(protocols)
    if State.get("round", 1) > shown_round(last):
        State["round"] = shown_round(last)
    if going:
        _step(last)
    if State.get("walking", False) != going:
        st.rerun()
    if last:
        _controls(last)
    grid, one, sequence = st.tabs(VIEWS, key="view", bind="query-params")
    selected = selected_round(protocols)
    with grid:
        if grid.open:
            _grids(protocols, payloads, selected)
    with one:
        if one.open:
            _rounds(protocols, selected)
    with sequence:
        if sequence.open:
            _sequences(protocols, selected)


def _controls(last: int) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        going = State.get("walking", False)
        st.button("❚❚ Pause" if going else "▶ Walk", on_click=_toggle, args=(last,), key="walk")
        st.slider(
            "Round",
            shown_round(0),
            shown_round(last),
            key="round",
            bind="query-params",
            label_visibility="collapsed",
        )


def _toggle(last: int) -> None:
    State["walking"] = not State.get("walking", False)
    State["next step"] = time.monotonic() + PACE
    if State["walking"] and State["round"] == shown_round(last):
        State["round"] = shown_round(0)


def _step(last: int) -> None:
    """Go on by a round if it is time; a click in between must not hurry the walk."""
    if time.monotonic() < State["next step"]:
        return
    State["next step"] = time.monotonic() + 0.5 * PACE
    State["round"] = min(shown_round(last), State.get("round", shown_round(0)) + 1)
    State["walking"] = State["round"] < shown_round(last)


def _pick(choice: Pick) -> None:
    """Take up a round that was chosen in the picture; a browser may send anything."""
    chosen = choice.get("round") if isinstance(choice, dict) else None
    if isinstance(chosen, int) and chosen >= 0:
        State["round"] = shown_round(chosen)
        State["pick"] = str(choice.get("pick"))


def _columns(protocols: list[ShownProtocol]) -> Sequence[DeltaGenerator]:
    return st.columns(2, gap="large") if len(protocols) == 2 else [st.container()]


def _grids(protocols: list[ShownProtocol], payloads: list[str], selected: int) -> None:
    for place, column in enumerate(_columns(protocols)):
        spec = protocols[place].spec
        with column:
            show_grid(
                payloads[place],
                selected=min(selected, spec.max_message_rounds - 1),
                pick=State.get("pick"),
                key=f"grid{place}",
                on_pick=_pick,
            )


def _rounds(protocols: list[ShownProtocol], selected: int) -> None:
    for place, (protocol, column) in enumerate(zip(protocols, _columns(protocols), strict=True)):
        with column:
            if selected >= protocol.spec.max_message_rounds:
                st.text(f"{protocol.name} has no round {shown_round(selected)}.")
                continue
            show_figure(
                round_figure(protocol.spec, selected, seed=protocol.seed, theme=theme()),
                f"Who speaks to whom in round {shown_round(selected)}",
                f"round figure {place}",
            )
            read = read_so_far(protocol.spec, selected, protocol.seed)
            small(f"What each seat has read before round {shown_round(selected)}")
            if read.empty:
                st.write("Nothing yet.")
            else:
                plain_table(read, f"What each seat has read before round {shown_round(selected)}")


def _sequences(protocols: list[ShownProtocol], selected: int) -> None:
    for place, (protocol, column) in enumerate(zip(protocols, _columns(protocols), strict=True)):
        shown = window(protocol.spec, selected)
        with column:
            small(
                "Dashed: not everybody reads it. ◆ may decide, ◇ too early to count."
                + (
                    f" Rounds {shown_round(shown[0])} to {shown_round(shown[-1])}."
                    if shown[-1] > 24 or shown[0]
                    else ""
                )
            )
            show_figure(
                sequence_figure(
                    protocol.spec,
                    seed=protocol.seed,
                    theme=theme(),
                    selected=selected,
                    rounds=shown,
                ),
                caption(protocol.spec, protocol.seed),
                f"sequence figure {place}",
            )
