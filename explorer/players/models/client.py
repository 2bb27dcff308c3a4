"""Ask a model over HTTP, and retry after temporary errors of the network or the service."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

from explorer.players.errors import LLMCancelledError
from explorer.players.models.failures import ModelFailure
from explorer.players.models.limits import (
    Secret,
    ServerPolicy,
    TokenBudget,
    estimate_tokens,
    tokens_in_chat,
)
from explorer.players.models.player import AnswerProgress, AnswerWait, ModelAnswer, Stage
from explorer.players.models.settings import LLMSettings
from explorer.players.models.transport import Transport
from explorer.players.models.wire import (
    GLANCE,
    AnswerDetails,
    AnswerPart,
    Request,
    TextChunk,
    ask,
    thinks_by_itself,
)
from explorer.usage import Usage
from nip_core.displays import displayed
from nip_core.documents import MAX_TEXT
from nip_core.text import PortableMessage, fold_system, split_thoughts

MAX_MODEL = 100
# The longest pause between two requests while a service loads its model; seconds.
LOOK_IN = 5.0
# A shorter answer is requested only if it may have at least this many tokens.
SHORTEST = 16


@displayed
@dataclass(frozen=True, slots=True)
class Retries:
    """How often and when a request is made again."""

    attempts: int = 5  # requests in all
    # Seconds before the second request, and at most. They double in between.
    first: float = 0.5
    longest: float = 20.0
    # Returns a number from 0 to 1, so that seats that were refused together do not retry at the
    # same moment.
    random: Callable[[], float] = random.random

    def pause(self, attempt: int, after: float | None) -> float:
        """Seconds to wait after an attempt, the first being 1."""
        if after is not None:
            return after + self.first * self.random()
        return min(self.longest, self.first * 2 ** (attempt - 1)) * (0.5 + 0.5 * self.random())


@lru_cache(maxsize=1000)
def _unwanted_by(base_url: str | None, model: str) -> set[str]:
    """Parts of a request that a model refuses: remembered after the first refusal."""
    return set()


@displayed
@dataclass
class Client:
    """A service and a model, ready to be asked.

    Parameters
    ----------
    cancel : threading.Event
        Set it to stop the present request.
    wait : callable
        Waits a number of seconds; cancelled when the wait is no longer needed.
    on_progress : callable, optional
        Called with an :class:`AnswerProgress` on every change.
    transport : callable, optional
        Sends the requests, in a browser, where Python has no network.
    """

    settings: LLMSettings
    key: Secret | None
    policy: ServerPolicy
    budget: TokenBudget | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    retries: Retries = field(default_factory=Retries)
    wait: Callable[[float], Awaitable[object]] = asyncio.sleep
    on_progress: Callable[[AnswerProgress], None] | None = None
    transport: Transport | None = None

    @property
    def _unwanted(self) -> set[str]:
        return _unwanted_by(self.settings.base_url, self.settings.model)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Return the chosen settings that the model does not accept."""
        return tuple(
            name
            for name in ("temperature", "top_p", "seed", "reasoning_effort")
            if name in self._unwanted and getattr(self.settings, name) is not None
        )

    async def complete(
        self, messages: Sequence[PortableMessage], waiting: AnswerWait | None = None
    ) -> ModelAnswer:
        """Return the model's whole answer, or raise an LLMError; cancelling cancels the request.

        Parameters
        ----------
        messages : sequence of PortableMessage
            In the portable shape; where a model takes no system message, it is folded in.
        """
        self.policy.check(self.settings)
        waiting = waiting or AnswerWait()
        until = waiting.until
        until = time.monotonic() + self.settings.deadline if until is None else until
        return await _Call(self, list(messages), waiting, until).run()

    def describe(self) -> dict[str, object]:
        """Return what a transcript says of the model."""
        return self.settings.describe()

    @property
    def offers_scratchpad(self) -> bool:
        """Whether the prompt offers a scratchpad; not if the model has reasoned on its own."""
        return self.settings.scratchpad and "scratchpad" not in self._unwanted

    def _options(self, longest: int) -> dict[str, object]:
        """Return the options of a request, besides the model and the conversation."""
        settings = self.settings
        options: dict[str, object] = {
            **settings.extra,
            "stream_options": {"include_usage": True},
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "seed": settings.seed,
            "reasoning_effort": settings.reasoning_effort,
        }
        # Newer models of OpenAI accept only the second name of the limit, others only the first.
        new = "max_tokens" in self._unwanted
        options["max_completion_tokens" if new else "max_tokens"] = longest
        return {
            name: value
            for name, value in options.items()
            if value is not None and name not in self._unwanted
        }

    def _adapt(self, unwanted: str) -> bool:
        """Leave a part out from now on; False if that does not help."""
        if unwanted == "max_completion_tokens" or unwanted in self._unwanted:
            return False
        self._unwanted.add(unwanted)
        return True


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


@dataclass
class _Call:
    """One question to a model, with all requests that are made for it."""

    client: Client
    chat: list[PortableMessage]
    waiting: AnswerWait
    until: float
    attempts: int = 1
    trouble: str = ""
    longest: int = 0
    shown: str = ""
    reported: AnswerProgress | None = None
    counted: Usage = field(default_factory=Usage)

    async def run(self) -> ModelAnswer:
        client, retries = self.client, self.client.retries
        self.longest = client.settings.max_tokens
        began, pauses = time.monotonic(), 0
        try:
            while True:
                attempt, outcome = await self._attempt()
                if isinstance(outcome, AnswerDetails):
                    return self._reply(attempt, outcome)
                if self._shorter(outcome.longest):
                    continue
                if outcome.unwanted and client._adapt(outcome.unwanted):
                    continue
                if not (outcome.loading or (outcome.retry and self.attempts < retries.attempts)):
                    raise outcome.error(outcome.words + outcome.quote, outcome.words)
                pauses += 1
                pause = retries.pause(pauses, outcome.after)
                if outcome.loading and outcome.after is None:
                    pause = min(pause, LOOK_IN)
                await self._pause(pause, outcome)
        finally:
            self.waiting.used += Usage(seconds=time.monotonic() - began)

    async def _pause(self, pause: float, outcome: ModelFailure) -> None:
        if time.monotonic() + pause > self.until:
            late = f" The next attempt would come too late, in {pause:,.0f} s."
            late = "" if outcome.loading and outcome.after is None else late
            text, public = outcome.words + outcome.quote, outcome.words
            raise outcome.error(text + late, public + late)
        # During retries the first sentence is enough; the last error also says how to fix it.
        self.trouble = outcome.words.partition(". ")[0].removesuffix(".") + "."
        self._tell("waiting", pause=pause)
        # A cancelled move ends at once, even during a pause.
        waits = asyncio.ensure_future(self.client.wait(pause))
        try:
            while not waits.done() and not self.client.cancel.is_set():
                await asyncio.wait([waits], timeout=GLANCE)
        finally:
            waits.cancel()
        # The number of attempts is not limited while a service is still loading.
        self.attempts += not outcome.loading

    def _shorter(self, longest: int | None) -> bool:
        """Ask for a shorter answer, if the service has room for a useful one."""
        if longest is None or not SHORTEST <= longest < self.longest:
            return False
        self.longest = longest
        return True

    async def _attempt(self) -> tuple[Attempt, AnswerDetails | ModelFailure]:
        request, held = await self._request()
        attempt = Attempt(request, self._over, self._show)
        outcome: AnswerDetails | ModelFailure = ModelFailure("The model was stopped.", begun=True)
        try:
            self._tell("asked")
            outcome = await attempt.run()
        finally:
            # Also after an error in the function that shows the text.
            tokens = _tokens(attempt, outcome)
            is_reported = isinstance(outcome, AnswerDetails) and outcome.tokens_in is not None
            usage = Usage(
                int(attempt.asked),
                *tokens,
                self.client.settings.prices.cost(*tokens) or 0.0,
                estimated=any(tokens) and not is_reported,
            )
            self.waiting.used += usage
            self.counted += usage
            if self.client.budget is not None:
                self.client.budget.charge(*tokens, held)
        return attempt, outcome

    async def _request(self) -> tuple[Request, tuple[int, int]]:
        """Return the request, and how many tokens are reserved for it and its answer."""
        client, chat, held, longest = self.client, self.chat, (0, 0), self.longest
        if "system" in client._unwanted:
            chat = fold_system(chat)
        if client.budget is not None:
            prompt = tokens_in_chat(chat)
            while not (longest := client.budget.hold(prompt, self.longest)):
                if over := self._over():
                    raise over.error(over.words)
                await asyncio.sleep(GLANCE)
            held = (prompt, longest)
        options = client._options(longest)
        public_only = client.policy.public_only(client.settings)
        request = Request(client.settings, client.key, chat, options, public_only, client.transport)
        return request, held

    def _over(self) -> ModelFailure | None:
        """Return why the answer is not waited for any longer; None if it is."""
        if self.client.cancel.is_set():
            return ModelFailure("The model was stopped.", begun=True, error=LLMCancelledError)
        if time.monotonic() >= self.until:
            words = (
                f"{self.client.settings.host} has not finished in the time that a move may take."
            )
            hint = "Raise “Time for a move”, or choose a faster model."
            return ModelFailure(f"{words} {hint}", begun=True)
        return None

    # -- progress ------------------------------------------------------------------------------

    def _show(self, attempt: Attempt) -> None:
        text, thoughts = attempt.text, attempt.reasoning
        if self.waiting.on_text is not None and text != self.shown:
            self.shown = text
            self.waiting.on_text(text)
        if text or thoughts:
            self._tell("writing" if text else "thinking", attempt, thoughts, text)

    def _tell(
        self,
        stage: Stage,
        attempt: Attempt | None = None,
        thoughts: str = "",
        text: str = "",
        pause: float = 0.0,
    ) -> None:
        so_far = (0, 0) if attempt is None else _estimated(attempt)
        used = self.waiting.used.tokens_in + so_far[0], self.waiting.used.tokens_out + so_far[1]
        progress = AnswerProgress(
            stage,
            self.attempts,
            self.client.retries.attempts,
            self.trouble,
            pause,
            estimate_tokens(thoughts),
            len(text.split()),
            sum(used),
            self.client.settings.prices.cost(*used),
        )
        if self.client.on_progress is not None and progress != self.reported:
            self.reported = progress
            self.client.on_progress(progress)

    def _reply(self, attempt: Attempt, details: AnswerDetails) -> ModelAnswer:
        request = attempt.request
        if thinks := thinks_by_itself(attempt.reasoned, attempt.reasoning):
            self.client._unwanted.add("scratchpad")
        model, refusal = (
            request.key.scrub(text) if request.key else text
            for text in (details.model, details.refusal)
        )
        return ModelAnswer(
            text=attempt.text,
            reasoning=attempt.reasoning,
            finish=_one_line(details.finish)[:MAX_MODEL],
            refusal=refusal,
            tools=details.tools,
            unclosed=attempt.unclosed,
            model=_one_line(model)[:MAX_MODEL],
            host=self.client.settings.host,
            usage=self.counted,
            options=_request_options(request),
            left_out=self.client.left_out,
            # Some services report 0 if they do not count.
            unread=0 < 2 * (details.tokens_in or 0) < tokens_in_chat(request.messages),
            thinks=thinks,
            seconds=attempt.seconds,
            first_seconds=attempt.first_seconds or attempt.seconds,
        )


def _request_options(request: Request) -> dict[str, object]:
    """Return a request's options for the record, without a key that was typed into one."""
    return {
        name: _scrubbed(value, request.key)
        for name, value in request.options.items()
        if name != "stream_options"
    }


def _scrubbed(value: Any, key: Secret | None) -> Any:
    if isinstance(value, str):
        return key.scrub(value) if key else value
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return {_scrubbed(name, key): _scrubbed(item, key) for name, item in items}
    if isinstance(value, list | tuple):
        return [_scrubbed(item, key) for item in cast("Sequence[Any]", value)]
    return value


def _one_line(text: str) -> str:
    return "".join(c for c in text if c.isprintable())


def _tokens(attempt: Attempt, outcome: AnswerDetails | ModelFailure) -> tuple[int, int]:
    """Return the tokens sent and received: the service's figures, or our estimate."""
    if isinstance(outcome, AnswerDetails) and outcome.tokens_in is not None:
        return outcome.tokens_in, outcome.tokens_out or 0
    sent, written = _estimated(attempt)
    idle = not attempt.asked or (isinstance(outcome, ModelFailure) and not outcome.begun)
    return (0, 0) if idle and not written else (sent, written)


def _estimated(attempt: Attempt) -> tuple[int, int]:
    written = estimate_tokens(attempt.received) + estimate_tokens(attempt.reasoned)
    return tokens_in_chat(attempt.request.messages), written
