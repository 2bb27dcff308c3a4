"""The first check of every request: its host, its path, and the page that it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.hosts import Authority, Settings, is_allowed, is_same_origin, is_this_machine
from explorer.pictures import css_variables
from explorer.visitors import COOKIE, cookie_line, new_token, read_token, without_token

ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    # No other site may load these resources, whatever their kind.
    "cross-origin-resource-policy": "same-origin",
}
YEAR = 365 * 24 * 3600
# A download or a picture is opened by itself: nothing in it may run or load.
MEDIA_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def headers_for(
    authority: Authority, scheme: str, path: str, embedders: Sequence[str]
) -> dict[str, str]:
    """Return the security headers of an answer; pages of `embedders` may show it in a frame."""
    headers = dict(ALWAYS)
    media = path.startswith("/media/")
    policy = MEDIA_POLICY if media else content_policy(authority)
    ancestors = " ".join(embedders) or "'none'"
    headers["content-security-policy"] = f"{policy}; frame-ancestors {ancestors}"
    if not embedders:
        headers["x-frame-options"] = "DENY"
    if media:
        # The answer may contain what one seat has seen.
        headers["cache-control"] = "no-store"
    if scheme == "https" or is_this_machine(authority):
        # Browsers warn about this header on other connections.
        headers["cross-origin-opener-policy"] = "same-origin"
    if scheme == "https" and not is_this_machine(authority):
        # A browser that was here once never asks without encryption again.
        headers["strict-transport-security"] = f"max-age={YEAR}"
    return headers


def content_policy(authority: Authority) -> str:
    """Return the content security policy of pages, so that no text can load anything remote.

    Scripts are those of the app and of Streamlit, and nothing is fetched from or sent to other
    hosts, not even a picture in a message.
    """
    return "; ".join(
        (
            "default-src 'self'",
            "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            # Older browsers do not count websockets as part of 'self'.
            f"connect-src 'self' ws://{authority} wss://{authority} data: blob:",
            "worker-src 'self' blob:",
            "frame-src 'none'",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
        )
    )


READ = frozenset({"GET", "HEAD"})
# The websocket of a page's session. A page in a room has a second one, for changes.
STREAM = "/_stcore/stream"

# Streamlit's routes that the app needs, as Streamlit writes them, with their methods.
OPEN: Mapping[str, frozenset[str]] = {
    # Browsers wait for these two before they open a session.
    "/_stcore/health": READ,
    "/_stcore/host-config": READ,
    # ASGI names its scope "websocket"; it has no method.
    STREAM: frozenset({"WEBSOCKET"}),
    # Uploads, limited in size and only for sessions of the same browser.
    "/_stcore/upload_file/{session_id}/{file_id}": frozenset({"PUT", "DELETE"}),
    # Downloads and pictures, at addresses that nobody can guess.
    "/media/{file_id:path}": READ,
}
# The routes of sign-in, where the operator has turned it on.
SIGN_IN: Mapping[str, frozenset[str]] = {
    "/auth/login": frozenset({"GET"}),
    "/auth/logout": frozenset({"GET"}),
    "/oauth2callback": frozenset({"GET"}),
}
# The files of Streamlit's page and our fonts, which are the same for everyone.
ASSETS = r"/static/(?:[\w-]+/)*[\w-][\w.-]*|/favicon\.png|/manifest\.json|/app/static/[\w-]+\.woff2"


class Paths:
    """The paths and methods that the server answers to.

    These are the app's pages, of which the first is also at the root, and its `own` routes. The
    `doors` are those of them that may be the first that a browser opens.
    """

    def __init__(
        self,
        pages: Iterable[str],
        own: Iterable[str],
        doors: Iterable[str] = (),
        *,
        sign_in: bool = False,
    ) -> None:
        names = "|".join(map(re.escape, pages))
        self._page = re.compile(rf"/|/(?:{names})/?")
        self._doors = [_pattern(route) for route in doors]
        self._asset = re.compile(ASSETS, re.ASCII)
        self._routes = [
            *((_pattern(route), methods) for route, methods in OPEN.items()),
            *((_pattern(route), methods) for route, methods in SIGN_IN.items() if sign_in),
            *((_pattern(route), READ | {"WEBSOCKET"}) for route in own),
        ]

    def methods(self, path: str) -> frozenset[str]:
        """Return the methods (or ``WEBSOCKET``) that a path answers to; none if it is unknown."""
        if self.is_page(path) or self._asset.fullmatch(path):
            return READ
        for pattern, methods in self._routes:
            if pattern.fullmatch(path):
                return methods
        return frozenset()

    def is_page(self, path: str) -> bool:
        """Return whether a path is that of a page."""
        return self._page.fullmatch(path) is not None

    def begins(self, path: str) -> bool:
        """Return whether a browser may open this path first, so that its cookie is set there."""
        return self.is_page(path) or any(door.fullmatch(path) for door in self._doors)


def _pattern(route: str) -> re.Pattern[str]:
    """Return a pattern for a route. A part in braces matches one path segment."""
    parts = re.split(r"\{\w+(?::path)?\}", route)
    return re.compile(r"[\w-][\w.-]{0,99}".join(map(re.escape, parts)), re.ASCII)


def refusal(status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return the answer to a refused request: the state, and what to do about it."""
    return PlainTextResponse(text, status, {"cache-control": "no-store", **(headers or {})})


WRONG_HOST = refusal(
    421,
    "This server does not answer to the name in your request. Use its address in numbers, "
    "such as http://192.0.2.7:8501, or http://localhost:8501 on the machine itself. If the name "
    "is yours, start the server with --allow-host NAME.\n",
)
WRONG_ORIGIN = refusal(
    403,
    "This request came from a page at another address, and this server answers only its own. Open "
    "the address of the server itself.\n",
)
LOGO = (Path(__file__).parent.parent / "logo.svg").read_text("utf-8")
# It comes without Streamlit, so that it brings the look with it.
NO_SUCH_PAGE = f"""<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>No such page</title>
<style>
@font-face {{
  font-family: Inter; font-weight: 100 900; src: url(/app/static/inter.woff2) format("woff2");
}}
@font-face {{
  font-family: Newsreader; font-weight: 200 800;
  src: url(/app/static/newsreader.woff2) format("woff2");
}}
:root {{
  {css_variables()}
  color-scheme: light dark; background: var(--nip-paper); color: var(--nip-text);
}}
body {{
  max-width: 32rem; margin: 12vh auto 0; padding: 0 var(--nip-gutter);
  font: var(--nip-t3)/1.5 var(--nip-ui);
}}
h1 {{ margin: 0; font: 500 var(--nip-t6)/1.2 var(--nip-book); }}
p {{ color: var(--nip-quiet); }}
svg {{ display: block; margin-bottom: var(--nip-s5); }}
a {{
  display: inline-block; padding: var(--nip-s2) var(--nip-s4); border-radius: var(--nip-radius);
  background: var(--nip-text); color: var(--nip-paper); text-decoration: none;
}}
a:focus-visible {{ outline: 2px solid var(--nip-text); outline-offset: 2px; }}
</style>
{LOGO}
<h1>There is no such page</h1>
<p>The address may have a typing error, or the page may have moved.</p>
<a href="/">Back to the start</a>
</html>
"""
NOTHING_HERE = HTMLResponse(NO_SUCH_PAGE, 404, {"cache-control": "no-store"})


class Guard:
    """Refuses invalid requests, identifies browsers by cookie, and adds security headers."""

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
        requested: str = scope["scheme"]
        scheme = {"ws": "http", "wss": "https"}.get(requested, requested)
        authority = asked_host(headers)
        if authority is None or not is_allowed(authority, self.settings.names):
            await refuse(WRONG_HOST, scope, receive, send)
            return
        method = "WEBSOCKET" if scope["type"] == "websocket" else scope["method"]
        more = headers_for(authority, scheme, scope["path"], self.settings.embedders)
        own = from_own_page(headers, method, authority, scheme)
        token = read_token(headers.getlist("cookie"))
        # A browser opens its sessions from a page, so the cookie is set with the page. A form on
        # another site that leads here sends no cookie (SameSite) and must not replace the existing
        # one.
        begins = method in ("GET", "HEAD") and self.paths.begins(scope["path"])
        issued = new_token() if token is None and own and begins else None
        # Pages are the same for everyone; the answer of an entry route is for one browser only.
        at_door = None if self.paths.is_page(scope["path"]) else issued

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                if scheme == "https":
                    message["headers"] = [secured(*pair) for pair in message["headers"]]
                answered = MutableHeaders(scope=message)
                answered.update(more)
                if issued is not None:
                    line = cookie_line(issued, secure=scheme == "https")
                    answered.append("set-cookie", line)
                    # A cookie is for this browser only, so no cache may keep the answer.
                    answered["cache-control"] = "no-store"
            await send(message)

        if not own:
            await refuse(WRONG_ORIGIN, scope, receive, send_guarded)
        elif not (methods := self.paths.methods(scope["path"])):
            await refuse(NOTHING_HERE, scope, receive, send_guarded)
        elif method not in methods:
            allowed = ", ".join(sorted(methods - {"WEBSOCKET"}))
            refused = refusal(
                405, "This address does not accept that method.\n", {"allow": allowed}
            )
            await refuse(refused, scope, receive, send_guarded)
        else:
            inside = for_the_app(scope, headers, authority, token or at_door)
            # A connection has no headers after its beginning, and sends many messages.
            await self.app(inside, receive, send_guarded if method != "WEBSOCKET" else send)


def secured(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Return a header; a cookie set over HTTPS is marked as secure."""
    wanted = name.lower() == b"set-cookie" and b"; secure" not in value.lower()
    return name, value + b"; Secure" if wanted else value


def asked_host(headers: Headers) -> Authority | None:
    """Return the requested host; None if it is absent, ambiguous or impossible."""
    hosts = headers.getlist("host")
    return Authority.parse(hosts[0]) if len(hosts) == 1 else None


def from_own_page(headers: Headers, method: str, authority: Authority, scheme: str) -> bool:
    """Return whether a request comes from the app's own page, or from no page at all.

    Browsers send the origin with every websocket and every request that changes something.
    """
    origins = headers.getlist("origin")
    if not origins or (origins == ["null"] and method in ("GET", "HEAD")):
        return True
    return len(origins) == 1 and is_same_origin(origins[0], authority, scheme)


def for_the_app(scope: Scope, headers: Headers, authority: Authority, token: str | None) -> Scope:
    """Return the request as it is passed to the app, without ambiguous headers.

    It has one host, one token or none, and an origin written exactly as the host: any other origin
    makes Streamlit look up the machine's public address on the internet.
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


async def refuse(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with a refusal, over HTTP or as the rejection of a websocket."""
    extensions = scope.get("extensions", {})
    if scope["type"] == "websocket" and "websocket.http.response" not in extensions:
        await send({"type": "websocket.close", "code": 1008})
    else:
        await answer(scope, receive, send)
