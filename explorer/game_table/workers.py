"""Language models at tables: the work that goes on without a page.

A page's script stops when its tab is closed, so a model's turn is taken by a worker of the server.
It works on behalf of the visitor who let play go on, with what this visitor has lent.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from explorer.game_table.loans import loans
from explorer.game_table.table import Table
from explorer.players import Acted, Player
from explorer.players.errors import LLMBudgetError, LLMError, LLMFailedError, UnconfirmedError
from explorer.players.llm import (
    Client,
    LLMPlayer,
    LLMSettings,
    Progress,
    ServerPolicy,
    Used,
    find_key,
)
from explorer.storage import Storage, StorageError
from nip_core.errors import NipError
from nip_core.play import View

__all__ = [
    "Worker",
    "unconfirmed",
    "visible_words",
    "what_failed",
    "what_goes_on",
    "work_at",
    "worker_of",
]

# About a seat that is anonymous: whose service has failed, and in which way, would name it.
NAMELESS = (
    "A model at this table could not make its move. Try again, with another key if it wants one, "
    "or make the move yourself."
)

# About those who speak together: which of them has not moved yet is a secret.
SOME_WAIT = "The service of one of them has to be waited for."

_workers: dict[str, Worker] = {}
_lock = threading.Lock()


@dataclass
class AtWork:
    """One seat whose model makes a move. All of it is for that seat only, but what is told.

    Parameters
    ----------
    round : int
    since : float
        By ``time.monotonic``.
    words : str
        What the model has written so far.
    progress : Progress, optional
    error, told : str
        Why it has failed, if it has: for the seat, and for the others.
    raw : str
        The last answer, if it could not be played.
    """

    round: int
    since: float = field(default_factory=time.monotonic)
    words: str = ""
    progress: Progress | None = None
    error: str = ""
    told: str = ""
    raw: str = ""


class Worker(threading.Thread):
    """Lets the players at a table move until a person is to; who speak together move together.

    Parameters
    ----------
    storage : Storage
    episode_id : str
    visitor : str
        On whose behalf.
    begun : dict
        What moves have taken that were begun before and not made.

    Attributes
    ----------
    seats : dict of str to AtWork
        The seats whose models move in this round. See :func:`visible_words`,
        :func:`what_goes_on` and :func:`what_failed`.
    error : str
        Why it stopped, if it failed and no model is to blame.
    over_budget : bool
        Did it stop because the tokens are used up?
    """

    def __init__(
        self, storage: Storage, episode_id: str, visitor: str, begun: dict[tuple[str, int], Used]
    ) -> None:
        super().__init__(name=f"table-{episode_id[:8]}", daemon=True)
        self._storage = storage
        self._id = episode_id
        self._visitor = visitor
        self.begun = begun
        self.cancel = threading.Event()
        self.since = time.monotonic()
        self.seats: dict[str, AtWork] = {}
        self.error = ""
        self.over_budget = False
        self.anonymous = frozenset[str]()

    @property
    def failed(self) -> bool:
        """Has it stopped because something went wrong?"""
        return bool(self.error) or any(seat.error for seat in list(self.seats.values()))

    @property
    def round(self) -> int:
        """In which round the models move."""
        return next((seat.round for seat in list(self.seats.values())), 0)

    def run(self) -> None:
        """Work until a person is to move, the episode is over, or it is stopped."""
        try:
            table = Table(self._storage, self._id)
            table.models = partial(self._model, table)
            self.anonymous = frozenset(table.episode.setup.anonymous_agents)
            while not table.waits_for and not self.cancel.is_set():
                self.seats = {}
                if not table.step_together():
                    break
            if table.settled:
                loans.end(self._id)
        except UnconfirmedError:
            # Nothing has gone wrong: whoever is at a screen is asked there.
            pass
        except Exception as error:
            if not self.failed:
                known = isinstance(error, LLMError | StorageError)
                self.error = str(error) if known else _unknown(error)

    def note_failure(self, agent: str, error: Exception) -> None:
        """Keep why a model's move was not made."""
        seat = self.seats[agent]
        if isinstance(error, LLMError):
            seat.told = error.told
            seat.raw = error.raw if isinstance(error, LLMFailedError) else ""
            self.over_budget |= isinstance(error, LLMBudgetError)
        else:
            # Its words may be about a move that nobody else may know.
            seat.told = _unknown(error)
        if agent in self.anonymous:
            seat.told = NAMELESS
        seat.error = str(error) if isinstance(error, NipError) else _unknown(error)

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
        return _Watched(Client(settings, key, policy, budget, self.cancel), self)


def _unknown(error: Exception) -> str:
    return f"Something went wrong ({type(error).__name__}). Try again."


class _Watched(LLMPlayer):
    """Lets its worker know how far it is, what it has written and what it has taken."""

    def __init__(self, client: Client, worker: Worker) -> None:
        super().__init__(client)
        self._worker = worker

    def used_before(self, view: View) -> Used:
        """What earlier attempts at the same move have taken."""
        return self._worker.begun.setdefault((view.agent, view.round), Used())

    def turn(self, view: View) -> Acted:
        """Make a move; see :meth:`LLMPlayer.turn`."""
        seat = self._worker.seats[view.agent] = AtWork(view.round)
        self.on_text = partial(setattr, seat, "words")
        self.client.on_progress = partial(setattr, seat, "progress")
        try:
            acted = super().turn(view)
        except Exception as error:
            self._worker.note_failure(view.agent, error)
            raise
        seat.words, seat.progress = "", None
        self._worker.begun.pop((view.agent, view.round), None)
        return acted


def work_at(storage: Storage, episode_id: str, visitor: str) -> Worker:
    """The worker at a table; a new one, on behalf of a visitor, if there is none at work."""
    with _lock:
        worker = _workers.get(episode_id)
        if worker is None or not worker.is_alive():
            begun = {} if worker is None else worker.begun
            worker = _workers[episode_id] = Worker(storage, episode_id, visitor, begun)
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
    own = worker.seats.get(seat)
    return "" if own is None else own.words


def what_goes_on(worker: Worker, seat: str, table: Table) -> str:
    """How far the models at a table are, as far as a seat may know.

    Of itself it may know all; of others nothing that depends on what they read or write, and not
    which of those who speak together has not moved yet. Of those without a name nothing at all.
    """
    seats = dict(worker.seats)
    since = min((other.since for other in seats.values()), default=worker.since)
    lines = [f"{time.monotonic() - since:.0f} s"]
    own = seats.pop(seat, None)
    if own is not None and own.progress is not None:
        lines.append(own.progress.for_its_seat)
    if worker.anonymous.isdisjoint(seats):
        known = {a: s.progress.for_others for a, s in seats.items() if s.progress is not None}
        waits = {agent: words for agent, words in known.items() if words}
        if waits and len(table.models_in_turn) > 1:
            lines.append(SOME_WAIT)
        else:
            lines += [f"{table.spec.seat_name(agent)}: {words}" for agent, words in waits.items()]
    return "\n".join(lines)


def what_failed(worker: Worker, seat: str) -> tuple[str, str]:
    """Why a worker has stopped, as far as a seat may know, and the seat's own unplayable draft."""
    own = worker.seats.get(seat)
    if own is not None and own.error:
        return own.error, own.raw
    told = (other.told for _, other in sorted(worker.seats.items()) if other.told)
    return next(told, worker.error), ""
