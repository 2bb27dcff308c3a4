"""Tables of what was measured, and what the numbers are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from explorer.shelf import Findings
from explorer.studies.exports import estimate_parts
from explorer.studies.statistics import DEFINITIONS, Estimate, Line, summarize
from explorer.ui.text import escaped, formula, in_html, small

__all__ = ["HEADINGS", "cell_of", "define", "heading", "matrix", "measures_table", "numbers_table"]

# What groupings are called for people.
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
STYLE = """<style>
.nip-numbers { overflow-x: auto; margin-bottom: var(--nip-s4); }
.nip-numbers:focus-visible { outline: 2px solid currentColor; }
.nip-numbers table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
/* Beside the table, which may be wider than the page. */
.nip-numbers-of { font-weight: 600; margin-bottom: var(--nip-s2); }
.nip-numbers th, .nip-numbers td {
  padding: 0.35rem 1rem 0.35rem 0; border-bottom: 1px solid var(--nip-border);
  text-align: right; vertical-align: top; white-space: nowrap;
}
.nip-numbers thead th { font-weight: 600; font-size: var(--nip-t2); vertical-align: bottom; }
/* What a row is about stays in sight where a table is wider than a phone. */
.nip-numbers th:first-child {
  text-align: left; white-space: normal; min-width: 8rem;
  position: sticky; inset-inline-start: 0; background: var(--nip-paper);
}
.nip-numbers tbody th { font-weight: 400; }
.nip-numbers small { display: block; color: var(--nip-quiet); }
</style>"""

Cell = str | tuple[str, str]


def heading(grouping: str) -> str:
    """What a grouping is called."""
    return HEADINGS.get(grouping, grouping.capitalize())


def numbers_table(
    heads: Sequence[str], rows: Iterable[Sequence[Cell]], alt: str, *, caption: str = ""
) -> None:
    """Show numbers, each with its interval below it.

    Parameters
    ----------
    heads : sequence of str
    rows : iterable of sequence
        A cell is a text, or a number and its interval. The first names the row.
    alt : str
        What the table is, for those who do not see it.
    caption : str
    """
    head = "".join(f'<th scope="col">{in_html(each)}</th>' for each in heads)
    body = "".join(
        f'<tr><th scope="row">{_html(first)}</th>'
        + "".join(f"<td>{_html(cell)}</td>" for cell in cells)
        + "</tr>"
        for first, *cells in rows
    )
    titled = f'<div class="nip-numbers-of">{in_html(caption)}</div>' if caption else ""
    st.html(
        f"{STYLE}{titled}"
        f'<div class="nip-numbers" tabindex="0" role="region" aria-label="{in_html(alt)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _html(cell: Cell) -> str:
    if isinstance(cell, str):
        return in_html(cell)
    number, interval = cell
    return in_html(number) + (f"<small>{in_html(interval)}</small>" if interval else "")


def cell_of(measure: str, found: Estimate | None) -> Cell:
    """A number and its interval."""
    if found is None:
        return ""
    number, interval = estimate_parts(measure, found)
    return number, " to ".join(interval or ())


def measures_table(
    findings: Findings, by: str, measures: Sequence[str], alt: str, *, most: int = 200
) -> None:
    """A row for each group, a column for each number."""
    counts = {each.condition: each for each in findings.counts} if by == "condition" else {}
    # A condition of which nothing was played, or nothing finished, has a row, too.
    groups: dict[str, dict[str, Line]] = {name: {} for name in counts}
    for line in summarize(findings.rows, (by,), measures, failed=findings.failed):
        groups.setdefault(line.group[0], {})[line.measure] = line
    finished = Counter(str(getattr(row, by)) for row in findings.rows)
    failed = Counter(str(getattr(each.row, by)) for each in findings.failed)
    rows = [
        [
            group,
            *([f"{counts[group].planned:,}"] if counts else []),
            f"{finished[group]:,}",
            *([f"{failed[group]:,}"] if failed else []),
            *(cell_of(name, lines[name].estimate) if lines else "–" for name in measures),
        ]
        for group, lines in groups.items()
    ]
    heads = [
        heading(by),
        *(["Planned"] if counts else []),
        "Finished" if counts or failed else "Episodes",
        *(["Failed"] if failed else []),
        *(DEFINITIONS[name].title for name in measures),
    ]
    numbers_table(heads, rows[:most], alt)
    if len(rows) > most:
        small(f"The first {most:,} of {len(rows):,}; all are in the files to take away.")


def matrix(cells: Mapping[tuple[str, str], Cell], corner: str, caption: str) -> None:
    """Numbers by two things: down and across."""
    down = list(dict.fromkeys(row for row, _ in cells))
    across = list(dict.fromkeys(column for _, column in cells))
    rows = [[row, *(cells.get((row, column), "") for column in across)] for row in down]
    numbers_table([corner, *across], rows, caption, caption=caption)


def define(names: Iterable[str]) -> None:
    """What numbers are, on request."""
    with st.popover("Definitions"):
        for name in (*names, "interval"):
            definition = DEFINITIONS[name]
            st.markdown(f"**{escaped(definition.title)}**")
            st.markdown(escaped(definition.says))
            if definition.formula:
                formula(definition.formula)
