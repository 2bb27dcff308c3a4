"""How far the tests go: in minutes, or with `NIP_FULL=1` to the end.

A kind of mistake is looked for either way; what differs is the number of cases. Tests that look at
the same thing once more (the same page in other colours) are marked `exhaustive`.
"""

from __future__ import annotations

import os

import pytest

__all__ = ["FULL", "cases", "exhaustive"]

FULL = os.environ.get("NIP_FULL") == "1"

exhaustive = pytest.mark.exhaustive


def cases(number: int) -> int:
    """How many cases of so many are tried: all, or a quarter."""
    return number if FULL else -(-number // 4)
