"""Choosing what a protocol's page shows: the protocol, its parameters, a second one, a round."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from explorer.choice import (
    OWN,
    Control,
    NumberRange,
    ProtocolChoice,
    is_second,
    quoted,
    source_named,
    unknown_entries,
)
from explorer.pictures import Folding, Shown, View, specified, variants_of
from explorer.ui.choosing import Choosing, choose_all
from explorer.ui.fronts import ROUND
from explorer.ui.layout import address, change_address
from explorer.ui.page_link import SWITCH, from_link, judge
from explorer.ui.protocol_families import show_cards
from explorer.ui.text import escaped, segments, whole_number
from nip_core.displays import in_sentence
from nip_core.language import Specification
from nip_core.spec import round_of_shown, shown_round

DEFAULT, OTHER = "mnip", "debate"
MOST_NAMED = 8  # protocols that are read in a former link


@dataclass(frozen=True)
class ShownProtocol:
    """A protocol on the page.

    Parameters
    ----------
    choice : ProtocolChoice
    seed : int, optional
        The episode's seed, for protocols that draw a variant; without it, all variants are shown.
    members : bool
        Whether members of large families are drawn each by itself.
    """

    choice: ProtocolChoice
    seed: int | None
    members: bool = False

    @property
    def shown(self) -> Shown:
        """The protocol in the form that pictures take."""
        return Shown(self.choice.spec, self.name, self.seed, self.members)

    @property
    def spec(self) -> Specification:
        """The specification."""
        return self.shown.spec

    @property
    def name(self) -> str:
        """The protocol's name on the page."""
        return self.choice.title


SELECTED, ASKED = "selected round", "round that the address asked for"


def selected_column(columns: int) -> int:
    """Return the number of the selected column, from 0; both protocols share it."""
    asked = st.query_params.get(ROUND)
    # The browser writes each choice into its address without notifying us. So a value there is a
    # new request, such as a link or the browser's Back, only if it differs from the last one we
    # read.
    if asked != st.session_state.get(ASKED):
        st.session_state[ASKED] = asked
        number = whole_number(asked)
        st.session_state[SELECTED] = None if number is None else round_of_shown(number)
    return max(0, min(columns - 1, st.session_state.get(SELECTED) or 0))


def take_up(choice: dict[str, Any]) -> None:
    """Select a round that was chosen in the picture; a browser may send anything."""
    if not isinstance(choice, dict):
        return
    chosen = choice.get("round")
    if isinstance(chosen, int) and not isinstance(chosen, bool) and 0 <= chosen < 10**9:
        st.session_state[SELECTED] = chosen
    st.session_state["pick"] = str(choice.get("pick"))


def with_round(query: dict[str, str]) -> dict[str, str]:
    """Return the query of an address with the selected round added."""
    selected = st.session_state.get(SELECTED)
    return {**query, ROUND: str(shown_round(selected))} if selected else query


# Up to this many rounds, page and picture react within a tenth of a second. In Chromium, on two
# busy cores, a key press is painted after 30 ms with this many rounds of mnip, after 160 ms with
# 1,000.
MOST_ROUNDS = 400
MOST_SEED = 1_000_000
KINDS: dict[str, View] = {
    "Grid": "grid",
    "Sequence": "sequence",
    "Who reads what": "visibility",
}
VIEWS = tuple(KINDS)
BESIDE = "beside"  # in former links: protocols in one table
# The other entries of the address.
ENTRIES = ("view", "round", "compare", "seed", "members", BESIDE)
FIRST = Choosing(
    "protocols", DEFAULT, ENTRIES, MOST_ROUNDS, more=lambda: with_round({}), compares=True
)
_SECOND = replace(FIRST, page="protocols 2", default=OTHER, entries=("seed",), second=True)


def _second_to(first: ProtocolChoice) -> Choosing:
    """Return the choice of the protocol that is compared with the first one."""
    return _SECOND if first.name != OTHER else replace(_SECOND, default=DEFAULT)


def _choose(name: object) -> None:
    """Select a protocol that was chosen; a browser may send anything."""
    before = FIRST.last()
    if not isinstance(name, str) or name == before.name:
        return
    if name == OWN:
        FIRST.switch(name)
    elif source := source_named(name):
        choice = before.switched_to(source)
        # A protocol is not compared with itself, but with the one that it replaces.
        second = _second_to(before)
        swaps = "protocol_2" in address() and second.choice()[0].name == name
        choose_all({FIRST: choice, **({second: before.base} if swaps else {})})


def open_former(choice: ProtocolChoice, problems: list[str]) -> None:
    """Compare with the first protocol that a former link has beside the chosen one."""
    named = [n for n in st.query_params.get(BESIDE, "").split(",")[:MOST_NAMED] if n]
    if BESIDE not in st.query_params:
        return
    known = [name for name in named if source_named(name) and name != choice.name]
    if known:
        change_address({"compare": "true", "protocol_2": known[0]}, [BESIDE])
    else:
        change_address({}, [BESIDE])
    left = [name for name in named if name not in (*known[:1], choice.name)]
    if left:
        problems.append(
            f"Two protocols are compared at a time, so {', '.join(map(quoted, left))} "
            f"{'was' if len(left) == 1 else 'were'} left out."
        )


def choose_settings(
    problems: list[str], first: ProtocolChoice, *, compare: bool
) -> list[ShownProtocol]:
    """Show the controls of a protocol, or of two that are compared; return them.

    What is wrong with the second one's part of the address is added to `problems`.
    """
    protocols = [show_settings(first, alone=not compare)]
    if compare:
        other = _second_to(first)
        second, wrong = other.choice()
        problems += [f"Of the second protocol: {problem}" for problem in wrong]
        protocols.append(show_settings(second, other))
    return protocols


def show_settings(
    choice: ProtocolChoice, choosing: Choosing = FIRST, *, alone: bool = False
) -> ShownProtocol:
    """Show the controls of one protocol, `alone` or one of two; return what is shown.

    Those with a short name are chips that open; the others are folded away.
    """
    suffix = "_2" if choosing.second else ""
    key = f"seed{suffix}"
    with st.container(horizontal=True, vertical_alignment="center", key=f"nip-chips{suffix}"):
        label = "Another protocol" if alone else f"**{escaped(choice.title)}**"
        others = st.popover(label, key=f"others{suffix}", on_change="rerun")
        if others.open or choosing.opens:
            with others:
                show_cards(choosing, on_choice=None if suffix else _choose, opens=bool(suffix))
        chips = st.container(horizontal=True, width="content", key=f"nip-chips-shown{suffix}")
        more = None
        for control in choosing.controls():
            if not control.phrase and more is None:
                more = st.popover("More", key=f"more{suffix}")
            with chips if control.phrase or more is None else more:
                _show_control(choosing, control, suffix)
        variants = variants_of(specified(choice.spec))
        with chips:
            seed = _seed(variants, suffix) if variants > 1 else None
            members = alone and _unfolded(choice)
    if key in address() and variants == 1:
        judge(key, unknown_entries(choice.title, [key], choice.source.defaults).in_link)
    return ShownProtocol(choice, seed, members)


def _show_control(choosing: Choosing, control: Control, suffix: str) -> None:
    if isinstance(control.value, bool):
        choosing.show(control, short=True)
    elif control.phrase:
        short = escaped(control.with_value(control.value))
        with st.popover(short, key=f"of {control.name}{suffix}"):
            choosing.show(control)
    else:
        choosing.show(control)


def _unfolded(choice: ProtocolChoice) -> bool:
    """Let a person unfold the large families of a protocol, if it has any."""
    folding = Folding(specified(choice.spec))
    if not folding.families:
        unused = f"{choice.title} has no family that could be unfolded, so members was left out."
        judge("members", unused)
        return False
    from_link("members", SWITCH, "false")
    seats = [one for one in folding.families if one.section == "seats"]
    named = seats or folding.families
    each = in_sentence(folding.stem(named[0].members[0]))
    label = f"Show every {each}" if len(named) == 1 else "Show all members"
    return st.toggle(escaped(label), key="members", bind="query-params")


def _seed(variants: int, suffix: str) -> int | None:
    key = f"seed{suffix}"
    from_link(key, NumberRange(0, MOST_SEED))
    now = st.session_state.get(key)
    with st.popover("Any seed" if now is None else f"Seed {now:d}", key=f"of {key}"):
        return st.number_input(
            "Seed",
            min_value=0,
            max_value=MOST_SEED,
            value=None,
            placeholder="any",
            help=f"An episode's seed picks one of {variants:d} schedules. Leave it empty to "
            "see all of them at once.",
            key=key,
            bind="query-params",
        )


def is_comparing() -> bool:
    """Return whether two protocols are compared."""
    compares = from_link("compare", SWITCH, "false") == "true"
    for name in filter(is_second, address()):
        left_out = f"{name} needs compare=true, so it was left out."
        judge(name, "" if compares else left_out)
    return compares


def begin_comparing() -> None:
    """Compare the chosen protocol with another one."""
    change_address({"protocol": FIRST.last().name, "compare": "true"}, ["view"])


def end_comparing() -> None:
    """Show the first protocol only."""
    change_address({"protocol": FIRST.last().name}, ["compare", *filter(is_second, address())])


def pick_view() -> View:
    """Let a person choose what is drawn; return the view."""
    from_link("view", VIEWS, VIEWS[0])
    look = {"key": "view", "bind": "query-params", "label_visibility": "collapsed"}
    return KINDS[segments("View", VIEWS, VIEWS[0], **look)]
