"""How far the tests go: in minutes, or with `NIP_FULL=1` to the end.

A kind of mistake is looked for either way; what differs is the number of cases. Tests that look at
the same thing once more (the same page in other colours) are marked `exhaustive`.
"""

from __future__ import annotations

import os

import pytest

__all__ = ["FULL", "cases", "exhaustive", "first"]

FULL = os.environ.get("NIP_FULL") == "1"

exhaustive = pytest.mark.exhaustive


def cases(number: int) -> int:
    """How many cases of so many are tried: all, or a quarter."""
    return number if FULL else -(-number // 4)


def first(count: int, items):
    """Items for `parametrize`, all but the first few of them exhaustive."""
    return [
        pytest.param(item, marks=() if place < count else exhaustive)
        for place, item in enumerate(items)
    ]
