"""Players that take long, at work: in a thread, watched, stopped, and failing in words.

What a seat may know of them is here too, for the app and for notebooks.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from functools import partial

from explorer.play.table import Table
from explorer.players import Acted, LLMBudgetError, LLMError, LLMFailedError, UnconfirmedError
from explorer.players.models import AnswerProgress, Client, ModelPlayer, ModelTurn
from explorer.storage import StorageError
from nip_core.displays import displayed
from nip_core.errors import NipError
from nip_core.play import View

__all__ = ["AtWork", "Watched", "Working", "visible_words", "what_failed", "what_goes_on"]

# About a seat that is anonymous: whose service has failed, and in which way, would name it.
NAMELESS = (
    "A model at this table could not make its move. Try again, with another key if it wants one, "
    "or make the move yourself."
)

# About those who speak together: which of them has not moved yet is a secret.
SOME_WAIT = "The service of one of them has to be waited for."


@displayed
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
    progress: AnswerProgress | None = None
    error: str = ""
    told: str = ""
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
        """Work, and keep why it came to nothing."""
        try:
            self.work()
        except UnconfirmedError:
            # Nothing has gone wrong: whoever is at a screen is asked there.
            pass
        except Exception as error:
            if not self.failed:
                known = isinstance(error, LLMError | StorageError)
                self.error = str(error) if known else _unknown(error)

    def note_failure(self, agent: str, error: Exception) -> None:
        """Keep why a move was not made."""
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


def _unknown(error: Exception) -> str:
    return f"Something went wrong ({type(error).__name__}). Try again."


class Watched(ModelPlayer):
    """Lets its worker know how far it is, what it has written and what it has taken."""

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
    """What a seat may read of an answer that is being written: its own, and no other's.

    What others will read is what can be played, and that shows only once it is whole.
    """
    own = worker.seats.get(seat)
    return "" if own is None else own.words


def what_goes_on(worker: Working, seat: str, table: Table) -> str:
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


def what_failed(worker: Working, seat: str) -> tuple[str, str]:
    """Why a worker has stopped, as far as a seat may know, and the seat's own unplayable draft."""
    own = worker.seats.get(seat)
    if own is not None and own.error:
        return own.error, own.raw
    told = (other.told for _, other in sorted(worker.seats.items()) if other.told)
    return next(told, worker.error), ""
