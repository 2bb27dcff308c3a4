"""Parts of a page that run by themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec

import streamlit as st

__all__ = ["part"]

P = ParamSpec("P")


def part(show: Callable[P, None], *, every: float | None = None) -> Callable[P, None]:
    """Make a part of a page that can run without what is around it.

    Where a part runs again just after the whole page has, Streamlit leaves what the page had to
    say of it unsent. The browser then takes the part off the page, all that comes after it moves
    up by one place, and the part comes back on top of its neighbour: a heading is gone, or a line
    of buttons. So each part is alone in a place of its own.

    Parameters
    ----------
    show : callable
        Shows the part.
    every : float, optional
        Seconds after which it runs again by itself.

    Returns
    -------
    callable
        Takes what `show` takes.
    """
    alone = st.fragment(show, run_every=every)

    def shown(*args: P.args, **kwargs: P.kwargs) -> None:
        with st.container():
            alone(*args, **kwargs)

    return shown
