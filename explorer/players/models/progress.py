"""One request while its answer arrives, and a record of all requests, without keys."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Literal

from explorer.players.models.failures import ModelFailure
from explorer.players.models.wire import AnswerDetails, AnswerPart, Request, TextChunk, ask
from nip_core.displays import Table, Tabular, displayed, line
from nip_core.documents import MAX_TEXT
from nip_core.text import split_thoughts


@dataclass
class Attempt:
    """A request and what comes back.

    Parameters
    ----------
    over : callable
        Returns why to stop waiting for the answer, or None.
    on_progress : callable
        Called whenever more of the answer has arrived.
    """

    request: Request
    over: Callable[[], ModelFailure | None]
    on_progress: Callable[[Attempt], None]
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
    """The state of a request.

    Parameters
    ----------
    stage : str
        Whether the model was just asked, is retried after an error, reasons, or writes.
    attempt, attempts : int
        The number of this request, and the most that will be made.
    trouble : str
        The reason for the retry or the wait, without any text of a prompt or an answer.
    pause : float
        Seconds until the next request.
    thought : int
        Tokens of reasoning so far.
    written : int
        Words of the answer so far.
    tokens : int
        Used for this move so far, including failed requests.
    cost : float, optional
        The cost of these tokens, by the prices that the person gave.
    """

    stage: Stage
    attempt: int = 1
    attempts: int = 1
    trouble: str = ""
    pause: float = 0.0
    thought: int = 0
    written: int = 0
    tokens: int = 0
    cost: float | None = None

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


@displayed
@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its outcome.

    Parameters
    ----------
    at : str
        When it was sent.
    host : str
    request : dict
        The body: model, messages and options.
    text : str
        The text received, even if incomplete.
    outcome : str
        Why the answer ended, or what went wrong, in words.
    ok : bool
    tokens_in, tokens_out : int
    seconds : float
    """

    at: str
    host: str
    request: dict[str, Any] = field(repr=False)
    text: str = field(repr=False)
    outcome: str
    ok: bool
    tokens_in: int
    tokens_out: int
    seconds: float


class RequestLog(Tabular):
    """The latest exchanges, the oldest first.

    They show a seat's prompt, so only that seat may see them before the end of an episode.

    Parameters
    ----------
    size : int
        The most exchanges that are kept.
    """

    def __init__(self, size: int = 100) -> None:
        self._kept: deque[Exchange] = deque(maxlen=size)

    def __repr__(self) -> str:
        return line(self, f"{len(self._kept):,} requests")

    def table(self) -> Table:
        """Return where requests went and how they ended, without their texts."""
        names = "at", "host", "outcome", "tokens_in", "tokens_out", "seconds"
        return Table(names, [tuple(getattr(each, n) for n in names) for each in self._kept])

    def add(self, exchange: Exchange) -> None:
        """Add an exchange."""
        self._kept.append(exchange)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """The kept exchanges."""
        return tuple(self._kept)
