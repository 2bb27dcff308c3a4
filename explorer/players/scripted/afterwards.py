"""Why scripted players did what they did: for after the end, when the label may be known."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.players.scripted.provers import reasons
from explorer.players.scripted.seating import seated_together
from nip_core.displays import displayed
from nip_core.play import Episode, Moved, Node, Origin

__all__ = ["Why", "why"]


@displayed
@dataclass(frozen=True, slots=True)
class Why:
    """Why a scripted player made a move.

    Parameters
    ----------
    round : int
    agent : str
    lines : tuple of str
        What it thought of, checked and believed; of what it said, what was a lie.
    """

    round: int
    agent: str
    lines: tuple[str, ...]


def why(episode: Episode, node: int | None = None) -> list[Why]:
    """What scripted players say about their moves on a line, the present one if it is left out.

    Raises
    ------
    PlayError
        While the episode goes on.
    """
    finished = episode.finished()
    made = {id(event.move): event for event in finished.events if isinstance(event, Moved)}
    return [
        Why(position.round - 1, agent, lines)
        for position in finished.path(node)[1:]
        for agent in position.moves
        if (lines := _lines(finished, position, agent, made.get(id(position.moves[agent]))))
    ]


def _lines(finished: Episode, position: Node, agent: str, event: Moved | None) -> tuple[str, ...]:
    if event is None or event.origin.get("kind") != "scripted":
        return ()
    if agent in finished.spec.verifiers:
        return tuple(Origin.from_dict(event.origin).reasoning.splitlines())
    # Provers who sit together tell the same story, and cannot contradict each other.
    apart = dict.fromkeys(
        seated_together(finished.setup, prover)[0]
        for prover in finished.spec.provers
        if finished.setup.stance(prover) == finished.setup.stance(agent)
    )
    levels = [str(finished.players.get(fellow, {}).get("level")) for fellow in apart]
    found: list[str] = []
    for reason in reasons(event.origin, finished.task.y, levels):
        found.append(f"{reason.text} That was a lie." if reason.lie else reason.text)
        if reason.chance is not None:
            share = f"{float(reason.chance):.0%}"
            found.append(
                f"Liars like us, who sit apart, contradict each other there in {share} of games."
            )
    return tuple(found)
