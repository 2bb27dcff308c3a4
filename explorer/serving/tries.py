"""How often codes may be tried, and rooms be joined: by one address, and by all together."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable

from explorer.rooms import TooManyError

__all__ = ["Tries", "joins", "wrong_codes"]

MINUTES = 10


class Tries:
    """Counts tries, and refuses more once there were many. Safe to use from any thread.

    Parameters
    ----------
    each : int
        How many one address has in ten minutes: many people may share one.
    everybody : int
        How many all have.
    clock : callable, optional
    """

    def __init__(
        self, each: int, everybody: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._each = each
        self._everybody = everybody
        self._clock = clock
        self._since = clock()
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def check(self, address: str) -> None:
        """See that an address may try once more.

        Raises
        ------
        TooManyError
        """
        with self._lock:
            now = self._clock()
            if now - self._since >= 60 * MINUTES:
                self._since = now
                self._counts.clear()
            if self._counts[address] >= self._each or self._counts.total() >= self._everybody:
                raise TooManyError(
                    f"There were too many tries from here. Wait {MINUTES} minutes, and check the "
                    "code with whoever leads the room."
                )

    def count(self, address: str) -> None:
        """Count a try."""
        with self._lock:
            self._counts[address] += 1

    def take(self, address: str) -> None:
        """Count a try, if there may be one more.

        Raises
        ------
        TooManyError
        """
        self.check(address)
        self.count(address)


# Of nearly two million codes nobody finds one by trying so few; and a class behind one address may
# mistype it, each several times, without being kept from joining.
wrong_codes = Tries(each=200, everybody=1000)
# Several classes may share an address.
joins = Tries(each=400, everybody=4000)
