"""Other programs that check our results, from the extra `ci` or Debian packages.

They are large. If one is missing, tests that need it are skipped with a message. CI has all of
them, and a skipped test fails there.
"""

import shutil
from types import ModuleType

import pytest


def judge(name: str) -> ModuleType:
    """Return the module of a judge; if it is missing, skip the test and say how to install it."""
    return pytest.importorskip(
        name, reason="Outside judges did not run; they come with: make test TEST_EXTRAS=test,ci"
    )


def program(name: str, package: str) -> str:
    """Return the path of a judge that is not a Python package; if it is missing, skip the test."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} did not run, for it is not installed (Debian: {package})")
    return found
