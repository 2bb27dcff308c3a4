"""Export of all episodes as lines of JSON, and import into another database.

Each line is one object: ``format``, ``id``, ``title``, ``tags``, ``created``, ``updated``,
``setup`` and ``events``; or a transcript, as :mod:`nip_core.transcript` writes it. Imported events
are replayed, so that nothing enters the database that the rules do not allow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import IO, Any, Literal, cast

from sqlalchemy import Engine, select

from explorer.storage.engines import reading, writing
from explorer.storage.entries import checked_tags, checked_title, default_title
from explorer.storage.errors import ConflictError, StorageInputError
from explorer.storage.records import ID, insert_episode, open_to, read_bodies, read_tags, stamp
from explorer.storage.schema import episodes
from nip_core.displays import displayed
from nip_core.documents import as_list, as_object, show
from nip_core.errors import NipError, TranscriptError
from nip_core.play import MAX_EVENTS, Episode, Setup, event_from_dict
from nip_core.transcript import MAX_BYTES, load, parse_json, read_training_record

FORMAT = "nip-stored-episode/1"
KEYS = ("format", "id", "title", "tags", "created", "updated", "setup", "events")
CHUNK = 1_000_000


@displayed
@dataclass(frozen=True, slots=True)
class Imported:
    """The result of importing one line of a file."""

    line: int  # counted from 1
    # Present: an episode with this id is stored already, perhaps deleted; it is left unchanged.
    status: Literal["added", "present", "refused"]
    id: str | None = None  # the episode's id, unless the line was refused
    reason: str = ""  # why the line was refused


def export_lines(engine: Engine, *, settled: bool = False) -> Iterator[bytes]:
    """Yield each episode that is neither deleted nor sealed by a room; see `Storage.export_all`."""
    last = 0
    wanted = [episodes.c.deleted.is_(None), open_to(None)]
    if settled:
        wanted.append(episodes.c.settled.is_(True))
    while True:
        following = (
            select(episodes)
            .where(episodes.c.number > last, *wanted)
            .order_by(episodes.c.number)
            .limit(1)
        )
        with reading(engine) as connection:
            row = connection.execute(following).one_or_none()
            if row is None:
                return
            last = row.number
            setup, bodies = read_bodies(connection, row)
            labels = read_tags(connection, [last])[last]
        header = {
            "format": FORMAT,
            "id": row.id,
            "title": row.title,
            "tags": labels,
            "created": row.created,
            "updated": row.updated,
        }
        # The stored JSON is exported unparsed.
        yield (
            f'{json.dumps(header)[:-1]}, "setup": {setup}, "events": [{", ".join(bodies)}]}}\n'
        ).encode("ascii")


def import_lines(engine: Engine, file: IO[bytes]) -> Iterator[Imported]:
    """Store the episodes of a file one at a time, and yield the result of each line."""
    for number, line in _lines(file):
        try:
            arguments = _read(line)
        except (NipError, StorageInputError) as error:
            yield Imported(number, "refused", reason=str(error))
            continue
        try:
            with writing(engine) as connection:
                insert_episode(connection, **arguments)
            yield Imported(number, "added", arguments["episode_id"])
        except ConflictError:
            yield Imported(number, "present", arguments["episode_id"])


def _lines(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not empty, with their numbers; over-long lines are cut short."""
    number = 0
    while line := file.readline(MAX_BYTES + 1):
        number += 1
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = file.readline(CHUNK)
        if line.strip():
            yield number, line


def _read(line: bytes) -> dict[str, Any]:
    """Return a line as the arguments of `insert_episode`."""
    document: Any = parse_json(line)
    if isinstance(document, dict):
        written = cast("dict[str, Any]", document)
        if str(written.get("format")).startswith("nip-transcript/"):
            return _kept(line, load(written))
        if "traces" in written:
            record = read_training_record(written)
            if record.episode is None:
                raise TranscriptError(" ".join(record.differences))
            return _kept(line, record.episode, record.title, "training")
    fields = as_object(cast("object", document), "The line", KEYS, error=TranscriptError)
    if fields["format"] != FORMAT:
        raise TranscriptError(f"format is {show(fields['format'])}; this version reads {FORMAT!r}.")
    if not isinstance(fields["id"], str) or not ID.fullmatch(fields["id"]):
        raise TranscriptError(f"id is {show(fields['id'])}; it must be 32 hexadecimal digits.")
    return {
        "episode_id": fields["id"],
        "episode": _replay(
            fields["setup"], as_list(fields["events"], "events", error=TranscriptError)
        ),
        "title": checked_title(fields["title"]),
        "labels": checked_tags(as_list(fields["tags"], "tags", error=TranscriptError)),
        "created": _time(fields["created"], "created"),
        "updated": _time(fields["updated"], "updated"),
    }


def _kept(line: bytes, episode: Episode, title: str = "", *tags: str) -> dict[str, object]:
    """Return an episode as the arguments of `insert_episode`; its id is a hash of the line."""
    now = stamp()
    return {
        "episode_id": sha256(line.strip()).hexdigest()[:32],
        "episode": episode,
        "title": checked_title(title or default_title(episode.setup)),
        "labels": ["imported", *tags],
        "created": now,
        "updated": now,
    }


def _replay(setup: object, events: list[object]) -> Episode:
    if len(events) > MAX_EVENTS:
        raise TranscriptError(f"There are {len(events):,} events; at most {MAX_EVENTS:,} are read.")
    place = "The setup cannot be used"
    try:
        episode = Episode.from_setup(Setup.from_dict(setup))
        for number, event in enumerate(events):
            place = f"Event {number} is not possible"
            episode.apply(event_from_dict(event))
    except (NipError, TypeError, AttributeError) as error:
        raise TranscriptError(f"{place}: {error}") from None
    return episode


def _time(value: object, at: str) -> str:
    try:
        return stamp(datetime.fromisoformat(cast("str", value)))
    except (TypeError, ValueError, OverflowError):
        raise TranscriptError(f"{at} is {show(value)}; it must be a time in ISO 8601.") from None
