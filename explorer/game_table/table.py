"""A table: an episode that is kept in a database while it is played."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Self, cast

from explorer.game_table.at_table import AtTable, now
from explorer.game_table.budgets import budget_at, use_in_record
from explorer.game_table.remarks import check_author
from explorer.game_table.seats import (
    HUMAN,
    PERSON,
    SCRIPTED,
    ModelMaker,
    models_to_move,
    players_of,
    plays_for_nobody_known,
    stand_in,
)
from explorer.players import astep, step
from explorer.players.llm import Prices, TokenBudget
from explorer.storage import Caps, ConflictError, HaltedError, Storage, StoredEpisode, Use
from nip_core.errors import IllegalMoveError
from nip_core.play import STANDS_IN_FOR, Commented, Episode, Move, Moved, Seated, Setup
from nip_core.spec import ProtocolSpec

__all__ = ["Table", "now"]

TAGS = {"llm": "language model", "random": "random player"}


def _tag(spec: ProtocolSpec, agent: str, player: Mapping[str, Any]) -> str:
    kind = player.get("kind")
    if kind == "scripted":
        return SCRIPTED.get(spec.agent(agent).role, "scripted player")
    return TAGS.get(str(kind), "")


class Table(AtTable):
    """An episode in storage. Whatever has been done here is on the disk when the call returns.

    Parameters
    ----------
    storage : Storage
    episode_id : str
    stored : StoredEpisode, optional
        It, if it was loaded just now; played on here.
    """

    def __init__(
        self, storage: Storage, episode_id: str, stored: StoredEpisode | None = None
    ) -> None:
        self._storage = storage
        self.id = episode_id
        self.models: ModelMaker | None = None
        self._take(stored or storage.load(episode_id))

    @classmethod
    def open_new(
        cls,
        storage: Storage,
        setup: Setup,
        seats: Mapping[str, Mapping[str, Any]],
        *,
        tags: tuple[str, ...] = (),
    ) -> Self:
        """Begin an episode.

        Parameters
        ----------
        storage : Storage
        setup : Setup
        seats : mapping of str to mapping
            For each agent, who plays it: ``kind`` and more, for the transcript.
        tags : tuple of str
        """
        episode = Episode.from_setup(setup)
        # So that episodes can be found by who played.
        tags = (*tags, *sorted({_tag(setup.spec, *seat) for seat in seats.items()} - {""}))
        for agent, player in seats.items():
            episode.apply(Seated(agent=agent, player=dict(player), at=now()))
        return cls(storage, storage.create(episode, tags=tags))

    def _load(self) -> None:
        self._take(self._storage.load(self.id))

    def _take(self, stored: StoredEpisode) -> None:
        self.episode, self.version, self.entry = stored.episode, stored.version, stored.entry

    def refresh(self) -> bool:
        """Take up what others have done at the same table. Was there anything?"""
        if self._storage.entry(self.id).version == self.version:
            return False
        self._load()
        return True

    # -- what models may use -------------------------------------------------------------------

    def caps(self, visitor: str) -> Caps:
        """What a visitor lets the episode use."""
        return self._storage.budgets.caps(self.id, visitor) or Caps()

    def was_let_by(self, visitor: str) -> bool:
        """Has a visitor let models be asked here, be it before the server was started?"""
        return self._storage.budgets.caps(self.id, visitor) is not None

    def set_caps(self, visitor: str, caps: Caps) -> None:
        """Let a visitor say what the episode may use. What it has used stays counted."""
        self._storage.budgets.set_caps(self.id, visitor, caps)

    @property
    def use(self) -> Use:
        """What it has used. Not for a seat: it tells how much others have read and written."""
        return self._storage.budgets.use(self.id) or use_in_record(self.episode)

    def budget(self, visitor: str, prices: Prices, caps: Caps | None = None) -> TokenBudget:
        """What a visitor, with their caps or others, still lets a model with these prices use."""
        caps = caps or self.caps(visitor)
        return budget_at(self._storage, self.id, self.episode, caps, prices)

    # -- doing ---------------------------------------------------------------------------------

    def play(self, move: Move) -> None:
        """Make a person's move.

        Raises
        ------
        IllegalMoveError
            With the reason.
        StorageError
            If it could not be kept; it is not made then.
        """

        def act() -> None:
            if move.agent in self.spec.agent_names and move.agent not in self.humans:
                raise IllegalMoveError("Nobody sits in this seat. Take it first.")
            self.episode.verify(move)
            if plays_for_nobody_known(self.episode, move.agent):
                self.episode.apply(Seated(agent=move.agent, player=dict(PERSON), at=now()))
            self.episode.play(move, at=now())
            self._give_back(move.agent)

        self._do(act)

    def step(self) -> str | None:
        """Let the next player move; who it was, or None if only people are to move."""
        players = players_of(self.episode, self.models)

        def act() -> str | None:
            agent = step(self.episode, players, at=now())
            if agent is not None:
                self._give_back(agent)
            return agent

        return self._do(act)

    def _give_back(self, agent: str) -> None:
        """Whoever has stood in for a model for one move leaves the seat to it again."""
        model = self.episode.players.get(agent, {}).get(STANDS_IN_FOR)
        if isinstance(model, dict):
            player = cast("dict[str, Any]", model)
            self.episode.apply(Seated(agent=agent, player=player, at=now()))

    def step_together(self) -> list[str]:
        """Let all players move that are to move in this round, at the same time; who they were.

        Each move is kept as soon as it is made.
        """
        players = players_of(self.episode, self.models)
        asked, place = self.episode.players, self.episode.node.id

        def keep(agent: str, play: Callable[[Episode], Moved]) -> None:
            def act() -> None:
                play(self.episode)
                self._give_back(agent)

            while True:
                try:
                    return self._do(act)
                except HaltedError:
                    raise
                except ConflictError:
                    # Somebody else has moved in the same round, which takes nothing from this
                    # move; or all has changed since it was asked for.
                    same = self.episode.node.id == place and agent in self.episode.to_move
                    if not same or self.episode.players[agent] != asked[agent]:
                        raise

        return asyncio.run(astep(self.episode, players, now, keep))

    def play_until_a_person(self) -> int:
        """Let the players move until a person is to, or the episode is over."""
        steps = 0
        while not self.waits_for and self.step() is not None:
            steps += 1
        return steps

    def play_to_the_end(self) -> int:
        """Let the players move as long as they can."""
        steps = 0
        while self.step() is not None:
            steps += 1
        return steps

    def seat(self, agent: str, player: Mapping[str, Any]) -> None:
        """Let somebody else take a seat."""
        self._do(lambda: self.episode.apply(Seated(agent=agent, player=dict(player), at=now())))

    def replace_models(self, kind: str = HUMAN, *, once: bool = False) -> None:
        """Let somebody else sit where models are to move.

        Parameters
        ----------
        kind : str
            A person at the screen, or ``"scripted"``: chance where nothing is scripted.
        once : bool
            For this move only.
        """

        def act() -> None:
            for agent in models_to_move(self.episode):
                player = stand_in(self.episode, agent, kind)
                if once:
                    player[STANDS_IN_FOR] = dict(self.episode.players[agent])
                self.episode.apply(Seated(agent=agent, player=player, at=now()))

        self._do(act)

    def undo(self, agent: str | None = None) -> None:
        """Go back to where a seat has last moved; see :meth:`Episode.undo`."""
        self._do(lambda: self.episode.undo(agent, at=now()))

    def goto(self, node: int) -> None:
        """Go to another position."""
        self._do(lambda: self.episode.goto(node, at=now()))

    def comment(self, comment: Commented, *, by: str) -> None:
        """Write a remark; its time is now.

        Parameters
        ----------
        comment : Commented
        by : str
            The browser, which changes its own remarks only.

        Raises
        ------
        PlayError
        """
        check_author(self.episode.events, comment, by)
        self._do(lambda: self.episode.apply(dataclasses.replace(comment, at=now())))

    def _do(self, action: Callable[[], Any]) -> Any:
        """Act and keep what came of it; if it cannot be kept, it has not happened."""
        result = action()
        try:
            self.version = self._storage.append(self.id, self.episode, self.version)
        except HaltedError:
            self._load()
            raise
        except ConflictError:
            self._load()
            # How many events are stored would tell a page who has moved already.
            raise ConflictError(
                "Somebody else has played in the meantime. Look at the table, then do it again."
            ) from None
        except Exception:
            known = self.episode.events[: self.version]
            self.episode = Episode.from_setup(self.episode.setup, known)
            raise
        return result
