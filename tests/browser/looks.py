"""The same page as different people have it: in light, in the dark, on a phone."""

from __future__ import annotations

import pytest

from tests.depth import exhaustive

__all__ = ["LOOKS", "each_look"]

LOOKS = ("light", "dark", "phone")


def each_look(items, quick=LOOKS):
    """Every item in every look, for `parametrize`; the quick tests take one look each, in turn."""
    return [
        pytest.param(item, look, marks=() if look == quick[place % len(quick)] else exhaustive)
        for place, item in enumerate(items)
        for look in LOOKS
    ]
