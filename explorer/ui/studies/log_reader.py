"""A sample of a log: its scores, its branches, and a grid beside what was said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import streamlit as st

from explorer.logs import Entry, Log, Score, Trace, cited
from explorer.ui.text import alert, dropdown, in_html, small

EVERYTHING = "everything"
# Further participants share a column.
MOST_COLUMNS = 8
OTHERS = "others"
MARKS = {"acts": "●", "reads": "○"}


def show_trace(log: Log) -> None:
    """Show a sample of a log, which a person chooses."""
    st.html(Path(__file__).with_suffix(".css"))
    made = ", ".join(filter(None, (log.header.task, *log.header.models, log.header.created)))
    small(f"{made}. Nothing in it is an episode of a protocol here: it is evidence to read.")
    if not len(log):
        small("The log has no sample.")
        return
    names = log.names
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = dropdown("Sample", dict(enumerate(names)), key="log-sample")
        trace = log.trace(number)
        branch = _branch(trace, number)
        eyes = _eyes(trace, branch, number)
    _scores(trace, branch)
    _notes(trace, branch)
    seen = None if eyes == EVERYTHING else trace.seen_by(branch, eyes)
    path = trace.path(branch)
    if not path:
        small("Nothing happened in this branch.")
        return
    st.html(
        f'<div class="nip-log">{_grid(trace, branch)}'
        f'<ol class="entries">{"".join(_entries(trace, branch, path, seen))}</ol></div>'
    )


def _branch(trace: Trace, sample: int) -> int:
    """Let a person choose a branch of the tree."""
    if len(trace.branches) == 1:
        return 0
    names = {
        number: _in_tree(branch.name, *place)
        for number, (branch, place) in enumerate(zip(trace.branches, trace.outline(), strict=True))
    }
    return dropdown("Branch", names, key=f"log-branch-{sample}")


def _in_tree(name: str, depth: int, after: int) -> str:
    """Return a branch's name behind a mark for each branch that it departs from."""
    if not depth:
        return name
    return f"{'—' * depth} {name} (from {f'entry {after}' if after else 'the beginning'})"


def _eyes(trace: Trace, branch: int, sample: int) -> str:
    """Let a person choose to see everything, or what one's calls of models were given."""
    names = {EVERYTHING: "Everything", **{who: who for who in trace.readers(branch)}}
    return dropdown("Seen by", names, key=f"log-eyes-{sample}-{branch}")


def _notes(trace: Trace, branch: int) -> None:
    if trace.branches[branch].problem:
        alert("warning", trace.branches[branch].problem)
    if trace.left_out:
        alert("info", f"{trace.left_out:,} further entries are left out: the sample is too long.")


def _scores(trace: Trace, branch: int) -> None:
    rows = "".join(
        f"<tr><th scope='row'>{in_html(score.name)}</th><td>{in_html(score.value)}</td>"
        f"<td>{in_html(score.answer)}</td>"
        f"<td class='why'>{_with_links(score, trace, branch)}</td></tr>"
        for score in trace.scores
    )
    target = f"<p>Target: {in_html(trace.target)}</p>" if trace.target else ""
    if rows:
        head = "".join(
            f"<th scope='col'>{name}</th>" for name in ("Scorer", "Score", "Answer", "Why")
        )
        st.html(
            f"<div class='nip-log-scores' tabindex='0' role='region' aria-label='Scores'>"
            f"{target}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        )
    elif target:
        st.html(target)


def _with_links(score: Score, trace: Trace, branch: int) -> str:
    """Return a scorer's explanation, in which citations lead to their entries."""
    parts: list[str] = []
    for piece in cited(score.explanation, score, trace):
        text = in_html(piece.text)
        if piece.entry is None:
            parts.append(text)
        elif piece.entry in trace.paths[branch]:
            parts.append(f'<a href="#{_anchor(piece.entry)}" target="_self">{text}</a>')
        else:
            where = trace.branches[trace.branch_of(piece.entry, branch)].name
            parts.append(f"{text} (entry {piece.entry} of {in_html(where)})")
    return "".join(parts)


def _anchor(number: int) -> str:
    return f"nip-entry-{number}"


def _grid(trace: Trace, branch: int) -> str:
    """Return a table of who acted and who read, with a row for each entry."""
    acting = trace.participants(branch)
    columns = acting if len(acting) <= MOST_COLUMNS else [*acting[: MOST_COLUMNS - 1], OTHERS]
    seen = {who: trace.seen_by(branch, who) for who in trace.readers(branch)}
    head = "".join(f"<th scope='col'><span>{in_html(who)}</span></th>" for who in columns)
    rows = "".join(
        f"<tr><th scope='row'><a href='#{_anchor(entry.number)}' target='_self'>{entry.number}</a>"
        f"</th>{''.join(_cell(entry, who, columns, seen) for who in columns)}</tr>"
        for entry in trace.path(branch)
    )
    return (
        "<div class='grid' tabindex='0' role='region' aria-label='Who acted and who read'>"
        f"<table><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<p>{MARKS['acts']} acts {MARKS['reads']} reads</p></div>"
    )


def _cell(entry: Entry, who: str, columns: list[str], seen: dict[str, set[int]]) -> str:
    acts = entry.who == who or (who == OTHERS and entry.who not in columns)
    reads = entry.number in seen.get(who, ())
    if not acts and not reads:
        return "<td></td>"
    kind = "acts" if acts else "reads"
    return f"<td class='{kind}' title='{in_html(who)} {kind}'>{MARKS[kind]}</td>"


def _entries(trace: Trace, branch: int, path: list[Entry], seen: set[int] | None) -> Iterator[str]:
    """Yield each entry as an item of a list; several that a seat has not seen are one line."""
    numbers = {ident: f"M{place}" for place, ident in enumerate(trace.numbered, 1)}
    names = {trace.places[ident]: name for ident, name in numbers.items() if ident in trace.places}
    leaving: dict[int, list[str]] = {}
    for other in trace.branches:
        if other.parent == branch and other.at:
            leaving.setdefault(trace.paths[branch][other.at - 1], []).append(other.name)
    hidden = 0
    for entry in path:
        if seen is not None and entry.number not in seen:
            hidden += 1
            continue
        if hidden:
            yield _hidden(hidden)
            hidden = 0
        yield _entry(entry, names.get(entry.number, ""), ", ".join(leaving.get(entry.number, ())))
    if hidden:
        yield _hidden(hidden)


def _hidden(count: int) -> str:
    return f"<li class='hidden'>{count:,} entr{'y' if count == 1 else 'ies'} not seen</li>"


def _entry(entry: Entry, name: str, leaving: str) -> str:
    about = " ".join(filter(None, (name, entry.title)))
    more = f"<p class='more'>… {entry.left_out:,} or more characters follow in the log.</p>"
    departs = f"<p class='more'>Branches that depart here: {in_html(leaving)}.</p>"
    return (
        f"<li class='{entry.kind}' id='{_anchor(entry.number)}' tabindex='-1'>"
        f"<p class='who'><span class='number'>{entry.number}</span> "
        f"<strong>{in_html(entry.who)}</strong> <span>{in_html(about)}</span></p>"
        f"<pre>{in_html(entry.text)}</pre>"
        f"{more if entry.left_out else ''}{departs if leaving else ''}</li>"
    )
