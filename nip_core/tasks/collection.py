"""Collections of tasks, which show labels only on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex, overload

from nip_core.displays import Table, Tabular, brief, line
from nip_core.tasks.task import Task

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Tasks"]

_SHOWN = ("id", "title", "difficulty", "question")


class Tasks(tuple[Task, ...], Tabular):
    """A tuple of tasks that shows a table of their public fields.

    Neither ``pandas.DataFrame(tasks)`` nor :meth:`to_frame` has labels;
    ``to_frame(labels=True)`` has.
    """

    __slots__ = ()

    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Task: ...
    @overload
    def __getitem__(self, key: slice, /) -> Tasks: ...
    def __getitem__(self, key: SupportsIndex | slice, /) -> Task | Tasks:
        tasks = super().__getitem__(key)
        return Tasks(tasks) if isinstance(tasks, tuple) else tasks

    def __repr__(self) -> str:
        first = [brief(task.title or task.question, 24) for task in self[:2]]
        named = ", ".join(first) + (", ..." if len(self) > len(first) else "")
        return line(self, f"{len(self):,}", *([named] if named else []))

    def table(self) -> Table:
        """Return a row for each task with its public fields."""
        names = ("id", "kind", "title", "difficulty", "question", "solution")
        return Table(names, [tuple(getattr(task, name) for name in names) for task in self])

    def to_frame(self, *, labels: bool = False) -> pd.DataFrame:
        """Return the table as a data frame; with labels, it includes ``y`` and ``explanation``."""
        frame = super().to_frame()
        if labels:
            frame["y"] = [task.y for task in self]
            frame["explanation"] = [task.explanation for task in self]
        return frame

    def _repr_html_(self) -> str:
        rows = [tuple(getattr(task, name) for name in _SHOWN) for task in self]
        return Table(_SHOWN, rows).html(repr(self))
