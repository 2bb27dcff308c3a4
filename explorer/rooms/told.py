"""What a room tells once the facilitator has revealed the truth."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.rooms.bots import is_counted, seats_of_bots
from explorer.rooms.errors import NotNowError
from explorer.rooms.room import Room, RoomTable, room_of
from explorer.rooms.tables import episode_at
from explorer.storage import Storage
from nip_core.displays import displayed
from nip_core.play import Episode

__all__ = ["Outcome", "outcomes", "told_tables"]


@displayed
@dataclass(frozen=True, slots=True)
class Outcome:
    """How a table's episode has ended.

    Parameters
    ----------
    turn, table : int
        From 1 on.
    condition : str
    task, title : str
        The task's id and what it is called. A task's two versions have different ids.
    y : {0, 1}
        The label.
    decision : {0, 1}, optional
        The verdict that counted; None if the rounds ran out without one.
    rounds : int
        How many were played.
    bots : tuple of str
        The agents for whom a bot has moved, though the seat was meant for somebody else.
    counted : bool
        Does it count in the room's result? See :func:`~explorer.rooms.bots.is_counted`.
    episode_id : str
    """

    turn: int
    table: int
    condition: str
    task: str
    title: str
    y: int
    decision: int | None
    rounds: int
    bots: tuple[str, ...]
    counted: bool
    episode_id: str


def told_tables(storage: Storage, code: str, visitor: str) -> list[tuple[RoomTable, Episode]]:
    """The tables of all tasks whose truth is told, with their episodes, for everybody to look at.

    A table that was ended before its episode was over is not among them.

    Raises
    ------
    NotNowError
        Before the first truth is told; or if the room has no gallery, and this browser neither
        leads it nor has joined.
    """
    room = room_of(storage, code)
    if room.plan.gallery == "none" and not room.leads(visitor) and not room.persons_of(visitor):
        raise NotNowError("This room has no gallery. Ask whoever leads it.")
    if not room.state.get("revealed"):
        raise NotNowError("The gallery opens once the facilitator has told the truth.")
    return _told(storage, room)


def outcomes(storage: Storage, code: str) -> list[Outcome]:
    """How all episodes have ended whose truth is told, also those that do not count.

    There are none before that.
    """
    room = room_of(storage, code)
    return [_outcome(room, *each) for each in _told(storage, room)]


def _told(storage: Storage, room: Room) -> list[tuple[RoomTable, Episode]]:
    found: list[tuple[RoomTable, Episode]] = []
    for table in room.everything:
        if table.episode_id is not None and room.is_revealed(table.turn):
            episode = episode_at(storage, room, table.episode_id)
            if episode.over:
                found.append((table, episode.finished()))
    return found


def _outcome(room: Room, table: RoomTable, episode: Episode) -> Outcome:
    statement = episode.task.statement
    bots = seats_of_bots(room, table, episode)
    return Outcome(
        table.turn,
        table.number,
        table.condition,
        statement.id,
        statement.title or statement.id,
        episode.task.y,
        episode.result().decision,
        episode.node.round,
        bots,
        is_counted(room, bots),
        table.episode_id or "",
    )
