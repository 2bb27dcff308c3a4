"""Links from page to page, as HTML: unlike buttons they can be opened beside."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any
from urllib.parse import urlencode

__all__ = ["link", "page_address"]


def page_address(page: str, query: Mapping[str, Any]) -> str:
    """The address of a page with everything set up. The Schedule page is at the root."""
    path = "/" if page == "schedule" else f"/{page}"
    return f"{path}?{urlencode(query)}" if query else path


def link(address: str, text: str, *, button: bool = False) -> str:
    """A link as HTML."""
    kind = ' class="nip-button"' if button else ""
    return f'<a{kind} href="{escape(address)}" target="_self">{escape(text)}</a>'
