"""Comments on messages and positions: where they are shown, and whose they are."""

from __future__ import annotations

import secrets
from hashlib import blake2b
from typing import Any

from nip_core.errors import PlayError
from nip_core.play import Commented, Episode, comments_of


def place_comments(shown: dict[str, Any], episode: Episode, node: int) -> list[Commented]:
    """Put comments beside the messages that are shown, and return those that were placed.

    `shown` is the screen of a position, `node`; its messages get their ``comments``. The episode is
    one as everybody may read it.
    """
    messages = {
        (channel["name"], message["round"], message["sender"]): message
        for channel in shown["channels"]
        for message in channel["messages"]
    }
    rounds = {position.id: position.round - 1 for position in episode.path(node)}
    placed: list[Commented] = []
    for comment in comments_of(episode.events):
        # Anonymous messages get no comments, since a comment names the message's author.
        place = comment.channel, rounds.get(comment.node), comment.agent
        if comment.agent is None or place not in messages:
            continue
        by = ", ".join(filter(None, (comment.author or "Somebody", minute_of(comment))))
        said = {"by": by, "quote": comment.quote, "text": comment.text}
        messages[place].setdefault("comments", []).append(said)
        placed.append(comment)
    return placed


def minute_of(comment: Commented) -> str:
    """Return when a comment was written, to the minute; empty if that is unknown."""
    return (comment.at or "")[:16].replace("T", " ")


def new_thread(visitor: str) -> str:
    """Return the name of a new thread of comments, from which its author can be checked."""
    nonce = secrets.token_hex(8)
    return f"{nonce}-{_mark(visitor, nonce)}"


def wrote(visitor: str, thread: str | None) -> bool:
    """Return whether this visitor has begun a thread."""
    nonce, dash, mark = (thread or "").partition("-")
    known = _mark(visitor, nonce).encode()
    return bool(dash) and secrets.compare_digest(mark.encode("utf-8", "surrogatepass"), known)


def check_author(episode: Episode, comment: Commented, visitor: str) -> None:
    """Refuse a comment that would replace another visitor's."""
    if comment.thread is None or wrote(visitor, comment.thread):
        return
    for event in episode.events:
        if isinstance(event, Commented) and comment.thread in (event.thread, event.at):
            raise PlayError("Only the browser in which a comment was written can change it.")


def _mark(visitor: str, nonce: str) -> str:
    text = f"{nonce} {visitor}".encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=16, person=b"nip remark").hexdigest()
