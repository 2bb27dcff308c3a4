"""Who looks at a room, and a mark that changes exactly if what they are shown does."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from explorer.game_table.seen import Seen
from explorer.rooms.bots import bots_are_told
from explorer.rooms.errors import NotLeaderError, NotNowError, RoomClosedError, RoomError
from explorer.rooms.joining import NAMED
from explorer.rooms.lately import episode_lately, room_lately
from explorer.rooms.lesson_acts import lesson_of
from explorer.rooms.lesson_windows import lesson_window
from explorer.rooms.models import ASKS
from explorer.rooms.room import DOOR, Room, load_room, room_of
from explorer.rooms.seat import seat_screen
from explorer.rooms.spectators import KEY, WATCH, is_watched, may_watch_live
from explorer.rooms.tables import SeatedTable, episode_at, seated
from explorer.storage import Storage, answers_topic
from nip_core.displays import displayed
from nip_core.play import Episode

__all__ = [
    "Shown",
    "Watcher",
    "answer_topics_of",
    "episodes_of",
    "gallery_seat",
    "may_watch",
    "shown_of",
    "shown_to",
]

# Entries of a room's state that are on nobody's screen.
UNSEEN = (ASKS, KEY, WATCH, DOOR, NAMED)
KINDS = ("person", "lead", "projector", "gallery")


@displayed
@dataclass(frozen=True, slots=True)
class Watcher:
    """A window that looks at a room.

    Parameters
    ----------
    kind : {"person", "lead", "projector", "gallery"}
    person : int, optional
        Whose window it is, of a person's.
    visitor : str
        The browser.
    """

    kind: str
    person: int | None = None
    visitor: str = field(default="", repr=False)

    @classmethod
    def parse(cls, text: str, visitor: str) -> Self:
        """Read ``"person:3"``, ``"lead"``, ``"projector"`` or ``"gallery"``.

        Raises
        ------
        RoomError
        """
        match = re.fullmatch(r"person:([1-9][0-9]{0,5})", text)
        if match:
            return cls("person", int(match[1]), visitor)
        if text not in KINDS[1:]:
            raise RoomError("This is no way to look at a room. Load the page again.")
        return cls(text, None, visitor)

    def __str__(self) -> str:
        return self.kind if self.person is None else f"{self.kind}:{self.person}"


def may_watch(storage: Storage, code: str, watcher: Watcher) -> None:
    """See that a browser may look at a room in this way.

    Raises
    ------
    NoSuchRoomError, RoomClosedError, NotYoursError, NotLeaderError, NotNowError
    """
    _check(room_of(storage, code), watcher)


def _check(room: Room, watcher: Watcher) -> None:
    if watcher.kind in ("lead", "projector"):
        if not room.leads(watcher.visitor):
            raise NotLeaderError
        return
    if room.phase == "closed":
        raise RoomClosedError
    if watcher.kind == "person":
        room.own(watcher.person or 0, watcher.visitor)
    else:
        _may_see_gallery(room, watcher.visitor)


def _may_see_gallery(room: Room, visitor: str) -> None:
    if room.plan.gallery == "none":
        raise NotNowError("This room has no gallery. Ask whoever leads it.")
    if not room.revealed and any(person.seat for person in room.persons_of(visitor)):
        raise NotNowError("You sit at a table: you may look at the others' once the truth is told.")


def gallery_seat(storage: Storage, code: str, visitor: str) -> Seen | None:
    """What spectators see before the end: one seat's view.

    None if it is nobody's yet, or this browser has not come by the facilitator's link to watch.

    Raises
    ------
    NotNowError
        If there is nothing to be looked at before the end.
    """
    room = load_room(storage, code)
    _may_see_gallery(room, visitor)
    if room.plan.gallery != "seat" or room.plan.gallery_seat is None:
        raise NotNowError("The gallery opens once the facilitator has told the truth.")
    if not may_watch_live(room, visitor):
        return None
    number, agent = room.plan.gallery_seat
    table = room.table(number)
    if table is None or table.episode_id is None or agent not in table.seats:
        return None
    episode = episode_at(storage, room, table.episode_id)
    # Who only looks on is told of bots when those at the table are.
    return Seen(episode, agent, revealed=room.revealed, bots=bots_are_told(room, table))


def episodes_of(storage: Storage, code: str, watcher: Watcher) -> list[str]:
    """The episodes of which a move may be news to a window that listens to the room."""
    room = room_lately(storage, code)
    if watcher.kind in ("lead", "projector"):
        return [table.episode_id for table in room.tables if table.episode_id is not None]
    place = room.plan.gallery_seat
    if watcher.kind == "person":
        place = room.person(watcher.person or 0).seat
    elif not may_watch_live(room, watcher.visitor):
        place = None
    table = None if place is None else room.table(place[0])
    return [] if table is None or table.episode_id is None else [table.episode_id]


def answer_topics_of(storage: Storage, code: str, watcher: Watcher) -> set[str]:
    """The topics of answers that may be news to a window."""
    room = room_lately(storage, code)
    if watcher.kind != "person":
        return {answers_topic(room.code)}
    number = watcher.person or 0
    heard = lesson_of(storage, room).heard_by(number) if room.kind == "lesson" else {number}
    return {answers_topic(room.code, person) for person in heard}


@displayed
@dataclass(frozen=True, slots=True)
class Shown:
    """What a window is shown.

    Parameters
    ----------
    facts : object
        Differs exactly if what the page draws of it does. It is not to be sent.
    seat : dict, optional
        The rest, of a person who sits at a table: what their line brings; see
        :func:`~explorer.rooms.seat.seat_screen`.
    live : dict
        The rest, of a lesson: what stands on the page and moves by itself; see
        :func:`~explorer.rooms.lesson_windows.lesson_window`.
    """

    facts: object
    seat: dict[str, Any] | None = None
    live: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])


def shown_to(storage: Storage, code: str, watcher: Watcher, *, listens: bool = False) -> Shown:
    """What a window is shown of a room now.

    A person's is made of their seat's view and of what everybody in the room may know, so that it
    does not change when somebody else has moved, and nobody may know it yet.

    Parameters
    ----------
    storage : Storage
    code : str
    watcher : Watcher
    listens : bool
        Does the window listen to all of it, so that what others have just read for the same reason
        is good enough?

    Raises
    ------
    NoSuchRoomError, RoomClosedError, NotYoursError, NotLeaderError, NotNowError
    """
    room = room_lately(storage, code) if listens else room_of(storage, code)
    return shown_of(storage, room, watcher, episode_lately if listens else episode_at)


def shown_of(
    storage: Storage,
    room: Room,
    watcher: Watcher,
    look: Callable[[Storage, Room, str], Episode] = episode_at,
) -> Shown:
    """The same of a room that was read; `look` reads its episodes.

    Raises
    ------
    RoomClosedError, NotYoursError, NotLeaderError, NotNowError
    """
    _check(room, watcher)
    facts: Any
    if room.kind == "lesson":
        facts, live = lesson_window(lesson_of(storage, room), watcher.kind, watcher.person)
        return Shown(facts, live=live)
    if watcher.kind == "person":
        return _to_person(seated(storage, room, watcher.person or 0, watcher.visitor, look))
    if watcher.kind in ("lead", "projector"):
        facts = [room.version, sorted(versions(storage, room).items())]
        facts.append(storage.rooms.answers_mark(room.number))
        facts.append(sorted(storage.presence.there(room.number)))
    else:
        facts = [_known(room)]
        if room.plan.gallery == "seat" and not room.revealed:
            seen = gallery_seat(storage, room.code, watcher.visitor)
            facts.append(None if seen is None else repr(seen.mark))
            facts.append(may_watch_live(room, watcher.visitor))
    return Shown(facts)


def versions(storage: Storage, room: Room) -> dict[str, int]:
    """How many events each of the room's present episodes has. Not for a seat."""
    return storage.rooms.versions([t.episode_id for t in room.tables if t.episode_id is not None])


def _known(room: Room) -> list[Any]:
    """What everybody in a room may know."""
    state = sorted((name, said) for name, said in room.state.items() if name not in UNSEEN)
    facts: list[Any] = [room.phase, room.turn, room.revealed, state, is_watched(room)]
    # Then everybody is asked what they expect.
    facts.append(all(table.phase == "over" for table in room.tables))
    if room.phase == "gathering":
        facts.append(len(room.here))
        if room.plan.seating == "choice":
            taken = [
                (t.number, a, s.person is None) for t in room.tables for a, s in t.seats.items()
            ]
            facts.append(taken)
    return facts


def _to_person(at: SeatedTable) -> Shown:
    own = [at.person.shown, at.person.seat, at.person.left]
    return Shown([_known(at.room), own], seat_screen(at))
