"""Programs of others that judge our results, as packages of the extra `ci` or of Debian.

They are heavy: where one is missing, a test that needs it says in a line that it did not run. CI
has all of them, and a skipped test is a failed one there.
"""

from __future__ import annotations

import shutil
from types import ModuleType

import pytest


def judge(name: str) -> ModuleType:
    """The module of a judge; without it the test says that it did not run, and how to have it."""
    return pytest.importorskip(
        name, reason="Outside judges did not run; they come with: make test TEST_EXTRAS=test,ci"
    )


def program(name: str, package: str) -> str:
    """The path of a judge that is no package of Python; without it, the test did not run."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} did not run, for it is not installed (Debian: {package})")
    return found
