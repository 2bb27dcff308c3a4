"""A visitor's library: drawings that were kept, with their versions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from explorer.storage import Drawings, KeptVersion
from nip_core.budget import Budget
from nip_core.displays import displayed
from nip_core.documents import Limits, parse_json
from nip_core.editing import History
from nip_core.errors import EditError
from nip_core.registry import protocol_title

__all__ = ["HISTORY", "Library", "written"]

# Characters and gestures.
MOST_HISTORY, MOST_GESTURES = 150_000, 250
HISTORY = Limits(size=400_000, values=100_000, depth=25, digits=60)
# Steps for making its gestures again, about two seconds; what is kept takes less.
READING = 2_000_000
GONE = "This drawing is not in your library any more."


def written(history: History) -> str:
    """Return a history as it is kept; of a very long one only where it leads."""
    text = json.dumps(history.to_plain(), separators=(",", ":"))
    if len(text) <= MOST_HISTORY and len(history.steps) <= MOST_GESTURES:
        return text
    return json.dumps(History.of(history.draft).to_plain(), separators=(",", ":"))


def read(text: str) -> History:
    """Read a history that was kept, or that a browser has kept."""
    plain = parse_json(text, HISTORY, EditError, "The history")
    # A gesture that finds nothing left of the budget would only be left out.
    with Budget(READING) as budget:
        history = History.from_plain(plain)
    if budget.spent >= READING:
        raise EditError(
            "What was kept of this drawing is too large to read. Open the protocol's file."
        )
    return history


@displayed
@dataclass(frozen=True, slots=True)
class Library:
    """The drawings that one visitor has kept.

    Parameters
    ----------
    visitor : str
    drawings : Drawings
        Those of all visitors, in the database.
    """

    visitor: str
    drawings: Drawings

    def keep(self, name: str, history: History) -> int:
        """Keep a drawing as it is now; return the number of its version."""
        title = protocol_title(history.draft.spec)
        return self.drawings.keep(self.visitor, name, title, written(history))

    def history(self, name: str, number: int | None = None) -> History | None:
        """Return a version, by default the latest; None if there is none."""
        body = self.drawings.body(self.visitor, name, number)
        return None if body is None else read(body)

    def rename(self, name: str, title: object) -> None:
        """Give a drawing another title, as a version of its own."""
        history = self.history(name)
        if history is None:
            raise EditError(GONE)
        named, result = history.do("call_protocol", {"title": title})
        if result.refused is not None:
            raise EditError(result.refused.message)
        self.keep(name, named)

    def delete(self, name: str) -> None:
        """Delete a drawing with all its versions; :meth:`restore` brings it back."""
        self.drawings.delete(self.visitor, name)

    def restore(self, name: str) -> None:
        """Bring a deleted drawing back."""
        self.drawings.restore(self.visitor, name)

    def to_plain(self) -> list[dict[str, Any]]:
        """Return the drawings for the page, the one kept last first, each with its versions."""
        versions = self.drawings.listed(self.visitor)
        last = {version.name: at for at, version in reversed([*enumerate(versions)])}
        ordered = sorted(versions, key=lambda version: last[version.name])
        return [_listed(name, [*own]) for name, own in groupby(ordered, key=lambda each: each.name)]


def _listed(name: str, versions: list[KeptVersion]) -> dict[str, Any]:
    return {
        "name": name,
        "title": versions[0].title,
        "deleted": versions[0].is_deleted,
        "versions": [
            {"number": each.number, "title": each.title, "kept": each.kept} for each in versions
        ],
    }
