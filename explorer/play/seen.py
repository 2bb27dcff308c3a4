"""What a page may show of a table to the person in a seat."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from explorer.play.dataframes import as_view
from explorer.play.for_beginners import hints
from explorer.play.review import reviewed
from explorer.play.screens import screen, screen_before_the_reveal, without_a_move
from nip_core.displays import displayed
from nip_core.errors import PlayError
from nip_core.play import Branch, Ending, Episode, View
from nip_core.spec import shown_round
from nip_core.tasks import VERDICTS

if TYPE_CHECKING:
    from nip_core.play.turns import TurnEnding


def tree(episode: Episode, agent: str) -> dict[str, Any]:
    """Return all positions of an episode, with what a seat has seen at each.

    Returns
    -------
    dict
        ``here``, the present position, and ``nodes``: each position's ``id``, ``parent`` and
        ``round`` (how many were played), its ``speakers`` as far as the seat read them (None for
        one without a name), whether it is ``over``, and with which ``verdict``. If there are
        several variations, also what was ``said``: channel, sender and text.
    """
    branches = episode.tree_for(agent)
    several = len(episode.leaves) > 1
    return {"here": episode.node.id, "nodes": [_node(episode, b, agent, several) for b in branches]}


def _node(episode: Episode, branch: Branch, agent: str, several: bool) -> dict[str, Any]:
    speakers = list(dict.fromkeys(message.sender for message in branch.seen.messages))
    if branch.seen.own is not None and agent not in speakers:
        speakers.append(agent)
    ending = episode.view_for(agent, branch.id).ending if branch.over else None
    node: dict[str, Any] = {
        "id": branch.id,
        "parent": branch.parent,
        "round": branch.round,
        "speakers": speakers,
        "over": branch.over,
        "verdict": None if ending is None else _verdict(ending),
    }
    if several:
        node["said"] = [[m.channel, m.sender, m.text] for m in branch.seen.messages]
    return node


def _verdict(ending: Ending | TurnEnding) -> str | None:
    if isinstance(ending, Ending):
        return None if ending.decision is None else VERDICTS[ending.decision]
    return None if ending.verdict is None else str(ending.verdict)


TAINTED = "In this variation you already know the outcome of another one. The transcript notes it."


@displayed
@dataclass(frozen=True)
class Seen:
    """An episode as one seat sees it. Pages get this object, never the episode."""

    _episode: Episode = field(repr=False)
    seat: str
    # Whether the seat may learn how a variation has ended. If not, it learns the verdict, but not
    # whether it was right, until the end is revealed.
    revealed: bool = True
    # Whether the seat sees which moves bots made in place of people. By default it sees those in
    # its own place, and all of them once the variation has ended.
    bots: bool | None = None

    @property
    def view(self) -> View:
        """The seat's view."""
        view = self._episode.view_for(self.seat)
        if self._episode.version == 2 and self._episode.over and not self.revealed:
            from explorer.play.turn_screens import view_before_the_reveal

            view = cast("Any", view_before_the_reveal(self._episode, self.seat))
        if self.bots is not None:
            stood_in = self._episode.stood_in() if self.bots else ()
            view = dataclasses.replace(view, stood_in=stood_in)
        return view if self.revealed else dataclasses.replace(view, ending=None)

    @property
    def screen(self) -> dict[str, Any]:
        """The content of the table's screen; see :func:`~explorer.play.screen`."""
        return self._screen(played=True)

    @property
    def watched(self) -> dict[str, Any]:
        """The screen for somebody who watches the seat without playing."""
        return self._screen(played=False)

    def stopped(self, reason: str, *, for_good: bool = False) -> dict[str, Any]:
        """Return the screen while no move can be made, with the reason in place of the composer.

        `for_good` means that the variation is broken off, unless it has ended already.
        """
        shown = without_a_move(self.screen, reason)
        if self._episode.over:
            return shown
        name = "turn" if shown.get("turns") else "round"
        place = f"{name} {shown_round(shown['round'])} of {shown['rounds']}."
        now = f"Broken off in {place}" if for_good else place.capitalize()
        changed = {"now": now, "means": "", **({"brief": None} if for_good else {})}
        return {**shown, "head": {**shown["head"], **changed}}

    def _screen(self, *, played: bool) -> dict[str, Any]:
        if self._episode.over and not self.revealed and self._episode.version == 2:
            from explorer.play.turn_screens import turn_screen_before_the_reveal

            view = cast("Any", self.view)
            return turn_screen_before_the_reveal(self._episode, view, played=played)
        if self._episode.over and not self.revealed:
            ending = self._episode.view_for(self.seat).ending
            assert ending is not None
            return screen_before_the_reveal(self.view, ending.decision, played=played)
        if self._episode.version == 2:
            # Imported here, since games of version 1 do not need the code of version 2.
            from explorer.play.turn_screens import turn_screen

            shown = turn_screen(cast("Any", self.view), played=played)
            return {**shown, "review": reviewed(self._episode) if self._episode.over else None}
        # Once the variation is over, the review shows more than the seat has seen.
        review = reviewed(self._episode) if self._episode.over else None
        view = self.view
        pointed = hints(self._episode, view) if played else []
        for_beginners = {"hints": pointed} if pointed else {}
        return {**screen(view, played=played), "review": review, **for_beginners}

    @property
    def tree(self) -> dict[str, Any]:
        """The tree of all variations; see :func:`~explorer.play.seen.tree`."""
        return tree(self._episode, self.seat)

    @property
    def note(self) -> str | None:
        """A note about the position for the seat, or None."""
        return TAINTED if self.seat in self._episode.tainted() else None

    @property
    def can_undo(self) -> bool:
        """Whether this seat has a move to take back. Moves of other seats do not count."""
        view = self.view
        return view.held is not None or any(seen.own is not None for seen in view.rounds)

    def as_json(self) -> str:
        """Return the view as a document; raise a PlayError while its end is not revealed."""
        if not self.revealed:
            raise PlayError("The outcome is not revealed yet.")
        return as_view(self._episode, self.seat)
