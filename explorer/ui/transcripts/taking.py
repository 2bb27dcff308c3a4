"""A transcript as files, whose names say what they hold."""

from __future__ import annotations

import re
from functools import partial

import streamlit as st

from explorer.game_table.table import Table
from explorer.game_table.takeaway import FORMATS, as_csv, as_notebook, as_view, is_empty
from explorer.ui.text import escaped, small
from nip_core.play import Episode

__all__ = ["offer_files"]

LONGEST = 40


def offer_files(table: Table, told: Episode) -> None:
    """Offer all forms of a transcript."""
    for name, (ending, make) in FORMATS.items():
        empty = is_empty(name, told)
        st.download_button(
            escaped(name),
            partial(make, told),
            file_name=_file(table, _what(name), ending),
            on_click="ignore",
            key=f"take {name}",
            disabled=empty is not None,
        )
        if empty is not None:
            small(empty)
    st.download_button(
        "Tables (CSV)",
        lambda: as_csv([(table.id, told)]),
        file_name=_file(table, "tables", "zip"),
        on_click="ignore",
    )
    st.download_button(
        "Open as notebook",
        partial(as_notebook, told),
        file_name=_file(table, "transcript", "ipynb"),
        mime="application/x-ipynb+json",
        on_click="ignore",
    )
    for agent in told.spec.agent_names:
        st.download_button(
            f"What {escaped(told.spec.seat_phrase(agent))} saw (JSON)",
            partial(as_view, told, agent),
            file_name=_file(table, f"seen-by-{_words(agent)}", "json"),
            on_click="ignore",
        )


def _file(table: Table, what: str, ending: str) -> str:
    """A name such as ``the-smallest-bus_mnip_1a2b3c4d_transcript.json``."""
    parts = (_words(table.entry.title) or "episode", _words(table.entry.protocol), table.id[:8])
    return f"{'_'.join(filter(None, (*parts, what)))}.{ending}"


def _what(name: str) -> str:
    return _words(name.partition("(")[0]) or "transcript"


def _words(text: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))[:LONGEST].strip("-")
