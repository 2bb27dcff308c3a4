"""A language model in a seat."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from explorer.players.base import Acted, Player, in_own_thread
from explorer.players.errors import LLMFailedError
from explorer.players.llm.budget import Used
from explorer.players.llm.client import Client, Reply
from nip_core.errors import IllegalMoveError, InvalidResponseError
from nip_core.play import Move, Origin, Refused, View, verify_move
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
        settings, scratchpad = self.client.settings, self.client.offers_scratchpad
        chat = view.portable_messages(scratchpad=scratchpad, ask_confidence=settings.ask_confidence)
        told = chat[0]["content"]
        thoughts: list[str] = []
        answer = reason = ""
        for _ in range(settings.corrections + 1):
            reply = self.client.complete(chat, self.on_text, until=until, used=used)
            thoughts.append(reply.reasoning)
            found = _read(view, reply, ask_confidence=settings.ask_confidence)
            if isinstance(found, Move):
                origin = Origin(
                    kind=self.kind,
                    model=settings.model,
                    answered_by=reply.model,
                    host=settings.host,
                    settings=reply.options,
                    left_out=reply.left_out,
                    scratchpad=scratchpad,
                    instructions=sha256(told.encode("utf-8", "replace")).hexdigest(),
                    # With all that came to nothing, and what was stopped.
                    tokens_in=used.tokens_in,
                    tokens_out=used.tokens_out,
                    estimated=used.estimated,
                    unread=reply.unread,
                    seconds=round(used.seconds, 3),
                    attempts=used.requests,
                    cost=settings.prices.cost(used.tokens_in, used.tokens_out),
                    refused=tuple(used.refused),
                    reasoning=_joined(thoughts) if settings.keep_reasoning else "",
                )
                return Acted(found, origin.to_dict())
            answer, reason = reply.text or reply.refusal, found
            used.refused.append(Refused(answer, reason))
            chat = answered(chat, answer[:MAX_ECHO], _correction(reason))
        raise LLMFailedError(
            f"The model has answered {settings.corrections + 1} times, but nothing that can be "
            f"played. {reason} Try again, change the model, or make the move yourself.",
            answer,
        )


def _joined(thoughts: Sequence[str]) -> str:
    """The thoughts before each answer."""
    return "\n\n---\n\n".join(filter(None, thoughts))


def _read(view: View, reply: Reply, *, ask_confidence: bool) -> Move | str:
    """The move in an answer, or what is wrong with it."""
    if fault := _fault(reply):
        return fault
    try:
        move = view.read_answer(reply.text, ask_confidence=ask_confidence)
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
        if reply.reasoning:
            return (
                "The answer holds thoughts only, and nothing that the others could read. Close "
                "them, and write your move below."
            )
        return "The answer is empty. Write your move."
    return ""


def _correction(reason: str) -> str:
    """What goes back to the model after its answer."""
    return f"That cannot be used as your move. {reason} Write the whole move again, and only it."
