"""The app as an ASGI application, tuned: middleware, routes, and a warm-up in the background.

Streamlit collects all garbage after every run of a script by default. With large libraries in the
process one collection takes far longer than a run, so that is turned off
(``.streamlit/config.toml``); what the warm-up has loaded is frozen instead, out of the collector's
sight. Torch is not among it: only sampling needs it, and it takes several times the memory of all
the rest.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import socket
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from anyio.to_thread import run_sync
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

import nip_core
from explorer.access import SERVED_AT, SIGN_IN_FILE, Settings, sign_in_before
from explorer.front import FOLDER, text_at
from explorer.programs import runner
from explorer.server import (
    BURST,
    DOORS,
    HEALTH,
    App,
    ConnectionLimiter,
    Guard,
    HeaderTimeoutProtocol,
    InlineStyleMiddleware,
    Limits,
    MessageGate,
    NewsServer,
    Paths,
    ProxyHeaders,
    TrustedProxies,
    UploadGate,
    UploadLedger,
    capacity,
    escape_logs,
    keep_short,
    make_theme_once,
    use_secrets,
)
from explorer.ui.shell import OPENING, PAGES, report_page_error

if TYPE_CHECKING:
    from explorer.rooms import Scheduler
    from explorer.storage import Storage

__all__ = ["make_app", "serve"]

# Seconds. The first page should not share the processor with what it does without.
WARM_UP_AFTER = 3.0
SWEEP_EVERY = 5.0

# The longest message from a browser: all that was typed on one page.
WEBSOCKET_BYTES = 4 << 20
# Connections that wait to be accepted.
QUEUE = 2048

log = logging.getLogger("explorer")

_warm = threading.Event()


async def health(request: Request) -> JSONResponse:
    """Is the server there, and has it loaded what it will need?"""
    return JSONResponse({"status": "ok", "version": nip_core.__version__, "warm": _warm.is_set()})


def front(request: Request) -> Response:
    """A front; its address changes with it, so that browsers keep it."""
    text = text_at(request.path_params["name"])
    if text is None:
        return Response("Not found", 404, media_type="text/plain")
    return Response(
        text,
        media_type="text/javascript",
        headers={"cache-control": "public, max-age=31536000, immutable"},
    )


def warm_up() -> None:
    """Load what pages need sooner or later, once."""
    try:
        import_module("pandas")
        import_module("plotly.graph_objects")
        import_module("explorer.storage")
        import_module("explorer.server.connection")
        import_module("nip_core.play")
        import_module("nip_core.values")
    except Exception:
        # A page that needs it will say so; the server can do without.
        log.exception("The warm-up failed")
    gc.collect()
    gc.freeze()
    _warm.set()


def storage() -> Storage:
    """The storage that the pages use. It is loaded when it is asked for first."""
    return import_module("explorer.ui.database").storage()


def begin(keepers: list[Scheduler]) -> None:
    """Do what the first page should not wait for."""
    warm_up()
    from explorer.rooms import Scheduler
    from explorer.storage import StorageError

    if address := os.environ.get("NIP_EXPLORER_ADDRESS") or os.environ.get(SERVED_AT):
        with contextlib.suppress(StorageError):
            storage().presence.serve_at(address)

    keeper = Scheduler(storage)
    keeper.start()
    keepers.append(keeper)


@asynccontextmanager
async def lifespan(app: App, news: NewsServer) -> AsyncGenerator[None]:
    """Start the warm-up, and let go of all that runs beside the server when it stops."""
    keepers: list[Scheduler] = []
    timer = threading.Timer(WARM_UP_AFTER, begin, [keepers])
    timer.daemon = True
    timer.start()
    sweeper = asyncio.create_task(sweep(app, news))
    yield
    for keeper in keepers:
        keeper.stop()
    sweeper.cancel()
    timer.cancel()
    runner().close()
    news.close()


async def sweep(app: App, news: NewsServer) -> None:
    """End the sessions whose browsers do not come back, and say that the process is there."""
    while True:
        await asyncio.sleep(SWEEP_EVERY)
        try:
            app.leavers.end_overdue()
        except Exception:
            # One that does not end must not keep the others from it.
            log.exception("A session could not be ended")
        try:
            await run_sync(news.beat)
        except Exception as error:
            # A database may be away for a while.
            log.warning("Who is there could not be written (%s)", type(error).__name__)


FRONTS = Route(f"{FOLDER}{{name}}", front)


def make_app() -> ASGIApp:
    """The application, with the guard before everything else."""
    make_theme_once()
    news = NewsServer(storage)
    routes = [Route(HEALTH, health), FRONTS, *news.routes]
    # The first page is at the root.
    pages = [Path(entry.file).stem for entry in PAGES[1:]]
    sign_in = sign_in_before() is not None
    paths = Paths(pages, [route.path for route in routes], DOORS, sign_in=sign_in)
    ledger = UploadLedger(Limits())
    app = App(
        Path(__file__).with_name("app.py"),
        ledger,
        lifespan=partial(lifespan, news=news),
        middleware=[
            Middleware(GZipMiddleware, minimum_size=1000),
            Middleware(InlineStyleMiddleware, paths=paths, opening=OPENING),
        ],
        routes=routes,
        on_script_error=report_page_error,
    )
    if sign_in:
        # Once the app has read the rest of the configuration.
        use_secrets(os.environ[SIGN_IN_FILE])
    inside = MessageGate(UploadGate(app, ledger, app.owner))
    bounded = ConnectionLimiter(inside, capacity(), paths.is_page)
    guard = Guard(bounded, paths, Settings.read(os.environ))
    return ProxyHeaders(guard, TrustedProxies.read(os.environ))


def is_news(record: logging.LogRecord) -> bool:
    """Is it worth a line in the log? Uvicorn takes a websocket that was refused for a fault."""
    return record.msg != "ASGI callable returned without completing handshake."


class Server(uvicorn.Server):
    """Accepts few connections at once, so that each is looked at before there are too many."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        for bound in sockets or ():
            # Those who are not accepted yet wait in a longer queue, which the system keeps.
            bound.listen(QUEUE)


def serve(bound: socket.socket) -> None:
    """Serve the app until it is interrupted."""
    logging.getLogger("uvicorn.error").addFilter(is_news)
    escape_logs()
    keep_short()
    served = uvicorn.Config(
        make_app(),
        http=HeaderTimeoutProtocol,
        ws="websockets-sansio",
        ws_max_size=WEBSOCKET_BYTES,
        access_log=False,
        log_level="warning",
        server_header=False,
        # Uvicorn believes whatever runs on this machine; see explorer/server/network.py.
        proxy_headers=False,
        timeout_graceful_shutdown=2,
        backlog=BURST,
    )
    Server(served).run(sockets=[bound])
