"""One request to a service, in a thread of its own.

Whoever waits for the answer can stop waiting at any time, whatever the service does. What comes
out of the thread is plain: an exception of the transport, with its headers, stays inside.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from explorer.players.llm.failures import Failure, failure_of
from explorer.players.llm.keys import Secret
from explorer.players.llm.reasoning import text_and_reasoning
from explorer.players.llm.settings import LLMSettings
from nip_core.text import PortableMessage

__all__ = ["AnswerDetails", "Request", "TextChunk", "ask"]

OPENAI_URL = "https://api.openai.com/v1"
# A service that wants no key is told this one.
NO_KEY = "none"


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked.

    Parameters
    ----------
    settings : LLMSettings
    key : Secret, optional
    messages : sequence of PortableMessage
    options : dict
        Further parts of the request's body.
    public_only : bool
        See :class:`~explorer.players.llm.transport.GuardedTransport`.
    """

    settings: LLMSettings
    key: Secret | None
    messages: Sequence[PortableMessage]
    options: dict[str, Any]
    public_only: bool


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A few words of the answer, or of the thoughts that a service sends beside it."""

    text: str
    reasoning: str = ""


@dataclass(slots=True)
class AnswerDetails:
    """What a service has said of its answer, besides the words."""

    model: str = ""
    finish: str = ""
    refusal: str = ""
    tools: bool = False
    tokens_in: int | None = None
    tokens_out: int | None = None


@dataclass(slots=True)
class Asking:
    """A request that is under way.

    Parameters
    ----------
    news : queue
        Pieces, and at last a :class:`AnswerDetails` or a failure.
    """

    news: queue.SimpleQueue[TextChunk | AnswerDetails | Failure] = field(
        default_factory=queue.SimpleQueue
    )
    _stop: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        """Wait no longer; the connection is closed as soon as something comes."""
        self._stop.set()


def ask(request: Request) -> Asking:
    """Send a request, and return at once."""
    asking = Asking()
    threading.Thread(target=_work, args=(request, asking), name="llm", daemon=True).start()
    return asking


def _work(request: Request, asking: Asking) -> None:
    try:
        for item in _stream(request, asking._stop):
            asking.news.put(item)
    except Exception as error:
        asking.news.put(failure_of(error, request.settings, request.key))


def _stream(request: Request, stop: threading.Event) -> Iterator[TextChunk | AnswerDetails]:
    import httpx2
    import openai

    from explorer.players.llm.transport import GuardedTransport

    settings = request.settings
    transport = GuardedTransport(request.key, stop, public_only=request.public_only)
    told = AnswerDetails()
    with (
        httpx2.Client(
            transport=transport, timeout=settings.timeout, follow_redirects=False, trust_env=False
        ) as http,
        openai.OpenAI(
            # The transport puts the key in, so that the SDK never has it.
            api_key=NO_KEY,
            base_url=settings.base_url or OPENAI_URL,
            timeout=settings.timeout,
            max_retries=0,
            http_client=http,
        ) as client,
        client.chat.completions.create(
            model=settings.model,
            messages=cast("Any", request.messages),
            stream=True,
            extra_body=request.options,
        ) as chunks,
    ):
        for chunk in chunks:
            piece = _take(chunk, told)
            if piece.text or piece.reasoning:
                yield piece
    yield told


def _take(chunk: Any, told: AnswerDetails) -> TextChunk:
    """Note what a chunk says, and return its words."""
    told.model = told.model or str(chunk.model or "")
    if usage := getattr(chunk, "usage", None):
        told.tokens_in = _count(usage.prompt_tokens)
        told.tokens_out = _count(usage.completion_tokens)
    text = reasoning = ""
    for choice in chunk.choices[:1]:
        delta = choice.delta
        told.finish = str(choice.finish_reason or told.finish)
        told.refusal += str(getattr(delta, "refusal", None) or "")
        told.tools |= bool(getattr(delta, "tool_calls", None))
        text, reasoning = text_and_reasoning(delta)
    return TextChunk(text, reasoning)


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None
