"""Texts in addresses: the specification of one's own protocol, and tasks that a person wrote."""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from typing import cast

from nip_core.errors import NipError

# The keys of a specification and of written tasks.
WRITTEN, TASKS = "spec", "written"
# The longest own specification and the longest written tasks, in characters; and the longest form
# of both in an address. Servers and chat programs cut off longer addresses.
MOST_WRITTEN, MOST_PACKED = 100_000, 6_000
DAMAGED = (
    "The specification in this link is damaged: the link may be cut off. Ask for the file, and "
    "open it here."
)
MISSING = (
    "There is no specification in this link: a long one does not fit into an address. Open its "
    "file here."
)


def packed(text: str) -> str:
    """Return a text as it stands in an address."""
    data = zlib.compress(text.encode("utf-8", "replace"), 9)
    return urlsafe_b64encode(data).decode("ascii").rstrip("=")


def unpacked(text: str) -> str | None:
    """Return the text that :func:`packed` took; None if it is damaged or too long."""
    if len(text) > MOST_PACKED:
        return None
    try:
        data = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        # A small text may unpack to a large one.
        unpack = zlib.decompressobj()
        content = unpack.decompress(data, MOST_WRITTEN + 1).decode("utf-8")
    except (ValueError, zlib.error):
        return None
    return content if len(content) <= MOST_WRITTEN and unpack.eof else None


def tasks_to_query(
    tasks: Sequence[Mapping[str, str | int]], query: Mapping[str, str]
) -> dict[str, str]:
    """Return the address's entries for written tasks; empty if they are too long.

    Parameters
    ----------
    tasks : sequence of mapping of str to (str or int)
        The parts and facts of each by name, as far as they are written.
    query : mapping of str to str
        The rest of the address; a specification in it leaves less room.
    """
    text = json.dumps(tasks, ensure_ascii=False) if any(tasks) else ""
    if not text or len(text) > MOST_WRITTEN:
        return {}
    short = packed(text)
    return {TASKS: short} if len(short) + len(query.get(WRITTEN, "")) <= MOST_PACKED else {}


def tasks_from_query(query: Mapping[str, str]) -> list[dict[str, str | int]]:
    """Return the tasks in the output of :func:`tasks_to_query`; none if there are none.

    Raises
    ------
    NipError
        If they are damaged or too long.
    """
    if TASKS not in query:
        return []
    try:
        tasks: object = json.loads(unpacked(query[TASKS]) or "")
    except (ValueError, RecursionError):
        tasks = None
    if not isinstance(tasks, list) or not all(map(_is_task, cast("list[object]", tasks))):
        raise NipError(
            "The task in this link is damaged: the link may be cut off. Ask for the text, and "
            "write it here."
        )
    return cast("list[dict[str, str | int]]", tasks)


def _is_task(task: object) -> bool:
    named = cast("dict[object, object]", task).values() if isinstance(task, dict) else [None]
    return all(type(value) in (str, int) for value in named)
