"""What a browser sends to a table: moves, and remarks, which have an owner."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import replace
from hashlib import blake2b
from typing import Any, cast

from nip_core.errors import IllegalMoveError, NipError, PlayError
from nip_core.play import Commented, Episode, Event, Move, View
from nip_core.spec import ProtocolSpec
from nip_core.tasks import VERDICTS

__all__ = [
    "check_author",
    "draft_of",
    "in_words",
    "move_of",
    "new_thread",
    "refusal",
    "was_made",
    "wrote",
]


def move_of(act: Any, seat: str, round_id: int) -> Move:
    """A move as the browser sent it, which may be anything.

    Raises
    ------
    NipError
        If it is none, or was meant for another round or seat.
    """
    said = cast("dict[str, Any]", act) if isinstance(act, dict) else {}
    if said.get("seat") != seat or said.get("round") != round_id:
        raise NipError("Play has gone on since: look at the table, then make your move.")
    messages = said.get("messages")
    decision = said.get("decision")
    return Move(
        seat,
        cast("dict[str, str]", messages) if isinstance(messages, dict) else {},
        decision if decision in (0, 1) else 2,
        said.get("confidence"),
    )


def was_made(act: Any, seat: str, episode: Episode) -> bool:
    """Has a seat made just this move already, in the round that it is for?

    A browser that does not learn whether its move has arrived sends it again.
    """
    said = cast("dict[str, Any]", act) if isinstance(act, dict) else {}
    round_id = said.get("round")
    if type(round_id) is not int or not 0 <= round_id <= episode.node.round:
        return False
    if round_id == episode.node.round:
        made = episode.held.get(seat)
    else:
        made = episode.path()[round_id + 1].moves.get(seat)
    try:
        return made is not None and made == replace(move_of(act, seat, round_id), raw=made.raw)
    except NipError:
        return False


def refusal(error: Exception, spec: ProtocolSpec) -> dict[str, str | None]:
    """Why a move was refused, in the names that the screen has for channels."""
    channel = error.channel if isinstance(error, IllegalMoveError) else None
    text = str(error)
    for name in spec.channel_names:
        text = text.replace(f" on {name} ", " ")
    return {"message": text, "channel": channel}


def draft_of(move: Move, view: View) -> dict[str, Any]:
    """What a model would do, to be put into a person's boxes once: its mark, and what to write."""
    # A verdict is the person's own to give; the draft only says what the model would do.
    messages = dict(move.messages) or dict.fromkeys(view.legal.channels, f"({in_words(move)})")
    return {"mark": f"{view.round}/{in_words(move)}", "messages": messages}


def in_words(move: Move) -> str:
    """A move in words."""
    return "\n\n".join(move.messages.values()) or f"Decision: {VERDICTS[move.decision]}"


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
