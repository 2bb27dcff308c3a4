"""A language model in a seat."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from explorer.players.base import Acted, Player, in_own_thread
from explorer.players.llm.asking import Answered, Asking
from explorer.players.llm.budget import Used
from explorer.players.llm.client import Client
from nip_core.play import Origin, View

__all__ = ["LLMPlayer"]


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
        until = time.monotonic() + self.client.settings.deadline
        used = self.used_before(view)
        settings = self.client.settings
        asking = Asking(
            view,
            corrections=settings.corrections,
            scratchpad=self.client.offers_scratchpad,
            ask_confidence=settings.ask_confidence,
            refused=used.refused,
        )
        while True:
            reply = self.client.complete(asking.chat, self.on_text, until=until, used=used)
            move = asking.read(
                Answered(
                    reply.text,
                    reply.reasoning,
                    reply.finish,
                    reply.refusal,
                    reply.tools,
                    reply.unclosed,
                )
            )
            if move is not None:
                break
        origin = Origin(
            kind=self.kind,
            model=settings.model,
            answered_by=reply.model,
            host=settings.host,
            settings=reply.options,
            left_out=reply.left_out,
            scratchpad=asking.scratchpad,
            instructions=asking.instructions,
            # With all that came to nothing, and what was stopped.
            tokens_in=used.tokens_in,
            tokens_out=used.tokens_out,
            estimated=used.estimated,
            unread=reply.unread,
            seconds=round(used.seconds, 3),
            attempts=used.requests,
            cost=settings.prices.cost(used.tokens_in, used.tokens_out),
            refused=tuple(used.refused),
            reasoning=asking.reasoning if settings.keep_reasoning else "",
        )
        return Acted(move, origin.to_dict())
