"""Where the project is to be had, as `pyproject.toml` says in `[project.urls]`.

Nothing else names an address of the project. As long as one is not set there, the text that needs
it is left out: no command may install a package that is in no index.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata, requires

__all__ = ["address", "install", "install_extra"]

NAME = "nip-explorer"
# What it is called in `[project.urls]`: its page in the index from which pip installs.
INDEX = "Package"


@cache
def _addresses() -> dict[str, str]:
    try:
        written = metadata(NAME).get_all("Project-URL") or []
    except PackageNotFoundError:
        return {}
    pairs = (each.partition(",") for each in map(str, written))
    return {label.strip(): found.strip() for label, _, found in pairs}


def address(label: str) -> str | None:
    """Return an address of the project, or None while it is not set."""
    return _addresses().get(label)


def install(extra: str, version: str = "") -> str | None:
    """Return the command that installs the package with an extra; None while it is in no index."""
    if address(INDEX) is None:
        return None
    return f"pip install '{NAME}[{extra}]{f'=={version}' if version else ''}'"


def install_extra(extra: str) -> str:
    """Return the command that adds an extra to an installation that is there."""
    return install(extra) or f"pip install {' '.join(_needed(extra))}"


def _needed(extra: str) -> list[str]:
    """The packages of an extra."""
    mark = f"extra == '{extra}'"
    try:
        listed = [each.replace('"', "'") for each in requires(NAME) or []]
    except PackageNotFoundError:
        listed = []
    found = [each.partition(";")[0].strip() for each in listed if each.endswith(mark)]
    return [f"'{each}'" for each in found] or [f"-e '.[{extra}]'"]
