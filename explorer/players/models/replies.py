"""What is sent to services, and their responses in all formats: errors, answers, reasoning."""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import AsyncIterable, AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, cast

from explorer.players.models.keys import Secret
from nip_core.displays import displayed
from nip_core.documents import Limits, parse_json
from nip_core.errors import NipError

# The most bytes of an answer on the wire; each token takes some hundred.
MAX_BYTES = 8 * 2**20
MAX_ERROR_BYTES = 64 * 2**10
PACKED = ("gzip", "x-gzip", "deflate")
BODY = Limits(size=MAX_BYTES, values=200_000)
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


class AnswerTooLargeError(Exception):
    """The answer is longer than any that we accept."""


@displayed
@dataclass(frozen=True, slots=True)
class HTTPRequest:
    """A request to a service, as it is sent."""

    method: str
    address: str
    key: Secret | None
    timeout: float  # seconds of silence
    public_only: bool  # whether the service must be in the public internet
    body: bytes = b""  # JSON

    @property
    def headers(self) -> dict[str, str]:
        """The headers that every transport sends."""
        headers = {"accept": "application/json, text/event-stream"}
        if self.body:
            headers["content-type"] = "application/json"
        if self.key is not None:
            headers["authorization"] = f"Bearer {self.key.reveal()}"
        return headers


@displayed
@dataclass(frozen=True, slots=True)
class HTTPAnswer:
    """A service's response, as it arrives."""

    status: int
    headers: Mapping[str, str]
    _body: AsyncIterable[bytes]

    async def parts(self) -> AsyncIterator[bytes]:
        """Yield the body; only the beginning, if it reports an error."""
        size = 0
        packed = self.headers.get("content-encoding", "").strip().lower() in PACKED
        unpack = zlib.decompressobj(47) if packed else None
        async for part in self._body:
            if unpack is not None:
                # We request no compression, and a small compressed body may unpack to a huge one.
                part = unpack.decompress(part, MAX_BYTES + 1 - size)
            size += len(part)
            if self.status >= 300 and size > MAX_ERROR_BYTES:
                return
            if size > MAX_BYTES:
                raise AnswerTooLargeError
            yield part

    async def whole(self) -> bytes:
        """Return all parts in one."""
        return b"".join([part async for part in self.parts()])


@dataclass(frozen=True, slots=True)
class Complaint:
    """An error that a service has sent instead of an answer."""

    said: str = ""  # the message, as plain text on one line
    codes: str = ""  # the error's codes, for programs
    page: bool = False  # whether it was a web page
    pause: float | None = None  # seconds to wait before the next request, if the body says so


def read_json(body: bytes) -> Any:
    """Parse a JSON text; invalid bytes are replaced."""
    return parse_json(body.decode("utf-8-sig", "replace"), BODY, NipError)


def shows_a_page(body: bytes, kind: str = "") -> bool:
    """Return whether a response is a web page."""
    head = body[:500].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return "html" in kind.lower() or head.startswith((b"<!doctype", b"<html", b"<head", b"<body"))


def complaint_of(body: Any, kind: str = "") -> Complaint:
    """Read an error message, as bytes of a content type or already parsed."""
    if isinstance(body, bytes):
        if shows_a_page(body, kind):
            return Complaint(page=True)
        try:
            body = read_json(body)
        except NipError:
            body = body[:MAX_WORDS].decode("utf-8", "replace")
    said = "; ".join(dict.fromkeys(_words(body)))
    codes = " ".join(_codes(body))
    pause = next((float(m[1]) for m in map(DELAY.match, _delays(body)) if m), None)
    said, codes = _one_line(said[:MAX_WORDS]), _one_line(codes[:MAX_WORDS])
    return Complaint(said, codes, pause=_again(said) if pause is None else pause)


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


def _again(said: str) -> float | None:
    for found in AGAIN.finditer(said):
        hours, minutes, number, unit = found.groups()
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
        said = cast("dict[str, Any]", body)
        where = said.get("loc")
        about = f"{cast('list[Any]', where)[-1]}: " if isinstance(where, list) and where else ""
        for name in WORDS:
            if found := list(_words(said.get(name), depth + 1)):
                yield from (about + word for word in found)
                return


def _codes(body: Any, depth: int = 0) -> Iterator[str]:
    if depth < 5 and isinstance(body, list):
        for item in cast("list[Any]", body)[:5]:
            yield from _codes(item, depth + 1)
    elif depth < 5 and isinstance(body, dict):
        said = cast("dict[str, Any]", body)
        for name in CODES:
            if isinstance(value := said.get(name), str | int):
                yield str(value)
        for name in ("error", "detail", "errors"):
            yield from _codes(said.get(name), depth + 1)


def _delays(body: Any, depth: int = 0) -> Iterator[str]:
    """Yield the pauses among an error's details, where Google's services put them."""
    if depth < 5 and isinstance(body, list):
        for item in cast("list[Any]", body)[:10]:
            yield from _delays(item, depth + 1)
    elif depth < 5 and isinstance(body, dict):
        said = cast("dict[str, Any]", body)
        if isinstance(delay := said.get("retryDelay"), str):
            yield delay
        for name in ("error", "details"):
            yield from _delays(said.get(name), depth + 1)


def _one_line(text: str) -> str:
    return "".join(c for c in " ".join(text.split()) if c.isprintable())


# Several fields may repeat the same reasoning, so only the first is read.
FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "reasoning_details", "thinking")
# The keys of the text in a part of a list.
KEYS = ("text", "thinking", "reasoning", "summary", "content")
THOUGHT = ("think", "reason")
MAX_DEPTH = 4


def text_and_reasoning(delta: Mapping[str, Any]) -> tuple[str, str]:
    """Return the text and the reasoning of a piece of a message, or of a whole message.

    A TypeError says that the content is neither text nor parts.
    """
    content = delta.get("content")
    if not isinstance(content, str | list | None):
        raise TypeError("content is not text")
    said, thought = _parts(cast("str | list[Any] | None", content))
    for field in FIELDS:
        if words := "".join(_parts(delta.get(field))):
            return said, thought + words
    return said, thought


_SCRATCHPAD = re.compile(r"(?i)</?\s?scratch_?pad\s?>")
_MARK = re.compile(r"<[^<>]{0,80}>|\[/?[A-Za-z]{1,20}\]")


def thinks_by_itself(apart: str, thoughts: str) -> bool:
    """Return whether a model has reasoned on its own, outside the scratchpad of its prompt.

    The reasoning from fields of its own stands `apart`; `thoughts` are all of its reasoning.
    """
    if apart.strip():
        return True
    return not _SCRATCHPAD.search(thoughts) and bool(_MARK.sub("", thoughts).strip())


def _parts(value: Any, depth: int = MAX_DEPTH) -> tuple[str, str]:
    """Return the text and the reasoning in a text, a part or a list of parts."""
    if isinstance(value, str):
        return value, ""
    if depth == 0:
        return "", ""
    if isinstance(value, list):
        pairs = [_parts(item, depth - 1) for item in cast("list[Any]", value)]
        return "".join(said for said, _ in pairs), "".join(thought for _, thought in pairs)
    if not isinstance(value, Mapping):
        return "", ""
    part = cast("Mapping[str, Any]", value)
    words = next((part[key] for key in KEYS if part.get(key)), "")
    said, thought = _parts(words, depth - 1)
    kind = str(part.get("type", ""))
    return ("", said + thought) if any(word in kind for word in THOUGHT) else (said, thought)
