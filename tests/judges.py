"""Programs of others that judge our results: heavy, so they come with the extra `ci` only."""

from __future__ import annotations

from types import ModuleType

import pytest


def judge(name: str) -> ModuleType:
    """The module of a judge; without it the test says that it did not run, and how to have it."""
    return pytest.importorskip(
        name, reason="Outside judges did not run; they come with: make test TEST_EXTRAS=test,ci"
    )
