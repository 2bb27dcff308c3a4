"""What seats earn in a drawing, computed elsewhere and dropped with the next edit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from explorer.computations import BusyError, Computation, computations
from nip_core.editing import Draft

__all__ = ["Worth"]

WHAT = "explorer.drawing.consequences:consequences"


class Worth:
    """The consequences of the present protocol, and of the one before the last edit."""

    def __init__(self) -> None:
        self._text = self._before = ""
        self._first: Computation | None = None
        self._more: Computation | None = None
        self._old: dict[str, Any] | None = None

    def follow(self, draft: Draft) -> None:
        """Compute for another protocol from now on."""
        text = json.dumps(draft.spec.to_dict())
        if text == self._text:
            return
        known = self.now
        self._old = known.get("values")
        for computation in (self._first, self._more):
            if computation is not None:
                computation.cancel()
        self._before, self._text = self._text, text
        self._more, self._first = None, self._begun(longer=False)

    def _begun(self, *, longer: bool) -> Computation | None:
        try:
            return computations().begin(
                WHAT,
                self._text,
                longer,
                key=(self._text, longer),
                lane="slow" if longer else "quick",
            )
        except BusyError:
            return None

    @property
    def now(self) -> Mapping[str, Any]:
        """What is known of the present protocol so far."""
        first = None if self._first is None else self._first.look()
        if first is None:
            return {}
        values = first.get("values")
        inexact = values is None or not values["exact"]
        if inexact and self._first is not None and self._first.done and self._more is None:
            self._more = self._begun(longer=True)
        more: Mapping[str, Any] = {} if self._more is None else self._more.look() or {}
        return {**first, "values": more.get("values") or values}

    @property
    def is_done(self) -> bool:
        """Whether nothing more will come."""
        begun = [each for each in (self._first, self._more) if each is not None]
        _ = self.now
        return all(each.done for each in begun) and (
            self._more is not None or self._first is None or self._is_exact
        )

    @property
    def _is_exact(self) -> bool:
        values = self.now.get("values")
        return values is not None and values["exact"]

    def to_plain(self) -> dict[str, Any]:
        """Return it for the page, with the values before the last edit to compare with."""
        now = self.now
        return {
            "values": now.get("values"),
            "before": self._old,
            "remarks": now.get("remarks"),
            "done": self.is_done,
        }
