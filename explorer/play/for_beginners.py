"""Three first games in a fixed order, with hints that point at the table."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from explorer.choice import ProtocolChoice
from explorer.play.seats import Start, default_seats, start_of
from nip_core.displays import displayed
from nip_core.language import Specification
from nip_core.play import Episode, View

PROTOCOL = "nip"
FOR_BEGINNERS = "New here? Three first games with hints, a few minutes each:"


@displayed
@dataclass(frozen=True, slots=True)
class FirstGameHint:
    """A hint shown during a first game."""

    at: str  # the part of the table that it points at: `problem`, `move` or `end`
    asked: int  # shown before the verifier has asked (0), or after it has asked at least once (1)
    text: str


@displayed
@dataclass(frozen=True, slots=True)
class FirstGame:
    """A game for beginners, in which the prover's answers are known beforehand."""

    name: str
    start: Start
    hints: tuple[FirstGameHint, ...]


@cache
def first_games() -> tuple[FirstGame, ...]:
    """Return the first games in order; the person is the verifier in each."""
    text = files("explorer.play").joinpath("for_beginners.toml").read_text("utf-8")
    choice = ProtocolChoice.of(PROTOCOL)
    seats = default_seats(choice.rules)
    return tuple(
        FirstGame(
            game["name"],
            Start(
                choice,
                f"id:{game['task']}",
                seats,
                game["seed"],
                levels={agent: game["level"] for agent, kind in seats.items() if kind != "me"},
            ),
            tuple(FirstGameHint(**hint) for hint in game["hint"]),
        )
        for game in tomllib.loads(text)["game"]
    )


@cache
def _rules() -> Specification:
    return first_games()[0].start.setup().rules


def _number(episode: Episode) -> int | None:
    """Return which of the games an episode is, from 0."""
    if episode.rules.name != PROTOCOL or episode.rules != _rules():
        return None
    began = _mark(start_of(episode))
    marks = [_mark(game.start) for game in first_games()]
    return marks.index(began) if began in marks else None


def _mark(start: Start) -> object:
    """Return what identifies a first game, without its protocol: it is the default one."""
    return start.task, start.seed, dict(start.seats), dict(start.levels)


def next_first_game(episode: Episode) -> Start | None:
    """Return the game that follows an episode, if it is a first game and not the last."""
    number = _number(episode)
    if number is None or number + 1 == len(first_games()):
        return None
    return first_games()[number + 1].start


def hints(episode: Episode, view: View) -> list[dict[str, str]]:
    """Return the hints for a position of a first game, as plain data; none in any other game."""
    number = _number(episode)
    if number is None or view.agent not in view.rules.roles.deciders:
        return []
    if view.ending is not None:
        shown = [hint for hint in first_games()[number].hints if hint.at == "end"]
    else:
        asked = int(any(seen.own is not None for seen in view.rounds) or view.held is not None)
        shown = [h for h in first_games()[number].hints if h.asked == asked and h.at != "end"]
    return [{"at": hint.at, "text": hint.text} for hint in shown]
