"""The first thing that each liar said that is not so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from explorer.players.scripted import Heard, reasons, subject_of
from nip_core.displays import displayed
from nip_core.play import Episode, Moved, Node

__all__ = ["Lie", "first_lies"]

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
    told = episode.finished()
    path = told.path(node)
    found: list[Lie] = []
    for agent in told.spec.provers:
        if told.setup.stance(agent) in (None, told.task.y):
            continue
        lie = next(_lies(told, path, agent), None)
        if lie is not None:
            found.append(lie)
    return sorted(found, key=lambda lie: lie.round)


def _lies(told: Episode, path: tuple[Node, ...], agent: str) -> Iterator[Lie]:
    """All lies of a prover on a line, in order."""
    origins = {id(e.move): e.origin for e in told.events if isinstance(e, Moved)}
    asked: dict[str, str] = {}
    for position in path[1:]:
        move = position.moves.get(agent)
        if move is not None:
            record = reasons(origins.get(id(move), {}), told.task.y)
            for channel, text in move.messages.items():
                known = [reason for reason in record if reason.channel == channel]
                parts = text.split(GAP) if known else [text]
                for number, part in enumerate(parts):
                    reason = known[number] if number < len(known) else None
                    facts = _false(told, agent, part, asked.get(channel, ""))
                    if facts or (reason is not None and reason.lie):
                        why = reason.text if reason is not None and reason.lie else ""
                        yield Lie(position.round - 1, agent, channel, part, why, facts)
        # What is written in the same round has not been read by whoever answers in it.
        for verifier in told.spec.verifiers:
            if verifier in position.moves:
                asked.update(position.moves[verifier].messages)


def _false(told: Episode, agent: str, text: str, asked: str) -> tuple[tuple[str, str, str], ...]:
    subject = subject_of(told.task.statement)
    heard = Heard(0, 0, agent, told.setup.stance(agent), text, asked)
    return tuple(
        (claim.about, claim.says, checked.really)
        for claim in subject.claims(heard)
        if (checked := subject.check(claim)) is not None and not checked.holds
    )
