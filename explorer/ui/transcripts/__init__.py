"""The Transcripts page: what was played, to be found, read, compared and taken away."""

from __future__ import annotations

from explorer.ui.transcripts.page import show_page

__all__ = ["show_page"]
