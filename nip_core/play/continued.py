"""A play that goes on in a protocol that was changed meanwhile: as far as its moves are legal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from nip_core.displays import brief, capitalized, displayed
from nip_core.documents import stable_hash
from nip_core.editing import Rename
from nip_core.errors import IllegalMoveError, NipError
from nip_core.language import Specification
from nip_core.language.data import CHANCE, TASK, Option
from nip_core.play.episode import Episode
from nip_core.play.events import Seated
from nip_core.play.material import Material
from nip_core.play.moves import Move
from nip_core.play.setup import Setup
from nip_core.play.tree import Node

__all__ = ["Continued", "continued", "sample_task"]

# Who sits where nobody sat before.
NEW_SEAT: Mapping[str, Any] = {"kind": "human", "who": "me"}


@displayed
@dataclass(frozen=True, slots=True)
class Continued:
    """A play in a changed protocol.

    Parameters
    ----------
    episode : Episode, optional
        The longest part of the play whose moves are legal; None if the protocol cannot be played.
    turns : int
        How many turns of the play this part has.
    of : int
        How many turns the play had.
    why : str
        Why the next turn cannot be played; empty if all could.
    """

    episode: Episode | None
    turns: int
    of: int
    why: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether play goes on from the same position."""
        return not self.why


def continued(episode: Episode, rules: Specification, renames: Iterable[Rename] = ()) -> Continued:
    """Play the present variation of an episode again by other rules, as far as that is legal.

    What was drawn before play stays, and so do the texts of the task. The text of a new part is
    made up.

    Parameters
    ----------
    episode : Episode
    rules : Specification
    renames : iterable of Rename
        What has another name now.
    """
    named = _Names(renames)
    path = episode.path()
    turns = [[*map(named.move, node.moves.values())] for node in path[1:] if node.moves]
    drawn = [_by_chance(node, episode.rules, named) for node in path[1:] if node.moves]
    try:
        found = Episode.from_setup(_setup(episode, rules, named), _seats(episode, rules, named))
    except NipError as error:
        return Continued(None, 0, len(turns), str(error))
    for number, (moves, chance) in enumerate(zip(turns, drawn, strict=True)):
        before, here = copy(found), found.node.id
        why = _play(found, moves)
        is_last = number + 1 == len(turns) and not episode.held
        if not why and found.node.id == here and not is_last:
            why = f"{_names(rules, found.to_move)} would have to act as well."
        if not why and found.node.id != here and _differs(chance, found):
            why = "Chance would draw something else."
        if why:
            return Continued(before, number, len(turns), why)
    before = copy(found)
    why = _play(found, [*map(named.move, episode.held.values())])
    return Continued(before if why else found, len(turns), len(turns), why)


def _play(episode: Episode, moves: Iterable[Move]) -> str:
    """Make the moves of a turn; return why one of them is not possible, if so."""
    for move in moves:
        if episode.over:
            return "Play would have ended before."
        if move.agent not in episode.rules.seat_names:
            return f"There is no seat {brief(move.agent)} any more."
        who = capitalized(episode.rules.seat_phrase(move.agent))
        if move.agent not in episode.to_move:
            return f"{who} does not act there any more."
        try:
            episode.play(move)
        except IllegalMoveError as error:
            return f"{who}: {error.for_people}"
        except NipError as error:
            return f"{who}: {error}"
    return ""


def _names(rules: Specification, seats: Iterable[str]) -> str:
    return " and ".join(capitalized(rules.seat_phrase(seat)) for seat in seats)


def _by_chance(node: Node, rules: Specification, named: _Names) -> dict[str, Option]:
    """Return what chance chose in the turn that led to a position, by its names now."""
    choices = dict[str, Option]() if node.release is None else node.release.choices
    return {
        named.of("choice", name): named.option(option)
        for name, option in choices.items()
        if rules.choice(name).by == CHANCE
    }


def _differs(before: Mapping[str, Option], episode: Episode) -> bool:
    now = _by_chance(episode.node, episode.rules, _Names(()))
    return any(before[name] != option for name, option in now.items() if name in before)


# -- the setup -------------------------------------------------------------------------------------


def _seats(episode: Episode, rules: Specification, named: _Names) -> list[Seated]:
    players = {named.of("seat", seat): player for seat, player in episode.players.items()}
    return [Seated(agent=s, player=players.get(s, NEW_SEAT)) for s in rules.seat_names]


def _setup(episode: Episode, rules: Specification, named: _Names) -> Setup:
    """Return the setup of the same play, with what was drawn before it."""
    setup, registers = episode.setup, episode.path()[0].registers
    deal = setup.deal
    parts = {named.of("part", name): text for name, text in deal.parts.items()}
    facts = {
        named.of("choice", choice.name): named.option(registers[choice.name])
        for choice in episode.rules.drawn
    }
    task = sample_task(rules, setup.seed, parts, facts, setup.task.title or "")
    return Setup(rules, task, setup.seed, setup.max_response_words)


def sample_task(
    rules: Specification,
    seed: int = 0,
    parts: Mapping[str, str] | None = None,
    facts: Mapping[str, Option] | None = None,
    title: str = "",
) -> Material:
    """Return a task for any protocol, to try it: texts that are not given say what they stand for.

    Parameters
    ----------
    rules : Specification
    seed : int
        Draws the facts that are not given, or that cannot be so any more.
    parts, facts : mapping, optional
        What is known already; what the protocol does not name is left out.
    title : str
    """
    texts, known = parts or {}, facts or {}
    drawn: dict[str, Option] = {}
    for choice in rules.drawn:
        options, given = rules.options[choice.name], known.get(choice.name)
        if given in options and not isinstance(given, bool):
            drawn[choice.name] = given
        elif choice.by == TASK:
            number = stable_hash("nip-sample-task/1", seed, choice.name)[0]
            drawn[choice.name] = options[number % len(options)]
    said = {
        part.name: texts.get(part.name, f"(A text that stands for “{rules.title_of(part.name)}”.)")
        for part in rules.parts
    }
    return Material(said, drawn, title)


class _Names:
    """What is called otherwise now; names are mapped in the order of the changes."""

    def __init__(self, renames: Iterable[Rename]) -> None:
        self._renames = tuple(renames)

    def of(self, kind: str, name: str) -> str:
        for rename in self._renames:
            if rename.kind == kind and rename.old == name:
                name = rename.new
        return name

    def option(self, option: Any) -> Any:
        return self.of("option", option) if isinstance(option, str) else option

    def move(self, move: Move) -> Move:
        return replace(
            move,
            agent=self.of("seat", move.agent),
            messages={self.of("channel", on): text for on, text in move.messages.items()},
            choices={self.of("choice", n): self.option(o) for n, o in move.choices.items()},
        )
