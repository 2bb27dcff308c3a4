"""Language models at tables: the work that goes on without a page.

A page's script stops when its tab is closed, so a model's turn is taken by a worker of the server.
It works on behalf of the visitor who let play go on, with what this visitor has lent.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial
from typing import Any

from explorer.game_table.loans import loans
from explorer.game_table.table import Table
from explorer.game_table.working import (
    AtWork,
    Watched,
    Working,
    visible_words,
    what_failed,
    what_goes_on,
)
from explorer.players import Player
from explorer.players.errors import LLMError, UnconfirmedError
from explorer.players.llm import Client, LLMSettings, ServerPolicy, Used, find_key
from explorer.storage import HaltedError, Storage, Writer, writing_as

__all__ = [
    "Worker",
    "unconfirmed",
    "visible_words",
    "what_failed",
    "what_goes_on",
    "work_at",
    "worker_of",
]

_workers: dict[str, Worker] = {}
_lock = threading.Lock()


class Worker(Working):
    """Lets the players at a table in storage move until a person is to.

    Parameters
    ----------
    storage : Storage
    episode_id : str
    visitor : str
        On whose behalf.
    begun : dict
        What moves have taken that were begun before and not made.
    beside_people : bool
        Do they move while people think about theirs in the same round, as at tables where each
        is at a screen of their own?
    """

    def __init__(
        self,
        storage: Storage,
        episode_id: str,
        visitor: str,
        begun: dict[tuple[str, int], Used],
        *,
        beside_people: bool = False,
    ) -> None:
        super().__init__(f"table-{episode_id[:8]}", begun)
        self._storage = storage
        self._id = episode_id
        self._visitor = visitor
        self._beside_people = beside_people

    def work(self) -> None:
        """Let them move; who speak together move together."""
        with writing_as(Writer(self._visitor)):
            self._work()

    def _work(self) -> None:
        table = Table(self._storage, self._id)
        table.models = partial(self._model, table)
        self.anonymous = frozenset(table.episode.setup.anonymous_agents)
        while not self.cancel.is_set() and (self._beside_people or not table.waits_for):
            self.seats = {}
            try:
                if not table.step_together():
                    break
            except HaltedError:
                break  # somebody lets it go on
        if table.settled:
            loans.end(self._id)

    def _model(self, table: Table, agent: str, player: Mapping[str, Any]) -> Player:
        try:
            policy, settings = ServerPolicy.from_environment(), LLMSettings.from_record(player)
            policy.check(settings)
            keys = loans.use(self._visitor, self._id, agent, settings)
            key = find_key(settings, keys, policy)
            budget = table.budget(self._visitor, settings.prices)
        except UnconfirmedError:
            raise
        except LLMError as error:
            self.seats[agent] = AtWork(table.round)
            self.note_failure(agent, error)
            raise
        return Watched(Client(settings, key, policy, budget, self.cancel), self)


def work_at(
    storage: Storage, episode_id: str, visitor: str, *, beside_people: bool = False
) -> Worker:
    """The worker at a table; a new one, on behalf of a visitor, if there is none at work."""
    with _lock:
        worker = _workers.get(episode_id)
        if worker is None or not worker.is_alive():
            begun = {} if worker is None else worker.begun
            worker = _workers[episode_id] = Worker(
                storage, episode_id, visitor, begun, beside_people=beside_people
            )
            worker.start()
        return worker


def unconfirmed(table: Table, visitor: str) -> dict[str, LLMSettings]:
    """The models at a table that may not be asked on a visitor's behalf, by seat.

    A seat whose model cannot be asked at all, because the record of it is broken, is not there.
    """
    found: dict[str, LLMSettings] = {}
    for agent, player in table.model_seats.items():
        try:
            settings = LLMSettings.from_record(player)
        except LLMError:
            continue
        if not loans.allows(visitor, table.id, settings):
            found[agent] = settings
    return found


def worker_of(episode_id: str) -> Worker | None:
    """The latest worker at a table, if there was one."""
    return _workers.get(episode_id)
