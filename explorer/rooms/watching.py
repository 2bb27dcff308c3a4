"""What each watcher of a room is shown, and who may watch while it is played."""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Any, Self

from explorer.lessons import Block
from explorer.play import Seen, latest
from explorer.rooms.board import LeadPage, WallPage, lead_page, wall_page
from explorer.rooms.changes import changing, leading
from explorer.rooms.errors import (
    NoSuchRoomError,
    NotLeaderError,
    NotNowError,
    RoomClosedError,
    RoomError,
)
from explorer.rooms.events import (
    KEY,
    SpectatorAdded,
    SpectatorLeft,
    WatchLinkSet,
)
from explorer.rooms.guidance import predicting
from explorer.rooms.lesson_acts import lesson_of
from explorer.rooms.lesson_answers import predicted_by
from explorer.rooms.lesson_views import LeadView, PersonView, ProjectorView
from explorer.rooms.lesson_windows import lesson_window
from explorer.rooms.plan import RoomPlan
from explorer.rooms.room import Access, Room, load_room
from explorer.rooms.seat import SeatPage, seat_page, seat_screen
from explorer.rooms.tables import bots_are_known, episode_at, seated
from explorer.storage import (
    RoomChange,
    answers_topic,
    episode_topic,
    hashed_key,
)
from nip_core.displays import displayed
from nip_core.play import Episode

MOST_SPECTATORS = 200
WRONG_LINK = (
    "This link to watch does not work, or does not work any more. Ask the facilitator for the "
    "current one."
)


def may_watch_live(room: Room, visitor: str) -> bool:
    """Return whether this browser may see the seat's view before the truth is revealed."""
    if room.plan.gallery != "seat" or any(p.seat for p in room.persons_of(visitor)):
        return False
    return room.leads(visitor) or visitor in room.spectators


def watch_link(access: Access) -> str:
    """Make a new link for spectators; the previous one becomes invalid."""
    key = secrets.token_urlsafe(16)
    with leading(access) as (change, room):
        if room.plan.gallery != "seat":
            raise NotNowError("This room shows spectators nothing before the end.")
        _set_link(change, room, hashed_key(key))
    return key


def _set_link(change: RoomChange, room: Room, key: str | None) -> None:
    gone = [SpectatorLeft(visitor=visitor) for visitor in room.spectators]
    change.append(WatchLinkSet(key=key), *gone)


def end_watching(access: Access) -> None:
    """Let nobody watch any more before the truth is revealed."""
    with leading(access) as (change, room):
        _set_link(change, room, None)


def watch(access: Access, key: str) -> None:
    """Let a browser with the present link watch, unless it has joined the room."""
    # Read without locking first, so that a flood of wrong links does not block changes.
    try:
        _check_link(load_room(access), key, access.visitor)
    except (NoSuchRoomError, RoomClosedError):
        # The answer to a wrong link is always the same, so that it reveals no existing codes.
        raise NotNowError(WRONG_LINK) from None
    with changing(access) as (change, room):
        there = room.spectators
        if may_watch_live(room, access.visitor):
            return
        _check_link(room, key, access.visitor)
        if room.persons_of(access.visitor):
            raise RoomError(
                "You have joined this room, and spectators see more than a participant may. You "
                "can look at all tables once the truth is revealed."
            )
        if len(there) >= MOST_SPECTATORS:
            raise RoomError(
                "Too many people are watching already. Ask the facilitator for a new link."
            )
        change.append(SpectatorAdded(visitor=access.visitor))


def _check_link(room: Room, key: str, visitor: str) -> None:
    known = room.state.get(KEY)
    right = bool(known) and secrets.compare_digest(hashed_key(key), known)
    if not right and not may_watch_live(room, visitor):
        raise NotNowError(WRONG_LINK)


def cached_episode(room: Room, episode_id: str) -> Episode:
    """Return an episode of a room from the cache, for a subscriber of its topic."""
    storage, topic = room.storage, episode_topic(episode_id)
    return storage.cache.read(topic, lambda: latest(storage, episode_id)).episode


KINDS = ("person", "lead", "projector", "gallery")


@displayed
@dataclass(frozen=True, slots=True)
class Watcher:
    """A window that shows a room."""

    kind: str
    person: int | None = None  # the person whose window it is, for the kind "person"
    visitor: str = field(default="", repr=False)

    @classmethod
    def parse(cls, text: str, visitor: str) -> Self:
        """Parse ``"person:3"``, ``"lead"``, ``"projector"`` or ``"gallery"``."""
        match = re.fullmatch(r"person:([1-9][0-9]{0,5})", text)
        if match:
            return cls("person", int(match[1]), visitor)
        if text not in KINDS[1:]:
            raise RoomError("A room cannot be watched in this way. Reload the page.")
        return cls(text, None, visitor)

    def __str__(self) -> str:
        return self.kind if self.person is None else f"{self.kind}:{self.person}"


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
        raise NotNowError("This room has no gallery. Ask the facilitator.")
    if not room.revealed and any(person.seat for person in room.persons_of(visitor)):
        raise NotNowError(
            "You sit at a table: you can look at the others once the truth is revealed."
        )


def gallery_seat(room: Room, visitor: str) -> Seen | None:
    """Return what spectators see before the end: one seat's view.

    Returns None if the seat is empty, or this browser did not come by the facilitator's link.
    """
    _check(room, Watcher("gallery", visitor=visitor))
    if room.plan.gallery != "seat" or room.plan.gallery_seat is None:
        raise NotNowError("The gallery opens once the facilitator has revealed the truth.")
    if not may_watch_live(room, visitor):
        return None
    number, agent = room.plan.gallery_seat
    table = room.table(number)
    if table is None or table.episode_id is None or agent not in table.seats:
        return None
    episode = episode_at(room, table.episode_id)
    # Spectators learn of bots at the same time as the players.
    return Seen(episode, agent, revealed=room.revealed, bots=bots_are_known(room, table))


def episodes_of(room: Room, watcher: Watcher) -> list[str]:
    """Return the episodes whose moves may change a window onto the room."""
    if watcher.kind in ("lead", "projector"):
        return [table.episode_id for table in room.tables if table.episode_id is not None]
    place = room.plan.gallery_seat
    if watcher.kind == "person":
        place = room.person(watcher.person or 0).seat
    elif not may_watch_live(room, watcher.visitor):
        place = None
    table = None if place is None else room.table(place[0])
    return [] if table is None or table.episode_id is None else [table.episode_id]


def answer_topics_of(room: Room, watcher: Watcher) -> set[str]:
    """Return the topics of answers that may change a window."""
    if watcher.kind != "person":
        return {answers_topic(room.code)}
    number = watcher.person or 0
    shown = lesson_of(room).shows_answers_of(number) if room.kind == "lesson" else {number}
    return {answers_topic(room.code, person) for person in shown}


@displayed
@dataclass(frozen=True, slots=True)
class GalleryPage:
    """What spectators see of a room."""

    code: str
    name: str
    kind: str
    turn: int
    revealed: bool
    gallery: str  # as in `RoomPlan`
    live: bool  # whether this browser may see the seat during play
    seat: str = ""  # the name of that seat
    seen: dict[str, object] | None = None  # its screen
    over: tuple[bool, ...] = ()  # whether each table is over, once the truth is revealed


RoomPage = SeatPage | GalleryPage | WallPage | LeadPage | PersonView | ProjectorView


@displayed
@dataclass(frozen=True, slots=True)
class RoomView:
    """What a watcher is shown. Everything that a window gets is made from it."""

    # What the page draws. It is not sent; the page is rerun exactly when its part of `to_dict`
    # changes.
    page: RoomPage
    # For a person at a table, the screen that is sent over the connection (`seat_screen`).
    seat: dict[str, object] | None = field(default=None, kw_only=True)
    # In a lesson, the parts of the page that are updated live (`lesson_window`).
    live: dict[str, dict[str, object]] = field(
        default_factory=dict[str, dict[str, object]], kw_only=True
    )

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data, without the page's live fields."""
        return {"page": json.loads(self.drawn), "seat": self.seat, "live": self.live}

    @property
    def drawn(self) -> str:
        """The page as JSON, without its live fields."""
        return json.dumps(self.page, default=_plain, sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Block | RoomPlan):
        # A block's content follows from the lesson, its number, and whether it is revealed; a
        # room's plan never changes.
        return None
    if is_dataclass(value):
        return {name: getattr(value, name) for name in _drawn(type(value))}
    return str(value)


@cache
def _drawn(kind: type) -> tuple[str, ...]:
    """Return the fields of a view that are not live."""
    return tuple(field.name for field in fields(kind) if not field.metadata.get("live"))


def view_for(room: Room, watcher: Watcher, *, listens: bool = False) -> RoomView:
    """Return what a watcher is shown of a loaded room.

    If the window listens to all its topics, cached episodes are used.

    A person's view is made of their seat's view and of what everybody in the room may know. So it
    stays the same when somebody else makes a move that is still hidden.
    """
    _check(room, watcher)
    if watcher.kind == "gallery":
        return RoomView(_gallery(room, watcher))
    if room.kind == "lesson":
        at = lesson_of(room)
        page, live = lesson_window(at, watcher.kind, watcher.person)
        if isinstance(page, LeadView):
            page = lead_page(room, watcher.visitor, at.signs(), page)
        return RoomView(page, live=live)
    if watcher.kind == "person":
        read_episode = cached_episode if listens else episode_at
        at = seated(room, watcher.person or 0, watcher.visitor, read_episode)
        own = at.person.number
        predicted = predicted_by(room, own) if predicting(room) else None
        return RoomView(seat_page(at, predicted), seat=seat_screen(at))
    if watcher.kind == "projector":
        return RoomView(wall_page(room))
    signs = {person.number: person.seat[0] for person in room.here if person.seat is not None}
    return RoomView(lead_page(room, watcher.visitor, signs))


def _gallery(room: Room, watcher: Watcher) -> GalleryPage:
    page = GalleryPage(
        code=room.code,
        name=room.name,
        kind=room.kind,
        turn=room.turn,
        revealed=room.revealed,
        gallery=room.plan.gallery,
        live=may_watch_live(room, watcher.visitor),
    )
    if room.revealed:
        return replace(page, over=tuple(table.phase == "over" for table in room.tables))
    if room.plan.gallery != "seat":
        return page
    seen = gallery_seat(room, watcher.visitor)
    if seen is None:
        return page
    shown = seen.watched
    return replace(page, seat=shown["agents"][seen.seat]["name"], seen=shown)
