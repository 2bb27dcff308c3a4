"""A plugin for CI: ``pytest -p tests.retrying --maxfail=15``.

After the run, up to ten failed tests are run again, each alone in a process of its own, three
times. If one of them fails again, the run has failed. If all pass, they are flaky: the run has
passed, the summary names them, and a line for each is added to `reports/flakes.jsonl`.
"""

import datetime
import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from tests.flaky import listed

MOST, TIMES = 10, 3
FILE = "reports/flakes.jsonl"


def pytest_configure(config) -> None:
    """Retry in the process that reports, not in its workers."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Retries(config))


class Retries:
    """Runs failed tests again at the end."""

    def __init__(self, config) -> None:
        self._config = config
        self._lines: list[str] = []

    @property
    def _reporter(self):
        return self._config.pluginmanager.getplugin("terminalreporter")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session) -> None:
        """Retry, before the summary is written and the exit status returned."""
        stopped = session.exitstatus != pytest.ExitCode.TESTS_FAILED or session.shouldfail
        failed = {report.nodeid: report for report in self._failures()}
        if stopped or not 0 < len(failed) <= MOST:
            return
        if any(isinstance(report, pytest.CollectReport) for report in failed.values()):
            return
        flaky = {test for test in failed if self._passes(test)}
        for test in sorted(flaky):
            self._note(test, failed[test])
        for kind in ("failed", "error"):
            reports = self._reporter.stats.pop(kind, [])
            if steady := [each for each in reports if each.nodeid not in flaky]:
                self._reporter.stats[kind] = steady
        if flaky:
            self._reporter.stats["flaky"] = [failed[test] for test in sorted(flaky)]
        if len(flaky) == len(failed):
            session.exitstatus = pytest.ExitCode.OK

    def _failures(self) -> list:
        return [each for kind in ("failed", "error") for each in self._reporter.stats.get(kind, ())]

    def _passes(self, test: str) -> bool:
        """Return whether a test passes three times, each time alone."""
        for number in range(1, TIMES + 1):
            ran = subprocess.run(
                [sys.executable, "-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider", test],
                cwd=self._config.invocation_params.dir,
                capture_output=True,
                text=True,
                check=False,
            )
            if ran.returncode:
                self._lines.append(
                    f"{test} failed again when it was run alone ({number} of {TIMES})"
                )
                return False
        return True

    def _note(self, test: str, report) -> None:
        """Keep that a test was flaky, and say what to do about it."""
        file = self._config.rootpath / FILE
        file.parent.mkdir(exist_ok=True)
        line = {
            "test": test,
            "day": str(datetime.date.today()),
            "commit": os.environ.get("NIP_SAMPLE", ""),
            "why": report.longreprtext,
        }
        with file.open("a", encoding="utf-8") as appended:
            print(json.dumps(line), file=appended)
        before = Counter(json.loads(each)["test"] for each in file.read_text("utf-8").splitlines())
        self._lines.append(f"{test} is flaky: it failed, and then passed {TIMES} times alone")
        if before[test] > 1 and test not in listed():
            self._lines.append("  again: repair it, or list it in tests/flaky.toml")
        self._lines += [f"    {each}" for each in report.longreprtext.splitlines()[-20:]]

    def pytest_terminal_summary(self, terminalreporter) -> None:
        if self._lines:
            terminalreporter.section("failed tests that were run again")
            for line in self._lines:
                terminalreporter.line(line)
