"""Rows of results as tables and data frames, and the episodes that were not finished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

from explorer.studies.results import Failure, ResultRow
from explorer.studies.study import Condition
from nip_core.displays import Table, Tabular, displayed, line

if TYPE_CHECKING:
    import pandas as pd


# The most reasons shown for a condition; some services' messages contain times and so all differ.
MOST_REASONS = 3


@displayed
@dataclass(frozen=True, slots=True)
class Played:
    """A record's entry for a condition."""

    name: str
    protocol: str
    registered: str  # the registered protocol; empty for one from a document
    verifier: str
    provers: str
    side: str
    engine: str
    planned: int = 0  # the number of planned episodes; 0 in records of older versions

    @classmethod
    def of(cls, condition: Condition, planned: int) -> Self:
        """Return the entry of a condition."""
        return cls(
            condition.name,
            condition.protocol.name,
            condition.protocol.known_as,
            condition.verifier,
            condition.provers,
            condition.side,
            condition.engine,
            planned,
        )


# The entry of a condition that the record does not contain.
_UNKNOWN = Played("", "", "", "", "", "", "")


class Unfinished(NamedTuple):
    """A failed episode with the fields of a row, except results."""

    row: ResultRow
    failure: Failure


@displayed
@dataclass(frozen=True, slots=True)
class Counted:
    """The numbers of episodes of a condition."""

    condition: str
    # Planned in the study's file; in records of older versions, episodes that were begun.
    planned: int
    finished: int
    failed: int
    # The reasons of failures with their frequency, the most frequent first.
    why: tuple[tuple[str, int], ...] = ()

    @property
    def why_failed(self) -> str:
        """The failures and their reasons in a line; empty if there are none."""
        if not self.failed:
            return ""
        reasons = "; ".join(f"{message} ({count:,}x)" for message, count in self.why)
        return f"{self.failed:,} of {self.planned:,} failed: {reasons}"


def counted(
    played: Iterable[Played], rows: Iterable[ResultRow], failures: Iterable[Failure]
) -> list[Counted]:
    """Return the counts of every planned condition, and of those removed from the study's file."""
    planned = {condition.name: condition.planned for condition in played}
    finished = Counter(row.condition for row in rows)
    why: dict[str, Counter[str]] = {}
    for failure in failures:
        why.setdefault(failure.condition, Counter())[failure.message] += 1
    counts: list[Counted] = []
    for name in dict.fromkeys([*planned, *finished, *why]):
        reasons = why.get(name, Counter[str]())
        failed = reasons.total()
        total = max(planned.get(name, 0), finished[name] + failed)
        counts.append(
            Counted(name, total, finished[name], failed, tuple(reasons.most_common(MOST_REASONS)))
        )
    return counts


def unfinished(
    failures: Iterable[Failure], rows: Sequence[ResultRow], played: Iterable[Played]
) -> list[Unfinished]:
    """Return failures with the known fields of their episodes, some from rows of the same tasks."""
    conditions = {condition.name: condition for condition in played}
    tasks = {row.task: row for row in rows}
    return [
        Unfinished(
            _row(failure, conditions.get(failure.condition, _UNKNOWN), tasks.get(failure.task)),
            failure,
        )
        for failure in failures
    ]


def _row(failure: Failure, played: Played, task: ResultRow | None) -> ResultRow:
    return ResultRow(
        key=failure.key,
        condition=failure.condition,
        protocol=played.protocol,
        verifier=played.verifier,
        provers=played.provers,
        side=played.side,
        task=failure.task,
        problem=failure.problem or (task.problem if task else failure.task),
        kind=task.kind if task else "",
        title=task.title if task else "",
        difficulty=task.difficulty if task else "",
        y=task.y if task else -1,
        epoch=failure.epoch,
        seed=-1,
        arm=failure.arm,
        seats={},
        stances={},
        verdict="none",
        decision=None,
        rounds=0,
        terminated=False,
        rewards={},
        engine=failure.engine,
        log=failure.log,
        digest="",
    )


_PLAIN = (
    *("key", "condition", "protocol", "verifier", "provers", "side", "arm", "task", "problem"),
    *("kind", "title", "difficulty", "y", "epoch", "seed", "verdict", "decision", "rounds"),
    *("terminated", "confidence", "words", "truth", "answer", "engine", "log", "digest"),
)
_SHOWN = ("condition", "title", "difficulty", "side", "epoch", "verdict", "rounds")


class Rows(list[ResultRow], Tabular):
    """Rows of finished episodes.

    The table has the main columns, the data frame all of them.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        conditions = len({row.condition for row in self})
        return line(self, f"{len(self):,} episodes", f"{conditions:,} conditions")

    def table(self) -> Table:
        """Return each episode and its result."""
        return Table(_SHOWN, [tuple(getattr(row, name) for name in _SHOWN) for row in self])

    def to_frame(self) -> pd.DataFrame:
        """Return all columns; see :func:`rows_frame`."""
        return rows_frame(self)


def rows_frame(rows: Iterable[ResultRow], failed: Iterable[Unfinished] = ()) -> pd.DataFrame:
    """Return a row for each finished episode, and for each that failed.

    ``rounds`` is the number of rounds played. Failed episodes have the ``verdict`` "failed" and the
    reason in ``failure`` and ``message``, two columns that exist only if there are failures.
    """
    import pandas as pd

    lost = [_flat_failure(episode) for episode in failed]
    flat_rows = [*map(_flat, rows), *lost]
    # Each seat of any protocol has a column, in the order in which they first occur.
    columns = list(dict.fromkeys(name for flat in flat_rows for name in flat))
    frame = pd.DataFrame(flat_rows, columns=columns or list(_PLAIN))
    missing = ("y", "seed", "rounds") if lost else ()
    for name in ("decision", "confidence", "words", *missing):
        frame[name] = frame[name].astype("Int64")
    return frame


def _flat(row: ResultRow) -> dict[str, object]:
    used = row.used
    return {
        **{name: getattr(row, name) for name in _PLAIN},
        **{name: getattr(used, name) for name in ("calls", "tokens_in", "tokens_out", "money")},
        **{f"chose_{name}": option for name, option in row.choices.items()},
        **{f"seat_{agent}": player for agent, player in row.seats.items()},
        **{f"stance_{agent}": side for agent, side in row.stances.items()},
        **{f"reward_{agent}": paid for agent, paid in row.rewards.items()},
    }


_OF_FAILED = (
    *("key", "condition", "protocol", "verifier", "provers", "side", "arm", "task", "problem"),
    *("kind", "title", "difficulty", "epoch", "engine", "log"),
)


def _flat_failure(failed: Unfinished) -> dict[str, object]:
    row = failed.row
    return {
        **dict.fromkeys(_PLAIN),
        **{name: getattr(row, name) for name in _OF_FAILED},
        "y": row.y if row.y >= 0 else None,
        "verdict": "failed",
        "failure": failed.failure.kind,
        "message": failed.failure.message,
    }
