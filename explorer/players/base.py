"""What plays a seat: given a view, it makes a move. To the engine all players are the same."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from explorer.players.errors import PlayerError, WaitsForPersonError
from nip_core.play import Episode, Move, View

__all__ = ["Acted", "Player", "play_out", "step"]


@dataclass(frozen=True, slots=True)
class Acted:
    """A move, and how it came about.

    Parameters
    ----------
    move : Move
    origin : mapping
        For the record: plain data such as a model's name, tokens and seconds. Never a key.
    """

    move: Move
    origin: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Player(ABC):
    """Somebody or something that plays a seat."""

    kind: ClassVar[str]

    @abstractmethod
    def turn(self, view: View) -> Acted:
        """Make a move for the seat whose view is given.

        Raises
        ------
        PlayerError
            If it cannot, saying what to do.
        """

    def act(self, view: View) -> Move:
        """The move alone."""
        return self.turn(view).move

    async def aturn(self, view: View) -> Acted:
        """As :meth:`turn`, without holding up others."""
        return await asyncio.to_thread(self.turn, view)

    async def aact(self, view: View) -> Move:
        """As :meth:`act`, without holding up others."""
        return (await self.aturn(view)).move

    def describe(self) -> dict[str, Any]:
        """Who this is, for the transcript. Never a key."""
        return {"kind": self.kind}


def step(episode: Episode, players: Mapping[str, Player], at: str | None = None) -> str | None:
    """Let the next seat move whose player has a move to make.

    Returns
    -------
    agent : str or None
        Whose move it was; None if all who are to move are people, or have no player here.
    """
    for agent in episode.to_move:
        if agent in players:
            try:
                acted = players[agent].turn(episode.view_for(agent))
            except WaitsForPersonError:
                continue
            if acted.move.agent != agent:
                raise PlayerError(f"The player of {agent!r} has moved for {acted.move.agent!r}.")
            episode.play(acted.move, at=at, origin=acted.origin)
            return agent
    return None


def play_out(
    episode: Episode, players: Mapping[str, Player], *, stop: Callable[[], bool] | None = None
) -> None:
    """Let all players move until the episode is over, or waits for somebody else.

    Parameters
    ----------
    episode : Episode
    players : mapping of str to Player
        By agent.
    stop : callable, optional
        Asked before every move; once it says yes, play ends here. Call again to go on.
    """
    while not (stop and stop()) and step(episode, players) is not None:
        pass
