"""What is done with every move, so with as little as it takes: two statements and a commit."""

from __future__ import annotations

from sqlalchemy import Engine, bindparam, func, insert, or_, text, update

from explorer.storage.engines import driving
from explorer.storage.news import CHANNEL, News, episode_topic
from explorer.storage.records import (
    checked_id,
    ended_columns,
    event_rows,
    progress_columns,
    size_of,
)
from explorer.storage.tables import episodes, events
from explorer.storage.written import charge
from nip_core.play import Commented, Episode

__all__ = ["Appending"]

CHANGED = ("version", "rounds", "outcome", "right", "settled", "updated")
ENDED = ("tokens", "seats")
# Of several who have seen the same version one finds it; others wait, or come too late.
CLAIM = (
    update(episodes)
    .where(
        episodes.c.id == bindparam("claimed"),
        episodes.c.version == bindparam("seen"),
        episodes.c.deleted.is_(None),
        or_(episodes.c.room.is_(None), episodes.c.room == bindparam("playing")),
        # Of the episode's own row, so that whoever waits for it looks at this once more.
        episodes.c.halted.is_not(True),
    )
    .returning(episodes.c.number)
)
# The same, and PostgreSQL tells everybody once it is committed.
CLAIM_AND_TELL = CLAIM.returning(
    func.pg_notify(text(f"'{CHANNEL}'"), text(f"'{episode_topic('')}' || episodes.id"))
)


class Appending:
    """Writes what has happened in episodes.

    Attributes
    ----------
    claims : dict
        By the columns that change.
    add : str
        The statements, made once: as the driver's text, with parameters by name.
    """

    def __init__(self, engine: Engine, news: News) -> None:
        self._engine = engine
        self._news = news
        claim = CLAIM_AND_TELL if engine.dialect.name == "postgresql" else CLAIM
        # What is said of an episode afterwards is no news of it: the time stays.
        self.claims: dict[tuple[str, ...], str] = {
            columns: str(claim.compile(engine, column_keys=columns))
            for ended in ((), ENDED)
            for columns in ((*CHANGED, *ended), (*CHANGED[:-1], *ended))
        }
        self.add = str(insert(events).compile(engine))

    def write(
        self, episode_id: str, episode: Episode, version: int, now: str, room: int | None = None
    ) -> bool:
        """Write an episode's events from a version on, if it is at that version and may be.

        Returns
        -------
        bool
            False if it is at another version, halted, or not there; nothing is written then.
        """
        changes = {**progress_columns(episode, now), **ended_columns(episode)}
        if all(isinstance(event, Commented) for event in episode.events[version:]):
            del changes["updated"]
        # Made before the lock is taken.
        rows = event_rows(episode, version, now)
        charge(size_of(rows))
        with driving(self._engine) as cursor:
            cursor.execute(
                self.claims[tuple(changes)],
                {**changes, "claimed": checked_id(episode_id), "seen": version, "playing": room},
            )
            found = cursor.fetchone()
            if found is None:
                return False
            cursor.executemany(self.add, [{"episode": found[0], **row} for row in rows])
        self._news.written(episode_topic(episode_id))
        return True
