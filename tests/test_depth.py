"""Which tests run at which depth, and what is listed about them."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.conftest import GONE
from tests.depth import COSTS, LIMIT, SECRECY, file_of

ROOT = Path(__file__).parent.parent


def test_dear_tests_that_are_listed_exist(request):
    gone = [test for test in COSTS if not _is_defined(test)]
    gone += request.config.stash.get(GONE, [])
    assert not gone, "delete these lines of tests/costs.json, or run `make costs`"


def _is_defined(test: str) -> bool:
    path = ROOT / file_of(test)
    if not path.is_file():
        return False
    name = test.split("::")[1].partition("[")[0]
    tree = ast.parse(path.read_text("utf-8"))
    assigned = [to for node in tree.body if isinstance(node, ast.Assign) for to in node.targets]
    return name in {
        getattr(each, "name", getattr(each, "id", "")) for each in [*tree.body, *assigned]
    }


def test_listed_tests_are_dear():
    assert all(cost > LIMIT for cost in COSTS.values())


def test_tests_of_secrecy_exist():
    assert all((ROOT / path).exists() for path in SECRECY)
