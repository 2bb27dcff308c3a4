"""What a page may show of a table to the person in a seat."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from explorer.game_table.lines import tree
from explorer.game_table.screen import screen
from explorer.game_table.takeaway import as_view
from explorer.review import shown
from nip_core.play import Episode, View

__all__ = ["Seen"]


@dataclass(frozen=True)
class Seen:
    """An episode as one seat sees it. Pages get this and never the episode.

    Parameters
    ----------
    episode : Episode
    seat : str
    """

    _episode: Episode = field(repr=False)
    seat: str

    @property
    def view(self) -> View:
        """The seat's view."""
        return self._episode.view_for(self.seat)

    @property
    def screen(self) -> dict[str, Any]:
        """What the table shows; see :func:`~explorer.game_table.screen.screen`."""
        return {**screen(self.view), "review": self._review}

    @property
    def watched(self) -> dict[str, Any]:
        """The same for somebody who looks through the seat's eyes and does not sit there."""
        return {**screen(self.view, played=False), "review": self._review}

    @property
    def _review(self) -> dict[str, Any] | None:
        """What can be learned of the line, once it is over: more than the seat has seen."""
        return shown(self._episode) if self._episode.over else None

    @property
    def tree(self) -> dict[str, Any]:
        """The shape of all lines; see :func:`~explorer.game_table.lines.tree`."""
        return tree(self._episode, self.seat)

    @property
    def mark(self) -> object:
        """Differs exactly if the seat sees a difference."""
        return self.view.to_json(), self.tree

    @property
    def tainted(self) -> bool:
        """Does the seat know what has come out on another line?"""
        return self.seat in self._episode.tainted()

    @property
    def can_undo(self) -> bool:
        """Is there a move of the seat to take back? By what it has done itself, and no other."""
        view = self.view
        return view.held is not None or any(seen.own is not None for seen in view.rounds)

    def as_json(self) -> str:
        """The view as a document to take away."""
        return as_view(self._episode, self.seat)
