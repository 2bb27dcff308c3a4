"""Events of an episode without the content of unfinished variations."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from nip_core.play.events import Commented, Event, Moved, Seated, Withdrew, stands_in
from nip_core.play.moves import NO_DECISION, Move

__all__ = ["REDACTED", "redacted"]

# The text in place of removed messages, unchanged since the first version of transcripts.
REDACTED = "(untold)"


def redacted(
    events: Sequence[Event], made_by: Sequence[Sequence[int]], ended: Collection[int]
) -> Iterator[Event]:
    """Yield events that lead to the same positions, without the messages at some of them.

    Parameters
    ----------
    events : sequence of Event
    made_by : sequence of sequence of int
        For each position, the numbers of the events that led to it.
    ended : collection of int
        The positions of finished variations, which everybody may read.
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
            # The order of moves within a round is secret, like their texts.
            moved.sort(key=lambda each: each[1].move.agent)
            for n, move in moved:
                made = move if place in ended else _blank(move)
                # The move keeps its player, although the person may have the seat again.
                now = sits.get(move.move.agent)
                moved_by = stood_in.get(n, now)
                if moved_by is None or now is None or moved_by is now:
                    yield made
                else:
                    yield from (moved_by, made, now)
        elif isinstance(event, Commented) and event.node not in ended:
            continue
        elif not isinstance(event, Moved | Withdrew):
            # Moves that were taken back, or dropped when play went elsewhere, were never revealed.
            yield event


def _blank(event: Moved) -> Moved:
    move = event.move
    decision = NO_DECISION if move.decision == NO_DECISION else 0
    return Moved(move=Move(move.agent, dict.fromkeys(move.messages, REDACTED), decision))
