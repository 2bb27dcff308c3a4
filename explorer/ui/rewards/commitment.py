"""By commitment: what can be guaranteed, with a handle on the frontier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import streamlit as st

from explorer.choice import NumberRange, ProtocolChoice
from explorer.computations import Computation
from explorer.rewards import (
    Guarantees,
    commitment_chart,
    commitment_python,
    handle_at_first,
    main_seat,
)
from explorer.ui.fronts import ChartKnob, show_chart
from explorer.ui.layout import note_in_address
from explorer.ui.page_link import from_link
from explorer.ui.rewards.computing import computed
from explorer.ui.rewards.panel import (
    Question,
    of_picture,
    panel,
    pending,
    show_facts_below,
    waiting,
)
from explorer.ui.text import escaped, small
from nip_core.displays import capitalized
from nip_core.language import Specification
from nip_core.values import Evidence

FRONTIER = "explorer.rewards.commitment:guarantees"


def begin(spec: Specification, evidence: tuple[tuple[str, Any], ...]) -> Computation:
    """Return the computation of what can be guaranteed."""
    return computed("frontier", FRONTIER, spec, evidence)


def question(spec: Specification, whole: Computation, at: float | None) -> Question:
    """Return the question with its answer."""
    found: Guarantees | None = whole.result
    number, unit = pending(whole)
    if found is not None and found.kind == "errors" and found.best is not None:
        number, unit = f"{found.best:.0%}", "right, guaranteed"
    elif found is not None and found.kind == "audits":
        _, point = commitment_chart(spec, found, handle_at_first(found) if at is None else at)
        number, unit = f"{point[0]:.0%}", f"work kept, {point[1]:.0%} safe"
    elif found is not None:
        unit = "not computed"
    who = capitalized(spec.seat_phrase(main_seat(spec)))
    return Question("commit", "By commitment", f"{who} announces its rule", number, unit)


def handle() -> float | None:
    """Return where the handle is, as the address says; None if it is where it begins."""
    text = from_link("at", NumberRange(0, 1, whole=False))
    return None if text is None else float(text)


def show(spec: Specification, whole: Computation, at: float | None) -> None:
    """Show the frontier, its handle and what it means."""
    picture, words = panel()
    found: Guarantees | None = whole.result
    if found is None or found.kind == "none":
        with picture:
            st.markdown("**What can be guaranteed**")
            if found is None:
                waiting(whole)
            else:
                small(f"Not computed: {found.reason}.")
    else:
        start = handle_at_first(found)
        chart, point = commitment_chart(spec, found, start if at is None else at)
        with picture:
            st.markdown(f"**{escaped(chart.title)}**")
            label = "Safety" if found.kind == "audits" else "Accepted although false"
            knobs = [ChartKnob("at", label, point[1] if found.kind == "audits" else point[0])]

            def turned(values: Mapping[str, float]) -> None:
                value = round(values["at"], 2) if "at" in values else start
                note_in_address("at", None if value == round(start, 2) else f"{value:g}")

            show_chart(chart, "rewards-commit-chart", knobs=knobs, on_turn=turned)
    with words:
        if found is not None and found.kind == "errors":
            best = f"{found.best:.1%}"
            st.markdown("##### What this means")
            st.markdown(
                escaped(
                    f"Every point on the line is a rule that can be announced. The best one is "
                    f"right in at least {best} of cases, whatever experts say and whatever they "
                    "want."
                )
            )
        elif found is not None and found.kind == "audits":
            st.markdown("##### What this means")
            st.markdown(
                escaped(
                    "Every point is a plan that the other side knows, and against which it does as "
                    "much harm as it can; useful is what honest work then achieves."
                )
            )
            if found.note:
                small(f"Computed for {found.note}: with more, there are too many moves.")
        if found is not None:
            for text in found.committed:
                small(text)
        if found is not None:
            exact = "Exact" if found.is_exact else "A lower bound: not all was solved in time"
            small(f"{exact}.{'' if found.is_done else ' More points follow.'}")


def show_facts(
    choice: ProtocolChoice,
    spec: Specification,
    whole: Computation,
    at: float | None,
    evidence: tuple[tuple[str, Any], ...],
) -> None:
    """Show the corners of the frontier as a table, with files and code."""
    found: Guarantees | None = whole.result
    if found is None or found.kind == "none":
        return
    names = ("harm", "useful") if found.kind == "audits" else ("soundness error", "completeness")
    rows = [
        {"curve": curve.name, **dict(zip(names, point, strict=True))}
        for curve in found.curves
        for point in curve.points
    ]
    chart, _ = commitment_chart(spec, found, handle_at_first(found) if at is None else at)
    show_facts_below(
        choice,
        rows,
        "The corners of what can be guaranteed",
        data=rows,
        results=asdict(found),
        pictures=of_picture(chart.picture),
        python=commitment_python(choice, Evidence(**dict(evidence))),
        evidence=evidence,
    )
