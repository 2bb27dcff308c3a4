"""One request to a service, made on the network's thread.

A caller can stop waiting at any time, and the connection is closed at once. Callers get plain data:
exceptions of the HTTP library, which may hold parts of a request, never leave this module.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from explorer.players.models.failures import (
    ModelFailure,
    NoChatError,
    complaint_of,
    failure_of,
    lacks_model,
    of_complaint,
    of_page,
    of_redirect,
)
from explorer.players.models.limits import Secret
from explorer.players.models.settings import LLMSettings
from explorer.players.models.transport import (
    HTTPAnswer,
    HTTPRequest,
    Transport,
    answer_to,
    on_network,
    read_json,
    shows_a_page,
)
from nip_core.text import PortableMessage

# Seconds between a caller's checks whether to keep waiting.
GLANCE = 0.05
OPENAI_URL = "https://api.openai.com/v1"
# Seconds to wait for a list of models that only makes an error message clearer.
LIST_TIMEOUT = 5.0
MOST_MODELS = 1000
DONE = "[DONE]"
# Seconds that a connection may take to end after the answer has ended.
LET_END = 0.1
BOM = b"\xef\xbb\xbf"
_LINE_ENDS = re.compile(rb"\r\n|\r|\n")
# The most tokens in an answer; a larger figure is an error of the service.
MOST_TOKENS = 10**9


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model."""

    settings: LLMSettings
    key: Secret | None
    messages: Sequence[PortableMessage]
    options: dict[str, object]  # further parts of the request's body
    public_only: bool  # see :class:`HTTPRequest`
    # Sends requests in the caller's event loop; without it, ours does on the network's thread.
    transport: Transport | None = None

    @property
    def body(self) -> dict[str, object]:
        """The body that is sent."""
        return {
            "model": self.settings.model,
            "messages": list(self.messages),
            "stream": True,
            **self.options,
        }


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A few words of the answer, or of reasoning that a service sends in a field of its own."""

    text: str
    reasoning: str = ""


@dataclass(slots=True)
class AnswerDetails:
    """What a service reports about its answer: how it ended, its tokens, the model."""

    model: str = ""
    finish: str = ""
    refusal: str = ""
    tools: bool = False
    tokens_in: int | None = None
    tokens_out: int | None = None


AnswerPart = TextChunk | AnswerDetails | ModelFailure


async def ask(request: Request) -> AsyncGenerator[list[AnswerPart]]:
    """Send a request, and yield what has arrived at least every :data:`GLANCE` seconds.

    Closing the generator closes the connection.
    """
    loop, arrived, parts = asyncio.get_running_loop(), asyncio.Event(), deque[AnswerPart]()

    def take(item: AnswerPart) -> None:
        parts.append(item)
        with suppress(RuntimeError):  # the caller no longer waits, and the loop is closed
            loop.call_soon_threadsafe(arrived.set)

    listening = _listen(request, take)
    work = on_network(listening) if request.transport is None else loop.create_task(listening)
    try:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(GLANCE):
                    await arrived.wait()
            arrived.clear()
            yield [parts.popleft() for _ in range(len(parts))]
    finally:
        work.cancel()


def models_at(
    settings: LLMSettings, key: Secret | None, *, public_only: bool, timeout: float
) -> list[str]:
    """Return the names of the models that a service lists, within so many seconds in all."""
    work = on_network(_models(settings, key, public_only, settings.timeout))
    try:
        listed = work.result(timeout)
    except TimeoutError:
        work.cancel()
        listed = ModelFailure(f"{settings.host} takes too long to list its models. Type the name.")
    if isinstance(listed, ModelFailure):
        raise listed.error(listed.words + listed.quote, listed.words)
    return listed


async def _listen(request: Request, take: Callable[[AnswerPart], None]) -> None:
    try:
        async for item in _stream(request):
            take(item)
    except Exception as error:
        take(failure_of(error, request.settings))


async def _stream(request: Request) -> AsyncIterator[AnswerPart]:
    settings = request.settings
    address = f"{settings.base_url or OPENAI_URL}/chat/completions"
    transport = request.transport or answer_to
    body = json.dumps(request.body).encode()
    async with transport(
        HTTPRequest("POST", address, request.key, settings.timeout, request.public_only, body)
    ) as answer:
        if answer.status < 300:
            async for item in _answered(answer, request):
                yield item
            return
        body = await answer.whole()
    if answer.status < 400:
        yield of_redirect(settings, address, answer.headers.get("location", ""))
        return
    complaint = complaint_of(body, answer.headers.get("content-type", ""))
    names: list[str] = []
    if lacks_model(answer.status, complaint):
        listed = await _models(
            settings, request.key, request.public_only, LIST_TIMEOUT, request.transport
        )
        names = [] if isinstance(listed, ModelFailure) else listed
    yield of_complaint(answer.status, answer.headers, complaint, settings, request.key, names=names)


async def _models(
    settings: LLMSettings,
    key: Secret | None,
    public_only: bool,
    timeout: float,
    transport: Transport | None = None,
) -> list[str] | ModelFailure:
    try:
        address = f"{settings.base_url or OPENAI_URL}/models"
        request = HTTPRequest("GET", address, key, timeout, public_only)
        async with (transport or answer_to)(request) as answer:
            body, kind = await answer.whole(), answer.headers.get("content-type", "")
        if 300 <= answer.status < 400:
            return of_redirect(settings, address, answer.headers.get("location", ""))
        if answer.status >= 400:
            complaint = complaint_of(body, kind)
            return of_complaint(answer.status, answer.headers, complaint, settings, key)
        if shows_a_page(body, kind):
            return of_page(settings)
        return _names(read_json(body))
    except Exception as error:
        return failure_of(error, settings)


def _names(body: Any) -> list[str]:
    listed = cast("dict[str, object]", body).get("data") if isinstance(body, dict) else body
    if not isinstance(listed, list):
        raise NoChatError
    names: list[str] = []
    for item in cast("list[Any]", listed)[:MOST_MODELS]:
        name = cast("dict[str, object]", item).get("id") if isinstance(item, dict) else item
        if isinstance(name, str) and name.strip():
            names.append(name)
    return names


# -- reading an answer --------------------------------------------------------------------------


async def _answered(answer: HTTPAnswer, request: Request) -> AsyncIterator[AnswerPart]:
    details, events, head = AnswerDetails(), _Events(), b""
    parts = answer.parts()
    async for part in parts:
        head += part
        if head.lstrip(b"\xef\xbb\xbf \t\r\n"):
            break
    kind = answer.headers.get("content-type", "")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[", b"<") or "html" in kind.lower():
        # No stream: a whole answer, an error, or a web page of some proxy.
        body = b"".join([head, *[part async for part in parts]]).removeprefix(BOM)
        if shows_a_page(body, kind):
            yield of_page(request.settings)
            return
        whole = read_json(body)
        for item in _read(whole, details, request):
            yield item
        if "choices" not in whole:
            raise NoChatError
        details.finish = details.finish or "stop"
        yield details
        return
    async for data in _data(head.removeprefix(BOM), parts, events):
        if data.strip() == DONE:
            # Some services send no reason for the end, and some leave the connection open.
            details.finish = details.finish or "stop"
            with suppress(TimeoutError):
                # A connection can be reused once the body was read to its end.
                await asyncio.wait_for(_drain(parts), LET_END)
            yield details
            return
        for item in _read(read_json(data.encode("utf-8", "replace")), details, request):
            yield item
    if head and not events.lines:
        raise NoChatError
    yield details


async def _drain(parts: AsyncIterator[bytes]) -> None:
    async for _ in parts:
        pass


async def _data(head: bytes, parts: AsyncIterator[bytes], events: _Events) -> AsyncIterator[str]:
    for data in events.take(head):
        yield data
    async for part in parts:
        for data in events.take(part):
            yield data
    for data in events.take(b"\n\n"):
        yield data


class _Events:
    """Parser of a stream of server-sent events."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._data: list[bytes] = []
        self._returned = False
        self.lines = 0

    def take(self, part: bytes) -> Iterator[str]:
        """Yield the events that are complete after a piece of the stream."""
        if self._returned:
            part = part.removeprefix(b"\n")  # its first half was in the last piece
        self._returned = part.endswith(b"\r")
        first, *others = _LINE_ENDS.split(part)
        self._rest.append(first)
        for other in others:
            line = b"".join(self._rest)
            self._rest = [other]
            # Services send comments to keep the connection alive.
            self.lines += line.startswith((b":", b"data:"))
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line and self._data:
                yield b"\n".join(self._data).decode("utf-8", "replace")
                self._data = []


def _read(chunk: Any, details: AnswerDetails, request: Request) -> Iterator[AnswerPart]:
    """Record the details in a chunk or a whole answer, and return its text."""
    if isinstance(chunk, list):
        # Google's services wrap an error in a list.
        chunk = next(iter(cast("list[Any]", chunk)), None)
    if not isinstance(chunk, dict):
        raise NoChatError
    document = cast("dict[str, object]", chunk)
    if error := document.get("error"):
        yield _error(document, error, request)
        return
    choices: Any = document.get("choices") or []
    if not isinstance(choices, list):
        raise NoChatError
    details.model = details.model or _text(document.get("model"))
    if isinstance(usage := document.get("usage"), dict):
        counts = cast("dict[str, object]", usage)
        details.tokens_in = _count(counts.get("prompt_tokens"))
        details.tokens_out = _count(counts.get("completion_tokens"))
    for choice in cast("list[Any]", choices):
        if not isinstance(choice, dict):
            raise NoChatError
        # One answer was requested; further choices are ignored.
        if cast("dict[str, object]", choice).get("index") in (0, None):
            yield from _choice(cast("dict[str, object]", choice), details)
            break


def _choice(choice: Mapping[str, Any], details: AnswerDetails) -> Iterator[AnswerPart]:
    part: Any = choice.get("delta") or choice.get("message") or {}
    if not isinstance(part, dict):
        raise NoChatError
    delta = cast("dict[str, object]", part)
    details.finish = _text(choice.get("finish_reason")) or details.finish
    details.refusal += _text(delta.get("refusal"))
    details.tools |= bool(delta.get("tool_calls"))
    text, reasoning = text_and_reasoning(delta)
    if text or reasoning:
        yield TextChunk(text, reasoning)


def _error(chunk: Mapping[str, Any], error: Any, request: Request) -> ModelFailure:
    """Return the failure, if a service sends an error as an answer or in the middle of one."""
    named = cast("dict[str, object]", error).get("code") if isinstance(error, dict) else None
    status = int(str(named)) if re.fullmatch("[45][0-9]{2}", str(named)) else None
    complaint = complaint_of(dict(chunk))
    return of_complaint(status, {}, complaint, request.settings, request.key)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


# -- text and reasoning -------------------------------------------------------------------------

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
    text, thought = _parts(cast("str | list[Any] | None", content))
    for field in FIELDS:
        if words := "".join(_parts(delta.get(field))):
            return text, thought + words
    return text, thought


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
        return "".join(text for text, _ in pairs), "".join(thought for _, thought in pairs)
    if not isinstance(value, Mapping):
        return "", ""
    part = cast("Mapping[str, Any]", value)
    words = next((part[key] for key in KEYS if part.get(key)), "")
    text, thought = _parts(words, depth - 1)
    kind = str(part.get("type", ""))
    return ("", text + thought) if any(word in kind for word in THOUGHT) else (text, thought)
