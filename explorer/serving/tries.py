"""How often short codes may be tried, and rooms be joined: by one address, and by all together.

Nobody is refused for what others at the same address did: a school is one address. Whoever comes
when a count is full waits for some seconds, which only makes guessing slow. Keys of 128 bits cannot
be guessed, so they are looked up first and never counted.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from explorer.rooms import Room
from explorer.serving.addresses import neighbourhood
from explorer.storage import Storage

__all__ = ["Door", "Tries", "joins", "wrong_codes", "wrong_passwords"]

# Seconds for which one waits: as soon as the count is full, and however full it is.
LEAST_WAIT, MOST_WAIT = 2.0, 20.0
# The most for somebody from whose address little has come, while others have filled the count.
MOST_WAIT_FOR_OTHERS = 5.0


class Tries:
    """Counts tries in the database, for all processes together, and slows further ones down.

    Parameters
    ----------
    what : str
        What is tried.
    each : int
        How many one address has in ten minutes: many people may share one.
    everybody : int
        How many all have.
    clock : callable, optional
    longest : float
        For how many seconds somebody waits at most.
    """

    def __init__(
        self,
        what: str,
        each: int,
        everybody: int,
        clock: Callable[[], float] = time.time,
        *,
        longest: float = MOST_WAIT,
    ) -> None:
        self._what = what
        self._each = each
        self._everybody = everybody
        self._clock = clock
        self._longest = longest

    def wait(self, storage: Storage, address: str) -> float:
        """For how many seconds somebody waits before their try; 0 while the counts have room.

        Nothing is written, and nobody is held here: whoever asks sees to the waiting.
        """
        mine, everybody = storage.tries.made(self._what, neighbourhood(address), self._clock())
        own = _wait(mine, self._each, self._longest)
        return max(own, _wait(everybody, self._everybody, MOST_WAIT_FOR_OTHERS))

    def count(self, storage: Storage, address: str) -> None:
        """Count a try."""
        storage.tries.count(self._what, neighbourhood(address), self._clock())


def _wait(made: int, most: int, longest: float) -> float:
    """The fuller the count, the longer; at twice as many tries as fit it is the longest."""
    over = made - most
    return 0.0 if over < 0 else min(longest, LEAST_WAIT + over / most * longest)


# Of nearly two million codes nobody finds one by trying so few; and a class behind one address may
# mistype it, each several times, without being kept waiting.
wrong_codes = Tries("wrong code", each=200, everybody=1000)
# Several classes may share an address.
joins = Tries("join", each=400, everybody=4000)
# A facilitator knows the password, or mistypes it a few times.
wrong_passwords = Tries("password", each=10, everybody=200, longest=60.0)


@dataclass(frozen=True, slots=True)
class Turns:
    """How fast people from one address join one room.

    Parameters
    ----------
    at_once : int
        How many may come at the same moment.
    every : float
        Seconds from one to the next after them.
    """

    at_once: int
    every: float


# A class of sixty behind one address is in within a minute, and a script takes as long for as many:
# time enough to lock the door. A lecture hall needs a door that is wide open.
TURNS: Mapping[str, Turns] = {"open": Turns(12, 0.8), "wide": Turns(100, 0.1)}
# So many seconds more or less does somebody wait: else all who wait would come at once again.
SPREAD = 1.5


class Door:
    """The door of a room, through which people from one address come one after the other.

    Nobody is held here, as with :class:`Tries`. Whoever has waited asks again.

    Parameters
    ----------
    room : Room
    clock : callable, optional
    """

    def __init__(self, room: Room, clock: Callable[[], float] = time.time) -> None:
        self._room = room
        self._clock = clock

    def wait(self, storage: Storage, address: str) -> float:
        """Take the next turn, and return 0; if none is free, in how many seconds to ask again."""
        turns = TURNS.get(self._room.door)
        if turns is None:
            return 0.0  # nobody new comes in: who is refused is told at once
        free = storage.tries.take_turn(
            f"in {self._room.code}",
            f"{self._room.door} {neighbourhood(address)}",
            self._clock(),
            every=turns.every,
            at_once=turns.at_once,
        )
        return free and free + random.uniform(0, SPREAD)
