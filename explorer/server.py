"""The app as an ASGI application, tuned: middleware, routes, and a warm-up in the background.

Streamlit collects all garbage after every run of a script by default. With torch in the process
one collection takes far longer than a run, so that is turned off (``.streamlit/config.toml``);
what the warm-up has loaded is frozen instead, out of the collector's sight.
"""

from __future__ import annotations

import gc
import logging
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
import uvicorn
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import nip_core
from explorer.serving.guard import Guard
from explorer.ui.shell import apologise

__all__ = ["CONTENT_SECURITY_POLICY", "make_app", "serve"]

# Scripts are our own and Streamlit's; nothing is fetched from other hosts, so that a message with
# a picture in it cannot phone home.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' ws: wss: data: blob:",
        "worker-src 'self' blob:",
        "frame-src 'none'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
    )
)
HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
# Seconds. The first page is drawn without torch, and should not share the processor with it.
WARM_UP_AFTER = 3.0

_warm = threading.Event()


class SecurityHeaders:
    """Adds the same headers to every answer.

    Parameters
    ----------
    app : ASGIApp
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


async def health(request: Request) -> JSONResponse:
    """Is the server there, and has it loaded what it will need?"""
    return JSONResponse({"status": "ok", "version": nip_core.__version__, "warm": _warm.is_set()})


def warm_up() -> None:
    """Load what pages need sooner or later, once."""
    try:
        import pandas  # noqa: F401
        import plotly.graph_objects  # noqa: F401

        import nip_core.play
        import nip_core.stepping  # noqa: F401
    except Exception:
        # A page that needs it will say so; the server can do without.
        logging.getLogger("explorer").exception("The warm-up failed")
    gc.collect()
    gc.freeze()
    _warm.set()


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[None]:
    """Start the warm-up, and let it go when the server stops."""
    timer = threading.Timer(WARM_UP_AFTER, warm_up)
    timer.daemon = True
    timer.start()
    yield
    timer.cancel()


def make_app() -> Any:
    """The application."""
    return st.App(
        Path(__file__).with_name("app.py"),
        lifespan=lifespan,
        middleware=[
            Middleware(Guard),
            Middleware(SecurityHeaders),
            Middleware(GZipMiddleware, minimum_size=1000),
        ],
        routes=[Route("/healthz", health)],
        on_script_error=apologise,
    )


def serve(bound: socket.socket) -> None:
    """Serve the app until it is interrupted."""
    config = uvicorn.Config(
        make_app(),
        ws="websockets-sansio",
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(config).run(sockets=[bound])
