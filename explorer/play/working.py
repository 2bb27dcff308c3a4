"""Players that take long: a thread lets them move, and a seat learns only what it may know."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.play.table import Table
from explorer.players import LLMBudgetError, LLMError, LLMFailedError, UnconfirmedError
from nip_core.displays import displayed
from nip_core.errors import NipError

if TYPE_CHECKING:
    from explorer.players import AnswerProgress, ModelTurn

__all__ = ["AtWork", "Working", "visible_words", "what_failed", "what_goes_on"]

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
                self.error = str(error) if self.explains(error) else _unknown(error)

    def explains(self, error: Exception) -> bool:
        """Is the message of an error written for the people at the table?"""
        return isinstance(error, LLMError)

    def note_failure(self, agent: str, error: Exception) -> None:
        """Keep the reason why a move was not made."""
        seat = self.seats[agent]
        if isinstance(error, LLMError):
            seat.public_error = error.for_others
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


def visible_words(worker: Working, seat: str) -> str:
    """Return the answer that the seat's own model is writing, and no other.

    What others will read is what can be played, and that shows only once it is whole.
    """
    own = worker.seats.get(seat)
    return "" if own is None else own.words


def what_goes_on(worker: Working, seat: str, table: Table) -> str:
    """Return how far the models at a table are, as far as a seat may know.

    It may know everything about itself; about others neither what depends on what they read or
    write nor which of those who speak together has not moved yet; about seats without a name
    nothing at all.
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
