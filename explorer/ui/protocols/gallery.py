"""The gallery: all protocols by family, with a search; one's own come first."""

from __future__ import annotations

import streamlit as st

from explorer.choice import OWN
from explorer.gallery import gallery, gallery_names
from explorer.ui.fronts import show_gallery
from explorer.ui.layout import address, header, link, page_address
from explorer.ui.page_link import page_link
from explorer.ui.protocols.choice import FIRST

FAMILY, SEARCH = "family", "search"  # entries of the address, which the browser writes
BASE = page_address("protocols", {"protocol": ""})


def show_all() -> None:
    """Show all protocols."""
    own = FIRST.own()
    families = gallery([own] if own is not None else [])
    line = f"{len(gallery_names())} ways to learn the truth from somebody who knows more."
    with st.container(key="nip-top"):
        actions = header("Protocols", line)
    with actions:
        compared = page_address("protocols", {"protocol": FIRST.default, "compare": "true"})
        st.html(link(compared, "Compare two", button=True), width="content")
        opened = page_address("protocols", {"protocol": OWN})
        st.html(link(opened, "Open a file", button=True), width="content")
        drawn = page_address("draw", {})
        st.html(link(drawn, "Draw your own", button=True, main=True), width="content")
    with page_link("protocols", (FAMILY, SEARCH)):
        query = address()
        show_gallery(
            families,
            base=BASE,
            family=query.get(FAMILY, ""),
            search=query.get(SEARCH, ""),
            key="gallery",
        )
