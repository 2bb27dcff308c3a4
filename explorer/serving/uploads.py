"""How much visitors may bring in, counted while it comes."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.serving.guard import Refusal, refuse
from explorer.serving.identity import read_token

__all__ = ["Ledger", "Limits", "UploadGate"]

MEGABYTE = 1 << 20
PREFIX = "/_stcore/upload_file/"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of what. Bytes, files, seconds.

    Parameters
    ----------
    session, everybody : int
        Bytes that one session, and all of them together, may have here at a time.
    files : int
        Files that one session may have here at a time.
    pause, whole : float
        How long an upload may stand still, and how long it may take.
    """

    session: int = 50 * MEGABYTE
    everybody: int = 250 * MEGABYTE
    files: int = 100
    pause: float = 20.0
    whole: float = 600.0


@dataclass
class Account:
    """What one session was given and has brought."""

    # Where it may put files; the oldest is forgotten first.
    given: OrderedDict[str, None] = field(default_factory=OrderedDict)
    held: dict[str, int] = field(default_factory=dict)
    # What is on its way, by file.
    coming: dict[str, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return sum(self.held.values()) + sum(self.coming.values())


class Ledger:
    """Who may put which file where, and how much there is. Safe to use from any thread.

    Parameters
    ----------
    limits : Limits
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._accounts: dict[str, Account] = {}
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """The bytes that are here and on their way."""
        with self._lock:
            return sum(account.size for account in self._accounts.values())

    def give(self, session: str, file: str) -> None:
        """Let a session put a file."""
        with self._lock:
            given = self._accounts.setdefault(session, Account()).given
            given[file] = None
            while len(given) > 2 * self.limits.files:
                given.popitem(last=False)

    def keep(self, session: str, file: str, size: int) -> bool:
        """A file is here now, in the place of what was there; False if its session is gone."""
        with self._lock:
            account = self._accounts.get(session)
            if account is not None:
                account.held[file] = size
            return account is not None

    def drop(self, session: str, file: str) -> None:
        """A file is gone."""
        with self._lock:
            if session in self._accounts:
                self._accounts[session].held.pop(file, None)

    def close(self, session: str) -> None:
        """A session is gone, with all its files."""
        with self._lock:
            self._accounts.pop(session, None)

    @contextmanager
    def coming(self, session: str, file: str) -> Generator[Callable[[int], None]]:
        """Count a file while it comes: call what this yields with the size of each piece.

        Raises
        ------
        HTTPException
            If the file may not be put there, or is too much.
        """
        with self._lock:
            account = self._accounts.get(session)
            if account is None or file not in account.given:
                raise HTTPException(404, "This page did not ask for this file. Reload the page.")
            if file in account.coming:
                raise HTTPException(409, "This file is already being uploaded.")
            if len(account.held.keys() | account.coming.keys() | {file}) > self.limits.files:
                raise HTTPException(
                    413,
                    f"A page may hold {self.limits.files} files, and this one does. {REMEDY}",
                )
            account.coming[file] = 0
        try:
            yield lambda size: self._count(account, file, size)
        finally:
            with self._lock:
                account.coming.pop(file, None)

    def _count(self, account: Account, file: str, size: int) -> None:
        with self._lock:
            account.coming[file] += size
            # What it replaces goes only when it has come: both are here for a moment.
            if account.size > self.limits.session:
                megabytes = self.limits.session // MEGABYTE
                raise HTTPException(
                    413, f"The files of one page may be {megabytes} MB in all. {REMEDY}"
                )
            if sum(each.size for each in self._accounts.values()) > self.limits.everybody:
                raise HTTPException(
                    413, "The server has no room for more files now. Try again later."
                )


REMEDY = "Remove some, or reload the page."


class UploadGate:
    """Lets a browser put files into its own sessions, within limits.

    Parameters
    ----------
    app : ASGIApp
    ledger : Ledger
    owner : callable
        The token of the browser that has a session open, "" if it has none, or None if nobody
        has it open. A browser without a token is known by the address of its session alone.
    """

    def __init__(self, app: ASGIApp, ledger: Ledger, owner: Callable[[str], str | None]) -> None:
        self.app = app
        self.ledger = ledger
        self.owner = owner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http" or not scope["path"].startswith(PREFIX):
            await self.app(scope, receive, send)
            return
        session, _, file = scope["path"].removeprefix(PREFIX).partition("/")
        token = read_token(Headers(scope=scope).getlist("cookie"))
        if self.owner(session) not in ("", token or ""):
            text = "No page of this browser asked for this file. Reload the page and try again.\n"
            await refuse(Refusal(403, text, {}), scope, send)
            return
        if scope["method"] != "PUT":
            await self.app(scope, receive, send)
            return
        try:
            with self.ledger.coming(session, file) as count:
                await self.app(scope, self._counted(receive, count), send)
        except HTTPException as error:
            await refuse(Refusal(error.status_code, f"{error.detail}\n", {}), scope, send)

    def _counted(self, receive: Receive, count: Callable[[int], None]) -> Receive:
        limits = self.ledger.limits
        end = asyncio.get_running_loop().time() + limits.whole
        over = False

        async def receive_counted() -> Message:
            nonlocal over
            if over:
                return await receive()
            left = end - asyncio.get_running_loop().time()
            try:
                async with asyncio.timeout(min(limits.pause, left)):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, "The upload was too slow. Try again.") from None
            count(len(message.get("body", b"")))
            over = not message.get("more_body", False)
            return message

        return receive_counted
