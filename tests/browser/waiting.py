"""A page takes its time: what it shows is waited for, and never read just once.

Of an element, Playwright's `expect` waits for it. What has to be read in another way (a place on
the screen, what a script finds) is waited for here. Read once is only what must never have been
there.
"""

from __future__ import annotations

import json
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from playwright.sync_api import Error, Page, WebSocket, Worker, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from explorer.rooms.seat import mark_of
from explorer.server.connection import ASK, FEED

__all__ = [
    *("TIMEOUT", "answering", "at_rest", "becomes", "computed", "expect", "fits", "follow", "held"),
    *("longest", "patient", "settled", "shorten"),
]

# A machine that does other things too is slow; a fault is one on a slow machine as well.
TIMEOUT = 180

# After a first timeout in a worker, others most likely have the same cause.
SHORTER = 20
_longest = TIMEOUT
_patient = False

expect.set_options(timeout=TIMEOUT * 1_000)


def longest() -> float:
    """Return the seconds that are waited at most now."""
    return TIMEOUT if _patient else _longest


def shorten() -> None:
    """Wait at most `SHORTER` seconds from now on."""
    global _longest
    _longest = SHORTER
    expect.set_options(timeout=longest() * 1_000)


@contextmanager
def patient() -> Iterator[None]:
    """Wait as long as before any timeout.

    For tests that start other programs than the app: on a busy machine these take longer than
    `SHORTER`, and what timed out before says nothing about them.
    """
    global _patient
    _patient = True
    expect.set_options(timeout=longest() * 1_000)
    try:
        yield
    finally:
        _patient = False
        expect.set_options(timeout=longest() * 1_000)


def becomes(
    read: Callable[[], Any],
    wanted: Any = bool,
    *,
    page: Page | None = None,
    timeout: float = TIMEOUT,
) -> Any:
    """Wait until what is read is what is wanted, or passes a test; return it.

    Parameters
    ----------
    read : callable
    wanted : object or callable
    page : Page, optional
        Whose events are listened to meanwhile, where what is read comes by one: they are heard
        only while a page is asked for something.
    timeout : float
        In seconds.

    Examples
    --------
    >>> becomes(lambda: 2 + 2, 4)
    4
    """
    holds = wanted if callable(wanted) else lambda found: found == wanted
    timeout = min(timeout, longest())
    end = time.monotonic() + timeout
    while True:
        try:
            found = read()
            if holds(found):
                return found
        # The page went on to another address while it was read, or an element has no box yet.
        except (Error, TypeError) as error:
            found = error
        if time.monotonic() > end:
            instead = "" if callable(wanted) else f" instead of {wanted!r}"
            raise AssertionError(f"after {timeout} s it is still {found!r}{instead}")
        _pause(0.05, page)


def _pause(seconds: float, page: Page | None) -> None:
    """Wait; the events of a page are heard meanwhile, if there is one."""
    if page is None:
        time.sleep(seconds)
    else:
        page.wait_for_timeout(seconds * 1_000)


def computed(page: Page | Worker, function: str, argument: Any = None) -> Any:
    """Return what a function computes from its argument, or has itself waited for.

    For functions that do not look at how the page is at this moment. Both ways as JSON, since
    Playwright takes seconds to bring a large value into its own form.
    """
    script = f"async (given) => JSON.stringify([await ({function})(JSON.parse(given))])"
    return json.loads(page.evaluate(script, json.dumps(argument)))[0]


@contextmanager
def held(page: Page) -> Iterator[None]:
    """Stop a page's clock: within the block, only `page.clock.run_for(ms)` moves it."""
    settled(page)
    # It can only be stopped in its future, which may not be over before it is stopped.
    page.clock.pause_at(page.evaluate("Date.now()") / 1_000 + 60)
    try:
        yield
    finally:
        page.clock.resume()


def fits(page: Page) -> None:
    """Wait until nothing of a page is wider than what it is seen in."""
    becomes(lambda: page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


class _Runs:
    """What the app's server still owes a page, and what has come since the page last rested."""

    def __init__(self, page: Page) -> None:
        # Whether the page has asked for a run of its script that has not ended.
        self.owed = False
        # Whether anything has come that may still have to be drawn.
        self.fresh = True
        # Acts on the connection of a window (`explorer/server/connection.py`) without an answer.
        self.acts: set[str] = set()
        self._socket: WebSocket | None = None
        page.on("websocket", self._listen)
        page.on("framenavigated", self._went)

    def _went(self, _: object) -> None:
        self.fresh = True

    def _listen(self, socket: WebSocket) -> None:
        path = urlsplit(socket.url).path
        if path.endswith("/_stcore/stream"):
            self.owed, self.fresh, self._socket = True, True, socket
            socket.on("framesent", self._sent)
            socket.on("framereceived", self._got)
            socket.on("close", self._closed)
        elif path == FEED:
            socket.on("framesent", self._acted)
            socket.on("framereceived", self._answered)
            socket.on("close", lambda _: self.acts.clear())

    def _sent(self, frame: bytes | str) -> None:
        asks = isinstance(frame, bytes) and BackMsg.FromString(frame).WhichOneof("type")
        self.owed = self.owed or asks == "rerun_script"

    def _got(self, frame: bytes | str) -> None:
        self.fresh = True
        if isinstance(frame, bytes):
            said = ForwardMsg.FromString(frame)
            # An interrupted run is followed by another.
            if said.WhichOneof("type") == "script_finished":
                self.owed = said.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN

    def _closed(self, socket: WebSocket) -> None:
        # A reloaded page has opened its next one before.
        self.owed = self.owed and socket is not self._socket

    def _acted(self, frame: bytes | str) -> None:
        if frame != ASK:
            self.acts.add(mark_of(json.loads(frame)))

    def _answered(self, frame: bytes | str) -> None:
        if answer := json.loads(frame).get("answer"):
            self.acts.discard(answer["mark"])


_runs: WeakKeyDictionary[Page, _Runs] = WeakKeyDictionary()

# How often a page that rests is looked at, and 0 if it does not rest. An answer that has come is
# drawn a moment later; a page without the app's server (a front alone, the site) has none.
LOOKS = """() => {
  const root = document.documentElement.classList;
  if (document.readyState === "loading") return 0;
  if (root.contains("nip-loading") || root.contains("nip-late")) return 0;
  if (!document.querySelector("script[src*='static/js/']")) return 1;
  const rests = "[data-testid=stApp][data-test-script-state=notRunning]";
  const busy = "[data-testid=stStatusWidget]";
  return document.querySelector(rests) && !document.querySelector(busy) ? 3 : 0;
}"""


def follow(page: Page) -> None:
    """Listen to what a page and the app's server say, from the page's beginning; see `settled`."""
    _runs[page] = _Runs(page)


def settled(page: Page) -> None:
    """Wait until the app's server has answered all that a page has asked, and that is drawn.

    Whether the page says that a script runs is not enough: just after a click it says nothing yet.
    """
    runs = _runs[page]

    def answered() -> bool:
        # What was sent before a look is heard of by its end. The pauses are not the page's, whose
        # clock a test may hold. If nothing has come since the page last rested, one look is enough.
        for look in (1, 2, 3):
            if runs.owed or runs.acts:
                return False
            wanted = page.evaluate(LOOKS)
            if runs.owed or runs.acts or not wanted:
                return False
            if not runs.fresh or look >= wanted:
                break
            page.wait_for_timeout(50)
        runs.fresh = False
        return True

    becomes(answered, page=page)


def answering(address: str, process: subprocess.Popen) -> None:
    """Wait until a server that was started answers."""

    def answers() -> bool:
        assert process.poll() is None, f"{address} has ended"
        try:
            urllib.request.urlopen(address, timeout=10).close()
        except OSError:
            return False
        return True

    becomes(answers)


def at_rest(
    read: Callable[[], Any],
    *,
    page: Page | None = None,
    pause: float = 0.5,
    timeout: float = TIMEOUT,
) -> Any:
    """What is read, once it has stayed the same for a while; `page` as in `becomes`."""
    seen = [read()]

    def again():
        _pause(pause, page)
        seen.append(read())
        return seen[-1] == seen[-2]

    becomes(again, timeout=timeout)
    return seen[-1]
