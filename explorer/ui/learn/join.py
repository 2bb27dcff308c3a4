"""How a class begins, and how people join it."""

from __future__ import annotations

import os
from ipaddress import ip_address
from urllib.parse import urlsplit

import segno
import streamlit as st

from explorer.lessons.classes import new_class_code
from explorer.lessons.lesson import Lesson
from explorer.ui.learn.links import class_code, learn_address
from explorer.ui.links import link, page_address
from explorer.ui.text import small

__all__ = ["class_link", "show_how_to_join"]


def class_link(lesson: Lesson | None = None) -> str:
    """The link by which a class begins, or to the results of the one that the address names."""
    about = {"lesson": lesson.slug} if lesson else {}
    if code := class_code():
        return link(learn_address(show="tally", **about), f"Results of class {code}", button=True)
    offered = st.session_state.setdefault("class-offered", new_class_code())
    address = page_address("learn", {"show": "tally", **about, "class": offered})
    return link(address, "Start a class", button=True)


def show_how_to_join(lesson: Lesson | None) -> None:
    """The class's address, to type or to scan."""
    here = urlsplit(st.context.url or "")
    if _is_this_machine(here.hostname):
        # Where others find a server that listens to them, if it knows.
        here = urlsplit(os.environ.get("NIP_EXPLORER_ADDRESS") or here.geturl())
    address = learn_address(**({"lesson": lesson.slug} if lesson else {}))
    whole = f"{here.scheme}://{here.netloc}{address}" if here.netloc else address
    if _is_this_machine(here.hostname):
        _show_address(whole)
        small(
            "Only this machine can open this address. For phones, start the explorer with "
            "--host 0.0.0.0; a code to scan then appears here."
        )
        return
    scan, typed = st.columns([1, 3], vertical_alignment="center")
    with scan:
        drawn = segno.make(whole, micro=False).svg_data_uri(scale=8, border=2, light="#fff")
        st.html(f'<img src="{drawn}" alt="This address, as a code to scan" width="220">')
    with typed:
        _show_address(whole)


def _show_address(address: str) -> None:
    st.markdown("Join at this address:")
    st.code(address, language=None, wrap_lines=True)


def _is_this_machine(host: str | None) -> bool:
    if host is None or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
