"""An introduction, with links to the other pages."""

from explorer.ui.home import show_page

show_page()
