"""One screen at a table, before which several people may sit in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.play.headline import listed
from explorer.play.table import Table

__all__ = ["Cover", "cover", "is_covered", "screen_mark", "seat_at_screen"]


NOT_SAID = "Which of them is to move is their secret. If the cover stays, it is the other one."


@dataclass(frozen=True, slots=True)
class Cover:
    """What is shown until the person who is called says to be there.

    Parameters
    ----------
    title, text, note : str
    seats : dict of str to str
        Who may say so: what a button says, by seat.
    """

    title: str
    text: str
    note: str
    seats: dict[str, str]


def seat_at_screen(table: Table, present: str | None, people: Sequence[str] | None = None) -> str:
    """Whose view a screen shows: of its people, the one to move next; the verifier's without any.

    Parameters
    ----------
    table : Table
    present : str, optional
        Who sits at the screen.
    people : sequence of str, optional
        Who may; all people, if it is left out.
    """
    people = table.humans if people is None else people
    if not people:
        return table.spec.verifier
    waiting = [agent for agent in table.waits_for if agent in people]
    if waiting and present not in waiting:
        return waiting[0]
    return present if present is not None and present in people else people[0]


def is_covered(
    table: Table, seat: str, present: str | None, people: Sequence[str] | None = None
) -> bool:
    """Is the table covered, until the person in a seat says that they are at the screen?"""
    people = table.humans if people is None else people
    return len(people) > 1 and not table.settled and present != seat


def screen_mark(table: Table, present: str | None) -> object:
    """What a screen shows of a table: differs exactly if one would see a difference."""
    seat = seat_at_screen(table, present)
    return seat, None if is_covered(table, seat, present) else table.seen_by(seat).mark


def cover(table: Table, seat: str) -> Cover:
    """The cover while a seat is called."""
    called = {each: table.spec.seat_name(each) for each in table.called(seat)}
    names = listed(called.values(), "or")
    return Cover(
        f"Hand over to {names}",
        f"The table is covered until {names} is here. Nobody else should look.",
        NOT_SAID if len(called) > 1 else "",
        {each: f"I am {name}, and I am here" for each, name in called.items()},
    )
