"""By wit: honest play against best replies, with sliders for what messages prove."""

from __future__ import annotations

from typing import Any

import streamlit as st

from explorer.choice import NumberRange, ProtocolChoice
from explorer.computations import Computation
from explorer.pictures import two_decimals
from explorer.rewards import ByWit, wit_chart, wit_python
from explorer.ui.fronts import show_chart
from explorer.ui.layout import address, change_address
from explorer.ui.page_link import SWITCH, from_link
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
from nip_core.language import Specification
from nip_core.values import Evidence

CARD = "explorer.rewards.wit:by_wit"
# What each chance is, for people; the first three are always shown.
CHANCES = {
    "shows": ("True side has evidence", "Who argues for what is true can show something."),
    "fakes": ("False side has evidence", "Who argues for what is false can show something, too."),
    "own": ("Judge alone is right", "With 50% it knows nothing by itself."),
    "prior": ("First answer is true", "Before anybody speaks."),
    "fresh": ("Later messages bring more", "A further message may find new evidence."),
    "knows": ("Experts know the truth", "How often they are right about it."),
}
FIRST = ("shows", "fakes", "own")
USUAL = Evidence()


def assumed() -> tuple[tuple[str, Any], ...]:
    """Return what the address says about evidence, where it differs from the defaults."""
    found: list[tuple[str, Any]] = []
    for name in CHANCES:
        usual = float(getattr(USUAL, name))
        text = from_link(name, NumberRange(0, 1, whole=False), f"{usual:g}")
        if text is not None and float(text) != usual:
            found.append((name, text))
    if from_link("repeat", SWITCH, "false") == "true":
        found.append(("repeat", True))
    return tuple(found)


def begin(spec: Specification, evidence: tuple[tuple[str, Any], ...]) -> Computation:
    """Return the computation of the protocol's card."""
    return computed("card", CARD, spec, evidence)


def question(spec: Specification, whole: Computation) -> Question:
    """Return the question with its answer: the worst that one expert's best reply leaves."""
    number, unit = pending(whole)
    if whole.result is not None:
        found = ByWit(spec, whole.result)
        if (worst := found.worst) is not None:
            value = float(worst.value)
            number = f"{value:.0%}" if found.is_compared else two_decimals(value)
            name = spec.seat_phrase(found.judge).removeprefix("the ")
            unit = "of verdicts right" if found.is_compared else f"{name} earns"
    return Question("wit", "By wit", "Honest play, and best replies", number, unit)


def show(spec: Specification, whole: Computation, evidence: tuple[tuple[str, Any], ...]) -> None:
    """Show honest play beside best replies, and the sliders."""
    picture, words = panel()
    found = None if whole.result is None else ByWit(spec, whole.result)
    with picture:
        if found is None:
            st.markdown("**Honest play, and best replies**")
            waiting(whole)
        else:
            chart = wit_chart(found)
            st.markdown(f"**{escaped(chart.title)}**")
            st.markdown(
                ":small[Where an expert does not care, it does what is worst for the judge.]"
            )
            if found.cases():
                show_chart(chart, "rewards-wit-chart")
            for sentence in found.missing if whole.done else ["Computing the rest …"]:
                small(sentence)
    with words:
        st.markdown("##### What we assume about messages")
        _sliders(dict(evidence))
        if found is not None and whole.done:
            for reading in found.card["equilibrium"].readings:
                judge = f" ({reading.judge})" if len(found.card["equilibrium"].readings) > 1 else ""
                small(f"Honest play is an equilibrium{judge}: {reading.said}.")


def _sliders(evidence: dict[str, Any]) -> None:
    for name in FIRST:
        _slider(name, evidence)
    with st.popover("More", key="rewards-more"):
        for name in CHANCES:
            if name not in FIRST:
                _slider(name, evidence)
        st.session_state["rewards-repeat"] = evidence.get("repeat", False)
        label = "Evidence that a seat has heard can be shown again as its own"
        st.toggle(label, key="rewards-repeat", on_change=_take)


def _slider(name: str, evidence: dict[str, Any]) -> None:
    label, about = CHANCES[name]
    key = f"rewards-{name}"
    st.session_state[key] = round(100 * float(evidence.get(name, getattr(USUAL, name))))
    look: dict[str, Any] = {
        "format": "%d%%",
        "help": escaped(about),
        "key": key,
        "on_change": _take,
    }
    st.slider(escaped(label), 0, 100, step=1, **look)


def _take() -> None:
    """Write what the sliders have into the address."""
    state, query = st.session_state, dict[str, str]()
    for name in CHANCES:
        value = state.get(f"rewards-{name}")
        usual = round(100 * float(getattr(USUAL, name)))
        if value is None and name in address():
            query[name] = address()[name]
        elif isinstance(value, int) and value != usual:
            query[name] = f"{value / 100:g}"
    if state.get("rewards-repeat"):
        query["repeat"] = "true"
    change_address(query, (*CHANCES, "repeat"))


def show_facts(
    choice: ProtocolChoice,
    spec: Specification,
    whole: Computation,
    evidence: tuple[tuple[str, Any], ...],
) -> None:
    """Show the whole card as a table, with files and code."""
    if whole.result is None:
        return
    found = ByWit(spec, whole.result)
    table = found.card.table()
    listed = [dict(zip(table.head, row, strict=True)) for row in table.rows]
    show_facts_below(
        choice,
        listed,
        "What the protocol is worth",
        data=listed,
        results=found.card.to_dict(),
        pictures=of_picture(wit_chart(found).picture),
        python=wit_python(choice, found.card.evidence),
        evidence=evidence,
    )
