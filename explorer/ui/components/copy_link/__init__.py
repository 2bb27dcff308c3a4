"""A button that copies the page's address, in which all inputs are."""

from __future__ import annotations

from pathlib import Path

from streamlit.components.v2 import component

__all__ = ["copy_link"]

HERE = Path(__file__).parent

_component = component(
    "nip_copy_link",
    html='<button type="button">Copy link</button><span role="status"></span>',
    css=(HERE / "copy_link.css").read_text(encoding="utf-8"),
    js=(HERE / "copy_link.js").read_text(encoding="utf-8"),
)


def copy_link() -> None:
    """Put the button on the page."""
    _component(key="copy_link", width="content")
