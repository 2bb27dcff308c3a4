"""How often codes may be tried."""

from __future__ import annotations

import pytest

from explorer.rooms import TooManyError
from explorer.serving.tries import MINUTES, Tries


def test_tries_are_counted_for_each_address_and_for_all():
    now = [0.0]
    tries = Tries(2, 5, lambda: now[0])
    for address in ("a", "b", "a", "b"):
        tries.take(address)
    for address in ("a", "b"):
        with pytest.raises(TooManyError, match="Wait 10 minutes"):
            tries.check(address)
    # Who only asks is not counted.
    for _ in range(3):
        tries.check("c")
    tries.count("c")
    with pytest.raises(TooManyError):
        tries.take("d")
    now[0] += 60 * MINUTES
    tries.take("a")
