"""The language models of a room: who lets them be asked, with which keys, and how much."""

from __future__ import annotations

import streamlit as st

from explorer.players.errors import LLMError
from explorer.players.llm import LLMSettings
from explorer.rooms import Room, RoomError, lend_models, models_lent
from explorer.storage import Caps
from explorer.ui.database import storage
from explorer.ui.play.consent import ask_keys
from explorer.ui.play.model_seats import choose_caps
from explorer.ui.text import alert, escaped, small
from explorer.ui.visitor import visitor

__all__ = ["show_models"]


def show_models(room: Room) -> None:
    """Let them be asked, again after a restart or with another key; nothing if there are none."""
    if not room.plan.models:
        return
    st.markdown("**Language models**")
    try:
        models = {a: LLMSettings.from_record(said) for a, said in room.plan.models.items()}
    except LLMError as error:
        alert("warning", str(error))
        return
    for model in dict.fromkeys((each.model, each.host) for each in models.values()):
        st.markdown(escaped(f"{model[0]} at {model[1]}"))
    lent = models_lent(storage(), room.code)
    small(
        "They are asked on your behalf. Give another key, or let them use more:"
        if lent
        else "The server has no keys for them: it forgets them when it is started again."
    )
    keys = ask_keys(models)
    caps = choose_caps(f"lead-{room.code}", Caps())
    if st.button("Let them be asked", key="lead-models"):
        try:
            lend_models(storage(), room.code, keys, caps, by=visitor())
        except (RoomError, LLMError) as error:
            alert("warning", str(error))
