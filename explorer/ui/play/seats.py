"""Choosing the scripted players and models of a game, and beginning it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from explorer.play import Keys, Start, StoredTable, TurnStart, go_on, grants
from explorer.players import (
    DEFAULT_LEVEL,
    DEFAULT_STRATEGY,
    INVENTIONS,
    LEVELS,
    STRATEGIES,
    LLMSettings,
    chance_of_contradiction,
)
from explorer.studies import strengths
from explorer.ui.database import storage
from explorer.ui.layout import address
from explorer.ui.play.model_form import ModelChoice, choose_model
from explorer.ui.text import alert, dropdown, escaped, keep_choice, segments, small, whole_number
from explorer.ui.visitor import visitor
from explorer.usage import USUAL_BUDGET, UsageBudget
from nip_core.errors import NipError
from nip_core.play import Material
from nip_core.spec import ProtocolSpec
from nip_core.tasks import Task

OTHER_FIGURES = (
    "The Studies page counts the same games otherwise: verifiers of level hard against the worst "
    "liar, on programs and graphs together."
)

MOST_SEED = 2**31 - 1

# Returns the address's value for a name, the options and the default.
Asked = Callable[[str, list[str], str], str]


def choose_seed(name: str) -> int | None:
    """Let a person choose a game's seed; return None for a random one."""
    key = f"play-seed-{name}"
    st.session_state.setdefault(key, whole_number(address().get("seed")))
    return st.number_input(
        "Seed",
        min_value=0,
        max_value=MOST_SEED,
        value=None,
        placeholder="drawn when you begin",
        help="The same seed, task and players make the same game again.",
        key=key,
    )


def choose_strategy(spec: ProtocolSpec, agent: str, asked: Asked) -> tuple[str, str]:
    """Let a person choose the strategy and level of a scripted verifier."""
    names = {name: strategy.title for name, strategy in STRATEGIES.items()}
    key = f"play-strategy-{spec.name}-{agent}"
    keep_choice(key, asked(f"strategy.{agent}", list(names), DEFAULT_STRATEGY))
    name = dropdown(f"How does {escaped(spec.seat_phrase(agent))} play?", names, key=key)
    chosen = STRATEGIES[name]
    small(f"{chosen.plays} {chosen.knows}")
    return name, _level(spec, agent, asked) if chosen.has_levels else DEFAULT_LEVEL


def _level(spec: ProtocolSpec, agent: str, asked: Asked) -> str:
    names = list(LEVELS)
    what = "lie, if it has to?" if agent in spec.provers else "play?"
    key = f"play-level-{spec.name}-{agent}"
    keep_choice(key, asked(f"level.{agent}", names, DEFAULT_LEVEL))
    return segments(f"How well does {escaped(spec.seat_phrase(agent))} {what}", names, key=key)


def show_strength(
    spec: ProtocolSpec,
    against: Collection[str],
    strategy: str | None = None,
    level: str = DEFAULT_LEVEL,
) -> None:
    """Show how often a verifier was right against provers of these levels, or all.

    Without a strategy, show the usual scripted verifier, for comparison.
    """
    found = strengths().sentences(spec.name, strategy or DEFAULT_STRATEGY, level, against or None)
    if not found:
        return
    which = f" ({', '.join(sorted(against))})" if against else ""
    how = f"Measured against scripted provers{which}, in this protocol and at this level."
    if strategy is None:
        title = STRATEGIES[DEFAULT_STRATEGY].title
        how = (
            f"For comparison: a scripted verifier ({title.lower()}, {level}) was measured "
            f"against such provers{which}."
        )
    small(f"{how} {' '.join(found)} {OTHER_FIGURES}")


def choose_level(spec: ProtocolSpec, agent: str, asked: Asked) -> str:
    """Let a person choose the level of a scripted prover."""
    level = _level(spec, agent, asked)
    small(
        f"{level.capitalize()}: {LEVELS[level].about}. Scripted provers understand English only; "
        "ask in your own words."
    )
    return level


def show_chance(spec: ProtocolSpec, levels: Mapping[str, str]) -> None:
    """Show how often provers of one side contradict each other, if they read different channels."""
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
                "If they lie, ask all of them the same unprepared question on which they must lie: "
                "each makes up its own answer, and they contradict each other in "
                f"{float(chance):.0%} of games. Honest provers never do."
            )


def warn_of_own_tasks() -> None:
    """Show what scripted provers can do with tasks that have no prepared arguments."""
    alert(
        "info",
        "Scripted provers have nothing prepared about these tasks, and your programs are never "
        "run. They hold their side, quote any line that you ask about, and say what kind of line "
        "it is; they evade everything else. For a real argument, let a friend or a language model "
        "take their seats.",
    )


MOST_TOKENS = 10_000_000
MOST_MONEY = 1e6
# The key of the choice whether a further seat has the first seat's model.
SAME, SAME_PLACE, ELSEWHERE = "same", "place", "elsewhere"


@dataclass(frozen=True)
class Chosen:
    """The models that were set up and can be used, by seat; their keys; and the episode's caps."""

    seats: dict[str, LLMSettings] = field(default_factory=dict[str, LLMSettings])
    keys: Keys = field(default_factory=dict[Any, Any])
    caps: UsageBudget = USUAL_BUDGET


def choose_models(
    agents: Mapping[str, str], *, compare: bool = False, like: LLMSettings | None = None
) -> Chosen:
    """Let a person set up the models of some seats, given with their names.

    With `compare`, each seat has a form of its own. The first form begins with the values of
    `like`, a model that was set up before.
    """
    if not agents:
        return Chosen()
    chosen: dict[str, ModelChoice] = {}
    caps = USUAL_BUDGET

    def limits() -> None:
        nonlocal caps
        st.markdown("**For the whole episode**")
        caps = choose_caps("llm", USUAL_BUDGET)

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
    """Return the model of a further seat: the first one's, unless another is set up."""
    ways = {
        SAME: f"the same model as {first}",
        SAME_PLACE: f"another model at the address of {first}",
        ELSEWHERE: "a model at another address",
    }
    way = dropdown(
        escaped(f"{name[:1].upper()}{name[1:]} is"),
        ways,
        SAME_PLACE if compare else SAME,
        key=f"llm-beside-{agent}",
        persist_state="session",
        width=400,
    )
    if way == SAME:
        return model
    at = model if way == SAME_PLACE else None
    # The prices depend on the model; the other settings are kept.
    like = dataclasses.replace(model.settings, price_in=None, price_out=None) if at else None
    return choose_model(agent, name, now=like, at=at, first=False)


def choose_caps(prefix: str, now: UsageBudget) -> UsageBudget:
    """Let a person choose how many tokens and how much money an episode may use."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "Tokens for the whole episode, at most",
            min_value=1_000,
            max_value=MOST_TOKENS,
            value=min(max(now.tokens or MOST_TOKENS, 1_000), MOST_TOKENS),
            step=10_000,
            key=f"{prefix}-tokens",
            help="Input and output tokens of all seats, including failed calls.",
            persist_state="session",
            width=330,
        )
        st.number_input(
            "Money for the whole episode, at most",
            min_value=0.0,
            max_value=MOST_MONEY,
            value=now.money,
            step=0.5,
            format="%.6g",
            key=f"{prefix}-money",
            placeholder="No cap",
            help="By your own figures, so every model needs prices.",
            persist_state="session",
            width=330,
        )
    return chosen_caps(prefix)


def chosen_caps(prefix: str) -> UsageBudget:
    """Return what the fields of :func:`choose_caps` hold now."""
    tokens, money = (st.session_state[f"{prefix}-{what}"] for what in ("tokens", "money"))
    return UsageBudget(int(tokens), money)


def begin(start: Start | TurnStart, chosen: Chosen, task: Task | Material | None = None) -> None:
    """Begin a game with its models and show its table, or show why that failed."""
    try:
        table = StoredTable.open_new(storage(), start, task)
        if chosen.seats:
            grants.lend(visitor(), table.id, chosen.seats.values(), chosen.keys)
            table.set_caps(visitor(), chosen.caps)
        if table.humans:
            go_on(table, visitor())
    except NipError as error:
        alert("error", str(error))
        return
    go_to(table.id)
    st.rerun()


def open_next(
    before: StoredTable,
    start: Start | TurnStart,
    task: Task | Material | None = None,
) -> StoredTable:
    """Begin an episode after another one, and let players move until it is a person's turn."""
    table = StoredTable.open_new(before.storage, start, task)
    grants.follow(visitor(), before.id, table.id)
    if table.model_seats:
        table.set_caps(visitor(), before.caps(visitor()))
    # At a table without people, the person who watches starts play and sets its pace.
    if table.humans:
        go_on(table, visitor())
    return table


def go_to(episode_id: str) -> None:
    """Show an episode in the next run of the page."""
    st.query_params.from_dict({"episode": episode_id})
