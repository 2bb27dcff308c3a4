"""A game of a lesson. What a seat may not see stays on the server."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from explorer.lessons.game import Game, Scene
from explorer.lessons.lesson import Block
from explorer.lessons.library import game
from explorer.ui.components.drawing import show_drawings
from explorer.ui.text import escaped, small

__all__ = ["show_game", "show_scene", "show_sums"]

# Chance that nobody can foresee: a prover who knew the coins could cheat.
RANDOM = random.SystemRandom()


def show_game(block: Block, key: str) -> None:
    """Let a person play, again and again."""
    played = game(block.name)
    with st.container(border=True):
        roles = {role.name: role.label for role in played.roles}
        first = list(roles).index(block.role) if block.role in roles else 0
        st.markdown(f"**{escaped(played.title)}**")
        role = st.segmented_control(
            "Your side",
            list(roles),
            format_func=lambda name: escaped(roles[name]),
            default=list(roles)[first],
            key=f"role-{key}",
        )
        role = role or list(roles)[first]
        kept: dict[str, Any] = st.session_state.setdefault(f"game-{key}", {})
        if kept.get("role") != role:
            kept |= {"role": role, "state": _new(block, role), "ended": []}

        def move(choice: str) -> None:
            if choice not in played.scene(kept["state"]).options:
                return
            kept["state"] = played.act(kept["state"], choice, RANDOM)
            after = played.scene(kept["state"])
            if after.outcome is not None:
                kept["ended"].append(after.outcome)

        def again() -> None:
            kept["state"] = _new(block, role)

        show_scene(played.scene(kept["state"]), key, move, again)
        show_sums(played, kept["ended"])


def _new(block: Block, role: str) -> dict[str, Any]:
    return game(block.name).start(role, block.settings or {}, RANDOM)


def show_scene(
    scene: Scene,
    key: str,
    move: Callable[[str], None],
    again: Callable[[], None] | None = None,
) -> None:
    """Show what the person at a seat sees now, with what they may choose.

    Parameters
    ----------
    scene : Scene
    key : str
    move : callable
        Takes a choice.
    again : callable, optional
        Begins another game, where that is for the person to say.
    """
    for line in scene.said:
        st.markdown(f"**{escaped(line.who)}:** {escaped(line.text)}")
    show_drawings(scene.drawings, f"drawing-{key}", move)
    if scene.prompt:
        st.markdown(escaped(scene.prompt))
    with st.container(horizontal=True):
        for choice in scene.choices:
            st.button(
                escaped(choice.label),
                key=f"choice-{key}-{choice.name}",
                on_click=move,
                args=(choice.name,),
            )
        if scene.outcome is not None and again is not None:
            st.button("Play again", key=f"again-{key}", type="primary", on_click=again)


def show_sums(played: Game, ended: Sequence[str]) -> None:
    """Show how one's games have ended."""
    if ended:
        sums = ", ".join(
            f"{text}: {list(ended).count(name)}"
            for name, text in played.outcomes.items()
            if name in ended
        )
        small(f"So far ({len(ended)} played): {sums}.")
