"""How many tests run: the quick ones, those of a submission, or all of them.

`make test` runs the quick tests: each costs at most half a second of processor time, one of a page
at most a second. Added are two journeys in a browser, and what looks at all files (marked `quick`).
Dearer tests are listed in `costs.json` (`make costs` measures them); tests that repeat another one
(the same page in other colours) are marked `exhaustive`.

`.ci/run` sets `NIP_SAMPLE` to the commit's hash. This adds all tests of frames, of secrecy, of the
documentation, and in a browser, but for those that repeat another one. Of these and of the other
dear ones it adds a quarter, another quarter for each commit. `NIP_FULL=1` runs everything, with
cases that differ from day to day (`NIP_SEED` repeats those of another day).
"""

from __future__ import annotations

import datetime
import functools
import hashlib
import inspect
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.kinds import BROWSER, DOCS, SECRECY

__all__ = [
    "COSTS",
    "COSTS_FILE",
    "COSTS_TO",
    "FULL",
    "JOURNEYS",
    "LIMIT",
    "SAMPLE",
    "SEED",
    "cases",
    "each",
    "exhaustive",
    "file_of",
    "first",
    "is_dear",
    "is_left_out",
    "limit_of",
    "missing",
    "seeds",
    "short",
]

FULL = os.environ.get("NIP_FULL") == "1"
SAMPLE = os.environ.get("NIP_SAMPLE", "")
# Whether all journeys in a browser run, and not only the quick ones.
JOURNEYS = FULL or bool(SAMPLE)
# Workers that start after midnight get the same seed.
SEED = int(os.environ.setdefault("NIP_SEED", str(datetime.date.today().toordinal() if FULL else 0)))

# Dearer tests, in seconds of processor time, are not quick. A test of a page may cost more, since
# only few tests see each fault of a page.
LIMIT, LIMIT_OF_PAGES = 0.5, 1.0
PAGES = "tests/explorer/ui/"
COSTS_FILE = Path(__file__).with_name("costs.json")
COSTS: dict[str, float] = json.loads(COSTS_FILE.read_text("utf-8"))
# A folder; set while costs are measured.
COSTS_TO = "NIP_COSTS_TO"

# All tests of frames run on every submission, like those in a browser and of secrecy.
FRAMES = frozenset(("frame_server", "frames"))

exhaustive = pytest.mark.exhaustive


def cases(number: int) -> int:
    """Return how many of a number of cases are tried: a quarter, or in the full run half."""
    return -(-number // (2 if FULL else 4))


def seeds(number: int) -> range:
    """Return the seeds of random cases, as many as `cases` says; in the full run others each day.

    Tests that compare a frequency with its limits always count the same cases.
    """
    start = 100_000 * SEED
    return range(start, start + cases(number))


def file_of(test: str) -> str:
    """Return the file of a test, given its id."""
    return test.partition("::")[0]


def limit_of(test: str) -> float:
    """Return what a quick test may cost, given its id."""
    return LIMIT_OF_PAGES if test.startswith(PAGES) else LIMIT


def is_dear(item: pytest.Item) -> bool:
    """Return whether a test is not among the quick ones."""
    listed = item.nodeid in COSTS and COSTS_TO not in os.environ
    in_browser = item.nodeid.startswith(BROWSER)
    dear = listed or in_browser or item.get_closest_marker("exhaustive") is not None
    return dear and item.get_closest_marker("quick") is None


def is_left_out(item: pytest.Item) -> bool:
    """Return whether a test does not run at this depth."""
    if FULL or not is_dear(item):
        return False
    if not SAMPLE:
        return True
    if item.nodeid.startswith((DOCS, *SECRECY)) or FRAMES & {*item.fixturenames}:
        return False
    if item.nodeid.startswith(BROWSER) and not item.get_closest_marker("exhaustive"):
        return False
    return hashlib.sha256(f"{SAMPLE} {item.nodeid}".encode()).digest()[0] >= 64


def missing(items: Iterable[pytest.Item]) -> list[str]:
    """Return the tests of `costs.json` that are gone, given all tests of some files."""
    there = {item.nodeid for item in items}
    files = {file_of(test) for test in there}
    return [test for test in COSTS if file_of(test) in files and test not in there]


def first(count: int, items):
    """Return items for `parametrize`, of which all but the first few are exhaustive."""
    return [
        pytest.param(item, marks=() if place < count else exhaustive)
        for place, item in enumerate(items)
    ]


def short(value: object) -> str:
    """Return the id of a test case, for `ids` of `parametrize`: its value, cut to 60 characters."""
    return (value if isinstance(value, str) else repr(value))[:60]


def each(names: str | tuple[str, ...], items: Iterable | Callable, *, ids: Callable | None = None):
    """Try all items in one test, and report each that fails as a subtest.

    For cases that take only milliseconds, less than the overhead of a test; otherwise use
    `pytest.mark.parametrize`. Fixtures are made once for all cases. Items that are slow to make
    come from a generator or a function: both are first used when the test runs.
    """
    names = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names
    found = functools.cache(lambda: [*(items() if callable(items) else items)])

    def decorate(test):
        kept = {n: p for n, p in inspect.signature(test).parameters.items() if n not in names}
        nested = "subtests" in kept

        @functools.wraps(test)
        def every(*args, subtests: pytest.Subtests, **fixtures):
            if nested:
                fixtures["subtests"] = subtests
            for item in found():
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
