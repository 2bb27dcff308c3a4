"""Which addresses of the server answer. What is not listed here does not.

Streamlit opens more than the app needs. Its routes are listed with a decision for each; a test
compares the list with what the installed Streamlit opens, so that a new one is decided upon.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

__all__ = ["CLOSED", "OPEN", "SIGN_IN", "Paths"]

READ = frozenset({"GET", "HEAD"})

# The routes of Streamlit that the app needs, as Streamlit writes them, and the methods it needs.
OPEN: Mapping[str, frozenset[str]] = {
    # Browsers wait for these two before they open a session.
    "/_stcore/health": READ,
    "/_stcore/host-config": READ,
    # The session itself. A middleware knows it by this word instead of a method.
    "/_stcore/stream": frozenset({"WEBSOCKET"}),
    # Uploads: bounded, and only for sessions of the same browser.
    "/_stcore/upload_file/{session_id}/{file_id}": frozenset({"PUT", "DELETE"}),
    # Downloads and pictures, at addresses that nobody can guess.
    "/media/{file_id:path}": READ,
}
# Those of signing in, where the operator asks for that.
SIGN_IN: Mapping[str, frozenset[str]] = {
    "/auth/login": frozenset({"GET"}),
    "/auth/logout": frozenset({"GET"}),
    "/oauth2callback": frozenset({"GET"}),
}
# Those that it does not need.
CLOSED = frozenset(
    {
        # How many sessions there are, and what they hold.
        "/_stcore/metrics",
        # Runs the whole script for whoever asks.
        "/_stcore/script-health-check",
        # A way into the app for programs. They have ours: the package itself.
        "/_stcore/agent/interact",
        "/_stcore/agent/openapi.json",
        "/_stcore/agent/mcp",
        # Files of components: ours are sent through the session.
        "/component/{path:path}",
        "/_stcore/bidi-components/{path:path}",
        # Files beside the app's script: there are the typefaces, and nothing else.
        "/app/static/{path:path}",
    }
)
# What belongs to Streamlit's own page, and our typefaces: the same for everybody.
ASSETS = r"/static/(?:[\w-]+/)*[\w-][\w.-]*|/favicon\.png|/manifest\.json|/app/static/[\w-]+\.woff2"


class Paths:
    """The list of what answers.

    Parameters
    ----------
    pages : Iterable of str
        The names of the app's pages in addresses. The first page is at the root as well.
    own : Iterable of str
        The paths of routes that are ours.
    doors : Iterable of str
        Those among them at which a browser may come first.
    sign_in : bool
        Do people sign in here?
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

    def answers(self, method: str, path: str) -> bool:
        """Is there anything for this method (or ``WEBSOCKET``) at this path?"""
        return method in self.methods(path)

    def methods(self, path: str) -> frozenset[str]:
        """The methods that a path answers to; none where nothing is."""
        if self.is_page(path) or self._asset.fullmatch(path):
            return READ
        for pattern, methods in self._routes:
            if pattern.fullmatch(path):
                return methods
        return frozenset()

    def is_page(self, path: str) -> bool:
        """Does a page of the app begin there?"""
        return self._page.fullmatch(path) is not None

    def begins(self, path: str) -> bool:
        """May a browser come there first, so that it gets its identity there?"""
        return self.is_page(path) or any(door.fullmatch(path) for door in self._doors)


def _pattern(route: str) -> re.Pattern[str]:
    """What a route matches. A part in braces is one part of a path, never a way out of it."""
    parts = re.split(r"\{\w+(?::path)?\}", route)
    return re.compile(r"[\w-][\w.-]{0,99}".join(map(re.escape, parts)), re.ASCII)
