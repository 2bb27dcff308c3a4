"""The border to pandas, whose own types leave open what comes out of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["column", "records", "rows_where"]


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table, as plain dictionaries."""
    return cast("list[dict[str, Any]]", frame.to_dict("records"))


def column(frame: pd.DataFrame, name: str) -> list[Any]:
    """A column of a table, as plain values."""
    return cast("list[Any]", frame[name].tolist())


def rows_where(frame: pd.DataFrame, name: str, value: object) -> pd.DataFrame:
    """The rows of a table that hold a value in a column."""
    return cast("pd.DataFrame", frame.loc[frame[name] == value])
