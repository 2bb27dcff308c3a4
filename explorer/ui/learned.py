"""What visitors did in lessons: it survives links, Back and a reload of the page.

It is kept on the server, because the state of a game holds what its player may not see (a secret
coin), and so may not be kept in a browser. A restart of the server forgets it.
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
    """Return what this visitor did in a lesson, by the keys of its blocks; it may be changed.

    A lesson whose file has changed begins anew, for its blocks may be others.
    """
    key = visitor(), lesson.slug, lesson.mark
    with _lock:
        done = _done.setdefault(key, {})
        _done.move_to_end(key)
        while len(_done) > MOST:
            _done.popitem(last=False)
    return done
