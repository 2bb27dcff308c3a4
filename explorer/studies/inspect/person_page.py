"""A page on this machine where a person answers the questions that are for a model.

The server runs in a thread of its own, since each evaluation has its own event loop. It listens on
127.0.0.1 only, and every address begins with a secret token. Questions wait in a queue, and the
page shows the first one.
"""

from __future__ import annotations

import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import anyio
import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from explorer.front import AROUND, script, style
from explorer.hosts import Authority, is_this_machine
from explorer.pictures import root_style
from explorer.studies.inspect.errors import InspectModelError
from nip_core.documents import Limits, parse_json

FRONT = "person_page"
# What a browser may send as an answer.
ANSWER = Limits(size=1_000_000, values=10_000)
LETTERS = 200_000
# Seconds between two looks at whether the answer is there.
PAUSE = 0.1

_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Answer as a model</title>
<link rel="stylesheet" href="page.css">
</head>
<body>
<main id="main"></main>
<noscript>This page needs JavaScript.</noscript>
<script type="module" src="page.js"></script>
</body>
</html>
"""


class AnswerError(InspectModelError):
    """What a browser sent is no answer to the question."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's answer: a text, perhaps with the call of a tool; or that they cannot answer."""

    text: str
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    declined: bool = False


@dataclass(slots=True, eq=False)
class Question:
    """What the page shows: messages as plain text, and tools with their JSON schemas."""

    messages: Sequence[Mapping[str, str]]
    tools: Sequence[Mapping[str, Any]] = ()
    needs_tool: bool = False
    note: str = ""
    minutes: float = 30
    name: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    answer: Answer | None = None

    def shown(self) -> dict[str, Any]:
        """Return the question as data for the page."""
        return {
            "name": self.name,
            "messages": self.messages,
            "tools": self.tools,
            "needs_tool": self.needs_tool,
            "note": self.note,
            "minutes": self.minutes,
        }

    def read(self, given: Mapping[str, Any]) -> Answer:
        """Return the answer that a browser sent; raise an AnswerError if it is none."""
        if given.get("declined") is True:
            return Answer("", declined=True)
        text, tool, arguments = (given.get(name) for name in ("text", "tool", "arguments"))
        if (
            not isinstance(text, str)
            or not isinstance(tool, str)
            or not isinstance(arguments, dict)
        ):
            raise AnswerError("An answer has a text, the name of a tool, and its arguments.")
        if len(text) > LETTERS:
            raise AnswerError(f"The answer is too long: at most {LETTERS:,} characters are sent.")
        if tool and tool not in [each["name"] for each in self.tools]:
            raise AnswerError("There is no tool of this name.")
        if self.needs_tool and not tool:
            raise AnswerError("This question wants a tool. Choose one.")
        if not tool and not text.strip():
            raise AnswerError("The answer is empty.")
        return Answer(text, tool, cast("dict[str, Any]", arguments) if tool else {})


class PersonPage:
    """Serves the page to one person, and hands their answers to whoever asks.

    Parameters
    ----------
    port : int
        By default any free one.
    clock : callable
        Returns seconds.
    """

    def __init__(self, port: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.token = secrets.token_urlsafe(24)
        self._queue: list[Question] = []
        # Questions are asked in the evaluation's thread and answered in the server's.
        self._lock = threading.Lock()
        bound = socket.socket()
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind(("127.0.0.1", port))
        except OSError:
            bound.close()
            raise InspectModelError(
                f"Port {port} of this machine is taken. Choose another one, or 0 for any."
            ) from None
        # From here on the address can be opened; the server accepts a moment later.
        bound.listen()
        self.address = f"http://127.0.0.1:{bound.getsockname()[1]}/{self.token}/"
        config = uvicorn.Config(
            self,
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
        )
        server = uvicorn.Server(config)
        threading.Thread(
            target=server.run, args=([bound],), name="person-page", daemon=True
        ).start()

    # -- asking ----------------------------------------------------------------------------------

    async def ask(self, question: Question) -> Answer:
        """Put a question into the queue and wait for the answer.

        The time counts while the page shows the question, not while it waits behind others.
        """
        with self._lock:
            self._queue.append(question)
        shown_since: float | None = None
        try:
            while question.answer is None:
                if shown_since is None and self._front() is question:
                    shown_since = self.clock()
                if shown_since is not None and self.clock() - shown_since > question.minutes * 60:
                    raise InspectModelError(
                        "The person has not answered in time. A longer one than "
                        f"{question.minutes:g} min is given by the model's argument `minutes`."
                    )
                await anyio.sleep(PAUSE)
        finally:
            with self._lock:
                if question in self._queue:
                    self._queue.remove(question)
        return question.answer

    def _front(self) -> Question | None:
        with self._lock:
            return self._queue[0] if self._queue else None

    # -- answering -------------------------------------------------------------------------------

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        request = Request(scope, receive)
        response = await self._response(request)
        response.headers.update(_HEADERS)
        await response(scope, receive, send)

    async def _response(self, request: Request) -> Response:
        authority = Authority.parse(request.headers.get("host", ""))
        # Else the page of another site could give its own name this machine's address.
        if authority is None or not is_this_machine(authority):
            return Response("This host is not served here.", 403, media_type="text/plain")
        _, token, *rest = [*request.url.path.split("/", 2), ""]
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return Response("Not found", 404, media_type="text/plain")
        match request.method, rest[0]:
            case "GET", "":
                return Response(_PAGE, media_type="text/html")
            case "GET", "page.js":
                start = 'mount(document.getElementById("main"));'
                return Response(f"{script(FRONT)}\n{start}", media_type="text/javascript")
            case "GET", "page.css":
                return Response(root_style(AROUND) + style(FRONT), media_type="text/css")
            case "GET", "question":
                return self._shown(request.query_params.get("seen", ""))
            case "POST", "answer":
                return await self._take(request)
            case _:
                return Response("Not found", 404, media_type="text/plain")

    def _shown(self, seen: str) -> Response:
        with self._lock:
            front = self._queue[0] if self._queue else None
            waiting = max(0, len(self._queue) - 1)
        name = front.name if front else ""
        new = front.shown() if front and name != seen else None
        return JSONResponse({"name": name, "waiting": waiting, "question": new})

    async def _take(self, request: Request) -> Response:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > ANSWER.size:
                return _refusal("The answer is too long.", 413)
        try:
            given = parse_json(body, ANSWER, AnswerError, "The answer")
            if not isinstance(given, dict):
                raise AnswerError("An answer is a JSON object.")
            given = cast("dict[str, Any]", given)
            with self._lock:
                front = self._queue[0] if self._queue else None
                # A second press of a button, or a page that was left open in another tab.
                if front is None or front.name != given.get("name"):
                    return _refusal("This question no longer waits for an answer.", 409)
                front.answer = front.read(given)
                self._queue.pop(0)
        except AnswerError as error:
            return _refusal(str(error), 400)
        return JSONResponse({"taken": True})


def _refusal(text: str, status: int) -> Response:
    return JSONResponse({"problem": text}, status)
