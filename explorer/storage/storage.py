"""Episodes in a database: an episode is its setup and its events, and events are only appended."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import IO, Self

from sqlalchemy import Connection, Engine, delete, func, select, tuple_, update

from explorer.storage import erasing
from explorer.storage.change_feed import ChangeFeed, VersionedCache, episode_topic
from explorer.storage.drawings import Drawings
from explorer.storage.engines import (
    DATABASE_ERRORS,
    DatabasePart,
    make_engine,
    read_url,
    reading,
    writing,
)
from explorer.storage.entries import (
    ORDERS,
    Criteria,
    Entry,
    Order,
    checked_tags,
    checked_title,
    default_title,
    entry_of,
)
from explorer.storage.erasing import erase
from explorer.storage.errors import (
    ConflictError,
    HaltedError,
    OfARoomError,
    StorageError,
    translated,
)
from explorer.storage.exchange import Imported, export_lines, import_lines
from explorer.storage.limits import Attempts
from explorer.storage.participants import Participants
from explorer.storage.records import (
    Appending,
    has_id,
    insert_episode,
    no_such,
    not_deleted,
    open_to,
    play_on,
    played_by,
    read_bodies,
    read_newer,
    read_row,
    read_tags,
    replay,
    set_tags,
    set_words,
    stamp,
)
from explorer.storage.rooms import Rooms
from explorer.storage.schema import bring_up_to_date, episodes, tags
from explorer.storage.usage import StorageUsage
from explorer.storage.visitors import Budgets, Drafts, Presence
from nip_core.displays import line
from nip_core.play import Episode
from nip_core.transcript import read_records


@dataclass(frozen=True, slots=True)
class StoredEpisode:
    """A loaded episode, which can be played on, and its metadata when it was loaded."""

    entry: Entry
    episode: Episode

    def __repr__(self) -> str:
        return line(self, repr(self.entry))

    def _repr_html_(self) -> str:
        return self.episode._repr_html_()

    @property
    def id(self) -> str:
        """Return the episode's id."""
        return self.entry.id

    @property
    def version(self) -> int:
        """Return the number of stored events."""
        return self.entry.version

    def finished(self) -> Episode:
        """Return the episode as everybody may read it; see :meth:`Episode.finished`."""
        return self.episode.finished()


def open_storage(url: str | None = None) -> Storage:
    """Open a database; create or migrate it if necessary.

    Parameters
    ----------
    url : str, optional
        ``sqlite:////folder/file.db`` or ``postgresql+psycopg://user:password@host/database``; else
        the environment variable ``NIP_EXPLORER_DATABASE``; else a file in the user's data folder.

    Raises
    ------
    StorageError
        Says where and why it failed, and what to do.
    """
    address = read_url(url)
    where = address.render_as_string(hide_password=True)
    engine: Engine | None = None
    try:
        engine = make_engine(address)
        bring_up_to_date(engine)
    except (StorageError, *DATABASE_ERRORS) as error:
        if engine is not None:
            engine.dispose()
        why = error if isinstance(error, StorageError) else translated(error)
        raise type(why)(f"{where}: {why}") from None
    return Storage(engine)


class Storage(DatabasePart):
    """Episodes in a database. Threads may share it, and processes may open the same database.

    When a method returns, its changes are on disk: they survive a killed process and, if the disk
    flushes as it promises, a power cut. A method that raises :class:`StorageError` has written
    nothing.

    Episodes of rooms are invisible here until the room reveals them, and cannot be changed
    afterwards; see :meth:`within`.
    """

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._room: int | None = None
        self.change_feed = ChangeFeed(engine)
        self.cache = VersionedCache(self.change_feed)
        self._appending = Appending(engine, self.change_feed)
        self.budgets = Budgets(engine)
        self.drafts = Drafts(engine)
        self.drawings = Drawings(engine)
        self.participants = Participants(engine)
        self.rooms = Rooms(engine, self.change_feed)
        self.presence = Presence(engine, self.change_feed)
        self.attempts = Attempts(engine)
        self.usage = StorageUsage(engine)

    def within(self, room: int) -> Storage:
        """Return the same storage for a room's members, who play and see its episodes."""
        inside = copy(self)
        inside._room = room
        return inside

    def close(self) -> None:
        """Empty SQLite's log, which has copies of deleted rows, and close all connections."""
        self.change_feed.close()
        erasing.remove_left(self._engine, closing=True)
        self._engine.dispose()

    def remove_traces(self, *, left: bool = False) -> None:
        """Remove all copies of deleted rows, or only what earlier attempts have `left`."""
        (erasing.remove_left if left else erasing.remove_traces)(self._engine)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # -- one episode ---------------------------------------------------------------------------

    def create(self, episode: Episode, *, title: str = "", tags: Iterable[str] = ()) -> str:
        """Store an episode with its events so far, and return its id.

        By default, its title is a description of the task.
        """
        episode_id, now = secrets.token_hex(16), stamp()
        name = checked_title(title or default_title(episode.setup))
        labels = checked_tags(tags)
        with writing(self._engine) as connection:
            insert_episode(connection, episode_id, episode, name, labels, created=now, updated=now)
        return episode_id

    def bring_in(self, content: bytes) -> Iterator[str | None]:
        """Store the episodes of a file, ours or of others; yield why there is none to store.

        Raises
        ------
        TranscriptError
            If the file cannot be read.
        """
        for record in read_records(content):
            if record.episode is None:
                yield " ".join(record.differences)
            else:
                self.create(record.episode, title=record.title, tags=["imported"])
                yield None

    def load(self, episode_id: str) -> StoredEpisode:
        """Load an episode by replaying its events.

        If the present rules do not allow them, it raises a DamagedEpisodeError; :meth:`export_all`
        still exports it.
        """
        with reading(self._engine) as connection:
            row = read_row(connection, episode_id, self._room)
            setup, bodies = read_bodies(connection, row)
            labels = read_tags(connection, [row.number])
        return StoredEpisode(entry_of(row, labels), replay(row, setup, bodies))

    def catch_up(self, known: StoredEpisode) -> StoredEpisode:
        """Return the present state of an episode that was loaded before, reading only new events.

        Its metadata may date from the earlier time. The earlier object does not change.
        """
        with reading(self._engine) as connection:
            version, bodies = read_newer(connection, known.id, known.version, self._room)
        if version == known.version:
            return known
        grown = None if version < known.version else play_on(known.episode, bodies)
        if grown is None or len(grown.events) != version:
            return self.load(known.id)
        return StoredEpisode(replace(known.entry, version=version), grown)

    def append(self, episode_id: str, episode: Episode, version: int) -> int:
        """Store the events of an episode that follow a stored version; return the new version.

        After an error, the same call can be repeated. Of several callers that play on from the same
        version, one succeeds, and the others get a ConflictError; all do if the table is paused or
        over (HaltedError). An episode of a room is changed by the room's storage only.
        """
        new, now = len(episode.events), stamp()
        if not 0 <= version <= new:
            raise ValueError(f"An episode with {new} events has no version {version}.")
        if version == new:
            return version
        if not self._appending.write(episode_id, episode, version, now, self._room):
            stored = self.entry(episode_id).version
            if stored == version and self._room is None:
                raise _of_a_room()
            if stored == version:
                raise HaltedError("The table is paused or over: nothing is played there now.")
            raise ConflictError(
                f"Somebody else has played in the meantime: {stored} events are stored, and "
                f"you have seen {version}. Load the episode again and repeat what you did."
            )
        return new

    def entry(self, episode_id: str) -> Entry:
        """Return the metadata of an episode without replaying it."""
        with reading(self._engine) as connection:
            row = read_row(connection, episode_id, self._room)
            return entry_of(row, read_tags(connection, [row.number]))

    def describe(
        self, episode_id: str, *, title: str | None = None, tags: Iterable[str] | None = None
    ) -> None:
        """Give an episode another title, or replace its tags."""
        new_title = episodes.c.title if title is None else checked_title(title)
        new_tags = None if tags is None else checked_tags(tags)
        change = (
            update(episodes)
            .where(not_deleted(episode_id), played_by(self._room))
            .values(title=new_title)
            .returning(episodes.c.number, episodes.c.title)
        )
        with writing(self._engine) as connection:
            row = erase(connection, change, soon=True).one_or_none()
            if row is None:
                raise self._refused(connection, episode_id)
            if new_tags is not None:
                set_tags(connection, row.number, new_tags)
            labels = read_tags(connection, [row.number])
            set_words(connection, row.number, row.title, labels[row.number])

    def delete(self, episode_id: str) -> None:
        """Delete an episode, so that it can still be restored."""
        self._mark_deleted(episode_id, stamp())

    def restore(self, episode_id: str) -> None:
        """Restore a deleted episode."""
        self._mark_deleted(episode_id, None)

    def _mark_deleted(self, episode_id: str, when: str | None) -> None:
        here = has_id(episode_id) & played_by(self._room)
        mark = update(episodes).where(here).values(deleted=when)
        with self.change_feed.writing(episode_topic(episode_id)) as connection:
            if not connection.execute(mark).rowcount:
                raise self._refused(connection, episode_id)

    def _refused(self, connection: Connection, episode_id: str) -> StorageError:
        """Return why nothing was changed: the episode is another room's, or does not exist."""
        read_row(connection, episode_id, self._room)
        return _of_a_room()

    def purge(self, episode_id: str) -> None:
        """Remove a deleted episode for good, unless somebody has restored it."""
        gone = delete(episodes).where(has_id(episode_id), episodes.c.deleted.is_not(None))
        with writing(self._engine) as connection:
            if not erase(connection, gone).rowcount:
                raise no_such()

    # -- many episodes -------------------------------------------------------------------------

    def find(
        self,
        criteria: Criteria | None = None,
        *,
        limit: int = 50,
        after: str | None = None,
        order: Order = "latest",
    ) -> list[Entry]:
        """List episodes, the latest played first, or in another order.

        Parameters
        ----------
        criteria : Criteria, optional
            By default, all episodes that are not deleted.
        after : str, optional
            The id of the last entry of the previous page; only for the order "latest".
        """
        conditions = (criteria or Criteria()).conditions(self._room)
        place = episodes.c.updated, episodes.c.number
        if after is not None and order != "latest":
            raise ValueError("Pages follow each other in one order only: the latest first.")
        with reading(self._engine) as connection:
            if after is not None:
                mark = connection.execute(
                    select(*place).where(has_id(after), open_to(self._room))
                ).one_or_none()
                if mark is None:
                    raise no_such()
                conditions.append(tuple_(*place) < tuple_(*mark))
            wanted = select(episodes).where(*conditions)
            rows = connection.execute(wanted.order_by(*ORDERS[order]).limit(limit)).all()
            labels = read_tags(connection, [row.number for row in rows])
        return [entry_of(row, labels) for row in rows]

    def count(self, criteria: Criteria | None = None) -> int:
        """Return how many episodes match."""
        conditions = (criteria or Criteria()).conditions(self._room)
        wanted = select(func.count()).select_from(episodes).where(*conditions)
        with reading(self._engine) as connection:
            return connection.scalar(wanted) or 0

    def tags(self) -> dict[str, int]:
        """Return all tags in alphabetical order, with the number of episodes of each."""
        wanted = (
            select(tags.c.tag, func.count())
            .join_from(tags, episodes)
            .where(episodes.c.deleted.is_(None), open_to(self._room))
            .group_by(tags.c.tag)
        )
        with reading(self._engine) as connection:
            return dict(sorted((tag, uses) for tag, uses in connection.execute(wanted)))

    # -- copies --------------------------------------------------------------------------------

    def export_all(self, *, settled: bool = False) -> Iterator[bytes]:
        """Yield all episodes except the deleted ones, each as a line of JSON.

        ``file.writelines(storage.export_all())`` makes a copy, which contains labels and everything
        that was written: it is not for a seat. With `settled`, episodes with an unfinished
        variation are left out, so that nothing is revealed that a seat must not know yet.
        """
        return export_lines(self._engine, settled=settled)

    def import_all(self, file: IO[bytes]) -> Iterator[Imported]:
        """Store episodes exported by :meth:`export_all`, line by line.

        A line is stored when its result is requested, so that progress can be shown; if the caller
        stops, earlier lines are kept. Importing the same file again adds nothing.
        """
        return import_lines(self._engine, file)


def _of_a_room() -> OfARoomError:
    return OfARoomError(
        "This episode was played in a room, and stays as it was played there. Start one of your "
        "own to play on."
    )
