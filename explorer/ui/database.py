"""The storage, shared by all pages of the process."""

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

_opening = threading.Lock()
_opened: list[Storage] = []


# Not in one of Streamlit's caches, which any visitor can clear for everybody.
@cache
def _storage(url: str | None, file: str | None) -> Storage:
    # Without a URL, the address is looked up in the environment and in its file.
    opened = open_storage(url)
    _opened.append(opened)
    return opened


def _who_writes() -> Writer | None:
    """Return the visitor whose page runs in this thread."""
    if not is_page_running():
        return None
    address = network_address()
    return Writer(visitor(), neighbourhood(address) if address else "")


set_source(_who_writes)


def close_storage() -> None:
    """Close the storage when the server stops, if it was opened."""
    with _opening:
        _storage.cache_clear()
        while _opened:
            _opened.pop().close()


def storage() -> Storage:
    """Return the storage; opened on first use.

    Raises
    ------
    StorageError
        If it cannot be opened; the message says what to do.
    """
    with _opening:
        return _storage(os.environ.get(DATABASE_VARIABLE), os.environ.get(DATABASE_FILE_VARIABLE))
