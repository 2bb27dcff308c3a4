"""The list as one table: what was claimed, what is true, who played, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from typing import Any

import streamlit as st

from explorer.figures import AgentStyle, agent_styles
from explorer.game_table.seats import SCRIPTED
from explorer.storage import Entry
from explorer.ui.links import link, page_address
from explorer.ui.text import in_html
from explorer.ui.theme import theme
from nip_core.errors import NipError
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_spec, protocol_title

__all__ = ["show_rows"]

COLUMNS = ("Task", "Protocol", "Claim", "Verdict", "Seats and rewards", "Rounds", "Tokens", "Date")
STYLE = """<style>
.nip-list { overflow-x: auto; }
.nip-list:focus-visible { outline: 2px solid currentColor; }
.nip-list table { border-collapse: collapse; width: 100%; font-size: 0.875rem; }
.nip-list th, .nip-list td {
  text-align: left; vertical-align: top; padding: 0.35rem 0.9rem 0.35rem 0;
  border-bottom: 1px solid var(--nip-border, #8884);
}
.nip-list thead th { font-weight: 600; color: var(--nip-quiet, inherit); white-space: nowrap; }
.nip-list tbody th { font-weight: 500; min-width: 12rem; overflow-wrap: anywhere; }
.nip-list .number { text-align: right; }
.nip-list .number, .nip-list .when { font-variant-numeric: tabular-nums; white-space: nowrap; }
.nip-list .right { color: var(--nip-right, inherit); font-weight: 600; white-space: nowrap; }
.nip-list .wrong { color: var(--nip-wrong, inherit); font-weight: 600; white-space: nowrap; }
.nip-list td:nth-child(n + 3) { white-space: nowrap; }
.nip-list .tag, .nip-list .quiet { color: var(--nip-quiet, inherit); font-weight: 400; }
.nip-list .tag { display: inline-block; margin-right: 0.6rem; font-size: 0.8rem; }
.nip-list .seat { display: inline-block; margin-right: 0.5rem; }
.nip-list .who { color: var(--nip-quiet, inherit); margin-right: 0.9rem; }
.nip-list .badge {
  display: inline-block; min-width: 1.6em; padding: 0 0.35em; border-radius: 0.35em;
  text-align: center; font-size: 0.75rem; font-weight: 600;
}
@media (max-width: 700px) {
  .nip-list thead { display: none; }
  .nip-list tr {
    display: block; padding: 0.5rem 0; border-bottom: 1px solid var(--nip-border, #8884);
  }
  .nip-list td, .nip-list tbody th { display: inline-block; border: 0; padding: 0 0.8rem 0.1rem 0; }
  .nip-list tbody th { display: block; }
  .nip-list td.number::before { content: attr(data-name) " "; color: var(--nip-quiet, inherit); }
  .nip-list td:empty { display: none; }
}
</style>"""

SAID_BY_SEATS = {*SCRIPTED.values(), "scripted expert", "language model", "random player"}
WHO = {"human": "person", "scripted": "scripted", "random": "random", "llm": "model"}


def show_rows(entries: Iterable[Entry]) -> None:
    """Show entries, a row each, whose title leads to the transcript or to the table."""
    listed = list(entries)
    # Where no model has played, nobody asks for tokens.
    tokens = any(entry.tokens is not None for entry in listed)
    shown = [name for name in COLUMNS if tokens or name != "Tokens"]
    head = "".join(f'<th scope="col"{_number(name)}>{name}</th>' for name in shown)
    body = "".join(f"<tr>{''.join(_cells(entry, tokens=tokens))}</tr>" for entry in listed)
    st.html(
        f'{STYLE}<div class="nip-list" tabindex="0" role="region" aria-label="Transcripts">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _number(name: str) -> str:
    return ' class="number"' if name in ("Rounds", "Tokens") else ""


def _cells(entry: Entry, *, tokens: bool) -> Iterator[str]:
    over = entry.outcome != "running"
    address = page_address("transcripts" if over else "play", {"episode": entry.id})
    # Who played stands with the seats.
    own = [tag for tag in entry.tags if tag not in SAID_BY_SEATS]
    tags = "".join(f'<span class="tag">{in_html(tag)}</span>' for tag in own)
    yield f'<th scope="row">{link(address, entry.title)} {tags}</th>'
    yield f"<td>{in_html(protocol_title(entry.protocol))}</td>"
    truth = {1: "true", 0: "false"}.get(entry.y if over and entry.y is not None else 2, "")
    yield f"<td>{truth}</td>"
    yield f"<td>{_verdict(entry)}</td>"
    seats = _seats(entry.protocol, entry.seats) if over else ""
    yield f"<td>{seats}</td>"
    yield f'<td class="number" data-name="rounds">{entry.rounds}</td>'
    if tokens:
        used = f"{entry.tokens:,}" if over and entry.tokens is not None else ""
        yield f'<td class="number" data-name="tokens">{used}</td>'
    yield f'<td class="when">{in_html(entry.minute)}</td>'


def _verdict(entry: Entry) -> str:
    said = {"accept": "accepted", "reject": "rejected", "terminated": "no verdict"}
    if entry.outcome == "running":
        return "in progress"
    if entry.right is None:
        return said[entry.outcome]
    kind, sign = ("right", "✓") if entry.right else ("wrong", "✕")
    return f'<span class="{kind}">{sign} {kind}</span>, {said[entry.outcome]}'


def _seats(protocol: str, seats: Mapping[str, Mapping[str, Any]]) -> str:
    """Badges with rewards; behind those of the same kind of player, once, what it is."""
    styles = _styles(protocol)
    return "".join(
        "".join(_seat(a, seats[a].get("reward"), styles.get(a)) for a in agents)
        + (f'<span class="who">{in_html(who)}</span>' if who else "")
        for who, agents in groupby(seats, key=lambda agent: _who(seats[agent]))
    )


def _who(seat: Mapping[str, Any]) -> str:
    kind = str(seat.get("kind", ""))
    return str(seat.get("model") or WHO.get(kind, kind))


def _seat(agent: str, paid: object, style: AgentStyle | None) -> str:
    page = theme()
    badge = in_html(agent)
    if style is not None:
        colours = f"background:{style.fill(page)};color:{style.ink(page)}"
        name = in_html(f"{style.name} ({agent})")
        badge = (
            f'<span class="badge" style="{colours}" title="{name}">{in_html(style.label)}</span>'
        )
    reward = f" <strong>{_signed(paid)}</strong>" if isinstance(paid, int | float) else ""
    return f'<span class="seat">{badge}{reward}</span>'


def _signed(number: float) -> str:
    return f"{number:+.3g}".replace("-", "−") if number else "0"


@lru_cache(maxsize=256)
def _styles(protocol: str) -> Mapping[str, AgentStyle]:
    """The look of a protocol's seats; none where it is nobody's here."""
    try:
        return agent_styles(protocol_spec(HyperParameters(interaction_protocol=protocol)))
    except NipError:
        return {}
