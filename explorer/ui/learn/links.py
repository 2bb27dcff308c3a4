"""Links within the Learn section, which keep the class."""

from __future__ import annotations

import streamlit as st

from explorer.storage import room_code
from explorer.ui.links import link, page_address

__all__ = ["all_lessons", "class_code", "learn_address"]


def class_code() -> str | None:
    """The class that the address names, if it is one."""
    return room_code(st.query_params.get("class", ""))


def learn_address(**query: str) -> str:
    """An address within the section, with the class."""
    code = class_code()
    return page_address("learn", {**query, **({"class": code} if code else {})})


def all_lessons() -> str:
    """The link back to the list of lessons."""
    return link(learn_address(), "All lessons")
