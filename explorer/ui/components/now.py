"""What a person in a room is to do now; see ``explorer/front/now.js``."""

from __future__ import annotations

from explorer.rooms import Strip, with_clock
from explorer.ui.components.front import front_component

__all__ = ["show_now"]

_component = front_component("now")


def show_now(strip: Strip, *, key: str, live: str | None = None) -> None:
    """Put the strip on the page.

    Parameters
    ----------
    strip : dict
        From :func:`~explorer.rooms.strip`.
    key : str
    live : str, optional
        What the window's line calls it, if the line keeps it up to date.
    """
    _component(data={"clock": None, **with_clock(strip), "live": live}, key=key)
