"""Tests do not depend on short real times, which a busy machine exceeds."""

import ast
import re
from pathlib import Path

from tests.depth import each
from tests.sources import nodes

ROOT = Path(__file__).parent
# Seconds. A limit that is only met if something is broken is at least this long.
SHORT = 5
LIMITS = ("timeout", "deadline", "timeout_s", "limit_s")
WAITS = ("wait", "join", "acquire", "recv", "poll")
# Here the time passes on purpose: nothing comes, however long is waited, or the pause is only used
# up. A slower machine gives the same result.
ALLOWED = {
    "explorer/players/test_llm_wire.py": 3,
    "explorer/players/test_llm_words.py": 1,
    "explorer/server/test_sockets.py": 2,
    "explorer/storage/test_erasing.py": 1,
    "explorer/storage/test_errors.py": 1,
    "explorer/studies/test_executing.py": 1,
}


def short_times(source: str) -> list[str]:
    """Return the calls that fail if something takes a few seconds."""
    found = []
    for node in nodes(source):
        if isinstance(node, ast.Assert):
            # `assert not done.wait(0.1)`: a busy machine makes this only weaker.
            found += [each for each in ast.walk(node.test) if _waits_shortly(each)]
            if isinstance(node.test, ast.UnaryOp):
                found = [each for each in found if each is not node.test.operand]
        elif isinstance(node, ast.Call):
            if any(word.arg in LIMITS and _is_short(word.value) for word in node.keywords):
                found.append(node)
            if _shortens(node):
                found.append(node)
    return [ast.unparse(each) for each in found]


def _waits_shortly(node: ast.AST) -> bool:
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return called and node.func.attr in WAITS and len(node.args) == 1 and _is_short(node.args[0])


def _shortens(call: ast.Call) -> bool:
    """Return whether a constant of our code, in seconds, is replaced by a short time."""
    name = getattr(call.func, "attr", "")
    if name != "setattr" or len(call.args) < 2 or not _is_short(call.args[-1]):
        return False
    constant = call.args[-2].value if isinstance(call.args[-2], ast.Constant) else ""
    value = call.args[-1].value
    return str(constant).rpartition(".")[2].isupper() and isinstance(value, float)


def _is_short(node: ast.expr) -> bool:
    number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
    return number and 0 < node.value < SHORT


# Other files need not be parsed.
MAY = re.compile(rf"setattr\(.*\d\.|({'|'.join(LIMITS)})=\d|\.({'|'.join(WAITS)})\(\d", re.DOTALL)
FILES = sorted(path for path in ROOT.rglob("*.py") if path != Path(__file__))


@each("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_test_depends_on_a_short_real_time(path):
    source = path.read_text("utf-8")
    found = short_times(source) if MAY.search(source) else []
    allowed = ALLOWED.get(path.relative_to(ROOT).as_posix(), 0)
    assert len(found) <= allowed, f"move a clock instead, as tests/virtual_time.py does: {found}"


@each(
    ("source", "times"),
    [
        ("monkeypatch.setattr(progress, 'SLOW', 0.3)", 1),
        ("monkeypatch.setattr('explorer.studies.services.LONGEST_PAUSE', 0.1)", 1),
        ("assert server.left.wait(2)", 1),
        ("client(server, deadline=0.3)", 1),
        ("assert not published.wait(0.1)", 0),
        ("time.sleep(0.05)", 0),
        ("client(server, deadline=600)", 0),
        ("monkeypatch.setattr(models, 'TAKE_OVER_AFTER', 0.0)", 0),
        ("monkeypatch.setattr(files, 'MOST', 3)", 0),
    ],
)
def test_planted_short_times_are_caught(source, times):
    assert len(short_times(source)) == times
