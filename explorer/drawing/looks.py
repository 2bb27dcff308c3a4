"""Other looks at a drawing: beside another design, and as each seat reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from explorer.choice import ProtocolChoice, source_named
from explorer.pictures import Comparison, Shown, schedule_payload
from nip_core.displays import displayed
from nip_core.editing import Draft, History
from nip_core.errors import EditError, NipError
from nip_core.play import Setup, sample_task

__all__ = ["Reference", "prompts_of", "reference"]

NOW = "Now"
MOST_ROWS = 40


@displayed
@dataclass(frozen=True, slots=True)
class Reference:
    """A design that the drawing is compared with, and what it is called.

    Parameters
    ----------
    title : str
    draft : Draft
    """

    title: str
    draft: Draft

    def compared(self, now: Draft) -> dict[str, Any]:
        """Return the drawing beside it: a picture with all differences marked, and in words."""
        if self.draft.document == now.document:
            return {"title": self.title, "picture": None, "words": "There is no difference."}
        shown = [Shown(self.draft.spec, self.title), Shown(now.spec, NOW)]
        try:
            comparison = Comparison(self.draft.spec, now.spec)
            return {
                "title": self.title,
                "picture": schedule_payload(shown),
                "words": comparison.sentence("the design now"),
                "rows": _rows(comparison),
            }
        except NipError as error:
            return {"title": self.title, "picture": None, "words": str(error)}


def _rows(comparison: Comparison) -> list[list[str]]:
    """Return what differs: what it is about, and how it was and is."""
    rows = [[*map(str, row.values())] for row in comparison.rows() if row["differs"]]
    return [[f"{asked}: {what}", was, now] for asked, what, was, now, _ in rows[:MOST_ROWS]]


def reference(history: History, asked: object) -> Reference | None:
    """Return what a window wants to compare a drawing with; None is nothing.

    Raises
    ------
    EditError
        If it is none of: a number of a step, and the name of a protocol.
    """
    if asked is None:
        return None
    if type(asked) is int:
        if asked == 0:
            return Reference("How it began", history.jump(0).draft)
        return Reference(f"After step {asked}", history.jump(asked).draft)
    if isinstance(asked, str) and source_named(asked):
        choice = ProtocolChoice.of(asked)
        return Reference(choice.title, Draft.of(choice.rules))
    raise EditError("A drawing is compared with one of its steps, or with a protocol.")


def prompts_of(draft: Draft) -> dict[str, str]:
    """Return the instructions of each seat, as people and models read them in play."""
    try:
        return Setup(draft.spec, sample_task(draft.spec)).prompts
    except NipError as error:
        # Such as one that is too long to be played.
        return dict.fromkeys(draft.spec.seat_names, str(error))
