"""Charts as files for papers and slides."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from explorer.pictures import Picture, can_convert
from explorer.ui.text import escaped

__all__ = ["offer_files"]

KINDS = {".svg": "image/svg+xml", ".pdf": "application/pdf"}


def offer_files(picture: Callable[[], Picture], name: str) -> None:
    """Offer a picture, as it is once a file is asked for: as SVG and, where it can be made, PDF."""
    with st.container(horizontal=True, gap="small"):
        for ending, mime in KINDS.items():
            if ending == ".pdf" and not can_convert():
                continue
            st.download_button(
                escaped(f"Chart ({ending[1:].upper()})"),
                lambda ending=ending: picture().written(ending),
                file_name=f"{name}{ending}",
                mime=mime,
                on_click="ignore",
                key=f"rewards-{name}-{ending[1:]}",
                type="tertiary",
            )
