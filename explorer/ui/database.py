"""The one storage that all pages of the process share."""

from __future__ import annotations

import os
import threading
from functools import cache

from explorer.storage import Storage, open_storage

__all__ = ["storage"]

_opening = threading.Lock()


# Not one of Streamlit's caches, which any visitor can have cleared for all.
@cache
def _storage(url: str | None) -> Storage:
    return open_storage(url)


def storage() -> Storage:
    """The storage; opened on first use.

    Raises
    ------
    StorageError
        Saying what to do.
    """
    with _opening:
        return _storage(os.environ.get("NIP_EXPLORER_DATABASE"))
