"""The protocol in words: the caption, and what the linter has to say."""

from __future__ import annotations

import streamlit as st

from explorer.figures import caption, differences
from explorer.ui.schedule.side import Side
from explorer.ui.tables import plain_table
from explorer.ui.text import escaped

__all__ = ["say"]

TONES = {"warning": ":orange-badge[Warning]", "note": ":gray-badge[Note]"}


def say(sides: list[Side]) -> None:
    """Show the caption of each protocol, and its findings beside it."""
    columns = st.columns(2, gap="large")
    if len(sides) == 1:
        (side,) = sides
        with columns[0]:
            _caption(side)
        with columns[1]:
            _findings(side)
        return
    for side, column in zip(sides, columns, strict=True):
        with column:
            _caption(side)
            _findings(side)
    left, right = sides
    told = differences(left.spec, right.spec, seeds=(left.seed, right.seed))
    with st.expander(f"{len(told)} differences" if len(told) != 1 else "1 difference"):
        if told.empty:
            st.write("Both have the same schedule.")
        else:
            plain_table(told, "What differs between the two protocols")


def _caption(side: Side) -> None:
    st.markdown(f"##### {escaped(caption(side.spec, side.seed))}")


def _findings(side: Side) -> None:
    for finding in side.spec.lint():
        st.markdown(f"{TONES[finding.tone]} {escaped(finding.message)}")
