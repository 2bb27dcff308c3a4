"""Language models at tables: who lent a key, and the work that goes on without a page.

A page's script stops when its tab is closed, so a model's turn is taken by a worker of the server.
What is lent here is in memory only: it is gone when the server stops, and is never written down.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from explorer.players import Player
from explorer.players.errors import LLMFailedError
from explorer.players.llm import (
    Client,
    LLMPlayer,
    LLMSettings,
    Secret,
    ServerPolicy,
    TokenBudget,
    find_key,
)
from explorer.playing.table import Table
from explorer.storage import Storage
from nip_core.errors import NipError
from nip_core.play import Episode

__all__ = ["Worker", "lend", "visible_words", "work_at", "worker_of"]

DEFAULT_TOKENS = 100_000


@dataclass
class Loan:
    """What a person lets the models at one table use: keys by address, and tokens."""

    keys: Mapping[str | None, Secret]
    budget: TokenBudget


_loans: dict[str, Loan] = {}
_workers: dict[str, Worker] = {}
_lock = threading.Lock()


def lend(
    episode_id: str, keys: Mapping[str | None, Secret], most_tokens: int = DEFAULT_TOKENS
) -> None:
    """Let the models at a table use keys, each for its own address, and so many tokens in all."""
    with _lock:
        _loans[episode_id] = Loan(dict(keys), TokenBudget(most_tokens))


class Worker(threading.Thread):
    """Lets the players at a table move until a person is to, one seat after the other.

    Parameters
    ----------
    storage : Storage
    episode_id : str

    Attributes
    ----------
    seat, words : str
        Whose move is being made, and what a model has written of it so far. Not for a seat: see
        :func:`visible_words`.
    error : str
        Why it stopped, if it failed.
    raw : str
        A model's last answer, if it could not be played.
    """

    def __init__(self, storage: Storage, episode_id: str) -> None:
        super().__init__(name=f"table-{episode_id[:8]}", daemon=True)
        self._storage = storage
        self._id = episode_id
        self.cancel = threading.Event()
        self.seat = self.words = self.error = self.raw = ""

    def run(self) -> None:
        """Work until a person is to move, the episode is over, or it is stopped."""
        try:
            table = Table(self._storage, self._id)
            table.models = self._model
            while not table.waits_for and not self.cancel.is_set():
                if table.step() is None:
                    break
                self.seat = self.words = ""
        except LLMFailedError as error:
            self.error, self.raw = str(error), error.raw
        except NipError as error:
            self.error = str(error)
        except Exception as error:
            self.error = f"Something went wrong ({type(error).__name__}). Try again."

    def _model(self, agent: str, player: Mapping[str, Any]) -> Player:
        policy, settings = ServerPolicy.from_environment(), LLMSettings.from_record(player)
        policy.check(settings)
        loan = _loans.setdefault(self._id, Loan({}, TokenBudget(DEFAULT_TOKENS)))
        key = find_key(settings, loan.keys, policy)
        client = Client(settings, key, policy, loan.budget, self.cancel)

        def note(words: str) -> None:
            self.seat, self.words = agent, words

        return LLMPlayer(client, note)


def work_at(storage: Storage, episode_id: str) -> Worker:
    """The worker at a table; a new one if there is none at work."""
    with _lock:
        worker = _workers.get(episode_id)
        if worker is None or not worker.is_alive():
            worker = _workers[episode_id] = Worker(storage, episode_id)
            worker.start()
        return worker


def worker_of(episode_id: str) -> Worker | None:
    """The latest worker at a table, if there was one."""
    return _workers.get(episode_id)


def visible_words(worker: Worker, episode: Episode, seat: str) -> str:
    """What a seat may read of an answer that is being written.

    Only if it will read all of it, and nobody else's move of the round is outstanding: before
    that, moves are held back.
    """
    agent, words = worker.seat, worker.words
    if not agent or episode.to_move != (agent,):
        return ""
    channels = episode.legal(agent).channels
    reads = all(episode.spec.can_see(seat, channel) for channel in channels)
    return words if reads and len(channels) == 1 else ""
