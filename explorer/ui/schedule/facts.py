"""The facts behind the pictures, folded."""

from __future__ import annotations

import streamlit as st

from explorer.figures import (
    agents_data,
    facts_data,
    grid_table,
    visibility_data,
)
from explorer.ui.parts import part
from explorer.ui.schedule.shown import ShownProtocol
from explorer.ui.tables import plain_table
from explorer.ui.text import escaped, small

__all__ = ["show_facts"]


def show_facts(protocols: list[ShownProtocol]) -> None:
    """Show the facts of each protocol, each table once it is unfolded."""
    part(_show_facts)(protocols)


def _show_facts(protocols: list[ShownProtocol]) -> None:
    for title, show in (
        ("Facts", _facts),
        ("Who sees which channel", _visibility),
        ("The grid as a table", _table),
    ):
        folded = st.expander(title, key=title, on_change="rerun")
        with folded:
            if folded.open:
                for protocol in protocols:
                    if len(protocols) > 1:
                        st.markdown(f"**{escaped(protocol.name)}**")
                    show(protocol)


def _facts(protocol: ShownProtocol) -> None:
    plain_table(facts_data(protocol.handler), f"Facts about {protocol.name}")
    plain_table(agents_data(protocol.handler), f"The seats of {protocol.name}")
    small(
        "Mid-point: a quick estimate of the reward under random play. Commits: the place in the "
        "order in which agents commit (Stackelberg)."
    )


def _visibility(protocol: ShownProtocol) -> None:
    spec = protocol.spec
    sees = visibility_data(spec).replace({True: "reads", False: "–"})
    sees = sees.rename(index=spec.seat_name, columns=spec.channel_title).rename_axis("seat")
    plain_table(sees.reset_index(), f"Who sees which channel in {protocol.name}")


def _table(protocol: ShownProtocol) -> None:
    cells = grid_table(protocol.spec, protocol.seed)
    plain_table(cells.reset_index(), f"The schedule of {protocol.name}")
