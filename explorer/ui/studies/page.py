"""The Studies page: the list of studies, and the results of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

from explorer.hosts import is_public
from explorer.logs import LogError
from explorer.pictures import small_dots
from explorer.studies import (
    DEFINITIONS,
    OVER_PROVERS,
    TRAINING_ENGINE,
    BaselineFigures,
    Estimate,
    EvalsError,
    Findings,
    Kept,
    StudyError,
    StudyStore,
    baseline_about,
    baseline_figures,
    estimates,
    judge_title,
    of_baseline,
    of_kept,
    study_store,
    work_at,
)
from explorer.ui.fronts import remember_study
from explorer.ui.layout import address, header, link, page_address, picture_tag, theme
from explorer.ui.page_link import from_link, page_link
from explorer.ui.studies import views
from explorer.ui.studies.logs import show_log
from explorer.ui.studies.prediction import show_prediction
from explorer.ui.studies.running import offer_run, show_form, show_work
from explorer.ui.studies.tables import (
    Cell,
    cell_of,
    chosen_episode,
    define,
    drawn_cell,
    heading,
    numbers_table,
    offer_export,
    show_episode,
    show_episodes,
)
from explorer.ui.studies.views import show_failures
from explorer.ui.text import alert, distinct_labels, dropdown, escaped, segments, small
from explorer.ui.uploads import UploadTooLargeError
from nip_core.registry import protocol_title

# Views that can show another study beside this one ask for it themselves.
VIEWS: Mapping[str, Callable[[Findings, views.Beside], None]] = {
    "Conditions": views.show_dots,
    "Two conditions": views.show_pair,
}
ALONE: Mapping[str, Callable[[Findings], None]] = {
    "Gaps": views.show_gaps,
    "Prediction": show_prediction,
    "Calibration": views.show_calibration,
    "Agreement": views.show_agreement,
    "Ratings": views.show_ratings,
    "Rounds": views.show_rounds,
    "Cost": views.show_cost,
}
# Of episodes that were played while models were trained.
TRAINING: Mapping[str, Callable[[Findings], None]] = {"Training": views.show_training}
EPISODES = "Episodes"
# With more conditions than these, people can choose which to see.
FEW = 12
PARTS = ("protocol", "verifier", "provers")


def show_findings(findings: Findings) -> None:
    """Show a study's results, in the view that the address names."""
    key = chosen_episode()
    if key is not None:
        show_episode(findings, key)
        return
    with st.container(horizontal=True, vertical_alignment="center", key="nip-study-views"):
        trained = any(row.engine == TRAINING_ENGINE for row in findings.rows)
        alone = {**ALONE, **(TRAINING if trained else {})}
        names = (*VIEWS, *alone, EPISODES)
        from_link("show", names)
        look = {"key": "show", "bind": "query-params", "label_visibility": "collapsed"}
        shown = segments("View", names, "Conditions", **look)
        findings = _narrowed(findings)
    if not findings.rows:
        small("No episode matches. Remove a filter.")
    elif shown == EPISODES:
        show_episodes(findings, findings.rows)
    elif shown in alone:
        alone[shown](findings)
    else:
        VIEWS[shown](findings, partial(_other, findings))


def _narrowed(findings: Findings) -> Findings:
    """Let the user choose from a study with many conditions."""
    if len(findings.conditions) <= FEW:
        return findings
    with st.popover("Only some conditions"):
        for name in PARTS:
            chosen = st.multiselect(
                escaped(heading(name)),
                _kinds(findings, name),
                format_func=partial(_named, findings, name),
                placeholder="all",
                key=f"only-{name}",
            )
            if chosen:
                kept = [row for row in findings.rows if getattr(row, name) in chosen]
                findings = replace(findings, rows=kept)
    return findings


def _named(findings: Findings, by: str, group: str) -> str:
    return escaped(findings.group_name(by, group))


def _kinds(findings: Findings, name: str) -> list[str]:
    return list(dict.fromkeys(getattr(row, name) for row in findings.rows if getattr(row, name)))


def _other(findings: Findings) -> Findings | None:
    """Offer another study to compare with; return it if one is chosen."""
    there = {"baseline": "The baseline"}
    if not is_public():
        there |= {kept.name: kept.title for kept in study_store().all()}
    there.pop(findings.name, None)
    there = distinct_labels(there)
    from_link("beside", [*there.values()])
    chosen = st.selectbox(
        "Compare with",
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


MOST, MOST_DRAWN = 50, 8


def show_studies(store: StudyStore | None) -> None:
    """Show the list of studies; on a shared server there is no store."""
    if store is None:
        small(
            "Studies cannot be started or listed on a shared server. Everybody can read the "
            "baseline; logs that you open are visible only to you."
        )
    else:
        _show_kept(store)
    st.subheader("The baseline", anchor=False)
    st.markdown(escaped(baseline_about()))
    _list_baseline(baseline_figures())
    with st.container(horizontal=True):
        address = page_address("studies", {"study": "baseline"})
        st.html(link(address, "Open the baseline", button=True), width="content")
        define(COLUMNS)
    small("To play it again: nip-explorer study baseline")


# The names of the judges in protocols of both versions.
FIRST_JUDGE = "careful"
COLUMNS = "accuracy", *OVER_PROVERS


def _list_baseline(figures: list[BaselineFigures]) -> None:
    """Show what each protocol gains for a verifier, in the field's words, and what it costs."""
    judges = {f.verifier: judge_title(f.verifier) for f in figures if f.verifier}
    look = {"key": "judge", "bind": "query-params", "width": 340}
    judge = dropdown("Who judges", judges, FIRST_JUDGE, **look)
    shown = [figure for figure in figures if figure.verifier == judge]
    numbers_table(
        ["Protocol", "Episodes", *(DEFINITIONS[name].title for name in COLUMNS)],
        [
            [
                protocol_title(figure.protocol),
                f"{figure.accuracy.count:,}",
                *(_cell(name, getattr(figure, name)) for name in COLUMNS),
            ]
            for figure in shown
        ],
        f"How much each protocol helps, and what it costs: {judge_title(judge)}",
    )
    small(
        "Episodes, right and honest advantage are with hard liars; completeness is with the best "
        "and soundness error with the worst of the provers tried; rounds and words are means. "
        "A small soundness error is good, and so are large numbers of the other shares. "
        "Programs and graphs are pooled. The Play page counts those of these games that fit the "
        "liars and tasks chosen there."
    )


def _cell(name: str, estimate: Estimate | None) -> Cell:
    """Return a number with its interval; of shares, with a drawing of both."""
    if name in ("rounds", "words"):
        return cell_of(name, estimate)
    return drawn_cell(name, estimate, -1.0 if name == "honest_advantage" else 0.0)


def _show_kept(store: StudyStore) -> None:
    kept = store.all()
    if not kept:
        small(f"You have no studies yet. They are kept in {store.folder}.")
        return
    for study in kept[:MOST]:
        _row(study)
    if len(kept) > MOST:
        small(f"{len(kept) - MOST:,} older ones are in {store.folder}.")


def _row(kept: Kept) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        _chart(kept)
        st.markdown(f"**{escaped(kept.title)}**", width="stretch")
        small(_state(kept))
        st.html(
            link(page_address("studies", {"study": kept.name}), "Open", button=True),
            width="content",
        )


def _chart(kept: Kept) -> None:
    """Show a small chart of each condition's accuracy, once there are episodes."""
    try:
        findings = of_kept(kept)
    except StudyError:
        return
    rows = estimates(findings.rows, "accuracy", "condition")[:MOST_DRAWN]
    if not rows:
        return
    names = [findings.group_name("condition", row["group"]) for row in rows]
    words = "; ".join(f"{name} {row['value']:.0%}" for name, row in zip(names, rows, strict=True))
    rates = [(row["value"], row["low"], row["high"]) for row in rows]
    drawn = small_dots(f"Accuracy in {kept.title}", words, rates, theme())
    st.html(picture_tag(drawn, f"Accuracy: {words}"), width="content")


def _state(kept: Kept) -> str:
    work = work_at(kept)
    try:
        done, failed = len(kept.results()), len(kept.failures())
        total = kept.total()
    except StudyError:
        return "cannot be read"
    going = ""
    if work is not None and work.going:
        going = "queued, " if work.stage is not None and work.stage.waits_for else "running, "
    return f"{going}{done:,} of {total:,} played" + (f", {failed:,} failed" if failed else "")


LINE = "Many episodes under stated conditions: how well each protocol works, with intervals."
BASELINE = "baseline"
# The entries of the address that the views of a study have.
OF_VIEWS = ("show", "by", "measure", "beside", "episode")
ALL = link(page_address("studies", {}), "All studies")


def show_page() -> None:
    """Show the list of studies or the one that the address names."""
    st.html(Path(__file__).with_name("studies.css"))
    query = address()
    name, shown = query.get("study"), query.get("view")
    known = (*(("study",) if name else ("view",)), *(("protocol",) if shown == "new" else OF_VIEWS))
    try:
        with page_link(f"studies {name} {shown}", known):
            if is_public():
                name = from_link("study", (BASELINE,))
            shown = from_link("view", ("log",) if is_public() else ("log", "new"))
            if name == BASELINE:
                _show_baseline()
            elif name is not None:
                _show_study(name)
            elif shown == "log":
                show_log(ALL, show_findings)
            elif shown == "new":
                about = "Fill in the form: it writes the file that is played."
                header("A new study", about, back=ALL)
                show_form(study_store())
            else:
                _show_all()
    except (StudyError, EvalsError, LogError, UploadTooLargeError) as error:
        alert("warning", str(error))
        st.html(ALL)


def _show_all() -> None:
    actions = header("Studies", LINE)
    with actions:
        if not is_public():
            new = page_address("studies", {"view": "new"})
            st.html(link(new, "New study", main=True), width="content")
        log = page_address("studies", {"view": "log"})
        st.html(link(log, "Open a log", button=True), width="content")
    show_studies(None if is_public() else study_store())


def _show_baseline() -> None:
    findings = of_baseline()
    actions = header("The baseline study", findings.about, back=ALL)
    with actions:
        offer_export(findings)
    show_findings(findings)


def _show_study(name: str) -> None:
    kept = study_store().named(name)
    work = work_at(kept)
    findings = of_kept(kept)
    actions = header(findings.title, _counted(findings), back=ALL)
    questions = st.container()
    with actions:
        offer_run(kept, findings, work, questions)
        if findings.rows or findings.failures:
            offer_export(findings)
    remember_study(kept.name, findings.title)
    if work is not None:
        show_work(work)
    if findings.rows:
        show_findings(findings)
    elif findings.failures:
        small("No episode was finished.")
        show_failures(findings)
    elif work is None or not work.going:
        small("Nothing has been played yet.")
    if findings.text:
        with st.expander("The file"):
            st.code(findings.text, language="toml")


def _counted(findings: Findings) -> str:
    """Return the numbers of episodes, conditions and tasks in a line."""
    rows = findings.rows
    counts = {
        "episode": len(rows),
        "condition": len(findings.conditions),
        "problem": len({row.problem for row in rows}),
    }
    parts = [f"{count:,} {name}{'' if count == 1 else 's'}" for name, count in counts.items()]
    return ", ".join(parts) if rows else ""
