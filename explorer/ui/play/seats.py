"""Choosing the scripted players and models of a game, and beginning it."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from explorer.choice import NumberRange, ProtocolChoice
from explorer.play import KINDS, Keys, Start, StoredTable, go_on, grants
from explorer.players import (
    DEFAULT_JUDGE,
    DEFAULT_STRATEGY,
    INVENTIONS,
    JUDGES,
    LEVELS,
    STRATEGIES,
    LLMSettings,
    Scripts,
    chance_of_contradiction,
    scripts_for,
)
from explorer.studies import earnings, strengths
from explorer.ui.database import storage
from explorer.ui.page_link import from_link
from explorer.ui.play.cards import judged
from explorer.ui.play.link import CHOICES
from explorer.ui.play.model_form import ModelChoice, choose_model
from explorer.ui.text import alert, dropdown, escaped, keep_choice, segments, small, whole_number
from explorer.ui.visitor import visitor
from explorer.usage import USUAL_BUDGET, UsageBudget
from nip_core.displays import capitalized
from nip_core.errors import NipError
from nip_core.language import Specification

OTHER_FIGURES = (
    "The Studies page counts the same games otherwise: against the worst liar, on programs and "
    "graphs together."
)

MOST_SEED = 2**31 - 1


def choose_seed(name: str) -> int | None:
    """Let a person choose a game's seed; return None for a random one."""
    key = f"play-seed-{name}"
    st.session_state.setdefault(key, whole_number(from_link("seed", NumberRange(0, MOST_SEED))))
    return st.number_input(
        "Seed",
        min_value=0,
        max_value=MOST_SEED,
        value=None,
        placeholder="drawn when you begin",
        help="The same seed, task and players make the same game again.",
        key=key,
    )


def seat_key(choice: ProtocolChoice, seat: str, what: str = "seat") -> str:
    """Return the key of a control for a seat: its player, or that one's level or strategy."""
    return f"play-{what}-{choice.name}-{seat}"


def choose_players(choice: ProtocolChoice, usual: Mapping[str, str]) -> Start:
    """Let a person choose the players of seats; return the choices, without a task and a seed."""
    rules = choice.rules
    seats: dict[str, str] = {}
    levels: dict[str, str] = {}
    strategies: dict[str, str] = {}
    for seat in rules.seat_names:
        key, scripts = seat_key(choice, seat), scripts_for(choice, seat)
        keep_choice(key, CHOICES.asked(f"sits.{seat}", list(KINDS), usual[seat]))
        seats[seat] = dropdown(
            escaped(rules.seat_name(seat)),
            {**KINDS, "scripted": capitalized(scripts.title)},
            key=key,
            on_change=_sit_down,
            args=(choice, seat),
        )
        if seats[seat] != "scripted":
            continue
        # Where nobody argues for anything, nobody can be judged.
        if scripts.strategies and rules.roles.sides:
            strategies[seat] = _strategy(choice, seat, scripts)
        if scripts.levels:
            levels[seat] = _level(choice, seat, scripts)
        if (earned := earnings().of(choice.name, seat)) is not None and earned.sentence():
            small(earned.sentence())
    _show_strength(choice, levels, strategies)
    return Start(choice, "", seats, 0, levels=levels, strategies=strategies)


def _sit_down(choice: ProtocolChoice, seat: str) -> None:
    """Give the seat that the person leaves to a scripted player."""
    keys = {other: seat_key(choice, other) for other in choice.rules.seat_names}
    if st.session_state.get(keys.pop(seat, "")) == "me":
        for key in keys.values():
            if st.session_state.get(key) == "me":
                st.session_state[key] = "scripted"


def _strategy(choice: ProtocolChoice, seat: str, scripts: Scripts) -> str:
    """Let a person choose the strategy of a scripted player that judges."""
    key, phrase = seat_key(choice, seat, "strategy"), choice.rules.seat_phrase(seat)
    names = {name: strategy.title for name, strategy in scripts.strategies.items()}
    keep_choice(key, CHOICES.asked(f"strategy.{seat}", list(names), scripts.strategy))
    name = dropdown(f"How does {escaped(phrase)} play?", names, key=key)
    small(scripts.about(name))
    return name


def _level(choice: ProtocolChoice, seat: str, scripts: Scripts) -> str:
    """Let a person choose the level of a scripted player."""
    key, phrase = seat_key(choice, seat, "level"), escaped(choice.rules.seat_phrase(seat))
    names, argues = list(scripts.levels), not scripts.strategies
    keep_choice(key, CHOICES.asked(f"level.{seat}", names, scripts.level))
    what = "lie, if it has to?" if argues else "play?"
    level = segments(f"How well does {phrase} {what}", names, key=key)
    if argues:
        english = "Scripted provers understand English only; ask in your own words."
        more = f" {english}" if scripts.family == "rounds" else ""
        small(f"{level.capitalize()}: {scripts.levels[level]}.{more}")
    return level


def _show_strength(
    choice: ProtocolChoice, levels: Mapping[str, str], strategies: Mapping[str, str]
) -> None:
    """Show how often scripted players were right, and how often they contradict each other."""
    of_provers = {seat: level for seat, level in levels.items() if seat not in strategies}
    against = {*of_provers.values()}
    tell_stories = all(scripts_for(choice, seat).family == "rounds" for seat in of_provers)
    words = [*_chance_words(choice.rules, of_provers)] if tell_stories else []
    for strategy in strategies.values():
        words.append(_strength_words(choice, against, strategy))
    if of_provers and not strategies:
        words.append(_strength_words(choice, against))
    if any(words):
        with st.expander("How strong are they?"):
            for text in filter(None, words):
                small(text)


def _strength_words(
    choice: ProtocolChoice,
    against: Collection[str],
    strategy: str | None = None,
) -> str:
    """Return how often a judge was right against players of these levels, or all; may be empty.

    Without a strategy it is the usual one, for comparison.
    """
    if words := judged(choice, strategy or DEFAULT_JUDGE):
        whose = JUDGES[strategy or DEFAULT_JUDGE].title.lower()
        return f"Measured: a {whose} scripted judge on our tasks. {words}"
    found = strengths().sentences(choice.name, strategy or DEFAULT_STRATEGY, against or None)
    if not found:
        return ""
    which = f" ({', '.join(sorted(against))})" if against else ""
    how = f"Measured against scripted provers{which}, in this protocol."
    if strategy is None:
        title = STRATEGIES[DEFAULT_STRATEGY].title
        how = (
            f"For comparison: a scripted verifier ({title.lower()}) was measured "
            f"against such provers{which}."
        )
    return f"{how} {' '.join(found)} {OTHER_FIGURES}"


def _chance_words(rules: Specification, levels: Mapping[str, str]) -> Iterator[str]:
    """Yield how often provers of one side who read different channels contradict each other."""
    sides: dict[tuple[object, tuple[str, ...]], list[str]] = {}
    apart: dict[object, list[str]] = {}
    for seat, level in levels.items():
        side = rules.roles.fixed_sides.get(seat)
        sides.setdefault((side, rules.visible_channels(seat)), []).append(level)
    for (side, _), chosen in sides.items():
        apart.setdefault(side, []).append(chosen[0])
        if len(chosen) > 1:
            yield (
                "Provers who read each other agree on what they make up: they never contradict "
                "each other."
            )
    for chosen in apart.values():
        if len(chosen) > 1:
            chance = chance_of_contradiction([LEVELS[level] for level in chosen], INVENTIONS)
            yield (
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


def begin(start: Start, chosen: Chosen, task: Any = None) -> None:
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


def open_next(before: StoredTable, start: Start, task: Any = None) -> StoredTable:
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
