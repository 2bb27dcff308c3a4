"""One request, seen from whoever waits for the answer."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from explorer.players.errors import LLMCancelledError
from explorer.players.llm.failures import Failure
from explorer.players.llm.wire import AnswerDetails, Request, TextChunk, ask
from nip_core.documents import MAX_TEXT
from nip_core.text import split_thoughts

__all__ = ["Attempt", "Waiting"]

# How often a thread that waits for words looks whether it should still wait.
GLANCE = 0.05


@dataclass(frozen=True, slots=True)
class Waiting:
    """How somebody waits for an answer.

    Parameters
    ----------
    until : float
        When to give up, by ``time.monotonic``.
    cancel : threading.Event
        Ends the waiting once set.
    on_text : callable, optional
        Called with the answer so far, whenever it has grown.
    """

    until: float
    cancel: threading.Event
    on_text: Callable[[str], None] | None = None

    def over(self, host: str) -> Failure | None:
        """Why nobody waits any longer, if so."""
        if self.cancel.is_set():
            return Failure("The model was stopped.", error=LLMCancelledError)
        if time.monotonic() >= self.until:
            words = f"{host} has not finished in the time that a move may take."
            return Failure(f"{words} Allow more, or choose a faster model.")
        return None


@dataclass
class Attempt:
    """A request and what comes back.

    Parameters
    ----------
    request : Request
    waiting : Waiting
    """

    request: Request
    waiting: Waiting
    received: str = ""
    reasoned: str = ""
    seconds: float = 0.0
    first_seconds: float = 0.0
    _shown: str = field(default="", repr=False)

    @property
    def text(self) -> str:
        """The answer so far, without thoughts, broken characters and the key."""
        return self._clean(split_thoughts(self.received).text)

    @property
    def reasoning(self) -> str:
        """The thoughts so far, those in the answer and those beside it."""
        thoughts = (self.reasoned.strip(), split_thoughts(self.received).thoughts)
        return self._clean("\n\n".join(filter(None, thoughts)))

    def _clean(self, text: str) -> str:
        if not text.isascii():
            # Halves of a character may come in different pieces; one alone is no text.
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return self.request.key.scrub(text) if self.request.key else text

    def run(self) -> AnswerDetails | Failure:
        """Ask, and listen to the end."""
        began = time.monotonic()
        if over := self.waiting.over(self.request.settings.host):
            return over
        asking = ask(self.request)
        try:
            while True:
                for item in self._news(asking.news):
                    if isinstance(item, TextChunk):
                        self.first_seconds = self.first_seconds or time.monotonic() - began
                        self.received += item.text
                        self.reasoned += item.reasoning
                    else:
                        return self._judged(item)
                self._show()
                if max(len(self.received), len(self.reasoned)) > MAX_TEXT:
                    self.received = self.received[:MAX_TEXT]
                    self.reasoned = self.reasoned[:MAX_TEXT]
                    return AnswerDetails(finish="too_long")
                if over := self.waiting.over(self.request.settings.host):
                    return over
        finally:
            asking.stop()
            self.seconds = time.monotonic() - began

    def _news(
        self, news: queue.SimpleQueue[TextChunk | AnswerDetails | Failure]
    ) -> list[TextChunk | AnswerDetails | Failure]:
        """All that has come, or nothing after a while."""
        items: list[TextChunk | AnswerDetails | Failure] = []
        try:
            items.append(news.get(timeout=GLANCE))
            while True:
                items.append(news.get_nowait())
        except queue.Empty:
            return items

    def _judged(self, item: AnswerDetails | Failure) -> AnswerDetails | Failure:
        self._show()
        if isinstance(item, AnswerDetails) and not item.finish:
            words = f"{self.request.settings.host} stopped in the middle of its answer. Try again."
            return Failure(words, retry=True)
        return item

    def _show(self) -> None:
        if self.waiting.on_text is not None and (text := self.text) != self._shown:
            self._shown = text
            self.waiting.on_text(text)
