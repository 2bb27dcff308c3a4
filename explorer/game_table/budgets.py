"""What an episode's models have used, counted where it is kept: a restart forgets nothing."""

from __future__ import annotations

import threading

from explorer.players.llm import Prices, Spent, TokenBudget
from explorer.storage import Caps, Storage, Use
from nip_core.play import Episode, Moved, Origin

__all__ = ["budget_at", "use_in_record"]

# More than anybody lets an episode use: a stranger's file may say anything.
MOST_TOKENS, MOST_MONEY = 10**12, 1e12


class KeptSpent(Spent):
    """A count that is written down as soon as it grows, for all who count at the same episode.

    Parameters
    ----------
    storage : Storage
    episode_id : str
    before : Use
        What the record says, for an episode at which nothing was counted here yet.
    """

    def __init__(self, storage: Storage, episode_id: str, before: Use) -> None:
        super().__init__()
        self._storage, self._id, self._before = storage, episode_id, before
        self.look()

    def look(self) -> None:
        """Take up what other processes have counted."""
        use = self._storage.budgets.use(self._id) or self._before
        self.tokens, self.money = use.tokens, use.money

    def add(self, tokens: int, money: float) -> None:
        """Count some more."""
        super().add(tokens, money)
        self._storage.budgets.spend(self._id, Use(tokens, money), self._before)


_counts: dict[tuple[int, str], KeptSpent] = {}
_lock = threading.Lock()


def budget_at(
    storage: Storage, episode_id: str, episode: Episode, caps: Caps, prices: Prices
) -> TokenBudget:
    """What is left of the caps for a model with these prices."""
    with _lock:
        spent = _counts.get((id(storage.budgets), episode_id))
        if spent is None:
            spent = KeptSpent(storage, episode_id, use_in_record(episode))
            _counts[id(storage.budgets), episode_id] = spent
    with spent.lock:
        spent.look()
    return TokenBudget(caps.tokens, spent, most_money=caps.money, prices=prices)


def use_in_record(episode: Episode) -> Use:
    """What an episode has used, as far as its record says."""
    origins = [Origin.from_dict(e.origin) for e in episode.events if isinstance(e, Moved)]
    return Use(
        min(sum(origin.tokens or 0 for origin in origins), MOST_TOKENS),
        min(sum((origin.cost or 0.0 for origin in origins), 0.0), MOST_MONEY),
    )
