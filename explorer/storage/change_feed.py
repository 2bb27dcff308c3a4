"""Change notifications for every process that uses the database.

A topic names what has changed, without its new value: subscribers read that themselves. With
SQLite, only the process that makes a change is notified; with PostgreSQL, a ``NOTIFY`` is part of
the transaction, and one connection of each process listens.
"""

from __future__ import annotations

import itertools
import logging
import random
import selectors
import socket
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from explorer.storage.engines import DatabasePart, writing

if TYPE_CHECKING:
    import psycopg

CHANNEL = "nip_explorer"
NOTIFY = text(f"SELECT pg_notify('{CHANNEL}', :topic)")
# Seconds between attempts to reconnect to a lost database: the first, and at most.
SOON, LATE = 0.2, 5.0

log = logging.getLogger("explorer")

Callback = Callable[[], None]
Result = TypeVar("Result")


def episode_topic(episode_id: str) -> str:
    """Return the topic of an episode: a move, a remark or an undo."""
    return f"episode:{episode_id}"


def room_topic(code: str) -> str:
    """Return the topic of a room: people, tables, settings, revealing."""
    return f"room:{code}"


def answers_topic(code: str, person: int | None = None) -> str:
    """Return the topic of the answers given in a room, by one person or by anybody.

    It is separate from the room's topic, since most phones show nothing of others' answers.
    """
    return f"answers:{code}" if person is None else f"answers:{code}:{person}"


def presence_topic(code: str) -> str:
    """Return the topic of who is present in a room."""
    return f"presence:{code}"


class ChangeFeed(DatabasePart):
    """Notifies subscribers of changes.

    Callbacks run in the thread that makes or receives a change, and have to be quick.
    """

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._by_server = engine.dialect.name == "postgresql"
        self._callbacks: dict[str, dict[int, Callback]] = {}
        # The moment of the last change of each topic with subscribers.
        self._moments: dict[str, int] = {}
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._listener: Listener | None = None

    @property
    def lost(self) -> bool:
        """Return whether the database is lost, so that no changes are received at present."""
        return self._listener is not None and self._listener.lost

    def subscribe(self, topic: str, callback: Callback) -> Callback:
        """Call a function whenever something may have changed; return a function that ends this.

        Callbacks may also run without a change: when the database was lost or is back, subscribers
        have to read again.
        """
        number = next(self._numbers)
        with self._lock:
            self._callbacks.setdefault(topic, {})[number] = callback
            self._moments.setdefault(topic, number)
            if self._by_server and self._listener is None:
                self._listener = Listener(self._engine, self._notify, self._notify_all)
                self._listener.start()

        def unsubscribe() -> None:
            with self._lock:
                here = self._callbacks.get(topic, {})
                here.pop(number, None)
                if not here:
                    self._callbacks.pop(topic, None)
                    self._moments.pop(topic, None)

        return unsubscribe

    def moment(self, topic: str) -> int | None:
        """Return a value that differs after every change; None if the topic has no subscriber.

        What was read after getting a moment is valid as long as the moment is the same.
        """
        with self._lock:
            return None if self.lost else self._moments.get(topic)

    def publish(self, *topics: str) -> None:
        """Publish a change that is not written to the database; writes use `writing`."""
        if self._by_server:
            with self.writing(*topics):
                pass
        else:
            self._notify(topics)

    def wake(self, *topics: str) -> None:
        """Notify subscribers in this process of a change that is only in its memory."""
        self._notify(topics)

    @contextmanager
    def writing(self, *topics: str, more: Sequence[str] = ()) -> Generator[Connection]:
        """Open a transaction (:func:`~explorer.storage.engines.writing`), and publish its topics.

        The block may add further topics to `more`.
        """
        with writing(self._engine) as connection:
            yield connection
            if self._by_server:
                for topic in (*topics, *more):
                    connection.execute(NOTIFY, {"topic": topic})
        self.written(*topics, *more)

    def written(self, *topics: str) -> None:
        """Publish what was just committed, unless the database does so."""
        if not self._by_server:
            self._notify(topics)

    def close(self) -> None:
        """Stop listening."""
        with self._lock:
            listener, self._listener = self._listener, None
            self._callbacks.clear()
            self._moments.clear()
        if listener is not None:
            listener.stop()

    def _notify(self, topics: Iterable[str]) -> None:
        with self._lock:
            here = [topic for topic in topics if topic in self._callbacks]
            self._moments.update((topic, next(self._numbers)) for topic in here)
            called = [callback for topic in here for callback in self._callbacks[topic].values()]
        _call(called)

    def _notify_all(self) -> None:
        with self._lock:
            topics = list(self._callbacks)
        self._notify(topics)


def _call(callbacks: Iterable[Callback]) -> None:
    for callback in dict.fromkeys(callbacks):
        try:
            callback()
        except Exception:
            # The change is committed, and the other subscribers must still be notified.
            log.exception("A subscriber could not be notified of a change")


MOST_KEPT = 500


class VersionedCache:
    """Rooms and episodes as they were last read from a database, by their topics."""

    def __init__(self, feed: ChangeFeed) -> None:
        self._feed = feed
        # With each value the moment since which nothing has changed; None where that is unknown.
        self._kept: OrderedDict[str, tuple[int | None, Any]] = OrderedDict()
        self._reading: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def last(self, topic: str) -> Any:
        """Return what was last read, which may have changed since; None if nothing is kept."""
        with self._lock:
            return self._kept.get(topic, (None, None))[1]

    def keep(self, topic: str, value: Any, moment: int | None = None) -> None:
        """Keep what was just read."""
        with self._lock:
            self._kept[topic] = moment, value
            self._kept.move_to_end(topic)
            while len(self._kept) > MOST_KEPT:
                self._reading.pop(self._kept.popitem(last=False)[0], None)

    def read(self, topic: str, read: Callable[[], Result]) -> Result:
        """Return what is kept, or read it if the feed has reported a change since.

        Concurrent callers wait for one reader. Without a subscriber of the topic, each reads.
        """
        if self._feed.moment(topic) is None:
            return read()
        with self._lock:
            reading = self._reading.setdefault(topic, threading.Lock())
        with reading:
            # Taken before reading, so that a change during the read causes another one.
            moment = self._feed.moment(topic)
            with self._lock:
                known, value = self._kept.get(topic, (None, None))
            if moment is None or known != moment:
                value = read()
                self.keep(topic, value, moment)
            return value


class Listener(threading.Thread):
    """Receives PostgreSQL's notifications, and reconnects when the connection is lost."""

    def __init__(
        self,
        engine: Engine,
        notify: Callable[[Iterable[str]], None],
        notify_all: Callable[[], None],  # where notifications may have been missed
    ) -> None:
        super().__init__(name="change feed", daemon=True)
        self._engine = engine
        self._notify = notify
        self._notify_all = notify_all
        self._stopped = threading.Event()
        self._woken, self._waker = socket.socketpair()
        self.lost = False

    def stop(self) -> None:
        """Stop the thread."""
        self._stopped.set()
        self._waker.close()
        self.join(SOON)

    def run(self) -> None:
        """Listen until stopped."""
        pause = SOON
        with self._woken:
            while not self._stopped.is_set():
                try:
                    with closing(self._connect()) as connection:
                        if self.lost:
                            log.warning("The database can be reached again")
                        pause, self.lost = SOON, False
                        self._notify_all()
                        self._listen(connection)
                except (SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error, OSError) as error:
                    # Each further attempt fails for the same reason. The error's text may contain
                    # the database's address.
                    if not self.lost:
                        log.warning("The database cannot be reached (%s)", type(error).__name__)
                except Exception:
                    # Subscribers must keep being served, whatever the error is.
                    log.exception("No notifications come from the database")
                if not self._stopped.is_set():
                    if not self.lost:
                        self.lost = True
                        self._notify_all()
                    self._stopped.wait(pause * random.uniform(0.5, 1.0))
                    pause = min(2 * pause, LATE)

    def _connect(self) -> psycopg.Connection[Any]:
        """Open a connection that does not count against the pool."""
        taken = self._engine.raw_connection()
        connection = cast("psycopg.Connection[Any]", taken.driver_connection)
        taken.detach()
        try:
            connection.autocommit = True
            connection.execute(f"LISTEN {CHANNEL}")
        except BaseException:
            with suppress(Exception):
                connection.close()
            raise
        return connection

    def _listen(self, connection: psycopg.Connection[Any]) -> None:
        with selectors.DefaultSelector() as waiting:
            waiting.register(connection.fileno(), selectors.EVENT_READ)
            waiting.register(self._woken, selectors.EVENT_READ)
            while True:
                waiting.select()
                if self._stopped.is_set():
                    return
                # Many simultaneous changes are reported once.
                self._notify({heard.payload for heard in connection.notifies(timeout=0)})
