"""How much visitors may bring in, counted while it comes."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from gc import get_referents
from types import FunctionType, ModuleType

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.serving.guard import Refusal, refuse
from explorer.serving.identity import read_token, visitor_name

__all__ = ["Ledger", "Limits", "UploadGate", "held_by"]

MEGABYTE = 1 << 20
PREFIX = "/_stcore/upload_file/"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of what. Bytes, files, seconds.

    Parameters
    ----------
    session, visitor, everybody : int
        Bytes that one session, one visitor in all sessions, and all of them together may have here
        at a time.
    read, read_everybody : int
        Bytes of memory that hold what was read from files, for one visitor and all together.
    files : int
        Files that one session may have here at a time.
    pause, whole : float
        How long an upload may stand still, and how long it may take.
    """

    session: int = 50 * MEGABYTE
    visitor: int = 100 * MEGABYTE
    everybody: int = 250 * MEGABYTE
    read: int = 64 * MEGABYTE
    read_everybody: int = 256 * MEGABYTE
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
    # What was read from files and is kept, by the place where the file was sent.
    read: dict[str, int] = field(default_factory=dict)
    visitor: str = ""

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

    def note_read(self, session: str, visitor: str, place: str, size: int) -> str | None:
        """Count what was read from a file; why it cannot be kept, if so.

        Parameters
        ----------
        session, visitor : str
        place : str
            Where the file was sent. What was read from the file before it is kept no more.
        size : int
            Bytes of memory; 0 for nothing.
        """
        with self._lock:
            account = self._accounts.get(session)
            if account is None:
                return None  # the session has ended, and takes with it what it has read
            account.visitor = visitor
            account.read.pop(place, None)
            mine = sum(sum(each.read.values()) for each in self._of(visitor))
            if mine + size > self.limits.read:
                megabytes = self.limits.read // MEGABYTE
                return (
                    f"What is in this file takes too much memory: at most {megabytes} MB for all "
                    "files that are open in this browser. Close other pages, or split the file."
                )
            everybody = sum(sum(each.read.values()) for each in self._accounts.values())
            if everybody + size > self.limits.read_everybody:
                return "The server has no room for what is in this file now. Try again later."
            if size:
                account.read[place] = size
            return None

    def _of(self, visitor: str) -> list[Account]:
        return [each for each in self._accounts.values() if each.visitor == visitor]

    @contextmanager
    def coming(
        self, session: str, file: str, visitor: str = ""
    ) -> Generator[Callable[[int], None]]:
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
            account.visitor = visitor
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
            if sum(each.size for each in self._of(account.visitor)) > self.limits.visitor:
                megabytes = self.limits.visitor // MEGABYTE
                raise HTTPException(
                    413, f"The files of one browser may be {megabytes} MB in all. {REMEDY}"
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
            with self.ledger.coming(session, file, visitor_name(token or "")) as count:
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


def held_by(thing: object, most: int) -> int:
    """How many bytes of memory an object takes with all that it holds.

    Parameters
    ----------
    thing : object
    most : int
        Counting ends there.
    """
    found, seen, left = 0, set[int](), [thing]
    while left and found <= most:
        each = left.pop()
        if id(each) in seen or isinstance(each, type | ModuleType):
            continue
        seen.add(id(each))
        found += sys.getsizeof(each)
        # A function holds what it closes over; its module is not its own.
        left += (each.__closure__ or ()) if isinstance(each, FunctionType) else get_referents(each)
    return found
