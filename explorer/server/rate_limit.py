"""Limits on attempts to guess short codes and on joining a room, per address and in total.

Nobody is refused because of others at the same address, since a whole school may share one. While a
count is full, attempts are delayed by some seconds, which slows guessing. Keys of 128 bits cannot
be guessed, so they are checked first and never counted.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from explorer.rooms import Room
from explorer.storage import Storage
from explorer.visitors import neighbourhood

# Seconds of delay: as soon as the count is full, and at most.
LEAST_WAIT, MOST_WAIT = 2.0, 20.0
# The longest delay for an address with few attempts while other addresses fill the total.
MOST_WAIT_FOR_OTHERS = 5.0


@dataclass(frozen=True, slots=True)
class RateLimit:
    """Counts attempts in the database, for all processes together, and delays further ones."""

    what: str  # what is attempted
    # Attempts in ten minutes: of one address, which many people may share, and of all together.
    each: int
    everybody: int
    clock: Callable[[], float] = time.time
    longest: float = MOST_WAIT  # the longest delay in seconds

    def wait(self, storage: Storage, address: str) -> float:
        """Return the delay before an attempt in seconds; 0 while the counts are not full.

        This neither writes nor waits: the caller does the waiting.
        """
        mine, everybody = storage.attempts.made(self.what, neighbourhood(address), self.clock())
        own = _wait(mine, self.each, self.longest)
        return max(own, _wait(everybody, self.everybody, MOST_WAIT_FOR_OTHERS))

    def count(self, storage: Storage, address: str) -> None:
        """Count an attempt."""
        storage.attempts.count(self.what, neighbourhood(address), self.clock())


def _wait(made: int, most: int, longest: float) -> float:
    """Return the delay, which grows with the count and is longest at twice the limit."""
    over = made - most
    return 0.0 if over < 0 else min(longest, LEAST_WAIT + over / most * longest)


# There are nearly two million codes, so this few attempts find none. A class behind one address may
# mistype a code several times each without any delay.
wrong_codes = RateLimit("wrong code", each=200, everybody=1000)
# Several classes may share an address.
joins = RateLimit("join", each=400, everybody=4000)
# A facilitator knows the password or mistypes it a few times.
wrong_passwords = RateLimit("password", each=10, everybody=200, longest=60.0)


# How many people with the typed code may join a room from one address at the same moment, and the
# seconds between further people: the room's capacity, or a class if it has as many seats as people.
# A script that fills more seats needs so long for them that there is time to lock the room. A
# lecture hall needs the faster setting.
CLASS = 60
TURNS: Mapping[str, tuple[int, float]] = {"open": (12, 0.8), "wide": (100, 0.1)}
# Random variation of the delay in seconds, so that waiting people do not all retry at once.
SPREAD = 1.5


@dataclass(frozen=True, slots=True)
class RoomRateLimit:
    """Limits how fast people from one address join one room with its typed code.

    Whoever has the room's link does not ask: a class holds up its phones to one QR code.
    As with :class:`RateLimit`, the caller does the waiting and asks again afterwards.
    """

    room: Room
    clock: Callable[[], float] = time.time

    def wait(self, storage: Storage, address: str) -> float:
        """Take the next turn and return 0; if none is free, return the seconds until it is."""
        if self.room.door not in TURNS:
            return 0.0  # The room is locked, so the refusal follows at once
        least, every = TURNS[self.room.door]
        at_once = max(least, self.room.plan.capacity or CLASS)
        free = storage.attempts.take_turn(
            f"in {self.room.code}",
            f"{self.room.door} {neighbourhood(address)}",
            self.clock(),
            every=every,
            at_once=at_once,
        )
        return free and free + random.uniform(0, SPREAD)
