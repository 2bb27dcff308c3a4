"""The Studies page: the shelf, a new study, a log, or one study, by the address."""

from __future__ import annotations

import streamlit as st

from explorer.evals import EvalsError
from explorer.serving.public import is_public
from explorer.shelf import Findings, of_baseline, of_kept, of_log, shelf, work_at
from explorer.studies import StudyError
from explorer.ui.components.remember import remember_study
from explorer.ui.header import header
from explorer.ui.links import link, page_address
from explorer.ui.studies.asking import show_form
from explorer.ui.studies.export import offer_export
from explorer.ui.studies.listing import show_shelf
from explorer.ui.studies.results import show_findings
from explorer.ui.studies.views import show_failures
from explorer.ui.studies.watching import offer_run, show_work
from explorer.ui.text import alert, small
from explorer.ui.uploads import TooMuchError, UploadedFile, read_once

__all__ = ["show_page"]

LINE = "Many episodes under stated conditions: what each protocol buys, with intervals."
BASELINE = "baseline"
ALL = link(page_address("studies", {}), "All studies")


def show_page() -> None:
    """Show what the address asks for."""
    asked = st.query_params.get("study")
    shown = st.query_params.get("view")
    try:
        if asked == BASELINE:
            _show_baseline()
        elif asked is not None and not is_public():
            _show_study(asked)
        elif shown == "log":
            _show_log()
        elif shown == "new" and not is_public():
            header(
                "A new study", "The form writes a file, and the file is what is played.", back=ALL
            )
            show_form(shelf())
        else:
            _show_all()
    except (StudyError, EvalsError, TooMuchError) as error:
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
    show_shelf(None if is_public() else shelf())


def _show_baseline() -> None:
    findings = of_baseline()
    actions = header("The baseline study", findings.about, back=ALL)
    with actions:
        offer_export(findings)
    show_findings(findings)


def _show_study(name: str) -> None:
    kept = shelf().named(name)
    work = work_at(kept)
    findings = of_kept(kept)
    actions = header(findings.title, _counted(findings), back=ALL)
    with actions:
        offer_run(kept, findings, work)
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
    """How much it is, in a line."""
    rows = findings.rows
    counts = {
        "episode": len(rows),
        "condition": len(findings.conditions),
        "problem": len({row.problem for row in rows}),
    }
    told = [f"{count:,} {name}{'' if count == 1 else 's'}" for name, count in counts.items()]
    return ", ".join(told) if rows else ""


def _show_log() -> None:
    actions = header(
        "A log of Inspect",
        "Episodes that “inspect eval explorer/...” or a study has played, here or elsewhere.",
        back=ALL,
    )
    file = st.file_uploader("Log (.eval or .json)", type=["eval", "json"], key="study-log")
    findings = read_once("study-log", file, _read)
    if findings is None:
        return
    with actions:
        offer_export(findings)
    small(findings.about)
    if findings.problems:
        few = "\n".join(findings.problems[:5])
        alert("warning", f"{len(findings.problems):,} samples are left out.\n{few}")
    show_findings(findings)


def _read(file: UploadedFile) -> Findings:
    return of_log(file.name.rpartition(".")[0][:80] or "log", file.getvalue())
