"""Settings that all tests share."""

from __future__ import annotations

import asyncio
import gc
import os
import sys

import pytest
from hypothesis import settings

from tests.depth import FULL, cases

BROWSER = "tests/browser/"

# Where JupyterLab is installed, jsonschema compiles forty grammars when it is loaded, for formats
# that no schema of ours names.
sys.modules["rfc3987_syntax"] = None
# What is imported for the tests stays; to look for garbage among it takes seconds.
gc.disable()

settings.register_profile(
    "steady", derandomize=True, deadline=None, print_blob=True, max_examples=cases(100)
)
settings.load_profile("steady")


def pytest_collection_modifyitems(config, items):
    """Leave the exhaustive ones out, unless they are asked for.

    A browser takes seconds for what a test of a page or a frame sees in a tenth of one: of its
    tests those run that are marked as quick, one or two journeys a page.
    """
    if FULL:
        return
    left_out = [item for item in items if is_exhaustive(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not is_exhaustive(item)]


def pytest_collection_finish():
    """Look for garbage among what tests leave, not among all that was imported for them."""
    gc.collect()
    gc.freeze()
    gc.enable()


def is_exhaustive(item):
    """Is a test only for the full run?"""
    by_browser = item.nodeid.startswith(BROWSER) and not item.get_closest_marker("quick")
    return by_browser or item.get_closest_marker("exhaustive") is not None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol():
    """Give the main module back, in whose place Streamlit puts the script that it tests.

    Processes that a later test starts would run that script instead of ours.
    """
    main = sys.modules["__main__"]
    try:
        return (yield)
    finally:
        sys.modules["__main__"] = main


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Hide the browser's event loop, which its driver leaves running in this thread.

    Tests without a browser may run a loop of their own after those with one.
    """
    if "browser" in item.fixturenames:
        return (yield)
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        return (yield)
    finally:
        asyncio._set_running_loop(loop)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Where skips are forbidden (in CI), a skipped test is a failed one."""
    report = yield
    if report.skipped and os.environ.get("NIP_FORBID_SKIPS") == "1":
        report.outcome = "failed"
        report.longrepr = f"skipped, which is forbidden here: {report.longrepr}"
    return report
