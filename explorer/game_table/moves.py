"""A move as a browser sent it, and why it was refused: the one door, whatever the host."""

from __future__ import annotations

from typing import Any, cast

from nip_core.errors import IllegalMoveError, NipError
from nip_core.play import Move, View
from nip_core.spec import ProtocolSpec
from nip_core.tasks import VERDICTS

__all__ = ["draft_of", "move_of", "refusal", "told"]


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


def draft_of(move: Move, view: View) -> dict[str, Any]:
    """What a model would do, to be put into a person's boxes once: its mark, and what to write."""
    # A verdict is the person's own to give; the draft only says what the model would do.
    messages = dict(move.messages) or dict.fromkeys(view.legal.channels, f"({told(move)})")
    return {"mark": f"{view.round}/{told(move)}", "messages": messages}


def told(move: Move) -> str:
    """A move in words."""
    return "\n\n".join(move.messages.values()) or f"Decision: {VERDICTS[move.decision]}"
