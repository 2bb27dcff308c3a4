"""The statements that read and write episodes, within a caller's transaction."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    text,
    update,
)

from explorer.storage.change_feed import CHANNEL, ChangeFeed, episode_topic
from explorer.storage.engines import driving
from explorer.storage.erasing import erase
from explorer.storage.errors import DamagedEpisodeError, NoSuchEpisodeError
from explorer.storage.limits import charge
from explorer.storage.schema import episodes, events, setups, tags
from nip_core.errors import NipError
from nip_core.play import (
    Commented,
    Episode,
    Event,
    Moved,
    Origin,
    Seated,
    Setup,
    event_from_dict,
)
from nip_core.tasks import VERDICTS

ID = re.compile(r"[0-9a-f]{32}")
MAX_TITLE = 200  # characters

EpisodeStatus = Literal["running", "reject", "accept", "terminated", "ended"]

# Equivalent to `json.dumps` with these options, which would create an encoder on every call.
to_json = json.JSONEncoder(allow_nan=False).encode

EpisodeRow = Row[tuple[Any, ...]]

# Used on every change at a table, so it is built once. One statement, so one consistent moment.
NEWER = (
    select(episodes.c.version, events.c.body)
    .join_from(
        episodes,
        events,
        (events.c.episode == episodes.c.number) & (events.c.number >= bindparam("seen")),
        isouter=True,
    )
    .where(
        episodes.c.id == bindparam("asked"),
        episodes.c.deleted.is_(None),
        episodes.c.sealed.is_not(True) | (episodes.c.room == bindparam("looking")),
    )
    .order_by(events.c.number)
)


def stamp(time: datetime | None = None) -> str:
    """Return a time, by default now, as text of fixed length, so that texts sort by time."""
    time = datetime.now(UTC) if time is None else time.astimezone(UTC)
    return time.isoformat(timespec="microseconds").replace("+00:00", "Z")


def fold(text: str) -> str:
    """Return a text normalised for search, without differences of case and Unicode form."""
    whole = text.replace("\0", " ").encode("utf-8", "ignore").decode()
    return unicodedata.normalize("NFKC", whole).casefold()


def checked_id(episode_id: str) -> str:
    """Return a valid id; invented ids never reach the database."""
    if not isinstance(episode_id, str) or not ID.fullmatch(episode_id):
        raise no_such()
    return episode_id


def has_id(episode_id: str) -> ColumnElement[bool]:
    """Return the condition for one episode."""
    return episodes.c.id == checked_id(episode_id)


def not_deleted(episode_id: str) -> ColumnElement[bool]:
    """Return the condition for one episode that is not deleted."""
    return has_id(episode_id) & episodes.c.deleted.is_(None)


def played_by(room: int | None) -> ColumnElement[bool]:
    """Return the condition for episodes that may be changed: all but those of other rooms."""
    free = episodes.c.room.is_(None)
    return free if room is None else free | (episodes.c.room == room)


def open_to(room: int | None) -> ColumnElement[bool]:
    """Return the condition for episodes that may be seen: all but those that another room seals."""
    shown = episodes.c.sealed.is_not(True)
    return shown if room is None else shown | (episodes.c.room == room)


def no_such() -> NoSuchEpisodeError:
    """Return the error for an unknown id."""
    return NoSuchEpisodeError(
        "There is no such episode, or it was deleted. Check the link, or look in the list."
    )


def insert_episode(
    connection: Connection,
    episode_id: str,
    episode: Episode,
    title: str,
    labels: Sequence[str],
    *,
    created: str,
    updated: str,
    room: int | None = None,
) -> None:
    """Write an episode with all its events; a room's episode is sealed until it is revealed."""
    setup, task = episode.setup, episode.task
    roles = setup.rules.roles
    truth = setup.deal.facts.get(roles.truth or "")
    body, rows = to_json(setup.to_dict()), event_rows(episode, 0, updated)
    charge(len(body) + size_of(rows))
    number = connection.scalar(
        insert(episodes)
        .values(
            id=episode_id,
            title=title,
            words="",
            protocol=setup.rules.name,
            kind=task.kind,
            task=task.id,
            created=created,
            y=VERDICTS.index(str(truth)) if roles.on_statement and truth else None,
            room=room,
            sealed=room is not None,
            **progress_columns(episode, updated),
            **ended_columns(episode),
        )
        .returning(episodes.c.number)
    )
    assert number is not None
    connection.execute(insert(setups).values(episode=number, body=body))
    if rows:
        connection.execute(insert(events), [{"episode": number, **row} for row in rows])
    set_tags(connection, number, labels)
    set_words(connection, number, title, labels)


def progress_columns(episode: Episode, now: str) -> dict[str, object]:
    """Return the columns of an episode that change as it is played."""
    outcome, right = outcome_of(episode)
    return {
        "version": len(episode.events),
        "rounds": episode.node.round,
        "outcome": outcome,
        "right": right,
        "settled": episode.settled,
        "updated": now,
    }


def ended_columns(episode: Episode) -> dict[str, object]:
    """Return the columns that are known once the present variation is over."""
    if not episode.over:
        return {}
    return {"tokens": tokens_of(episode), "seats": to_json(seats_of(episode))}


def outcome_of(episode: Episode) -> tuple[EpisodeStatus, bool | None]:
    """Return how the present variation has ended, and whether the verdict is correct."""
    if not episode.over:
        return "running", None
    result = episode.result()
    if result.decision is None:
        ended = result.verdict is not None
        return ("ended", result.right) if ended else ("terminated", None)
    return ("accept" if result.decision == 1 else "reject"), result.right


def tokens_of(episode: Episode) -> int | None:
    """Return the tokens that models have used for all moves of an episode."""
    records = (Origin.from_dict(e.origin) for e in episode.events if isinstance(e, Moved))
    used = [record.tokens for record in records if record.tokens is not None]
    return sum(used) if used else None


def seats_of(episode: Episode) -> dict[str, dict[str, object]]:
    """Return the player of each seat, and its reward in the present variation."""
    players = episode.players
    seats: dict[str, dict[str, Any]] = {}
    for agent in episode.rules.seat_names:
        player = players.get(agent, {})
        shown = {name: player.get(name) for name in ("kind", "model")}
        seats[agent] = {k: v[:MAX_TITLE] for k, v in shown.items() if isinstance(v, str)}
    for agent, paid in episode.result().totals.items():
        seats[agent]["reward"] = paid
    return seats


def event_rows(episode: Episode, version: int, now: str) -> list[dict[str, object]]:
    """Return an episode's events from a version on, as rows without the episode's number."""
    return [
        {
            "number": version + offset,
            "body": to_json(event.to_dict()),
            "words": words_of(event),
            "written": now,
        }
        for offset, event in enumerate(episode.events[version:])
    ]


def words_of(event: Event) -> str | None:
    """Return what people and models have written in an event, for search."""
    match event:
        case Moved(move=move) if move.messages:
            return fold("\n".join(move.messages.values()))
        case Commented(text=text):
            return fold(text)
        case _:
            return None


def size_of(rows: Sequence[Mapping[str, Any]]) -> int:
    """Return about how many bytes the rows of events take."""
    return sum(len(row["body"]) + len(row["words"] or "") for row in rows)


def set_tags(connection: Connection, number: int, labels: Iterable[str]) -> None:
    """Replace an episode's tags."""
    erase(connection, delete(tags).where(tags.c.episode == number), soon=True)
    rows = [{"episode": number, "tag": label} for label in labels]
    if rows:
        connection.execute(insert(tags), rows)


def set_words(connection: Connection, number: int, title: str, labels: Iterable[str]) -> None:
    """Update the search text after a change of title or tags."""
    words = fold("\n".join([title, *labels]))
    connection.execute(update(episodes).where(episodes.c.number == number).values(words=words))


def read_row(connection: Connection, episode_id: str, room: int | None = None) -> EpisodeRow:
    """Return the row of an episode that is not deleted and that the room, or everybody, may see."""
    wanted = select(episodes).where(not_deleted(episode_id), open_to(room))
    row = connection.execute(wanted).one_or_none()
    if row is None:
        raise no_such()
    return row


def read_bodies(connection: Connection, row: EpisodeRow) -> tuple[str, list[str]]:
    """Return the stored setup and events of an episode, up to the version of its row."""
    setup = connection.scalar(select(setups.c.body).where(setups.c.episode == row.number))
    bodies = select(events.c.body).where(
        events.c.episode == row.number, events.c.number < row.version
    )
    return setup or "", list(connection.scalars(bodies.order_by(events.c.number)))


def replay(row: EpisodeRow, setup: str, bodies: Sequence[str]) -> Episode:
    """Replay stored events.

    A DamagedEpisodeError names only the place in the episode: the error may be logged, the content
    must not be.
    """
    place = "its setup"
    try:
        episode = Episode.from_setup(Setup.from_dict(json.loads(setup)))
        for number, body in enumerate(bodies):
            place = f"event {number}"
            episode.apply(event_from_dict(json.loads(body)))
    except (NipError, ValueError, TypeError, AttributeError) as error:
        raise DamagedEpisodeError(
            f"Episode {row.id} cannot be played again: {place} is not possible "
            f"({type(error).__name__}). An export still holds all of it."
        ) from None
    if len(bodies) != row.version:
        raise DamagedEpisodeError(
            f"Episode {row.id} has {row.version} events, of which {len(bodies)} are found."
        )
    return episode


def read_newer(
    connection: Connection, episode_id: str, version: int, room: int | None = None
) -> tuple[int, list[str]]:
    """Return an episode's version, and the events stored since an earlier one."""
    values = {"asked": checked_id(episode_id), "seen": version, "looking": room}
    rows = connection.execute(NEWER, values).all()
    if not rows:
        raise no_such()
    return rows[0].version, [row.body for row in rows if row.body is not None]


def play_on(episode: Episode, bodies: Sequence[str]) -> Episode | None:
    """Return an episode with later events applied; None if it must be loaded from its beginning.

    When a person is forgotten, their earlier messages are replaced, which is marked by seating the
    player again.
    """
    grown = copy(episode)
    for body in bodies:
        event = event_from_dict(json.loads(body))
        if isinstance(event, Seated):
            return None
        grown.apply(event)
    return grown


def read_tags(connection: Connection, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return the tags of some episodes, in alphabetical order."""
    tags_by_number: dict[int, list[str]] = {number: [] for number in numbers}
    wanted = select(tags.c.episode, tags.c.tag).where(tags.c.episode.in_(numbers))
    for number, tag in connection.execute(wanted):
        tags_by_number[number].append(tag)
    return {number: tuple(sorted(names)) for number, names in tags_by_number.items()}


CHANGED = ("version", "rounds", "outcome", "right", "settled", "updated")
ENDED = ("tokens", "seats")
# Of several writers that have seen the same version, one matches; the others find no row.
CLAIM = (
    update(episodes)
    .where(
        episodes.c.id == bindparam("claimed"),
        episodes.c.version == bindparam("seen"),
        episodes.c.deleted.is_(None),
        or_(episodes.c.room.is_(None), episodes.c.room == bindparam("playing")),
        # On the episode's own row, so that a waiting writer checks this again.
        episodes.c.halted.is_not(True),
    )
    .returning(episodes.c.number)
)
# The same; PostgreSQL also sends the notification when it commits.
CLAIM_AND_TELL = CLAIM.returning(
    func.pg_notify(text(f"'{CHANNEL}'"), text(f"'{episode_topic('')}' || episodes.id"))
)


class Appending:
    """Writes new events of episodes, by statements that are prepared once for the driver."""

    def __init__(self, engine: Engine, feed: ChangeFeed) -> None:
        self._engine = engine
        self._feed = feed
        claim = CLAIM_AND_TELL if engine.dialect.name == "postgresql" else CLAIM
        # Metadata written afterwards leaves the time of the last change as it is.
        self.claims: dict[tuple[str, ...], str] = {
            columns: str(claim.compile(engine, column_keys=columns))
            for ended in ((), ENDED)
            for columns in ((*CHANGED, *ended), (*CHANGED[:-1], *ended))
        }
        self.add = str(insert(events).compile(engine))

    def write(
        self, episode_id: str, episode: Episode, version: int, now: str, room: int | None = None
    ) -> bool:
        """Write an episode's events from a version on.

        Nothing is written, and False returned, if it is at another version, halted or missing.
        """
        changes = {**progress_columns(episode, now), **ended_columns(episode)}
        if all(isinstance(event, Commented) for event in episode.events[version:]):
            del changes["updated"]
        # Computed before the lock is taken.
        rows = event_rows(episode, version, now)
        charge(size_of(rows))
        with driving(self._engine) as cursor:
            cursor.execute(
                self.claims[tuple(changes)],
                {**changes, "claimed": checked_id(episode_id), "seen": version, "playing": room},
            )
            updated = cursor.fetchone()
            if updated is None:
                return False
            cursor.executemany(self.add, [{"episode": updated[0], **row} for row in rows])
        self._feed.written(episode_topic(episode_id))
        return True
