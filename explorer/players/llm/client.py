"""Asking a model, and asking again when the network or the service has a bad moment."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, cast

from explorer.players.llm.attempt import GLANCE, Attempt, Waiting
from explorer.players.llm.budget import TokenBudget, Used, estimate_tokens, tokens_in_chat
from explorer.players.llm.failures import Failure
from explorer.players.llm.keys import Secret
from explorer.players.llm.log import Exchange, RequestLog
from explorer.players.llm.policy import ServerPolicy
from explorer.players.llm.progress import Progress, Stage
from explorer.players.llm.reasoning import thinks_by_itself
from explorer.players.llm.settings import LLMSettings
from explorer.players.llm.wire import AnswerDetails, Request
from nip_core.displays import displayed
from nip_core.text import PortableMessage, fold_system

__all__ = ["Client", "Reply", "Retries"]

MAX_MODEL = 100
# While a service loads its model it is asked at least this often; seconds.
LOOK_IN = 5.0
# An answer that is cut to less than this is none; tokens.
SHORTEST = 16


@displayed
@dataclass(frozen=True, slots=True)
class Retries:
    """How often and when a request is made again.

    Parameters
    ----------
    attempts : int
        Requests in all.
    first, longest : float
        Seconds before the second request, and at most. They double in between.
    random : callable
        From 0 to 1: seats that were turned away together should not come back together.
    """

    attempts: int = 5
    first: float = 0.5
    longest: float = 20.0
    random: Callable[[], float] = random.random

    def pause(self, attempt: int, after: float | None) -> float:
        """Seconds to wait after an attempt, the first being 1."""
        if after is not None:
            return after + self.first * self.random()
        return min(self.longest, self.first * 2 ** (attempt - 1)) * (0.5 + 0.5 * self.random())


@displayed
@dataclass(frozen=True, slots=True)
class Reply:
    """What a model has answered.

    Parameters
    ----------
    text : str
        Without the thoughts that it may have written down before.
    reasoning : str
        Those thoughts, and what the service has sent of them in fields of their own. For nobody
        else at the table.
    model : str
        As the service calls what has answered.
    finish : str
        Why it ended: ``stop``, ``length``, ``content_filter`` and others, or ``too_long`` if we
        have cut it off.
    refusal : str
        What was said instead of an answer.
    tools : bool
        Did it call a tool?
    unclosed : bool
        Does it begin a thought that it never ends?
    tokens_in, tokens_out : int
        Over all attempts; estimated where the service does not say.
    thinks : bool
        Has it thought by itself, and not only where it was offered a place for it?
    options : mapping
        What was sent besides the model and the conversation. Some models do not take all of it.
    left_out : tuple of str
        Settings that were chosen, and that the model does not take.
    requests : int
        How many were made for it.
    unread : bool
        Does the service count so few tokens of the last request that it seems to have left some
        of it out?
    seconds, first_seconds : float
        Of the last attempt: until the end, and until the first word.
    """

    text: str
    reasoning: str
    model: str
    finish: str
    refusal: str
    tools: bool
    unclosed: bool
    tokens_in: int
    tokens_out: int
    thinks: bool
    options: Mapping[str, Any]
    left_out: tuple[str, ...]
    requests: int
    unread: bool
    seconds: float
    first_seconds: float


@lru_cache(maxsize=1000)
def _unwanted_by(base_url: str | None, model: str) -> set[str]:
    """Parts of a request that a model does not take: found out once, and remembered."""
    return set()


def _wait(seconds: float, cancel: threading.Event) -> None:
    cancel.wait(seconds)


class _Either:
    """Waits like an event for the first of several."""

    def __init__(self, events: Sequence[threading.Event]) -> None:
        self._events = events

    def is_set(self) -> bool:
        return any(event.is_set() for event in self._events)

    def wait(self, timeout: float) -> bool:
        until = time.monotonic() + timeout
        while not self.is_set() and (left := until - time.monotonic()) > 0:
            self._events[0].wait(min(left, GLANCE))
        return self.is_set()


@displayed
@dataclass
class Client:
    """A service and a model, ready to be asked.

    Parameters
    ----------
    settings : LLMSettings
    key : Secret, optional
    policy : ServerPolicy
    budget : TokenBudget, optional
    cancel : threading.Event
        Set it to stop whatever is going on.
    log : RequestLog
    retries : Retries
    wait : callable
        Waits so many seconds, or until the event is set.
    on_progress : callable, optional
        Called with a :class:`Progress` whenever there is something to tell.
    abandoned : threading.Event
        The same as `cancel`, for one move of those who share that.
    """

    settings: LLMSettings
    key: Secret | None
    policy: ServerPolicy
    budget: TokenBudget | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    log: RequestLog = field(default_factory=RequestLog)
    retries: Retries = field(default_factory=Retries)
    wait: Callable[[float, threading.Event], None] = _wait
    on_progress: Callable[[Progress], None] | None = None
    abandoned: threading.Event = field(default_factory=threading.Event)

    @property
    def _unwanted(self) -> set[str]:
        return _unwanted_by(self.settings.base_url, self.settings.model)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Settings that were chosen, and that the model does not take."""
        return tuple(
            name
            for name in ("temperature", "top_p", "seed", "reasoning_effort")
            if name in self._unwanted and getattr(self.settings, name) is not None
        )

    def complete(
        self,
        messages: Sequence[PortableMessage],
        on_text: Callable[[str], None] | None = None,
        *,
        until: float | None = None,
        used: Used | None = None,
    ) -> Reply:
        """Ask, and wait for the whole answer.

        Parameters
        ----------
        messages : sequence of PortableMessage
            In the portable shape; where a model takes no system message, it is folded in.
        on_text : callable, optional
            Called with the answer so far, whenever it has grown. A dropped answer begins anew.
        until : float, optional
            When to give up, by ``time.monotonic``; by the settings' deadline if left out.
        used : Used, optional
            What the move has taken before. This is added, also if it comes to nothing.

        Raises
        ------
        LLMError
        """
        self.policy.check(self.settings)
        until = time.monotonic() + self.settings.deadline if until is None else until
        waiting = Waiting(until, (self.cancel, self.abandoned))
        return _Call(self, list(messages), waiting, on_text, used or Used()).run()

    @property
    def offers_scratchpad(self) -> bool:
        """Is the model offered a place to think in? Not if it was seen to think by itself."""
        return self.settings.scratchpad and "scratchpad" not in self._unwanted

    def _options(self, longest: int) -> dict[str, Any]:
        """What a request holds besides the model and the conversation."""
        settings = self.settings
        options: dict[str, Any] = {
            **settings.extra,
            "stream_options": {"include_usage": True},
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "seed": settings.seed,
            "reasoning_effort": settings.reasoning_effort,
        }
        # Newer models of OpenAI know the limit by its second name only, others by its first.
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
class _Call:
    """One question to a model, with all the requests that it takes."""

    client: Client
    chat: list[PortableMessage]
    waiting: Waiting
    on_text: Callable[[str], None] | None
    used: Used
    attempts: int = 1
    trouble: str = ""
    longest: int = 0
    shown: str = ""
    told: Progress | None = None
    counted: Used = field(default_factory=Used)

    def run(self) -> Reply:
        client, retries = self.client, self.client.retries
        self.longest = client.settings.max_tokens
        began, pauses = time.monotonic(), 0
        try:
            while True:
                attempt, outcome = self._attempt()
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
                self._pause(pause, outcome)
        finally:
            self.used.seconds += time.monotonic() - began

    def _pause(self, pause: float, outcome: Failure) -> None:
        if time.monotonic() + pause > self.waiting.until:
            late = f" The next attempt would come too late, in {pause:,.0f} s."
            late = "" if outcome.loading and outcome.after is None else late
            said, told = outcome.words + outcome.quote, outcome.words
            raise outcome.error(said + late, told + late)
        # What to do about it is of interest once it has come to nothing.
        self.trouble = outcome.words.partition(". ")[0].removesuffix(".") + "."
        self._tell("waiting", pause=pause)
        # A move that is cancelled ends at once, whatever was to be waited for.
        self.client.wait(pause, cast("threading.Event", _Either(self.waiting.stops)))
        # A service that gets ready may be asked as often as it takes.
        self.attempts += not outcome.loading

    def _shorter(self, longest: int | None) -> bool:
        """Ask for a shorter answer, if the service can give one that is worth it."""
        if longest is None or not SHORTEST <= longest < self.longest:
            return False
        self.longest = longest
        return True

    def _attempt(self) -> tuple[Attempt, AnswerDetails | Failure]:
        request, held = self._request()
        attempt = Attempt(request, self.waiting, self._show)
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        outcome: AnswerDetails | Failure = Failure("The model was stopped.", begun=True)
        try:
            self._tell("asked")
            outcome = attempt.run()
        finally:
            # Also when whoever shows the text has thrown us out.
            tokens = _tokens(attempt, outcome)
            said = isinstance(outcome, AnswerDetails) and outcome.tokens_in is not None
            for count in (self.used, self.counted):
                count.requests += attempt.asked
                count.tokens_in += tokens[0]
                count.tokens_out += tokens[1]
                count.estimated |= any(tokens) and not said
            if self.client.budget is not None:
                self.client.budget.charge(*tokens, held)
            self.client.log.add(_exchange(at, attempt, outcome, tokens))
        return attempt, outcome

    def _request(self) -> tuple[Request, tuple[int, int]]:
        """What is sent, and how many tokens are kept for it and for the answer."""
        client, chat, held, longest = self.client, self.chat, (0, 0), self.longest
        if "system" in client._unwanted:
            chat = fold_system(chat)
        if client.budget is not None:
            prompt = tokens_in_chat(chat)
            while not (longest := client.budget.hold(prompt, self.longest)):
                if over := self.waiting.over(client.settings.host):
                    raise over.error(over.words)
                client.cancel.wait(GLANCE)
            held = (prompt, longest)
        options = client._options(longest)
        public_only = client.policy.public_only(client.settings)
        return Request(client.settings, client.key, chat, options, public_only), held

    # -- telling -------------------------------------------------------------------------------

    def _show(self, attempt: Attempt) -> None:
        text, thoughts = attempt.text, attempt.reasoning
        if self.on_text is not None and text != self.shown:
            self.shown = text
            self.on_text(text)
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
        used = self.used.tokens_in + so_far[0], self.used.tokens_out + so_far[1]
        told = Progress(
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
        if self.client.on_progress is not None and told != self.told:
            self.told = told
            self.client.on_progress(told)

    def _reply(self, attempt: Attempt, told: AnswerDetails) -> Reply:
        request = attempt.request
        if thinks := thinks_by_itself(attempt.reasoned, attempt.reasoning):
            self.client._unwanted.add("scratchpad")
        model, refusal = (
            request.key.scrub(text) if request.key else text for text in (told.model, told.refusal)
        )
        return Reply(
            text=attempt.text,
            reasoning=attempt.reasoning,
            model=_one_line(model)[:MAX_MODEL],
            finish=_one_line(told.finish)[:MAX_MODEL],
            refusal=refusal,
            tools=told.tools,
            unclosed=attempt.unclosed,
            tokens_in=self.counted.tokens_in,
            tokens_out=self.counted.tokens_out,
            thinks=thinks,
            options=_told(request),
            left_out=self.client.left_out,
            requests=self.counted.requests,
            # Some services say 0 where they do not count.
            unread=0 < 2 * (told.tokens_in or 0) < tokens_in_chat(request.messages),
            seconds=attempt.seconds,
            first_seconds=attempt.first_seconds or attempt.seconds,
        )


def _told(request: Request) -> dict[str, Any]:
    """A request's options, for the record: without the key, should somebody have put it there."""
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


def _tokens(attempt: Attempt, outcome: AnswerDetails | Failure) -> tuple[int, int]:
    """Tokens sent and received, as the service says or as we estimate."""
    if isinstance(outcome, AnswerDetails) and outcome.tokens_in is not None:
        return outcome.tokens_in, outcome.tokens_out or 0
    sent, written = _estimated(attempt)
    idle = not attempt.asked or (isinstance(outcome, Failure) and not outcome.begun)
    return (0, 0) if idle and not written else (sent, written)


def _estimated(attempt: Attempt) -> tuple[int, int]:
    written = estimate_tokens(attempt.received) + estimate_tokens(attempt.reasoned)
    return tokens_in_chat(attempt.request.messages), written


def _exchange(
    at: str, attempt: Attempt, outcome: AnswerDetails | Failure, tokens: tuple[int, int]
) -> Exchange:
    request = attempt.request
    body = request.body
    del body["stream"]
    return Exchange(
        at=at,
        host=request.settings.host,
        request=body,
        text=attempt.text,
        outcome=outcome.finish if isinstance(outcome, AnswerDetails) else outcome.words,
        ok=isinstance(outcome, AnswerDetails),
        tokens_in=tokens[0],
        tokens_out=tokens[1],
        seconds=attempt.seconds,
    )
