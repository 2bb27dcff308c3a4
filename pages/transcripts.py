"""Episodes that were played: search, read and export them."""

from explorer.ui.transcripts import show_page

show_page()
