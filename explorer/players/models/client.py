"""Asking a model: one streamed request, made again when it fails on the way."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.players.errors import LLMBudgetError, LLMCancelledError, LLMError
from explorer.players.models.settings import LLMSettings, Secret

__all__ = ["Client", "Completion", "Exchange", "TokenBudget"]

# Far more than any limit on words lets a message have; whoever sends more is cut off.
MAX_CHARACTERS = 100_000
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0  # seconds
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model has answered.

    Parameters
    ----------
    text : str
        Empty if it refused, called tools, or said nothing.
    refusal : str
        What it said when it refused.
    tokens_in, tokens_out : int
        As the server counted them, or else guessed from the number of characters.
    """

    text: str
    refusal: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cut_off: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and what came of it, to be looked at. It holds no key.

    Parameters
    ----------
    messages : tuple of dict
    answer : str
        The text, as far as it came.
    outcome : str
        ``"ok"``, or what went wrong.
    seconds : float
    """

    messages: tuple[dict[str, str], ...]
    answer: str
    outcome: str
    seconds: float


@dataclass
class TokenBudget:
    """How many tokens an episode may use; its seats share it."""

    most: int
    used: int = 0

    def check(self) -> None:
        """Refuse another request once they are used up.

        Raises
        ------
        LLMBudgetError
        """
        if self.used >= self.most:
            raise LLMBudgetError(
                f"The {self.most:,} tokens for this episode are used up. Raise the cap, or make "
                "the move yourself."
            )


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why a request failed; None for `wait` if trying again is no use."""

    reason: str
    again: bool
    wait: float | None = None
    partial: str = ""


@dataclass
class Client:
    """A model behind an address.

    Parameters
    ----------
    settings : LLMSettings
    key : Secret, optional
    budget : TokenBudget, optional
    cancel : threading.Event
        Set it to stop whatever is going on.
    log : list of Exchange
        All requests, the latest last.
    clock, jitter : callable
        The time in seconds, and a random number from 0 to 1; tests give their own.
    """

    settings: LLMSettings
    key: Secret | None = None
    budget: TokenBudget | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    log: list[Exchange] = field(default_factory=list[Exchange])
    clock: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = random.random
    wait: Callable[[float], None] | None = None

    def complete(
        self,
        messages: Sequence[dict[str, str]],
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """Ask the model, and again if the request fails on the way.

        Parameters
        ----------
        messages : sequence of dict
        on_text : callable, optional
            Is given the text so far, whenever more has come.

        Raises
        ------
        LLMError
            One of its kinds, saying what to do.
        """
        until = self.clock() + self.settings.deadline
        for attempt in range(1, self.settings.tries + 1):
            if self.budget is not None:
                self.budget.check()
            start = self.clock()
            result = self._attempt(messages, on_text, until)
            self._note(messages, result, self.clock() - start)
            if isinstance(result, Completion):
                return result
            self._check_cancelled()
            wait = self._pause(attempt) if result.wait is None else result.wait
            last = attempt == self.settings.tries or self.clock() + wait > until
            if not result.again or last:
                raise LLMError(result.reason)
            self._sleep(wait)
        raise AssertionError("unreachable")

    def _attempt(
        self,
        messages: Sequence[dict[str, str]],
        on_text: Callable[[str], None] | None,
        until: float,
    ) -> Completion | _Fault:
        """One request. Faults are values: an exception would keep the client's, and its key."""
        import openai

        gathered = _Gathered()
        try:
            with self._open(openai) as client:
                stream = client.chat.completions.create(**self._request(messages))
                with stream:
                    for chunk in stream:
                        if self.cancel.is_set():
                            return _Fault("It was stopped.", again=False, partial=gathered.text)
                        if self.clock() > until:
                            late = "The model took too long. Try again, or a smaller one."
                            return _Fault(late, again=False, partial=gathered.text)
                        if gathered.take(chunk) and on_text is not None:
                            on_text(gathered.text)
                        if len(gathered.text) > MAX_CHARACTERS:
                            return gathered.completion(messages, cut_off=True)
        except openai.APITimeoutError:
            reason = "The model did not answer in time. Is the address right, and is it running?"
            return _Fault(reason, again=True, partial=gathered.text)
        except openai.APIStatusError as error:
            return _status_fault(error.status_code, error.response.headers, self.settings)
        except openai.APIConnectionError:
            if gathered.text:
                return _Fault("The answer broke off.", again=True, partial=gathered.text)
            reason = "Nobody answers at the address. Check it, and that the model's server runs."
            return _Fault(reason, again=True)
        except Exception as error:
            # Whatever else a stranger's server can cause: broken JSON, a wrong shape, bad encoding.
            reason = f"The server's answer cannot be read ({type(error).__name__})."
            return _Fault(reason, again=True, partial=gathered.text)
        if not gathered.finished:
            return _Fault("The answer broke off.", again=True, partial=gathered.text)
        return gathered.completion(messages)

    def _open(self, openai: Any) -> Any:
        settings = self.settings
        return openai.OpenAI(
            # A server of one's own may want none, but the SDK insists on one.
            api_key="none" if self.key is None else self.key.reveal(),
            base_url=settings.base_url or "https://api.openai.com/v1",
            timeout=settings.timeout,
            max_retries=0,
            # A redirect could lead to an address that was not checked.
            http_client=openai.DefaultHttpxClient(follow_redirects=False),
        )

    def _request(self, messages: Sequence[dict[str, str]]) -> dict[str, Any]:
        settings = self.settings
        # OpenAI has renamed the limit; other servers know the old name.
        limit = "max_completion_tokens" if settings.base_url is None else "max_tokens"
        request: dict[str, Any] = {
            "model": settings.model,
            "messages": list(messages),
            "stream": True,
            "stream_options": {"include_usage": True},
            limit: settings.max_tokens,
        }
        if settings.temperature is not None:
            request["temperature"] = settings.temperature
        return request

    def _note(
        self, messages: Sequence[dict[str, str]], result: Completion | _Fault, seconds: float
    ) -> None:
        kept = tuple(dict(message) for message in messages)
        if isinstance(result, Completion):
            self.log.append(Exchange(kept, result.text or result.refusal, "ok", seconds))
            used = result.tokens_in + result.tokens_out
        else:
            self.log.append(Exchange(kept, result.partial, result.reason, seconds))
            used = _guess(result.partial)
        if self.budget is not None:
            self.budget.used += used

    def _pause(self, attempt: int) -> float:
        """How long to wait: longer each time, and not in step with others who wait too."""
        longest = min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT)
        return longest * (0.5 + 0.5 * self.jitter())

    def _sleep(self, seconds: float) -> None:
        if self.wait is not None:
            self.wait(seconds)
        else:
            self.cancel.wait(seconds)
        self._check_cancelled()

    def _check_cancelled(self) -> None:
        if self.cancel.is_set():
            raise LLMCancelledError("The model was stopped.")


class _Gathered:
    """A streamed answer as it comes."""

    def __init__(self) -> None:
        self.text = ""
        self.refusal = ""
        self.finished = False
        self.usage: Any = None

    def take(self, chunk: Any) -> bool:
        """Take the next part; did any text come with it?"""
        self.usage = getattr(chunk, "usage", None) or self.usage
        had = len(self.text)
        for choice in _list(getattr(chunk, "choices", None))[:1]:
            delta = getattr(choice, "delta", None)
            self.text += _text(getattr(delta, "content", None))
            self.refusal += _text(getattr(delta, "refusal", None))
            self.finished = self.finished or getattr(choice, "finish_reason", None) is not None
        return len(self.text) > had

    def completion(
        self, messages: Sequence[dict[str, str]], *, cut_off: bool = False
    ) -> Completion:
        asked = sum(_guess(message["content"]) for message in messages)
        return Completion(
            text=self.text[:MAX_CHARACTERS],
            refusal=self.refusal[:MAX_CHARACTERS],
            tokens_in=_count(self.usage, "prompt_tokens", asked),
            tokens_out=_count(self.usage, "completion_tokens", _guess(self.text)),
            cut_off=cut_off,
        )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _guess(text: str) -> int:
    """About how many tokens a text has."""
    return len(text) // 4 + 1 if text else 0


def _count(usage: Any, name: str, otherwise: int) -> int:
    value = getattr(usage, name, None)
    return value if type(value) is int and 0 <= value < 10**9 else otherwise


def _status_fault(status: int, headers: Any, settings: LLMSettings) -> _Fault:
    again = status in RETRIED
    reasons = {
        400: f"The server does not take the request: is {settings.model!r} a chat model?",
        401: "The key is missing or wrong. Check it.",
        403: "The key may not be used for this. Check it, and the model's name.",
        404: f"There is no model {settings.model!r} at the address, or the address is wrong.",
        429: "The model is asked too often, or the account's quota is used up. Wait, or check it.",
    }
    default = f"The model's server failed (status {status}). Try again later."
    if 300 <= status < 400:
        default = "The address leads elsewhere, which is not followed. Give the final address."
    wait = _retry_after(headers) if again else None
    return _Fault(reasons.get(status, default), again=again, wait=wait)


def _retry_after(headers: Any) -> float | None:
    """The seconds that the server asks to wait; None if it does not say, or says nonsense."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except (TypeError, ValueError):
        return None
    return seconds if 0 <= seconds < 86_400 else None


def chat(messages: Sequence[Any]) -> Iterator[dict[str, str]]:
    """The messages of a view, as plain dictionaries."""
    return (dict(message) for message in messages)
