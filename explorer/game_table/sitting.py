"""One screen at a table, before which several people may sit in turn."""

from __future__ import annotations

from explorer.game_table.table import Table

__all__ = ["is_covered", "screen_mark", "seat_at_screen"]


def seat_at_screen(table: Table, present: str | None) -> str:
    """Whose view is shown: of the people, the one to move next; the verifier's without people.

    Parameters
    ----------
    table : Table
    present : str, optional
        The seat whose person was last seen at the screen.
    """
    people = table.humans
    if not people:
        return table.spec.verifier
    waiting = table.waits_for
    if present in waiting:
        return present
    if waiting:
        return waiting[0]
    return present if present in people else people[0]


def is_covered(table: Table, seat: str, present: str | None) -> bool:
    """Is the table covered, until the person in a seat says that they are at the screen?"""
    return len(table.humans) > 1 and not table.settled and present != seat


def screen_mark(table: Table, present: str | None) -> object:
    """What a screen shows of a table: differs exactly if one would see a difference."""
    seat = seat_at_screen(table, present)
    return seat, None if is_covered(table, seat, present) else table.seen_by(seat).mark
