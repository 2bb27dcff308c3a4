"""A budget of steps for the work that one document causes, since documents are untrusted.

Limits on single parts of a document (the length of an expression, the number of turns) do not limit
its whole cost, which may be their product. So all work that grows with a document is counted:
loading, checking, remarks and pictures call :func:`spend`, in each loop whose cost is not bounded
by the length of the text. A step is about a microsecond of processor time, but counting depends on
the document only, so the same document is refused everywhere or nowhere.

New kinds of work take part by calling :func:`spend`; nothing else has to be registered. The same
calls end work whose time is up, or that another thread has cancelled.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from nip_core.errors import StoppedError, TooLargeError

__all__ = [
    "DECLARATIONS",
    "EXPRESSIONS",
    "MOST_STEPS",
    "MOVES",
    "PICTURES",
    "PLAYS",
    "TOTALS",
    "TURNS",
    "Budget",
    "KindOfWork",
    "for_document",
    "seconds_left",
    "spend",
]

# About a second of processor time for loading, remarks and one picture together. The published
# protocols take less than a twentieth.
MOST_STEPS = 1_000_000
# How many steps lie between two calls of a budget's `check`.
STEPS_BETWEEN_CHECKS = 10_000


@dataclass(frozen=True, eq=False, slots=True)
class KindOfWork:
    """A kind of work: what it is for, and how to make it less."""

    said: str
    remedy: str


DECLARATIONS = KindOfWork(
    "seats, parts, channels and choices", "Declare fewer of them, or let fewer seats see them."
)
EXPRESSIONS = KindOfWork(
    "expressions",
    "Write fewer or shorter ones, with fewer names of choices that have many options.",
)
TURNS = KindOfWork(
    "turns and acts",
    "Give a stage `times` where turns are repeated, and write fewer acts and conditions.",
)
TOTALS = KindOfWork("sums of options for a `total`", "Use fewer options or larger steps.")
PLAYS = KindOfWork("possible plays", "Use fewer repetitions, fewer options or larger steps.")
MOVES = KindOfWork("moves of solved seats", "Use fewer repetitions, fewer options or larger steps.")
PICTURES = KindOfWork("cells of pictures", "Use fewer turns, seats, channels or choices.")


class Budget:
    """The most steps that some work may take: ``with Budget(5_000_000): load_specification(...)``.

    Work ends with a ``TooLargeError`` once its steps are spent, and with a ``StoppedError`` once
    its time is up or it is cancelled.

    Parameters
    ----------
    most : int, optional
        By default there is no limit.
    check : callable, optional
        Called from time to time. What it raises ends the work, for instance because nobody waits
        for the result any more.
    seconds : float, optional
        The time that the work may take, from entering the ``with`` on.
    cancelled : threading.Event, optional
        Another thread sets it to end the work.

    Attributes
    ----------
    spent : int
        The steps so far.
    by : dict
        The steps so far for each kind of work.
    """

    def __init__(
        self,
        most: int | None = None,
        check: Callable[[], None] | None = None,
        *,
        spent: int = 0,
        seconds: float | None = None,
        cancelled: threading.Event | None = None,
    ) -> None:
        self.most, self.spent = most, spent
        self.by: dict[KindOfWork, int] = {}
        self._check, self._seconds, self._cancelled = check, seconds, cancelled
        self._deadline: float | None = None
        # Without anything to check, steps are only counted. What is cancelled already, or has no
        # time, ends at once.
        self._next_check = sys.maxsize if check is None else spent + STEPS_BETWEEN_CHECKS
        if seconds is not None or cancelled is not None:
            self._next_check = spent
        self._outer: Budget | None = None
        self._token: Token[Budget | None] | None = None

    def __enter__(self) -> Self:
        self._outer = _current.get()
        self._token = _current.set(self)
        if self._seconds is not None:
            self._deadline = time.monotonic() + self._seconds
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._token is not None:
            _current.reset(self._token)

    @property
    def is_limited(self) -> bool:
        """Whether this budget, or one around it, has a limit."""
        return self.most is not None or (self._outer is not None and self._outer.is_limited)

    @property
    def left(self) -> int:
        """The steps that are left here and in the budgets around this one."""
        mine = sys.maxsize if self.most is None else self.most - self.spent
        return mine if self._outer is None else min(mine, self._outer.left)

    @property
    def seconds_left(self) -> float | None:
        """The time that is left here and in the budgets around this one; None without a limit."""
        outer = None if self._outer is None else self._outer.seconds_left
        if self._deadline is None:
            return outer
        mine = max(0.0, self._deadline - time.monotonic())
        return mine if outer is None else min(mine, outer)

    def spend(self, steps: int, work: KindOfWork, where: str, names: tuple[object, ...]) -> None:
        """Count steps here and in the budgets around this one; see :func:`spend`."""
        self.spent += steps
        self.by[work] = self.by.get(work, 0) + steps
        if self.most is not None and self.spent > self.most:
            raise self._refusal(where.format(*names))
        if self.spent >= self._next_check:
            self._next_check = self.spent + STEPS_BETWEEN_CHECKS
            self._look_up()
        if self._outer is not None:
            self._outer.spend(steps, work, where, names)

    def _look_up(self) -> None:
        """End the work if its time is up, or if nobody waits for it any more."""
        if self._check is not None:
            self._check()
        if self._cancelled is not None and self._cancelled.is_set():
            raise StoppedError("The work was cancelled.")
        if self._deadline is not None and time.monotonic() > self._deadline:
            # A part that comes after others may have got nothing.
            most = self._seconds or 0.0
            said = f"{most:.0f}" if most >= 10 else f"{most:.2g}"
            took = f"The work took more than {said} seconds"
            raise StoppedError(f"{took if most else 'No time was left for it'}.")

    def _refusal(self, where: str) -> TooLargeError:
        work = max(self.by, key=lambda kind: self.by[kind])
        share = f"{100 * self.by[work] // sum(self.by.values())} %"
        at = f", and is stopped at {where}" if where else ""
        return TooLargeError(
            f"This protocol is too large: it takes more than {self.most:,} steps of work, "
            f"{share} of them for {work.said}{at}. {work.remedy}"
        )


_current: ContextVar[Budget | None] = ContextVar("the budget of the present work", default=None)


def spend(steps: int, work: KindOfWork, where: str = "", *names: object) -> None:
    """Count some steps of work.

    Parameters
    ----------
    steps : int
        About the microseconds that it takes.
    work : KindOfWork
        What the work is for.
    where : str
        The place in the document, for the message, as a format for `names`: ``"stage {!r}"``.
    *names : object

    Raises
    ------
    TooLargeError
        If the budget is spent; says what is too large, where, and what to do.
    """
    budget = _current.get()
    if budget is not None:
        budget.spend(steps, work, where, names)


def seconds_left() -> float | None:
    """Return the time for a call that cannot be interrupted; None without a limit."""
    budget = _current.get()
    return None if budget is None else budget.seconds_left


@contextmanager
def for_document(spent: int = 0, most: int | None = None) -> Generator[Budget]:
    """Limit the work for one document, unless a budget with a limit is already in use.

    Parameters
    ----------
    spent : int
        The steps that this document has taken before.
    most : int, optional
        The most steps; by default :data:`MOST_STEPS`.
    """
    budget = _current.get()
    if budget is not None and budget.is_limited:
        yield budget
        return
    with Budget(MOST_STEPS if most is None else most, spent=spent) as budget:
        yield budget
