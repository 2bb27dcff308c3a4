"""A study's results as files for other programs: CSV, Parquet, LaTeX; and as data frames."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from explorer.files import csv_bytes
from explorer.studies.rows import rows_frame
from explorer.studies.statistics import DEFINITIONS, MEASURES, Estimate, SummaryRow
from explorer.studies.unfinished import Counted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FORMATS", "estimate_parts", "latex_table", "rows_frame", "shown_estimate", "written"]

# What a file's ending means.
FORMATS = (".csv", ".parquet", ".tex")


def written(frame: pd.DataFrame, ending: str) -> bytes:
    """A data frame as a file: ``.csv`` or ``.parquet``."""
    if ending == ".csv":
        return csv_bytes(frame)
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def shown_estimate(name: str, found: Estimate) -> str:
    """An estimate for people: the number, and its interval in brackets."""
    value, interval = estimate_parts(name, found)
    return f"{value} ({' to '.join(interval)})" if interval else value


def estimate_parts(name: str, found: Estimate) -> tuple[str, tuple[str, str] | None]:
    """An estimate's number and the ends of its interval, for people."""
    if found.value is None:
        return "–", None
    share = name in MEASURES and MEASURES[name].kind == "rate"
    share = share or name in ("completeness", "soundness", "soundness_error")
    signed = name in ("difference", "gap_alone", "gap_one_proof", "honest_minus_dishonest")
    figures = ".0%" if share else "+.0%" if signed else ".3g" if abs(found.value) < 1e4 else ",.0f"
    value = format(found.value, figures)
    if found.low is None or found.high is None:
        return value, None
    return value, (format(found.low, figures), format(found.high, figures))


_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "–": "--",
}


def _tex(text: str) -> str:
    """A text as LaTeX that says it, whatever is in it."""
    return "".join(_ESCAPES.get(c, c if c.isprintable() else "?") for c in text)


def _two_lines(heading: str) -> str:
    """A heading that is no wider than its column has to be."""
    words = heading.split()
    cuts = range(1, len(words))
    lines = [(" ".join(words[:cut]), " ".join(words[cut:])) for cut in cuts]
    if len(heading) < 12 or not lines:
        return _tex(heading)
    first, second = min(lines, key=lambda pair: max(map(len, pair)))
    return rf"\shortstack[r]{{{_tex(first)}\\{_tex(second)}}}"


def latex_table(
    lines: Sequence[SummaryRow],
    by: Sequence[str],
    caption: str = "",
    label: str = "tab:study",
    counts: Sequence[Counted] = (),
) -> str:
    """Lines as a table for a paper, for the package booktabs.

    Parameters
    ----------
    lines : sequence of Line
    by : sequence of str
        The groupings.
    caption, label : str
    counts : sequence of Counted
        Of a table by condition: each gets a row with its number of episodes, and a footnote if
        any failed.
    """
    groups: dict[tuple[str, ...], dict[str, Estimate]] = {}
    for line in lines:
        groups.setdefault(line.group, {})[line.measure] = line.estimate
    measures = list(dict.fromkeys(line.measure for line in lines))
    by_condition: dict[tuple[str, ...], Counted] = {(each.condition,): each for each in counts}
    groups = {**{group: {} for group in by_condition}, **groups}
    heads = [
        *(_tex(each.capitalize()) for each in by),
        *(_two_lines(DEFINITIONS[measure].title) for measure in measures),
        *(["$n$"] if counts else []),
    ]
    notes: list[str] = []
    rows: list[str] = []
    for group, found in groups.items():
        cells = [_tex(each) for each in (*group, *(_cell(name, found) for name in measures))]
        if counts:
            cells.append(_number(by_condition.get(group), notes))
        rows.append(" & ".join(cells) + r" \\")
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            r"  \small",
            rf"  \caption{{{_tex(caption)}}}",
            rf"  \label{{{label}}}",
            rf"  \begin{{tabular}}{{{'l' * len(by)}{'r' * (len(heads) - len(by))}}}",
            r"    \toprule",
            f"    {' & '.join(heads)} " + r"\\",
            r"    \midrule",
            *(f"    {row}" for row in rows),
            r"    \bottomrule",
            r"  \end{tabular}",
            *(rf"  \par\smallskip{{\footnotesize {note}\par}}" for note in notes),
            r"\end{table}",
            "",
        ]
    )


def _number(count: Counted | None, notes: list[str]) -> str:
    """How many episodes of a condition there are, with a mark of a note if any are missing."""
    if count is None:
        return "--"
    if not count.failed:
        return f"{count.finished:,}"
    mark = rf"\textsuperscript{{{len(notes) + 1}}}"
    notes.append(mark + _tex(_short(f"{count.told}. “Right” is of those finished.")))
    return f"{count.finished:,}{mark}"


def _short(text: str, most: int = 400) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _cell(name: str, found: Mapping[str, Estimate]) -> str:
    """A number with its interval in brackets, as short as a column of a paper wants it."""
    if name not in found:
        return "–"
    value, interval = estimate_parts(name, found[name])
    if interval is None:
        return value
    return f"{value} [{', '.join(end.removesuffix('%') for end in interval)}]"
