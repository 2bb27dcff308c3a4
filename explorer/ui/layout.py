"""The layout of pages: theme, header, links, and parts that rerun by themselves."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.languages import speaking
from explorer.pictures import Picture, Theme
from explorer.server import ProcessorTimeError, counted_run, is_run_counted
from explorer.ui.language import own_language
from explorer.ui.text import alert, escaped, in_html


def theme() -> Theme:
    """Return the theme for figures on this page."""
    return "dark" if st.context.theme.type == "dark" else "light"


def picture_tag(drawn: Picture, alt: str = "") -> str:
    """Return an HTML image of a picture; without `alt`, screen readers pass it over."""
    data = b64encode(drawn.svg().encode("utf-8")).decode("ascii")
    return (
        f'<img alt="{in_html(alt)}" width="{drawn.width:.0f}" height="{drawn.height:.0f}" '
        f'src="data:image/svg+xml;base64,{data}">'
    )


def header(
    title: str, line: str = "", *, back: str = "", starts: Callable[[], object] | None = None
) -> DeltaGenerator:
    """Show the head of a page; return the container of its actions, at most one of them primary.

    `line` says in a sentence what the page is for. `back` is a :func:`link` to the parent page.
    `starts` shows, beside the title, what can be begun with the page's subject.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", key="nip-header"):
        with st.container(key="nip-title"):
            if back:
                st.html(f'<nav class="nip-back" aria-label="Back">← {back}</nav>')
            st.title(escaped(title), anchor=False)
            if line:
                st.markdown(escaped(line))
        if starts is not None:
            with st.container(horizontal=True, width="content", key="nip-starts"):
                starts()
        return st.container(
            horizontal=True, vertical_alignment="center", width="content", key="nip-actions"
        )


P = ParamSpec("P")


def counted(show: Callable[P, None]) -> Callable[P, None]:
    """Return a page, or a part of one, whose processor time is counted for the visitor.

    Its texts are in the visitor's language.
    """

    @wraps(show)
    def shown(*args: P.args, **kwargs: P.kwargs) -> None:
        if is_run_counted():
            show(*args, **kwargs)
            return
        try:
            with counted_run(), speaking(own_language()):
                show(*args, **kwargs)
        except ProcessorTimeError as error:
            alert("warning", str(error))

    return shown


def part(show: Callable[P, None], *, every: float | None = None) -> Callable[P, None]:
    """Return a part of a page that can rerun alone; with `every`, it does so after these seconds.

    If a part reruns just after the whole page has, Streamlit does not send the page's own messages
    about it. The browser then removes the part, all following elements move up by one place, and
    the part replaces its neighbour: a heading is gone, or a line of buttons. So each part is put
    into a container of its own.
    """
    alone = st.fragment(counted(show), run_every=every)

    def shown(*args: P.args, **kwargs: P.kwargs) -> None:
        with st.container():
            alone(*args, **kwargs)

    return shown


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


def note_in_address(name: str, value: int | str | None) -> None:
    """Write a choice into the page's address; None if it is the default, which is left out."""
    text = None if value is None else str(value)
    if st.query_params.get(name) == text:
        return
    if text is None:
        del st.query_params[name]
    else:
        st.query_params[name] = text


def address() -> dict[str, str]:
    """Return the query of the page's address."""
    return {key: st.query_params[key] for key in st.query_params if st.query_params.get_all(key)}


def change_address(query: Mapping[str, str], gone: Iterable[str] = ()) -> None:
    """Write entries into the page's address in one step of Back, and take others out.

    Entries that controls are bound to stay as they are, which :func:`write_address` cannot do.
    """
    now = address()
    changes: dict[str, str | list[str]] = {key: [] for key in gone if key in now}
    changes |= query
    if any(now.get(key, []) != text for key, text in changes.items()):
        st.query_params.update(changes)


def write_address(query: Mapping[str, str]) -> None:
    """Replace the whole query of the page's address; only a change is a step of Back."""
    if address() != query:
        st.query_params.from_dict(query)


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
