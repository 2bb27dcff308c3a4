"""The charts of a study, each with its facts as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from explorer.studies import (
    DEFINITIONS,
    MEASURES,
    OVER_PROVERS,
    Findings,
    ResultTable,
    StudyError,
    agreement_table,
    calibration,
    calibration_error,
    calibrations,
    compare,
    estimate,
    estimate_fields,
    estimates,
    gaps_table,
    judge_hacking,
    provers_table,
    ratings_table,
    shown_estimate,
)
from explorer.ui.layout import theme
from explorer.ui.page_link import from_link
from explorer.ui.studies.tables import (
    HEADINGS,
    Cell,
    cell_of,
    define,
    heading,
    measures_table,
    numbers_table,
    show_episodes,
    show_result,
)
from explorer.ui.tables import show_figure, table_below, wide_table
from explorer.ui.text import alert, dropdown, escaped, small

if TYPE_CHECKING:
    import pandas as pd


OF_TABLE = (
    *("accuracy", "accuracy_of_tried", "wrong", "none", "accepts_true", "accepts_false"),
    *("honest_wins", "dishonest_wins", "brier", "log_score", "rounds", "words"),
)
OF_MODELS = ("calls", "tokens", "money")
# A function that asks for another study to show too; None if the view shows only one.
Beside = Callable[[], Findings | None]
# More than these make a picture unreadable.
MOST_DOTS = 60
# With more conditions than these, the view groups by something else at first.
MANY = 30


def show_dots(findings: Findings, beside: Beside) -> None:
    """Show a measure of every condition, or of other groups, with intervals."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="nip-filters"):
        measure = _measure()
        # Dozens of dots are unreadable, so many conditions are grouped by protocol at first.
        first = "condition" if len(findings.conditions) <= MANY else "protocol"
        from_link("by", [*HEADINGS.values()])
        by = dropdown("By", HEADINGS, first, key="by", bind="query-params", width=180)
        other = beside()
        has_models = any(row.use for row in findings.rows)
        measures = (*OF_TABLE, *(OF_MODELS if has_models else ()))
        if not findings.failures:
            measures = tuple(name for name in measures if name != "accuracy_of_tried")
        define(dict.fromkeys((measure, *measures)))
    rows = [
        {"study": study.title, **row, "group": study.group_name(by, row["group"])}
        for study in (findings, other)
        if study is not None
        for row in estimates(study.rows, measure, by, failed=study.failed)
    ]
    groups = list(dict.fromkeys(row["group"] for row in rows))
    if len(groups) > MOST_DOTS:
        small(f"The first {MOST_DOTS} of {len(groups):,} are drawn.")
    from explorer.pictures import dots_figure

    title = DEFINITIONS[measure].title
    figure = dots_figure(
        _framed([row for row in rows if row["group"] in groups[:MOST_DOTS]]),
        title,
        rate=MEASURES[measure].kind == "rate",
        chance=0.5 if measure in ("accuracy", "accuracy_of_verdicts") else None,
        theme=theme(),
    )
    chosen = show_figure(
        figure,
        f"{title}, by {heading(by).lower()}, with intervals",
        "study-dots",
        on_select="rerun",
        selection_mode="points",
        config={"displayModeBar": False},
    )
    small("A click on a dot lists its episodes below. Lines are 95% intervals.")
    table_below(_framed(rows), f"{title} by {by}", "study-dots-table", "study.csv")
    clicked = _clicked(chosen)
    if clicked is not None and clicked in groups:
        st.subheader(escaped(clicked), anchor=False)
        named = ((row, str(getattr(row, by))) for row in findings.rows)
        chosen_rows = [row for row, own in named if findings.group_name(by, own) == clicked]
        show_episodes(findings, chosen_rows)
        return
    measures_table(findings, by, measures)
    show_failures(findings)


def _measure() -> str:
    names = {name: DEFINITIONS[name].title for name in MEASURES}
    from_link("measure", [*names.values()])
    return dropdown("Number", names, key="measure", bind="query-params", width=260)


def _framed(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([dict(row) for row in rows])


def _clicked(chosen: object) -> str | None:
    """Return the group of the dot that was clicked; what a browser sends may be anything."""
    state: Any = chosen
    try:
        data: Any = state["selection"]["points"][0]["customdata"]
        # The keys are numbers or the object is a list, depending on Streamlit's version.
        group: Any = data["0"] if "0" in data else data[0]
    except (KeyError, IndexError, TypeError):
        return None
    return group if isinstance(group, str) else None


def show_failures(findings: Findings) -> None:
    """Show which episodes failed, and why."""
    if not findings.failures:
        return
    with st.expander(f"{len(findings.failures):,} failed, and count only in “Right, of all tried”"):
        wide_table(
            [
                {"Condition": _titled(findings, counts.condition), "Failed": counts.why_failed}
                for counts in findings.counts
                if counts.failed
            ],
            "Why episodes failed, by condition",
        )
        wide_table(
            [
                {
                    "Condition": _titled(findings, failure.condition),
                    "Task": failure.task,
                    "What happened": failure.message,
                }
                for failure in findings.failures[:200]
            ],
            "Episodes that could not be played to their end",
        )


def show_pair(findings: Findings, beside: Beside) -> None:
    """Show two conditions on the same tasks; the second may be from another study."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="nip-filters"):
        measure = _measure()
        other = beside()
        define([measure, "difference", "mcnemar"])
    second_of = findings if other is None else other
    names, others = findings.conditions, second_of.conditions
    if other is None and len(names) < 2:
        small("There is only one condition. Choose another study to compare it with.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        title = partial(_titled, findings)
        first = st.selectbox("First", names, format_func=title, key="first", width=380)
        second = st.selectbox(
            "Second",
            others,
            format_func=partial(_titled, second_of),
            index=1 if other is None else 0,
            key="second",
            width=380,
        )
    if first == second and other is None:
        small("Choose two different conditions.")
        return
    try:
        comparison = compare(
            findings.rows,
            first,
            second,
            measure,
            other_rows=None if other is None else other.rows,
        )
    except StudyError as error:
        alert("info", str(error))
        return
    title = DEFINITIONS[measure].title
    rate = MEASURES[measure].kind == "rate"
    shown = shown_estimate("difference" if rate else measure, comparison.difference)
    st.subheader(escaped(shown), anchor=False)
    interval = (
        "with a 95% interval"
        if comparison.difference.low is not None
        else "without an interval, because all problems gave the same number, or there is only one"
    )
    small(f"{title}: the second’s minus the first’s, {interval}.")
    wide_table(
        [
            {
                "Pairs": f"{comparison.difference.count:,}",
                "Problems": f"{comparison.difference.clusters:,}",
                "Only the first was right": f"{comparison.first_only:,}",
                "Only the second was right": f"{comparison.second_only:,}",
                "McNemar’s p, by problem": f"{comparison.p:.3g}",
            }
        ],
        "The two conditions on the same tasks",
    )
    played = {
        (row.task, row.epoch, row.arm): row for row in findings.rows if row.condition == first
    }
    apart = [
        (row, second_row)
        for second_row in second_of.rows
        if second_row.condition == second
        and (row := played.get((second_row.task, second_row.epoch, second_row.arm))) is not None
        and (row.verdict == "right") != (second_row.verdict == "right")
    ]
    if apart:
        st.subheader("Where one was right and the other was not", anchor=False)
        small("The first condition’s episodes, with the verdict of the second’s beside theirs.")
        beside_them = {row.key: other_row for row, other_row in apart}
        show_episodes(findings, [row for row, _ in apart], beside_them)


def show_gaps(findings: Findings) -> None:
    """Show the gaps that papers report; completeness, soundness error and the honest advantage."""
    table = gaps_table(findings)
    if table.rows:
        define(table.measures)
        show_result(table, findings)
    else:
        small(
            "Nothing to compare with: add the verifier alone (solo_verifier), or one proof (adp), "
            "with the same players."
        )
    over = provers_table(findings)
    if over.rows:
        st.subheader("Over all provers that were tried", anchor=False)
        define(OVER_PROVERS)
        show_result(over)


def show_calibration(findings: Findings) -> None:
    """Show how often events came true that judges thought likely, and the judges' proper scores."""
    rows: list[dict[str, object]] = []
    scores: list[list[Cell]] = []
    for group in _lines(findings, [row.condition for row in findings.rows if row.forecasts]):
        mine = [row for row in findings.rows if row.condition == group]
        error = calibration_error(calibration(mine))
        scores.append(
            [
                _titled(findings, group),
                f"{error or 0:.3f}",
                *(cell_of(name, estimate(mine, MEASURES[name])) for name in SCORES),
            ]
        )
        rows += calibrations(mine, _titled(findings, group))
    if not rows:
        small("No judge has given a probability.")
        return
    from explorer.pictures import calibration_figure

    table = _framed(rows)
    show_figure(calibration_figure(table, theme=theme()), "Calibration", "study-calibration")
    heads = ["Condition", *(DEFINITIONS[name].title for name in ("calibration_error", *SCORES))]
    numbers_table(heads, scores, "Calibration errors and proper scores")
    define(("calibration", "calibration_error", *SCORES))
    table_below(table, "Calibration", "study-calibration-table", "calibration.csv")


SCORES = "brier", "log_score"


def show_agreement(findings: Findings) -> None:
    """Show how far judges agree: those of a panel, and verifiers who judged the same tasks."""
    table = agreement_table(findings)
    if not table.rows:
        small(
            "No two judges judged the same thing: no condition has several judges, and no two "
            "verifiers judged the same tasks in the same protocol with the same provers."
        )
        return
    _show_estimates("alpha", table, "study-agreement")
    show_result(table)
    small(
        "“Same” is the share of pairs of judgements of one thing that are equal. Alpha compares "
        "how often judges differ with how often they would by chance, so it can be low although "
        "most pairs are the same: where nearly everything is accepted, for example."
    )
    define(("alpha",))


def show_ratings(findings: Findings) -> None:
    """Show how strong players are, honest and dishonest."""
    try:
        table = ratings_table(findings)
    except StudyError as error:
        alert("info", str(error))
        return
    if not table.rows:
        small("In no episode did two seats argue for different answers, so nobody can be rated.")
        return
    _show_estimates("strength", table, "study-ratings")
    show_result(table)
    define(("strength",))


def _show_estimates(name: str, table: ResultTable, key: str) -> None:
    """Draw a table's numbers with their intervals, and offer them as a table."""
    from explorer.pictures import dots_figure

    title = DEFINITIONS[name].title
    rows = [
        {"group": who, **estimate_fields(estimate)} for who, estimate in table.estimates.items()
    ]
    rows = [row for row in rows if row["value"] is not None]
    if len(rows) > MOST_DOTS:
        small(f"The first {MOST_DOTS} of {len(rows):,} are drawn.")
    if rows:
        drawn = _framed([{"study": "", **row} for row in rows[:MOST_DOTS]])
        figure = dots_figure(drawn, title, rate=False, theme=theme())
        show_figure(figure, f"{title}, with intervals", key)
        table_below(_framed(rows), title, f"{key}-table", f"{key}.csv")


def show_rounds(findings: Findings) -> None:
    """Show how often verdicts are right, by the number of rounds before them."""
    from explorer.pictures import rounds_figure

    kept = set(_lines(findings, findings.conditions))
    rows = [
        {**row, "group": _titled(findings, row["group"]), "rounds": int(row["rounds"])}
        for row in estimates(findings.rows, "accuracy", "condition", "rounds")
        if row["group"] in kept
    ]
    table = _framed(sorted(rows, key=lambda row: row["rounds"]))
    show_figure(rounds_figure(table, theme=theme()), "Right, by rounds", "study-rounds")
    small(
        "Episodes are grouped by how many rounds they took. Long episodes may be about other "
        "tasks than short ones."
    )
    table_below(table, "Right, by rounds", "study-rounds-table", "rounds.csv")
    define(("accuracy", "rounds"))


def show_training(findings: Findings) -> None:
    """Show verdicts and truth over the steps of training."""
    from explorer.pictures import steps_figure

    try:
        meter = judge_hacking(findings.rows)
    except StudyError as error:
        alert("info", str(error))
        return
    alert("warning" if meter.alarm == "hacking" else "info", meter.says)
    names = list(meter.changes)
    table = meter.points()
    show_figure(steps_figure(table, theme=theme()), "Verdicts over training", "study-training")
    numbers_table(
        ["Change, first to last third", *(meter.titles[name] for name in names)],
        [["All episodes", *(cell_of(name, meter.changes[name]) for name in names)]],
        "Changes from the first third of the steps to the last",
    )
    small(
        "False claims are what provers argued for that was not true. A judge is being hacked if "
        "they are accepted more and more often, while verdicts are not right more often. The same "
        "problems come again in every step, so intervals are from drawing problems."
    )
    table_below(table, "Verdicts over training", "study-training-table", "training.csv")
    define(names)


def show_cost(findings: Findings) -> None:
    """Show how often verdicts are right, against their cost."""
    from explorer.pictures import cost_figure

    has_models = any(row.use for row in findings.rows)
    counted = any(row.words is not None for row in findings.rows)
    offered = [
        *(("money", "tokens", "calls") if has_models else ()),
        "rounds",
        *(["words"] if counted else []),
    ]
    names = {name: DEFINITIONS[name].title for name in offered}
    cost = dropdown("Cost", names, key="cost", width=200)
    taken = {row["group"]: row["value"] for row in estimates(findings.rows, cost, "condition")}
    rows = [
        {**row, "group": _titled(findings, row["group"]), "cost": taken.get(row["group"])}
        for row in estimates(findings.rows, "accuracy", "condition")
    ]
    few = [_titled(findings, name) for name in _lines(findings, findings.conditions)]
    drawn = _framed([row for row in rows if row["group"] in few])
    title = f"{DEFINITIONS[cost].title}, an episode on average"
    show_figure(cost_figure(drawn, title, theme=theme()), "Cost against accuracy", "study-cost")
    table_below(_framed(rows), "Cost against accuracy", "study-cost-table", "cost.csv")
    define(("accuracy", cost))


def _titled(findings: Findings, condition: str) -> str:
    return findings.group_name("condition", condition)


def _lines(findings: Findings, there: list[str]) -> list[str]:
    """Return the conditions to draw; ask which ones if there are too many."""
    from explorer.pictures import MOST_SERIES

    names = list(dict.fromkeys(there))
    if len(names) <= MOST_SERIES:
        return names
    return st.multiselect(
        "Conditions",
        names,
        names[:4],
        format_func=partial(_titled, findings),
        max_selections=MOST_SERIES,
        key="study-lines",
    )
