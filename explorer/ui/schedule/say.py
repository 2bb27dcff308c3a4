"""The protocol in words: the caption, and what the linter has to say."""

from __future__ import annotations

import streamlit as st

from explorer.figures import caption, differences
from explorer.ui.schedule.side import Side
from explorer.ui.tables import plain_table
from explorer.ui.text import escaped

__all__ = ["remark", "say"]

MOST = 4  # findings beside the picture; the others are folded
TONES = {"warning": ":orange-badge[Warning]", "note": ":gray-badge[Note]"}


def say(sides: list[Side]) -> None:
    """Show the caption of each protocol and, of two, what differs."""
    if len(sides) == 1:
        _caption(sides[0])
        return
    for side, column in zip(sides, st.columns(2, gap="large"), strict=True):
        with column:
            _caption(side)
    left, right = sides
    told = differences(left.spec, right.spec, seeds=(left.seed, right.seed))
    with st.expander(f"{len(told)} differences" if len(told) != 1 else "1 difference"):
        if told.empty:
            st.write("Both have the same schedule.")
        else:
            plain_table(told, "What differs between the two protocols")


def remark(sides: list[Side]) -> None:
    """Show what the linter finds: it stands beside the picture, or on a phone below it."""
    for side in sides:
        findings = side.spec.lint()
        if len(sides) > 1 and findings:
            st.markdown(f"**{escaped(side.name)}**")
        lines = [f"{TONES[finding.tone]} {escaped(finding.message)}" for finding in findings]
        for line in lines[:MOST]:
            st.markdown(line)
        if len(lines) > MOST:
            with st.expander(f"{len(lines) - MOST} more"):
                st.markdown("\n\n".join(lines[MOST:]))


def _caption(side: Side) -> None:
    st.markdown(f"**{escaped(caption(side.spec, side.seed))}**")
