"""The head of the page: the protocol, its settings, and what it pays."""

from __future__ import annotations

import streamlit as st

from explorer.choice import ProtocolChoice
from explorer.pictures import AgentStyle, seat_styles
from explorer.rewards import Payoff, payoffs
from explorer.ui.choosing import Choosing
from explorer.ui.layout import address, link, page_address, theme
from explorer.ui.protocol_families import show_cards
from explorer.ui.text import escaped, in_html
from nip_core.language import Specification

MOST_ROUNDS = 1000
DEFAULT_PROTOCOL = "nip"
# The page's own entries in the address, and those of its former views.
ENTRIES = ("q", "shows", "fakes", "own", "prior", "fresh", "repeat", "knows", "judge", "at")
FORMER = (
    *("play", "decides", "accepts_true", "accepts_false", "accuracy", "stance", "logits"),
    *("show", "along", "answers-right", "rounds", "symbols", "prover-knows", "verifier-knows"),
    *("digits",),
)

REWARDS = Choosing("rewards", DEFAULT_PROTOCOL, (*ENTRIES, *FORMER), MOST_ROUNDS)


def choose(problems: list[str]) -> ProtocolChoice | None:
    """Show the protocol's chips; return the choice, None while a document is to be opened."""
    choice, wrong = REWARDS.choice()
    problems += wrong
    with st.container(horizontal=True, vertical_alignment="center", key="nip-chips-worth"):
        name = "Open a specification" if REWARDS.opens else choice.title
        picker = st.popover(f"**{escaped(name)}**", key="rewards-protocol", on_change="rerun")
        if picker.open:
            with picker:
                show_cards(REWARDS)
        if choice.controls and not REWARDS.opens:
            named = [c.with_value(c.value) for c in choice.controls if c.phrase]
            label = named[0] if named else "Settings"
            with st.popover(escaped(label), key="rewards-settings"):
                REWARDS.show_controls()
        everything = {"q": "all"} if address().get("q") != "all" else {}
        text = "All protocols" if everything else "One protocol"
        st.html(
            link(page_address("rewards", choice.to_query() | everything), text), width="content"
        )
    if REWARDS.opens:
        if not picker.open:
            show_cards(REWARDS)
        return None
    return choice


def show_payoffs(choice: ProtocolChoice, spec: Specification) -> None:
    """Show what each seat is paid, in a sentence for each, and the controls that change it."""
    with st.container(horizontal=True, vertical_alignment="center", key="nip-payoffs"):
        st.html(payoffs_html(spec))
        if choice.payoffs:
            with st.popover("Change payoffs", key="rewards-payoffs"):
                REWARDS.show_payoffs()


def payoffs_html(spec: Specification) -> str:
    """Return the sentences as HTML; long ones open with a click."""
    styles = seat_styles(spec)
    items = "".join(f"<li>{_item(styles, payoff)}</li>" for payoff in payoffs(spec))
    return f'<ul class="nip-payoffs" aria-label="Payoffs">{items}</ul>'


def _item(styles: dict[str, AgentStyle], payoff: Payoff) -> str:
    badges = "".join(badge(styles[seat]) for seat in payoff.seats)
    text = in_html(payoff.text)
    if payoff.is_short:
        return f"{badges} <span>{text}</span>"
    return f"<details><summary>{badges} <span>{text}</span></summary></details>"


def badge(style: AgentStyle) -> str:
    """Return a seat's badge as HTML."""
    look = theme()
    colours = f"background:{style.fill(look)};color:{style.ink(look)}"
    name = in_html(style.name)
    return f'<abbr class="nip-badge" title="{name}" style="{colours}">{in_html(style.label)}</abbr>'
