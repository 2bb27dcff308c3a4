"""What plays a seat: given a view, it makes a move. To the engine all players are the same."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, TypeVar

from explorer.players.errors import PlayerError, WaitsForPersonError
from nip_core.displays import displayed, line, told
from nip_core.play import Episode, Move, Moved, View

__all__ = ["Acted", "Player", "aplay_out", "astep", "in_own_thread", "play_out", "step"]

T = TypeVar("T")


@displayed
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
    origin: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)


class Player(ABC):
    """Somebody or something that plays a seat."""

    kind: ClassVar[str]

    # What it has prepared to say, and for which side, is not for whoever sits opposite.
    def __repr__(self) -> str:
        known = self.describe()
        said = (known.get(name) for name in ("model", "strategy", "level"))
        return line(self, *(told(each) for each in said if each))

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
        """As :meth:`turn`, without holding up others, however many there are."""
        return await in_own_thread(lambda: self.turn(view))

    async def aact(self, view: View) -> Move:
        """As :meth:`act`, without holding up others."""
        return (await self.aturn(view)).move

    def describe(self) -> dict[str, Any]:
        """Who this is, for the transcript. Never a key."""
        return {"kind": self.kind}


async def in_own_thread(work: Callable[[], T]) -> T:
    """Do what may take long in a thread that nobody else waits for.

    The usual executor has a few threads, which moves of language models would keep busy.
    """
    done: Future[T] = Future()

    def run() -> None:
        try:
            result = work()
        except BaseException as error:
            if not done.cancelled():
                done.set_exception(error)
        else:
            if not done.cancelled():
                done.set_result(result)

    threading.Thread(target=run, name="move", daemon=True).start()
    return await asyncio.wrap_future(done)


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
                acted = _checked(agent, players[agent].turn(episode.view_for(agent)))
            except WaitsForPersonError:
                continue
            episode.play(acted.move, at=at, origin=acted.origin)
            return agent
    return None


async def astep(
    episode: Episode,
    players: Mapping[str, Player],
    at: Callable[[], str] | None = None,
    keep: Callable[[str, Callable[[Episode], Moved]], object] | None = None,
) -> list[str]:
    """Let all seats move at the same time whose players have a move to make in this round.

    Each sees what it would see if it were the first. A move is made as soon as it is there, and a
    player that fails does not take the others' moves with it.

    Parameters
    ----------
    episode : Episode
    players : mapping of str to Player
        By agent.
    at : callable, optional
        The time, for the record.
    keep : callable, optional
        Given an agent and what makes its move in an episode, has it made and keeps it.

    Returns
    -------
    agents : list of str
        Who has moved; nobody if all who are to move are people, or have no player here.

    Raises
    ------
    PlayerError
        Of the first seat that failed, once all others have moved. What :meth:`keep` raises ends
        it at once.
    """
    views = {a: episode.view_for(a) for a in episode.to_move if a in players}
    moves = {a: asyncio.ensure_future(_moved(players[a], view)) for a, view in views.items()}
    moved: list[str] = []
    failed: dict[str, Exception] = {}
    pending = {move: agent for agent, move in moves.items()}
    try:
        while pending:
            done, _ = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for move in sorted(done, key=list(pending).index):
                agent = pending.pop(move)
                try:
                    acted = move.result()
                except WaitsForPersonError:
                    continue
                except Exception as error:
                    failed[agent] = error
                    continue
                time = None if at is None else at()
                play = partial(Episode.play, move=acted.move, at=time, origin=acted.origin)
                if keep is None:
                    play(episode)
                else:
                    keep(agent, play)
                moved.append(agent)
    finally:
        for move in pending:
            move.cancel()
    for agent in views:
        if agent in failed:
            raise failed[agent]
    return moved


def _checked(agent: str, acted: Acted) -> Acted:
    if acted.move.agent != agent:
        raise PlayerError(f"The player of {agent!r} has moved for {acted.move.agent!r}.")
    return acted


async def _moved(player: Player, view: View) -> Acted:
    return _checked(view.agent, await player.aturn(view))


async def aplay_out(
    episode: Episode, players: Mapping[str, Player], *, stop: Callable[[], bool] | None = None
) -> None:
    """As :func:`play_out`; those who move in the same round do so at the same time.

    To cancel it is to cancel the moves that are being made.
    """
    while not (stop and stop()) and await astep(episode, players):
        pass


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
