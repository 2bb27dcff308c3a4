"""Results put together: what one looks at, and a data frame of all that is said of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from explorer.studies.results import Result
from explorer.studies.unfinished import Unfinished
from nip_core.displays import Table, Tabular, line

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Rows", "rows_frame"]

_PLAIN = (
    *("key", "condition", "protocol", "verifier", "provers", "side", "arm", "task", "problem"),
    *("kind", "title", "difficulty", "y", "epoch", "seed", "verdict", "decision", "rounds"),
    *("terminated", "confidence", "engine", "log", "digest"),
)
_SHOWN = ("condition", "title", "difficulty", "side", "epoch", "verdict", "rounds")


class Rows(list[Result], Tabular):
    """Rows of finished episodes.

    The table has what one wants to see; the data frame all that is said of each.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        conditions = len({row.condition for row in self})
        return line(self, f"{len(self):,} episodes", f"{conditions:,} conditions")

    def table(self) -> Table:
        """What each episode was, and what came of it."""
        return Table(_SHOWN, [tuple(getattr(row, name) for name in _SHOWN) for row in self])

    def to_frame(self) -> pd.DataFrame:
        """All columns; see :func:`rows_frame`."""
        return rows_frame(self)


def rows_frame(rows: Iterable[Result], failed: Iterable[Unfinished] = ()) -> pd.DataFrame:
    """A row for each finished episode, and for each that failed.

    ``rounds`` is how many were played. A row of a failed one has ``verdict`` "failed", and says
    why in ``failure`` and ``message``, columns that are there if anything failed.
    """
    import pandas as pd

    lost = [_flat_failure(each) for each in failed]
    found = [*map(_flat, rows), *lost]
    # Each seat that any protocol has is a column, in the order in which they first occur.
    columns = list(dict.fromkeys(name for each in found for name in each))
    frame = pd.DataFrame(found, columns=columns or list(_PLAIN))
    missing = ("y", "seed", "rounds") if lost else ()
    for name in ("decision", "confidence", *missing):
        frame[name] = frame[name].astype("Int64")
    return frame


def _flat(row: Result) -> dict[str, Any]:
    used = row.used
    return {
        **{name: getattr(row, name) for name in _PLAIN},
        **{name: getattr(used, name) for name in ("calls", "tokens_in", "tokens_out", "money")},
        **{f"seat_{agent}": player for agent, player in row.seats.items()},
        **{f"stance_{agent}": side for agent, side in row.stances.items()},
        **{f"reward_{agent}": paid for agent, paid in row.rewards.items()},
    }


_OF_FAILED = (
    *("key", "condition", "protocol", "verifier", "provers", "side", "arm", "task", "problem"),
    *("kind", "title", "difficulty", "epoch", "engine", "log"),
)


def _flat_failure(failed: Unfinished) -> dict[str, Any]:
    row = failed.row
    return {
        **dict.fromkeys(_PLAIN),
        **{name: getattr(row, name) for name in _OF_FAILED},
        "y": row.y if row.y >= 0 else None,
        "verdict": "failed",
        "failure": failed.failure.kind,
        "message": failed.failure.message,
    }
