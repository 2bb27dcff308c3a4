"""A run on the page: begun, watched, stopped. It belongs to the server, not to the page."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from explorer.evals import Pair
from explorer.shelf import Findings, Kept, Work
from explorer.studies import StudyError
from explorer.studies.terminal import told_stage
from explorer.ui.parts import part
from explorer.ui.studies.keys import ask_about_keys
from explorer.ui.text import alert, escaped

__all__ = ["offer_run", "show_work"]

OFTEN = 1.0
FINISHES = "Begin nothing new. Episodes on their way are finished and kept."
DROPS = "Drop the episodes that are on their way; they are played when you go on."


def offer_run(kept: Kept, findings: Findings, work: Work | None) -> None:
    """Show the buttons that begin and stop a run."""
    if work is not None and work.going:
        # What is on its way may wait for a slow model, or for one that never answers.
        st.button(
            "Stop now" if work.stopping else "Stop",
            key="study-stop-now" if work.stopping else "study-stop",
            on_click=work.stop,
            help=DROPS if work.stopping else FINISHES,
        )
        return
    try:
        total, study = kept.total(), kept.study()
    except StudyError as error:
        alert("warning", str(error))
        return
    left = total - len(findings.rows) - len(findings.failures)
    if left <= 0 and not findings.failures:
        return
    allowed = ask_about_keys(study, f"study-key-{kept.name}")
    if left > 0:
        label = "Go on" if findings.rows else "Start"
        st.button(
            label,
            type="primary",
            key="study-run",
            on_click=_begin,
            args=(kept, False, allowed),
            disabled=allowed is None,
        )
    if findings.failures:
        st.button(
            "Play what failed again",
            key="study-again",
            on_click=_begin,
            args=(kept, True, allowed),
            disabled=allowed is None,
        )


def _begin(kept: Kept, failed: bool, allowed: frozenset[Pair] | None) -> None:
    # What a browser sends may be forged: without permission nothing is begun.
    if allowed is not None:
        Work.begin(kept, failed=failed, allowed=allowed)


def show_work(work: Work) -> None:
    """How far the run is; the page is shown again when it has ended."""
    if work.going:
        part(_watch, every=OFTEN)(work)
        return
    if work.trouble:
        alert("error", work.trouble)
    elif work.stage is not None and work.stage.why_stopped and work.stage.left:
        alert("info", f"{work.stage.why_stopped} {told_stage(work.stage)}")
    elif work.stage is not None and work.stage.given_up:
        alert("warning", "\n".join(work.stage.given_up))


def _watch(work: Work) -> None:
    if not work.going:
        st.rerun()
    stage = work.stage
    if stage is None:
        st.progress(0.0, "Getting ready")
        return
    done = (stage.total - stage.left) / stage.total if stage.total else 1.0
    words = told_stage(replace(stage, problem="", waits_for="", given_up=()))
    if work.stopping:
        words = "Stopping once what is on its way has ended"
    elif stage.waits_for:
        words = f"Queued: the study “{stage.waits_for}” is played first"
    st.progress(min(1.0, max(0.0, done)), escaped(words))
    if stage.problem:
        alert("warning", f"Latest problem: {stage.problem}.")
    if stage.given_up:
        alert("warning", "\n".join(stage.given_up))
