"""Links within the Learn section, which keep the class, and out of it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from explorer.storage import room_code

__all__ = ["class_code", "learn_address", "link", "page_address", "show_links"]


def class_code() -> str | None:
    """The class that the address names, if it is one."""
    return room_code(st.query_params.get("class", ""))


def learn_address(**query: str) -> str:
    """An address within the section, with the class."""
    code = class_code()
    return page_address("learn", {**query, **({"class": code} if code else {})})


def page_address(page: str, query: Mapping[str, Any]) -> str:
    """The address of a page with everything set up. The Schedule page is at the root."""
    path = "/" if page == "schedule" else f"/{page}"
    return f"{path}?{urlencode(query)}" if query else path


def link(address: str, text: str, *, button: bool = False) -> str:
    """A link as HTML."""
    kind = ' class="nip-button"' if button else ""
    return f'<a{kind} href="{escape(address)}" target="_self">{escape(text)}</a>'


def show_links(*links: str) -> None:
    """Show links beside each other."""
    if links:
        st.html(" &nbsp; ".join(links))
