"""What is left of an episode's events when lines that have not ended must stay secret."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from nip_core.play.events import Commented, Event, Moved, Seated, Withdrew, stands_in
from nip_core.play.moves import NO_DECISION, Move

__all__ = ["REDACTED", "redacted"]

# What transcripts have said in the place of such words since their first version.
REDACTED = "(untold)"


def redacted(
    events: Sequence[Event], made_by: Sequence[Sequence[int]], ended: Collection[int]
) -> Iterator[Event]:
    """Yield the events that lead to the same positions, without what was said at some of them.

    Parameters
    ----------
    events : sequence of Event
    made_by : sequence of sequence of int
        For each position, the numbers of the events that it came from.
    ended : collection of int
        The positions of lines that have ended, which everybody may read.
    """
    closing = {max(numbers): place for place, numbers in enumerate(made_by) if numbers}
    sits: dict[str, Seated] = {}
    stood_in: dict[int, Seated] = {}
    for number, event in enumerate(events):
        if isinstance(event, Seated):
            sits[event.agent] = event
        elif isinstance(event, Moved):
            seated = sits.get(event.move.agent)
            if seated is not None and stands_in(seated.player):
                stood_in[number] = seated
        if number in closing:
            place = closing[number]
            moved = [(n, event) for n in made_by[place] if isinstance(event := events[n], Moved)]
            # The order of moves within a round is as secret as their words.
            moved.sort(key=lambda each: each[1].move.agent)
            for n, move in moved:
                made = move if place in ended else _blank(move)
                # The move keeps its player, though the person may have the seat again.
                now = sits.get(move.move.agent)
                moved_by = stood_in.get(n, now)
                if moved_by is None or now is None or moved_by is now:
                    yield made
                else:
                    yield from (moved_by, made, now)
        elif isinstance(event, Commented) and event.node not in ended:
            continue
        elif not isinstance(event, Moved | Withdrew):
            # Nobody has seen moves that were taken back, or dropped when play went elsewhere.
            yield event


def _blank(event: Moved) -> Moved:
    move = event.move
    decision = NO_DECISION if move.decision == NO_DECISION else 0
    return Moved(move=Move(move.agent, dict.fromkeys(move.messages, REDACTED), decision))
