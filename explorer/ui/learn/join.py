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
from explorer.ui.links import link, page_address, show_links
from explorer.ui.text import escaped, small

__all__ = ["offer_class", "show_how_to_join"]


def offer_class(lesson: Lesson) -> None:
    """Begin a class, or say how to join the one that the address names."""
    if class_code() is None:
        small("With a class, everybody's outcomes are counted together, without names.")
        code = st.session_state.setdefault("class-offered", new_class_code())
        address = page_address("learn", {"lesson": lesson.slug, "class": code})
        show_links(link(address, f"Begin class {code}"))
        return
    show_how_to_join(lesson)
    show_links(link(learn_address(show="tally", lesson=lesson.slug), "Tally for the projector"))


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
            "Only this machine knows the name in this address. For phones, start the explorer "
            "with `--host 0.0.0.0`: then a code to scan appears here."
        )
        return
    scan, typed = st.columns([1, 3], vertical_alignment="center")
    with scan:
        drawn = segno.make(whole, micro=False).svg_data_uri(scale=8, border=2, light="#fff")
        st.html(f'<img src="{drawn}" alt="This address, as a code to scan" width="220">')
    with typed:
        _show_address(whole)


def _show_address(address: str) -> None:
    st.markdown(f"This is class **{escaped(class_code() or '')}**. Others join at this address:")
    st.code(address, language=None, wrap_lines=True)


def _is_this_machine(host: str | None) -> bool:
    if host is None or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
