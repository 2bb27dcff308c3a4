"""Playing on from a position of a transcript, at a table of one's own."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from explorer.game_table.seats import PERSON
from explorer.game_table.table import Table, now
from explorer.players import scripted_record
from explorer.players.scripted import DEFAULT_STRATEGY
from explorer.storage import Storage
from nip_core.errors import PlayError
from nip_core.play import Episode, Moved, Seated, Setup

__all__ = ["play_on"]

PLAYS_HERE = ("scripted", "random")


def play_on(storage: Storage, table: Table, node: int, seat: str) -> Table:
    """Begin an episode with the moves that led to a position, and a person in a seat.

    What others have kept stays as it is: the new episode is another one. Scripted players sit where
    others sat who cannot be had here again: people and models.

    Parameters
    ----------
    storage : Storage
    table : Table
        At which the line is over.
    node : int
        A position of it before its end.
    seat : str
        Where the person sits.

    Raises
    ------
    PlayError
        If the episode has ended there, or is not over, so that only its seats may look.
    """
    told = table.told()
    path = told.path(node)
    if path[-1].over:
        raise PlayError("The episode has ended there: choose an earlier position.")
    ends = {end.id for leaf in told.leaves if leaf.over for end in told.path(leaf.id)}
    if node not in ends:
        raise PlayError("That line is not over: it can be played on at its own table only.")
    setup = table.episode.setup
    informed = setup.informed_provers or seat in setup.spec.provers
    setup = dataclasses.replace(setup, informed_provers=informed)
    episode = Episode.from_setup(setup)
    for agent in setup.spec.agent_names:
        player = dict(PERSON) | {"met_before": True} if agent == seat else None
        record = player or _record(setup, agent, told.players.get(agent, {}))
        episode.apply(Seated(agent=agent, player=record, at=now()))
    moved = {id(event.move): event for event in told.events if isinstance(event, Moved)}
    for position in path[1:]:
        for move in position.moves.values():
            # Of a move that a rule made, and nobody, there is no event.
            event = moved.get(id(move), Moved(move=move))
            episode.apply(event)
    title = f"{table.entry.title}, played on"[:200]
    return Table(storage, storage.create(episode, title=title, tags=["played on"]))


def _record(setup: Setup, agent: str, player: Mapping[str, Any]) -> dict[str, Any]:
    """What the record says of whoever plays another seat from now on."""
    if player.get("kind") in PLAYS_HERE:
        return dict(player)
    verifies = agent in setup.spec.verifiers
    return scripted_record(setup.seed, agent, strategy=DEFAULT_STRATEGY if verifies else None)
