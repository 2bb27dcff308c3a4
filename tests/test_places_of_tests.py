"""Each module has tests that are easy to find: in the file with its name, or in one that names it.

Tests of the module `seating` in `explorer/rooms` are in the file `test_seating` in
`tests/explorer/rooms`, and those of `exact` in `nip_core/values` in `test_exact` in `tests/values`.
A file that tests other modules begins with "Tests of" and their names, with their folder unless
it mirrors it. A name that ends with a slash is a folder, with all its modules.
"""

import functools
import re

import pytest

from tests.depth import each
from tests.test_architecture import ROOT, imports

MODULES = sorted(
    path.relative_to(ROOT).as_posix()
    for part in ("explorer", "nip_core")
    for path in (ROOT / part).rglob("*.py")
    if path.name not in ("__init__.py", "__main__.py")
)
# Tests of the documentation are about another folder.
FILES = sorted(
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    if not (name := path.relative_to(ROOT).as_posix()).startswith("tests/docs/")
)


def mirror(folder: str) -> str:
    """Return the folder of the tests for a folder of the code."""
    inner = "explorer" if folder.startswith("explorer") else ""
    return "/".join(filter(None, ("tests", inner, *folder.split("/")[1:])))


def file_with_its_name(module: str) -> str:
    """Return where the tests of a module are if no other file names it."""
    folder, _, name = module.rpartition("/")
    return f"{mirror(folder)}/test_{name}"


def claims(file: str, docstring: str) -> list[str]:
    """Return the modules and folders that a test file begins with, as paths from the root."""
    begins = re.match(r"Tests of ((?:[\w/]+(?:\.py|/)(?:,\s| and\s)?)+)", docstring)
    words = re.findall(r"[\w/]+(?:\.py|/)", begins[1]) if begins else []
    folder = file.rpartition("/")[0].removeprefix("tests").lstrip("/")
    beside = folder if folder.startswith("explorer") else f"nip_core/{folder}".rstrip("/")
    near = [f"{beside}/{word}" for word in words]
    return [a if (ROOT / a).exists() else b for a, b in zip(near, words, strict=True)]


def modules_in(claim: str) -> list[str]:
    return [each for each in MODULES if each == claim or (claim[-1] == "/" and claim in each)]


@functools.cache
def imported(path: str) -> frozenset[str]:
    """Return what a file of tests imports, itself or by a helper beside the tests."""
    found = {name.replace(".", "/") for name, _ in imports((ROOT / path).read_text("utf-8"))}
    ours = [f"{name}.py" for name in found if (ROOT / f"{name}.py").is_file()]
    return frozenset(found).union(*(imported(each) for each in ours if each.startswith("tests/")))


def is_true(file: str, module: str) -> bool:
    """Return whether a file imports something of a module's package, or is where its tests are."""
    package = "/".join(module.split("/")[:-1][:2])
    whole = package.partition("/")[0]
    return file.startswith(f"{mirror(package)}/") or any(
        f"{name}/".startswith(f"{package}/") or name == whole for name in imported(file)
    )


def docstring(file: str) -> str:
    """Return what a file begins with; all of them would take a second to parse."""
    begins = re.match(r'[rf]?"""(.*?)"""', (ROOT / file).read_text("utf-8"), re.DOTALL)
    return begins[1] if begins else ""


@functools.cache
def claimed() -> dict[str, list[str]]:
    return {file: claims(file, docstring(file)) for file in FILES}


def faults(by_file: dict[str, list[str]]) -> list[str]:
    """Return what is wrong with the claims of test files, as sentences."""
    named = {name for each in by_file.values() for claim in each for name in modules_in(claim)}
    found = [
        f"{module} has no file of tests with its name, and no other begins with its name"
        for module in MODULES
        if module not in named and file_with_its_name(module) not in by_file
    ]
    for file, its_claims in by_file.items():
        for claim in its_claims:
            modules = modules_in(claim)
            if not modules:
                found.append(f"{file} begins with {claim}, which does not exist")
            elif not any(is_true(file, module) for module in modules):
                found.append(f"{file} begins with {claim}, but imports nothing of its package")
    return found


@pytest.mark.quick
def test_each_module_has_tests_that_one_finds():
    assert faults(claimed()) == []


@each(
    ("said", "fault"),
    [
        ("", "nip_core/play/moves.py has no file of tests"),
        ("Tests of moves.py and gone.py.", "gone.py, which does not exist"),
        ("Tests of moves.py and explorer/rooms/seat.py: all.", "seat.py, but imports nothing"),
    ],
)
def test_planted_claims_are_judged(said, fault):
    file = "tests/play/test_episode.py"
    assert fault in "\n".join(faults(claimed() | {file: claims(file, said)}))
