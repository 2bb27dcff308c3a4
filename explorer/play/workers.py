"""Threads that let models move at stored tables, on behalf of the visitor who granted them.

A page's script stops when its tab is closed. So the server makes a model's moves in a thread, with
the keys of the visitor who continued play.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial
from typing import Any

from explorer.play.model_grants import grants
from explorer.play.stored import StoredTable
from explorer.play.working import AtWork, Watched, Working
from explorer.players import (
    Client,
    LLMError,
    LLMSettings,
    ModelTurn,
    Player,
    ServerPolicy,
    UnconfirmedError,
    find_key,
)
from explorer.storage import (
    HaltedError,
    Storage,
    StorageError,
    Writer,
    episode_topic,
    writing_as,
)

# -- at tables in a database ----------------------------------------------------------------------

# By episode, the latest last: running workers, and those whose failure can still be shown.
_workers: dict[str, Worker] = {}
MOST_IDLE = 200
_lock = threading.Lock()


class Worker(Working):
    """Lets players at a stored table move until it is a person's turn, on a visitor's behalf.

    With `beside_people`, they also move while people have yet to move in the same round, as at
    tables where everyone has their own screen. With a `pace`, for players who answer at once, they
    move one after the other, so many seconds apart.
    """

    def __init__(
        self,
        storage: Storage,
        episode_id: str,
        visitor: str,
        begun: dict[tuple[str, int], ModelTurn],
        *,
        beside_people: bool = False,
        pace: float | None = None,
    ) -> None:
        super().__init__(f"table-{episode_id[:8]}", begun)
        self._storage = storage
        self._id = episode_id
        self._visitor = visitor
        self._beside_people = beside_people
        self._pace = pace

    def work(self) -> None:
        """Let the players move; those who speak in the same round move at the same time."""
        with writing_as(Writer(self._visitor)):
            self._work()

    def _work(self) -> None:
        table = StoredTable(self._storage, self._id)
        table.models = partial(self._model, table)
        self.anonymous = frozenset(table.episode.setup.anonymous_agents)
        while not self.cancel.is_set() and (self._beside_people or not table.waits_for):
            self.seats = {}
            try:
                moved = table.step_together() if self._pace is None else table.step()
                if not moved or (self._pace is not None and self.cancel.wait(self._pace)):
                    break
            except HaltedError:
                break  # play was halted; a person has to continue it
        if table.settled:
            grants.end(self._id)

    def explains(self, error: Exception) -> bool:
        """Return whether an error's message is written for people; see :meth:`Working.explains`."""
        return super().explains(error) or isinstance(error, StorageError)

    def run(self) -> None:
        """Run the worker; keep it listed afterwards only if it failed."""
        super().run()
        with _lock:
            if not self.failed and not self.begun and _workers.get(self._id) is self:
                del _workers[self._id]
        self.report()

    def report(self) -> None:
        """Notify the windows that show the table; those of a room show nothing of the work."""
        if not self._beside_people:
            self._storage.change_feed.wake(episode_topic(self._id))

    def _model(self, table: StoredTable, agent: str, player: Mapping[str, Any]) -> Player:
        try:
            policy, settings = ServerPolicy.from_environment(), LLMSettings.from_record(player)
            policy.check(settings)
            keys = grants.use(self._visitor, self._id, agent, settings)
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
    storage: Storage,
    episode_id: str,
    visitor: str,
    *,
    beside_people: bool = False,
    pace: float | None = None,
) -> Worker:
    """Return the running worker of a table; start one on a visitor's behalf if there is none."""
    with _lock:
        worker = _workers.get(episode_id)
        if worker is None or not worker.busy:
            begun = {} if worker is None else worker.begun
            _workers.pop(episode_id, None)
            _forget_oldest()
            worker = _workers[episode_id] = Worker(
                storage, episode_id, visitor, begun, beside_people=beside_people, pace=pace
            )
            worker.start()
        return worker


def go_on(table: StoredTable, visitor: str) -> None:
    """Let players move until it is a person's turn; models work in the background."""
    if table.model_seats:
        work_at(table.storage, table.id, visitor)
    else:
        table.play_until_a_person()


def _forget_oldest() -> None:
    idle = [key for key, each in _workers.items() if not each.busy]
    for key in idle[: max(0, len(idle) - MOST_IDLE)]:
        del _workers[key]


def unconfirmed(table: StoredTable, visitor: str) -> dict[str, LLMSettings]:
    """Return the models at a table that may not be asked on a visitor's behalf, by seat.

    Seats whose model cannot be asked at all, because their record is broken, are left out.
    """
    found: dict[str, LLMSettings] = {}
    for agent, player in table.model_seats.items():
        try:
            settings = LLMSettings.from_record(player)
        except LLMError:
            continue
        if not grants.allows(visitor, table.id, settings):
            found[agent] = settings
    return found


def worker_of(episode_id: str) -> Worker | None:
    """Return the running worker of a table, or its latest one if that has failed; else None."""
    return _workers.get(episode_id)
