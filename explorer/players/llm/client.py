"""Asking a model, and asking again when the network or the service has a bad moment."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from explorer.players.llm.attempt import Attempt, Waiting
from explorer.players.llm.budget import TokenBudget, estimate_tokens, tokens_in_chat
from explorer.players.llm.failures import Failure
from explorer.players.llm.keys import Secret
from explorer.players.llm.log import Exchange, RequestLog
from explorer.players.llm.policy import ServerPolicy
from explorer.players.llm.settings import LLMSettings
from explorer.players.llm.wire import AnswerDetails, Request
from nip_core.text import PortableMessage, fold_system

__all__ = ["Client", "Reply", "Retries"]

MAX_MODEL = 100


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
    tokens_in, tokens_out : int
        Over all attempts; estimated where the service does not say.
    temperature : float, optional
        As sent: some models take none.
    left_out : tuple of str
        Settings that were chosen, and that the model does not take.
    seconds, first_seconds : float
        Of the last attempt: until the end, and until the first word.
    """

    text: str
    reasoning: str
    model: str
    finish: str
    refusal: str
    tools: bool
    tokens_in: int
    tokens_out: int
    temperature: float | None
    left_out: tuple[str, ...]
    seconds: float
    first_seconds: float


@lru_cache(maxsize=1000)
def _unwanted_by(base_url: str | None, model: str) -> set[str]:
    """Parts of a request that a model does not take: found out once, and remembered."""
    return set()


def _wait(seconds: float, cancel: threading.Event) -> None:
    cancel.wait(seconds)


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
    """

    settings: LLMSettings
    key: Secret | None
    policy: ServerPolicy
    budget: TokenBudget | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    log: RequestLog = field(default_factory=RequestLog)
    retries: Retries = field(default_factory=Retries)
    wait: Callable[[float, threading.Event], None] = _wait

    @property
    def _unwanted(self) -> set[str]:
        return _unwanted_by(self.settings.base_url, self.settings.model)

    def complete(
        self,
        messages: Sequence[PortableMessage],
        on_text: Callable[[str], None] | None = None,
        *,
        until: float | None = None,
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

        Raises
        ------
        LLMError
        """
        self.policy.check(self.settings)
        until = time.monotonic() + self.settings.deadline if until is None else until
        waiting = Waiting(until, self.cancel, on_text)
        chat = list(messages)
        used = [0, 0]
        attempts = 1
        while True:
            attempt = Attempt(self._request(chat), waiting)
            outcome = self._run(attempt, used)
            if isinstance(outcome, AnswerDetails):
                return self._reply(attempt, outcome, used)
            if outcome.unwanted and self._adapt(outcome.unwanted):
                continue
            if not outcome.retry or attempts >= self.retries.attempts:
                raise outcome.error(outcome.words + outcome.quote, outcome.words)
            pause = self.retries.pause(attempts, outcome.after)
            if time.monotonic() + pause > until:
                late = f" The next attempt would come too late, in {pause:.0f} s."
                said, told = outcome.words + outcome.quote, outcome.words
                raise outcome.error(said + late, told + late)
            self.wait(pause, self.cancel)
            attempts += 1

    def _request(self, chat: list[PortableMessage]) -> Request:
        if "system" in self._unwanted:
            chat = fold_system(chat)
        longest = self.settings.max_tokens
        if self.budget is not None:
            longest = self.budget.room(tokens_in_chat(chat), longest)
        return Request(
            self.settings,
            self.key,
            chat,
            self._options(longest),
            # OpenAI's own address is known to be public, and may need the operator's proxy.
            public_only=self.settings.base_url is not None and not self.policy.private_addresses,
        )

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

    def _run(self, attempt: Attempt, used: list[int]) -> AnswerDetails | Failure:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        outcome: AnswerDetails | Failure = Failure("The model was stopped.")
        try:
            outcome = attempt.run()
        finally:
            # Also when whoever shows the text has thrown us out.
            tokens = _tokens(attempt, outcome)
            used[0], used[1] = used[0] + tokens[0], used[1] + tokens[1]
            if self.budget is not None:
                self.budget.charge(sum(tokens))
            self.log.add(_exchange(at, attempt, outcome, tokens))
        return outcome

    def _reply(self, attempt: Attempt, told: AnswerDetails, used: list[int]) -> Reply:
        request = attempt.request
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
            tokens_in=used[0],
            tokens_out=used[1],
            temperature=request.options.get("temperature"),
            left_out=tuple(
                name
                for name in ("temperature", "top_p", "seed", "reasoning_effort")
                if name in self._unwanted and getattr(self.settings, name) is not None
            ),
            seconds=attempt.seconds,
            first_seconds=attempt.first_seconds or attempt.seconds,
        )


def _one_line(text: str) -> str:
    return "".join(c for c in text if c.isprintable())


def _tokens(attempt: Attempt, outcome: AnswerDetails | Failure) -> tuple[int, int]:
    """Tokens sent and received, as the service says or as we estimate."""
    if isinstance(outcome, AnswerDetails) and outcome.tokens_in is not None:
        return outcome.tokens_in, outcome.tokens_out or 0
    written = attempt.received + attempt.reasoned
    if isinstance(outcome, Failure) and not written:
        return 0, 0
    return tokens_in_chat(attempt.request.messages), estimate_tokens(written)


def _exchange(
    at: str, attempt: Attempt, outcome: AnswerDetails | Failure, tokens: tuple[int, int]
) -> Exchange:
    request = attempt.request
    ok = isinstance(outcome, AnswerDetails)
    body = {
        "model": request.settings.model,
        "messages": list(request.messages),
        **request.options,
    }
    return Exchange(
        at=at,
        host=request.settings.host,
        request=body,
        text=attempt.text,
        outcome=outcome.finish if isinstance(outcome, AnswerDetails) else outcome.words,
        ok=ok,
        tokens_in=tokens[0],
        tokens_out=tokens[1],
        seconds=attempt.seconds,
    )
