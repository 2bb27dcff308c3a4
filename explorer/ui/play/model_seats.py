"""Language models before an episode begins: who sits where, and what all of them may use."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from explorer.game_table.loans import Keys
from explorer.players.llm import LLMSettings
from explorer.storage import Caps
from explorer.ui.play.model_form import ModelChoice, choose_model
from explorer.ui.text import escaped

__all__ = ["Chosen", "choose_caps", "choose_models"]

MOST_TOKENS = 10_000_000
MOST_MONEY = 1e6
# How the model of a further seat is told from the first one's.
SAME, SAME_PLACE, ELSEWHERE = "same", "place", "elsewhere"


@dataclass(frozen=True)
class Chosen:
    """What was set up for the models.

    Parameters
    ----------
    seats : dict
        For each seat, its model. Seats whose model cannot be used are not there.
    keys : mapping
        By seat and address, for this session only.
    caps : Caps
        For the whole episode.
    """

    seats: dict[str, LLMSettings] = field(default_factory=dict[str, LLMSettings])
    keys: Keys = field(default_factory=dict[Any, Any])
    caps: Caps = field(default_factory=Caps)


def choose_models(
    agents: Mapping[str, str], *, compare: bool = False, like: LLMSettings | None = None
) -> Chosen:
    """Set up the models of some seats; nothing is shown if there are none.

    Parameters
    ----------
    agents : mapping
        What people call each seat, in a sentence.
    compare : bool
        Are they there to be compared, so that each is another one?
    like : LLMSettings, optional
        What the first form begins with.
    """
    if not agents:
        return Chosen()
    chosen: dict[str, ModelChoice] = {}
    caps = Caps()

    def limits() -> None:
        nonlocal caps
        st.markdown("**For the whole episode**")
        caps = choose_caps("llm", Caps())

    with st.container(border=True):
        st.subheader("Language models", anchor=False)
        first, *others = agents
        found = choose_model(first, agents[first], now=like, below=limits)
        if found is not None:
            chosen[first] = found
            for agent in others:
                beside = _beside(agent, agents[agent], agents[first], found, compare=compare)
                if beside is not None:
                    chosen[agent] = beside
    return Chosen(
        {agent: model.settings for agent, model in chosen.items()},
        {
            (agent, model.settings.base_url): model.key
            for agent, model in chosen.items()
            if model.key is not None
        },
        caps,
    )


def _beside(
    agent: str, name: str, first: str, model: ModelChoice, *, compare: bool
) -> ModelChoice | None:
    """The model of a further seat: the first one's, unless something else is wanted."""
    ways = {
        SAME: f"the same model as {first}",
        SAME_PLACE: f"another model at the address of {first}",
        ELSEWHERE: "a model at another address",
    }
    way = st.selectbox(
        escaped(f"{name[:1].upper()}{name[1:]} is"),
        list(ways),
        list(ways).index(SAME_PLACE if compare else SAME),
        format_func=ways.__getitem__,
        key=f"llm-beside-{agent}",
        persist_state="session",
        width=400,
    )
    if way == SAME:
        return model
    at = model if way == SAME_PLACE else None
    # What a model costs is its own; all else that was set is likely to be wanted again.
    like = dataclasses.replace(model.settings, price_in=None, price_out=None) if at else None
    return choose_model(agent, name, now=like, at=at, first=False)


def choose_caps(prefix: str, now: Caps) -> Caps:
    """Choose how much an episode may use, in tokens and in money."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        tokens = st.number_input(
            "Tokens for the whole episode, at most",
            min_value=1_000,
            max_value=MOST_TOKENS,
            value=min(max(now.tokens, 1_000), MOST_TOKENS),
            step=10_000,
            key=f"{prefix}-tokens",
            help="Sent and written, by all seats together, with what comes to nothing.",
            persist_state="session",
            width=330,
        )
        money = st.number_input(
            "Money for the whole episode, at most",
            min_value=0.0,
            max_value=MOST_MONEY,
            value=now.money,
            step=0.5,
            format="%.6g",
            key=f"{prefix}-money",
            placeholder="No cap",
            help="By your own figures: every model needs its prices then.",
            persist_state="session",
            width=330,
        )
    return Caps(int(tokens), money)
