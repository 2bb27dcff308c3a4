"""The statements that episodes are read and written with, within a caller's transaction."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any, cast

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from explorer.storage.entries import (
    Entry,
    fold,
    outcome_of,
    seats_of,
    tokens_of,
    words_of,
)
from explorer.storage.errors import DamagedEpisodeError, NoSuchEpisodeError
from explorer.storage.tables import episodes, events, setups, tags
from explorer.storage.written import charge
from nip_core.errors import NipError
from nip_core.play import Episode, Seated, Setup, event_from_dict

__all__ = [
    "ID",
    "checked_id",
    "ended_columns",
    "entry_of",
    "event_rows",
    "has_id",
    "insert_episode",
    "no_such",
    "not_deleted",
    "open_to",
    "play_on",
    "played_by",
    "progress_columns",
    "read_bodies",
    "read_newer",
    "read_row",
    "read_tags",
    "replay",
    "set_tags",
    "set_words",
    "size_of",
]

ID = re.compile(r"[0-9a-f]{32}")

# As `json.dumps` with these options, which makes an encoder for every call.
to_json = json.JSONEncoder(allow_nan=False).encode

EpisodeRow = Row[tuple[Any, ...]]

# Asked whenever something has happened at a table, so it is made once; of one moment, so it is one.
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


def checked_id(episode_id: str) -> str:
    """An id that an episode can have; what a stranger made up never reaches the database.

    Raises
    ------
    NoSuchEpisodeError
    """
    if not isinstance(episode_id, str) or not ID.fullmatch(episode_id):
        raise no_such()
    return episode_id


def has_id(episode_id: str) -> ColumnElement[bool]:
    """The condition for one episode."""
    return episodes.c.id == checked_id(episode_id)


def not_deleted(episode_id: str) -> ColumnElement[bool]:
    """The condition for one episode that is not deleted."""
    return has_id(episode_id) & episodes.c.deleted.is_(None)


def open_to(room: int | None) -> ColumnElement[bool]:
    """The condition for what may be looked at: all but what another room keeps to itself."""
    shown = episodes.c.sealed.is_not(True)
    return shown if room is None else shown | (episodes.c.room == room)


def played_by(room: int | None) -> ColumnElement[bool]:
    """The condition for what may be written in: all that is no other room's."""
    free = episodes.c.room.is_(None)
    return free if room is None else free | (episodes.c.room == room)


def no_such() -> NoSuchEpisodeError:
    """The error for an id that leads nowhere."""
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
    """Write an episode with all its events; a room's is sealed until the room reveals it."""
    setup, statement = episode.setup, episode.task.statement
    body, rows = to_json(setup.to_dict()), event_rows(episode, 0, updated)
    charge(len(body) + size_of(rows))
    number = connection.scalar(
        insert(episodes)
        .values(
            id=episode_id,
            title=title,
            words="",
            protocol=setup.spec.name,
            kind=statement.kind,
            task=statement.id,
            created=created,
            y=episode.task.y,
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


def progress_columns(episode: Episode, now: str) -> dict[str, Any]:
    """The columns of an episode that change as it is played."""
    outcome, right = outcome_of(episode)
    return {
        "version": len(episode.events),
        "rounds": episode.node.round,
        "outcome": outcome,
        "right": right,
        "settled": episode.settled,
        "updated": now,
    }


def ended_columns(episode: Episode) -> dict[str, Any]:
    """The columns that are told once the present line is over, and not worked out before."""
    if not episode.over:
        return {}
    return {"tokens": tokens_of(episode), "seats": to_json(seats_of(episode))}


def event_rows(episode: Episode, version: int, now: str) -> list[dict[str, Any]]:
    """An episode's events from a version on, as rows that lack the episode's number."""
    return [
        {
            "number": version + offset,
            "body": to_json(event.to_dict()),
            "words": words_of(event),
            "written": now,
        }
        for offset, event in enumerate(episode.events[version:])
    ]


def size_of(rows: Sequence[Mapping[str, Any]]) -> int:
    """About how many bytes the rows of events take."""
    return sum(len(row["body"]) + len(row["words"] or "") for row in rows)


def set_tags(connection: Connection, number: int, labels: Iterable[str]) -> None:
    """Put other tags in place of an episode's."""
    connection.execute(delete(tags).where(tags.c.episode == number))
    rows = [{"episode": number, "tag": label} for label in labels]
    if rows:
        connection.execute(insert(tags), rows)


def set_words(connection: Connection, number: int, title: str, labels: Iterable[str]) -> None:
    """Keep what search looks at in step with title and tags."""
    words = fold("\n".join([title, *labels]))
    connection.execute(update(episodes).where(episodes.c.number == number).values(words=words))


def read_row(connection: Connection, episode_id: str, room: int | None = None) -> EpisodeRow:
    """The row of an episode that is not deleted, as far as a room, or nobody's, may see it."""
    wanted = select(episodes).where(not_deleted(episode_id), open_to(room))
    row = connection.execute(wanted).one_or_none()
    if row is None:
        raise no_such()
    return row


def read_bodies(connection: Connection, row: EpisodeRow) -> tuple[str, list[str]]:
    """The setup and the events of an episode as they are stored, up to the version of its row."""
    setup = connection.scalar(select(setups.c.body).where(setups.c.episode == row.number))
    found = select(events.c.body).where(
        events.c.episode == row.number, events.c.number < row.version
    )
    return setup or "", list(connection.scalars(found.order_by(events.c.number)))


def replay(row: EpisodeRow, setup: str, bodies: Sequence[str]) -> Episode:
    """Play stored events again.

    Raises
    ------
    DamagedEpisodeError
        With the place only: what is written there is nobody's business in a log.
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
    """An episode's version, and the events that were stored since an earlier one."""
    asked = {"asked": checked_id(episode_id), "seen": version, "looking": room}
    rows = connection.execute(NEWER, asked).all()
    if not rows:
        raise no_such()
    return rows[0].version, [row.body for row in rows if row.body is not None]


def play_on(episode: Episode, bodies: Sequence[str]) -> Episode | None:
    """An episode with what came after it; None if it has to be read from its beginning again.

    Whoever is forgotten is seated once more, and what they have written reads otherwise then.
    """
    grown = copy(episode)
    for body in bodies:
        event = event_from_dict(json.loads(body))
        if isinstance(event, Seated):
            return None
        grown.apply(event)
    return grown


def read_tags(connection: Connection, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The tags of some episodes, in alphabetical order."""
    found: dict[int, list[str]] = {number: [] for number in numbers}
    wanted = select(tags.c.episode, tags.c.tag).where(tags.c.episode.in_(numbers))
    for number, tag in connection.execute(wanted):
        found[number].append(tag)
    return {number: tuple(sorted(names)) for number, names in found.items()}


def entry_of(row: EpisodeRow, labels: Mapping[int, tuple[str, ...]]) -> Entry:
    """What lists say of an episode, from its row and the tags of all."""
    values = cast("dict[str, Any]", row._mapping)
    plain = {name: values[name] for name in Entry.__slots__ if name not in ("tags", "seats")}
    seats = json.loads(values["seats"] or "{}")
    return Entry(**plain, tags=labels[row.number], seats=seats)
