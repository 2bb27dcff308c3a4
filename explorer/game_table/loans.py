"""What a visitor lets the models at a table do: whom they ask, with which keys, how many tokens.

A transcript may come from anybody, and names models and addresses. None of them is asked before
the visitor for whom play goes on has seen it and said so; and each visitor pays for what they
themselves let go on. All this is in memory only: it is gone when the server stops, and is never
written down.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from explorer.players.errors import UnconfirmedError
from explorer.players.llm import LLMSettings, Secret, Spent, TokenBudget

__all__ = ["DEFAULT_TOKENS", "Loans", "loans"]

DEFAULT_TOKENS = 100_000
LIFETIME = 12 * 3600.0  # seconds after which a loan that nobody has used is dropped

Model = tuple[str | None, str]


@dataclass
class Loan:
    """What one visitor lets the models at one table use.

    Parameters
    ----------
    most_tokens : int
        For the episode. What others have let it use counts too.
    models : set
        Who may be asked: addresses and names of models.
    keys : dict
        By address.
    used : float
        When it was last used.
    """

    most_tokens: int = DEFAULT_TOKENS
    models: set[Model] = field(default_factory=set[Model])
    keys: dict[str | None, Secret] = field(default_factory=dict[str | None, Secret])
    used: float = field(default_factory=time.monotonic)


def _model(settings: LLMSettings) -> Model:
    return settings.base_url, settings.model


class Loans:
    """All that visitors have lent. Threads may share it."""

    def __init__(self) -> None:
        self._loans: dict[tuple[str, str], Loan] = {}
        self._spent: dict[str, Spent] = {}
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None

    def lend(
        self,
        visitor: str,
        episode_id: str,
        models: Iterable[LLMSettings],
        keys: Mapping[str | None, Secret] | None = None,
        most_tokens: int | None = None,
    ) -> None:
        """Let models at a table be asked on a visitor's behalf.

        Parameters
        ----------
        visitor : str
        episode_id : str
        models : iterable of LLMSettings
            Models that the visitor has chosen, or has seen and confirmed, with their addresses.
        keys : mapping, optional
            Each for its own address; others that were lent stay.
        most_tokens : int, optional
            The cap for the episode as far as this visitor is concerned; as it was if left out.
            What the episode has used stays counted.
        """
        with self._lock:
            self._drop_old()
            loan = self._loans.setdefault((visitor, episode_id), Loan())
            loan.models |= {_model(settings) for settings in models}
            loan.keys |= keys or {}
            loan.most_tokens = loan.most_tokens if most_tokens is None else most_tokens
            loan.used = time.monotonic()
            self._look_again()

    def allows(self, visitor: str, episode_id: str, settings: LLMSettings) -> bool:
        """Has a visitor said that a model may be asked at a table?"""
        with self._lock:
            self._drop_old()
            loan = self._loans.get((visitor, episode_id))
            return loan is not None and _model(settings) in loan.models

    def use(
        self, visitor: str, episode_id: str, settings: LLMSettings
    ) -> tuple[Mapping[str | None, Secret], TokenBudget]:
        """The keys and the tokens with which a visitor lets a model be asked.

        Raises
        ------
        UnconfirmedError
            If the visitor has not said that it may be.
        """
        with self._lock:
            if not self.allows(visitor, episode_id, settings):
                raise UnconfirmedError(
                    f"Nobody here has confirmed that {settings.model} at {settings.host} may be "
                    "asked."
                )
            loan = self._loans[visitor, episode_id]
            loan.used = time.monotonic()
            return dict(loan.keys), self.budget(episode_id, loan.most_tokens)

    def budget(self, episode_id: str, most_tokens: int) -> TokenBudget:
        """A cap on an episode's tokens, of which those that were used before are gone."""
        with self._lock:
            return TokenBudget(most_tokens, self._spent.setdefault(episode_id, Spent()))

    def most_tokens(self, visitor: str, episode_id: str) -> int:
        """A visitor's cap for an episode."""
        with self._lock:
            return self._loans.get((visitor, episode_id), Loan()).most_tokens

    def follow(self, visitor: str, episode_id: str, following: str) -> None:
        """Let a visitor's models be asked in an episode that follows on another one.

        What the visitor had not confirmed there is not confirmed here; keys are lent anew.
        """
        with self._lock:
            loan = self._loans.get((visitor, episode_id))
            if loan is not None:
                after = Loan(loan.most_tokens, set(loan.models))
                self._loans[visitor, following] = after

    def end(self, episode_id: str) -> None:
        """Give back all keys that were lent for an episode."""
        with self._lock:
            for (_, episode), loan in self._loans.items():
                if episode == episode_id:
                    loan.keys.clear()

    def _look_again(self) -> None:
        """Drop what is old later: even if nobody comes back, a key does not stay for ever."""
        # One timer for all, since each is a thread.
        if self._timer is None:
            self._timer = threading.Timer(LIFETIME + 1, self._on_time)
            self._timer.daemon = True
            self._timer.start()

    def _on_time(self) -> None:
        with self._lock:
            self._timer = None
            self._drop_old()
            if self._loans:
                self._look_again()

    def _drop_old(self) -> None:
        with self._lock:
            now = time.monotonic()
            old = [key for key, loan in self._loans.items() if now - loan.used > LIFETIME]
            for key in old:
                del self._loans[key]


loans = Loans()
