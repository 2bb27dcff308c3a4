"""What an episode's models have used, counted where it is kept: a restart forgets nothing."""

from __future__ import annotations

import threading
from weakref import WeakValueDictionary

from explorer.players.models import Account, TokenBudget
from explorer.storage import Storage
from explorer.usage import Budget, Prices, Usage
from nip_core.play import Episode, Moved, Origin

__all__ = ["budget_at", "use_in_record"]

# More than anybody lets an episode use: a stranger's file may say anything.
MOST_TOKENS, MOST_MONEY = 10**12, 1e12


class KeptAccount(Account):
    """A count that is written down as soon as it grows, for all who count at the same episode.

    Parameters
    ----------
    storage : Storage
    episode_id : str
    before : Usage
        What the record says, for an episode at which nothing was counted here yet.
    """

    def __init__(self, storage: Storage, episode_id: str, before: Usage) -> None:
        super().__init__()
        self._storage, self._id, self._before = storage, episode_id, before
        self.look()

    def look(self) -> None:
        """Take up what other processes have counted."""
        self.used = self._storage.budgets.use(self._id) or self._before

    def count(self, usage: Usage) -> None:
        """Count what a request has taken."""
        super().count(usage)
        self._storage.budgets.spend(self._id, usage, self._before)


# Kept for as long as a model of the episode may be asked; the database keeps what was counted.
_accounts: WeakValueDictionary[tuple[int, str], KeptAccount] = WeakValueDictionary()
_lock = threading.Lock()


def budget_at(
    storage: Storage, episode_id: str, episode: Episode, caps: Budget, prices: Prices
) -> TokenBudget:
    """What is left of the caps for a model with these prices."""
    with _lock:
        account = _accounts.get((id(storage.budgets), episode_id))
        if account is None:
            account = KeptAccount(storage, episode_id, use_in_record(episode))
            _accounts[id(storage.budgets), episode_id] = account
    with account.lock:
        account.look()
    most = MOST_TOKENS if caps.tokens is None else caps.tokens
    return TokenBudget(most, account, most_money=caps.money, prices=prices)


def use_in_record(episode: Episode) -> Usage:
    """What an episode has used, as far as its record says."""
    origins = [Origin.from_dict(e.origin) for e in episode.events if isinstance(e, Moved)]
    return Usage(
        tokens_in=min(sum(origin.tokens or 0 for origin in origins), MOST_TOKENS),
        money=min(sum((origin.cost or 0.0 for origin in origins), 0.0), MOST_MONEY),
    )
