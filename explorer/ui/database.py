"""The one storage that all pages of the process share."""

from __future__ import annotations

import os

import streamlit as st

from explorer.storage import Storage, open_storage

__all__ = ["storage"]


@st.cache_resource(show_spinner=False)
def _storage(url: str | None) -> Storage:
    return open_storage(url)


def storage() -> Storage:
    """The storage; opened on first use.

    Raises
    ------
    StorageError
        Saying what to do.
    """
    return _storage(os.environ.get("NIP_EXPLORER_DATABASE"))
