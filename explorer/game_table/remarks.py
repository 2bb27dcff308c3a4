"""Whose a remark is: only the browser that wrote it changes it or takes it back.

The author of a remark is what somebody called themselves, so it proves nothing. The name of its
thread does: it is made of the browser's name, and nobody who reads it can tell whose it is.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from hashlib import blake2b

from nip_core.errors import PlayError
from nip_core.play import Commented, Event

__all__ = ["check_author", "new_thread", "wrote"]


def new_thread(visitor: str) -> str:
    """The name of a thread that a browser begins."""
    nonce = secrets.token_hex(8)
    return f"{nonce}-{_mark(visitor, nonce)}"


def wrote(visitor: str, thread: str | None) -> bool:
    """Has this browser begun the thread?"""
    nonce, dash, mark = (thread or "").partition("-")
    known = _mark(visitor, nonce).encode()
    return bool(dash) and secrets.compare_digest(mark.encode("utf-8", "surrogatepass"), known)


def check_author(events: Iterable[Event], comment: Commented, visitor: str) -> None:
    """Refuse a remark that would take the place of somebody else's.

    Raises
    ------
    PlayError
    """
    if comment.thread is None or wrote(visitor, comment.thread):
        return
    for event in events:
        if isinstance(event, Commented) and comment.thread in (event.thread, event.at):
            raise PlayError("Only the browser in which a comment was written can change it.")


def _mark(visitor: str, nonce: str) -> str:
    text = f"{nonce} {visitor}".encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=16, person=b"nip remark").hexdigest()
