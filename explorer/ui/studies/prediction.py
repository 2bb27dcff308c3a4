"""What the evidence in a study's messages predicts, beside what was measured."""

from __future__ import annotations

from functools import partial

import streamlit as st

from explorer.studies import (
    DEFINITIONS,
    PREDICTED,
    Findings,
    StudyError,
    predicted,
    predictions_table,
)
from explorer.ui.studies.tables import define, show_result
from explorer.ui.tables import wide_table
from explorer.ui.text import small

# The most episodes whose transcripts the page reads.
MOST_READ = 3_000


def show_prediction(findings: Findings) -> None:
    """Show what the evidence in messages predicts for each condition, beside what was measured."""
    if len(findings.rows) > MOST_READ:
        small(
            f"Predictions need all transcripts, and these are more than {MOST_READ:,}. Show fewer "
            "conditions, or use nip-explorer study predict."
        )
        return
    try:
        evidence = findings.evidence()
    except StudyError as error:
        small(str(error))
        return
    table = predictions_table(predicted(evidence))
    define(PREDICTED)
    show_result(table, findings)
    small(
        "Quotes, flags and verdicts without arguments were counted; no verdict that follows an "
        "argument was used."
    )
    chosen = st.selectbox(
        "Card of",
        [*evidence.documents],
        index=None,
        placeholder="a condition",
        format_func=partial(findings.group_name, "condition"),
        key="study-card",
        width=380,
    )
    if chosen is None:
        return
    measured, _ = evidence.measured(chosen)
    for rate in measured.rates:
        small(f"{DEFINITIONS[rate.name].title}: {rate.said}.")
    card = evidence.card(chosen).table()
    wide_table([dict(zip(card.head, row, strict=True)) for row in card.rows], "The card")
