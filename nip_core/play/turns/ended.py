"""The events that lead to the lines of a tree that have ended, and to no others."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from nip_core.play.events import Commented, Event, Moved, Seated, Went, stands_in
from nip_core.play.tree import Tree

__all__ = ["ended_lines"]


def ended_lines(
    events: Sequence[Event], tree: Tree, ended_at: frozenset[int], current: int
) -> Iterator[Event]:
    """Return what has happened on lines that have ended; positions are counted anew.

    Parameters
    ----------
    events : sequence of Event
    tree : Tree
    ended_at : frozenset of int
        The positions of these lines.
    current : int
        Where play is in the end, which is among them.
    """
    closing = {max(numbers): place for place, numbers in enumerate(tree.made_by) if numbers}
    sits: dict[str, Seated] = {}
    moved_by: dict[int, Seated] = {}
    # By the number that a position has had, the one that it gets.
    known: dict[int, int] = {}
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
    """Note a position and those that came after it by themselves; return the last one's number."""
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
    """The moves of a turn, in the order of the seats' names: who was first is nobody's to know."""
    moved = [(n, event) for n in numbers if isinstance(event := events[n], Moved)]
    for number, event in sorted(moved, key=lambda each: each[1].move.agent):
        now, then = sits.get(event.move.agent), moved_by.get(number)
        # Whose move it was stays known, though its person may have the seat again by now.
        if then is None or now is None or then is now or not stands_in(then.player):
            yield event
        else:
            yield from (then, event, now)
