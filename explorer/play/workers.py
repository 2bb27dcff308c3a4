"""Players that take long: they work in a thread, can be watched and stopped, and may fail.

A page's script stops when its tab is closed, so a model's turn at a stored table is taken by a
worker of the server, on behalf of the visitor who let play go on and with what they have lent. What
a seat may know of the players at work is here too, for the app and for notebooks.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from explorer.play.model_grants import grants
from explorer.play.stored import StoredTable
from explorer.play.table import Table
from explorer.players import (
    Acted,
    AnswerProgress,
    Client,
    LLMBudgetError,
    LLMError,
    LLMFailedError,
    LLMSettings,
    ModelPlayer,
    ModelTurn,
    Player,
    ServerPolicy,
    UnconfirmedError,
    find_key,
)
from explorer.storage import HaltedError, Storage, StorageError, Writer, writing_as
from nip_core.displays import displayed
from nip_core.errors import NipError
from nip_core.play import View

__all__ = [
    "AtWork",
    "Watched",
    "Worker",
    "Working",
    "unconfirmed",
    "visible_words",
    "what_failed",
    "what_goes_on",
    "work_at",
    "worker_of",
]

# For an anonymous seat: the real message would tell whose service has failed.
NAMELESS = (
    "A model at this table could not make its move. Try again, with another key if it wants one, "
    "or make the move yourself."
)

# For seats that speak together: which of them has not moved yet is a secret.
SOME_WAIT = "The service of one of them has to be waited for."


@displayed
@dataclass
class AtWork:
    """One seat whose model makes a move. All of it but `public_error` is for that seat only.

    Parameters
    ----------
    round : int
    since : float
        By ``time.monotonic``.
    words : str
        What the model has written so far.
    progress : Progress, optional
    error, public_error : str
        Why it has failed, if it has: for the seat, and for the others.
    raw : str
        The last answer, if it could not be played.
    """

    round: int
    since: float = field(default_factory=time.monotonic)
    words: str = ""
    progress: AnswerProgress | None = None
    error: str = ""
    public_error: str = ""
    raw: str = ""


class Working(threading.Thread):
    """Lets players move until a person is to.

    Parameters
    ----------
    name : str
        Of the thread.
    begun : dict
        The turns that were begun before and came to nothing.

    Attributes
    ----------
    seats : dict of str to AtWork
        The seats whose players move in this round. See :func:`visible_words`,
        :func:`what_goes_on` and :func:`what_failed`.
    error : str
        Why it stopped, if it failed and no player is to blame.
    over_budget : bool
        Did it stop because the tokens are used up?
    """

    def __init__(self, name: str, begun: dict[tuple[str, int], ModelTurn]) -> None:
        super().__init__(name=name, daemon=True)
        self.begun = begun
        self.cancel = threading.Event()
        self.since = time.monotonic()
        self.seats: dict[str, AtWork] = {}
        self.error = ""
        self.over_budget = False
        self.anonymous = frozenset[str]()

    def work(self) -> None:
        """Let them move until a person is to move, the episode is over, or `cancel` is set."""
        raise NotImplementedError

    @property
    def failed(self) -> bool:
        """Has it stopped because something went wrong?"""
        return bool(self.error) or any(seat.error for seat in list(self.seats.values()))

    @property
    def round(self) -> int:
        """In which round the players move."""
        return next((seat.round for seat in list(self.seats.values())), 0)

    def run(self) -> None:
        """Work, and keep the reason of a failure."""
        try:
            self.work()
        except UnconfirmedError:
            # Nothing has gone wrong: a person at a screen is asked there.
            pass
        except Exception as error:
            if not self.failed:
                known = isinstance(error, LLMError | StorageError)
                self.error = str(error) if known else _unknown(error)

    def note_failure(self, agent: str, error: Exception) -> None:
        """Keep the reason why a move was not made."""
        seat = self.seats[agent]
        if isinstance(error, LLMError):
            seat.public_error = error.told
            seat.raw = error.raw if isinstance(error, LLMFailedError) else ""
            self.over_budget |= isinstance(error, LLMBudgetError)
        else:
            # Its message may be about a move that the other seats may not know.
            seat.public_error = _unknown(error)
        if agent in self.anonymous:
            seat.public_error = NAMELESS
        seat.error = str(error) if isinstance(error, NipError) else _unknown(error)


def _unknown(error: Exception) -> str:
    return f"Something went wrong ({type(error).__name__}). Try again."


class Watched(ModelPlayer):
    """A model player that reports its progress and its words to its worker."""

    def __init__(self, client: Client, worker: Working) -> None:
        super().__init__(client)
        self._client = client
        self._worker = worker

    def begin(self, view: View, before: ModelTurn | None = None) -> ModelTurn:
        """Begin a turn; see :meth:`ModelPlayer.begin`."""
        begun, key = self._worker.begun, (view.agent, view.round)
        turn = begun[key] = super().begin(view, before or begun.get(key))
        return turn

    async def aturn(self, view: View) -> Acted:
        """Make a move; see :meth:`ModelPlayer.aturn`."""
        seat = self._worker.seats[view.agent] = AtWork(view.round)
        self.on_text = partial(setattr, seat, "words")
        self._client.on_progress = partial(setattr, seat, "progress")
        try:
            acted = await super().aturn(view)
        except Exception as error:
            self._worker.note_failure(view.agent, error)
            raise
        seat.words, seat.progress = "", None
        self._worker.begun.pop((view.agent, view.round), None)
        return acted


def visible_words(worker: Working, seat: str) -> str:
    """Return the answer that the seat's own model is writing, and no other.

    What others will read is what can be played, and that shows only once it is whole.
    """
    own = worker.seats.get(seat)
    return "" if own is None else own.words


def what_goes_on(worker: Working, seat: str, table: Table) -> str:
    """Return how far the models at a table are, as far as a seat may know.

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


def what_failed(worker: Working, seat: str) -> tuple[str, str]:
    """Return why a worker has stopped, as far as a seat may know, and its own unplayable draft."""
    own = worker.seats.get(seat)
    if own is not None and own.error:
        return own.error, own.raw
    others = (other.public_error for _, other in sorted(worker.seats.items()))
    return next(filter(None, others), worker.error), ""


# -- at tables in a database ----------------------------------------------------------------------

# By episode, the latest last: those at work, and those whose failure can still be shown.
_workers: dict[str, Worker] = {}
MOST_IDLE = 200
_lock = threading.Lock()


class Worker(Working):
    """Lets the players at a table in storage move until a person is to, on a visitor's behalf.

    With `beside_people` they move while people think about theirs in the same round, as at tables
    where everyone has a screen of their own.
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
        """Let them move; those who speak together move together."""
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
            grants.end(self._id)

    def run(self) -> None:
        """Work, and stay known after a failure only."""
        super().run()
        with _lock:
            if not self.failed and not self.begun and _workers.get(self._id) is self:
                del _workers[self._id]

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
    storage: Storage, episode_id: str, visitor: str, *, beside_people: bool = False
) -> Worker:
    """Return the worker at a table; start one on behalf of a visitor if there is none at work."""
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
    """Return the models at a table that may not be asked on a visitor's behalf, by seat.

    A seat whose model cannot be asked at all, because the record of it is broken, is not there.
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
    """Return the worker at a table, or the latest one if it has failed; else None."""
    return _workers.get(episode_id)
