"""How often codes may be tried, and rooms be joined: by one address, and by all together."""

from __future__ import annotations

import time
from collections.abc import Callable

from explorer.rooms import TooManyError
from explorer.serving.addresses import neighbourhood
from explorer.storage import MINUTES, Storage

__all__ = ["Tries", "joins", "wrong_codes"]


class Tries:
    """Counts tries in the database, for all processes together, and refuses more after many.

    Parameters
    ----------
    what : str
        What is tried.
    each : int
        How many one address has in ten minutes: many people may share one.
    everybody : int
        How many all have.
    clock : callable, optional
    """

    def __init__(
        self, what: str, each: int, everybody: int, clock: Callable[[], float] = time.time
    ) -> None:
        self._what = what
        self._each = each
        self._everybody = everybody
        self._clock = clock

    def check(self, storage: Storage, address: str) -> None:
        """See that an address may try once more. Nothing is written.

        Raises
        ------
        TooManyError
        """
        mine, everybody = storage.tries.made(self._what, neighbourhood(address), self._clock())
        if mine >= self._each or everybody >= self._everybody:
            raise TooManyError(_TOO_MANY)

    def count(self, storage: Storage, address: str) -> None:
        """Count a try.

        Raises
        ------
        TooManyError
            If others were faster, and there may be none more.
        """
        mine, everybody = storage.tries.count(self._what, neighbourhood(address), self._clock())
        if mine > self._each or everybody > self._everybody:
            raise TooManyError(_TOO_MANY)

    def take(self, storage: Storage, address: str) -> None:
        """Count a try, if there may be one more.

        Raises
        ------
        TooManyError
        """
        # Whoever is refused is not counted, so that a flood writes no more than the limit.
        self.check(storage, address)
        self.count(storage, address)


_TOO_MANY = (
    f"There were too many tries from here. Wait {MINUTES} minutes, and check the code with whoever "
    "leads the room."
)

# Of nearly two million codes nobody finds one by trying so few; and a class behind one address may
# mistype it, each several times, without being kept from joining.
wrong_codes = Tries("wrong code", each=200, everybody=1000)
# Several classes may share an address.
joins = Tries("join", each=400, everybody=4000)
