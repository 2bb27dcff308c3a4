"""Settings of all tests."""

from __future__ import annotations

import asyncio
import gc
import os
import sys

import pytest
from hypothesis import settings

from tests.depth import FULL, cases

BROWSER = "tests/browser/"

# If JupyterLab is installed, jsonschema compiles forty grammars when it is loaded, for formats that
# our schemas do not use.
sys.modules["rfc3987_syntax"] = None
# Imported modules stay until the end; searching them for garbage takes seconds.
gc.disable()

settings.register_profile(
    "steady", derandomize=True, deadline=None, print_blob=True, max_examples=cases(100)
)
settings.load_profile("steady")


def pytest_collection_modifyitems(config, items):
    """Leave out exhaustive tests, unless they are requested.

    A browser test takes ten times as long as a test of a page or of frames, so only those run that
    are marked as quick: one or two journeys for each page.
    """
    if FULL:
        return
    left_out = [item for item in items if is_exhaustive(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not is_exhaustive(item)]


def pytest_collection_finish():
    """Search only what tests leave behind for garbage, and not everything that was imported for
    them.
    """
    gc.collect()
    gc.freeze()
    gc.enable()


def is_exhaustive(item):
    """Return whether a test belongs only to the full run."""
    by_browser = item.nodeid.startswith(BROWSER) and not item.get_closest_marker("quick")
    return by_browser or item.get_closest_marker("exhaustive") is not None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol():
    """Restore the main module, which Streamlit replaces by the script under test.

    Otherwise, processes of later tests would run that script.
    """
    main = sys.modules["__main__"]
    try:
        return (yield)
    finally:
        sys.modules["__main__"] = main


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Hide the event loop that the browser's driver leaves running in this thread.

    Later tests without a browser may run their own loop.
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
    """If skips are forbidden (in CI), a skipped test fails."""
    report = yield
    if report.skipped and os.environ.get("NIP_FORBID_SKIPS") == "1":
        report.outcome = "failed"
        report.longrepr = f"skipped, which is forbidden here: {report.longrepr}"
    return report
