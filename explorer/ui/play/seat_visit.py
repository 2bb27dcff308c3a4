"""What the screen keeps for the person at a seat, with the advice that they asked models for."""

from __future__ import annotations

from typing import Any

import streamlit as st

from explorer.play import StoredTable, draft_of, in_words
from explorer.players import LLMError, LLMFailedError
from explorer.players.models import Client, LLMPlayer, ServerPolicy, find_key
from explorer.ui.play.model_form import latest_settings
from explorer.ui.play.seats import Chosen, choose_models
from explorer.ui.text import alert, escaped, small
from explorer.ui.visitor import visitor
from nip_core.play import Move, View

__all__ = ["notes", "offer_models", "sit_down", "sits"]

SEAT = "seat"


def sits(table_id: str) -> str | None:
    """The seat whose person was last seen at this screen."""
    return _desk(table_id).get(SEAT)


def sit_down(table_id: str, seat: str) -> None:
    """Somebody sits down; what was kept for another seat is forgotten."""
    if sits(table_id) != seat:
        st.session_state[f"desk-{table_id}"] = {SEAT: seat}


def notes(table_id: str, seat: str) -> dict[str, Any]:
    """What is kept for a seat, to be read and written; lost at once if it does not sit here."""
    desk = _desk(table_id)
    return desk if desk.get(SEAT) == seat else {}


def _desk(table_id: str) -> dict[str, Any]:
    return st.session_state.get(f"desk-{table_id}", {})


FIRST, SECOND = "the first model", "the second model"


def offer_models(table: StoredTable, seat: str) -> None:
    """Let a person ask models what they would do in the same seat, when it is to move.

    It stands there in every round, over the table: what was set up is not forgotten between two.
    """
    view = table.seen_by(seat).view
    with st.popover("Ask a model"):
        if not st.toggle("Set models up", key="ask-models", persist_state="session"):
            small("What would a model say in your seat? It gets what you see, and nothing else.")
            return
        # Whoever asks is likely to mean the model that was set up before; the forms that stand
        # here must not begin anew when another one is.
        like = st.session_state.setdefault("ask-like", latest_settings())
        chosen = choose_models({FIRST: FIRST, SECOND: SECOND}, compare=True, like=like)
        waits = not view.legal.channels
        with st.container(horizontal=True):
            draft = st.button("Draft my move", key="ask-draft", disabled=waits)
            compare = st.button("What would both have said?", key="ask-both", disabled=waits)
        if waits:
            small("They can be asked when it is your turn.")
            return
        if draft and FIRST in chosen.seats:
            said = _ask(table, chosen, FIRST, view)
            if isinstance(said, Move):
                notes(table.id, seat)["draft"] = draft_of(said, view)
                alert("success", "The draft is in the boxes, for you to change and send.")
        if compare:
            for place, column in zip((FIRST, SECOND), st.columns(2), strict=True):
                with column:
                    _show_answer(table, chosen, place, view)


def _show_answer(table: StoredTable, chosen: Chosen, place: str, view: View) -> None:
    if place not in chosen.seats:
        return
    st.markdown(f"**{escaped(place.capitalize())}**")
    said = _ask(table, chosen, place, view)
    if isinstance(said, Move):
        st.text(in_words(said))


def _ask(table: StoredTable, chosen: Chosen, place: str, view: View) -> Move | None:
    """What a model would do, given the view and nothing else."""
    policy, settings = ServerPolicy.from_environment(), chosen.seats[place]
    key = chosen.keys.get((place, settings.base_url))
    try:
        policy.check(settings)
        key = key or find_key(settings, {}, policy)
        budget = table.budget(visitor(), settings.prices, chosen.caps)
        client = Client(settings, key, policy, budget)
        with st.spinner("Asking the model..."):
            return LLMPlayer(client).turn(view).move
    except LLMFailedError as error:
        alert("error", str(error))
        st.text(error.raw)
    except LLMError as error:
        alert("error", str(error))
    return None
