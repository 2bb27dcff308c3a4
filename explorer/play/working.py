"""Threads for players that take long, and what each seat may see of their progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from explorer.play.table import Table
from explorer.players import (
    Acted,
    Client,
    LLMBudgetError,
    LLMError,
    LLMFailedError,
    ModelPlayer,
    ModelTurn,
    UnconfirmedError,
)
from nip_core.displays import displayed
from nip_core.errors import NipError
from nip_core.play import View

if TYPE_CHECKING:
    from explorer.players import AnswerProgress, ModelTurn


# Shown for an anonymous seat, since the real message reveals whose service has failed.
NAMELESS = (
    "A model at this table could not make its move. Try again, with another key if it wants one, "
    "or make the move yourself."
)

# Shown for seats that move simultaneously, since it is hidden which of them has moved.
SOME_WAIT = "A service has asked for a break."


@displayed
@dataclass
class AtWork:
    """A seat whose model makes a move. Only `public_error` may be shown to other seats."""

    round: int
    since: float = field(default_factory=time.monotonic)  # by `time.monotonic`
    words: str = ""  # what the model has written so far
    progress: AnswerProgress | None = None
    # The reason of a failure, for the seat itself and for the others.
    error: str = ""
    public_error: str = ""
    raw: str = ""  # the last answer, if it could not be played


class Working(threading.Thread):
    """A thread that lets players move until it is a person's turn."""

    def __init__(self, name: str, begun: dict[tuple[str, int], ModelTurn]) -> None:
        super().__init__(name=name, daemon=True)
        self.begun = begun  # turns that an earlier thread began and did not finish
        self.cancel = threading.Event()
        self.since = time.monotonic()
        self.seats: dict[str, AtWork] = {}  # those whose players move in this round
        self.error = ""  # why it stopped, if not because of a player
        self.over_budget = False  # whether it stopped because the budget is used up
        self.anonymous = frozenset[str]()
        self._ended = False

    @property
    def busy(self) -> bool:
        """Whether it is at work. Its thread may go on for a moment after that."""
        return self.is_alive() and not self._ended

    def note(self, seat: AtWork, name: str, value: object) -> None:
        """Keep how far a seat is: its ``words`` or its ``progress``."""
        setattr(seat, name, value)
        self.report()

    def report(self) -> None:
        """Notify readers of progress. This class does nothing: its readers poll."""

    def work(self) -> None:
        """Let players move until it is a person's turn, the episode is over, or `cancel` is set."""
        raise NotImplementedError

    @property
    def failed(self) -> bool:
        """Whether it has stopped because something went wrong."""
        return bool(self.error) or any(seat.error for seat in list(self.seats.values()))

    @property
    def round(self) -> int:
        """The round in which the players move."""
        return next((seat.round for seat in list(self.seats.values())), 0)

    def run(self) -> None:
        """Do the work, and keep the reason of a failure."""
        with self.keeping_errors():
            self.work()

    @contextmanager
    def keeping_errors(self) -> Generator[None]:
        """Record an error in the block as the reason of failure and end the work."""
        try:
            yield
        except UnconfirmedError:
            # Not a failure: a person at a screen is asked to confirm.
            pass
        except Exception as error:
            if not self.failed:
                self.error = str(error) if self.explains(error) else _unknown(error)
        self._ended = True

    def explains(self, error: Exception) -> bool:
        """Return whether an error's message is written for the people at the table."""
        return isinstance(error, LLMError)

    def note_failure(self, agent: str, error: Exception) -> None:
        """Keep the reason why a move was not made."""
        seat = self.seats[agent]
        if isinstance(error, LLMError):
            seat.public_error = error.for_others
            seat.raw = error.raw if isinstance(error, LLMFailedError) else ""
            self.over_budget |= isinstance(error, LLMBudgetError)
        else:
            # Its message may describe a move that is hidden from the other seats.
            seat.public_error = _unknown(error)
        if agent in self.anonymous:
            seat.public_error = NAMELESS
        seat.error = str(error) if isinstance(error, NipError) else _unknown(error)


def _unknown(error: Exception) -> str:
    return f"Something went wrong ({type(error).__name__}). Try again."


def visible_words(worker: Working, seat: str) -> str:
    """Return the answer that the seat's own model is writing, and no other.

    Other seats read only the finished move, which may differ from the answer.
    """
    own = worker.seats.get(seat)
    return "" if own is None else own.words


def what_goes_on(worker: Working, seat: str, table: Table) -> str:
    """Return the progress of the models at a table, as far as a seat may see it.

    A seat sees everything about its own model. About others it sees nothing that depends on what
    they read or write, nor which of several seats that speak together has moved. About anonymous
    seats it sees nothing.
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
    """Return why a worker stopped, as far as a seat may see it, and its own unplayable draft."""
    own = worker.seats.get(seat)
    if own is not None and own.error:
        return own.error, own.raw
    others = (other.public_error for _, other in sorted(worker.seats.items()))
    return next(filter(None, others), worker.error), ""


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
        self.on_text = partial(self._worker.note, seat, "words")
        self._client.on_progress = partial(self._worker.note, seat, "progress")
        try:
            acted = await super().aturn(view)
        except Exception as error:
            self._worker.note_failure(view.agent, error)
            raise
        seat.words, seat.progress = "", None
        self._worker.begun.pop((view.agent, view.round), None)
        return acted
