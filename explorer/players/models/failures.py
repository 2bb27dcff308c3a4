"""Read services' errors, put them and the network's into words, and decide whether to try again.

The words are for everybody at the table and say what to do. A service's own message may contain the
prompt or the answer, so it is kept apart and shown to the model's own seat only.
"""

from __future__ import annotations

import difflib
import re
import ssl
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, cast
from urllib.parse import urljoin, urlsplit

from explorer.players.errors import LLMError
from explorer.players.models.limits import Secret
from explorer.players.models.settings import LLMSettings
from explorer.players.models.transport import AnswerTooLargeError, read_json, shows_a_page
from explorer.project import install_extra
from nip_core.errors import NipError

MAX_QUOTE = 300
MAX_NAMES = 8
MAX_NAME = 80

# Patterns of services' error messages.
SYSTEM = re.compile(
    r"(?i)system (?:role|message|prompt)s? (?:is |are )?not (?:supported|allowed)|"
    r"does not support (?:a )?system|only user and (?:assistant|model) roles|"
    r"(?:developer|system) instructions? (?:is|are) not (?:enabled|supported)"
)
TOO_LONG = re.compile(
    r"(?i)context[ _-]?(?:length|size|window|limit)|maximum context|exceeds? the (?:available|max)|"
    r"(?:prompt|input|context|conversation|request) (?:is )?too (?:long|large)|"
    r"too many (?:input )?tokens|"
    r"exceeds the maximum number of tokens|number of tokens to keep|reduce the length of the|"
    r"`inputs` tokens \+"
)
NO_MODEL = re.compile(
    r"(?i)model[ _]not[ _]found|(?:invalid|unknown|no such|wrong) model|not a valid model|"
    r"model\b.{0,120}\b(?:not (?:found|exist|available)|does not exist|was not found|unknown)"
)
NO_CREDIT = re.compile(
    r"(?i)insufficient[ _](?:quota|balance|credit|funds)|credit balance|out of credits?"
)
# Also used for temporary limits; the message then names a pause.
QUOTA = re.compile(r"(?i)exceeded your current quota|billing|payment")
NO_KEY = re.compile(r"(?i)(?:api[ _]?key|token|credentials?).{0,30}(?:not valid|invalid|incorrect)")
LOADING = re.compile(
    r"(?i)\bloading\b|being loaded|warming|starting up|not (?:yet )?ready|initiali[sz]ing"
)
PLAIN_HTTP = re.compile(r"(?i)plain http request|http request to an? https")
# Messages with the longest possible answer, given directly or as what the prompt leaves over.
LONGEST = re.compile(
    r"(?i)at most (\d{1,9}) (?:completion|output)|"
    r"max_(?:completion_)?tokens.{0,80}less than or equal to `?(\d{1,9})\b"
)
CONTEXT = re.compile(r"(?i)context length (?:is|of) (?:only )?(\d{1,9})|must be <= (\d{1,9})")
PROMPT = re.compile(
    r"(?i)(\d{1,9}) (?:in the messages|input tokens|`inputs` tokens|tokens? from the input)"
)


# Parts of a request that some models refuse, as their error messages name them.
ADAPTABLE = (
    *("max_completion_tokens", "max_tokens", "temperature", "top_p", "seed"),
    *("reasoning_effort", "stream_options"),
)


class NoChatError(Exception):
    """The reply is not that of a chat service."""


@dataclass(frozen=True, slots=True)
class ModelFailure:
    """A failed request."""

    words: str  # what is wrong and what can be done
    quote: str = ""  # the service's message, which may contain parts of the prompt or of the answer
    retry: bool = False  # whether another attempt may succeed
    loading: bool = False  # whether the service is still loading its model, which may take any time
    after: float | None = None  # seconds to wait before the next request, as the service asks
    unwanted: str | None = None  # the part of the request that the service does not accept
    # The most tokens of an answer, if the service allows fewer than requested.
    longest: int | None = None
    begun: bool = False  # whether the model may have begun, so that tokens were used
    error: type[LLMError] = LLMError  # what to raise


def failure_of(error: Exception, settings: LLMSettings) -> ModelFailure:
    """Return the failure for an exception, without keeping the exception, which may hold keys."""
    host = settings.host
    if isinstance(error, LLMError):
        for_others = error.for_others
        return ModelFailure(for_others, str(error).removeprefix(for_others), error=type(error))
    if isinstance(error, ImportError):
        return ModelFailure(f"Models need the httpx2 package: {install_extra('llm')}.")
    if isinstance(error, AnswerTooLargeError):
        return ModelFailure(f"{host} sent far more than an answer, and was stopped.", begun=True)
    if isinstance(error, TypeError):
        words = f"{host} sent an answer whose “content” is not text. Does it speak chat completions"
        return ModelFailure(f"{words}, and is this a chat model?", retry=True, begun=True)
    if isinstance(error, TimeoutError):
        return _of_silence(settings)
    if isinstance(error, ConnectionError):
        return _of_break(host)
    # The HTTP library does not exist in a browser; its errors occur only where it was loaded.
    if "httpx2" in sys.modules and (failure := _of_network(error, settings)) is not None:
        return failure
    words = f"What {host} sent is not the answer of a chat service. Does the address end in /v1?"
    return ModelFailure(words, retry=True, begun=True)


def _of_network(error: Exception, settings: LLMSettings) -> ModelFailure | None:
    import httpx2

    host = settings.host
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return _of_no_connection(error, host)
    if isinstance(error, httpx2.ProxyError):
        words = f"The proxy between this machine and {host} blocks the connection."
        return ModelFailure(f"{words} Does it want a login, or does the address need no proxy?")
    if isinstance(error, httpx2.TimeoutException):
        return _of_silence(settings)
    if isinstance(error, httpx2.TransportError):
        return _of_break(host)
    return None


def _of_silence(settings: LLMSettings) -> ModelFailure:
    words = f"{settings.host} was silent for {settings.timeout:g} seconds. Is the model loading?"
    return ModelFailure(f"{words} Try again, or raise “Longest silence”.", retry=True, begun=True)


def _of_break(host: str) -> ModelFailure:
    words = f"{host} broke off in the middle of its answer. Try again."
    return ModelFailure(words, retry=True, begun=True)


def of_page(settings: LLMSettings) -> ModelFailure:
    """Return the message for a web page that came instead of an answer."""
    return ModelFailure(
        f"{settings.host} sent a web page instead of an answer. Does something in between, such as "
        "a proxy, want a login? Or is the address wrong (it ends in /v1)?"
    )


def of_redirect(settings: LLMSettings, address: str, target: str) -> ModelFailure:
    """Return the message for a redirect from the address that was asked to another one."""
    words = (
        f"{settings.host} redirects requests to another address. We do not follow, because a key "
        "is for one address only."
    )
    if not target:
        return ModelFailure(f"{words} Give the address that it should be.")
    try:
        parts = urlsplit(urljoin(address, target))
        path = parts.path.rstrip("/").removesuffix("/chat/completions")
        shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{path}"
    except ValueError:
        shown = ""
    if not shown.startswith(("http://", "https://")) or not _plain(shown):
        return ModelFailure(f"{words} Give the address that it should be.")
    return ModelFailure(f"{words} If you trust it, give this one: {shown[:200]}")


def lacks_model(status: int | None, complaint: Complaint) -> bool:
    """Return whether a service says that the model (or the address) does not exist."""
    text = f"{complaint.codes} {complaint.said}"
    return status == 404 or (status == 400 and NO_MODEL.search(text) is not None)


def of_complaint(
    status: int | None,
    headers: Mapping[str, str],
    complaint: Complaint,
    settings: LLMSettings,
    key: Secret | None,
    *,
    names: Iterable[str] = (),
) -> ModelFailure:
    """Put an error that a service reports into words.

    An error in the middle of an answer has no status. `names` are the models that the service
    lists.
    """
    host, model = settings.host, settings.model
    quote = _quoted(complaint.said, key)
    everything = f"{complaint.codes} {complaint.said}"
    after = pause_asked(headers, complaint)
    poor = NO_CREDIT.search(everything) or (after is None and QUOTA.search(everything))
    if status == 402 or (status in (None, 400, 403, 429) and poor):
        return ModelFailure(f"The account at {host} has no credit left. Add some there.")
    if status == 401 or (status == 400 and NO_KEY.search(everything)):
        if key is None:
            return ModelFailure(f"{host} wants a key, and there is none. Give one under “Key”.")
        words = f"{host} does not accept the key. Is it complete, and meant for this address?"
        return ModelFailure(words)
    if status == 407:
        return ModelFailure(f"The proxy between this machine and {host} wants a login.")
    if status == 429:
        return _of_crowd(host, quote, after)
    if complaint.page and status is not None and status < 500:
        return of_page(settings)
    if PLAIN_HTTP.search(complaint.said):
        return ModelFailure(f"{host} speaks https. Let the address begin with https://.")
    longest = _first_number(LONGEST, everything)
    if longest is None and status in (None, 400, 413, 422, 500) and TOO_LONG.search(everything):
        words = (
            f"The conversation has become too long for {model!r} at {host}. Choose a model with "
            "a longer context, or let the server give it one; or make the move yourself."
        )
        return ModelFailure(words, quote, longest=_left_for_an_answer(complaint.said))
    if status == 403:
        return ModelFailure(f"{host} does not let this key use {model!r}.", quote)
    if lacks_model(status, complaint):
        return _of_no_model(settings, quote, names, sure=bool(NO_MODEL.search(everything)))
    if status == 503 or (status is not None and status >= 500 and LOADING.search(complaint.said)):
        return _of_loading(host, quote, complaint, after)
    if status in (408, 409, 425) or (status is not None and status >= 500):
        words = f"{host} reports an internal error (HTTP {status}). Try again later."
        return ModelFailure(words, quote, retry=True, after=after)
    if status is None:
        words = f"{host} reported an error in the middle of its answer."
        return ModelFailure(words, quote, retry=True, begun=True)
    words = f"{host} does not take the request (HTTP {status})."
    return ModelFailure(words, quote, unwanted=_unwanted(everything), longest=longest)


def _of_no_connection(error: Exception, host: str) -> ModelFailure:
    fault = _cause(error, ssl.SSLError)
    if isinstance(fault, ssl.SSLCertVerificationError):
        reason = fault.verify_message.lower()
        if "expired" in reason:
            words = f"The certificate of {host} has expired. Its operator has to renew it."
        elif "mismatch" in reason or "not valid for" in reason:
            words = f"The certificate of {host} is for another name. Is the address right?"
        else:
            words = (
                f"The certificate of {host} is signed by an authority that this machine does not "
                "trust. If it is "
                "your own, set SSL_CERT_FILE to it where the explorer runs, or use http:// on your "
                "own network."
            )
        return ModelFailure(f"{words} Nothing was sent.")
    if fault is not None:
        words = f"{host} does not speak https as we do. Does the address begin with http://?"
        return ModelFailure(words)
    words = f"Nobody answers at {host}. Is the server running, and the address right?"
    return ModelFailure(words, retry=True)


def _cause(error: BaseException | None, kind: type[Exception]) -> BaseException | None:
    for _ in range(10):
        if error is None or isinstance(error, kind):
            return error
        error = error.__cause__ or error.__context__
    return None


def _of_crowd(host: str, quote: str, after: float | None) -> ModelFailure:
    words = f"{host} has too many requests at the moment."
    if after is not None:
        words = f"{host} asks us to wait {after:,.0f} s, because it has too many requests."
    words = f"{words} Wait a while, or choose another model."
    return ModelFailure(words, quote, retry=True, after=after)


def _of_loading(host: str, quote: str, complaint: Complaint, after: float | None) -> ModelFailure:
    doing = "is loading its model" if LOADING.search(complaint.said) else "is not ready (HTTP 503)"
    words = f"{host} {doing}. Try again in a while, or raise “Time for a move”."
    return ModelFailure(words, quote, retry=True, loading=True, after=after)


def _of_no_model(
    settings: LLMSettings, quote: str, names: Iterable[str], *, sure: bool
) -> ModelFailure:
    host, model = settings.host, settings.model
    known = [name for name in names if _plain(name) and len(name) <= MAX_NAME]
    if not known:
        doubt = "" if sure else ", or the address is wrong (it ends in /v1)"
        return ModelFailure(f"{host} knows no model {model!r}{doubt}.", quote)
    close = difflib.get_close_matches(model, known, MAX_NAMES, 0.3)
    shown = list(dict.fromkeys(close + known))[:MAX_NAMES]
    more = f", and {len(known) - len(shown)} more" if len(known) > len(shown) else ""
    return ModelFailure(
        f"{host} knows no model {model!r}. It has: {', '.join(shown)}{more}.", quote
    )


def _left_for_an_answer(complaint: str) -> int | None:
    """Return how many tokens of the context the prompt leaves, if a service reports both."""
    context, prompt = _first_number(CONTEXT, complaint), _first_number(PROMPT, complaint)
    return None if context is None or prompt is None else context - prompt


def _first_number(pattern: re.Pattern[str], complaint: str) -> int | None:
    match = pattern.search(complaint)
    return int(next(filter(None, match.groups()))) if match else None


def _unwanted(complaint: str) -> str | None:
    # The message may also name a replacement, which comes later.
    if SYSTEM.search(complaint):
        return "system"
    named = re.search(rf"\b({'|'.join(ADAPTABLE)})\b", complaint)
    return named[0] if named else None


def _plain(text: str) -> bool:
    return text.isprintable() and not set(text) & set(' "<>\\')


def _quoted(complaint: str, key: Secret | None) -> str:
    """Return the service's own message, without the key."""
    complaint = (complaint if key is None else key.scrub(complaint))[:MAX_QUOTE]
    return f" It says: “{complaint}”" if complaint else ""


# -- reading an error -----------------------------------------------------------------------------

MAX_WORDS = 10_000  # characters
# The fields of error messages, the most common first.
WORDS = ("message", "msg", "detail", "error", "errors", "title")
CODES = ("code", "type", "status", "param")
# "Please try again in 1m7.66s": some services give the pause in the message, not in a header.
AGAIN = re.compile(
    r"(?i)(?:try again|retry|wait)(?: again| for| after| in)?\s+"
    r"(?:(\d{1,6})h)?\s?(?:(\d{1,6})m(?!s))?\s?(?:(\d{1,6}(?:\.\d{1,9})?)\s?(ms|s\b|sec))?"
)
DELAY = re.compile(r"^(\d{1,9}(?:\.\d{1,9})?)s$")
MAX_PAUSE = 1e6


@dataclass(frozen=True, slots=True)
class Complaint:
    """An error that a service has sent instead of an answer."""

    said: str = ""  # the message, as plain text on one line
    codes: str = ""  # the error's codes, for programs
    page: bool = False  # whether it was a web page
    pause: float | None = None  # seconds to wait before the next request, if the body says so


def complaint_of(body: Any, kind: str = "") -> Complaint:
    """Read an error message, as bytes of a content type or already parsed."""
    if isinstance(body, bytes):
        if shows_a_page(body, kind):
            return Complaint(page=True)
        try:
            body = read_json(body)
        except NipError:
            body = body[:MAX_WORDS].decode("utf-8", "replace")
    text = "; ".join(dict.fromkeys(_words(body)))
    codes = _fields(body, CODES, ("error", "detail", "errors"))
    # Google's services put the pause among the details.
    delays = (str(value) for value in _fields(body, ("retryDelay",), ("error", "details")))
    pause = next((float(m[1]) for m in map(DELAY.match, delays) if m), None)
    shown = " ".join(str(code) for code in codes if isinstance(code, str | int))
    text, shown = _one_line(text[:MAX_WORDS]), _one_line(shown[:MAX_WORDS])
    return Complaint(text, shown, pause=_again(text) if pause is None else pause)


def pause_asked(headers: Mapping[str, str], complaint: Complaint) -> float | None:
    """Return how many seconds a service asks to wait before the next attempt, if it says so."""
    pause = _seconds(headers.get("retry-after-ms", ""), 1000)
    if pause is None:
        pause = _seconds(headers.get("retry-after", ""))
    return complaint.pause if pause is None else pause


def _seconds(value: str, unit: float = 1) -> float | None:
    """Return the seconds until a time that is given as a number or a date."""
    try:
        seconds = float(value) / unit
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return min(max(seconds, 0.0), MAX_PAUSE) if seconds == seconds else None


def _again(complaint: str) -> float | None:
    for match in AGAIN.finditer(complaint):
        hours, minutes, number, unit = match.groups()
        if hours or minutes or number:
            seconds = float(number or 0) / (1000 if unit == "ms" else 1)
            return min(3600 * float(hours or 0) + 60 * float(minutes or 0) + seconds, MAX_PAUSE)
    return None


def _words(body: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(body, str):
        if body.strip():
            yield body
    elif depth < 5 and isinstance(body, list):
        # A list of errors, one for each part of the request.
        for item in cast("list[Any]", body)[:5]:
            yield from _words(item, depth + 1)
    elif depth < 5 and isinstance(body, dict):
        fields = cast("dict[str, object]", body)
        where = fields.get("loc")
        about = f"{cast('list[Any]', where)[-1]}: " if isinstance(where, list) and where else ""
        for name in WORDS:
            if words := list(_words(fields.get(name), depth + 1)):
                yield from (about + word for word in words)
                return


def _fields(
    body: Any, names: Sequence[str], inside: Sequence[str], depth: int = 0
) -> Iterator[Any]:
    """Yield the values of these fields of an error, and of those in the errors `inside` it."""
    if depth < 5 and isinstance(body, list):
        for item in cast("list[Any]", body)[:10]:
            yield from _fields(item, names, inside, depth + 1)
    elif depth < 5 and isinstance(body, dict):
        fields = cast("dict[str, object]", body)
        yield from map(fields.get, names)
        for name in inside:
            yield from _fields(fields.get(name), names, inside, depth + 1)


def _one_line(text: str) -> str:
    return "".join(c for c in " ".join(text.split()) if c.isprintable())
