"""Files that visitors have opened, kept in memory, so that a reload of the page finds them again.

Each belongs to the visitor who uploaded it. A restart of the server forgets all of them.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from nip_core.displays import displayed, line

MEGABYTE = 1 << 20
LIFETIME = 12 * 3600.0  # seconds after which a file that nobody has looked at is dropped


@displayed
@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file, with what Streamlit's uploaded files have."""

    name: str
    file_id: str
    content: bytes = field(repr=False)

    def getvalue(self) -> bytes:
        """Return its content."""
        return self.content


class KeptFiles:
    """The last file of each visitor at each place. Thread-safe.

    Parameters
    ----------
    most : int
        The most bytes of all files. Those used last are kept, and a larger file never is.
    """

    def __init__(
        self, most: int = 128 * MEGABYTE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.most = most
        self._clock = clock
        self._files: OrderedDict[tuple[str, str], tuple[KeptFile, float]] = OrderedDict()
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return line(self)

    @property
    def size(self) -> int:
        """Return the bytes of all files."""
        with self._lock:
            return self._size()

    def keep(self, visitor: str, place: str, file: KeptFile) -> None:
        """Keep a visitor's file in place of the one before."""
        with self._lock:
            self._files.pop((visitor, place), None)
            if len(file.content) <= self.most:
                self._files[visitor, place] = file, self._clock()
            while self._size() > self.most:
                self._files.popitem(last=False)

    def file(self, visitor: str, place: str) -> KeptFile | None:
        """Return a visitor's file, if it is still kept."""
        with self._lock:
            old = self._clock() - LIFETIME
            for key in [key for key, (_, used) in self._files.items() if used < old]:
                del self._files[key]
            found = self._files.get((visitor, place))
            if found is None:
                return None
            self._files[visitor, place] = found[0], self._clock()
            self._files.move_to_end((visitor, place))
            return found[0]

    def drop(self, visitor: str, place: str) -> None:
        """Forget a visitor's file."""
        with self._lock:
            self._files.pop((visitor, place), None)

    def _size(self) -> int:
        return sum(len(file.content) for file, _ in self._files.values())


kept_files = KeptFiles()
