"""A language model in a seat."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from explorer.players.base import Acted, Player, in_own_thread
from explorer.players.errors import LLMFailedError
from explorer.players.llm.budget import Used
from explorer.players.llm.client import Client, Reply
from nip_core.errors import IllegalMoveError, InvalidResponseError
from nip_core.play import Move, View, verify_move
from nip_core.text import answered

__all__ = ["LLMPlayer"]

# What the model is shown again of an answer that cannot be used.
MAX_ECHO = 4000


class LLMPlayer(Player):
    """Sends a model what its seat sees, and reads a move from the answer.

    An answer that is no legal move goes back to the model with the reason.

    Parameters
    ----------
    client : Client
    on_text : callable, optional
        Called with the answer so far, whenever it has grown. What it is given is the seat's
        secret until the round's moves are revealed.
    """

    kind = "llm"

    def __init__(self, client: Client, on_text: Callable[[str], None] | None = None) -> None:
        self.client = client
        self.on_text = on_text

    def describe(self) -> dict[str, Any]:
        """Who this is, for the transcript."""
        return super().describe() | self.client.settings.describe()

    async def aturn(self, view: View) -> Acted:
        """As :meth:`turn`, without holding up others; to cancel it is to cancel its request."""
        mine = copy.copy(self)
        mine.client = replace(self.client, abandoned=threading.Event())
        try:
            return await in_own_thread(lambda: mine.turn(view))
        finally:
            mine.client.abandoned.set()

    def used_before(self, view: View) -> Used:
        """What the move has taken already, if it was begun before; more is added to it."""
        return Used()

    def turn(self, view: View) -> Acted:
        """Make a move.

        Raises
        ------
        LLMError
            If the model cannot be asked; :class:`LLMFailedError`, with the last answer, if it
            makes no legal move.
        """
        if not view.legal.channels:
            raise IllegalMoveError(view.legal.reason)
        until = time.monotonic() + self.client.settings.deadline
        used = self.used_before(view)
        chat = view.portable_messages()
        replies: list[Reply] = []
        text = reason = ""
        for _ in range(self.client.settings.corrections + 1):
            reply = self.client.complete(chat, self.on_text, until=until, used=used)
            replies.append(reply)
            found = _read(view, reply)
            if isinstance(found, Move):
                return Acted(found, self._origin(replies, used))
            text, reason = reply.text or reply.refusal, found
            chat = answered(chat, text[:MAX_ECHO], _correction(reason))
        raise LLMFailedError(
            f"The model has answered {len(replies)} times, but nothing that can be played. "
            f"{reason} Try again, change the model, or make the move yourself.",
            text,
        )

    def _origin(self, replies: list[Reply], used: Used) -> dict[str, Any]:
        settings, last = self.client.settings, replies[-1]
        return {
            "kind": self.kind,
            "model": settings.model,
            "answered_by": last.model,
            "host": settings.host,
            "temperature": last.temperature,
            **({"left_out": list(last.left_out)} if last.left_out else {}),
            # With all that came to nothing, and what was stopped.
            "tokens_in": used.tokens_in,
            "tokens_out": used.tokens_out,
            "seconds": round(used.seconds, 3),
            "attempts": used.requests,
            **({"unread": True} if last.unread else {}),
        }


def _read(view: View, reply: Reply) -> Move | str:
    """The move in an answer, or what is wrong with it."""
    if fault := _fault(reply):
        return fault
    try:
        move = view.read_answer(reply.text)
        verify_move(move, view.legal, view.spec, view.max_response_words)
    except (InvalidResponseError, IllegalMoveError) as error:
        return str(error)
    return move


def _fault(reply: Reply) -> str:
    if reply.refusal or reply.finish == "content_filter":
        return "You have refused. This is a game in which every seat must make its move."
    if reply.finish == "too_long":
        return "The answer does not end. Write a short one."
    if reply.finish == "length":
        return "The answer was cut off at the limit of tokens. Write a shorter one."
    if not reply.text.strip():
        if reply.tools:
            return "There are no tools here. Write your move as plain text."
        return "The answer is empty. Write your move."
    return ""


def _correction(reason: str) -> str:
    """What goes back to the model after its answer."""
    return f"That cannot be used as your move. {reason} Write the whole move again, and only it."
