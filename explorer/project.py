"""Where the project is available, read from `[project.urls]` in `pyproject.toml`.

No other file contains an address of the project. While an address is not set there, texts that need
it are left out, so that no command installs a package that is not published.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata, packages_distributions, requires

__all__ = ["address", "install", "install_extra", "other_package"]

NAME = "nip-explorer"
# The label in `[project.urls]` of the project's page in the package index.
INDEX = "Package"


@cache
def _addresses() -> dict[str, str]:
    try:
        written = metadata(NAME).get_all("Project-URL") or []
    except PackageNotFoundError:
        return {}
    pairs = (line.partition(",") for line in map(str, written))
    return {label.strip(): address.strip() for label, _, address in pairs}


def address(label: str) -> str | None:
    """Return an address of the project, or None while it is not set."""
    return _addresses().get(label)


def install(extra: str, version: str = "") -> str | None:
    """Return the command that installs the package with an extra; None if it is unpublished."""
    if address(INDEX) is None:
        return None
    return f"pip install '{NAME}[{extra}]{f'=={version}' if version else ''}'"


def install_extra(extra: str) -> str:
    """Return the command that adds an extra to an existing installation."""
    return install(extra) or f"pip install {' '.join(_needed(extra))}"


def _needed(extra: str) -> list[str]:
    """Return the packages of an extra."""
    mark = f"extra == '{extra}'"
    try:
        listed = [requirement.replace('"', "'") for requirement in requires(NAME) or []]
    except PackageNotFoundError:
        listed = []
    packages = [
        requirement.partition(";")[0].strip()
        for requirement in listed
        if requirement.endswith(mark)
    ]
    return [f"'{package}'" for package in packages] or [f"-e '.[{extra}]'"]


def other_package() -> str:
    """Return what to do if another distribution has put its package here; else an empty text."""
    if getattr(sys.modules[__package__ or ""], "PRODUCT", None) == "NIP Explorer":
        return ""
    owners = sorted({*packages_distributions().get("explorer", ())} - {NAME})
    named = f" (probably by {', '.join(owners)})" if owners else ""
    return (
        f"another package `explorer` is installed here{named}. Install NIP Explorer into an "
        "environment of its own: python -m venv nip"
    )
