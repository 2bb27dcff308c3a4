"""Settings that all tests share."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("steady")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Where skips are forbidden (in CI), a skipped test is a failed one."""
    report = yield
    if report.skipped and os.environ.get("NIP_FORBID_SKIPS") == "1":
        report.outcome = "failed"
        report.longrepr = f"skipped, which is forbidden here: {report.longrepr}"
    return report
