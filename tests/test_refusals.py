"""Every refusal of the code has an example: a test that provokes it and knows its words.

A refusal is a `raise` with a sentence, except of an AssertionError. Its example is found by three
of its words in a row in a test, which is not a comment, a docstring, or a constant that nothing
reads. Tests are read as text, since parsing all of them takes seconds.
"""

import ast
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROOT = TESTS.parent
WORD = re.compile(r"""\w+(?:'\w+)?|["{}]""")
# A statement with a call goes on in lines that are indented more, and ends with a bracket.
RAISE = re.compile(r"^( *)raise (?!AssertionError)\w[\w.]*\(.*\n?(?:\1(?: |\)).*\n?)*", re.M)
# Not used as words: comments, docstrings, and the ends of strings that go on in the next line.
ASIDE = re.compile(r'(?:\A|(?<=:\n)) *"""[^"]*(?:"{1,2}[^"]+)*"""|^ *#.*|"\s*\n\s*[rf]?"', re.M)
CONSTANT = re.compile(r"^(\w+)(?:: .+)? = .*\n(?:[ \])}].*\n|\n)*", re.M)

Row = tuple[str, str, str]


def rows(text: str) -> Iterator[Row]:
    """Yield all runs of three words of a text or a pattern; quotation marks separate them."""
    found = list(map(sys.intern, WORD.findall(text)))
    return zip(found, found[1:], found[2:], strict=False)


def raised(source: str) -> Iterator[ast.Call]:
    """Yield the calls after `raise`; only these statements are parsed."""
    for each in RAISE.finditer(source):
        (statement,) = ast.parse(textwrap.dedent(each[0])).body
        assert isinstance(statement, ast.Raise)
        assert isinstance(statement.exc, ast.Call)
        yield statement.exc


def refusals(source: str) -> list[list[str]]:
    """Return the sentences that a text of Python raises, each as its parts between placeholders."""
    found = [
        [
            part.value
            for part in ast.walk(each)
            if isinstance(part, ast.Constant) and isinstance(part.value, str)
        ]
        for each in raised(source)
    ]
    found = [[part for part in each if any(rows(part))] for each in found]
    return [each for each in found if each]


@cache
def imported() -> frozenset[str]:
    """Return all names that files of tests import from one another."""
    texts = (path.read_text("utf-8") for path in TESTS.rglob("*.py"))
    names = re.compile(r"^from tests.* import ([^(\n]+|\([^)]*)", re.M)
    lists = (each for text in texts for each in names.findall(text))
    return frozenset(name for each in lists for name in re.findall(r"\w+", each))


def used(source: str) -> str:
    """Return a file of tests without comments, docstrings and constants that nothing reads."""

    def kept(constant: re.Match[str]) -> str:
        name = constant[1]
        read = source.find(name, constant.end()) >= 0 or name in imported()
        return constant[0] if read else "\n"

    source = ASIDE.sub("", source)
    return CONSTANT.sub(kept, source)


def without_example(known: set[Row], code: dict[str, str]) -> list[str]:
    """Return the refusals of which no test knows three words in a row.

    Each is its module, and its longest run of words without a placeholder.
    """
    return sorted(
        f"{module}: {' '.join(max((WORD.findall(part) for part in parts), key=len))}"
        for module, source in code.items()
        for parts in refusals(source)
        if not any(row in known for part in parts for row in rows(part))
    )


@pytest.mark.quick
def test_every_refusal_has_an_example():
    code = {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
        for package in ("nip_core", "explorer")
        for path in sorted((ROOT / package).rglob("*.py"))
    }
    known: set[Row] = set()
    for path in TESTS.rglob("*.py"):
        known.update(rows(used(path.read_text("utf-8"))))
    for path in TESTS.rglob("*.json"):
        known.update(rows(path.read_text("utf-8")))
    assert without_example(known, code) == []


def test_words_that_no_test_uses_are_no_example():
    code = {"a.py": 'if x:\n    raise Error(f"{room} is full. Ask {who} to make another.")\nx = 1'}
    for tests, counts in {
        r'raises(Error, match=r"is full\. Ask")': True,
        'raises(Error, match="to make "\n    "another")': True,
        'raises(Error, match="full Ask to make")': False,
        '("to make", "another")': False,
        'def test():\n    """Is it?\n\n    is full. Ask\n    """\n    # is full. Ask': False,
        'UNUSED = [\n    "is full. Ask",\n]\n': False,
        'CASES = [\n    "is full. Ask",\n]\nrun(CASES)': True,
        'X = """\na\n"""\nraises("is full. Ask")\ndef f():\n    """It."""': True,
    }.items():
        assert (not without_example(set(rows(used(tests))), code)) == counts, tests
    assert without_example(set(), code) == ["a.py: is full Ask"]
