"""The app as an ASGI application: middleware, routes, and a warm-up in the background.

Streamlit collects all garbage after every run of a script by default. With large libraries in the
process one collection takes far longer than a run, so that is turned off
(``.streamlit/config.toml``). What the warm-up has loaded is frozen: the collector skips it. Torch
is not loaded, since only sampling needs it, and it takes several times the memory of everything
else.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import re
import socket
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from pathlib import Path

import uvicorn
from anyio.to_thread import run_sync
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import nip_core
from explorer.computations import computations, end_computations
from explorer.front import FOLDER, text_at
from explorer.hosts import SERVED_AT, Settings
from explorer.programs import runner
from explorer.rooms import Scheduler
from explorer.server import (
    BURST,
    DOORS,
    HEALTH,
    App,
    ChangeFeedRoutes,
    ConnectionLimiter,
    Guard,
    HeaderTimeoutProtocol,
    MessageGate,
    Paths,
    ProxyHeaders,
    TrustedProxies,
    UploadGate,
    UploadLedger,
    UploadLimits,
    WebSocketProtocol,
    act_in_whole,
    capacity,
    escape_logs,
    keep_short,
    keep_written_addresses,
    make_theme_once,
    use_secrets,
)
from explorer.storage import StorageError
from explorer.ui import EARLY, OPENING, PAGES, close_storage, report_page_error, storage
from explorer.visitors import SIGN_IN_FILE, sign_in_before

__all__ = ["make_app", "serve"]

# Seconds. The first page should not share the processor with work that it does not need.
WARM_UP_AFTER = 3.0
SWEEP_EVERY = 5.0

# The longest message from a browser, which may contain everything typed on a page.
WEBSOCKET_BYTES = 4 << 20
# Connections that wait to be accepted, in the queue that the system keeps.
QUEUE = 2048

log = logging.getLogger("explorer")

FORMER = "/schedule"  # in links of earlier versions

_warm = threading.Event()


async def health(request: Request) -> JSONResponse:
    """Report that the server runs, and whether its warm-up is done."""
    return JSONResponse({"status": "ok", "version": nip_core.__version__, "warm": _warm.is_set()})


def former_schedule(request: Request) -> Response:
    """Lead from a link to the former page of schedules to the same view."""
    usual = "" if "protocol" in request.query_params else "protocol=mnip"
    query = "&".join(filter(None, (usual, request.url.query)))
    return RedirectResponse(f"/protocols?{query}", 308)


def front(request: Request) -> Response:
    """Return a front; its address changes with its content, so that browsers can cache it."""
    text = text_at(request.path_params["name"])
    if text is None:
        return Response("Not found", 404, media_type="text/plain")
    return Response(
        text,
        media_type="text/javascript",
        headers={"cache-control": "public, max-age=31536000, immutable"},
    )


def warm_up() -> None:
    """Load the libraries that pages will need, once."""
    try:
        import_module("pandas")
        import_module("plotly.graph_objects")
        import_module("nip_core.play")
        import_module("nip_core.values")
    except Exception:
        # A page that needs it will report the error; the server works without it.
        log.exception("The warm-up failed")
    gc.collect()
    gc.freeze()
    _warm.set()


def begin(scheduler: Scheduler) -> None:
    """Do work for which the first page should not wait."""
    warm_up()
    computations().warm_up()
    if address := os.environ.get("NIP_EXPLORER_ADDRESS") or os.environ.get(SERVED_AT):
        with contextlib.suppress(StorageError):
            storage().presence.serve_at(address)
    scheduler.start()


@asynccontextmanager
async def lifespan(app: App, feed: ChangeFeedRoutes) -> AsyncGenerator[None]:
    """Start the warm-up and the scheduler of rooms, and stop all that runs beside the server."""
    scheduler = Scheduler(storage)
    timer = threading.Timer(WARM_UP_AFTER, begin, [scheduler])
    timer.daemon = True
    timer.start()
    sweeper = asyncio.create_task(sweep(app, feed))
    yield
    scheduler.stop()
    sweeper.cancel()
    timer.cancel()
    runner().close()
    end_computations()
    feed.close()
    close_storage()


async def sweep(app: App, feed: ChangeFeedRoutes) -> None:
    """End and delete what nobody comes back for, and record that the process is running."""
    while True:
        await asyncio.sleep(SWEEP_EVERY)
        try:
            app.end_overdue()
        except Exception:
            # One session that fails to end must not stop the loop.
            log.exception("A session could not be ended")
        try:
            await run_sync(feed.beat)
        except Exception as error:
            # A database may be unavailable for a while.
            log.warning("Presence could not be recorded (%s)", type(error).__name__)


# Streamlit's page asks at once for a typeface that no page of ours shows.
UNUSED_FONT = re.compile(rb'<link\s+rel="preload"\s+href="[^"]*SourceSans[^"]*"[^>]*>')


class InlineStyleMiddleware:
    """Puts the app's style and the script of the first paint into every page.

    Streamlit sends styles with the elements of a page, one by one, after the page itself: the page
    would appear unstyled first, and jump. Here they are at the beginning of the body, after all
    rules in Streamlit's head, so they win over rules of equal weight.
    """

    opening = OPENING.encode()

    def __init__(self, app: ASGIApp, paths: Paths) -> None:
        self.app = app
        self.paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        is_page = scope["type"] == "http" and self.paths.is_page(scope["path"])
        if not is_page or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        # A compressed page cannot be changed here, so none is requested; it is compressed
        # afterwards.
        headers = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
        early = EARLY.get(scope["path"].strip("/"), "").encode()
        start: Message | None = None
        body = b""

        async def send_styled(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
            elif start is None or message["type"] != "http.response.body":
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body"):
                    await self._send(start, body, early, send)

        await self.app({**scope, "headers": headers}, receive, send_styled)

    async def _send(self, start: Message, body: bytes, early: bytes, send: Send) -> None:
        opening = b"<body>" + early + self.opening
        styled = UNUSED_FONT.sub(b"", body).replace(b"<body>", opening, 1)
        headers = MutableHeaders(scope=start)
        headers["content-length"] = str(len(styled))
        # These headers describe the page without the style.
        for name in ("etag", "last-modified"):
            if name in headers:
                del headers[name]
        await send(start)
        await send({"type": "http.response.body", "body": styled})


def _is_page(start: Message) -> bool:
    kind = Headers(raw=start["headers"]).get("content-type", "")
    return start["status"] == 200 and kind.startswith("text/html")


FRONTS = Route(f"{FOLDER}{{name}}", front)


def make_app() -> ASGIApp:
    """Return the application, with the guard before everything else."""
    make_theme_once()
    act_in_whole()
    keep_written_addresses()
    feed = ChangeFeedRoutes(storage)
    former = Route(FORMER, former_schedule)
    routes = [Route(HEALTH, health), FRONTS, former, *feed.routes]
    # The first page is at the root.
    pages = [Path(entry.file).stem for entry in PAGES[1:]]
    sign_in = sign_in_before() is not None
    paths = Paths(pages, [route.path for route in routes], DOORS, sign_in=sign_in)
    ledger = UploadLedger(UploadLimits())
    app = App(
        Path(__file__).with_name("app.py"),
        ledger,
        lifespan=partial(lifespan, feed=feed),
        middleware=[
            Middleware(GZipMiddleware, minimum_size=1000, compresslevel=6),
            Middleware(InlineStyleMiddleware, paths=paths),
        ],
        routes=routes,
        on_script_error=report_page_error,
    )
    if sign_in:
        # After the app has read the rest of the configuration.
        use_secrets(os.environ[SIGN_IN_FILE])
    inside = MessageGate(UploadGate(app, ledger, app.owner))
    bounded = ConnectionLimiter(inside, capacity(), paths.is_page)
    guard = Guard(bounded, paths, Settings.read(os.environ))
    return ProxyHeaders(guard, TrustedProxies.read(os.environ))


# Uvicorn logs refused websockets as errors. Streamlit logs the whole traceback of a failed run,
# before `report_page_error` logs it in a line.
NOT_WORTH_LOGGING = frozenset(
    ("ASGI callable returned without completing handshake.", "Uncaught app execution")
)


def is_worth_logging(record: logging.LogRecord) -> bool:
    """Return False for what other packages log and the explorer does not need."""
    return record.msg not in NOT_WORTH_LOGGING


class Server(uvicorn.Server):
    """Accepts few connections at once, so that each is checked before there are too many."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        for bound in sockets or ():
            bound.listen(QUEUE)


def serve(bound: socket.socket) -> None:
    """Serve the app until it is interrupted."""
    for name in ("uvicorn.error", "streamlit.error_util"):
        logging.getLogger(name).addFilter(is_worth_logging)
    escape_logs()
    keep_short()
    config = uvicorn.Config(
        make_app(),
        http=HeaderTimeoutProtocol,
        ws=WebSocketProtocol,
        ws_max_size=WEBSOCKET_BYTES,
        ws_per_message_deflate=False,
        access_log=False,
        log_level="warning",
        server_header=False,
        # Uvicorn would trust proxy headers from this machine; see explorer/server/network.py.
        proxy_headers=False,
        timeout_graceful_shutdown=2,
        backlog=BURST,
    )
    Server(config).run(sockets=[bound])
