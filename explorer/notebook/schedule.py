"""A protocol's schedule in a notebook: the grid of the app, with round-by-round steps."""

from __future__ import annotations

from html import escape
from typing import Any

from explorer.notebook.live import Display
from explorer.pictures import (
    Picture,
    PictureError,
    Shown,
    StageGrid,
    Theme,
    View,
    caption,
    check_seed,
    check_view,
    compare_picture,
    picture,
    schedule_payload,
    stage_payload,
    stage_table,
)
from explorer.play import sent_object
from nip_core.displays import brief, line
from nip_core.language import Specification
from nip_core.registry import AnyProtocol, protocol_spec, protocol_title, version_2
from nip_core.spec import ProtocolSpec, schedule_html, schedule_text


def show_schedule(
    protocol: AnyProtocol,
    seed: int | tuple[int | None, int | None] | AnyProtocol | None = None,
    *,
    compare: AnyProtocol | None = None,
    view: View = "grid",
    round_id: int = 0,
) -> ScheduleDisplay | StagesDisplay:
    """Return a display of a protocol's schedule, round by round, as on the Schedule page.

    Parameters
    ----------
    protocol : str, ProtocolSpec, ProtocolHandler or its class, HyperParameters or Specification
        Anything that :func:`nip_core.protocol` takes, such as ``"mnip"``, or a name of
        :func:`nip_core.published_names`. In version 2, the display asks at each guard which way to
        go.
    seed : int, or a pair of them, optional
        The seed of the episode, or of each of two that are compared. Without it, all random
        variants are shown. A protocol in this position is compared, as in ``show_schedule("debate",
        "mnip")``.
    compare : same as `protocol`, optional
        Another protocol, whose grid is shown below, with differences marked.
    view : {"grid", "sequence", "visibility"}
    round_id : int
        The round that is selected first, from 0.

    Returns
    -------
    ScheduleDisplay
        Shows itself at the end of a cell. Its ``selected`` is the present round, and can be set.

    Raises
    ------
    PictureError
        If there is no such view or round, if two protocols are compared in another view than the
        grid, or if there are more seeds than protocols. Protocols of version 2 take no seed and
        cannot be compared.

    Examples
    --------
    >>> show_schedule("mnip", round_id=2).selected
    2
    """
    if (spec := version_2(protocol)) is not None:
        if seed is not None or compare is not None:
            raise PictureError("A protocol of version 2 is shown alone and without a seed.")
        return StagesDisplay(spec, view, round_id)
    if not (seed is None or isinstance(seed, int | tuple)):
        if compare is not None:
            raise PictureError("Two protocols are compared, not three: leave one of them out.")
        seed, compare = None, seed
    if version_2(compare) is not None:
        raise PictureError("A protocol of version 2 is shown alone and without a seed.")
    specs = [protocol_spec(which) for which in (protocol, compare) if which is not None]
    seeds = seed if isinstance(seed, tuple) else (seed,) * len(specs)
    if len(seeds) != len(specs):
        raise PictureError("A pair of seeds is for two protocols that are compared.")
    for number in seeds:
        check_seed(number)
    return ScheduleDisplay(specs, seeds, view, round_id)


class SteppedDisplay(Display):
    """A picture in which one step is framed: a round, or in version 2 a column of the grid.

    The browser draws the payload.
    """

    front = "schedule"
    styles = ("schedule", "miniature")
    step = "round"

    def __init__(self, payload: str, steps: int, selected: int) -> None:
        super().__init__()
        self._payload = payload
        self._steps = steps
        self._selected = self._first = self._checked(selected)
        self._pick: str | None = None

    @property
    def selected(self) -> int:
        """The index of the framed step."""
        return self._selected

    @selected.setter
    def selected(self, number: int) -> None:
        self._selected = self._checked(number)
        self._pick = None
        self.refresh()

    def _checked(self, number: int) -> int:
        if type(number) is not int or not 0 <= number < self._steps:
            raise PictureError(
                f"There is no {self.step} {number}; there are {self.step}s 0 to {self._steps - 1}."
            )
        return number

    def svg(self, theme: Theme = "light") -> str:
        """Return the schedule as a picture for paper and slides."""
        return self._picture(theme, self.selected).svg()

    def _picture(self, theme: Theme, selected: int) -> Picture:
        """Return the still picture with a step framed."""
        raise NotImplementedError

    def data(self) -> dict[str, object]:
        """Return the data for the browser; see ``explorer/front/schedule.js``."""
        return {"picture": self._payload, "selected": self.selected, "pick": self._pick}

    def receive(self, event: str, value: Any) -> None:
        """Select a step that was chosen in the browser."""
        request = sent_object(value)
        number, pick = request.get("round"), request.get("pick")
        if event != "pick" or type(number) is not int or not isinstance(pick, str):
            return
        if 0 <= number < self._steps:
            self._selected, self._pick = number, pick[:40]
            self.refresh()


class ScheduleDisplay(SteppedDisplay):
    """Shows a schedule, or two that are compared; see :func:`show_schedule`."""

    def __init__(
        self,
        specs: list[ProtocolSpec],
        seeds: tuple[int | None, ...],
        view: View = "grid",
        selected: int = 0,
    ) -> None:
        check_view(view)
        if len(specs) > 1 and view != "grid":
            raise PictureError("Two protocols are compared as grids: leave the view out.")
        self.spec = specs[0]
        self.specs = specs
        self.seeds = seeds
        self.view: View = view
        rounds = max(spec.max_message_rounds for spec in specs)
        super().__init__(schedule_payload([*map(_titled, specs, seeds)], view), rounds, selected)

    def __repr__(self) -> str:
        return line(self, *(brief(spec.name) for spec in self.specs))

    def _picture(self, theme: Theme, selected: int) -> Picture:
        if len(self.specs) > 1:
            left, right = self.specs
            first, second = self.seeds
            return compare_picture(
                left, right, seeds=(first, second), selected=selected, theme=theme
            )
        framed = None if self.view == "visibility" else selected
        return picture(self.spec, self.view, seed=self.seeds[0], selected=framed, theme=theme)

    def text(self) -> str:
        """Return the schedules as tables of letters."""
        return "\n\n".join(map(schedule_text, self.specs))

    def html(self) -> str:
        """Return the still picture, its description in words, and its table."""
        words = " ".join(map(caption, self.specs, self.seeds))
        # With the initial round; otherwise the picture would be sent again at each step.
        drawn = self._picture("light", self._first).html()
        tables = "".join(map(schedule_html, self.specs))
        details = f"<details><summary>As a table</summary>{tables}</details>"
        return f"{drawn}<p>{escape(words)}</p>{details}"


class StagesDisplay(SteppedDisplay):
    """Shows a version 2 protocol; see :func:`show_schedule`."""

    step = "column"

    def __init__(self, spec: Specification, view: View = "grid", selected: int = 0) -> None:
        check_view(view)
        self.spec = spec
        self.view: View = view
        columns = len(StageGrid(spec).columns)
        super().__init__(stage_payload(spec.name, spec, view), columns, selected)

    def __repr__(self) -> str:
        return line(self, brief(self.spec.name))

    def _picture(self, theme: Theme, selected: int) -> Picture:
        framed = None if self.view == "visibility" else selected
        return picture(self.spec, self.view, selected=framed, theme=theme)

    def text(self) -> str:
        """Return the protocol's steps in words."""
        return self._picture("light", self._first).description

    def html(self) -> str:
        """Return the still picture and its table."""
        drawn = self._picture("light", self._first)
        table = stage_table(self.spec).to_html(border=0)
        words = f"<p>{escape(drawn.description)}</p>"
        return f"{drawn.html()}{words}<details><summary>As a table</summary>{table}</details>"


def _titled(spec: ProtocolSpec, seed: int | None) -> Shown:
    title = protocol_title(spec)
    return Shown(f"{title}, zero knowledge" if spec.is_zero_knowledge else title, spec, seed)
