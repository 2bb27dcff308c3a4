"""Models at a table: the visitor's consent, progress, failures, and advice for a seat."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from explorer.play import (
    HUMAN,
    Around,
    Keys,
    StoredTable,
    draft_of,
    failed_worker,
    grants,
    in_words,
    unconfirmed,
    work_at,
)
from explorer.players import (
    AddressRefusedError,
    Client,
    LLMError,
    LLMFailedError,
    LLMPlayer,
    LLMSettings,
    Secret,
    ServerPolicy,
    find_key,
    missing_key,
)
from explorer.ui.acting import Click, SaidOnce, ask_button, said_once, table_button
from explorer.ui.play.model_form import (
    ModelChoice,
    choose_model,
    chosen_model,
    latest_settings,
)
from explorer.ui.play.seats import Chosen, choose_caps, choose_models, chosen_caps
from explorer.ui.text import alert, dropdown, escaped, segments, small
from explorer.ui.visitor import visitor
from explorer.usage import UsageBudget
from nip_core.errors import PlayError
from nip_core.play import Move, View

# The key of the choice for how long somebody else moves for a model, and its options.
HOW_LONG, ONCE, FROM_NOW_ON = "llm-how-long", "This move", "From now on"
CAPS_SET = "caps-set"


# -- when one fails -----------------------------------------------------------------------------


def say_what_failed(table: StoredTable, failure: tuple[str, str]) -> None:
    """Show why a model's move failed, as far as a seat may see it, and what can be done."""
    words, raw = failure
    if words:
        alert("error", words)
    if raw:
        with st.expander("What the model wrote"):
            st.text(raw)
    if words:
        _after_failure(table)


def _after_failure(table: StoredTable) -> None:
    caps = f"again-{table.id}" if _is_over_budget(table) else None
    if caps:
        choose_caps(caps, table.caps(visitor()))
    with st.container(horizontal=True):
        table_button(
            "Try again",
            _try_again,
            table,
            key="llm-again",
            fields=lambda: chosen_caps(caps) if caps else None,
            kind="primary",
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ways = (ONCE, FROM_NOW_ON)
        segments("Or somebody else moves for it", ways, ONCE, key=HOW_LONG)
        for label, kind, key in (
            ("I move for it", HUMAN, "llm-take-seat"),
            ("A scripted player moves for it", "scripted", "llm-script-seat"),
        ):
            table_button(label, partial(_replace, kind), table, key=key, fields=_is_once)
    small(
        "Where no scripted player exists, the move is random. Or change the models, their "
        "settings or keys:"
    )


def _try_again(table: StoredTable, caps: UsageBudget | None) -> None:
    if caps is not None:
        table.set_caps(visitor(), caps)
    work_at(table.storage, table.id, visitor())


def _is_once() -> bool:
    return st.session_state[HOW_LONG] == ONCE


def _replace(kind: str, table: StoredTable, once: bool) -> None:
    table.replace_models(kind, once=once)
    if kind != HUMAN:
        work_at(table.storage, table.id, visitor())


# -- changing them ------------------------------------------------------------------------------


def _is_over_budget(table: StoredTable) -> bool:
    worker = failed_worker(table)
    return worker is not None and worker.over_budget


def offer_changes(table: StoredTable, about: Around) -> None:
    """Let a person change a table's models and budget during a game."""
    # All models are offered in the same way, since which one is to move, or has failed, may be
    # hidden.
    seats = table.once_models
    if not seats or about.settled:
        return
    with st.popover("Models"):
        if not st.toggle("Change the models", key="change-models"):
            return
        if about.at_work:
            small("A model is at work. Stop it first, or wait for its move.")
            return
        names = {agent: table.spec.seat_name(agent) for agent in seats}
        agent = dropdown("Seat", names, key=f"change-seat-{table.id}", width=280)
        _change(table, agent, seats[agent])
        if not _is_over_budget(table):
            _change_caps(table)


def _change_caps(table: StoredTable) -> None:
    st.markdown("**For the whole episode**")
    caps = f"change-{table.id}"
    choose_caps(caps, table.caps(visitor()))
    table_button(
        "Set this cap", _set_caps, table, key="change-caps", fields=partial(chosen_caps, caps)
    )
    if said_once(st.session_state, CAPS_SET):
        alert("success", "The new cap applies from now on. What was used before still counts.")


def _set_caps(table: StoredTable, caps: UsageBudget) -> None:
    table.set_caps(visitor(), caps)
    st.session_state[CAPS_SET] = SaidOnce(True)


def _change(table: StoredTable, agent: str, record: Mapping[str, Any]) -> None:
    form = f"at-{table.id}"
    now = _settings_in(record)
    if choose_model(agent, table.spec.seat_phrase(agent), form, now=now) is None:
        return
    table_button(
        "Use it from now on",
        partial(_use, agent),
        table,
        key="change-model",
        fields=partial(chosen_model, agent, form),
    )


def _settings_in(record: Mapping[str, Any]) -> LLMSettings | None:
    """Return the model in a seat's record; None if it is damaged, so that it can be replaced."""
    with suppress(LLMError):
        return LLMSettings.from_record(record)
    return None


def _use(agent: str, table: StoredTable, found: ModelChoice) -> None:
    """Seat a model that was set up."""
    keys = {(agent, found.settings.base_url): found.key} if found.key else {}
    grants.lend(visitor(), table.id, [found.settings], keys)
    now = table.model_seats.get(agent)
    if now is None or _settings_in(now) != found.settings:
        table.seat(agent, {"kind": "llm", **found.settings.describe()})
    if not table.waits_for and not table.over:
        work_at(table.storage, table.id, visitor())


OPENAI = "https://api.openai.com/v1"


def ask_about_models(table: StoredTable, waiting: dict[str, LLMSettings]) -> None:
    """Ask for consent to models in turn that lack it."""
    with st.container(border=True, key="model-consent"):
        _ask(table, waiting)


def _ask(table: StoredTable, waiting: dict[str, LLMSettings]) -> None:
    several = len(waiting) > 1
    st.subheader(
        "Language models sit at this table" if several else "A language model sits at this table",
        anchor=False,
    )
    why = f"{'They were' if several else 'It was'} chosen in another browser."
    if table.was_let_by(visitor()):
        why = (
            "You have allowed models to move here before, but the server was restarted and has "
            "forgotten that and your keys."
        )
    st.write(
        f"{why} If you let them move, the server sends what their seats may read to these "
        "addresses, and you pay for the answers, if anybody does:"
        if several
        else f"{why} If you let it move, the server sends what its seat may read to this address, "
        "and you pay for the answer, if anybody does:"
    )
    asked: dict[tuple[str, str], list[str]] = {}
    for agent, settings in waiting.items():
        name = table.spec.seat_name(agent)
        asked.setdefault((settings.model, settings.base_url or OPENAI), []).append(name)
    for (model, address), names in asked.items():
        st.markdown(f"**{escaped(', '.join(names))}**: {escaped(model)} at")
        st.code(address, language=None, wrap_lines=True)
    for agent, settings in waiting.items():
        if settings.extra:
            small(f"With every request of {table.spec.seat_phrase(agent)}, this is sent too:")
            st.code(json.dumps(settings.extra, indent=1), language=None, wrap_lines=True)
    policy = ServerPolicy.from_environment()
    try:
        for settings in waiting.values():
            policy.check(settings)
    except AddressRefusedError as error:
        alert("warning", str(error))
        _offer_to_move(table, several)
        return
    ask_keys(waiting)
    if any(find_key(settings, {}, policy) for settings in waiting.values()):
        small("Without a key of yours, the server's own is used.")
    caps = f"consent-{table.id}"
    choose_caps(caps, table.caps(visitor()))
    with st.container(horizontal=True):
        # The click is for the models that were shown, not for later ones.
        table_button(
            "Let them move" if several else "Let it move",
            partial(_let_move, waiting),
            table,
            fields=lambda: (typed_keys(waiting), chosen_caps(caps)),
            key=f"consent-{[(agent, model.describe()) for agent, model in waiting.items()]}",
            kind="primary",
        )
        _offer_to_move(table, several)
    small("Or wait: the person who chose these players can continue the game at their own screen.")


def _let_move(
    shown: dict[str, LLMSettings], table: StoredTable, given: tuple[Keys, UsageBudget]
) -> None:
    """Let the models move to which a person has consented, unless others are to move by now."""
    keys, caps = given
    if unconfirmed(table, visitor()) != shown:
        raise PlayError("The models at this table have changed since. Look at them again.")
    grants.lend(visitor(), table.id, shown.values(), keys)
    table.set_caps(visitor(), caps)
    work_at(table.storage, table.id, visitor())


def ask_keys(waiting: Mapping[str, LLMSettings], *, known: bool = False) -> None:
    """Show a key field for each address of some models, whose keys may be known already."""
    for address, host in {s.base_url: s.host for s in waiting.values()}.items():
        typed = st.text_input(
            escaped(f"Key for {host}"),
            type="password",
            key=_key_field(address),
            help="Only if this address wants one. It stays in the server's memory until the "
            "episode is over, goes to this address only, and is used only for moves that you have "
            "approved.",
            width=360,
            max_chars=500,
            autocomplete="off",
        )
        try:
            if typed:
                Secret(typed)
            elif not known and (lacks := _lacks(address, {})):
                alert("warning", lacks)
        except LLMError as error:
            alert("warning", str(error))


def _lacks(address: str | None, given: Mapping[str | None, Secret]) -> str:
    policy = ServerPolicy.from_environment()
    return missing_key(LLMSettings("any", address), given, policy)


def typed_keys(
    waiting: Mapping[str, LLMSettings], *, known: bool = False
) -> dict[tuple[str, str | None], Secret]:
    """Return what the fields of :func:`ask_keys` hold now, by seat and address.

    An LLMError says that a service needs a key.
    """
    typed = {
        each.base_url: st.session_state[_key_field(each.base_url)] for each in waiting.values()
    }
    for address, key in typed.items():
        if not known and (lacks := _lacks(address, {address: Secret(key)} if key else {})):
            raise LLMError(lacks)
    return {
        (agent, each.base_url): Secret(typed[each.base_url])
        for agent, each in waiting.items()
        if typed[each.base_url]
    }


def _key_field(address: str | None) -> str:
    return f"consent-key-{address}"


def _offer_to_move(table: StoredTable, several: bool) -> None:
    label = "I move for them" if several else "I move for it"
    table_button(label, StoredTable.replace_models, table, key="consent-take-seat")


# -- advice ----------------------------------------------------------------------------------------

FIRST, SECOND = "the first model", "the second model"


def offer_models(table: StoredTable, seat: str, notes: dict[str, Any]) -> None:
    """Let a person ask models what they would do in the same seat, when it is to move.

    It stands above the table in every round, so that its settings are kept between rounds. A draft
    is stored in `notes`, the data kept for the seat.
    """
    view = table.seen_by(seat).view
    with st.popover("Ask a model"):
        if not st.toggle("Set models up", key="ask-models", persist_state="session"):
            small("What would a model say in your seat? It gets what you see, and nothing else.")
            return
        # The forms keep their initial model even if another model is set up elsewhere later.
        like = st.session_state.setdefault("ask-like", latest_settings())
        chosen = choose_models({FIRST: FIRST, SECOND: SECOND}, compare=True, like=like)
        with st.container(horizontal=True):
            buttons = {
                (FIRST,): ask_button("Draft my move", key="ask-draft"),
                (FIRST, SECOND): ask_button("What would both have said?", key="ask-both"),
            }
        for places, click in buttons.items():
            if click is not None and view.legal.channels:
                _ask_for_advice(table, chosen, places, view, notes, click)
            elif click is not None:
                small("They can be asked when it is your turn.")
                with click.once():
                    pass
        # Kept, since an update may draw the page again before anybody has read it.
        advice: Advice | None = notes.get("advice")
        if advice is not None and advice.round == view.round:
            _show_advice(advice)


@dataclass(frozen=True)
class Advice:
    """What models have said about a move: by model, its move, or why there is none."""

    round: int
    said: dict[str, Move | LLMError]


def _ask_for_advice(
    table: StoredTable,
    chosen: Chosen,
    places: tuple[str, ...],
    view: View,
    notes: dict[str, Any],
    click: Click,
) -> None:
    """Ask models; one alone drafts the person's move."""
    with st.spinner("Asking the model..."), click.once() as first:
        if not first:
            return
        there = (each for each in places if each in chosen.seats)
        said = {each: _advice(table, chosen, each, view) for each in there}
        notes["advice"] = Advice(view.round, said)
        if places == (FIRST,) and isinstance(move := said.get(FIRST), Move):
            notes["draft"] = draft_of(move, view)


def _show_advice(advice: Advice) -> None:
    drafted = [*advice.said] == [FIRST]
    for (place, said), column in zip(
        advice.said.items(), st.columns(max(1, len(advice.said))), strict=False
    ):
        with column:
            if not drafted:
                st.markdown(f"**{escaped(place.capitalize())}**")
            if isinstance(said, LLMError):
                alert("error", str(said))
                if isinstance(said, LLMFailedError):
                    st.text(said.raw)
            elif drafted:
                alert("success", "The draft is in the boxes, for you to change and send.")
            else:
                st.text(in_words(said))


def _advice(table: StoredTable, chosen: Chosen, place: str, view: View) -> Move | LLMError:
    """Return the move that a model suggests, given only the view; or why there is none."""
    policy, settings = ServerPolicy.from_environment(), chosen.seats[place]
    key = chosen.keys.get((place, settings.base_url))
    try:
        policy.check(settings)
        key = key or find_key(settings, {}, policy)
        budget = table.budget(visitor(), settings.prices, chosen.caps)
        return LLMPlayer(Client(settings, key, policy, budget)).turn(view).move
    except LLMError as error:
        return error
