"""First games in a fixed order, with hints that point at the table and speak of its answers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, cast

from explorer.choice import ProtocolChoice
from explorer.play.seats import Start, default_seats, start_of
from nip_core.displays import displayed
from nip_core.play import Episode, View
from nip_core.tasks import GraphPair, Task

FOR_BEGINNERS = "Somebody claims something. You cannot simply check it. Ask, then accept or reject."


@displayed
@dataclass(frozen=True, slots=True)
class FirstGameHint:
    """A hint shown during a first game.

    Parameters
    ----------
    at : str
        The part of the table that it points at: ``problem``, ``move`` or ``end``.
    moved : int
        Shown before the person has moved (0), or after they have moved at least once (1).
    text : str
        May refer to groups of `said`, as in a replacement of :mod:`re`.
    ask : str
        A question that it suggests; may be empty.
    said : str
        A pattern that the latest answer has to contain; may be empty.
    """

    at: str
    moved: int
    text: str
    ask: str = ""
    said: str = ""

    def told(self, answer: str) -> str | None:
        """Return its words after an answer; None if it does not fit."""
        if not self.said:
            return self.text
        found = re.search(self.said, answer)
        return None if found is None else found.expand(self.text)


@displayed
@dataclass(frozen=True, slots=True)
class FirstGame:
    """A game for beginners, in which the players' answers are known beforehand.

    Parameters
    ----------
    name : str
    start : Start
    hints : tuple of FirstGameHint
    card : mapping, optional
        Its card on the start page as plain data: ``tag``, ``about`` and ``art``. A game without one
        is only offered after another one.
    """

    name: str
    start: Start
    hints: tuple[FirstGameHint, ...]
    card: Mapping[str, Any] | None = None

    def to_plain(self) -> dict[str, Any]:
        """Return what its card shows, as plain data for the browser."""
        card = dict(self.card or {})
        if card.get("art", {}).get("kind") == "drawings":
            card["art"] = {**card["art"], **_drawings(self.name)}
        return {"name": self.name, **card}


@cache
def first_games() -> tuple[FirstGame, ...]:
    """Return the first games in order."""
    text = files("explorer.play").joinpath("for_beginners.toml").read_text("utf-8")
    # The static site has no code for graphs.
    graphs = find_spec("networkx") is not None
    games = tomllib.loads(text)["game"]
    return tuple(_game(each) for each in games if graphs or not each["task"].startswith("graphs"))


def _game(written: Mapping[str, Any]) -> FirstGame:
    choice = ProtocolChoice.of(written["protocol"])
    for setting, value in written.get("settings", {}).items():
        choice = choice.with_setting(setting, value=value)
    seats = default_seats(choice.rules, written["seat"])
    others = [seat for seat, kind in seats.items() if kind != "me"]
    levels: dict[str, str] = {}
    if "level" in written:
        levels = dict.fromkeys(others, str(written["level"]))
    start = Start(choice, written["task"], seats, written["seed"], levels=levels)
    hints = tuple(FirstGameHint(**hint) for hint in written["hint"])
    card = None
    if art := written.get("art"):
        card = {"tag": written["tag"], "about": written["about"], "art": art}
    return FirstGame(written["name"], start, hints, card)


@cache
def _drawings(name: str) -> Mapping[str, Any]:
    """Return the two graphs of a first game's task, as places of nodes and pairs of them.

    They are kept, since the task has to be made for them, and each start page shows them.
    """
    start = next(game.start for game in first_games() if game.name == name)
    pair = cast("GraphPair", start.setup().task.payload)
    return {
        "graphs": [
            {
                "nodes": [[round(x, 2), round(y, 2)] for x, y in graph.layout("circular")],
                "edges": [list(edge) for edge in graph.edges],
            }
            for graph in (pair.first, pair.second)
        ]
    }


def _number(episode: Episode) -> int | None:
    """Return which of the games an episode is, from 0."""
    setup, known = episode.setup, _known()
    number = known.get((setup.rules.name, setup.seed, _name_of(setup.task)))
    if number is None:
        return None
    start, began = first_games()[number].start, start_of(episode)
    same = (
        start.choice.rules.longest == setup.rules.longest
        and dict(start.seats) == dict(began.seats)
        and dict(start.levels) == dict(began.levels)
    )
    return number if same else None


@cache
def _known() -> dict[tuple[str, int, str], int]:
    """Return the games by protocol, seed and task."""
    setups = [game.start.setup() for game in first_games()]
    return {(s.rules.name, s.seed, _name_of(s.task)): number for number, s in enumerate(setups)}


def _name_of(task: Any) -> str:
    return task.id if isinstance(task, Task) else str(task.title)


def next_first_game(episode: Episode) -> Start | None:
    """Return the game that follows an episode, if it is a first game and not the last."""
    number = _number(episode)
    if number is None or number + 1 == len(first_games()):
        return None
    return first_games()[number + 1].start


def hints(episode: Episode, view: View) -> list[dict[str, str]]:
    """Return the hints for a position of a first game, as plain data; none in any other game."""
    number = _number(episode)
    if number is None:
        return []
    game = first_games()[number]
    if game.start.seats[view.agent] != "me":
        return []
    moved = int(any(seen.own is not None for seen in view.rounds) or view.held is not None)
    answer = _latest_answer(view)
    shown: dict[str, dict[str, str]] = {}
    for hint in game.hints:
        fits = hint.at == "end" if view.over else (hint.at != "end" and hint.moved == moved)
        text = hint.told(answer) if fits and hint.at not in shown else None
        if text is not None:
            shown[hint.at] = {"at": hint.at, "text": text, "ask": hint.ask}
    return [*shown.values()]


def _latest_answer(view: View) -> str:
    """Return what others have said in the last turn in which they said something."""
    for seen in reversed(view.rounds):
        if said := [message.text for message in seen.messages if message.sender != view.agent]:
            return "\n".join(said)
    return ""
