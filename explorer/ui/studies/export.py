"""What can be taken away of a study."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from explorer.pictures import Dot, intervals_picture
from explorer.shelf import Findings, forms, has_files, study_notebook
from explorer.studies.statistics import DEFINITIONS, summarize
from explorer.ui.components.copy_link import copy_link
from explorer.ui.text import escaped, small

__all__ = ["offer_export"]


def offer_export(findings: Findings) -> None:
    """Show the Export menu. Files are made when they are asked for."""
    copy_link()
    menu = st.popover("Export", key="study-export", on_change="rerun")
    if not menu.open:
        return
    with menu:
        for form in forms(findings):
            looked_at = _looked_at(findings) if form.make is study_notebook else {}
            _file(findings, form.label, form.ending, partial(form.make, findings, **looked_at))
        _file(findings, "Picture by condition (SVG)", "svg", partial(_svg, findings))
        _file(findings, "Picture by condition (TikZ)", "tikz.tex", partial(_tikz, findings))
        if not findings.kept:
            small("Its episodes are played again when they are read; none are in a file.")
        elif not has_files(findings):
            small("Its episodes are too long to be written into one file here.")
        small("Show the Python")
        st.code(_python(findings), language="python")


def _looked_at(findings: Findings) -> dict[str, Any]:
    """What is chosen on the page, where it is something that this study has."""
    chosen = {name: st.session_state.get(name) for name in ("measure", "by", "first", "second")}
    asked = {name: chosen[name] for name in ("measure", "by") if chosen[name] is not None}
    pair = chosen["first"], chosen["second"]
    is_pair = pair[0] != pair[1] and set(pair) <= set(findings.conditions)
    return {**asked, "pair": pair} if is_pair else asked


def _file(findings: Findings, label: str, ending: str, make: partial[bytes]) -> None:
    st.download_button(
        escaped(label),
        make,
        file_name=f"{findings.name}.{ending}",
        on_click="ignore",
        key=f"study-{ending}",
    )


def _dots(findings: Findings) -> list[Dot]:
    return [
        Dot(line.group[0], line.estimate.value, line.estimate.low, line.estimate.high)
        for line in summarize(findings.rows, ("condition",), ["accuracy"])
    ]


def _svg(findings: Findings) -> bytes:
    title = DEFINITIONS["accuracy"].title
    return intervals_picture(title, _dots(findings)).svg().encode("utf-8")


def _tikz(findings: Findings) -> bytes:
    title = DEFINITIONS["accuracy"].title
    return intervals_picture(title, _dots(findings)).tikz().encode("utf-8")


def _python(findings: Findings) -> str:
    return (
        "from explorer.studies.statistics import frame, summarize\n"
        f"{findings.python}\n"
        'frame(summarize(rows, ("condition",)))'
    )
