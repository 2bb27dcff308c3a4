"""The events that lead to finished variations of a tree, and to no others."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from nip_core.play.events import Commented, Event, Moved, Seated, Went, stands_in
from nip_core.play.tree import Tree

__all__ = ["ended_lines"]


def ended_lines(
    events: Sequence[Event],
    tree: Tree,
    ended_at: frozenset[int],
    current: int,
    known: dict[int, int],
) -> Iterator[Event]:
    """Yield the events of finished variations, with new numbers for positions.

    Parameters
    ----------
    events : sequence of Event
    tree : Tree
    ended_at : frozenset of int
        The positions of these variations.
    current : int
        The final position, which is one of them.
    known : dict of int to int
        Filled with the new numbers of positions by their former ones.
    """
    closing = {max(numbers): place for place, numbers in enumerate(tree.made_by) if numbers}
    sits: dict[str, Seated] = {}
    moved_by: dict[int, Seated] = {}
    here = _pass(tree, 0, known)
    for number, event in enumerate(events):
        if isinstance(event, Seated):
            sits[event.agent] = event
            yield event
        elif isinstance(event, Moved) and event.move.agent in sits:
            moved_by[number] = sits[event.move.agent]
        elif isinstance(event, Commented) and event.node in known:
            yield dataclasses.replace(event, node=known[event.node])
        place = closing.get(number)
        if place is None or place not in ended_at:
            continue
        parent = tree.behind_silence(tree.nodes[place].parent or 0)
        if known[parent] != here:
            yield Went(node=known[parent])
        yield from _made(events, tree.made_by[place], sits, moved_by)
        here = _pass(tree, place, known)
    if known[current] != here:
        yield Went(node=known[current])


def _pass(tree: Tree, place: int, known: dict[int, int]) -> int:
    """Record a position and those that follow without moves; return the last one's number."""
    known[place] = len(known)
    while place + 1 < len(tree.nodes):
        if tree.made_by[place + 1] or tree.nodes[place + 1].parent != place:
            break
        place += 1
        known[place] = len(known)
    return known[place]


def _made(
    events: Sequence[Event],
    numbers: Sequence[int],
    sits: dict[str, Seated],
    moved_by: dict[int, Seated],
) -> Iterator[Event]:
    """Yield the moves of a turn in the order of seats' names, which hides who was first."""
    moved = [(n, event) for n in numbers if isinstance(event := events[n], Moved)]
    for number, event in sorted(moved, key=lambda each: each[1].move.agent):
        now, then = sits.get(event.move.agent), moved_by.get(number)
        # The player of the move is kept, although its person may have the seat again.
        if then is None or now is None or then is now or not stands_in(then.player):
            yield event
        else:
            yield from (then, event, now)
