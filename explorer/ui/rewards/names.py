"""Tables as people read them: seats by their names, and rounds from 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.ui.tables import wide_table
from nip_core.spec import ProtocolSpec, shown_round

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["for_people", "show_named"]


def for_people(table: pd.DataFrame, spec: ProtocolSpec) -> pd.DataFrame:
    """A table of data in the words of the screen."""
    changed = table.copy()
    if "seat" in changed:
        changed["seat"] = changed["seat"].map(spec.seat_name)
    if "round" in changed:
        changed["round"] = changed["round"].map(shown_round)
    return changed


def show_named(table: pd.DataFrame, spec: ProtocolSpec, alt: str) -> None:
    """Show a table of data in the words of the screen."""
    wide_table(for_people(table, spec), alt)
