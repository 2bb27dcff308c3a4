"""The controls: the protocol, its payoff, and how the verifier plays."""

from __future__ import annotations

import dataclasses

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.hosts import is_public
from explorer.rewards import CHANCES, MOST_LOGITS, PLAYS, Valuation, read_rows
from explorer.ui.controls import choose_payoff, choose_schedule, tell_link
from explorer.ui.rewards.parts import LINK
from explorer.ui.text import alert, dropdown, escaped, small
from explorer.ui.uploads import UploadTooLargeError, read_once
from nip_core.errors import ModelError
from nip_core.parameters import HyperParameters
from nip_core.play import Episode
from nip_core.registry import protocol_infos, protocol_spec, protocol_title

MOST_ROUNDS, MOST_RECORDED = 1000, 500
# The views' own keys in the address; the views report values that they cannot use.
OF_VIEWS = (
    *("show", "along", "answers-right", "rounds", "symbols", "prover-knows", "verifier-knows"),
    *("digits", "own"),
    # Streamlit's own keys.
    *("embed", "embed_options"),
)


def choose() -> Valuation | None:
    """Show the controls, return the choices; None while a table is missing or wrong."""
    asked, refused = Valuation.from_query(_link())
    refused += [name for name in _link() if not Valuation.is_part(name) and name not in OF_VIEWS]
    parameters = tell_link(asked.parameters, refused, MOST_ROUNDS)
    asked = dataclasses.replace(asked, parameters=parameters)
    bar = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    parameters = _protocol(asked.parameters, bar)
    valuation = _play(asked, parameters, bar)
    if valuation is not None:
        _tell_address(valuation)
    return valuation


def _link() -> dict[str, str]:
    """Return the original address, since later choices must not change the defaults."""
    return st.session_state.setdefault(LINK, st.query_params.to_dict())


def _tell_address(valuation: Valuation) -> None:
    """Write all choices into the address, except for the keys that views write themselves."""
    now, wanted = st.query_params.to_dict(), valuation.to_query()
    for name in now:
        if Valuation.is_part(name) and name not in wanted:
            del st.query_params[name]
    for name, text in wanted.items():
        if now.get(name) != text:
            st.query_params[name] = text


def _protocol(asked: HyperParameters, bar: DeltaGenerator) -> HyperParameters:
    names = {info.name: protocol_title(info.name) for info in protocol_infos()}
    usual = asked.interaction_protocol
    with bar:
        name = dropdown("Protocol", names, usual, key="rewards-protocol", width=320)
    parameters = asked
    if name != asked.interaction_protocol:
        parameters = HyperParameters(interaction_protocol=name)
    with bar.popover("Rounds and order"):
        parameters = choose_schedule(parameters, "rewards", most_rounds=MOST_ROUNDS)
    with bar.popover("Payoffs"):
        return choose_payoff(parameters, f"rewards-{name}")


def _play(asked: Valuation, parameters: HyperParameters, bar: DeltaGenerator) -> Valuation | None:
    # On a shared server, games of others are not shown.
    plays = {each: title for each, title in PLAYS.items() if each != "recorded" or not is_public()}
    first = asked.play if asked.play in plays else None
    with bar:
        play = dropdown("The verifier plays", plays, first, key="rewards-play", width=240)
    valuation = dataclasses.replace(asked, parameters=parameters, play=play)
    with st.container(horizontal=True):
        valuation = _chances(asked, valuation)
    if play == "table":
        return _own_table(valuation)
    if play == "recorded":
        return _recorded(valuation)
    return valuation


def _chances(asked: Valuation, valuation: Valuation) -> Valuation:
    """Show a slider for each chance that has an effect, and return the valuation."""
    for name in valuation.chances(valuation.handler()):
        label, text, _ = CHANCES[name]
        value = st.slider(
            escaped(label),
            *(0.0, 1.0, float(getattr(asked, name)), 0.01),
            help=escaped(text),
            key=f"rewards-{name}",
            width=250,
        )
        valuation = dataclasses.replace(valuation, **{name: value})
    if valuation.parameters.protocol_common.zero_knowledge:
        logits = st.number_input(
            "Logits of a message",
            *(1, MOST_LOGITS, asked.logits),
            help="Positions times logits. Messages and decisions are independent Gaussian logits.",
            key="rewards-logits",
            width=250,
        )
        valuation = dataclasses.replace(valuation, logits=int(logits))
    return valuation


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
        valuation.model(valuation.handler())
    except (ModelError, UploadTooLargeError) as error:
        alert("error", str(error))
        return None
    return valuation


def _recorded(valuation: Valuation) -> Valuation | None:
    from explorer.rewards import recorded_play

    spec = protocol_spec(valuation.parameters)
    records = recorded_play(_recorded_episodes(spec.name), spec)
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
    found = kept.find(Criteria(protocol=protocol), limit=MOST_RECORDED)
    return [kept.load(entry.id).finished() for entry in found if entry.outcome != "running"]


def asked_episodes(protocol: str) -> list[Episode]:
    """Offer to compare theory with the games played here; return them if the user wants that."""
    if is_public() or not st.toggle("Games played here", key="own", bind="query-params"):
        return []
    return _recorded_episodes(protocol)
