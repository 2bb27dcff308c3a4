"""A protocol's schedule in a notebook: the grid of the app, with turn-by-turn steps."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from explorer.notebook.live import Display
from explorer.pictures import (
    PictureError,
    Shown,
    Theme,
    View,
    caption,
    check_seed,
    check_view,
    columns_of,
    grid_rows,
    schedule_payload,
    shown_picture,
)
from explorer.play import sent_object
from nip_core.displays import brief, line
from nip_core.language import Specification
from nip_core.registry import AnyProtocol

Seeds = tuple[int | None, ...]


def show_schedule(
    protocol: AnyProtocol | Specification,
    seed: int | tuple[int | None, int | None] | AnyProtocol | None = None,
    *,
    compare: AnyProtocol | Specification | None = None,
    view: View = "grid",
    round_id: int = 0,
) -> ScheduleDisplay:
    """Return a display of a protocol's schedule, turn by turn, as on its page.

    Parameters
    ----------
    protocol : str, ProtocolSpec, ProtocolHandler or its class, HyperParameters or Specification
        Anything that :func:`nip_core.protocol` takes, such as ``"mnip"``, or a name of
        :func:`nip_core.published_names`. Where a guard decides where play goes, the display asks
        which way to go.
    seed : int, or a pair of them, optional
        The seed of the episode, or of each of two that are compared. Without it, all random
        variants are shown. A protocol in this position is compared, as in ``show_schedule("debate",
        "mnip")``.
    compare : same as `protocol`, optional
        Another protocol, whose grid is shown below, with differences marked.
    view : {"grid", "sequence", "visibility"}
    round_id : int
        The column of the grid that is selected first, from 0.

    Returns
    -------
    ScheduleDisplay
        Shows itself at the end of a cell. Its ``selected`` is the present column, and can be set.

    Raises
    ------
    PictureError
        If there is no such view or column, if two protocols are compared in another view than the
        grid, or if there are more seeds than protocols.

    Examples
    --------
    >>> show_schedule("mnip", round_id=2).selected
    2
    """
    if not (seed is None or isinstance(seed, int | tuple)):
        if compare is not None:
            raise PictureError("Two protocols are compared, not three: leave one of them out.")
        seed, compare = None, seed
    protocols = [which for which in (protocol, compare) if which is not None]
    seeds: Seeds = seed if isinstance(seed, tuple) else (seed,) * len(protocols)
    if len(seeds) != len(protocols):
        raise PictureError("A pair of seeds is for two protocols that are compared.")
    for number in seeds:
        check_seed(number)
    shown = [Shown(which, seed=own) for which, own in zip(protocols, seeds, strict=True)]
    return ScheduleDisplay(shown, view, round_id)


class ScheduleDisplay(Display):
    """Shows a schedule, or two that are compared; see :func:`show_schedule`.

    One column is framed. The browser draws the payload.
    """

    front = "schedule"
    styles = ("schedule", "miniature")

    def __init__(self, shown: Sequence[Shown], view: View = "grid", selected: int = 0) -> None:
        super().__init__()
        check_view(view)
        if len(shown) > 1 and view != "grid":
            raise PictureError("Two protocols are compared as grids: leave the view out.")
        self.shown = shown
        self.spec = shown[0].spec
        self.view: View = view
        self._payload = schedule_payload(shown, view)
        self._columns = columns_of(shown)
        self._selected = self._first = self._checked(selected)
        self._pick: str | None = None

    def __repr__(self) -> str:
        return line(self, *(brief(one.spec.name) for one in self.shown))

    @property
    def selected(self) -> int:
        """The index of the framed column."""
        return self._selected

    @selected.setter
    def selected(self, number: int) -> None:
        self._selected = self._checked(number)
        self._pick = None
        self.refresh()

    def _checked(self, number: int) -> int:
        if type(number) is not int or not 0 <= number < self._columns:
            raise PictureError(
                f"There is no column {number}; there are columns 0 to {self._columns - 1}."
            )
        return number

    def svg(self, theme: Theme = "light") -> str:
        """Return the schedule as a picture for paper and slides."""
        return shown_picture(self.shown, self.view, selected=self.selected, theme=theme).svg()

    def data(self) -> dict[str, object]:
        """Return the data for the browser; see ``explorer/front/schedule.js``."""
        return {"picture": self._payload, "selected": self.selected, "pick": self._pick}

    def receive(self, event: str, value: Any) -> None:
        """Select a column that was chosen in the browser."""
        request = sent_object(value)
        number, pick = request.get("round"), request.get("pick")
        if event != "pick" or type(number) is not int or not isinstance(pick, str):
            return
        if 0 <= number < self._columns:
            self._selected, self._pick = number, pick[:40]
            self.refresh()

    def text(self) -> str:
        """Return the schedules in words."""
        return "\n\n".join(caption(one.spec, one.seed) for one in self.shown)

    def html(self) -> str:
        """Return the still picture, its description in words, and its table."""
        # With the initial column; otherwise the picture would be sent again at each step.
        drawn = shown_picture(self.shown, self.view, selected=self._first)
        tables = "".join(grid_rows(one.spec, one.seed).html(one.name) for one in self.shown)
        details = f"<details><summary>As a table</summary>{tables}</details>"
        return f"{drawn.html()}<p>{escape(drawn.description)}</p>{details}"
