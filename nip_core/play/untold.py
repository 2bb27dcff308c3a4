"""What is left of an episode's events when lines that have not ended must stay secret."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from nip_core.play.events import Commented, Event, Moved, Withdrew
from nip_core.play.moves import NO_DECISION, Move

__all__ = ["UNTOLD", "untold"]

UNTOLD = "(untold)"


def untold(
    events: Sequence[Event], made_by: Sequence[Sequence[int]], told: Collection[int]
) -> Iterator[Event]:
    """The events that lead to the same positions, without what was said at some of them.

    Parameters
    ----------
    events : sequence of Event
    made_by : sequence of sequence of int
        For each position, the numbers of the events that it came from.
    told : collection of int
        The positions of which everything may be told.
    """
    closing = {max(numbers): place for place, numbers in enumerate(made_by) if numbers}
    for number, event in enumerate(events):
        if number in closing:
            place = closing[number]
            moved = [event for n in made_by[place] if isinstance(event := events[n], Moved)]
            # Who was first within a round is as secret as what was said.
            moved.sort(key=lambda event: event.move.agent)
            yield from moved if place in told else map(_blank, moved)
        elif isinstance(event, Commented) and event.node not in told:
            continue
        elif not isinstance(event, Moved | Withdrew):
            # Moves that were taken back, or left when play went elsewhere, nobody has heard.
            yield event


def _blank(event: Moved) -> Moved:
    move = event.move
    decision = NO_DECISION if move.decision == NO_DECISION else 0
    return Moved(move=Move(move.agent, dict.fromkeys(move.messages, UNTOLD), decision))
