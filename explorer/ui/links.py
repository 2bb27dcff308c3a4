"""Links between pages, as HTML: unlike buttons they can open in a new window."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from explorer.ui.text import in_html

__all__ = ["link", "page_address", "page_file", "page_names", "pages_folder", "show_links"]

EXPLORER = Path(__file__).resolve().parent.parent


def pages_folder() -> Path:
    """Return the folder of pages: beside the package in a checkout, inside it in a wheel."""
    inside = EXPLORER / "_pages"
    return inside if inside.is_dir() else EXPLORER.parent / "pages"


def page_names() -> set[str]:
    """Return the names of the existing pages."""
    return {path.stem for path in pages_folder().glob("*.py")}


def page_file(page: str) -> Path:
    """Return the script of a page, which Streamlit needs to switch to it."""
    return pages_folder() / f"{page}.py"


def page_address(page: str, query: Mapping[str, Any]) -> str:
    """Return the address of a page with a query. The Home page is at the root."""
    path = "/" if page == "home" else f"/{page}"
    return f"{path}?{urlencode(query)}" if query else path


def link(
    address: str, text: str, *, button: bool = False, main: bool = False, beside: bool = False
) -> str:
    """Return a link as HTML, which may look like a button, or a filled one if it is the main one.

    With ``beside``, the link opens in a new window.
    """
    kind = ' class="nip-button main"' if main else ' class="nip-button"' if button else ""
    where = "_blank" if beside else "_self"
    return f'<a{kind} href="{in_html(address)}" target="{where}">{in_html(text)}</a>'


def show_links(*links: str) -> None:
    """Show links beside each other."""
    if links:
        st.html(f'<div class="nip-links">{"".join(links)}</div>')
