"""What each window shows, and a mark that changes exactly when the content does."""

from __future__ import annotations

import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any
from urllib.parse import urlencode

from explorer.drawing import (
    DRAWING,
    Drawing,
    drawing_of,
    drawing_screen,
    drawing_topic,
    is_drawing,
)
from explorer.languages import ENGLISH, known_language, language, speaking
from explorer.participants import StudyDesk, TakingPartError
from explorer.play import (
    Around,
    StoredTable,
    act_at_table,
    around,
    desk_comes,
    is_at_work,
    table_screen,
)
from explorer.rooms import (
    Access,
    NoSuchRoomError,
    Room,
    RoomError,
    RoomPage,
    RoomView,
    Watcher,
    act_at_seat,
    answer_topics_of,
    cached_room,
    episodes_of,
    read_code,
    room_of,
    view_for,
)
from explorer.storage import Storage, episode_topic, presence_topic, room_topic
from explorer.visitors import signature, visitor_name
from nip_core.displays import displayed

FEED = "/news"
JOIN, INVITED = "/join/{code}", "/join/{code}/{key}"
LEAD, WATCH = "/lead/{code}/{key}", "/watch/{code}/{key}"
# The parameter with an invitation's key, in addresses of pages and of a gallery's connection.
INVITATION = "invitation"
LANGUAGE = "language"  # of a room's window, in the address of its connection
# The paths that a browser may open first; its cookie is set there.
DOORS = (JOIN, INVITED, LEAD, WATCH)


# Keys the marks, so that nobody can guess the content behind one. Marks of another process differ:
# a window that reconnects elsewhere refreshes once.
_KEY = secrets.token_bytes(32)

# Seconds between looks at what is being computed.
LOOK = 0.1
# The mark of a window that does not exist or may not be seen; the page says so.
GONE = "gone"


def sealed(shown: object) -> str:
    """Return the mark of a value that can be written as JSON."""
    return _mark(json.dumps(shown, sort_keys=True, separators=(",", ":")))


def _mark(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), key=_KEY, digest_size=16).hexdigest()


# The address of the feed that tells a page that the database is back.
DATABASE_FEED = f"{FEED}?{urlencode({'database': ''})}"


@displayed
@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a window shows now."""

    mark: str  # changes when the page must run again
    # The table screen that is sent to a person, or what is shown of a drawing.
    seat: dict[str, object] | None = None
    # Values for the live parts of a lesson's page, by their names there.
    live: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    again: float | None = None  # seconds after which to look again: it changes with time alone
    page: RoomPage | None = None  # what the page of a room draws, for the script that is running


class WindowContent(ABC):
    """Something that a window shows."""

    storage: Storage

    @property
    def presence(self) -> tuple[str, str] | None:
        """The room's code and the person that the window counts for, if it shows a room."""
        return None

    @property
    def takes_acts(self) -> bool:
        """Whether the window's connection takes acts; most do not."""
        return False

    @abstractmethod
    def topics(self) -> set[str]:
        """Return the topics to subscribe to."""

    @abstractmethod
    def snapshot(self, *, subscribed: bool = False) -> Snapshot:
        """Return what is shown now.

        If all its topics are subscribed to, cached values are up to date. A NipError, RoomError or
        StorageError says that it does not exist, or that this window may not see it.
        """

    def act(self, request: Any) -> dict[str, Any] | None:
        """Carry out a window's request, which may be anything; return the refusal, if any."""
        raise NotImplementedError


class TableWindow(WindowContent):
    """A screen of the Play page: anyone with an episode's address may sit at its table.

    `present` is the seat whose player was last at the screen, as signed by the page; may be empty.
    """

    def __init__(self, storage: Storage, episode_id: str, present: str, visitor: str) -> None:
        self.storage = storage
        self._id = episode_id
        self._present = present
        self._visitor = visitor
        self._known: StoredTable | None = None

    @property
    def takes_acts(self) -> bool:
        """Whether the window's connection takes acts: people at a table do play over it."""
        return True

    def topics(self) -> set[str]:
        """Return the topic of the episode."""
        return {episode_topic(self._id)}

    def snapshot(self, *, subscribed: bool = False) -> Snapshot:
        """Return the table as its seat sees it; nothing of it while it is covered."""
        del subscribed
        table = self._table()
        return _of_table(table, around(table, self._present, self._visitor))

    def act(self, request: Any) -> dict[str, str | None] | None:
        """Make a move at the table, or another act; see :func:`~explorer.play.act_at_table`."""
        table = self._table()
        return act_at_table(table, self._present, self._visitor, request)

    def _table(self) -> StoredTable:
        """Return the table as it is now; of a known one, only new events are loaded."""
        if self._known is None:
            self._known = StoredTable(self.storage, self._id)
        else:
            self._known.refresh()
        return self._known


class DrawingWindow(WindowContent):
    """A window of a visitor's drawing, which belongs to this visitor only."""

    def __init__(self, storage: Storage, drawing: Drawing) -> None:
        self.storage = storage
        # Held, so that it is not forgotten while it is shown.
        self._drawing = drawing

    @property
    def takes_acts(self) -> bool:
        """A person draws over the connection, so that no page script has to run."""
        return True

    def topics(self) -> set[str]:
        """Return the topic of the drawing, which all its windows share."""
        return {drawing_topic(self._drawing)}

    def snapshot(self, *, subscribed: bool = False) -> Snapshot:
        """Return what is shown; while values are being computed, it changes with time alone."""
        del subscribed
        screen = drawing_screen(self._drawing)
        return Snapshot(DRAWING, screen, again=None if screen["worth"]["done"] else LOOK)

    def act(self, request: Any) -> dict[str, Any] | None:
        """Make a gesture, or another act; see :meth:`~explorer.drawing.Drawing.act`."""
        refused = self._drawing.act(request)
        # Its other windows.
        self.storage.change_feed.wake(drawing_topic(self._drawing))
        return refused


class Database(WindowContent):
    """A page that could not be shown because the database was unavailable."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    def topics(self) -> set[str]:
        """Return no topic: the database is checked at intervals."""
        return set()

    def snapshot(self, *, subscribed: bool = False) -> Snapshot:
        """Return a new mark each time, since the database may be lost more than once."""
        del subscribed
        self.storage.rooms.next_deadline()
        return Snapshot(secrets.token_hex(8))


class InRoom(WindowContent):
    """A window onto a room. The watcher's right to look is checked on every read.

    Somebody who is not a member of the room has the key of an `invitation`. The window has a
    language, in which all its texts are made.
    """

    def __init__(
        self, access: Access, watcher: Watcher, invitation: str, spoken: str = ENGLISH
    ) -> None:
        self.storage = access.storage
        self.access = access
        self.watcher = watcher
        self.invitation = invitation
        self.language = spoken

    @property
    def presence(self) -> tuple[str, str]:
        """The room's code and the person that the window counts for."""
        return self.access.code, str(self.watcher)

    @property
    def takes_acts(self) -> bool:
        """A person's moves arrive over the connection."""
        return self.watcher.kind == "person"

    def topics(self) -> set[str]:
        """Return the topics of the room and of the answers, episodes and presence that it shows."""
        room = cached_room(self.access)
        topics = {room_topic(room.code), *answer_topics_of(room, self.watcher)}
        topics |= {episode_topic(episode) for episode in episodes_of(room, self.watcher)}
        if self.watcher.kind in ("lead", "projector"):
            topics.add(presence_topic(room.code))
        return topics

    def snapshot(self, *, subscribed: bool = False) -> Snapshot:
        """Return what the room shows to the watcher."""
        room = (cached_room if subscribed else room_of)(self.access)
        # Codes cannot be tried here, where nothing is counted.
        came = room.invites(self.invitation) or room.knows(self.watcher.visitor)
        if self.watcher.kind == "gallery" and not came:
            raise NoSuchRoomError
        with speaking(self.language):
            return _of_room(view_for(room, self.watcher, listens=subscribed))

    def act(self, request: Any) -> dict[str, str | None] | None:
        """Carry out a request from the person's seat."""
        assert self.watcher.person is not None
        with speaking(self.language):
            return act_at_seat(self.access, self.watcher.person, request)


class InStudy(InRoom):
    """The table of a person in a study, who is known in the room by their random id."""

    def __init__(self, desk: StudyDesk, participant: str) -> None:
        here = desk.here(participant)
        if here.state.at is None:
            raise TakingPartError("The game is over.")
        self._table = here.state.at.table
        watcher = Watcher("person", here.state.at.person, participant)
        access = Access(desk.storage, desk.opened.row.room, participant)
        super().__init__(access, watcher, "")

    def snapshot(self, *, subscribed: bool = False) -> Snapshot:
        """Return the seat's screen; the mark changes once the table is over."""
        shown = super().snapshot(subscribed=subscribed)
        facts = (cached_room if subscribed else room_of)(self.access).table(self._table)
        over = facts is None or facts.phase == "over"
        return replace(shown, mark=sealed([shown.mark, over]))


def study_feed(desk: StudyDesk, participant: str, token: str) -> tuple[str, Snapshot]:
    """Return the address of the feed of a person's game in a study, and what it shows now.

    It is signed with the token of the visitor's cookie, so it works in this browser only.
    """
    study = desk.opened.row.code
    query = {"study": study, "person": participant, "key": _key(token, study, participant)}
    return f"{FEED}?{urlencode(query)}", InStudy(desk, participant).snapshot()


def drawing_feed(drawing: Drawing) -> str:
    """Return the address of the feed of a drawing, which works for its visitor only."""
    return f"{FEED}?{urlencode({DRAWING: drawing.name})}"


def table_feed(table: StoredTable, present: str, about: Around, token: str) -> tuple[str, Snapshot]:
    """Return the address of the feed of a screen on the Play page, and what it shows now.

    The seat that is present is signed with the token of the visitor's cookie: the address works in
    this browser only, and for no other seat.
    """
    query = {"episode": table.id, "present": present, "key": _key(token, table.id, present)}
    return f"{FEED}?{urlencode(query)}", _of_table(table, about)


def _of_table(table: StoredTable, about: Around) -> Snapshot:
    seat = table_screen(table, about.seat) if about.cover is None else None
    # How long a model has been at work is shown in seconds.
    again = 1.0 if is_at_work(table.id) else _soon(seat)
    return Snapshot(sealed(about.facts), seat, again=again)


def _key(token: str, episode_id: str, present: str) -> str:
    return signature(token, f"{episode_id}/{present}")


def _is_signed(query: Mapping[str, str], token: str, place: str, present: str) -> bool:
    """Return whether an address was signed for a visitor."""
    key = query.get("key", "").encode("utf-8", "surrogatepass")
    return secrets.compare_digest(_key(token, place, present).encode(), key)


def room_feed(room: Room, watcher: Watcher) -> tuple[str, Snapshot]:
    """Return the address of the feed of a window onto a room, and what the window shows now.

    Both are in the present language. A RoomError says that the watcher may not look at the room in
    this way.
    """
    query = {"code": room.code, "as": str(watcher)}
    if language() != ENGLISH:
        query[LANGUAGE] = language()
    if watcher.kind == "gallery":
        query[INVITATION] = room.invitation
    view = view_for(room, watcher)
    return f"{FEED}?{urlencode(query)}", replace(_of_room(view), page=view.page)


def _of_room(view: RoomView) -> Snapshot:
    return Snapshot(_mark(view.drawn), view.seat, view.live, again=_soon(view.seat))


def _soon(seat: Mapping[str, Any] | None) -> float | None:
    """Return when to look again at a seat's screen whose desk is still being made."""
    return LOOK if seat is not None and desk_comes(seat["table"]) else None


def place_of(query: Mapping[str, str], token: str, storage: Storage) -> WindowContent | None:
    """Return what an address subscribes to; None if that is unknown or not signed for a visitor."""
    visitor = visitor_name(token)
    if "database" in query:
        return Database(storage)
    if is_drawing(query.get(DRAWING)):
        return DrawingWindow(storage, drawing_of(visitor, query[DRAWING], kept=storage.drawings))
    if "episode" in query:
        episode_id, present = query["episode"], query.get("present", "")
        signed = _is_signed(query, token, episode_id, present)
        return TableWindow(storage, episode_id, present, visitor) if signed else None
    if "study" in query:
        study, person = query["study"], query.get("person", "")
        if not _is_signed(query, token, study, person):
            return None
        try:
            return InStudy(StudyDesk(storage, study), person)
        except TakingPartError:
            return None
    try:
        watcher = Watcher.parse(query["as"], visitor)
        access = Access(storage, read_code(query["code"]), visitor)
        spoken = known_language(query.get(LANGUAGE)) or ENGLISH
        return InRoom(access, watcher, query.get(INVITATION, ""), spoken)
    except (KeyError, RoomError):
        return None
