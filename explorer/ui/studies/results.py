"""What came out of a study: pictures with intervals, and the episodes behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import streamlit as st

from explorer.access import is_public
from explorer.studies import StudyError
from explorer.studies.store import Findings, of_baseline, of_kept, study_store
from explorer.ui.studies import views
from explorer.ui.studies.tables import chosen_episode, heading, show_episode, show_episodes
from explorer.ui.text import alert, escaped, small, told_apart

__all__ = ["show_findings"]

# Those in which another study can stand beside this one ask for it where they want it.
VIEWS: Mapping[str, Callable[[Findings, views.Beside], None]] = {
    "Conditions": views.show_dots,
    "Two conditions": views.show_pair,
}
ALONE: Mapping[str, Callable[[Findings], None]] = {
    "Gaps": views.show_gaps,
    "Calibration": views.show_calibration,
    "Rounds": views.show_rounds,
    "Cost": views.show_cost,
}
EPISODES = "Episodes"
# Of more conditions than these one may want to see some only.
FEW = 12
PARTS = ("protocol", "verifier", "provers")


def show_findings(findings: Findings) -> None:
    """Show what came out, in the view that the address asks for."""
    key = chosen_episode()
    if key is not None:
        show_episode(findings, key)
        return
    shown = st.segmented_control(
        "View",
        [*VIEWS, *ALONE, EPISODES],
        default="Conditions",
        format_func=escaped,
        key="show",
        bind="query-params",
        label_visibility="collapsed",
    )
    findings = _narrowed(findings)
    if not findings.rows:
        small("Nothing fits. Take a choice away.")
    elif shown == EPISODES:
        show_episodes(findings.rows)
    elif shown is not None and shown in ALONE:
        ALONE[shown](findings)
    else:
        VIEWS[shown or "Conditions"](findings, partial(_other, findings))


def _narrowed(findings: Findings) -> Findings:
    """What is asked for of a study with many conditions."""
    if len(findings.conditions) <= FEW:
        return findings
    with st.popover("Only some conditions"):
        for name in PARTS:
            chosen = st.multiselect(
                escaped(heading(name)),
                _kinds(findings, name),
                placeholder="all",
                key=f"only-{name}",
            )
            if chosen:
                kept = [row for row in findings.rows if getattr(row, name) in chosen]
                findings = replace(findings, rows=kept)
    return findings


def _kinds(findings: Findings, name: str) -> list[str]:
    return list(dict.fromkeys(getattr(row, name) for row in findings.rows if getattr(row, name)))


def _other(findings: Findings) -> Findings | None:
    """Another study to compare with, if one is chosen."""
    there = {"baseline": "The baseline"}
    if not is_public():
        there |= {kept.name: kept.title for kept in study_store().all()}
    there.pop(findings.name, None)
    there = told_apart(there)
    chosen = st.selectbox(
        "Beside",
        list(there),
        index=None,
        placeholder="another study",
        format_func=there.__getitem__,
        key="beside",
        bind="query-params",
        width=220,
    )
    if chosen is None:
        return None
    try:
        if chosen == "baseline":
            return of_baseline()
        return of_kept(study_store().named(chosen))
    except StudyError as error:
        alert("warning", str(error))
        return None
