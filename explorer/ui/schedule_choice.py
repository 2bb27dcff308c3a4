"""Choosing protocols on the Schedule page: cards, parameters and rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.errors import StreamlitAPIException

from explorer.address import OWN, SETTING, WRITTEN
from explorer.parameter_controls import ParameterControl, offer_controls
from explorer.pictures import Shown
from explorer.ui.fronts import ROUND, show_protocols
from explorer.ui.protocol_families import link_of, offered, own_specification, shown_cards
from explorer.ui.text import dropdown, escaped, quoted, segments, whole_number
from nip_core.errors import NipError
from nip_core.handler import ProtocolHandler
from nip_core.language import Specification
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.registry import (
    build_protocol_handler,
    protocol_names,
    protocol_title,
    published_names,
    specification,
    version_2,
)
from nip_core.spec import ProtocolSpec, round_of_shown, shown_round

DEFAULT, OTHER = "mnip", "debate"


@dataclass(frozen=True)
class ShownProtocol:
    """A protocol on the page.

    Parameters
    ----------
    seed : int, optional
        The episode's seed, for protocols that draw a variant; without it, all variants are shown.
    """

    parameters: HyperParameters
    seed: int | None

    @cached_property
    def handler(self) -> ProtocolHandler:
        """The handler for the parameters."""
        return build_protocol_handler(self.parameters, ExperimentSettings())

    @property
    def spec(self) -> ProtocolSpec:
        """The specification."""
        return self.handler.spec

    @property
    def shown(self) -> Shown:
        """The protocol in the form that pictures take."""
        return Shown(self.name, self.spec, self.seed)

    @property
    def name(self) -> str:
        """The protocol's name on the page."""
        title = protocol_title(self.spec)
        return f"{title}, zero knowledge" if self.spec.is_zero_knowledge else title


SELECTED, ASKED = "selected round", "round that the address asked for"


def selected_round(protocols: list[ShownProtocol]) -> int:
    """Return the selected round, from 0; both protocols share it."""
    return selected_column(rounds_of(protocols))


def rounds_of(protocols: list[ShownProtocol]) -> int:
    """Return how many rounds the longer one has."""
    return max(protocol.spec.max_message_rounds for protocol in protocols)


def selected_column(columns: int) -> int:
    """Return the number of the selected column, from 0."""
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


def check_columns(problems: list[str], columns: int) -> None:
    """Warn if a link names a column (in version 1: a round) that the grid does not have."""
    text = st.query_params.get(ROUND)
    # A person may later choose fewer rounds; then the last one is shown.
    if st.session_state.setdefault("round of the link", text or "") != text:
        return
    st.session_state["round of the link"] = ""
    if text is not None and whole_number(text) != shown_round(selected_column(columns)):
        problems.append(f"There is no round {quoted(text)}; there are 1 to {columns}.")


# Up to this many rounds, page and picture react within a tenth of a second. In Chromium, on two
# busy cores, a key press is painted after 30 ms with this many rounds of mnip, after 160 ms with
# 1,000.
MOST_ROUNDS = 400
MOST_SEED = 1_000_000
VIEWS = ("Grid", "Sequence", "Who reads what")
KINDS = {"Grid": "grid", "Sequence": "sequence", "Who reads what": "visibility"}


def choose_protocol(problems: list[str]) -> str:
    """Let a person choose a protocol; return its name.

    Names in the address that do not exist are added to `problems`.
    """
    asked = st.query_params.to_dict()
    name = _of_either(problems, asked.get("protocol", DEFAULT))
    # A family without protocols, as "own" is at first, takes no place.
    if cards := shown_cards(name):
        show_protocols(cards, name, query=urlencode(asked), key="protocols", on_choice=_choose)
    return name


def _of_either(problems: list[str], name: str) -> str:
    """Return the protocol (of either version) that an address names, or the default one."""
    if name == OWN:
        try:
            if own_specification(st.query_params.to_dict()) is not None:
                return OWN
            problems.append(
                "This link does not contain its specification. Open its file under Yours."
            )
        except NipError as error:
            problems.append(str(error))
        return DEFAULT
    published = version_2(name)
    return _known(problems, name, DEFAULT) if published is None else published.name


def own_protocol() -> Specification | None:
    """Return the specification of a person's own, if there is one that can be used."""
    try:
        return own_specification(st.query_params.to_dict())
    except NipError:
        return None  # the place where it is opened shows the reason


def _choose_other(problems: list[str], first: str) -> str:
    """Let a person choose a protocol to compare with; return its name."""
    # Not bound to the address, since binding would write full names into it.
    other = OTHER if first != OTHER else DEFAULT
    key, asked = "compared with", st.query_params.get("protocol_2", other)
    st.session_state[key] = now = _known(problems, asked, other)

    def chosen() -> None:
        st.query_params.update(with_round({"protocol_2": st.session_state[key]}))

    return dropdown(
        "Compared with",
        {info.name: protocol_title(info.name) for info in offered(now)},
        key=key,
        on_change=chosen,
        width=320,
        label_visibility="collapsed",
    )


def _known(problems: list[str], name: str, default: str) -> str:
    """Return the protocol that an address names, or the default if no protocol has that name."""
    known = protocol_names()
    if name in known:
        return name
    problems.append(
        f"There is no protocol {quoted(name)} here, so this is {protocol_title(default)}. "
        f"There are {', '.join((*known, *published_names()))}."
    )
    return default


def _choose(name: object) -> None:
    """Select a protocol that was chosen; a browser may send anything."""
    if not isinstance(name, str) or name not in (OWN, *protocol_names(), *published_names()):
        return
    own = own_protocol()
    if name == OWN and own is None:
        return
    query = st.query_params.to_dict()
    asked = query.get("protocol", DEFAULT)
    before = _of_either([], asked)
    # In one step, since each further change of the address would be one more step of Back.
    gone = _settings_of(before) - _settings_of(name)
    if not {name, before} <= {*protocol_names()}:
        # A setting's default differs between protocols.
        gone |= _settings_of(before)
    kept = {key: value for key, value in query.items() if key not in gone}
    chosen = {"protocol": name} if own is None or name != OWN else link_of(own, OWN)
    if query.get("protocol_2") == name:
        # A protocol is not compared with itself, but with the one that it replaces.
        chosen["protocol_2"] = before
    try:
        st.query_params.from_dict(with_round({**kept, **chosen}))
    except StreamlitAPIException:
        # Some keys belong to controls that stay on the page; then one step of Back has no effect.
        st.query_params.update(with_round(chosen))


def _settings_of(name: str) -> set[str]:
    """Return the keys of a protocol's settings under its present values."""
    if name == OWN:
        own = own_protocol()
        settings = () if own is None else own.settings
        return {WRITTEN, *(f"{SETTING}{setting}" for setting, _ in settings)}
    if name in published_names():
        return {f"{SETTING}{setting}" for setting, _ in specification(name).settings}
    offered: set[str] = {"compare", "protocol_2"}

    def offer(parameters: HyperParameters, control: ParameterControl) -> HyperParameters:
        offered.add(control.name)
        now = st.session_state.get(control.name, control.value)
        return control.applied_to(parameters, now)

    parameters = offer_controls(HyperParameters(interaction_protocol=name), offer)
    variants = ShownProtocol(parameters, None).spec.num_variants
    return offered | {"seed"} if variants > 1 else offered


def choose_settings(problems: list[str], name: str, *, compare: bool) -> list[ShownProtocol]:
    """Show the parameters of a protocol and of the one it is compared with; return both."""
    protocols = [_shown(problems, name, "")]
    if compare:
        protocols.append(_shown(problems, lambda: _choose_other(problems, name), "_2"))
    return protocols


def _shown(problems: list[str], protocol: str | Callable[[], str], suffix: str) -> ShownProtocol:
    """Show the controls of one protocol; return it with the chosen parameters.

    `suffix` distinguishes the second protocol's keys in the address.
    """
    with st.container(horizontal=True, vertical_alignment="center", key=f"nip-chips{suffix}"):
        name = protocol if isinstance(protocol, str) else protocol()
        chips = st.container(horizontal=True, width="content", key=f"nip-chips-shown{suffix}")
        more = None

        def offer(parameters: HyperParameters, control: ParameterControl) -> HyperParameters:
            nonlocal more
            if not control.phrase and more is None:
                more = st.popover("More", key=f"more{suffix}")
            with chips if control.phrase or more is None else more:
                value = _value_from(problems, control, f"{control.name}{suffix}")
            return control.applied_to(parameters, value)

        parameters = offer_controls(HyperParameters(interaction_protocol=name), offer)
        variants = ShownProtocol(parameters, None).spec.num_variants
        with chips:
            seed = _seed(variants, suffix) if variants > 1 else None
        return ShownProtocol(parameters, seed)


def _seed(variants: int, suffix: str) -> int | None:
    key = f"seed{suffix}"
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


def _value_from(problems: list[str], control: ParameterControl, key: str) -> Any:
    """Show the control of a parameter (a switch, or a chip that opens); return its value."""
    text = escaped(control.help)
    if isinstance(control.value, bool):
        label = escaped(control.with_value(control.value))
        return st.toggle(label, value=control.value, help=text, key=key, bind="query-params")
    most = MOST_ROUNDS if control.high is None else min(control.high, MOST_ROUNDS)
    now = _set_to(problems, control, key, most)
    if not control.phrase:
        return _entry(control, key, most)
    with st.popover(escaped(control.with_value(now)), key=f"of {key}"):
        return _entry(control, key, most)


def _entry(control: ParameterControl, key: str, most: int) -> Any:
    """Show the field for a number or the list of values; return the choice."""
    label, text = escaped(control.label), escaped(control.help)
    if control.choices is not None:
        look = {"help": text, "key": key, "bind": "query-params"}
        return dropdown(label, control.choices, control.value, **look)
    value: int = control.value
    return st.number_input(
        label,
        min_value=control.low,
        max_value=most,
        value=value,
        help=text,
        key=key,
        bind="query-params",
    )


def _set_to(problems: list[str], control: ParameterControl, key: str, most: int) -> Any:
    """Return a parameter's value, which is only in the address when the page is opened."""
    asked = st.query_params.get(key)
    if key in st.session_state or asked is None:
        return st.session_state.get(key, control.value)
    if control.choices is not None:
        found = [choice for choice in control.choices if str(choice) == asked]
        allowed = ", ".join(map(str, control.choices))
    else:
        low = control.low or 0
        number = whole_number(asked)
        found = [number] if number is not None and low <= number <= most else []
        allowed = f"{low} to {most}"
    if not found:
        problems.append(
            f"{control.label} cannot be {quoted(asked)}, so it is {control.value}. "
            f"It may be {allowed}."
        )
    return found[0] if found else control.value


def pick_view(problems: list[str]) -> str:
    """Let a person choose what is drawn; return the name of the view."""
    asked: str = st.query_params.get("view", VIEWS[0])
    if asked not in KINDS:
        problems.append(f"There is no view {quoted(asked)}; there are {', '.join(VIEWS)}.")
    look = {"key": "view", "bind": "query-params", "label_visibility": "collapsed"}
    return KINDS[segments("View", VIEWS, VIEWS[0], **look)]
