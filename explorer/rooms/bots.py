"""Where a bot has played in a person's place, and so which tables count in a room's result."""

from __future__ import annotations

from explorer.rooms.room import Room, RoomTable
from nip_core.play import Episode

__all__ = ["bots_are_told", "is_counted", "seats_of_bots", "with_bots"]


def seats_of_bots(room: Room, table: RoomTable, episode: Episode) -> tuple[str, ...]:
    """Return the agents for whom a bot has played, though the seat was meant for somebody else.

    A bot that sits where nobody else does is among them before it has moved. A seat that
    the facilitator gave to a scripted player or to a model is none of them: that is what the table
    was to be like. But it is if a scripted player took over for the model.
    """
    played = {agent for _, agent in episode.stood_in()}
    played |= {
        agent
        for agent, seat in table.seats.items()
        if seat.bot is not None and seat.person is None and room.plan.seat_kind(agent) == "person"
    }
    return tuple(agent for agent in episode.spec.agent_names if agent in played)


def is_counted(room: Room, bots: tuple[str, ...]) -> bool:
    """Return whether a table counts in the room's result, by its :func:`seats_of_bots`.

    Tables at which a bot has played for somebody do not, but in a rehearsal: there all do, since
    nothing is measured, and every window says that bots play.
    """
    return room.plan.rehearsal or not bots


def bots_are_told(room: Room, table: RoomTable) -> bool:
    """Return whether everybody may know by now where bots have moved at a table."""
    return table.phase == "over" or room.plan.bots_told == "once"


def with_bots(number: int, *, counted: bool = False) -> str:
    """Return how tables with bots are named everywhere: "2 tables with bots, not counted"."""
    tables = "1 table" if number == 1 else f"{number} tables"
    return f"{tables} with bots" if counted else f"{tables} with bots, not counted"
