"""The controls: the protocol, its payoff, and how the verifier plays."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.choice import ProtocolChoice
from explorer.hosts import is_public
from explorer.rewards import (
    CHANCES,
    DEFAULT_PROTOCOL,
    KEYS,
    MOST_LOGITS,
    PLAYS,
    Valuation,
    judge_of,
    parameter_label,
    read_rows,
)
from explorer.ui.choosing import Choosing
from explorer.ui.layout import address, change_address
from explorer.ui.page_link import SWITCH, from_link
from explorer.ui.protocol_families import show_cards
from explorer.ui.rewards.random_play import show_random_play
from explorer.ui.text import alert, dropdown, escaped, small
from explorer.ui.uploads import UploadTooLargeError, read_once
from nip_core.displays import capitalized
from nip_core.errors import ModelError, NipError, NoVerdictError
from nip_core.play import Episode
from nip_core.values import judged

MOST_ROUNDS, MOST_RECORDED = 1000, 500
# The views' own keys in the address; the views report values that they cannot use.
OF_VIEWS = (
    *("show", "along", "answers-right", "rounds", "symbols", "prover-knows", "verifier-knows"),
    *("digits", "own"),
)


# The protocol is written into the address by REWARDS, all other choices by :func:`_take`.
REWARDS = Choosing("rewards", DEFAULT_PROTOCOL, (*KEYS, *OF_VIEWS), MOST_ROUNDS)


def choose(problems: list[str]) -> Valuation | None:
    """Show the controls, return the choices; None while a table is missing or wrong.

    What is wrong with the address is added to `problems`.
    """
    choice, wrong = REWARDS.choice()
    valuation, impossible = Valuation(choice).with_chances(address())
    problems += wrong + impossible
    show_cards(REWARDS)
    if REWARDS.opens:
        return None
    bar = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    _protocol(choice, bar)
    try:
        chances = valuation.chances(valuation.protocol())
    except NoVerdictError as error:
        show_random_play(choice, error.reason)
        return None
    except NipError as error:
        alert("info", str(error))
        return None
    valuation = _play(valuation, bar)
    with st.container(horizontal=True):
        _show_chances(valuation, chances)
    if valuation.play == "table":
        return _own_table(valuation)
    return _recorded(valuation) if valuation.play == "recorded" else valuation


def _protocol(choice: ProtocolChoice, bar: DeltaGenerator) -> None:
    if choice.controls:
        with bar.popover("Rounds and order"):
            REWARDS.show_controls()
    if choice.payoffs:
        with bar.popover("Payoffs"):
            REWARDS.show_payoffs()


def _play(valuation: Valuation, bar: DeltaGenerator) -> Valuation:
    # On a shared server, games of others are not shown.
    plays = {play: title for play, title in PLAYS.items() if play != "recorded" or not is_public()}
    play = valuation.play if valuation.play in plays else next(iter(plays))
    st.session_state["rewards-play"] = play
    with bar:
        label = f"{capitalized(judge_of(valuation.protocol()))} plays"
        dropdown(escaped(label), plays, key="rewards-play", on_change=_take, width=240)
    return dataclasses.replace(valuation, play=play)


def _show_chances(valuation: Valuation, chances: Iterable[str]) -> None:
    """Show a slider for each chance that has an effect, and a field for the number of logits."""
    for name in chances:
        label, text = parameter_label(valuation, name), CHANCES[name][1]
        key = f"rewards-{name}"
        st.session_state[key] = getattr(valuation, name)
        look: dict[str, Any] = {"help": escaped(text), "key": key, "on_change": _take}
        st.slider(escaped(label), 0.0, 1.0, step=0.01, width=250, **look)
    if valuation.choice.is_zero_knowledge:
        st.session_state["rewards-logits"] = valuation.logits
        st.number_input(
            "Logits of a message",
            *(1, MOST_LOGITS),
            help="Positions times logits. Messages and decisions are independent Gaussian logits.",
            key="rewards-logits",
            on_change=_take,
            width=250,
        )


def _take() -> None:
    """Write what the controls have into the address; a quick person may have changed several."""
    keys = {name: f"rewards-{name}" for name in KEYS if f"rewards-{name}" in st.session_state}
    now, _ = Valuation(REWARDS.choice()[0]).with_chances(address())
    chosen = {name: st.session_state[key] for name, key in keys.items()}
    change_address(dataclasses.replace(now, **chosen).chances_to_query(), KEYS)


def _own_table(valuation: Valuation) -> Valuation | None:
    file = st.file_uploader(
        "Rows with round, label, reject, accept, go_on (and, if you like, variant and state)",
        type=["csv", "json"],
        key="rewards-table",
    )
    if file is None:
        small("Turns without a row are played at random. Export has a table to start from.")
    try:
        rows = read_once("rewards-table", file, read_rows)
        if rows is None:
            return None
        valuation = dataclasses.replace(valuation, rows=rows)
        valuation.model(valuation.protocol())
    except (ModelError, UploadTooLargeError) as error:
        alert("error", str(error))
        return None
    return valuation


def _recorded(valuation: Valuation) -> Valuation | None:
    from explorer.rewards import recorded_play

    protocol = valuation.protocol()
    records = recorded_play(_recorded_episodes(judged(protocol).name), protocol)
    if not records:
        alert("info", "No game of this protocol has been finished here yet.")
        return None
    small(
        f"Estimated from {len(records)} finished variation{'' if len(records) == 1 else 's'}. One "
        "decision of each kind is added for each turn, so that a few games do not look like "
        "certainty."
    )
    return dataclasses.replace(valuation, records=records)


def _recorded_episodes(protocol: str) -> list[Episode]:
    """Return the games of a protocol that were played here; none on a shared server."""
    if is_public():
        return []
    # Read only on request, so that the page does not wait for the database.
    from explorer.storage import Criteria
    from explorer.ui.database import storage

    kept = storage()
    entries = kept.find(Criteria(protocol=protocol), limit=MOST_RECORDED)
    return [kept.load(entry.id).finished() for entry in entries if entry.outcome != "running"]


def asked_episodes(protocol: str) -> list[Episode]:
    """Offer to compare theory with the games played here; return them if the user wants that."""
    from_link("own", () if is_public() else SWITCH)
    if is_public() or not st.toggle("Games played here", key="own", bind="query-params"):
        return []
    return _recorded_episodes(protocol)
