"""Links to a position: choices and people's moves; the seed reproduces scripted players' moves.

A link is compressed JSON in the part of an address after ``#``, which browsers do not send to
servers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, cast

from explorer.address import from_query, to_query
from explorer.parameter_controls import cut_rounds
from explorer.play import KINDS, Start, Table, find_task, start_of, task_choices
from nip_core.documents import show
from nip_core.errors import NipError, UnknownNameError
from nip_core.play import MAX_CONFIDENCE, Episode, Move
from nip_core.registry import protocol_spec

__all__ = [
    "MOST_ROUNDS",
    "Link",
    "LinkError",
    "link_of",
    "position_digest",
    "read_link",
    "start_link",
]

VERSION = 1
MOST_MOVES = 200
MOST_ROUNDS = 100
# A model's seat needs a key, which is never in a link.
SEATS = frozenset(KINDS) - {"llm"}
KEYS = {"v", "query", "task", "seats", "levels", "strategies", "seed", "moves", "view"}


class LinkError(NipError, ValueError):
    """Raised, with a reason for people, if a link cannot be opened."""


@dataclass(frozen=True, slots=True)
class Link:
    """The content of a link.

    Parameters
    ----------
    start : Start
    moves : tuple of Move
        Those of people, in order.
    digest : str
        Digest of what people saw when the link was made; empty for the beginning of a game.
    notes : tuple of str
        What was left out of it, in sentences.
    """

    start: Start
    moves: tuple[Move, ...]
    digest: str
    notes: tuple[str, ...]


def read_link(value: object) -> Link:
    """Read a link, which may contain anything.

    Raises
    ------
    LinkError
        If it is invalid.
    """
    if not isinstance(value, dict):
        raise LinkError("This link is damaged.")
    said = cast("dict[str, Any]", value)
    version = said.get("v")
    if type(version) is not int:
        raise LinkError("This link is damaged.")
    if version > VERSION:
        raise LinkError("This link was made by a newer version of NIP Explorer.")
    if version != VERSION or not set(said) <= KEYS:
        raise LinkError("This link is damaged.")
    parameters, refused = from_query(_texts(said, "query"), "nip")
    parameters, notes = cut_rounds(parameters, MOST_ROUNDS)
    if refused:
        notes.insert(0, f"Part of the link could not be used: {show(', '.join(refused))}.")
    spec = protocol_spec(parameters)
    seats = _texts(said, "seats")
    if set(seats) != set(spec.agent_names) or not set(seats.values()) <= SEATS:
        raise LinkError("This link names seats that its protocol does not have.")
    if not {"me", "friend"} & set(seats.values()):
        raise LinkError("This link has no seat for a person.")
    seed = said.get("seed")
    if type(seed) is not int or not 0 <= seed < 2**31:
        raise LinkError("The seed of this link is not a number that a game can have.")
    task, digest = said.get("task"), said.get("view", "")
    if not isinstance(task, str) or len(task) > 100 or not isinstance(digest, str):
        raise LinkError("This link is damaged.")
    levels, strategies = _texts(said, "levels"), _texts(said, "strategies")
    start = Start(parameters, task, seats, seed, levels=levels, strategies=strategies)
    return Link(start, _moves(said.get("moves", [])), digest[:64], tuple(notes))


def _texts(said: Mapping[str, Any], key: str) -> dict[str, str]:
    value = said.get(key, {})
    if not isinstance(value, dict):
        raise LinkError("This link is damaged.")
    pairs = cast("dict[str, Any]", value)
    if len(pairs) > 100 or not all(isinstance(text, str) for text in pairs.values()):
        raise LinkError("This link is damaged.")
    return {name[:100]: text[:100] for name, text in pairs.items()}


def _moves(value: Any) -> tuple[Move, ...]:
    if not isinstance(value, list):
        raise LinkError("This link is damaged.")
    listed = cast("list[Any]", value)
    if len(listed) > MOST_MOVES:
        raise LinkError(f"This link has more than {MOST_MOVES} moves.")
    return tuple(map(_move, listed))


def _move(value: Any) -> Move:
    try:
        agent, messages, decision, confidence = value
        if not isinstance(agent, str) or not isinstance(messages, dict):
            raise TypeError
        said = cast("dict[str, Any]", messages)
        # The rules refuse what is not legal in the position; the kinds are checked here.
        if not all(isinstance(text, str) for text in said.values()) or decision not in (0, 1, 2):
            raise TypeError
        if confidence is not None and not (
            type(confidence) is int and 0 <= confidence <= MAX_CONFIDENCE
        ):
            raise TypeError
        return Move(agent, said, decision, confidence)
    except (TypeError, ValueError, NipError):
        raise LinkError("A move in this link cannot be read.") from None


def link_of(table: Table) -> dict[str, Any] | None:
    """Return the link to the present position of a table; None if no link can reproduce it.

    A task that is neither bundled nor drawn by the game's seed cannot be found again, and a
    language model may answer differently next time.
    """
    episode = table.episode
    start, people = start_of(episode), table.humans
    task = _task(episode, start.seed)
    if task is None or not people or not set(start.seats.values()) <= SEATS:
        return None
    moves = [
        [agent, dict(move.messages), move.decision, move.confidence]
        for node in episode.path()[1:]
        for agent, move in node.moves.items()
        if agent in people
    ]
    return {
        **start_link(replace(start, task=task)),
        "moves": moves,
        "view": position_digest(table),
    }


def start_link(start: Start) -> dict[str, Any]:
    """Return the link to the beginning of a game."""
    link: dict[str, Any] = {
        "v": VERSION,
        "query": to_query(start.parameters),
        "task": start.task,
        "seats": dict(start.seats),
        "seed": start.seed,
    }
    more = {"levels": dict(start.levels), "strategies": dict(start.strategies)}
    return {**link, **{name: value for name, value in more.items() if value}}


def _task(episode: Episode, seed: int) -> str | None:
    """Return the choice (an id or a kind) that gives the same task again; None if there is none."""
    task = episode.task
    for choice in (f"id:{task.id}", *task_choices()):
        try:
            if find_task(choice, seed).digest == task.digest:
                return choice
        except UnknownNameError:
            pass
    return None


def position_digest(table: Table) -> str:
    """Return a digest of what the people at a table see now."""
    seen = {agent: table.seen_by(agent).screen for agent in table.humans}
    text = json.dumps(seen, sort_keys=True, ensure_ascii=False)
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
