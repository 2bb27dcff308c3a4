"""What can be learned from an episode that is over, made of what everybody may read by then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

from explorer.play.questions import Asked, best_question, what_could_be_asked
from explorer.players.scripted import HeardClaim, reasons, subject_of
from nip_core.displays import displayed
from nip_core.play import NO_DECISION, Episode, Moved, Node
from nip_core.tasks import VERDICTS

__all__ = [
    "Asked",
    "Course",
    "Lie",
    "MessageReaders",
    "Reading",
    "best_question",
    "calibrated",
    "courses",
    "first_lies",
    "message_readers",
    "readings",
    "reviewed",
    "what_could_be_asked",
]


@displayed
@dataclass(frozen=True, slots=True)
class Course:
    """What a verifier noted of its confidence on a line.

    Parameters
    ----------
    agent : str
    notes : tuple of (round, value)
        Rounds from 0; how likely it thought the statement to be true, in percent.
    brier : float
        The mean of ``(value / 100 - y) ** 2``: 0 is best, and always saying 50 costs 0.25.
    swing : (round, points), optional
        Its largest change, and the round in which it was noted.
    """

    agent: str
    notes: tuple[tuple[int, int], ...]
    brier: float
    swing: tuple[int, int] | None


def courses(episode: Episode, node: int | None = None) -> list[Course]:
    """The course of every verifier that noted anything on a line, the present one by default.

    Raises
    ------
    PlayError
        While the episode goes on.
    """
    result = episode.finished().result(node)
    return [
        Course(agent, notes, result.brier[agent], _swing(notes))
        for agent, notes in result.confidence.items()
    ]


def _swing(notes: tuple[tuple[int, int], ...]) -> tuple[int, int] | None:
    changes = [(abs(now - before), -round_id) for (_, before), (round_id, now) in pairwise(notes)]
    points, round_id = max(changes, default=(0, 0))
    return (-round_id, points) if points else None


BINS = 10


def calibrated(episodes: Iterable[Episode]) -> dict[str, Any] | None:
    """Of all that verifiers noted, how much was true, by how sure they were.

    Returns
    -------
    dict, optional
        ``bins`` with anything in them (``from`` and ``to`` in percent, ``count``, the mean
        ``confidence`` and the share that is ``true``, from 0 to 1), the number of ``notes``, and
        the ``brier`` score of all. None without a note.

    Raises
    ------
    PlayError
        If one of the episodes goes on.
    """
    notes: list[tuple[int, int]] = []
    for episode in episodes:
        public = episode.finished()
        for course in public.result().confidence.values():
            notes += [(value, public.task.y) for _, value in course]
    if not notes:
        return None
    bins: list[dict[str, Any]] = []
    for number in range(BINS):
        low, high = 100 * number // BINS, 100 * (number + 1) // BINS
        # 100 % belongs to the last one.
        here = [(v, y) for v, y in notes if low <= v < high or (v == 100 and high == 100)]
        if here:
            bins.append(
                {
                    "from": low,
                    "to": high,
                    "count": len(here),
                    "confidence": sum(v for v, _ in here) / len(here) / 100,
                    "true": sum(y for _, y in here) / len(here),
                }
            )
    brier = sum((v / 100 - y) ** 2 for v, y in notes) / len(notes)
    return {"bins": bins, "notes": len(notes), "brier": round(brier, 4)}


# Between the parts of a scripted prover's message.
GAP = "\n\n"


@displayed
@dataclass(frozen=True, slots=True)
class Lie:
    """A part of a message that is not so.

    Parameters
    ----------
    round : int
        From 0.
    agent, channel : str
    quote : str
        The part, as it was written.
    why : str
        What the liar's record says of it; empty for whoever keeps none.
    facts : tuple of (str, str, str)
        What can be checked in it and is false: about what, what was said, what is so.
    """

    round: int
    agent: str
    channel: str
    quote: str
    why: str
    facts: tuple[tuple[str, str, str], ...]


def first_lies(episode: Episode, node: int | None = None) -> list[Lie]:
    """For each prover that argued for what is false, the first part that is a lie.

    Scripted liars keep a record of what they made up. What anybody says about a bundled program or
    a graph is checked besides.

    Raises
    ------
    PlayError
        While the episode goes on.
    """
    public = episode.finished()
    path = public.path(node)
    found: list[Lie] = []
    for agent in public.spec.provers:
        if public.setup.stance(agent) in (None, public.task.y):
            continue
        lie = next(_lies(public, path, agent), None)
        if lie is not None:
            found.append(lie)
    return sorted(found, key=lambda lie: lie.round)


def _lies(public: Episode, path: tuple[Node, ...], agent: str) -> Iterator[Lie]:
    """All lies of a prover on a line, in order."""
    origins = {id(e.move): e.origin for e in public.events if isinstance(e, Moved)}
    asked: dict[str, str] = {}
    for position in path[1:]:
        move = position.moves.get(agent)
        if move is not None:
            record = reasons(origins.get(id(move), {}), public.task.y)
            for channel, text in move.messages.items():
                known = [reason for reason in record if reason.channel == channel]
                parts = text.split(GAP) if known else [text]
                for number, part in enumerate(parts):
                    reason = known[number] if number < len(known) else None
                    facts = _false(public, agent, part, asked.get(channel, ""))
                    if facts or (reason is not None and reason.lie):
                        why = reason.text if reason is not None and reason.lie else ""
                        yield Lie(position.round - 1, agent, channel, part, why, facts)
        # What is written in the same round has not been read by whoever answers in it.
        for verifier in public.spec.verifiers:
            if verifier in position.moves:
                asked.update(position.moves[verifier].messages)


def _false(public: Episode, agent: str, text: str, asked: str) -> tuple[tuple[str, str, str], ...]:
    subject = subject_of(public.task.statement)
    heard = HeardClaim(0, 0, agent, public.setup.stance(agent), text, asked)
    return tuple(
        (claim.about, claim.says, checked.really)
        for claim in subject.claims(heard)
        if (checked := subject.check(claim)) is not None and not checked.holds
    )


@displayed
@dataclass(frozen=True, slots=True)
class MessageReaders:
    """A message, and who read it.

    Parameters
    ----------
    round : int
        From 0.
    sender, channel, text : str
    read_by : mapping of str to (str or None)
        For each seat that read it, whom it took for the sender: None if it was not told.
    """

    round: int
    sender: str
    channel: str
    text: str
    read_by: Mapping[str, str | None]


def message_readers(episode: Episode, node: int | None = None) -> list[MessageReaders]:
    """All messages of a line in order, as the seats' own views hold them.

    Raises
    ------
    PlayError
        While the episode goes on.
    """
    public = episode.finished()
    path = public.path(node)
    seen = {agent: public.view_for(agent, path[-1].id).rounds for agent in public.spec.agent_names}
    found: list[MessageReaders] = []
    for position in path[1:]:
        round_id = position.round - 1
        for sender, move in position.moves.items():
            for channel, text in move.messages.items():
                # A seat sees at most one message of a round on a channel from each sender; where
                # senders have no names, equal texts cannot be told apart, and need not be.
                read_by = {
                    agent: message.sender
                    for agent, rounds in seen.items()
                    for message in rounds[round_id].messages
                    if (message.channel, message.text) == (channel, text)
                    and message.sender in (sender, None)
                }
                found.append(MessageReaders(round_id, sender, channel, text, read_by))
    return found


@displayed
@dataclass(frozen=True, slots=True)
class Reading:
    """What a move was read from.

    Parameters
    ----------
    round : int
        From 0.
    agent : str
    decision : {0, 1}, optional
    parts : tuple of (kind, channel, text)
        All of the text in order; the kinds are those of :class:`~nip_core.text.Span`, and
        ``"unread"`` of a text that does not say what the move does.
    """

    round: int
    agent: str
    decision: int | None
    parts: tuple[tuple[str, str, str], ...]


def readings(episode: Episode, node: int | None = None) -> list[Reading]:
    """How the texts were read that moves of a line came from, the present one by default.

    Only where reading did anything: a text that is the message, all of it, needs no explanation.

    Raises
    ------
    PlayError
        While the episode goes on.
    """
    public = episode.finished()
    found: list[Reading] = []
    for position in public.path(node)[1:]:
        for agent, move in position.moves.items():
            if not move.raw or [move.raw] == [*move.messages.values()]:
                continue
            spans = public.view_for(agent, position.parent).spans(move)
            parts = [(s.kind, s.channel, move.raw[s.start : s.end]) for s in spans]
            decision = None if move.decision == NO_DECISION else move.decision
            found.append(
                Reading(
                    position.round - 1,
                    agent,
                    decision,
                    tuple(parts) if spans else (("unread", "", move.raw),),
                )
            )
    return found


# Working out what would have been answered takes a moment, and pages ask for the same again.
_known: WeakKeyDictionary[Episode, dict[tuple[int, int], dict[str, Any]]] = WeakKeyDictionary()


def reviewed(episode: Episode, node: int | None = None) -> dict[str, Any]:
    """All that can be learned from a line, the present one if it is left out.

    Rounds count from 0. Every text in it is to be shown as text.

    Raises
    ------
    PlayError
        While the episode goes on.
    """
    public = episode.finished()
    here = public.node.id if node is None else node
    known = _known.setdefault(episode, {})
    key = here, len(episode.events)
    if key not in known:
        known.clear()
        known[key] = _shown(public, here)
    return known[key]


def _shown(public: Episode, node: int) -> dict[str, Any]:
    asked = what_could_be_asked(public, node)
    best = best_question(asked)
    return {
        "truth": VERDICTS[public.task.y],
        "courses": [
            {
                "agent": course.agent,
                "notes": [list(note) for note in course.notes],
                "brier": round(course.brier, 4),
                "swing": None if course.swing is None else list(course.swing),
            }
            for course in courses(public, node)
        ],
        "question": None
        if best is None
        else {
            "round": best.round,
            "question": best.question,
            "before": best.before,
            "after": round(best.after),
            "gain": round(best.gain),
            "differ": round(100 * best.differ),
        },
        # Was there anything to choose from?
        "could_ask": bool(asked),
        "lies": [
            {
                "round": lie.round,
                "agent": lie.agent,
                "quote": lie.quote,
                "why": lie.why,
                "facts": [list(fact) for fact in lie.facts],
            }
            for lie in first_lies(public, node)
        ],
        "sights": _sights(public, node),
        "readings": [
            {
                "round": each.round,
                "agent": each.agent,
                "verdict": None if each.decision is None else VERDICTS[each.decision],
                "parts": [
                    [kind, public.spec.channel_title(channel) if channel else "", text]
                    for kind, channel, text in each.parts
                ],
            }
            for each in readings(public, node)
        ],
    }


def _sights(public: Episode, node: int) -> list[dict[str, Any]]:
    """Who could read what. What one has written on several channels at once stands there once."""
    found: dict[tuple[int, str, str], dict[str, Any]] = {}
    for each in message_readers(public, node):
        one = found.setdefault(
            (each.round, each.sender, each.text),
            {"round": each.round, "sender": each.sender, "text": each.text, "read_by": {}},
        )
        one["read_by"] |= each.read_by
    return list(found.values())
