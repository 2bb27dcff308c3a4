"""A move as a browser sent it, and why it was refused: the one door, whatever the host."""

from __future__ import annotations

from typing import Any, cast

from nip_core.errors import IllegalMoveError, NipError
from nip_core.play import Move
from nip_core.spec import ProtocolSpec

__all__ = ["move_of", "refusal"]


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


def refusal(error: Exception, spec: ProtocolSpec) -> dict[str, str | None]:
    """Why a move was refused, in the names that the screen has for channels."""
    channel = error.channel if isinstance(error, IllegalMoveError) else None
    text = str(error)
    for name in spec.channel_names:
        text = text.replace(f" on {name} ", " ")
    return {"message": text, "channel": channel}
