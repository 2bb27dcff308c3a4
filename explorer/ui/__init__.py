"""The pages and their components. Only this package and parts of the server import streamlit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lazy import loader

if TYPE_CHECKING:
    from explorer.ui.database import storage
    from explorer.ui.shell import OPENING, PAGES, report_page_error, run_app

__all__ = [
    "OPENING",
    "PAGES",
    "report_page_error",
    "run_app",
    "storage",
]

# The first page is painted without the database.
__getattr__ = loader(__name__)
