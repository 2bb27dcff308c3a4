"""The episodes behind a number, and one of them in the reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from explorer.shelf import Findings
from explorer.studies import Result, StudyError
from explorer.ui.tables import rows_to_choose
from explorer.ui.text import alert, escaped, small
from explorer.ui.transcripts import show_reader

__all__ = ["chosen_episode", "show_episode", "show_episodes"]

EPISODE = "episode"
MOST = 2_000
VERDICTS = {"right": "✓ right", "wrong": "✗ wrong", "none": "no verdict"}


def chosen_episode() -> str | None:
    """The key of the episode that the address names."""
    return st.query_params.get(EPISODE)


def show_episodes(rows: Sequence[Result], others: Mapping[str, Result] | None = None) -> None:
    """List episodes; one is read by choosing its row.

    Parameters
    ----------
    rows : sequence of Result
    others : mapping of str to Result, optional
        By the keys of rows, the episodes of another condition with which they are compared.
    """
    import pandas as pd

    shown = rows[:MOST]
    if not shown:
        small("There are none.")
        return
    table = pd.DataFrame(
        [
            {
                "Condition": row.condition,
                "Task": row.title or row.task,
                "Difficulty": row.difficulty,
                "Holds": "yes" if row.y else "no",
                "Verdict": VERDICTS[row.verdict],
                "The second’s": VERDICTS[others[row.key].verdict] if others else None,
                "Rounds": row.rounds,
                "Sure it holds": None if row.confidence is None else f"{row.confidence}%",
                "Tokens": (row.used.tokens_in + row.used.tokens_out) or None,
            }
            for row in shown
        ]
    ).dropna(axis="columns", how="all")
    keys = tuple(row.key for row in shown)
    state = f"study-episodes-{hash(keys)}"
    rows_to_choose(table, state, partial(_open, state, keys))
    more = f" The first {MOST:,} of {len(rows):,} are listed." if len(rows) > MOST else ""
    small(f"Tick a row to read the episode.{more}")


def _open(state: str, keys: Sequence[str]) -> None:
    chosen: Any = st.session_state.get(state)
    try:
        place = chosen["selection"]["rows"][0]
    except (KeyError, IndexError, TypeError):
        return
    if isinstance(place, int) and 0 <= place < len(keys):
        st.query_params[EPISODE] = keys[place]


def show_episode(findings: Findings, key: str) -> None:
    """Read one episode."""
    st.button("← Back to the study", key="study-back", on_click=_close, type="tertiary")
    row = next((each for each in findings.rows if each.key == key), None)
    try:
        if row is None:
            raise StudyError("There is no such episode in this study.")
        episode = findings.read(key)
    except StudyError as error:
        alert("warning", str(error))
        return
    st.subheader(escaped(row.title or row.task), anchor=False)
    log = f" From {row.log}." if row.log else ""
    small(f"{row.condition}. The verdict: {VERDICTS[row.verdict]}.{log}")
    show_reader(f"study-{key}", episode)


def _close() -> None:
    st.query_params.pop(EPISODE, None)
