"""How browser tests are written: no single look at a page, one way to act on it, no wall clock.

Each rule is checked on the syntax of the tests and of the benchmarks that use a browser.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.depth import each

ROOT = Path(__file__).parent.parent
TESTS = sorted((ROOT / "tests" / "browser").glob("*.py"))
DRIVERS = [
    path
    for path in [*sorted((ROOT / "benchmarks").glob("*.py")), ROOT / "tests" / "make_figures.py"]
    if re.search("playwright|browser_page", path.read_text("utf-8"))
]

# Methods that return the present state of a page.
READS = {
    *("all_inner_texts", "all_text_contents", "bounding_box", "content", "count", "evaluate"),
    *("evaluate_all", "get_attribute", "inner_html", "inner_text", "input_value", "is_checked"),
    *("is_disabled", "is_enabled", "is_hidden", "is_visible", "text_content"),
}
# What waits by itself for what it reads.
WAITS = {"becomes", "computed", "expect"}


def name_of(node: ast.expr) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and the nodes in it, except for those in a call that waits."""
    if not (isinstance(node, ast.Call) and name_of(node.func) in WAITS):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from inside(child)


def used(node: ast.AST) -> set[str]:
    """Return the names that are used, those of functions with `()`, and `""` for a look."""
    found = set()
    for part in inside(node):
        if isinstance(part, ast.Attribute) and part.attr in READS:
            found.add("")
        elif isinstance(part, ast.Name):
            found.add(part.id)
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            found.add(f"{part.func.id}()")
    return found


class Function:
    """What a function assigns, returns and asserts, without what waits."""

    def __init__(self, node: ast.AST) -> None:
        assigned, self.returned, self.asserted = [], [], []
        for part in inside(node):
            if isinstance(part, ast.Assign):
                assigned += [(target, part.value) for target in part.targets]
            elif isinstance(part, ast.NamedExpr):
                assigned.append((part.target, part.value))
            elif isinstance(part, ast.For | ast.comprehension):
                assigned.append((part.target, part.iter))
            elif isinstance(part, ast.Return) and part.value:
                self.returned.append(used(part.value))
            elif isinstance(part, ast.Assert) and not says_that_nothing_is_there(part.test):
                self.asserted.append((part, used(part.test)))
        calls = {name_of(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
        self.name, self.waits = getattr(node, "name", ""), not calls.isdisjoint(WAITS)
        self._assigned = [
            ({n.id for n in ast.walk(target) if isinstance(n, ast.Name)}, used(value))
            for target, value in assigned
            if not isinstance(value, ast.Lambda)
        ]

    def looks(self, helpers: set[str]) -> set[str]:
        """Return all that is a look, or holds one, in this function."""
        found = {"", *(f"{helper}()" for helper in helpers)}
        for _ in self._assigned:
            found.update(*(names for names, value in self._assigned if value & found))
        return found


def functions(tree: ast.AST) -> list[Function]:
    return [Function(node) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def readers(tree: ast.AST, own: list[Function]) -> set[str]:
    """Return the functions that return what they have read, without waiting for anything."""
    helpers: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests.browser."):
            there = ROOT / f"{node.module.replace('.', '/')}.py"
            helpers |= readers_of(there) & {alias.name for alias in node.names}
    for function in own:
        looks = function.looks(helpers)
        if not function.waits and any(value & looks for value in function.returned):
            helpers.add(function.name)
    return helpers - WAITS


@cache
def readers_of(path: Path) -> set[str]:
    return readers(tree_of(path), functions(tree_of(path)))


def read_only_once(tree: ast.AST) -> list[str]:
    """Return assertions about a page without waiting, except that something is absent."""
    own = functions(tree) or [Function(tree)]
    helpers, found = readers(tree, own), set()
    for function in own:
        looks = function.looks(helpers)
        found |= {ast.unparse(node) for node, uses in function.asserted if uses & looks}
    return sorted(found)


def says_that_nothing_is_there(test: ast.expr) -> bool:
    if isinstance(test, ast.UnaryOp):
        return isinstance(test.op, ast.Not)
    if not isinstance(test, ast.Compare):
        return False
    wanted = test.comparators[0]
    none = isinstance(wanted, ast.Constant) and wanted.value == 0
    return isinstance(test.ops[0], ast.NotIn) or (isinstance(test.ops[0], ast.Eq) and none)


# Playwright's own actions; `tests/browser/acting.py` has one for each.
ACTIONS = {
    *("blur", "check", "click", "dblclick", "dispatch_event", "drag_and_drop", "drag_to", "fill"),
    *("focus", "go_back", "go_forward", "hover", "press", "press_sequentially"),
    *("scroll_into_view_if_needed", "select_option", "select_text", "set_checked"),
    *("set_input_files", "tap", "uncheck", "keyboard", "mouse", "touchscreen"),
}
ACTING = {"acting.py", "means.py"}


def own_actions(tree: ast.AST) -> list[str]:
    """Return the places that use Playwright's own actions."""
    return [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ACTIONS
    ]


CLOCKS = ("performance.now", "Date.now", "new Date")


def wall_clocks(tree: ast.AST) -> list[str]:
    """Return the places that read or wait for the time of day, in Python or in a page."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [getattr(node, "module", None), *(alias.name for alias in node.names)]
            found += [ast.unparse(node)] * (not {"time", "datetime"}.isdisjoint(modules))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += [sign for sign in CLOCKS if sign in node.value]
        elif isinstance(node, ast.Attribute) and node.attr == "wait_for_timeout":
            found.append(ast.unparse(node))
    return found


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def test_what_a_page_shows_is_waited_for():
    found = {path.name: read_only_once(tree_of(path)) for path in TESTS}
    assert {name: where for name, where in found.items() if where} == {}


def test_pages_are_used_in_one_way():
    paths = [path for path in [*TESTS, *DRIVERS] if path.name not in ACTING]
    found = {path.name: own_actions(tree_of(path)) for path in paths}
    assert {name: where for name, where in found.items() if where} == {}


def test_no_browser_test_measures_time():
    paths = [path for path in TESTS if path.name.startswith("test_")]
    found = {path.name: wall_clocks(tree_of(path)) for path in paths}
    assert {name: where for name, where in found.items() if where} == {}


@each(
    ("rule", "source", "times"),
    [
        (read_only_once, "assert page.locator('.lines g').count() == 3", 1),
        (read_only_once, "assert 'Why?' in page.locator('.message').inner_text()", 1),
        (read_only_once, "assert here.is_visible() and len(frames) > 2", 1),
        (read_only_once, "assert page.get_by_text('The truth').count() == 0", 0),
        (read_only_once, "assert secret not in page.content()", 0),
        (read_only_once, "expect(page.locator('.lines g')).to_have_count(3)", 0),
        # What is assigned first, by any statement, and what a helper has read.
        (read_only_once, "text = where.inner_text()\nassert text == 'Why?'", 1),
        (read_only_once, "a, *b = page.evaluate('x')\nc = [*b]\nassert c[0] == 'Why?'", 1),
        (read_only_once, "for one in all.all_inner_texts():\n    assert 'Why?' in one", 1),
        (read_only_once, "if (said := where.inner_text()):\n    assert said == 'Why?'", 1),
        (read_only_once, "def said(page):\n    return page.inner_text('p')\n"
                         "def test():\n    assert said(page) == 'Why?'", 1),
        (read_only_once, "text = where.inner_text()\nassert secret not in text", 0),
        (read_only_once, "text = becomes(where.inner_text)\nassert text == 'Why?'", 0),
        (read_only_once, "def said(page):\n    becomes(page.count)\n    return page.count()\n"
                         "def test():\n    assert said(page) == 3", 0),
        (own_actions, "page.get_by_text('Ask').click()", 1),
        (own_actions, "with page.expect_download():\n    page.keyboard.press('Enter')", 2),
        (own_actions, "does = [box.fill, box.input_value]", 1),
        (own_actions, "click(page, 'Ask')\nfill(box, 'Why?', 'Enter')", 0),
        (wall_clocks, "import time\nbegun = time.monotonic()", 1),
        (wall_clocks, "from time import sleep", 1),
        (wall_clocks, "TOOK = 'performance.now() - start'", 1),
        (wall_clocks, "page.wait_for_timeout(500)", 1),
        (wall_clocks, "page.clock.run_for(500)", 0),
    ],
)  # fmt: skip
def test_planted_mistakes_are_caught(rule, source, times):
    assert len(rule(ast.parse(source))) == times
