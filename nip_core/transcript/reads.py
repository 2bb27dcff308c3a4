"""What seats can read of a version 2 episode, as data for independent checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nip_core.language.structure import Place, Sight
from nip_core.play import Episode, Node

__all__ = ["newly_read"]

# What is said of a message that the rules have copied to this channel.
COPIED = "copied"


def newly_read(episode: Episode, node: Node) -> dict[str, dict[str, list[Any]]]:
    """Return for each seat what it can read at a position but not at the one before.

    What an author had read when it wrote is the union of this over all earlier positions.

    Returns
    -------
    dict of str to dict
        The names of ``parts``; ``messages``, each by its position, author and channel; and
        ``choices``, each by its position and name. What was drawn before play has the position 0.
        Empty entries are left out.
    """
    new_by_seat: dict[str, dict[str, list[Any]]] = {}
    before = None if node.parent is None else episode.node_at(node.parent)
    for seat in episode.rules.seat_names:
        now, was = _Reader(episode, seat, node.place), None
        if before is not None:
            was = _Reader(episode, seat, before.place)
        read: dict[str, list[Any]] = {
            "parts": [name for name in now.parts if was is None or name not in was.parts],
            "messages": [],
            "choices": [],
            "values": [],
        }
        # Of earlier turns, something is new only where the seat sees more than before.
        more = was is None or now.sees_more_than(was)
        for here in episode.path(node.id) if more else (node,):
            earlier = None if here.id == node.id else was
            read["messages"] += now.messages(here, earlier)
            read["choices"] += now.choices(here, earlier)
            read["values"] += now.values(here, earlier)
        new_by_seat[seat] = {kind: items for kind, items in read.items() if items}
    return new_by_seat


class _Reader:
    """What one seat can read once play has come to a place (None: to its end)."""

    def __init__(self, episode: Episode, seat: str, place: Place | None) -> None:
        self.episode, self.spec, self.seat, self.place = episode, episode.rules, seat, place
        self.stage = None if place is None else place.stage
        seen = self.spec.sight(seat, self.stage).parts
        self.parts = [part.name for part in self.spec.parts if part.name in seen]

    def sees_more_than(self, was: _Reader) -> bool:
        """Return whether it may see more of some turn than at an earlier place."""
        own, other = (self.spec.sight(self.seat, each.stage) for each in (self, was))
        ended = was.place is not None and self.spec.pending(was.place, self.place) != (
            self.spec.pending(was.place, was.place)
        )
        return ended or own.more_than(other)

    def _sight(self, node: Node) -> Sight:
        pending = () if node.release is None else self.spec.pending(node.release.place, self.place)
        return self.spec.sight(self.seat, self.stage, pending)

    def messages(self, node: Node, was: _Reader | None) -> Sequence[list[Any]]:
        """Return the messages of a position's turn that it reads and did not read before."""
        old = frozenset[str]() if was is None else was._sight(node).channels
        new = self._sight(node).channels
        found: list[list[Any]] = []
        for message in () if node.release is None else node.release.messages:
            own = message.seat == self.seat and not message.source
            if (message.channel in new or own) and (
                was is None or not (message.channel in old or own)
            ):
                copied = [COPIED] if message.source else []
                found.append([node.id, message.seat, message.channel, *copied])
        return found

    def choices(self, node: Node, was: _Reader | None) -> Sequence[list[Any]]:
        """Return the choices of a position's turn that it sees and did not see before."""
        old = frozenset[str]() if was is None else was._sight(node).choices
        new = self._sight(node).choices
        return [[node.id, name] for name in self.episode.chosen(node.id) if name in new - old]

    def values(self, node: Node, was: _Reader | None) -> Sequence[list[Any]]:
        """Return the values of a position's turn that it sees and did not see before."""
        old = frozenset[str]() if was is None else was._sight(node).values
        new = self._sight(node).values
        return [[node.id, name] for name in self.episode.changed(node.id) if name in new - old]
