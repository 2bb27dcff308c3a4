"""The views of theory: the values of three verifiers, the frontier, and value charts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import streamlit as st

from explorer.pictures import Chart, two_decimals
from explorer.rewards import (
    CHECK,
    Valuation,
    exploitability_chart,
    exploitable,
    frontier_at,
    frontier_chart,
    judge_of,
    opening,
    opening_chart,
    opening_sentence,
    over_rounds,
    prior_chart,
    rounds_chart,
)
from explorer.ui.fronts import ChartKnob, show_chart
from explorer.ui.layout import part
from explorer.ui.rewards.parts import offer_files, show_with_files
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, escaped, small
from nip_core.displays import capitalized
from nip_core.errors import NipError
from nip_core.registry import AnyProtocol
from nip_core.values import ExactValues

KNOBS, FRONTIER = "rewards-knobs", "rewards-frontier-chart"
LIVE_ROUNDS = 50
DEFAULTS = {"allowed": 0.1, "check": CHECK, "knows": 1.0}


def show_opening(protocol: AnyProtocol) -> None:
    """Show what three verifiers earn, for people who have not read the paper."""
    values = opening(protocol)
    st.markdown(escaped(opening_sentence(values)))
    show_with_files(opening_chart(protocol, values), "three")


# -- the frontier ----------------------------------------------------------------------------------


def _turned(changes: Mapping[str, float]) -> None:
    st.session_state[KNOBS] = {**_knobs(), **changes}


def _knobs() -> dict[str, float]:
    return {**DEFAULTS, **st.session_state.get(KNOBS, {})}


@part
def show_frontier(valuation: Valuation, protocol: AnyProtocol, values: ExactValues) -> None:
    """Show completeness and soundness error as a point that moves while a knob is dragged."""
    now = _knobs()
    try:
        chart = frontier_chart(protocol, values, prior=valuation.prior, **now)
        curve = frontier_at(protocol, prior=valuation.prior, **now).curve
    except NipError as error:
        st.session_state.pop(FRONTIER, None)
        alert("info", str(error))
        return
    knobs = [
        ChartKnob("allowed", "Soundness error allowed", now["allowed"]),
        ChartKnob("check", "Own check is right", now["check"], low=0.5),
        ChartKnob("knows", "Prover's knowledge is right", now["knows"], low=0.5),
    ]
    live = values.spec.max_message_rounds <= LIVE_ROUNDS
    shown = st.session_state.setdefault(FRONTIER, {})
    shown.update(chart=chart, is_exact=curve.is_exact, judge=judge_of(protocol))
    show_chart(chart, "rewards-frontier", knobs=knobs, live=live, on_turn=_turned)


def show_frontier_files() -> None:
    """Explain the frontier and offer its file: a part that does not run during a drag."""
    shown: dict[str, object] = st.session_state.get(FRONTIER, {})
    if not shown:
        return
    the_judge = str(shown["judge"])
    text = f"{capitalized(the_judge)} commits itself to a strategy. "
    text += (
        "Provers know it and do what pays them best; when two replies pay the same, they choose "
        f"the one that is worse for {the_judge}. No strategy lies above the line."
        if shown["is_exact"]
        else "Two provers know it, and each does what pays best for itself. The line is a lower "
        f"bound: {the_judge} gets at least this much, however the provers respond to each "
        "other."
    )
    small(text)
    # The file is made on request, after the page has run, from the knobs' present values.
    offer_files(lambda: cast("Chart", shown["chart"]).picture(), "frontier")


# -- the other charts ------------------------------------------------------------------------------


def show_rounds(valuation: Valuation, protocol: AnyProtocol) -> None:
    """Show the value of each number of rounds, of a second prover, and of separating provers."""
    worth = over_rounds(protocol, prior=valuation.prior, check=_knobs()["check"])
    show_with_files(rounds_chart(protocol, worth), "rounds")
    small(
        f"Independent answers are right {CHECK:.0%} of the time. Against provers who reply best, "
        f"{judge_of(protocol)} commits itself and has a check of its own, right "
        f"{_knobs()['check']:.0%} of the time; an indifferent prover does what is worst for "
        f"{judge_of(protocol)}. “0.50 to 1.00” means at least 0.50 and at most 1.00."
    )
    for reason in dict.fromkeys(worth.table.reasons.values()):
        small(reason)
    wide_table(worth.rows(), "What each number of rounds is worth")


def show_prior(valuation: Valuation, protocol: AnyProtocol) -> None:
    """Show what verifiers earn by how likely statements are true."""
    check = _knobs()["check"]
    model = valuation.model(protocol)
    show_with_files(prior_chart(protocol, model, prior=valuation.prior, check=check), "prior")
    small(
        f"Independent answers, and {judge_of(protocol)}'s own check against the worst possible "
        f"prover, are right {CHECK:.0%} and {check:.0%} of the time."
    )


def show_exploitability(valuation: Valuation, protocol: AnyProtocol) -> None:
    """Show how much strategies lose to a prover that knows them."""
    now = _knobs()
    strategies = exploitable(
        protocol, prior=valuation.prior, check=now["check"], knows=now["knows"]
    )
    show_with_files(exploitability_chart(protocol, strategies), "exploitability")
    small(
        "The gap between a bar and its line is what the strategy loses against a prover that "
        f"knows it. {capitalized(judge_of(protocol))}'s own check is right {now['check']:.0%} "
        f"of the time, the prover's knowledge {now['knows']:.0%}."
    )
    table: list[dict[str, object]] = [
        {
            "strategy": name,
            "prover replies best": two_decimals(float(strategy.replied)),
            "given away": two_decimals(float(strategy.given_away)),
            "prover harms": two_decimals(float(strategy.worst)),
            "exposed by": two_decimals(float(strategy.exposed)),
        }
        for name, strategy in strategies.items()
    ]
    wide_table(table, "What strategies give away")
