"""One request, seen from whoever waits for the answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from explorer.players.models.failures import ModelFailure
from explorer.players.models.wire import AnswerDetails, News, Request, TextChunk, ask
from nip_core.documents import MAX_TEXT
from nip_core.text import split_thoughts

__all__ = ["Attempt"]


@dataclass
class Attempt:
    """A request and what comes back.

    Parameters
    ----------
    request : Request
    over : callable
        Says why nobody waits any longer, if so.
    on_news : callable
        Called whenever more has come.
    """

    request: Request
    over: Callable[[], ModelFailure | None]
    on_news: Callable[[Attempt], None]
    received: str = ""
    reasoned: str = ""
    seconds: float = 0.0
    first_seconds: float = 0.0
    asked: bool = field(default=False, repr=False)

    @property
    def text(self) -> str:
        """The answer so far, without thoughts, broken characters and the key."""
        return self._clean(split_thoughts(self.received).text)

    @property
    def unclosed(self) -> bool:
        """Does the answer begin a thought that it never ends?"""
        return split_thoughts(self.received).unclosed

    @property
    def reasoning(self) -> str:
        """The thoughts so far, those in the answer and those beside it."""
        thoughts = (self.reasoned.strip(), split_thoughts(self.received).thoughts)
        return self._clean("\n\n".join(filter(None, thoughts)))

    async def run(self) -> AnswerDetails | ModelFailure:
        """Ask, and listen to the end."""
        began = time.monotonic()
        if over := self.over():
            return over
        self.asked = True
        try:
            async with aclosing(ask(self.request)) as arriving:
                async for items in arriving:
                    if (outcome := self._take(items, began)) is not None:
                        return outcome
        finally:
            self.seconds = time.monotonic() - began
        raise AssertionError

    def _take(self, items: list[News], began: float) -> AnswerDetails | ModelFailure | None:
        """Take up what has come; how it has ended, if it has."""
        for item in items:
            if isinstance(item, TextChunk):
                self.first_seconds = self.first_seconds or time.monotonic() - began
                self.received += item.text
                self.reasoned += item.reasoning
            else:
                self.on_news(self)
                return self._judged(item)
        self.on_news(self)
        if max(len(self.received), len(self.reasoned)) > MAX_TEXT:
            self.received = self.received[:MAX_TEXT]
            self.reasoned = self.reasoned[:MAX_TEXT]
            return AnswerDetails(finish="too_long")
        return self.over()

    def _judged(self, item: AnswerDetails | ModelFailure) -> AnswerDetails | ModelFailure:
        if isinstance(item, AnswerDetails) and not item.finish:
            host = self.request.settings.host
            if not self.received and not self.reasoned and not item.model:
                return ModelFailure(f"{host} sent nothing at all. Try again.", retry=True)
            words = f"{host} stopped in the middle of its answer. Try again."
            return ModelFailure(words, retry=True, begun=True)
        return item

    def _clean(self, text: str) -> str:
        text = text.replace("\0", "\ufffd")
        if not text.isascii():
            # Halves of a character may come in different pieces; one alone is no text.
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return self.request.key.scrub(text) if self.request.key else text
