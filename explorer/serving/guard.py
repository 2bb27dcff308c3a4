"""The middleware that every request passes first: by which host, from which page, for what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.serving.headers import headers_for
from explorer.serving.hosts import Authority, is_allowed, is_same_origin
from explorer.serving.identity import (
    COOKIE,
    cookie_line,
    new_token,
    read_token,
    without_token,
)
from explorer.serving.paths import Paths
from explorer.serving.settings import Settings

__all__ = ["Guard", "Refusal", "refuse"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is a refusal: what happened, and what to do."""

    status: int
    text: str
    headers: Mapping[str, str]


WRONG_HOST = Refusal(
    421,
    "This server does not answer to the name in your request. Use its address in numbers, "
    "such as http://192.0.2.7:8501, or http://localhost:8501 on the machine itself. If the name "
    "is yours, start the server with --allow-host NAME.\n",
    {},
)
WRONG_ORIGIN = Refusal(
    403,
    "This request came from a page at another address, and this server answers only its own. Open "
    "the address of the server itself.\n",
    {},
)
NOTHING_HERE = Refusal(
    404,
    '<!doctype html><html lang="en"><title>No such page</title><p>There is no such page. '
    '<a href="/">Back to the start</a></p></html>\n',
    {"content-type": "text/html; charset=utf-8"},
)


class Guard:
    """Refuses what is not meant for the app, knows browsers again, and says what they may do.

    Parameters
    ----------
    app : ASGIApp
    paths : Paths
    settings : Settings
    """

    def __init__(self, app: ASGIApp, paths: Paths, settings: Settings) -> None:
        self.app = app
        self.paths = paths
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        asked: str = scope["scheme"]
        scheme = {"ws": "http", "wss": "https"}.get(asked, asked)
        authority = asked_host(headers)
        if authority is None or not is_allowed(authority, self.settings.names):
            await refuse(WRONG_HOST, scope, send)
            return
        method = "WEBSOCKET" if scope["type"] == "websocket" else scope["method"]
        more = headers_for(authority, scheme, scope["path"], self.settings.embedders)
        own = from_own_page(headers, method, authority, scheme)
        token = read_token(headers.getlist("cookie"))
        # A browser opens its sessions from a page: with that it gets its identity. Not if somebody
        # else's page sends it here with a form: then it keeps its cookie to itself, if it has one.
        begins = method in ("GET", "HEAD") and self.paths.begins(scope["path"])
        given = new_token() if token is None and own and begins else None
        # A page is the same for everybody; what a door does, it does for this browser.
        at_door = None if self.paths.is_page(scope["path"]) else given

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                if scheme == "https":
                    message["headers"] = [secured(*pair) for pair in message["headers"]]
                answered = MutableHeaders(scope=message)
                answered.update(more)
                if given is not None:
                    line = cookie_line(given, secure=scheme == "https")
                    answered.append("set-cookie", line)
                    # It is for this browser, and for nobody who is given a copy of the page.
                    answered["cache-control"] = "no-store"
            await send(message)

        if not own:
            await refuse(WRONG_ORIGIN, scope, send_guarded)
        elif not (methods := self.paths.methods(scope["path"])):
            await refuse(NOTHING_HERE, scope, send_guarded)
        elif method not in methods:
            allowed = ", ".join(sorted(methods - {"WEBSOCKET"}))
            text = "This address does not accept that method.\n"
            await refuse(Refusal(405, text, {"allow": allowed}), scope, send_guarded)
        else:
            inside = for_the_app(scope, headers, authority, token or at_door)
            await self.app(inside, receive, send_guarded)


def secured(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """A header; if it sets a cookie on an encrypted line, the cookie is sent on no other."""
    wanted = name.lower() == b"set-cookie" and b"; secure" not in value.lower()
    return name, value + b"; Secure" if wanted else value


def asked_host(headers: Headers) -> Authority | None:
    """The host that a request names, or None if it names none, several, or no possible one."""
    said = headers.getlist("host")
    return Authority.parse(said[0]) if len(said) == 1 else None


def from_own_page(headers: Headers, method: str, authority: Authority, scheme: str) -> bool:
    """Does the request come from the app's own page, or from no page at all?

    A browser says where a page is from whenever it opens a websocket or changes something.
    """
    origins = headers.getlist("origin")
    if not origins or (origins == ["null"] and method in ("GET", "HEAD")):
        return True
    return len(origins) == 1 and is_same_origin(origins[0], authority, scheme)


def for_the_app(scope: Scope, headers: Headers, authority: Authority, token: str | None) -> Scope:
    """The request as the app behind gets it, with nothing left to doubt.

    There is one host, one token or none, and no origin that is written otherwise than the host:
    one that is makes Streamlit look up the machine's address on the internet.
    """
    cookies = without_token(headers.getlist("cookie"))
    if token is not None:
        cookies.append(f"{COOKIE}={token}")
    rewritten = {b"host": str(authority), b"cookie": "; ".join(cookies)}
    if headers.get("origin", "null") != "null":
        rewritten[b"origin"] = f"{headers['origin'].partition(':')[0]}://{authority}"
    others = [(name, value) for name, value in scope["headers"] if name not in _REWRITTEN]
    ours = [(name, value.encode("latin-1")) for name, value in rewritten.items()]
    return {**scope, "headers": [*others, *ours]}


_REWRITTEN = (b"host", b"cookie", b"origin", b"x-forwarded-host", b"forwarded")


async def refuse(refusal: Refusal, scope: Scope, send: Send) -> None:
    """Answer with a refusal, in the words of the protocol that was used to ask."""
    body = refusal.text.encode()
    headers = {
        "content-type": "text/plain; charset=utf-8",
        "content-length": str(len(body)),
        "cache-control": "no-store",
        **refusal.headers,
    }
    kind = "http.response"
    if scope["type"] == "websocket":
        kind = "websocket.http.response"
        if kind not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008})
            return
    start: dict[str, Any] = {
        "type": f"{kind}.start",
        "status": refusal.status,
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
    }
    await send(start)
    await send({"type": f"{kind}.body", "body": body})
