"""The one storage that all pages of the process share."""

from __future__ import annotations

import os
import threading
from functools import cache

from explorer.server import is_page_running
from explorer.storage import (
    DATABASE_FILE_VARIABLE,
    DATABASE_VARIABLE,
    Storage,
    Writer,
    open_storage,
    set_source,
)
from explorer.ui.visitor import network_address, visitor
from explorer.visitors import neighbourhood

__all__ = ["storage"]

_opening = threading.Lock()


# Not one of Streamlit's caches: any visitor can clear those for everybody.
@cache
def _storage(url: str | None, file: str | None) -> Storage:
    # Without a URL the address is looked up, in the file as well.
    return open_storage(url)


def _who_writes() -> Writer | None:
    """Return whose page runs in this thread."""
    if not is_page_running():
        return None
    address = network_address()
    return Writer(visitor(), neighbourhood(address) if address else "")


set_source(_who_writes)


def storage() -> Storage:
    """Return the storage; opened on first use.

    Raises
    ------
    StorageError
        Saying what to do.
    """
    with _opening:
        return _storage(os.environ.get(DATABASE_VARIABLE), os.environ.get(DATABASE_FILE_VARIABLE))
