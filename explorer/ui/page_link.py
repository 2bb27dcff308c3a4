"""The entries of a page's address besides its protocol, and what is wrong with them.

An address was opened with a mistake, or it has none: what controls write can be used. So each entry
is judged when the page first sees it. Streamlit takes a wrong entry of a bound control out of the
address when it draws the control, so it must be read before.
"""

from __future__ import annotations

from collections.abc import Collection, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.choice import Allowed, is_allowed, unknown_entries, wrong_entry
from explorer.ui.layout import address
from explorer.ui.text import alert

KEY = "link of the page"
SWITCH = ("true", "false")


@dataclass(slots=True)
class _Opened:
    """What a page has seen of its link."""

    page: str = ""
    seen: dict[str, str] = field(default_factory=dict[str, str])  # the address after the last run
    problems: dict[str, str] = field(default_factory=dict[str, str])
    # The values of the controls that are bound to wrong entries.
    controls: dict[str, object] = field(default_factory=dict[str, object])
    used: set[str] = field(default_factory=set[str])


@contextmanager
def page_link(
    page: str, known: Collection[str] | None = None, place: DeltaGenerator | None = None
) -> Generator[list[str]]:
    """Show what is wrong with the page's link, above the rest of the page or in a `place`.

    The page adds its own sentences to the list. If all entries that the page may have are `known`,
    others are reported, too.
    """
    opened = _opened()
    if opened.page != page:
        opened = st.session_state[KEY] = _Opened(page)
    opened.used = set()
    for name, value in opened.controls.items():
        if st.session_state.get(name, value) != value:
            opened.problems.pop(name, None)
    # A place of its own, so that nothing moves when it goes.
    place = st.container() if place is None else place
    problems: list[str] = []
    yield problems
    if known is not None:
        unknown = [name for name in address() if name not in known]
        if unknown:
            problems.append(unknown_entries("This page", unknown, known).in_link)
    problems += opened.problems.values()
    opened.seen = address()
    state = st.session_state
    opened.controls = {name: state[name] for name in opened.problems if name in state}
    if problems:
        with place:
            alert("info", " ".join(problems))


def from_link(name: str, allowed: Allowed, usual: str = "") -> str | None:
    """Return an entry of the page's address if it may be so, else None.

    A wrong one is reported, and that it is as `usual` instead.
    """
    text = address().get(name)
    fits = text is not None and is_allowed(text, allowed)
    problem = "" if text is None or fits else wrong_entry(name, text, allowed, usual).in_link
    judge(name, problem)
    return text if fits else None


def judge(name: str, problem: str) -> None:
    """Keep what is wrong with an entry of the address, if it is seen for the first time."""
    opened, text = _opened(), address().get(name)
    opened.used.add(name)
    if text is not None and opened.seen.get(name) != text:
        opened.problems.pop(name, None)
        if problem:
            opened.problems[name] = problem


def unused_entries(names: Collection[str]) -> list[str]:
    """Return the entries of the address, among these, that the page has not read in this run.

    Names that end with a point are prefixes.
    """
    prefixes = tuple(name for name in names if name.endswith("."))
    entries = [name for name in address() if name in names or name.startswith(prefixes)]
    return [name for name in entries if name not in _opened().used]


def _opened() -> _Opened:
    return st.session_state.setdefault(KEY, _Opened())
