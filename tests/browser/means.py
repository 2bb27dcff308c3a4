"""The three ways to use a page: mouse, touch, keyboard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from playwright.sync_api import Error, Locator, Page

__all__ = ["KEYS", "MEANS", "MOUSE", "TOUCH", "Means"]

Point = tuple[float, float]
TIMEOUT = 30_000  # ms
# How far a handle is moved, sideways and down.
FAR, STEPS = 60, 6


@dataclass(frozen=True)
class Means:
    """How to press an element and to move a handle; both wait until that is possible."""

    name: str
    use: Callable[[Locator], None]
    move: Callable[[Locator], None]


_fingers: WeakKeyDictionary[Page, Any] = WeakKeyDictionary()


def _touched(page: Page, *points: Point) -> None:
    """Put a finger down at the first point, move it over the others, and lift it."""
    if page not in _fingers:
        _fingers[page] = page.context.new_cdp_session(page)
    kinds = ("touchStart", *["touchMove"] * (len(points) - 1))
    for kind, (x, y) in zip(kinds, points, strict=True):
        touch = {"type": kind, "touchPoints": [{"x": x, "y": y}]}
        _fingers[page].send("Input.dispatchTouchEvent", touch)
    _fingers[page].send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def _middle(element: Locator, most: float = float("inf")) -> Point:
    box = element.bounding_box(timeout=TIMEOUT)
    if box is None:
        raise Error("It is gone.")
    return box["x"] + min(most, box["width"] / 2), box["y"] + box["height"] / 2


def _way(start: Point) -> list[Point]:
    x, y = start
    return [(x + FAR * n / STEPS, y + FAR * n / STEPS) for n in range(STEPS + 1)]


def _press_by_touch(element: Locator) -> None:
    # Scroll there, and wait until it is still and not covered.
    element.click(trial=True, timeout=TIMEOUT)
    # The text of a label is at its beginning.
    _touched(element.page, _middle(element, 20))


def _press_by_key(element: Locator) -> None:
    choice = element.locator("input")
    if choice.count():
        choice.first.press("Space", timeout=TIMEOUT)
    else:
        element.press("Enter", timeout=TIMEOUT)


def _move_by_mouse(handle: Locator) -> None:
    handle.scroll_into_view_if_needed(timeout=TIMEOUT)
    mouse, start = handle.page.mouse, _middle(handle)
    mouse.click(*start)
    mouse.move(*start)
    mouse.down()
    for point in _way(start):
        mouse.move(*point)
    mouse.up()


def _move_by_touch(handle: Locator) -> None:
    handle.scroll_into_view_if_needed(timeout=TIMEOUT)
    start = _middle(handle)
    _touched(handle.page, start)
    _touched(handle.page, *_way(start))


def _move_by_key(handle: Locator) -> None:
    for key in ("ArrowRight", "Enter"):
        handle.press(key, timeout=TIMEOUT)


MOUSE = Means("mouse", lambda element: element.click(timeout=TIMEOUT), _move_by_mouse)
TOUCH = Means("touch", _press_by_touch, _move_by_touch)
KEYS = Means("keys", _press_by_key, _move_by_key)
MEANS = (MOUSE, TOUCH, KEYS)
