"""Rollouts of training in a notebook: the reader, for each of their episodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.figures import Theme
from explorer.notebook.reading import ReadDisplay
from explorer.pictures import Picture, rollout_picture
from nip_core.displays import line
from nip_core.errors import PlayError, UnsupportedError
from nip_core.registry import AnyProtocol
from nip_core.transcript import Rollout, Rollouts, read_rollouts

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RolloutsDisplay", "show_rollouts"]


def show_rollouts(rollouts: Any, protocol: AnyProtocol | None = None) -> RolloutsDisplay:
    """Step through the episodes of rollouts, laid over the schedule of their protocol.

    Parameters
    ----------
    rollouts : TensorDict, NestedArrayDict, mapping, list of them, or Rollouts
        See :func:`nip_core.transcript.read_rollouts` for the keys.
    protocol : str, ProtocolSpec, ProtocolHandler or its class, or HyperParameters
        What was played; not needed for Rollouts, which know it.

    Returns
    -------
    RolloutsDisplay
        Shows itself at the end of a cell: the reader of transcripts, with a control that picks the
        episode. ``rollouts`` is what was read, ``grid()`` the picture of the episode over the
        schedule, ``episodes_df()`` and ``rounds_df()`` are tables for pandas.

    Raises
    ------
    StepInputError
        Naming the key and the shape or value that is wanted.
    PlayError
        If no episode was played from its first round to its end.
    """
    if not isinstance(rollouts, Rollouts):
        if protocol is None:
            raise PlayError('Say which protocol was played: show_rollouts(rollouts, "mnip").')
        rollouts = read_rollouts(rollouts, protocol)
    return RolloutsDisplay(rollouts)


class RolloutsDisplay(ReadDisplay):
    """Rollouts that show themselves; see :func:`show_rollouts`."""

    def __init__(self, rollouts: Rollouts) -> None:
        self.rollouts = rollouts
        self._readable = [item for item in rollouts if item.whole and item.over]
        if not self._readable:
            raise PlayError(
                f"None of the {len(rollouts):,} episodes in these rollouts was played from its "
                "first round to its end, so that there is none to read. Tables hold all of them: "
                "rounds_df(read_rollouts(...))."
            )
        self._number = 0
        super().__init__(rollouts.episode(self._readable[0]))

    @property
    def rollout(self) -> Rollout:
        """The episode that is shown."""
        return self._readable[self._number]

    def go_to(self, number: int) -> None:
        """Show another episode, counted from 0 among those that were played to their ends."""
        if not 0 <= number < len(self._readable):
            raise PlayError(f"There is no episode {number}; there are {len(self._readable):,}.")
        self._number = number
        self._open(self.rollouts.episode(self.rollout))
        self.refresh()

    def grid(self, theme: Theme = "light") -> Picture:
        """The episode over the schedule: who spoke, what was decided and paid."""
        return rollout_picture(self.rollout, self.rollouts.handler.spec, theme=theme)

    def episodes_df(self) -> pd.DataFrame:
        """All episodes as a table for pandas, a row for each episode and seat."""
        from explorer.transcripts.dataframes import episodes_df

        return episodes_df(self.rollouts)

    def rounds_df(self) -> pd.DataFrame:
        """All rounds as a table for pandas, a row for each round and seat."""
        from explorer.transcripts.dataframes import rounds_df

        return rounds_df(self.rollouts)

    def __repr__(self) -> str:
        return line(self, repr(self.rollouts), f"shows {self.rollout.name}")

    def _bar(self) -> list[dict[str, Any]]:
        bar = super()._bar()
        picks = {
            "kind": "range",
            "name": "rollout",
            "label": f"Episode of {len(self._readable):,}",
            "value": self._number + 1,
            "low": 1,
            "high": len(self._readable),
            "step": 1,
        }
        return [bar[0], picks, *bar[1:]] if len(self._readable) > 1 else bar

    def _press(self, name: Any, value: Any) -> None:
        if name == "rollout":
            if type(value) is int and 1 <= value <= len(self._readable):
                self.go_to(value - 1)
            return
        super()._press(name, value)

    def html(self) -> str:
        """The episode over the schedule, and what was said."""
        try:
            drawn = self.grid().html()
        except UnsupportedError:
            drawn = ""
        return f"{drawn}{super().html()}"
