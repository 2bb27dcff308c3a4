"""The Studies page: many episodes under stated conditions."""

from __future__ import annotations

from explorer.ui.studies.page import show_page

__all__ = ["show_page"]
