"""Visitors' progress in lessons, which survives links, Back and a reload of the page.

It is kept on the server, because the state of a game contains what its player may not see, such as
a secret coin. It is lost when the server restarts.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from explorer.lessons import Lesson
from explorer.ui.visitor import visitor

__all__ = ["learned"]

MOST = 5_000  # visitors' lessons; those that were opened longest ago are forgotten first

_done: OrderedDict[tuple[str, str, str], dict[str, Any]] = OrderedDict()
_lock = threading.Lock()


def learned(lesson: Lesson) -> dict[str, Any]:
    """Return this visitor's progress in a lesson by the keys of its blocks, as a mutable dict.

    If the lesson's file has changed, progress starts again, since its blocks may differ.
    """
    key = visitor(), lesson.slug, lesson.mark
    with _lock:
        done = _done.setdefault(key, {})
        _done.move_to_end(key)
        while len(_done) > MOST:
            _done.popitem(last=False)
    return done
