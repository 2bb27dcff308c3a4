"""Language models at tables: the work that goes on without a page.

A page's script stops when its tab is closed, so a model's turn is taken by a worker of the server.
It works on behalf of the visitor who let play go on, with what this visitor has lent.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from explorer.game_table.loans import loans
from explorer.game_table.table import Table
from explorer.players import Acted, Player
from explorer.players.errors import LLMBudgetError, LLMError, LLMFailedError, UnconfirmedError
from explorer.players.llm import (
    Client,
    LLMPlayer,
    LLMSettings,
    ServerPolicy,
    find_key,
)
from explorer.storage import Storage, StorageError
from nip_core.errors import NipError
from nip_core.play import View

__all__ = ["Worker", "unconfirmed", "visible_words", "what_failed", "work_at", "worker_of"]

# About a seat that is anonymous: whose service has failed, and in which way, would name it.
NAMELESS = (
    "A model at this table could not make its move. Try again, with another key if it wants one, "
    "or make the move yourself."
)

_workers: dict[str, Worker] = {}
_lock = threading.Lock()


class Worker(threading.Thread):
    """Lets the players at a table move until a person is to, one seat after the other.

    Parameters
    ----------
    storage : Storage
    episode_id : str
    visitor : str
        On whose behalf.

    Attributes
    ----------
    seat, words : str
        Whose move is being made, and what a model has written of it so far. Only for that seat:
        see :func:`visible_words`.
    error, told : str
        Why it stopped, if it failed: for the seat, and for the others. See :func:`what_failed`.
    raw : str
        A model's last answer, if it could not be played. Only for the seat.
    round : int
        In which round that was.
    over_budget : bool
        Did it stop because the tokens are used up?
    """

    def __init__(self, storage: Storage, episode_id: str, visitor: str) -> None:
        super().__init__(name=f"table-{episode_id[:8]}", daemon=True)
        self._storage = storage
        self._id = episode_id
        self._visitor = visitor
        self.cancel = threading.Event()
        self.seat = self.words = self.error = self.told = self.raw = ""
        self.round = 0
        self.over_budget = False
        self._anonymous = frozenset[str]()

    def run(self) -> None:
        """Work until a person is to move, the episode is over, or it is stopped."""
        try:
            table = Table(self._storage, self._id)
            table.models = self._model
            self._anonymous = frozenset(table.episode.setup.anonymous_agents)
            while not table.waits_for and not self.cancel.is_set():
                if table.step() is None:
                    break
                self.seat = self.words = ""
            if table.settled:
                loans.end(self._id)
        except UnconfirmedError:
            # Nothing has gone wrong: whoever is at a screen is asked there.
            pass
        except LLMError as error:
            self.error, self.told = str(error), error.told
            self.raw = error.raw if isinstance(error, LLMFailedError) else ""
            self.over_budget = isinstance(error, LLMBudgetError)
        except StorageError as error:
            self.error = self.told = str(error)
        except Exception as error:
            # Its words may be about a move that nobody else may know.
            self.told = f"Something went wrong ({type(error).__name__}). Try again."
            self.error = str(error) if isinstance(error, NipError) else self.told
        if self.told and self.seat in self._anonymous:
            self.told = NAMELESS

    def _model(self, agent: str, player: Mapping[str, Any]) -> Player:
        self.seat = agent
        policy, settings = ServerPolicy.from_environment(), LLMSettings.from_record(player)
        policy.check(settings)
        keys, budget = loans.use(self._visitor, self._id, settings)
        key = find_key(settings, keys, policy)
        client = Client(settings, key, policy, budget, self.cancel)

        return _Watched(client, self)


class _Watched(LLMPlayer):
    """Lets its worker know whose move it makes, and what it has written."""

    def __init__(self, client: Client, worker: Worker) -> None:
        super().__init__(client, self._note)
        self._worker = worker

    def _note(self, words: str) -> None:
        self._worker.words = words

    def turn(self, view: View) -> Acted:
        """Make a move; see :meth:`LLMPlayer.turn`."""
        self._worker.seat, self._worker.round = view.agent, view.round
        return super().turn(view)


def work_at(storage: Storage, episode_id: str, visitor: str) -> Worker:
    """The worker at a table; a new one, on behalf of a visitor, if there is none at work."""
    with _lock:
        worker = _workers.get(episode_id)
        if worker is None or not worker.is_alive():
            worker = _workers[episode_id] = Worker(storage, episode_id, visitor)
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


def visible_words(worker: Worker, seat: str) -> str:
    """What a seat may read of an answer that is being written: its own, and no other's.

    What others will read is what can be played, and that shows only once it is whole.
    """
    return worker.words if worker.seat == seat else ""


def what_failed(worker: Worker, seat: str) -> tuple[str, str]:
    """Why a worker has stopped, as far as a seat may know, and the seat's own unplayable draft."""
    if worker.seat == seat:
        return worker.error, worker.raw
    return worker.told, ""
