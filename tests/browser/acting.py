"""How a test uses a page: every click, key and text goes through here, and nothing else may act.

Before an action the page settles. An element that stands there twice for a moment, or is replaced
by another one meanwhile, is looked for again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from re import Pattern
from typing import Any

from playwright.sync_api import Download, Error, Locator, Page

from tests.browser.waiting import longest, settled

# With these errors, nothing has been done yet, or not to the element that is there now.
NOT_DONE = ("strict mode violation", "not attached", "detached", "does not hold the text")

NO_DOUBLE_TAP = 400  # ms; see `explorer/front/sure.js`


def _act(where: Page | Locator, does: Callable[[], Any], now: bool = False) -> None:
    """Settle and act, again while the element is not there exactly once.

    Parameters
    ----------
    where : Page or Locator
    does : callable
    now : bool
        Do not wait until the page has settled: it never rests, or one is faster than it.
    """
    page = where if isinstance(where, Page) else where.page
    end = time.monotonic() + longest()
    while True:
        if not now:
            settled(page)
        try:
            does()
            return
        except Error as error:
            if time.monotonic() > end or not any(sign in error.message for sign in NOT_DONE):
                raise
        page.wait_for_timeout(50)


def _action(name: str, about: str) -> Callable[..., None]:
    """Return an action of Playwright's, which is done to a page or an element."""

    def act(where: Page | Locator, *given: Any, now: bool = False, **how: Any) -> None:
        _act(where, lambda: getattr(where, name)(*given, **how), now)

    act.__doc__ = about
    return act


choose = _action("select_option", "Choose an option of a `select` element.")
upload = _action("set_input_files", "Give files to a box for files.")
hover = _action("hover", "Move the mouse over an element.")
drag = _action("drag_to", "Drag an element onto another one.")
focus = _action("focus", "Give an element the focus.")
blur = _action("blur", "Take the focus from an element.")
scroll_to = _action("scroll_into_view_if_needed", "Bring an element into view.")
back = _action("go_back", "Go back in the browser's history.")
forward = _action("go_forward", "Go forward in the browser's history.")


def _each(where: Page | Locator, names: tuple, role: Any, exact: bool) -> list[Any]:
    return [where.get_by_role(role, name=name, exact=exact) for name in names] or [where]


def click(
    where: Page | Locator,
    *names: str | Pattern[str],
    role: str = "button",
    exact: bool = False,
    now: bool = False,
    **how: Any,
) -> None:
    """Click an element, or one after the other the buttons of these names within it.

    A button that confirms (“Yes, reject”) can be pressed from `NO_DOUBLE_TAP` on: the page's clock
    is moved there.
    """
    for found, name in zip_longest(_each(where, names, role, exact), names):
        if str(name).startswith("Yes, "):
            found.wait_for()
            found.page.clock.run_for(NO_DOUBLE_TAP)
        _act(where, lambda found=found: found.click(**how), now)


def download(where: Page | Locator, *names: str, **how: Any) -> Download:
    """Click, as `click` does, and return the file that comes."""
    page = where if isinstance(where, Page) else where.page
    with page.expect_download() as coming:
        click(where, *names, **how)
    return coming.value


def check(where: Page | Locator, *names: str, role: str = "radio", exact: bool = False) -> None:
    """Tick an element, or the radio buttons of these names within it."""
    for found in _each(where, names, role, exact):
        _act(where, found.check)


def press(where: Page | Locator, *keys: str, now: bool = False) -> None:
    """Press keys on an element, or on whatever of a page has the focus."""
    on = where.keyboard if isinstance(where, Page) else where
    for key in keys:
        _act(where, lambda key=key: on.press(key), now)


def write(where: Page | Locator, text: str) -> None:
    """Type a text key by key."""
    _act(where, lambda: (where.keyboard if isinstance(where, Page) else where).type(text))


def fill(box: Locator, text: str, *keys: str, now: bool = False) -> None:
    """Fill a box, and press keys in it; again if another box without the text takes its place."""

    def does() -> None:
        box.fill(text)
        if box.input_value() != text:
            raise Error(f"The box does not hold the text {text[:60]!r}.")

    _act(box, does, now)
    press(box, *keys, now=now)


def pick(page: Page, box: Locator, option: str | Pattern[str]) -> None:
    """Choose an option of Streamlit's select box.

    A rerun, or a page that still scrolls to the box, closes the list: then it is opened again.
    """
    wanted = page.get_by_role("option", name=option)
    for seconds in (0.5, 1, 2, 4, 8, 16, 32, 64):
        click(box)
        try:
            wanted.click(timeout=seconds * 1_000)
        except Error:
            page.keyboard.press("Escape")
        else:
            return
    raise AssertionError(f"No option {option!r}: {page.get_by_role('option').all_inner_texts()}")


@contextmanager
def dragged(
    handle: Locator, x: float, y: float = 0, *, start: tuple[float, float] = (0.5, 0.5)
) -> Iterator[None]:
    """Drag an element with the mouse, and let it go at the end of the block.

    Parameters
    ----------
    handle : Locator
    x, y : float
        How far, in pixels; less than 1 is a share of the element's size.
    start : tuple of float
        Where it is taken, as shares of its size.
    """
    mouse, at = handle.page.mouse, []

    def take() -> None:
        handle.scroll_into_view_if_needed()
        box = handle.bounding_box()
        if box is None:
            raise Error("The handle is detached.")
        at.clear()
        sides = (("x", "width", x), ("y", "height", y))
        for (from_, size, far), share in zip(sides, start, strict=True):
            begin = box[from_] + share * box[size]
            at.append((begin, begin + (far if abs(far) >= 1 else far * box[size])))
        mouse.move(*(begin for begin, _ in at))
        mouse.down()

    _act(handle, take)
    mouse.move(*(end for _, end in at), steps=8)
    yield
    mouse.up()
