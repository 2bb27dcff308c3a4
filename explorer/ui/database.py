"""The one storage that all pages of the process share."""

from __future__ import annotations

import os
import threading
from functools import cache

from explorer.storage import DATABASE_VARIABLE, Storage, open_storage
from explorer.storage.engines import DATABASE_FILE_VARIABLE

__all__ = ["storage"]

_opening = threading.Lock()


# Not one of Streamlit's caches, which any visitor can have cleared for all.
@cache
def _storage(url: str | None, file: str | None) -> Storage:
    # Without a URL the address is looked up, in the file as well.
    return open_storage(url)


def storage() -> Storage:
    """The storage; opened on first use.

    Raises
    ------
    StorageError
        Saying what to do.
    """
    with _opening:
        return _storage(os.environ.get(DATABASE_VARIABLE), os.environ.get(DATABASE_FILE_VARIABLE))
