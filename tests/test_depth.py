"""Which tests run at which depth, and what is listed about them."""

from pathlib import Path

from tests.conftest import GONE
from tests.depth import COSTS, limit_of
from tests.flaky import is_defined
from tests.kinds import BROWSER, SECRECY, STORAGE

ROOT = Path(__file__).parent.parent


def test_dear_tests_that_are_listed_exist(request):
    gone = [test for test in COSTS if not is_defined(test)]
    gone += request.config.stash.get(GONE, [])
    assert not gone, "delete these lines of tests/costs.json, or run `make costs`"


def test_listed_tests_are_dear():
    assert all(cost >= limit_of(test) for test, cost in COSTS.items())


def test_kinds_of_tests_exist():
    assert all((ROOT / path).exists() for path in (BROWSER, *SECRECY, *STORAGE))
