"""What only the screen needs: everything here may import streamlit."""

from __future__ import annotations

from explorer.ui.database import storage
from explorer.ui.shell import OPENING, PAGES, report_page_error, run_app

__all__ = [
    "OPENING",
    "PAGES",
    "report_page_error",
    "run_app",
    "storage",
]
