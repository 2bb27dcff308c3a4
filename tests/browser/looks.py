"""The same page as different people have it: in light, in the dark, on a phone."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

__all__ = ["LOOKS", "each_look"]

LOOKS = ("light", "dark", "phone")


def each_look(items, quick: Mapping[str, str] = {}):
    """Every item in every look, for `parametrize`; some of them quick, by item."""
    return [
        pytest.param(item, look, marks=[pytest.mark.quick] if quick.get(item) == look else [])
        for item in items
        for look in LOOKS
    ]
