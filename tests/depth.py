"""The depth of the tests: quick, or complete with `NIP_FULL=1`.

Both find the same kinds of mistakes, with different numbers of cases. Tests that repeat another
test (the same page in other colours) are marked `exhaustive`.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable

import pytest

__all__ = ["FULL", "cases", "each", "exhaustive", "first", "short"]

FULL = os.environ.get("NIP_FULL") == "1"

exhaustive = pytest.mark.exhaustive


def cases(number: int) -> int:
    """Return how many of a number of cases are tried: all, or a quarter."""
    return number if FULL else -(-number // 4)


def first(count: int, items):
    """Return items for `parametrize`, of which all but the first few are exhaustive."""
    return [
        pytest.param(item, marks=() if place < count else exhaustive)
        for place, item in enumerate(items)
    ]


def short(value: object) -> str:
    """Return the id of a test case, for `ids` of `parametrize`: its value, cut to 60 characters."""
    return (value if isinstance(value, str) else repr(value))[:60]


def each(names: str | tuple[str, ...], items: Iterable, *, ids: Callable | None = None):
    """Try all items in one test, and report each that fails as a subtest.

    For cases that take only milliseconds, less than the overhead of a test; otherwise use
    `pytest.mark.parametrize`. Fixtures are made once for all cases.
    """
    names = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names
    items = [*items]

    def decorate(test):
        kept = {n: p for n, p in inspect.signature(test).parameters.items() if n not in names}
        nested = "subtests" in kept

        @functools.wraps(test)
        def every(*args, subtests: pytest.Subtests, **fixtures):
            if nested:
                fixtures["subtests"] = subtests
            for item in items:
                values = (item,) if len(names) == 1 else item
                try:
                    test(*args, **fixtures, **dict(zip(names, values, strict=True)))
                except Exception as error:
                    # Only a failing case becomes a subtest, since a subtest has the overhead of a
                    # test.
                    with subtests.test((ids or repr)(item)[:200]):
                        raise error

        kept.setdefault("subtests", inspect.Parameter("subtests", inspect.Parameter.KEYWORD_ONLY))
        every.__signature__ = inspect.Signature([*kept.values()])
        return every

    return decorate
