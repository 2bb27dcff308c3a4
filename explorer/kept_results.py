"""Results that several visitors' pages need, kept up to a number of bytes."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from gc import get_referents
from types import FunctionType, ModuleType
from typing import Any, TypeVar

__all__ = ["KeptResults", "held_by"]

T = TypeVar("T")


class KeptResults:
    """The results used last, by what they depend on. Thread-safe.

    Their number alone would limit nothing: visitors choose how large each is.

    Parameters
    ----------
    most : int
        The most bytes of all results with their keys.
    """

    def __init__(self, most: int) -> None:
        self.most, self.size = most, 0
        self._found: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._found)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the result for a key, made now if it is not kept."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key][0]
        made = make()
        size = held_by((key, made), self.most)
        with self._lock:
            self._drop(key)
            if size <= self.most:
                self._found[key] = made, size
                self.size += size
            while self.size > self.most:
                self._drop(next(iter(self._found)))
        return made

    def clear(self) -> None:
        """Drop all results."""
        with self._lock:
            self._found.clear()
            self.size = 0

    def _drop(self, key: Hashable) -> None:
        _, size = self._found.pop(key, (None, 0))
        self.size -= size


def held_by(thing: object, most: int) -> int:
    """Return how many bytes of memory an object takes, with everything that it refers to.

    The count stops when it has passed `most`.
    """
    size, seen, left = 0, set[int](), [thing]
    while left and size <= most:
        part = left.pop()
        if id(part) in seen or isinstance(part, type | ModuleType):
            continue
        seen.add(id(part))
        size += sys.getsizeof(part)
        # Count what a function closes over, but not its module.
        left += (part.__closure__ or ()) if isinstance(part, FunctionType) else get_referents(part)
    return size
