"""The extra without which models are not asked here."""

from __future__ import annotations

import importlib.util

from explorer.project import install_extra
from explorer.studies.inspect.errors import MissingExtraError

__all__ = ["has_inspect", "need_inspect"]


def has_inspect() -> bool:
    """Is Inspect installed? It takes seconds to import, so it is only looked for."""
    return importlib.util.find_spec("inspect_ai") is not None


def need_inspect(what: str) -> None:
    """Refuse what needs Inspect where it is not installed.

    Parameters
    ----------
    what : str
        What needs it, as the beginning of a sentence.

    Raises
    ------
    MissingExtraError
    """
    if not has_inspect():
        raise MissingExtraError(f"{what} needs Inspect: {install_extra('inspect')}")
