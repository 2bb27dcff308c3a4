"""What seats can read of a version 2 episode, as data for independent checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nip_core.play import Episode, Node

__all__ = ["newly_read"]


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
    spec, here = episode.rules, node
    before = None if node.parent is None else episode.node_at(node.parent)
    stage, was = _stage(here), None if before is None else _stage(before)
    new_by_seat: dict[str, dict[str, list[Any]]] = {}
    for seat in spec.seat_names:
        opened = {
            kind: [
                thing
                for thing in things
                if _sees(spec, seat, thing, stage)
                and (before is None or not _sees(spec, seat, thing, was))
            ]
            for kind, things in (
                ("parts", spec.parts),
                ("channels", spec.channels),
                ("choices", spec.choices),
            )
        }
        fresh = {name.name for kind in ("channels", "choices") for name in opened[kind]}
        lines = episode.path(node.id) if fresh else (here,)
        read = {
            "parts": [part.name for part in opened["parts"]],
            "messages": [*_messages(spec, seat, lines, here, stage, fresh)],
            "choices": [*_choices(episode, seat, lines, here, stage, fresh)],
        }
        new_by_seat[seat] = {kind: items for kind, items in read.items() if items}
    return new_by_seat


def _stage(node: Node) -> int | None:
    return None if node.place is None else node.place.stage


def _sees(spec: Any, seat: str, thing: Any, stage: int | None) -> bool:
    if hasattr(thing, "by"):
        return spec.sees_choice(seat, thing, stage)
    return spec.sees(seat, thing.seen, stage)


def _messages(
    spec: Any, seat: str, line: Any, here: Node, stage: int | None, fresh: set[str]
) -> Iterator[list[Any]]:
    for node in line:
        if node.release is None:
            continue
        for message in node.release.messages:
            channel = spec.channel(message.channel)
            new = node.id == here.id or channel.name in fresh
            if new and spec.sees(seat, channel.seen, stage):
                yield [node.id, message.seat, channel.name]


def _choices(
    episode: Episode, seat: str, line: Any, here: Node, stage: int | None, fresh: set[str]
) -> Iterator[list[Any]]:
    spec = episode.rules
    for node in line:
        for name in episode.chosen(node.id):
            new = node.id == here.id or name in fresh
            if new and spec.sees_choice(seat, spec.choice(name), stage):
                yield [node.id, name]
