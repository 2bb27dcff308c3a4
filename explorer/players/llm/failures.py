"""What an exception of the transport means: words, and whether to try again."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, cast

from explorer.players.errors import LLMError
from explorer.players.llm.keys import Secret
from explorer.players.llm.settings import LLMSettings

__all__ = ["Failure", "failure_of"]

MAX_QUOTE = 300
# Parts of a request that some models will not have, by what they complain about.
SYSTEM = re.compile(
    r"(?i)system (?:role|message|prompt)s? (?:is |are )?not (?:supported|allowed)|"
    r"does not support (?:a )?system|only user and (?:assistant|model) roles"
)
ADAPTABLE = (
    *("max_completion_tokens", "max_tokens", "temperature", "top_p", "seed"),
    *("reasoning_effort", "stream_options"),
)


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that came to nothing.

    Parameters
    ----------
    words : str
        What is wrong and what can be done.
    quote : str
        What the service says about it; it may hold what it was asked, or what the model wrote.
    retry : bool
        May it go better the next time?
    after : float, optional
        Seconds that the service wants to be left alone.
    unwanted : str, optional
        The part of the request that the service does not take.
    error : type
        What to raise.
    """

    words: str
    quote: str = ""
    retry: bool = False
    after: float | None = None
    unwanted: str | None = None
    error: type[LLMError] = LLMError


def failure_of(error: Exception, settings: LLMSettings, key: Secret | None) -> Failure:
    """Put an exception into words. Nothing of the exception itself is kept."""
    host = settings.host
    if isinstance(error, LLMError):
        told = error.told
        return Failure(told, str(error).removeprefix(told), error=type(error))
    if isinstance(error, ImportError):
        return Failure("Models need the openai package: pip install 'nip-explorer[llm]'.")
    import httpx2
    import openai

    from explorer.players.llm.transport import TooMuchError

    if isinstance(error, openai.APIStatusError):
        return _of_status(error, settings, key)
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        words = f"{host} was silent for {settings.timeout:g} seconds. Is the model loading?"
        return Failure(f"{words} Try again, or allow more time.", retry=True)
    cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
    if isinstance(cause, httpx2.ConnectError):
        words = f"Nobody answers at {host}. Is the server running, and the address right?"
        return Failure(words, retry=True)
    if isinstance(cause, httpx2.TransportError):
        words = f"{host} broke off in the middle of its answer. Try again."
        return Failure(words, retry=True)
    if isinstance(error, TooMuchError):
        return Failure(f"{host} sent far more than an answer, and was stopped.")
    if isinstance(error, openai.APIError):
        # An error in the middle of a stream.
        words = f"{host} reported an error in the middle of its answer."
        return Failure(words, _quoted(error.body, key), retry=True)
    words = f"What {host} sent is not the answer of a chat service. Does the address end in /v1?"
    return Failure(words, retry=True)


def _of_status(error: Any, settings: LLMSettings, key: Secret | None) -> Failure:
    status, host, model = error.status_code, settings.host, settings.model
    quoted = _quoted(error.body, key)
    if status < 400:
        words = f"{host} sends requests on to another address, and we do not follow."
        return Failure(f"{words} Give the address that it should be.")
    if status == 401:
        if key is None:
            return Failure(f"{host} wants a key, and there is none. Give one.")
        words = f"{host} does not accept the key. Is it complete, and meant for this address?"
        return Failure(words)
    if status == 403:
        return Failure(f"{host} does not let this key use {model!r}.", quoted)
    if status == 404:
        words = f"{host} knows no model {model!r}, or the address is wrong (it ends in /v1)."
        return Failure(words, quoted)
    if status == 402 or error.code == "insufficient_quota":
        return Failure(f"The account at {host} has no credit left. Add some there.")
    if status == 429:
        words = (
            f"{host} has too many requests at the moment. Wait a while, or choose another model."
        )
        return Failure(words, retry=True, after=_retry_after(error.response.headers))
    if status in (408, 409) or status >= 500:
        words = f"{host} has trouble of its own (HTTP {status}). Try again later."
        after = _retry_after(error.response.headers)
        return Failure(words, quoted, retry=True, after=after)
    words = f"{host} does not take the request (HTTP {status})."
    return Failure(words, quoted, unwanted=_unwanted(error))


def _unwanted(error: Any) -> str | None:
    # It may go on to say what to use instead, so the first part that it names counts.
    complaint = f"{error.param} {_message(error.body)}"
    if SYSTEM.search(complaint):
        return "system"
    named = re.search(rf"\b({'|'.join(ADAPTABLE)})\b", complaint)
    return named[0] if named else None


def _message(body: Any) -> str:
    if isinstance(body, dict):
        said = cast("dict[str, Any]", body)
        message = said.get("message", said.get("error"))
        return message if isinstance(message, str) else ""
    return ""


def _quoted(body: Any, key: Secret | None) -> str:
    """What the service itself says, if it says it in words, as plain text and without the key."""
    said = " ".join(_message(body).split())
    said = said if key is None else key.scrub(said)
    said = "".join(c for c in said if c.isprintable())[:MAX_QUOTE]
    return f" It says: “{said}”" if said else ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds, from a number of seconds or a date."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return min(max(seconds, 0.0), 1e6) if seconds == seconds else None
