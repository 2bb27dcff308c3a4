"""What a room answered, as charts that move when more is answered."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.rooms import Chart
from explorer.ui.components.front import front_component

__all__ = ["show_tally"]

_component = front_component("tally")


def show_tally(
    charts: Sequence[Chart], *, key: str, big: bool = False, live: str | None = None
) -> None:
    """Show charts.

    Parameters
    ----------
    charts : sequence of dict
        From :mod:`explorer.rooms.lesson_counts`.
    key : str
    big : bool
        For a projector?
    live : str, optional
        What the window's line calls them, if the line keeps them up to date.
    """
    if charts or live:
        _component(data={"charts": list(charts), "big": big, "live": live}, key=key)
