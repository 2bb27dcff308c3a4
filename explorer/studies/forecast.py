"""What a study would run and cost, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from explorer.players.models import estimate_tokens, tokens_in_chat
from explorer.studies.points import Point
from explorer.studies.study import PlayerChoice
from explorer.usage import Usage
from nip_core.displays import displayed
from nip_core.play import Episode, Move

__all__ = ["Forecast", "forecast"]

# So many episodes of each condition are looked at; tasks differ in length.
SAMPLE = 6
# A model's message takes about so many words at least; at most it takes what the study allows.
FEW_WORDS = 20
WORD = "word "


@displayed
@dataclass(frozen=True, slots=True)
class Forecast:
    """What a condition's episodes would take.

    Parameters
    ----------
    condition : str
    engine : str
    episodes : int
    least : Usage
        If verifiers decide as soon as it counts, and messages are short.
    most : Usage
        If all rounds are played, and messages are as long as they may be. A model that thinks, or
        whose answers have to be corrected, can take more; the budget stops that.
    priced : bool
        Are there prices for all models that take part?
    """

    condition: str
    engine: str
    episodes: int
    least: Usage
    most: Usage
    priced: bool


def forecast(todo: Iterable[Point]) -> list[Forecast]:
    """What episodes would take, by condition."""
    groups: dict[str, list[Point]] = {}
    for point in todo:
        groups.setdefault(point.condition.name, []).append(point)
    return [_of_condition(found) for found in groups.values()]


def _of_condition(found: Sequence[Point]) -> Forecast:
    condition, number = found[0].condition, len(found)
    least = most = Usage()
    models = [player for player in condition.seats.values() if player.kind == "model"]
    if models:
        step = -(-number // SAMPLE)
        sample = found[::step]
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
    """What models would take in an episode in which everybody says as much as that."""
    episode, seats, used = Episode.from_setup(point.setup()), point.seats(), Usage()
    while not episode.over:
        for agent in episode.to_move:
            move = _move(episode, agent, long=long)
            if seats[agent].kind == "model":
                used += _asked(episode, move, seats[agent], long=long)
            episode.play(move)
    return used


def _move(episode: Episode, agent: str, *, long: bool) -> Move:
    legal, most = episode.legal(agent), episode.setup.max_response_words
    if legal.may_decide and (legal.last_turn or not long):
        return Move(agent, decision=1)
    words = WORD * (most if long else min(most, FEW_WORDS))
    return Move(agent, dict.fromkeys(legal.channels, words.strip()))


def _asked(episode: Episode, move: Move, player: PlayerChoice, *, long: bool) -> Usage:
    sent = tokens_in_chat(episode.view_for(move.agent).portable_messages())
    written = sum(map(estimate_tokens, move.messages.values())) or estimate_tokens(WORD * 4)
    limit = player.settings.get("max_tokens")
    if long and isinstance(limit, int):
        written = max(written, limit)
    money = player.prices.cost(sent, written) or 0.0
    return Usage(1, sent, written, money)
