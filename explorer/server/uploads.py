"""Limits on what visitors may upload, counted while it arrives."""

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

from explorer.server.guard import refusal, refuse
from explorer.visitors import read_token, visitor_name

MEGABYTE = 1 << 20
PREFIX = "/_stcore/upload_file/"


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """Limits in bytes, files and seconds."""

    # Bytes that may be stored at a time.
    session: int = 50 * MEGABYTE
    visitor: int = 100 * MEGABYTE  # in all sessions
    everybody: int = 250 * MEGABYTE
    # Bytes of memory for the parsed content of files: of one visitor, and of all together.
    read: int = 64 * MEGABYTE
    read_everybody: int = 256 * MEGABYTE
    files: int = 100  # that one session may have stored at a time
    # How long an upload may pause, and how long it may take.
    pause: float = 20.0
    whole: float = 600.0


@dataclass
class UploadAccount:
    """The upload addresses given to one session, and its files."""

    # Upload addresses that were given out; the oldest is dropped first.
    given: OrderedDict[str, None] = field(default_factory=OrderedDict)
    held: dict[str, int] = field(default_factory=dict)
    # Uploads in progress, by file.
    coming: dict[str, int] = field(default_factory=dict)
    # Parsed content in memory, by the widget with which the file was uploaded.
    read: dict[str, int] = field(default_factory=dict)
    visitor: str = ""

    @property
    def size(self) -> int:
        """Return the bytes of its files, those in progress included."""
        return sum(self.held.values()) + sum(self.coming.values())


class UploadLedger:
    """Records which session may upload which file, and all sizes. Thread-safe."""

    def __init__(self, limits: UploadLimits) -> None:
        self.limits = limits
        self._accounts: dict[str, UploadAccount] = {}
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """Return the bytes that are stored or in progress."""
        with self._lock:
            return sum(account.size for account in self._accounts.values())

    def give(self, session: str, file: str) -> None:
        """Give a session an upload address."""
        with self._lock:
            files = self._accounts.setdefault(session, UploadAccount()).given
            files[file] = None
            while len(files) > 2 * self.limits.files:
                files.popitem(last=False)

    def keep(self, session: str, file: str, size: int) -> bool:
        """Record a stored file, replacing an earlier one; return False if its session has ended."""
        with self._lock:
            account = self._accounts.get(session)
            if account is not None:
                account.held[file] = size
            return account is not None

    def drop(self, session: str, file: str) -> None:
        """Record that a file was removed."""
        with self._lock:
            if session in self._accounts:
                self._accounts[session].held.pop(file, None)

    def close(self, session: str) -> None:
        """Record that a session has ended, with all its files."""
        with self._lock:
            self._accounts.pop(session, None)

    def note_read(self, session: str, visitor: str, place: str, size: int) -> str | None:
        """Count the parsed content of a file, in bytes; return the reason if it cannot be kept.

        The `place` is the widget with which the file was uploaded; earlier content there is
        discarded, and a size of 0 does only that.
        """
        with self._lock:
            account = self._accounts.get(session)
            if account is None:
                return None  # the session has ended, and its content goes with it
            account.visitor = visitor
            account.read.pop(place, None)
            mine = sum(sum(account.read.values()) for account in self._of(visitor))
            if mine + size > self.limits.read:
                megabytes = self.limits.read // MEGABYTE
                return (
                    f"What is in this file takes too much memory: at most {megabytes} MB for all "
                    "files that are open in this browser. Close other pages, or split the file."
                )
            everybody = sum(sum(account.read.values()) for account in self._accounts.values())
            if everybody + size > self.limits.read_everybody:
                return "The server has no room for what is in this file now. Try again later."
            if size:
                account.read[place] = size
            return None

    def _of(self, visitor: str) -> list[UploadAccount]:
        return [account for account in self._accounts.values() if account.visitor == visitor]

    @contextmanager
    def coming(
        self, session: str, file: str, visitor: str = ""
    ) -> Generator[Callable[[int], None]]:
        """Count a file while it arrives: call what this yields with the size of each chunk.

        An HTTPException says that the file was not expected or exceeds a limit.
        """
        with self._lock:
            account = self._accounts.get(session)
            if account is None or file not in account.given:
                raise HTTPException(404, "This page did not ask for this file. Reload the page.")
            if file in account.coming:
                raise HTTPException(409, "This file is already being uploaded.")
            if len(account.held.keys() | account.coming.keys() | {file}) > self.limits.files:
                most = self.limits.files
                raise HTTPException(
                    413, f"A page may hold {most} files, and this one does. {REMEDY}"
                )
            account.coming[file] = 0
            account.visitor = visitor
        try:
            yield lambda size: self._count(account, file, size)
        finally:
            with self._lock:
                account.coming.pop(file, None)

    def _count(self, account: UploadAccount, file: str, size: int) -> None:
        with self._lock:
            account.coming[file] += size
            # The replaced file goes only when the new one is complete; until then both count.
            for whose, accounts, most in (
                ("page", [account], self.limits.session),
                ("browser", self._of(account.visitor), self.limits.visitor),
            ):
                if sum(account.size for account in accounts) > most:
                    megabytes = most // MEGABYTE
                    text = f"The files of one {whose} may be {megabytes} MB in all. {REMEDY}"
                    raise HTTPException(413, text)
            if sum(account.size for account in self._accounts.values()) > self.limits.everybody:
                raise HTTPException(
                    413, "The server has no room for more files now. Try again later."
                )


REMEDY = "Remove some, or reload the page."


class UploadGate:
    """Lets a browser upload files into its own sessions, within limits.

    `owner` returns the token of the browser that has a session open, "" if it has none, or None if
    the session is not open. For a browser without a token, knowing the session's address is enough.
    """

    def __init__(
        self, app: ASGIApp, ledger: UploadLedger, owner: Callable[[str], str | None]
    ) -> None:
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
            await refuse(refusal(403, text), scope, receive, send)
            return
        if scope["method"] != "PUT":
            await self.app(scope, receive, send)
            return
        try:
            with self.ledger.coming(session, file, visitor_name(token or "")) as count:
                await self.app(scope, self._counted(receive, count), send)
        except HTTPException as error:
            await refuse(refusal(error.status_code, f"{error.detail}\n"), scope, receive, send)

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
