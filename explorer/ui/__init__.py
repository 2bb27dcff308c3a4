"""The pages and their components. Only this package and parts of the server import streamlit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nip_core.lazy import exported

if TYPE_CHECKING:
    from explorer.ui.database import close_storage as close_storage
    from explorer.ui.database import storage as storage
    from explorer.ui.shell import (
        EARLY as EARLY,
        OPENING as OPENING,
        PAGES as PAGES,
        report_page_error as report_page_error,
        run_app as run_app,
    )

__all__, __getattr__, __dir__ = exported(__name__)
