"""Models at stored tables: which may be asked on a visitor's behalf, and the threads that ask them.

A transcript may come from anybody and names models and addresses. A model is asked only after the
visitor who continues play has confirmed it, and each visitor pays for the requests that they
allowed. Grants and keys are kept in memory only, until the server stops. The limits on use are not
secret and are stored with the episode.

A page's script stops when its tab is closed. So the server makes a model's moves in a thread, with
the keys of the visitor who continued play.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from explorer.play.stored import StoredTable
from explorer.play.working import AtWork, Watched, Working
from explorer.players import (
    Client,
    LLMError,
    LLMSettings,
    ModelTurn,
    Player,
    Secret,
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
from nip_core.displays import line

# -- grants ---------------------------------------------------------------------------------------

LIFETIME = 12 * 3600.0  # seconds after which a grant that nobody has used is dropped

# By seat and address: a key is sent only to the address that it was given for, and used only for
# its seat.
Keys = Mapping[tuple[str, str | None], Secret]


@dataclass
class ModelGrant:
    """The models that one visitor permits at one table, and the keys for them."""

    # The models that may be asked, with all settings as the visitor confirmed them.
    models: set[LLMSettings] = field(default_factory=set[LLMSettings])
    # By seat and address.
    keys: dict[tuple[str, str | None], Secret] = field(
        default_factory=dict[tuple[str, str | None], Secret]
    )
    used: float = field(default_factory=time.monotonic)  # when it was last used


class ModelGrants:
    """The grants of all visitors. Thread-safe."""

    def __repr__(self) -> str:
        return line(self)

    def __init__(self) -> None:
        self._grants: dict[tuple[str, str], ModelGrant] = {}
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None

    def lend(
        self,
        visitor: str,
        episode_id: str,
        models: Iterable[LLMSettings],
        keys: Keys | None = None,
    ) -> None:
        """Allow models at a table to be asked on a visitor's behalf.

        The visitor has chosen them, or has seen and confirmed them, with all settings. Keys are by
        seat and address; those given before are kept.
        """
        with self._lock:
            self._drop_old()
            grant = self._grants.setdefault((visitor, episode_id), ModelGrant())
            grant.models |= set(models)
            grant.keys |= keys or {}
            grant.used = time.monotonic()
            self._look_again()

    def allows(self, visitor: str, episode_id: str, settings: LLMSettings) -> bool:
        """Return whether a visitor allows a model at a table to be asked."""
        with self._lock:
            self._drop_old()
            grant = self._grants.get((visitor, episode_id))
            return grant is not None and settings in grant.models

    def use(
        self, visitor: str, episode_id: str, agent: str, settings: LLMSettings
    ) -> Mapping[str | None, Secret]:
        """Return the visitor's key for a seat's model, by its address; empty without a key.

        An UnconfirmedError says that the visitor has not confirmed the model.
        """
        with self._lock:
            if not self.allows(visitor, episode_id, settings):
                raise UnconfirmedError(
                    f"Nobody here has confirmed that {settings.model} at {settings.host} may be "
                    "asked."
                )
            grant = self._grants[visitor, episode_id]
            grant.used = time.monotonic()
            key = grant.keys.get((agent, settings.base_url))
            return {} if key is None else {settings.base_url: key}

    def follow(self, visitor: str, episode_id: str, following: str) -> None:
        """Allow a visitor's models to be asked in an episode that follows another one.

        Only models confirmed in the earlier one are confirmed here; keys have to be given again.
        """
        with self._lock:
            grant = self._grants.get((visitor, episode_id))
            if grant is not None:
                self._grants[visitor, following] = ModelGrant(set(grant.models))

    def end(self, episode_id: str) -> None:
        """Forget all keys that were given for an episode."""
        with self._lock:
            for (_, episode), grant in self._grants.items():
                if episode == episode_id:
                    grant.keys.clear()

    def _look_again(self) -> None:
        """Schedule the removal of old grants, so that no key stays for ever."""
        # One timer for all grants, since each timer is a thread.
        if self._timer is None:
            self._timer = threading.Timer(LIFETIME + 1, self._on_time)
            self._timer.daemon = True
            self._timer.start()

    def _on_time(self) -> None:
        with self._lock:
            self._timer = None
            self._drop_old()
            if self._grants:
                self._look_again()

    def _drop_old(self) -> None:
        with self._lock:
            now = time.monotonic()
            old = [key for key, grant in self._grants.items() if now - grant.used > LIFETIME]
            for key in old:
                del self._grants[key]


grants = ModelGrants()


# -- workers --------------------------------------------------------------------------------------

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
