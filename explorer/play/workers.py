"""Language models at tables: the work that goes on without a page.

A page's script stops when its tab is closed, so a model's turn is taken by a worker of the server.
It works on behalf of the visitor who let play go on, with what this visitor has lent.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial
from typing import Any

from explorer.play.model_grants import loans
from explorer.play.stored import StoredTable
from explorer.play.working import AtWork, Watched, Working, visible_words, what_failed, what_goes_on
from explorer.players import LLMError, Player, UnconfirmedError
from explorer.players.models import Client, LLMSettings, ModelTurn, ServerPolicy, find_key
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

# By episode, the latest last: those at work, and those whose failure somebody may yet look at.
_workers: dict[str, Worker] = {}
MOST_IDLE = 200
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
        The turns that were begun before and came to nothing.
    beside_people : bool
        Do they move while people think about theirs in the same round, as at tables where each
        is at a screen of their own?
    """

    def __init__(
        self,
        storage: Storage,
        episode_id: str,
        visitor: str,
        begun: dict[tuple[str, int], ModelTurn],
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
        table = StoredTable(self._storage, self._id)
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

    def run(self) -> None:
        """Work, and leave nothing behind but why it came to nothing."""
        super().run()
        with _lock:
            if not self.failed and not self.begun and _workers.get(self._id) is self:
                del _workers[self._id]

    def _model(self, table: StoredTable, agent: str, player: Mapping[str, Any]) -> Player:
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
            _workers.pop(episode_id, None)
            _forget_oldest()
            worker = _workers[episode_id] = Worker(
                storage, episode_id, visitor, begun, beside_people=beside_people
            )
            worker.start()
        return worker


def _forget_oldest() -> None:
    idle = [key for key, each in _workers.items() if not each.is_alive()]
    for key in idle[: max(0, len(idle) - MOST_IDLE)]:
        del _workers[key]


def unconfirmed(table: StoredTable, visitor: str) -> dict[str, LLMSettings]:
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
    """The worker at a table, or the latest one if it has failed; None if there is neither."""
    return _workers.get(episode_id)
