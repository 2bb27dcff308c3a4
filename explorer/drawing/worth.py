"""What seats earn in a drawing, computed elsewhere and dropped with the next edit."""

from __future__ import annotations

import json
from typing import Any

from explorer.computations import BusyError, Computation, computations
from nip_core.editing import Draft

__all__ = ["Worth"]

# What follows by chance, with a best reply to that, and under the evidence model.
NUMBERS = ("values", "replies", "evidence")
WHAT = "explorer.drawing.consequences:consequences"


class Worth:
    """The consequences of the present protocol, with the values before the last edit.

    First comes what is there at once; a second computation has more time. What comes late has the
    protocol's own text, so that no number of an older one is shown.
    """

    def __init__(self) -> None:
        self._text = ""
        self._first: Computation | None = None
        self._more: Computation | None = None
        self._before: dict[str, Any] = {}

    def follow(self, draft: Draft) -> None:
        """Compute for another protocol from now on."""
        text = json.dumps(draft.spec.to_dict())
        if text == self._text:
            return
        self._before = self._found()
        for computation in (self._first, self._more):
            if computation is not None:
                computation.cancel()
        self._text, self._more = text, None
        self._first = self._begun(longer=False)

    def _begun(self, *, longer: bool) -> Computation | None:
        lane, key = "slow" if longer else "quick", (self._text, longer)
        try:
            return computations().begin(WHAT, self._text, longer, key=key, lane=lane)
        except BusyError:
            return None

    def _found(self) -> dict[str, Any]:
        """Return what is known of the present protocol so far."""
        ways = (self._first, self._more)
        results: list[dict[str, Any]] = [way.look() or {} for way in ways if way is not None]
        return {key: value for result in results for key, value in result.items() if value}

    def to_plain(self) -> dict[str, Any]:
        """Return it for the page: numbers, those before the last edit, remarks, and if it is done.

        It begins again if nobody has looked for a while, or if too many others were waiting.
        """
        if self._first is None or self._first.is_lost:
            self._first = self._begun(longer=False)
        ways = (self._first, self._more)
        # Asked before the results are read: what ends in between has more than was read.
        is_done = self._first is not None and all(way is None or way.done for way in ways)
        found = self._found()
        if is_done and self._more is None:
            self._more = self._begun(longer=True)
            is_done = self._more is None
        return {
            **{name: found.get(name) for name in (*NUMBERS, "remarks")},
            "before": {name: self._before.get(name) for name in NUMBERS},
            "done": is_done,
        }
