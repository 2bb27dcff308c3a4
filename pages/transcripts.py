"""What was played, to be found, read and taken away."""

from explorer.ui.transcripts import show_page

show_page()
