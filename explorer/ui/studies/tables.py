"""The results of a study as tables, its episodes, and downloads."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from explorer import notebook
from explorer.pictures import Dot, Picture, intervals_picture
from explorer.studies import (
    DEFINITIONS,
    Estimate,
    Findings,
    Number,
    ResultRow,
    ResultTable,
    StudyError,
    TableCell,
    agreement_table,
    estimate_parts,
    forms,
    groups_table,
    has_files,
    ratings_table,
    summarize,
)
from explorer.ui.tables import rows_to_choose, scrolling_table
from explorer.ui.text import alert, escaped, formula, in_html, offer_file, small
from explorer.ui.transcript_reader import show_reader
from explorer.ui.widgets import copy_link, offer_notebook

# The names of groupings on the page.
HEADINGS = {
    "condition": "Condition",
    "protocol": "Protocol",
    "verifier": "Verifier",
    "provers": "Provers",
    "side": "Side",
    "difficulty": "Difficulty",
    "kind": "About",
    "problem": "Problem",
    "y": "The truth",
}
MOST_ROWS = 200
# A number and the ends of its interval, to be drawn on a scale from the smallest possible value (0)
# to 1.
Range = tuple[float, float, float]
# A text; or a number with its interval, both as text and optionally for drawing.
Cell = str | tuple[str, str] | tuple[str, str, Range]


def heading(grouping: str) -> str:
    """Return a grouping's heading."""
    return HEADINGS.get(grouping, grouping.capitalize())


def numbers_table(heads: Sequence[str], rows: Iterable[Sequence[Cell]], alt: str) -> None:
    """Show numbers, each with its interval below it; the first cell of a row names it.

    `alt` says what the table is, for those who do not see it.
    """
    head = "".join(f'<th scope="col">{in_html(_in_brackets(title))}</th>' for title in heads)
    body = "".join(
        f'<tr><th scope="row">{_html(first)}</th>'
        + "".join(f"<td>{_html(cell)}</td>" for cell in cells)
        + "</tr>"
        for first, *cells in rows
    )
    scrolling_table("nip-numbers", head, body, alt)


def _in_brackets(head: str) -> str:
    """Return a heading that is not broken inside its brackets: “Completeness (these provers)”."""
    name, bracket, note = head.partition(" (")
    return name + bracket + note.replace(" ", "\N{NO-BREAK SPACE}")


def _html(cell: Cell) -> str:
    if isinstance(cell, str):
        return in_html(cell)
    number, interval, *ranges = cell
    small = f"<small>{in_html(interval)}</small>" if interval else ""
    return in_html(number) + "".join(map(_range_html, ranges)) + small


def _range_html(drawn: Range) -> str:
    at, start, end = drawn
    style = f"--at: {at:.4f}; --from: {start:.4f}; --to: {end:.4f}"
    return f'<span class="nip-range" style="{style}" aria-hidden="true"><b></b><i></i></span>'


def cell_of(measure: str, estimate: Estimate | None) -> Cell:
    """Return a number and its interval."""
    if estimate is None:
        return "–"
    number, interval = estimate_parts(measure, estimate)
    return number, " to ".join(interval or ())


def show_result(table: ResultTable, findings: Findings | None = None) -> None:
    """Show a table of results, whose title is for those who do not see it, and its remarks.

    With the findings that it is about, groups have their names for people.
    """
    titles = [DEFINITIONS[n].title if n in DEFINITIONS else heading(n) for n in table.heads]
    rows = [
        [_cell(cell, head, findings) for head, cell in zip(table.heads, row, strict=True)]
        for row in table.rows[:MOST_ROWS]
    ]
    numbers_table(titles, rows, table.title)
    if len(table.rows) > MOST_ROWS:
        small(
            f"The first {MOST_ROWS:,} of {len(table.rows):,}; the files under Export hold all of "
            "them."
        )
    for remark in table.remarks:
        small(remark)


def _cell(cell: TableCell, head: str, findings: Findings | None) -> Cell:
    if isinstance(cell, Number):
        return cell_of(*cell)
    if isinstance(cell, str) and findings is not None:
        return findings.group_name(head, cell)
    return cell


def measures_table(findings: Findings, by: str, measures: Sequence[str]) -> None:
    """Show a row for each group and a column for each measure."""
    show_result(groups_table(findings, (by,), measures), findings)


def drawn_cell(measure: str, estimate: Estimate | None, least: float = 0.0) -> Cell:
    """Return a number and its interval, with a drawing of both between `least` and 1."""
    cell = cell_of(measure, estimate)
    if estimate is None or estimate.value is None or isinstance(cell, str):
        return cell
    ends = (end if end is not None else estimate.value for end in (estimate.low, estimate.high))
    at, low, high = ((end - least) / (1 - least) for end in (estimate.value, *ends))
    return cell[0], cell[1], (at, low, high)


def define(names: Iterable[str]) -> None:
    """Show the definitions of measures, on request."""
    with st.popover("Definitions"):
        for name in (*names, "interval"):
            definition = DEFINITIONS[name]
            st.markdown(f"**{escaped(definition.title)}**")
            st.markdown(escaped(definition.says))
            if definition.formula:
                formula(definition.formula)


EPISODE = "episode"
MOST = 2_000
VERDICTS = {"right": "✓ right", "wrong": "✗ wrong", "none": "no verdict"}


def chosen_episode() -> str | None:
    """Return the key of the episode that the address names."""
    return st.query_params.get(EPISODE)


def show_episodes(
    findings: Findings, rows: Sequence[ResultRow], others: Mapping[str, ResultRow] | None = None
) -> None:
    """List episodes; choosing a row shows the episode.

    `others` are episodes of another condition to compare with, by the keys of the rows.
    """
    import pandas as pd

    shown = rows[:MOST]
    if not shown:
        small("There are none.")
        return
    table = pd.DataFrame(
        [
            {
                "Condition": findings.group_name("condition", row.condition),
                "Task": row.title or row.task,
                "Difficulty": row.difficulty,
                "Holds": "yes" if row.y else "no",
                "Verdict": VERDICTS[row.verdict],
                "The second’s": VERDICTS[others[row.key].verdict] if others else None,
                "Rounds": row.rounds,
                "Sure it holds": None if row.confidence is None else f"{row.confidence}%",
                "Tokens": (row.used.tokens_in + row.used.tokens_out) or None,
            }
            for row in shown
        ]
    ).dropna(axis="columns", how="all")
    keys = tuple(row.key for row in shown)
    state = f"study-episodes-{hash(keys)}"
    rows_to_choose(table, state, partial(_open, state, keys))
    more = f" The first {MOST:,} of {len(rows):,} are listed." if len(rows) > MOST else ""
    small(f"Tick a row to read the episode.{more}")


def _open(state: str, keys: Sequence[str]) -> None:
    chosen: Any = st.session_state.get(state)
    try:
        place = chosen["selection"]["rows"][0]
    except (KeyError, IndexError, TypeError):
        return
    if isinstance(place, int) and 0 <= place < len(keys):
        st.query_params[EPISODE] = keys[place]


def show_episode(findings: Findings, key: str) -> None:
    """Show one episode."""
    st.button("← Back to the study", key="study-back", on_click=_close, type="tertiary")
    row = next((row for row in findings.rows if row.key == key), None)
    try:
        if row is None:
            raise StudyError("There is no such episode in this study.")
        episode = findings.read(key)
    except StudyError as error:
        alert("warning", str(error))
        return
    st.subheader(escaped(row.title or row.task), anchor=False)
    log = f" From {row.log}." if row.log else ""
    condition = findings.group_name("condition", row.condition)
    small(f"{condition}. The verdict: {VERDICTS[row.verdict]}.{log}")
    show_reader(f"study-{key}", episode)


def _close() -> None:
    st.query_params.pop(EPISODE, None)


def offer_export(findings: Findings) -> None:
    """Show the Export menu. Files are made when they are asked for."""
    copy_link()
    menu = st.popover("Export", key="study-export", on_change="rerun")
    if not menu.open:
        return

    def file(label: str, ending: str, make: Callable[[], str | bytes]) -> None:
        offer_file(label, make, f"{findings.name}.{ending}", key=f"study-{ending}")

    with menu:
        for form in forms(findings):
            file(form.label, form.ending, partial(form.make, findings))
        offer_notebook(partial(_notebook, findings), findings.name, key="study-ipynb")
        for name, ending, picture in _PICTURES:
            for form, suffix, made in _FORMS:
                make = partial(_drawn, picture, made, findings)
                file(f"{name} ({form})", f"{ending}{suffix}", make)
        if not findings.kept:
            small(
                "An episode of the baseline is played again when you open it, so there is no file "
                "of them."
            )
        elif not has_files(findings):
            small("The episodes are too long for one file.")
        small("Show the Python")
        st.code(_python(findings), language="python")


def _notebook(findings: Findings) -> Any:
    return notebook.study_notebook(findings.title, findings.rows, **_looked_at(findings))


def _looked_at(findings: Findings) -> dict[str, Any]:
    """Return the choices on the page that exist in this study."""
    chosen = {name: st.session_state.get(name) for name in ("measure", "by", "first", "second")}
    shown = {name: chosen[name] for name in ("measure", "by") if chosen[name] is not None}
    pair = chosen["first"], chosen["second"]
    is_pair = pair[0] != pair[1] and set(pair) <= set(findings.conditions)
    return {**shown, "pair": pair} if is_pair else shown


def _by_condition(findings: Findings) -> Picture:
    lines = summarize(findings.rows, ("condition",), ["accuracy"])
    dots = [
        Dot(
            findings.group_name("condition", line.group[0]),
            *(line.estimate.value, line.estimate.low, line.estimate.high),
        )
        for line in lines
    ]
    return intervals_picture(DEFINITIONS["accuracy"].title, dots)


def _agreement(findings: Findings) -> Picture:
    return _estimates_picture("alpha", agreement_table(findings), 0.2, ".1f")


def _ratings(findings: Findings) -> Picture:
    return _estimates_picture("strength", ratings_table(findings), 100, ",.0f")


def _estimates_picture(name: str, table: ResultTable, step: float, figures: str) -> Picture:
    """Draw numbers on an axis that begins and ends at whole steps."""
    dots = [
        Dot(who, estimate.value, estimate.low, estimate.high)
        for who, estimate in table.estimates.items()
    ]
    numbers = [number for d in dots for number in (d.value, d.low, d.high) if number is not None]
    first = math.floor(min(numbers, default=0.0) / step) * step
    last = max(math.ceil(max(numbers, default=1.0) / step) * step, first + step)
    title = DEFINITIONS[name].title
    return intervals_picture(title, dots, span=(first, last), figures=figures)


_PICTURES = (
    ("Picture by condition", "", _by_condition),
    ("Picture of the agreement", "agreement.", _agreement),
    ("Picture of the ratings", "ratings.", _ratings),
)
_FORMS: tuple[tuple[str, str, Callable[[Picture], bytes]], ...] = (
    ("SVG", "svg", lambda picture: picture.svg().encode("utf-8")),
    ("PDF", "pdf", lambda picture: picture.pdf()),
    ("TikZ", "tikz.tex", lambda picture: picture.tikz().encode("utf-8")),
)


def _drawn(
    picture: Callable[[Findings], Picture], made: Callable[[Picture], bytes], findings: Findings
) -> bytes:
    return made(picture(findings))


def _python(findings: Findings) -> str:
    return (
        "from explorer.studies import frame, summarize\n"
        f"{findings.python}\n"
        'frame(summarize(rows, ("condition",)))'
    )
