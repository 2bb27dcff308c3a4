"""One request, seen from whoever waits for the answer."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from explorer.players.errors import LLMCancelledError
from explorer.players.llm.failures import Failure
from explorer.players.llm.wire import AnswerDetails, Asking, Request, TextChunk, ask
from nip_core.documents import MAX_TEXT
from nip_core.text import split_thoughts

__all__ = ["GLANCE", "Attempt", "Waiting"]

# How often a thread that waits for words looks whether it should still wait.
GLANCE = 0.05


@dataclass(frozen=True, slots=True)
class Waiting:
    """How somebody waits for an answer.

    Parameters
    ----------
    until : float
        When to give up, by ``time.monotonic``.
    stops : tuple of threading.Event
        Each ends the waiting once set.
    """

    until: float
    stops: tuple[threading.Event, ...]

    def over(self, host: str) -> Failure | None:
        """Why nobody waits any longer, if so."""
        if any(stop.is_set() for stop in self.stops):
            return Failure("The model was stopped.", begun=True, error=LLMCancelledError)
        if time.monotonic() >= self.until:
            words = f"{host} has not finished in the time that a move may take."
            hint = "Raise “Time for a move”, or choose a faster model."
            return Failure(f"{words} {hint}", begun=True)
        return None


@dataclass
class Attempt:
    """A request and what comes back.

    Parameters
    ----------
    request : Request
    waiting : Waiting
    on_news : callable
        Called whenever more has come.
    """

    request: Request
    waiting: Waiting
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

    def run(self) -> AnswerDetails | Failure:
        """Ask, and listen to the end."""
        began = time.monotonic()
        if over := self.waiting.over(self.request.settings.host):
            return over
        asking = ask(self.request)
        self.asked = True
        try:
            while True:
                for item in _news(asking):
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
                if over := self.waiting.over(self.request.settings.host):
                    return over
        finally:
            asking.stop()
            self.seconds = time.monotonic() - began

    def _judged(self, item: AnswerDetails | Failure) -> AnswerDetails | Failure:
        if isinstance(item, AnswerDetails) and not item.finish:
            host = self.request.settings.host
            if not self.received and not self.reasoned and not item.model:
                return Failure(f"{host} sent nothing at all. Try again.", retry=True)
            words = f"{host} stopped in the middle of its answer. Try again."
            return Failure(words, retry=True, begun=True)
        return item

    def _clean(self, text: str) -> str:
        text = text.replace("\0", "\ufffd")
        if not text.isascii():
            # Halves of a character may come in different pieces; one alone is no text.
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return self.request.key.scrub(text) if self.request.key else text


def _news(asking: Asking) -> list[TextChunk | AnswerDetails | Failure]:
    """All that has come, or nothing after a while."""
    items: list[TextChunk | AnswerDetails | Failure] = []
    try:
        items.append(asking.news.get(timeout=GLANCE))
        while True:
            items.append(asking.news.get_nowait())
    except queue.Empty:
        return items
