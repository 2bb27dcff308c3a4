"""Which part of a text was read as what: of every move that came from one."""

from __future__ import annotations

from dataclasses import dataclass

from nip_core.displays import displayed
from nip_core.play import NO_DECISION, Episode

__all__ = ["Reading", "readings"]


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
    told = episode.finished()
    found: list[Reading] = []
    for position in told.path(node)[1:]:
        for agent, move in position.moves.items():
            if not move.raw or [move.raw] == [*move.messages.values()]:
                continue
            spans = told.view_for(agent, position.parent).spans(move)
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
