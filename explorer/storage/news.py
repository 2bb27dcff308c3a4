"""What has changed, told to whoever wants to know, in every process that uses the database.

A topic names what has changed and nothing of what it is now: who hears of it looks for themselves.
With SQLite the process tells itself; with PostgreSQL a ``NOTIFY`` is part of the transaction that
makes the change, and one connection of each process listens.
"""

from __future__ import annotations

import itertools
import logging
import random
import selectors
import socket
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from explorer.storage.engines import writing
from nip_core.displays import line

if TYPE_CHECKING:
    import psycopg

__all__ = ["CHANNEL", "News", "answers_topic", "episode_topic", "presence_topic", "room_topic"]

CHANNEL = "nip_explorer"
NOTIFY = text(f"SELECT pg_notify('{CHANNEL}', :topic)")
# Seconds until a lost database is looked for again: the first time, and at most.
SOON, LATE = 0.2, 5.0

log = logging.getLogger("explorer")

Callback = Callable[[], None]


def episode_topic(episode_id: str) -> str:
    """The topic of an episode: something was played, said or taken back in it."""
    return f"episode:{episode_id}"


def room_topic(code: str) -> str:
    """The topic of a room: somebody came or went, something was started or told."""
    return f"room:{code}"


def answers_topic(code: str, person: int | None = None) -> str:
    """The topic of what was answered in a room, by one person or by anybody.

    It is by itself: of what one of thirty has answered the other phones show nothing.
    """
    return f"answers:{code}" if person is None else f"answers:{code}:{person}"


def presence_topic(code: str) -> str:
    """The topic of who is there in a room, for those who are told that."""
    return f"presence:{code}"


class News:
    """Tells of changes.

    Callbacks are called in the thread that has made or heard of a change, and have to be quick.

    Parameters
    ----------
    engine : Engine
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._by_server = engine.dialect.name == "postgresql"
        self._callbacks: dict[str, dict[int, Callback]] = {}
        # When each topic that somebody listens to was last told of.
        self._moments: dict[str, int] = {}
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._listener: Listener | None = None

    def __repr__(self) -> str:
        return line(self, self._engine.dialect.name)

    @property
    def lost(self) -> bool:
        """Is the database gone, so that nothing is heard at present?"""
        return self._listener is not None and self._listener.lost

    def subscribe(self, topic: str, callback: Callback) -> Callback:
        """Have a function called whenever something may have changed; return how to end that.

        It may be called without a change: after the database was lost, or came back, one has to
        look again.
        """
        number = next(self._numbers)
        with self._lock:
            self._callbacks.setdefault(topic, {})[number] = callback
            self._moments.setdefault(topic, number)
            if self._by_server and self._listener is None:
                self._listener = Listener(self._engine, self._tell, self._tell_all)
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
        """Another one whenever something may have changed; None if nobody listens for that.

        What was read after a moment is still so while it is the moment.
        """
        with self._lock:
            return None if self.lost else self._moments.get(topic)

    def publish(self, *topics: str) -> None:
        """Say that something has changed, by itself. What writes to the database uses `writing`."""
        if self._by_server:
            with self.writing(*topics):
                pass
        else:
            self._tell(topics)

    @contextmanager
    def writing(self, *topics: str, more: Sequence[str] = ()) -> Generator[Connection]:
        """A transaction like :func:`~explorer.storage.engines.writing`, of which is told.

        Parameters
        ----------
        *topics : str
        more : sequence of str
            Read at the end of the block, which may find out what else it changes.
        """
        with writing(self._engine) as connection:
            yield connection
            if self._by_server:
                for topic in (*topics, *more):
                    connection.execute(NOTIFY, {"topic": topic})
        self.written(*topics, *more)

    def written(self, *topics: str) -> None:
        """Tell of what was committed just now, unless the database does so."""
        if not self._by_server:
            self._tell(topics)

    def close(self) -> None:
        """Listen no longer."""
        with self._lock:
            listener, self._listener = self._listener, None
            self._callbacks.clear()
            self._moments.clear()
        if listener is not None:
            listener.stop()

    def _tell(self, topics: Iterable[str]) -> None:
        with self._lock:
            here = [topic for topic in topics if topic in self._callbacks]
            self._moments.update((topic, next(self._numbers)) for topic in here)
            called = [each for topic in here for each in self._callbacks[topic].values()]
        _call(called)

    def _tell_all(self) -> None:
        with self._lock:
            topics = list(self._callbacks)
        self._tell(topics)


def _call(callbacks: Iterable[Callback]) -> None:
    for each in dict.fromkeys(callbacks):
        try:
            each()
        except Exception:
            # What was written is written, and others want to know, too.
            log.exception("Somebody could not be told of a change")


class Listener(threading.Thread):
    """Hears what a PostgreSQL server tells; finds it again when it was lost.

    Parameters
    ----------
    engine : Engine
    tell : callable
        Takes the topics of which something was heard.
    tell_all : callable
        Called when anything may have been missed, or the database is lost.
    """

    def __init__(
        self,
        engine: Engine,
        tell: Callable[[Iterable[str]], None],
        tell_all: Callable[[], None],
    ) -> None:
        super().__init__(name="news", daemon=True)
        self._engine = engine
        self._tell = tell
        self._tell_all = tell_all
        self._stopped = threading.Event()
        self._woken, self._waker = socket.socketpair()
        self.lost = False

    def stop(self) -> None:
        """End the thread."""
        self._stopped.set()
        self._waker.close()
        self.join(SOON)

    def run(self) -> None:
        """Listen, until stopped."""
        pause = SOON
        with self._woken:
            while not self._stopped.is_set():
                try:
                    with closing(self._connect()) as connection:
                        pause, self.lost = SOON, False
                        self._tell_all()
                        self._listen(connection)
                except (SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error, OSError) as error:
                    # The reason may name the database's address.
                    log.warning("The database is not heard (%s)", type(error).__name__)
                except Exception:
                    # Whatever it is, those who wait here must go on hearing.
                    log.exception("The database is not heard")
                if not self._stopped.is_set():
                    if not self.lost:
                        self.lost = True
                        self._tell_all()
                    self._stopped.wait(pause * random.uniform(0.5, 1.0))
                    pause = min(2 * pause, LATE)

    def _connect(self) -> psycopg.Connection[Any]:
        """A connection of its own, which the pool does not count."""
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
                # Many changes that were made at once are told once.
                self._tell({heard.payload for heard in connection.notifies(timeout=0)})
