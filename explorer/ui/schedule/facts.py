"""The facts behind the pictures, folded."""

from __future__ import annotations

import streamlit as st

from explorer.figures import (
    agents_data,
    facts_data,
    grid_data,
    grid_table,
    visibility_data,
)
from explorer.ui.schedule.shown import Side
from explorer.ui.tables import plain_table
from explorer.ui.text import escaped, small

__all__ = ["show_facts"]


@st.fragment
def show_facts(sides: list[Side]) -> None:
    """Show the facts of each protocol, each table once it is unfolded."""
    for title, show in (
        ("Facts", _facts),
        ("Who sees which channel", _visibility),
        ("The grid as a table", _table),
    ):
        folded = st.expander(title, key=title, on_change="rerun")
        with folded:
            if folded.open:
                for side in sides:
                    if len(sides) > 1:
                        st.markdown(f"**{escaped(side.name)}**")
                    show(side)


def _facts(side: Side) -> None:
    plain_table(facts_data(side.handler), f"Facts about {side.name}")
    plain_table(agents_data(side.handler), f"The agents of {side.name}")
    small(
        "Mid-point: a quick estimate of the reward under random play. Commits: the place in the "
        "order in which agents commit (Stackelberg)."
    )


def _visibility(side: Side) -> None:
    sees = visibility_data(side.spec).replace({True: "reads", False: "–"})
    plain_table(sees.reset_index(), f"Who sees which channel in {side.name}")


def _table(side: Side) -> None:
    cells = grid_table(grid_data(side.spec, side.seed))
    plain_table(cells.reset_index(), f"The schedule of {side.name}")
