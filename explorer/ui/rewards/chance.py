"""By chance: the distribution of each seat's pay if everybody plays at random."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from explorer.choice import ProtocolChoice
from explorer.computations import Computation, finished
from explorer.pictures import figure_html, pay_data, pay_figure, pay_picture, two_decimals
from explorer.rewards import (
    MID_POINT,
    ByChance,
    at_once_by_chance,
    chance_python,
    main_seat,
    pay_chart,
)
from explorer.ui.layout import picture_tag, theme
from explorer.ui.rewards.computing import computed
from explorer.ui.rewards.panel import Question, notes, panel, show_facts_below, waiting
from explorer.ui.tables import show_figure
from explorer.ui.text import small
from nip_core.displays import capitalized, join_names
from nip_core.language import Specification

QUICK, WHOLE = "explorer.rewards.chance:quickly_by_chance", "explorer.rewards.chance:by_chance"
SIMILAR = "explorer.rewards.chance:with_similarity"
# The first picture is waited for, so that it comes with the page.
WAIT = 0.6
# The widths of the picture until the figure is there, on a desktop and on a phone.
WIDE, NARROW = 726.0, 322.0


def begin(choice: ProtocolChoice, spec: Specification) -> tuple[ByChance | None, Computation]:
    """Return the best values so far, and the computation that improves them."""
    if choice.is_zero_knowledge:
        whole = computed("quick", SIMILAR, spec, choice.parameters, lane="quick", wait=WAIT)
        return whole.result, whole
    if (known := at_once_by_chance(spec)) is not None:
        return known, finished(known)
    quick = computed("quick", QUICK, spec, lane="quick", wait=WAIT)
    if quick.result is not None and quick.result.is_exact:
        return quick.result, quick
    whole = computed("chance", WHOLE, spec)
    results = (found for found in (whole.result, quick.result) if found is not None)
    # Without a single play, only bounds are known, of which nothing can be drawn.
    return next((found for found in results if found.is_exact or found.plays), None), whole


def question(spec: Specification, values: ByChance | None) -> Question:
    """Return the question with its answer."""
    seat = main_seat(spec)
    number = "…" if values is None else two_decimals(values.of(seat).mean)
    unit = f"{spec.seat_phrase(seat).removeprefix('the ')} earns"
    return Question("chance", "By chance", "Everybody plays at random", number, unit)


def show(spec: Specification, values: ByChance | None, whole: Computation) -> None:
    """Show the distribution, and why the mid-point differs from the mean."""
    picture, words = panel()
    with picture:
        st.markdown("**What each seat is paid if everybody plays at random**")
        if values is None:
            waiting(whole)
            return
        chart = pay_chart(spec, values)
        has_mid = any(each.mid_point is not None for each in chart.panels)
        marks = ":small[Bars: how often. ┃ mean." + (" ◇ mid-point estimate.]" if has_mid else "]")
        st.markdown(marks)
        with st.container(key="nip-first-figure"):
            # Shown until the figure's program is there.
            for kind, width in (("wide", WIDE), ("narrow", NARROW)):
                drawn = picture_tag(pay_picture(chart, theme(), width=width, keys=False))
                st.html(f'<span class="nip-{kind}-only">{drawn}</span>')
            show_figure(pay_figure(chart, theme()), chart.words, "distribution", zooms=True)
    with words:
        differ = [own for own in values.seats if own.differs]
        has_any = any(own.mid_point is not None for own in values.seats)
        title = (
            "Why the two differ" if differ else "Why the two agree" if has_any else "No mid-point"
        )
        notes(title, [MID_POINT if has_any else "", *_reasons(spec, values)])
        small(_how(spec, values, whole))


def _reasons(spec: Specification, values: ByChance) -> list[str]:
    return [
        f"{capitalized(join_names(map(spec.seat_phrase, seats)))}: {why}."
        for seats, why in values.reasons
    ]


def _how(spec: Specification, values: ByChance, whole: Computation) -> str:
    """Return how the values were computed, and short ones as fractions."""
    if not values.is_exact:
        return f"{values.how}{'' if whole.done else ' Exact values follow.'}"
    earned = [f"{spec.seat_phrase(s.seat)} earns {s.fraction}" for s in values.seats if s.fraction]
    return " ".join([values.how, *([f"{capitalized('; '.join(earned))}."] if earned else [])])


def show_facts(choice: ProtocolChoice, spec: Specification, values: ByChance) -> None:
    """Show the facts as a table, with files and code."""
    chart = pay_chart(spec, values)
    rows = [
        {
            "seat": spec.seat_name(own.seat),
            "mean": own.mean,
            "exactly": own.fraction,
            "mid-point": own.mid_point,
            "standard deviation": own.deviation,
        }
        for own in (values.of(panel.seat) for panel in chart.panels)
    ]
    show_facts_below(
        choice,
        rows,
        "What each seat is paid by chance",
        data=pay_data(chart),
        results=asdict(values),
        pictures={
            "svg": lambda: pay_picture(chart).svg(),
            "html": lambda: figure_html(pay_figure(chart)),
        },
        python=chance_python(choice),
    )
