"""The Transcripts page: what was played, to be found, read, compared and taken away."""

from __future__ import annotations

from explorer.ui.transcripts.page import show_page
from explorer.ui.transcripts.reading import show_reader

__all__ = ["show_page", "show_reader"]
