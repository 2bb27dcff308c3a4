"""Opening a log of Inspect: the episodes of ours in it, and all else that it has, as evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from explorer.logs import Log, LogError
from explorer.studies import Findings, of_log, of_training
from explorer.ui.layout import header
from explorer.ui.studies.log_reader import show_trace
from explorer.ui.studies.tables import offer_export
from explorer.ui.text import alert, segments, small
from explorer.ui.uploads import forget_upload, kept_upload, read_once

EPISODES, ALL = "Episodes", "All that the log has"
KEY = "study-log"


@dataclass(frozen=True, slots=True)
class _Opened:
    """A log to read, the episodes of ours in it, or both; and why there is no other."""

    log: Log | None
    findings: Findings | None
    reason: str = ""


def show_log(back: str, show_findings: Callable[[Findings], None]) -> None:
    """Show an uploader for a log, and what is in it."""
    actions = header(
        "A log of Inspect or of training",
        "Any log of Inspect or ControlArena, branch by branch; and the episodes in it, if "
        "“inspect eval explorer/...”, a study or a training run has played some.",
        back=back,
    )
    file = st.file_uploader(
        "Log (.eval or .json), or a training run’s traces.jsonl",
        type=["eval", "json", "jsonl"],
        key=KEY,
    )
    kept = kept_upload(KEY, file)
    opened = read_once(KEY, kept, _read)
    if kept is None or opened is None:
        return
    if file is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            small(f"{kept.name} is still open. Only this browser can see it.")
            st.button("Close it", type="tertiary", on_click=forget_upload, args=(KEY,))
    log, findings = opened.log, opened.findings
    if log is not None and findings is None:
        show_trace(log)
        return
    if findings is None:
        alert("warning", opened.reason)
        return
    with actions:
        offer_export(findings)
    small(findings.about)
    if findings.problems:
        few = "\n".join(findings.problems[:5])
        alert("warning", f"{len(findings.problems):,} samples are left out.\n{few}")
    if log is None:
        if opened.reason:
            small(f"Only its episodes can be read here. {opened.reason}")
        show_findings(findings)
    elif segments("What to read", (EPISODES, ALL), EPISODES, key="log-part") == ALL:
        show_trace(log)
    else:
        show_findings(findings)


def _read(content: bytes, name: str) -> _Opened:
    stem, _, ending = name.rpartition(".")
    stem = stem[:80] or "log"
    if ending == "jsonl":
        return _Opened(None, of_training(stem, content))
    log = findings = None
    reason = ""
    try:
        findings = of_log(stem, content)
    except LogError as error:
        reason = str(error)
    try:
        log = Log(content)
    except LogError as error:
        reason = str(error)
    return _Opened(log, findings, reason)
