"""Measure what tests cost, and list the dear ones in `costs.json`: ``make costs``.

Costs are seconds of processor time, with those of child processes. Imports of this process are not
counted, since tests of a worker share them; what a shared fixture costs is divided among the tests
that use it. Tests that are exhaustive anyway, and those in a browser, are not measured.
"""

import importlib._bootstrap
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.depth import COSTS, COSTS_FILE, COSTS_TO, file_of, is_dear, limit_of

TICKS = os.sysconf("SC_CLK_TCK")


class Imports:
    """The processor time that this process has spent on imports.

    Attributes
    ----------
    seconds : float
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._load = importlib._bootstrap._find_and_load
        self._inside = False
        # Called only for modules that are not there yet.
        importlib._bootstrap._find_and_load = self._timed

    def _timed(self, *args):
        if self._inside or threading.current_thread() is not threading.main_thread():
            return self._load(*args)
        self._inside, before = True, own()
        try:
            return self._load(*args)
        finally:
            self._inside = False
            self.seconds += own() - before


def own() -> float:
    """Return the processor time of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def of_living_children() -> float:
    """Return the processor time of all living descendants of this process."""
    children, spent = {}, {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(place.name))
        spent[int(place.name)] = sum(map(int, fields[11:15])) / TICKS
    found = [*children.get(os.getpid(), ())]
    for each in found:
        found += children.get(each, ())
    return sum(spent[each] for each in found)


class DearTests:
    """Name quick tests in the summary that cost much more than a quick test may.

    One that costs a little more today has been slowed down by something else on the machine.
    """

    MUCH = 3.0
    NAME = "cpu_seconds"

    def __init__(self) -> None:
        self._imports = Imports()
        self._found = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        before = own() - self._imports.seconds
        try:
            return (yield)
        finally:
            spent = own() - self._imports.seconds - before
            if spent > self.MUCH * limit_of(item.nodeid) and not is_dear(item):
                item.user_properties.append((self.NAME, round(spent, 1)))

    def pytest_runtest_logreport(self, report) -> None:
        for name, value in report.user_properties:
            if name == self.NAME:
                self._found[report.nodeid] = value

    def pytest_terminal_summary(self, terminalreporter) -> None:
        if self._found:
            terminalreporter.section("tests that cost far more than a quick test may")
            for test, spent in sorted(self._found.items()):
                terminalreporter.line(f"{spent:6.1f} s {test}")
            terminalreporter.line("Make them cheaper, or run `make costs ARGS=file`.")


class Recorder:
    """Write the cost of each test, and of each shared fixture, into a file of this process."""

    def __init__(self, folder: str) -> None:
        self._file = (Path(folder) / f"{os.getpid()}.jsonl").open("w", encoding="utf-8")
        self._imports = Imports()
        self._shared = 0.0

    def _write(self, **said) -> None:
        print(json.dumps(said), file=self._file, flush=True)

    def _counting(self) -> Generator[None, object, list[float]]:
        """Yield once; then return what it cost, without imports and without what is shared."""
        living = of_living_children()
        before = own() - self._imports.seconds - self._shared
        result = yield
        spent = own() - self._imports.seconds - self._shared - before
        return [spent + of_living_children() - living, result]

    def pytest_collection_finish(self, session) -> None:
        """Note which tests use which shared fixtures."""
        for item in session.items:
            info = getattr(item, "_fixtureinfo", None)
            found = (each[-1] for each in info.name2fixturedefs.values()) if info else ()
            shared = [_key(each) for each in found if each.scope != "function"]
            self._write(test=item.nodeid, uses=shared)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        if fixturedef.scope == "function":
            return (yield)
        spent, result = yield from self._counting()
        self._shared += spent
        self._write(fixture=_key(fixturedef), cost=spent)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        spent, result = yield from self._counting()
        self._write(test=item.nodeid, cost=spent)
        return result


def _key(fixturedef) -> str:
    return f"{fixturedef.baseid}::{fixturedef.argname}"


def read(folder: Path) -> dict[str, float]:
    """Return the cost of each test from the files of all processes."""
    lines = [
        json.loads(line)
        for path in folder.glob("*.jsonl")
        for line in path.read_text("utf-8").splitlines()
    ]
    costs = {line["test"]: line["cost"] for line in lines if "test" in line and "cost" in line}
    uses = {line["test"]: line["uses"] for line in lines if "uses" in line}
    users = Counter(key for test in costs for key in uses[test])
    shared = Counter()
    for line in lines:
        if "fixture" in line:
            shared[line["fixture"]] += line["cost"]
    return {
        test: cost + sum(shared[key] / users[key] for key in uses[test])
        for test, cost in costs.items()
    }


def main() -> int:
    """Run tests, and write what was measured of their files."""
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", "-n", "2", *sys.argv[1:]],
            env={**os.environ, COSTS_TO: folder},
            check=False,
        )
        costs = read(Path(folder))
    dear = {name: round(cost, 2) for name, cost in costs.items() if cost > limit_of(name)}
    measured = {file_of(name) for name in costs}
    kept = {name: cost for name, cost in COSTS.items() if file_of(name) not in measured}
    listed = dict(sorted((kept | dear).items()))
    COSTS_FILE.write_text(json.dumps(listed, indent=0, ensure_ascii=False) + "\n", "utf-8")
    print(f"{len(dear)} of {len(costs)} tests are not quick:", end=" ")
    print(f"{sum(dear.values()):.0f} of {sum(costs.values()):.0f} s.")
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())
