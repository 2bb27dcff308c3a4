"""One request while its answer arrives."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal

from explorer.players.models.failures import ModelFailure
from explorer.players.models.wire import AnswerDetails, AnswerPart, Request, TextChunk, ask
from nip_core.displays import displayed
from nip_core.documents import MAX_TEXT
from nip_core.text import split_thoughts


@dataclass
class Attempt:
    """A request and what comes back."""

    request: Request
    over: Callable[[], ModelFailure | None]  # returns why to stop waiting for the answer, or None
    on_progress: Callable[[Attempt], None]  # called whenever more of the answer has arrived
    received: str = ""
    reasoned: str = ""
    seconds: float = 0.0
    first_seconds: float = 0.0
    asked: bool = field(default=False, repr=False)

    @property
    def text(self) -> str:
        """The answer so far, without reasoning, incomplete characters and the key."""
        return self._clean(split_thoughts(self.received).text)

    @property
    def unclosed(self) -> bool:
        """Whether the answer's reasoning has a beginning but no end."""
        return split_thoughts(self.received).unclosed

    @property
    def reasoning(self) -> str:
        """The reasoning so far, from the answer's text and from fields of its own."""
        thoughts = (self.reasoned.strip(), split_thoughts(self.received).thoughts)
        return self._clean("\n\n".join(filter(None, thoughts)))

    async def run(self) -> AnswerDetails | ModelFailure:
        """Send the request, and receive the answer to its end."""
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

    def _take(self, items: list[AnswerPart], began: float) -> AnswerDetails | ModelFailure | None:
        """Add the parts that have arrived; return how the answer ended, if it has."""
        for item in items:
            if not isinstance(item, TextChunk):
                self.on_progress(self)
                return self._judged(item)
            self.first_seconds = self.first_seconds or time.monotonic() - began
            self.received += item.text
            self.reasoned += item.reasoning
            # Checked before the end, which may have arrived together with the last words.
            if max(len(self.received), len(self.reasoned)) > MAX_TEXT:
                self.received = self.received[:MAX_TEXT]
                self.reasoned = self.reasoned[:MAX_TEXT]
                self.on_progress(self)
                return AnswerDetails(finish="too_long")
        self.on_progress(self)
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
            # A character may be split between two pieces; half of it is not valid text.
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return self.request.key.scrub(text) if self.request.key else text


Stage = Literal["asked", "waiting", "thinking", "writing"]


@displayed
@dataclass(frozen=True, slots=True)
class AnswerProgress:
    """The state of a request."""

    stage: Stage  # whether the model was just asked, is retried after an error, reasons, or writes
    # The number of this request, and the most that will be made.
    attempt: int = 1
    attempts: int = 1
    # The reason for the retry or the wait, without any text of a prompt or an answer.
    trouble: str = ""
    pause: float = 0.0  # seconds until the next request
    thought: int = 0  # tokens of reasoning so far
    written: int = 0  # words of the answer so far
    tokens: int = 0  # used for this move so far, including failed requests
    cost: float | None = None  # the cost of these tokens, by the prices that the person gave

    @property
    def for_others(self) -> str:
        """Return the state in words that reveal nothing that the model thinks or writes."""
        if self.stage == "waiting":
            return f"{self.trouble} The next request comes in {self.pause:.0f} s.{self._count}"
        return f"{self.trouble}{self._count}".strip() if self.attempt > 1 else ""

    @property
    def for_its_seat(self) -> str:
        """The same for the seat that the model plays."""
        doing = {
            "asked": "It has been asked.",
            "waiting": self.for_others,
            "thinking": f"It is thinking: {self.thought:,} tokens so far.",
            "writing": f"It is writing: {self.written:,} words so far.",
        }[self.stage]
        again = self.for_others if self.stage != "waiting" else ""
        paid = "" if self.cost is None else f", {self.cost:.4g} by your own prices"
        used = f"{self.tokens:,} tokens used{paid}." if self.tokens else ""
        return " ".join(filter(None, (doing, again, used)))

    @property
    def _count(self) -> str:
        return f" (Attempt {self.attempt} of {self.attempts}.)" if self.attempts > 1 else ""
