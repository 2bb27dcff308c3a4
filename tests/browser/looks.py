"""The same page as different people have it: in light, in the dark, on a phone."""

from __future__ import annotations

import pytest

from tests.depth import exhaustive

__all__ = ["LOOKS", "each_look"]

LOOKS = ("light", "dark", "phone")


def each_look(items, quick):
    """Every item in every look, for `parametrize`; all but the quick ones, by item, exhaustive."""
    return [
        pytest.param(item, look, marks=() if quick.get(item) == look else exhaustive)
        for item in items
        for look in LOOKS
    ]
