"""Scripted players on the Play page: how they play, how well, and what they do with own tasks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import streamlit as st

from explorer.players.scripted import (
    DEFAULT_LEVEL,
    DEFAULT_STRATEGY,
    INVENTIONS,
    LEVELS,
    STRATEGIES,
    chance_of_contradiction,
)
from explorer.strengths import strengths
from explorer.ui.text import alert, escaped, small
from nip_core.spec import ProtocolSpec

__all__ = [
    "choose_level",
    "choose_strategy",
    "tell_chance",
    "tell_of_own_tasks",
    "tell_strength",
    "tell_strength_of_provers",
]

OTHER_FIGURES = (
    "The Studies page shows verifiers of level hard against the worst liar, on programs and graphs "
    "together, so its figures differ."
)

Asked = Callable[[str, list[str], str], str]


def choose_strategy(spec: ProtocolSpec, agent: str, asked: Asked) -> tuple[str, str]:
    """Let a person choose how the player in a verifier's seat plays, and how well.

    Parameters
    ----------
    spec : ProtocolSpec
    agent : str
    asked : callable
        What the address asks for, from a name, the options and what is usual.
    """
    names = list(STRATEGIES)
    wanted = asked(f"strategy.{agent}", names, DEFAULT_STRATEGY)
    name = st.selectbox(
        f"How does {escaped(spec.seat_phrase(agent))} play?",
        names,
        index=names.index(wanted),
        format_func=lambda each: STRATEGIES[each].title,
        key=f"play-strategy-{spec.name}-{agent}",
    )
    chosen = STRATEGIES[name]
    small(f"{chosen.plays} {chosen.knows}")
    level = DEFAULT_LEVEL
    if chosen.has_levels:
        level = _level(spec, agent, asked)
    return name, level


def _level(spec: ProtocolSpec, agent: str, asked: Asked) -> str:
    """One of the levels, for whatever seat."""
    names = list(LEVELS)
    what = "lie, if it has to?" if agent in spec.provers else "play?"
    level = st.segmented_control(
        f"How well does {escaped(spec.seat_phrase(agent))} {what}",
        names,
        default=asked(f"level.{agent}", names, DEFAULT_LEVEL),
        format_func=escaped,
        required=True,
        key=f"play-level-{spec.name}-{agent}",
    )
    return level or DEFAULT_LEVEL


def tell_strength(spec: ProtocolSpec, strategy: str, level: str, against: Collection[str]) -> None:
    """Say how often a verifier is right, as measured against provers of these levels, or all."""
    told = strengths().told(spec.name, strategy, level, against or None)
    if told:
        which = f" ({', '.join(sorted(against))})" if against else ""
        small(
            f"Measured against scripted provers{which}, in this protocol and at this level. "
            f"{' '.join(told)} {OTHER_FIGURES}"
        )


def tell_strength_of_provers(spec: ProtocolSpec, levels: Collection[str]) -> None:
    """Say how often a scripted verifier is right about provers of these levels, to compare with."""
    told = strengths().told(spec.name, DEFAULT_STRATEGY, DEFAULT_LEVEL, levels)
    if told:
        title = STRATEGIES[DEFAULT_STRATEGY].title
        which = ", ".join(sorted(levels))
        small(
            f"To compare with: a scripted verifier ({title.lower()}, {DEFAULT_LEVEL}) was measured "
            f"against such provers ({which}). {' '.join(told)} {OTHER_FIGURES}"
        )


def choose_level(spec: ProtocolSpec, agent: str, asked: Asked) -> str:
    """Let a person choose how well whoever sits in a prover's seat plays.

    Parameters
    ----------
    spec : ProtocolSpec
    agent : str
    asked : callable
        What the address asks for, from a name, the options and what is usual.
    """
    level = _level(spec, agent, asked)
    small(
        f"{level.capitalize()}: {LEVELS[level].about}. Scripted provers understand English only; "
        "ask in your own words."
    )
    return level


def tell_chance(spec: ProtocolSpec, levels: Mapping[str, str]) -> None:
    """Say how often two provers of one side contradict each other, where one may compare them."""
    sides: dict[tuple[int | None, tuple[str, ...]], list[str]] = {}
    apart: dict[int | None, list[str]] = {}
    for agent, level in levels.items():
        stance = spec.agent(agent).stance
        sides.setdefault((stance, spec.visible_channels(agent)), []).append(level)
    for (stance, _), chosen in sides.items():
        apart.setdefault(stance, []).append(chosen[0])
        if len(chosen) > 1:
            small(
                "Provers who read each other agree on what they make up: they never contradict "
                "each other."
            )
    for chosen in apart.values():
        if len(chosen) > 1:
            chance = chance_of_contradiction([LEVELS[level] for level in chosen], INVENTIONS)
            small(
                "If they lie, and you ask all of them a question that nobody prepared and on which "
                "they must lie, each makes up an answer by itself: they contradict each other in "
                f"{float(chance):.0%} of games. Honest provers never do."
            )


def tell_of_own_tasks() -> None:
    """Say what scripted provers can do with tasks for which nothing was prepared."""
    alert(
        "info",
        "Nothing was prepared for scripted provers to say about these tasks, and none of your "
        "programs is ever run, whoever plays. They hold their side, quote any line that you ask "
        "about, and say what kind of line it is; everything else they evade. For a real argument, "
        "let a friend or a language model take their seats.",
    )
