"""A study's episodes in a database, where the Transcripts page reads them."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime

from explorer.storage import Storage
from explorer.studies.record import Record

__all__ = ["store"]

FORMAT = "nip-stored-episode/1"
MAX_TAG = 50


def store(
    record: Record, storage: Storage, watch: Callable[[int], object] = lambda done: None
) -> Counter[str]:
    """Store what a record has and a database has not.

    The record stays what it is: a database that is gone takes nothing with it, and storing again
    goes on where it was.

    Parameters
    ----------
    record : Record
    storage : Storage
    watch : callable
        Called with how many were looked at.

    Returns
    -------
    counts : Counter
        How many were ``added``, ``present`` or ``refused``.
    """
    counts: Counter[str] = Counter()
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    for number, (result, episode) in enumerate(record.episodes(), 1):
        line = {
            "format": FORMAT,
            "id": result.key,
            "title": f"{result.title or result.task}: {result.condition}"[:200],
            "tags": ["study", record.folder.resolve().name[:MAX_TAG] or "study"],
            "created": now,
            "updated": now,
            "setup": episode.setup.to_dict(),
            "events": [event.to_dict() for event in episode.events],
        }
        for imported in storage.import_all(io.BytesIO(json.dumps(line).encode())):
            counts[imported.status] += 1
        watch(number)
    return counts
