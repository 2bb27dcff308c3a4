"""Settings of all tests."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from pathlib import Path

import hypothesis.core
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests import patience as patience
from tests.costs import DearTests, Recorder
from tests.depth import COSTS_TO, JOURNEYS, SEED, cases, is_left_out, missing
from tests.kinds import BROWSER
from tests.memory import in_memory

BROWSER_FOLDER = Path(__file__).parent.parent / BROWSER
GONE = pytest.StashKey[list[str]]()
# How many tests this process has run.
DONE = pytest.StashKey[int]()

# If JupyterLab is installed, jsonschema compiles forty grammars when it is loaded, for formats that
# our schemas do not use.
sys.modules["rfc3987_syntax"] = None
# Imported modules stay until the end; searching them for garbage takes seconds.
gc.disable()

settings.register_profile(
    "cases",
    derandomize=not SEED,
    database=None,
    deadline=None,
    # On a busy machine the first draw, which lists all characters, may take half a minute.
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
    max_examples=cases(100),
)
settings.load_profile("cases")
# Hypothesis also tries constants of our source. To find them takes each process a second, and the
# cases of a test would depend on what else its process has imported.
if not JOURNEYS:
    providers._get_local_constants = lambda: providers._local_constants
if SEED:
    hypothesis.core.global_force_seed = SEED


# Bytes that have to be free in memory for what a run writes.
ROOM = 4 * 2**30


def pytest_configure(config):
    """Keep what tests write in memory, and measure what they cost.

    `make costs` measures all tests; otherwise only those far too dear are named.
    """
    if folder := in_memory(ROOM):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", folder)
    folder = os.environ.get(COSTS_TO)
    config.pluginmanager.register(Recorder(folder) if folder else DearTests())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """Let one worker more than there are cores run quick tests, which wait for servers, too."""
    if JOURNEYS or "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else None


def pytest_report_header():
    """Say how a full run's cases are repeated."""
    return f"cases: NIP_SEED={SEED} repeats them" if SEED else None


def pytest_ignore_collect(collection_path):
    """Import no tests of pages in a browser if none of them would run."""
    if JOURNEYS or collection_path.parent != BROWSER_FOLDER:
        return None
    text = collection_path.read_text("utf-8") if collection_path.suffix == ".py" else ""
    return True if "def test_" in text and "mark.quick" not in text else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leave out tests that do not run at this depth."""
    # Of a file of which only some tests were asked for, the others are not missing.
    if not any("::" in asked for asked in config.args):
        config.stash[GONE] = missing(items)
    kept, left_out = [], []
    for item in items:
        (left_out if is_left_out(item) else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def collect_garbage():
    """Delete the garbage, and keep what is left, since it stays: modules, trees of source, caches.

    Python would search all of it again and again, which took a tenth of all processor time.
    """
    gc.collect()
    gc.freeze()


def pytest_collection_finish():
    """Search only what tests leave behind for garbage.

    What collecting the tests left behind stays: to find it takes a second, and it is little.
    """
    gc.freeze()
    # Of old objects we search those of the latest tests ourselves.
    gc.set_threshold(10_000, 10, 1_000_000)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Restore the main module, which Streamlit replaces by the script under test.

    Otherwise, processes of later tests would run that script.
    """
    main = sys.modules["__main__"]
    try:
        return (yield)
    finally:
        sys.modules["__main__"] = main
        item.config.stash[DONE] = done = item.config.stash.get(DONE, 0) + 1
        if done % 100 == 0:
            collect_garbage()


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
