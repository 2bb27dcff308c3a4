"""Links to a position: choices and people's moves; the seed reproduces scripted players' moves.

A link is compressed JSON in the part of an address after ``#``, which browsers do not send to
servers. Earlier ones have a version of 1 or 2, after the form of their protocol, and no variations.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from explorer.choice import MOST_PACKED, OWN, WRITTEN, ProtocolChoice
from explorer.play import KINDS, Start, Table, find_task, materials, start_of, task_choices
from nip_core.documents import as_fields
from nip_core.errors import NipError, UnknownNameError
from nip_core.play import Episode, Material, Move, Moved, Went, Withdrew
from nip_core.tasks import Task

if TYPE_CHECKING:
    from explorer.notebook import PlayDisplay


VERSION = 3
MOST_MOVES, MOST_TEXT = 200, 100
MOST_ROUNDS = 100
DAMAGED = "This link is damaged."
# A model's seat needs a key, which is never in a link.
SEATS = frozenset(KINDS) - {"llm"}
Step = Move | int | str | None


class LinkError(NipError, ValueError):
    """Raised, with a reason for people, if a link cannot be opened."""


@dataclass(frozen=True, slots=True)
class WrittenLink:
    """The fields of a link as it is written; of mappings and lists, each reader checks the rest."""

    v: int
    task: str
    seed: int
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    seats: Mapping[str, str] = field(default_factory=dict[str, str])
    # For each seat of a scripted player.
    levels: Mapping[str, str] = field(default_factory=dict[str, str])
    strategies: Mapping[str, str] = field(default_factory=dict[str, str])
    moves: Sequence[Any] = ()
    view: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """The content of a link."""

    start: Start
    # The moves of people in order. Between them: an int for a position that they went to, a str for
    # a seat that took a move back, and None where players were asked to continue.
    moves: tuple[Step, ...]
    # Digest of what people saw when the link was made; empty for the beginning of a game.
    digest: str
    notes: tuple[str, ...]  # sentences about what was left out


def read_link(value: object) -> Link:
    """Read a link, which may contain anything; raise a LinkError if it is invalid."""
    version = cast("dict[str, object]", value).get("v") if isinstance(value, dict) else None
    if isinstance(version, int) and version > VERSION:
        raise LinkError("This link was made by a newer version of NIP Explorer.")
    try:
        fields = as_fields(cast("object", value), WrittenLink, "the link", error=LinkError)
    except LinkError:
        raise LinkError(DAMAGED) from None
    written = WrittenLink(**fields)
    texts = (written.query, written.seats, written.levels, written.strategies)
    if (
        written.v < 1
        or len(written.task) > MOST_TEXT
        or any(len(text) > MOST_TEXT for text in texts)
    ):
        raise LinkError(DAMAGED)
    if not 0 <= written.seed < 2**31:
        raise LinkError("The seed of this link is not a number that a game can have.")
    choice, notes = ProtocolChoice.read(cut(written.query), "nip", most_rounds=MOST_ROUNDS)
    seats = _seats(written, choice.rules.seat_names)
    levels, strategies = cut(written.levels), cut(written.strategies)
    start = Start(choice, written.task, seats, written.seed, levels=levels, strategies=strategies)
    return Link(start, _moves(written.moves), written.view[:64], tuple(notes))


def _seats(written: WrittenLink, names: tuple[str, ...]) -> dict[str, str]:
    seats = cut(written.seats)
    if set(seats) != set(names) or not set(seats.values()) <= SEATS:
        raise LinkError("This link names seats that its protocol does not have.")
    if not {"me", "friend"} & set(seats.values()):
        raise LinkError("This link has no seat for a person.")
    return seats


def cut(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the entries of a link at the length they may have; a specification is longer."""
    return {
        name[:MOST_TEXT]: text[: MOST_PACKED if name == WRITTEN else MOST_TEXT]
        for name, text in texts.items()
    }


def _moves(value: object) -> tuple[Step, ...]:
    if not isinstance(value, list | tuple):
        raise LinkError(DAMAGED)
    listed = cast("Sequence[Any]", value)
    if len(listed) > MOST_MOVES:
        raise LinkError(f"This link has more than {MOST_MOVES} moves.")
    return tuple(map(_step, listed))


def _step(value: Any) -> Step:
    known = value is None or type(value) is int or (type(value) is str and len(value) < 100)
    return value if known else _move(value)


def _move(value: Any) -> Move:
    try:
        agent, messages, decision, confidence, *more = value
        if len(more) > 1:
            raise TypeError
        choices: Any = more[0] if more else {}
        fields = {"agent": agent, "messages": messages, "decision": decision}
        fields |= {"confidence": confidence, "choices": choices}
        # The rules refuse illegal moves; here only the kinds of values are checked.
        return Move(**as_fields(fields, Move, "the move", error=LinkError))
    except (TypeError, ValueError, NipError):
        raise LinkError("A move in this link cannot be read.") from None


def link_of(table: Table) -> dict[str, object] | None:
    """Return the link to the present position of a table; None if no link can reproduce it.

    A task that is neither bundled nor drawn by the game's seed cannot be found again, and a
    language model may answer differently next time.
    """
    episode, people = table.episode, table.humans
    start = start_of(episode)
    task = _task(start, episode.task)
    if task is None or not people or not set(start.seats.values()) <= SEATS:
        return None
    link = start_link(replace(start, task=task))
    steps = _steps(episode, people)
    if len(steps) > MOST_MOVES:
        # Only the present variation.
        path = episode.path()[1:]
        steps = [move for node in path for agent, move in node.moves.items() if agent in people]
    moves = [_plain(step) if isinstance(step, Move) else step for step in steps]
    return {**link, "moves": moves, "view": position_digest(table)}


def _steps(episode: Episode, people: Sequence[str]) -> list[Step]:
    """Return the steps by which people reached all variations; see :class:`Link`."""
    steps: list[Step] = []
    went = False
    for event in episode.events:
        match event:
            case Moved(move=move) if move.agent in people:
                steps.append(move)
                went = False
            case Moved() if went:
                steps.append(None)
                went = False
            case Withdrew(agent=agent):
                steps.append(agent)
            case Went(node=node):
                steps.append(node)
                went = True
            case _:
                pass
    return steps


def _plain(move: Move) -> list[Any]:
    return [move.agent, dict(move.messages), move.decision, move.confidence, *_chosen(move)]


def make_step(display: PlayDisplay, step: Step) -> None:
    """Repeat a step of a person at a table; raise a NipError if it is not possible."""
    game = display.game
    if step is None:
        game.go_on()
    elif isinstance(step, Move):
        game.play(step)
    elif isinstance(step, str):
        game.undo(step)
    else:
        game.goto(step)


def _chosen(move: Move) -> list[dict[str, str | int]]:
    return [dict(move.choices)] if move.choices else []


def start_link(start: Start) -> dict[str, object]:
    """Return the link to the beginning of a game."""
    more = {"levels": dict(start.levels), "strategies": dict(start.strategies)}
    return {
        "v": VERSION,
        "query": start.choice.to_query(),
        "task": start.task,
        "seats": dict(start.seats),
        "seed": start.seed,
        **{name: value for name, value in more.items() if value},
    }


def _task(start: Start, task: Any) -> str | None:
    """Return how to find a task again: its id, which does not reveal the label, or its deal."""
    return _found(start.choice, start.task, start.seed, task.digest)


@lru_cache(64)
def _found(choice: ProtocolChoice, own: str, seed: int, digest: str) -> str | None:
    if choice.name == OWN:
        return None
    rules = choice.rules
    for name in (own, *task_choices()) if own else materials(rules):
        with contextlib.suppress(UnknownNameError):
            task = find_task(rules, name, seed)
            about = task if isinstance(task, Task) else Material.of(rules, task, seed)
            if about.digest == digest:
                return name
    return None


def position_digest(table: Table) -> str:
    """Return a digest of what the people at a table see now."""
    seen = {agent: table.seen_by(agent).screen for agent in table.humans}
    text = json.dumps(seen, sort_keys=True, ensure_ascii=False)
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
