"""What is known about a protocol besides its picture: who knows what, measured play, its source."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, cast

import streamlit as st

from explorer.choice import OWN, ProtocolChoice
from explorer.pictures import AgentStyle, Folding, seat_styles, who_knows_what
from explorer.ui.layout import link, page_address
from explorer.ui.protocols.choice import ShownProtocol
from explorer.ui.rewards.computing import computed, follow, start
from explorer.ui.text import in_html
from nip_core.language import Specification

if TYPE_CHECKING:
    from explorer.rewards import Told

# The boundary between two sentences.
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")
LEAD = 2  # sentences at the top of the page
# How a table shows when a seat knows something, and says it to screen readers.
SIGNS = {"during": "during play", "after": "only after the end", "never": "never"}


def lead_and_rest(choice: ProtocolChoice) -> tuple[str, str]:
    """Return the first two sentences about a protocol, and the others."""
    sentences = _SENTENCE.split(choice.about)
    return " ".join(sentences[:LEAD]), " ".join(sentences[LEAD:])


def show_about(protocol: ShownProtocol) -> None:
    """Show who knows what, how play was measured, and what differs from the protocol's source."""
    st.html(Path(__file__).with_name("about.css"))
    start()
    boxes = (_who_knows(protocol.spec), _worth(protocol), _measured(protocol.choice))
    st.html(f'<div class="nip-boxes">{"".join(boxes)}{_differs(protocol)}</div>')
    follow()


def _box(title: str, body: str, more: str = "", kind: str = "") -> str:
    head = f"<h2>{in_html(title)}</h2>{more}"
    return f'<section class="nip-box {kind}"><div class="nip-box-head">{head}</div>{body}</section>'


def _who_knows(spec: Specification) -> str:
    """Return the table of what seats know: a filled or a hollow dot for each."""
    rows, looks = who_knows_what(spec), seat_styles(spec, Folding(spec))
    seats = Folding(spec).seats
    head = "".join(f'<th scope="col">{_badge(looks[seat])}</th>' for seat in seats)
    body = "".join(
        f'<tr><th scope="row">{in_html(row.title)}</th>'
        + "".join(_dot(row.known[seat], looks[seat]) for seat in seats)
        + "</tr>"
        for row in rows
    )
    keys = {known for row in rows for known in row.known.values()}
    legend = "".join(
        f'<span><i class="{known}"></i>{words}</span>'
        for known, words in SIGNS.items()
        if known in keys
    )
    table = (
        f'<div class="nip-known" tabindex="0" role="region" aria-label="Who knows what">'
        f"<table><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        f'<p class="nip-keys" aria-hidden="true">{legend}</p>'
    )
    return _box("Who knows what", table)


def _badge(look: AgentStyle) -> str:
    style = _colours(look)
    return (
        f'<span class="nip-badge" style="{style}" title="{in_html(look.name)}" '
        f'aria-hidden="true">{in_html(look.label)}</span>'
        f'<span class="nip-unseen">{in_html(look.name)}</span>'
    )


def _colours(look: AgentStyle) -> str:
    on = f"--on: light-dark({look.ink('light')}, {look.ink('dark')})"
    return f"--seat: light-dark({look.light}, {look.dark}); {on}"


def _dot(known: str, look: AgentStyle) -> str:
    words = f"{look.name}: {SIGNS[known]}"
    return (
        f'<td><i class="{known}" style="{_colours(look)}" title="{in_html(words)}"></i>'
        f'<span class="nip-unseen">{SIGNS[known]}</span></td>'
    )


def _worth(protocol: ShownProtocol) -> str:
    """Return the protocol's card; lines that are still computed have their place already."""
    # Imported here, since the picture does not need it.
    from explorer.rewards import kept_lines
    from nip_core.values import CARD_LINES

    lines: Told | None = kept_lines(protocol.spec)
    waits = "…"
    if lines is None:
        computation = computed("worth", "explorer.rewards.cards:card_lines", protocol.spec)
        lines = cast("Told", computation.result or {})
        if computation.done:
            waits = computation.problem or "not computed"
    rows = ""
    for key, (title, sentence) in CARD_LINES.items():
        told = "".join(
            f"<span>{in_html(what)} <b>{in_html(number)}</b></span>"
            for what, number in lines.get(key, [("", waits)])
        )
        rows += f'<tr><th scope="row" title="{in_html(sentence)}">{title}</th><td>{told}</td></tr>'
    note = (
        "Evidence that speakers have can be held back, but not invented. Where two judges differ, "
        "this one counts only what is shown."
    )
    table = f'<table class="nip-worth"><tbody>{rows}</tbody></table><p class="nip-note">{note}</p>'
    more = link(page_address("rewards", protocol.choice.to_query()), "What is a seat worth?")
    return _box("What it is worth", table, more)


def _measured(choice: ProtocolChoice) -> str:
    """Return how often scripted judges were right in the baseline; empty if it has no games."""
    # Imported here, since the picture does not need it.
    from explorer.studies import baseline_figures, estimate_parts, judge_title

    figures = [
        (figure.verifier, figure.accuracy)
        for figure in baseline_figures()
        if figure.protocol == choice.name and figure.accuracy.value is not None
    ]
    if not figures:
        return ""
    rows = ""
    for judge, accuracy in figures:
        number, interval = estimate_parts("accuracy", accuracy)
        ends = [accuracy.low, accuracy.high]
        low, high = (accuracy.value if end is None else end for end in ends)
        style = f"--at: {accuracy.value:.4f}; --from: {low:.4f}; --to: {high:.4f}"
        rows += (
            f'<tr><th scope="row">{in_html(judge_title(judge))}</th>'
            f'<td><span class="nip-range" style="{style}" aria-hidden="true"><b></b><i></i></span>'
            f"</td><td>{number}<small>{' to '.join(interval or ())}</small></td></tr>"
        )
    games = figures[0][1].count
    note = (
        f"How often scripted judges were right, in {games:,} games each against the hardest "
        "scripted experts, with 95% intervals. Each line runs from 0 to 100%."
    )
    table = (
        '<table class="nip-measured"><thead class="nip-unseen"><tr><th scope="col">Judge</th>'
        '<td></td><th scope="col">Right verdicts</th></tr></thead>'
        f'<tbody>{rows}</tbody></table><p class="nip-note">{note}</p>'
    )
    more = link(page_address("studies", {"study": "baseline"}), "The study")
    return _box("Measured play", table, more)


def _differs(protocol: ShownProtocol) -> str:
    """Return what a protocol leaves out or does otherwise than its source, if it says so."""
    said = protocol.spec.simplified
    if not said:
        return ""
    title = "About this version" if protocol.choice.name == OWN else "Differences from the paper"
    items = "".join(f"<li>{in_html(text)}</li>" for text in _SENTENCE.split(said))
    return _box(title, f"<ul>{items}</ul>", kind="whole")
