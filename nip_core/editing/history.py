"""The history of a design: its gestures, in words, to undo, redo and jump to, and to keep.

It is plain data: a document to begin with, and gestures with their arguments. So it can be stored,
replayed as a lesson in how a protocol was built, and merged after two tabs have gone on from the
same one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from nip_core.displays import displayed
from nip_core.documents import Limits, canonical, plain_copy
from nip_core.editing.draft import Draft
from nip_core.editing.edits import Edit
from nip_core.editing.forms import Document, is_list, is_table
from nip_core.editing.work import Result, do
from nip_core.errors import EditError, show

__all__ = ["History", "Step"]

FORMAT = "nip-history/1"
MOST_STEPS = 5_000
KEPT = Limits(size=5_000_000, values=500_000, depth=25, digits=60)


@displayed
@dataclass(frozen=True)
class Step:
    """A gesture that was made.

    Parameters
    ----------
    gesture : str
    arguments : mapping
    words : str
        What it did: "let the judge read the passage".
    also : tuple of str
        What else had to change.
    """

    gesture: str
    arguments: Mapping[str, Any]
    words: str = ""
    also: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = field(default=(), repr=False, compare=False)
    back: tuple[Edit, ...] = field(default=(), repr=False, compare=False)


@displayed
@dataclass(frozen=True)
class History:
    """A design and how it came about.

    Parameters
    ----------
    first : mapping
        The document that it began with.
    steps : tuple of Step
        All gestures; those after `at` have been undone.
    at : int
        How many of them are in the design now.
    draft : Draft
        The design now.
    """

    first: Document
    steps: tuple[Step, ...]
    at: int
    draft: Draft

    @classmethod
    def of(cls, draft: Draft) -> History:
        """Begin with a protocol."""
        return cls(draft.document, (), 0, draft)

    def do(self, gesture: object, arguments: object = None) -> tuple[History, Result]:
        """Make a gesture; what had been undone is forgotten. A refused one changes nothing."""
        result = do(self.draft, gesture, arguments)
        if result.refused is not None or not result.edits:
            return self, result
        given = cast("Mapping[str, Any]", arguments or {})
        step = Step(str(gesture), given, result.words, result.also, result.edits, result.back)
        steps = (*self.steps[: self.at], step)
        return History(self.first, steps, len(steps), result.draft), result

    @property
    def can_undo(self) -> bool:
        """Whether there is a gesture to undo."""
        return self.at > 0

    @property
    def can_redo(self) -> bool:
        """Whether a gesture has been undone and can be made again."""
        return self.at < len(self.steps)

    def undo(self) -> History:
        """Undo the last gesture, if there is one."""
        return self.jump(self.at - 1) if self.can_undo else self

    def redo(self) -> History:
        """Make the gesture again that was undone last, if there is one."""
        return self.jump(self.at + 1) if self.can_redo else self

    def jump(self, at: int) -> History:
        """Go to the design after some number of gestures.

        Raises
        ------
        EditError
            If there are not so many.
        """
        if type(at) is not int or not 0 <= at <= len(self.steps):
            raise EditError(f"{show(at)} is no place among {len(self.steps)} gestures.")
        if at == self.at:
            return self
        if at < self.at:
            edits = [e for step in reversed(self.steps[at : self.at]) for e in step.back]
        else:
            edits = [e for step in self.steps[self.at : at] for e in step.edits]
        return replace(self, at=at, draft=self.draft.after(edits))

    def drafts(self) -> Iterator[tuple[str, Draft]]:
        """Yield how the design was built: each gesture in words, and the design after it."""
        now = Draft.read(self.first)
        yield "", now
        for step in self.steps[: self.at]:
            now = now.after(step.edits)
            yield step.words, now

    # -- keeping -------------------------------------------------------------------------------

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain data, from which :meth:`from_plain` makes the same again."""
        steps = [
            {"gesture": step.gesture, "arguments": dict(step.arguments)} for step in self.steps
        ]
        return {"format": FORMAT, "first": dict(self.first), "steps": steps, "at": self.at}

    @classmethod
    def from_plain(cls, data: object) -> History:
        """Read plain data, which may be untrusted. Gestures that are refused now are left out.

        Raises
        ------
        EditError
            If it is no history.
        SpecError
            If it began with what is no protocol.
        """
        plain = plain_copy(data, KEPT, EditError, "The history")
        if not is_table(plain) or plain.get("format") != FORMAT:
            raise EditError(f"This is no history of a design: its format must be {FORMAT}.")
        kept = plain
        steps = kept.get("steps", [])
        if not is_list(steps) or len(steps) > MOST_STEPS:
            raise EditError(f"A history has a list of at most {MOST_STEPS:,} steps.")
        history, at = cls.of(Draft.read(kept.get("first", {}))), kept.get("at", len(steps))
        wanted = at if type(at) is int else len(steps)
        now = 0
        for number, step in enumerate(steps):
            if is_table(step):
                history, _ = history.do(step.get("gesture"), step.get("arguments"))
            if number < wanted:
                now = history.at
        return history.jump(now)

    def merged(self, other: History) -> tuple[History, tuple[str, ...]]:
        """Return this with the gestures that another tab made after the last common one.

        Gestures that both have made count once. So two tabs that merge each other's histories, in
        any order and more than once, come to have the same. Also returns those that do not fit any
        more, in words with reasons.

        Raises
        ------
        EditError
            If the two began with different protocols.
        """
        if canonical(self.first) != canonical(other.first):
            raise EditError("The two designs did not begin with the same protocol.")
        own, others = self.steps[: self.at], other.steps[: other.at]
        common = 0
        while common < min(len(own), len(others)) and own[common] == others[common]:
            common += 1
        mine, theirs = Counter(map(_key, own[common:])), Counter(map(_key, others[common:]))
        if theirs <= mine:
            is_later = mine == theirs and _order(other) < _order(self)
            return (other if is_later else self), ()
        if mine <= theirs:
            return other, ()
        history, left = self, list[str]()
        for step in others[common:]:
            if mine[_key(step)] > 0:
                mine[_key(step)] -= 1
                continue
            history, result = history.do(step.gesture, step.arguments)
            if result.refused is not None:
                left.append(f"{step.words}: {result.refused.message}")
        return history, tuple(left)


def _key(step: Step) -> str:
    """Return a text that is the same for the same gesture with the same arguments."""
    return canonical([step.gesture, step.arguments])


def _order(history: History) -> list[str]:
    return [_key(step) for step in history.steps[: history.at]]
