"""Check the list of flaky tests: ``python -m tests.flaky``. Needs only the standard library."""

import ast
import datetime
import sys
import tomllib
from pathlib import Path
from typing import Any

from tests.kinds import SECRECY, STORAGE
from tests.sources import parsed

ROOT = Path(__file__).parent.parent
FILE = Path(__file__).with_name("flaky.toml")
LONGEST = datetime.timedelta(days=42)


def listed(file: Path = FILE) -> dict[str, Any]:
    """Return what is listed, by the ids of tests."""
    return tomllib.loads(file.read_text("utf-8"))


def faults(entries: dict[str, Any], today: datetime.date) -> list[str]:
    """Return what is wrong with the list."""
    found = []
    for test, entry in entries.items():
        why, until = entry.get("reason"), entry.get("until")
        if not is_defined(test):
            found.append(f"{test} does not exist; delete it from the list.")
        if test.startswith((*SECRECY, *STORAGE)):
            found.append(f"{test} tests secrecy or storage, so it must not be flaky: repair it.")
        if not (isinstance(why, str) and why.strip()):
            found.append(f'{test} needs a reason = "..." that says why it fails.')
        if type(until) is not datetime.date:
            found.append(f"{test} needs a last day, such as until = {today + LONGEST}.")
        elif until < today:
            found.append(f"{test} was to be repaired by {until}: repair it now.")
        elif until > today + LONGEST:
            found.append(f"{test} has to be repaired within {LONGEST.days} days, not by {until}.")
    return found


def is_defined(test: str) -> bool:
    """Return whether a test's file contains its function or class, without importing the file."""
    path, _, names = test.partition("::")
    if not names or not (ROOT / path).is_file():
        return False
    name = names.partition("[")[0].partition("::")[0]
    body = parsed((ROOT / path).read_text("utf-8")).body
    assigned = [to for node in body if isinstance(node, ast.Assign) for to in node.targets]
    return name in [getattr(each, "name", getattr(each, "id", "")) for each in (*body, *assigned)]


def main() -> int:
    """Print what is wrong with the list; return the exit status."""
    found = faults(listed(), datetime.date.today())
    for fault in found:
        print(f"tests/flaky.toml: {fault}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
