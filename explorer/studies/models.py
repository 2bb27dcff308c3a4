"""Checks before a run: what its models would use, and whether they can be asked.

Inspect is imported here only if there are models; without it, our own client is used.
"""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from explorer.players import any_choices, asking, estimate_tokens, fit_turn, tokens_in_chat
from explorer.studies.inspect import (
    KeyRefusedError,
    KeyUse,
    Pair,
    check_key,
    has_inspect,
    key_use,
    steers_request,
)
from explorer.studies.points import Point
from explorer.studies.study import Condition, PlayerChoice, StudyError, models_of
from explorer.usage import Usage
from nip_core.displays import displayed
from nip_core.errors import UnknownNameError
from nip_core.play import Episode, Move

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, Model


# Episodes of each condition in the forecast's sample, since tasks differ in length.
SAMPLE = 6
# The fewest words of a model's message; the most is the study's limit.
FEW_WORDS = 20
WORD = "word "


@displayed
@dataclass(frozen=True, slots=True)
class Forecast:
    """What a condition's episodes would use."""

    condition: str
    engine: str
    episodes: int
    # The usage if verifiers decide as soon as a verdict counts, and messages are short.
    least: Usage
    # The usage if all rounds are played, and messages are as long as allowed. Models that reason,
    # or whose answers need corrections, can use more; the budget stops that.
    most: Usage
    priced: bool  # whether there are prices for all models

    @property
    def calls(self) -> str:
        """The calls, in words."""
        return _span(self.least.calls, self.most.calls)

    @property
    def tokens(self) -> str:
        """The tokens, in words."""
        return _span(self.least.tokens, self.most.tokens)

    @property
    def money(self) -> str:
        """The money, in words."""
        if not self.most.calls:
            return "0"
        span = f"{self.least.money:.2f} to {self.most.money:.2f}"
        return span if self.priced else "unknown (no prices)"


def _span(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def in_all(forecasts: Sequence[Forecast]) -> Forecast:
    """Return the sum over conditions."""
    return Forecast(
        condition="all",
        engine="",
        episodes=sum(part.episodes for part in forecasts),
        least=sum((part.least for part in forecasts), Usage()),
        most=sum((part.most for part in forecasts), Usage()),
        priced=all(part.priced for part in forecasts),
    )


def forecast(todo: Iterable[Point]) -> list[Forecast]:
    """Return the expected usage of episodes by condition."""
    groups: dict[str, list[Point]] = {}
    for point in todo:
        groups.setdefault(point.condition.name, []).append(point)
    return [_of_condition(group) for group in groups.values()]


def _of_condition(todo: Sequence[Point]) -> Forecast:
    condition, number = todo[0].condition, len(todo)
    least = most = Usage()
    models = [player for player in condition.seats.values() if player.kind == "model"]
    if models:
        step = -(-number // SAMPLE)
        sample = todo[::step]
        least = _scaled([_played(point, long=False) for point in sample], number)
        most = _scaled([_played(point, long=True) for point in sample], number)
    priced = all(player.prices.cost(0, 0) is not None for player in models)
    return Forecast(condition.name, condition.engine, number, least, most, priced)


def _scaled(sample: Sequence[Usage], number: int) -> Usage:
    taken = sum(sample, Usage())
    share = number / len(sample)
    return Usage(
        round(taken.calls * share),
        round(taken.tokens_in * share),
        round(taken.tokens_out * share),
        taken.money * share,
    )


def _played(point: Point, *, long: bool) -> Usage:
    """Return the usage of models in an episode with short or long messages."""
    episode, seats, used = Episode.from_setup(point.setup()), point.seats(), Usage()
    while not episode.over:
        for agent in episode.to_move:
            move = _move(episode, agent, long=long)
            if seats[agent].kind == "model":
                used += _asked(episode, move, seats[agent], long=long)
            episode.play(move)
    return used


def _move(episode: Episode, agent: str, *, long: bool) -> Move:
    """Return a move that lets play end early or late. Draws are the same on every call."""
    legal, rules = episode.legal(agent), episode.rules

    def option(name: str, options: Sequence[str | int]) -> str | int:
        on = rules.roles.go_on.get(name)
        if long and on is not None and not legal.last_turn:
            return on
        ways = [option for option in options if option != on] or options
        # By convention the last option continues and the first one stops.
        return ways[-1 if long else 0]

    made = any_choices(legal, random.Random(0), option)
    if legal.is_silent(rules, made):
        return Move(agent, choices=made)
    words = WORD * (episode.setup.max_response_words if long else FEW_WORDS)
    return Move(agent, dict.fromkeys(legal.channels, fit_turn(words, legal)), choices=made)


def _asked(episode: Episode, move: Move, player: PlayerChoice, *, long: bool) -> Usage:
    questions = episode.view_for(move.agent).questions()
    sent = sum(tokens_in_chat(asking(question)) for question in questions)
    written = sum(map(estimate_tokens, move.messages.values())) or estimate_tokens(WORD * 4)
    limit = player.settings.get("max_tokens")
    if long and isinstance(limit, int):
        written = max(written, limit * len(questions))
    money = player.prices.cost(sent, written) or 0.0
    return Usage(len(questions), sent, written, money)


# The least meaningful values of counts, since Inspect accepts any number.
_LEAST = {
    **dict.fromkeys(("max_tokens", "timeout", "attempt_timeout", "max_connections"), 1),
    **dict.fromkeys(("max_retries", "temperature", "top_p", "reasoning_tokens"), 0),
}


def check_players(conditions: Iterable[Condition], allowed: Collection[Pair] = frozenset()) -> None:
    """Refuse models that cannot be asked, or not with their settings.

    A StudyError names the place in the study's file. Keys of the `allowed` variables may go to
    addresses that are not their providers'.
    """
    models = models_of(conditions)
    if has_inspect():
        check_settings(models)
        check_models(models, allowed)
    elif models:
        from explorer.studies.http_engine import client_of

        for player in models:
            client_of(player, allowed)


def check_settings(players: Sequence[PlayerChoice]) -> None:
    """Refuse settings that Inspect does not know, or of the wrong kind, with a StudyError."""
    if not players:
        return
    from inspect_ai.model import GenerateConfig
    from pydantic import ValidationError

    known = tuple(GenerateConfig.model_fields)
    for player in players:
        at = f"players.{player.name}.settings"
        for name in player.settings:
            if name not in known:
                raise StudyError(
                    f"{at}: {UnknownNameError('setting', name, known)} What only your provider "
                    "knows goes into `extra_body`."
                )
        for name, least in _LEAST.items():
            value = player.settings.get(name, least)
            if isinstance(value, int | float) and value < least:
                raise StudyError(f"{at}.{name} is {value}; it must be from {least} on.")
        try:
            # Strict, since otherwise `true` and "1" would be read as 1.
            GenerateConfig.model_validate_json(json.dumps(dict(player.settings)), strict=True)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, (at, *first["loc"])))
            raise StudyError(f"{place}: {first['msg']}.") from None


def key_uses(conditions: Iterable[Condition]) -> list[KeyUse]:
    """Return where the models are asked and with which keys, each once."""
    uses = (key_use(player.model, player.base_url) for player in models_of(conditions))
    return list(dict.fromkeys(use for use in uses if use is not None))


def _arguments_of(player: PlayerChoice, allowed: Collection[Pair] = frozenset()) -> dict[str, Any]:
    """Return Inspect's arguments for a model, after checking where its keys would go."""
    at = f"players.{player.name}"
    if name := steers_request(player.arguments):
        raise StudyError(
            f"{at}.arguments: {name!r} may send a request or a key elsewhere. Write the address "
            "as `base_url`; a key stays in the environment, under the provider's own name."
        )
    try:
        more = check_key(player.model, player.base_url, allowed)
    except (KeyRefusedError, ValueError) as error:
        raise StudyError(f"{at}: {error}") from None
    return {"base_url": player.base_url or None, **player.arguments, **more}


def check_models(players: Sequence[PlayerChoice], allowed: Collection[Pair] = frozenset()) -> None:
    """Refuse models that cannot be asked: an unknown provider, a missing key or package."""
    for player in players:
        model_of(player, allowed)


def model_of(
    player: PlayerChoice,
    allowed: Collection[Pair] = frozenset(),
    config: GenerateConfig | None = None,
) -> Model:
    """Return a player's Inspect model, or raise a StudyError."""
    from inspect_ai.model import GenerateConfig, get_model

    from explorer.studies.inspect.client import trouble_of

    arguments = _arguments_of(player, allowed)
    try:
        return get_model(player.model, config=config or GenerateConfig(), **arguments)
    except Exception as error:
        # The error itself may contain a key.
        unknown = isinstance(error, ValueError) and "not recognized" in str(error)
        provider = player.model.partition("/")[0]
        reason = (
            f"Inspect knows no provider {provider!r}; it calls them openai, anthropic, "
            "google, ollama, openai-api/NAME, ..."
            if unknown
            else str(trouble_of(error, player.model))
        )
        raise StudyError(f"players.{player.name}.model: {reason}") from None
