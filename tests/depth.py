"""How far the tests go: in minutes, or with `NIP_FULL=1` to the end.

A kind of mistake is looked for either way; what differs is the number of cases. Tests that look at
the same thing once more (the same page in other colours) are marked `exhaustive`.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable

import pytest

__all__ = ["FULL", "cases", "each", "exhaustive", "first"]

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


def each(names: str | tuple[str, ...], items: Iterable, *, ids: Callable = repr):
    """Try all items in one test, which names those that fail.

    For cases that take less than a test takes by itself, some milliseconds; otherwise like
    `pytest.mark.parametrize`. What a test asks of fixtures is there once, for all cases.
    """
    names = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names
    items = [*items]

    def decorate(test):
        @functools.wraps(test)
        def every(*args, **fixtures):
            failed = {}
            for item in items:
                values = (item,) if len(names) == 1 else item
                try:
                    test(*args, **fixtures, **dict(zip(names, values, strict=True)))
                except Exception as error:
                    failed[ids(item)[:200]] = error
            if failed:
                said = "\n".join(f"{case}: {str(e)[:300]}" for case, e in failed.items())
                first_error = next(iter(failed.values()))
                raise AssertionError(f"in {len(failed)} cases\n{said}") from first_error

        kept = [p for n, p in inspect.signature(test).parameters.items() if n not in names]
        every.__signature__ = inspect.Signature(kept)
        return every

    return decorate
