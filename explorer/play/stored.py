"""Tables in a database, which outlive the process and are shared with other processes."""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, Self, cast
from weakref import WeakKeyDictionary, WeakValueDictionary

from explorer.play.seats import PERSON, SCRIPTED, Start, usual_script
from explorer.play.table import Journal, Table, now
from explorer.players import Account, TokenBudget
from explorer.storage import (
    ConflictError,
    Entry,
    HaltedError,
    Rooms,
    Storage,
    StoredEpisode,
)
from explorer.usage import USUAL_BUDGET, Budget, Prices, Usage
from nip_core.errors import PlayError
from nip_core.play import Episode, Moved, Origin, Seated
from nip_core.spec import ProtocolSpec
from nip_core.tasks import Task

if TYPE_CHECKING:
    from explorer.play.published import TurnStart
    from nip_core.language import Specification
    from nip_core.play.turns import Material

__all__ = ["DatabaseJournal", "StoredTable", "latest", "play_on", "use_in_record"]

TAGS = {"llm": "language model", "random": "random player"}
PLAYS_HERE = ("scripted", "random")
MOST_KEPT = 400

# By database, since an id means another episode in another one. Parts of a storage that
# see the episodes of a room share them; the database is asked who may look.
_episodes: WeakKeyDictionary[Rooms, OrderedDict[str, StoredEpisode]] = WeakKeyDictionary()
_lock = threading.Lock()


def latest(storage: Storage, episode_id: str, version: int | None = None) -> StoredEpisode:
    """Return an episode as it is now; of one that was read before, only what is new is read.

    All callers get the same object: make a copy before you play on it.

    What has the given version is not read again: the one that is stored, if the caller knows.
    """
    with _lock:
        known = _episodes.setdefault(storage.rooms, OrderedDict()).get(episode_id)
    if known is not None and known.version == version:
        return known
    stored = storage.load(episode_id) if known is None else storage.catch_up(known)
    with _lock:
        kept = _episodes.setdefault(storage.rooms, OrderedDict())
        known = kept.get(episode_id)
        if known is None or known.version < stored.version:
            kept[episode_id] = stored
        kept.move_to_end(episode_id)
        while len(kept) > MOST_KEPT:
            kept.popitem(last=False)
    return stored


class DatabaseJournal(Journal):
    """Keeps an episode in a database; the version is the number of events stored there."""

    def __init__(self, storage: Storage, episode_id: str, version: int) -> None:
        self._storage = storage
        self._id = episode_id
        self.version = version

    def append(self, episode: Episode) -> None:
        """Store what is new; a ConflictError if somebody else has stored something since."""
        try:
            self.version = self._storage.append(self._id, episode, self.version)
        except HaltedError:
            raise
        except ConflictError:
            # The original message counts the stored events, which tells who has moved already.
            raise ConflictError(
                "Somebody else has played in the meantime. Look at the table, then do it again."
            ) from None

    def catch_up(self) -> Episode | None:
        """Return the episode as it is stored; None if that is the version known here."""
        stored = latest(self._storage, self._id)
        if stored.version == self.version:
            return None
        self.version = stored.version
        return copy(stored.episode)


# -- what the models of an episode have used ------------------------------------------------------

# Caps for what records say, which may come from a stranger's file.
MOST_TOKENS, MOST_MONEY = 10**12, 1e12


class KeptAccount(Account):
    """A count that is written down as soon as it grows, for all who count at the same episode.

    It begins with what the record says, if nothing was counted for the episode yet.
    """

    def __init__(self, storage: Storage, episode_id: str, before: Usage) -> None:
        super().__init__()
        self._storage, self._id, self._before = storage, episode_id, before
        self.refresh()

    def refresh(self) -> None:
        """Take up what other processes have counted."""
        self.used = self._storage.budgets.use(self._id) or self._before

    def count(self, usage: Usage) -> None:
        """Count what a request has taken."""
        super().count(usage)
        self._storage.budgets.spend(self._id, usage, self._before)


# Kept while somebody holds a budget of the episode; the database keeps the counts.
_accounts: WeakValueDictionary[tuple[int, str], KeptAccount] = WeakValueDictionary()
_accounts_lock = threading.Lock()


def budget_at(
    storage: Storage, episode_id: str, episode: Episode, caps: Budget, prices: Prices
) -> TokenBudget:
    """Return what the caps still allow a model with these prices."""
    with _accounts_lock:
        account = _accounts.get((id(storage.budgets), episode_id))
        if account is None:
            account = KeptAccount(storage, episode_id, use_in_record(episode))
            _accounts[id(storage.budgets), episode_id] = account
    with account.lock:
        account.refresh()
    most = MOST_TOKENS if caps.tokens is None else caps.tokens
    return TokenBudget(most, account, most_money=caps.money, prices=prices)


def use_in_record(episode: Episode) -> Usage:
    """Return what an episode has used, according to its record."""
    origins = [Origin.from_dict(e.origin) for e in episode.events if isinstance(e, Moved)]
    return Usage(
        tokens_in=min(sum(origin.tokens or 0 for origin in origins), MOST_TOKENS),
        money=min(sum((origin.cost or 0.0 for origin in origins), 0.0), MOST_MONEY),
    )


# -- the table ------------------------------------------------------------------------------------


class StoredTable(Table):
    """A table whose episode is in a database, and what models may use there.

    The stored episode can be given, if it was read just now.
    """

    def __init__(
        self, storage: Storage, episode_id: str, stored: StoredEpisode | None = None
    ) -> None:
        stored = stored or latest(storage, episode_id)
        journal = DatabaseJournal(storage, episode_id, stored.version)
        super().__init__(copy(stored.episode), journal)
        self._storage = storage
        self._entry: Entry | None = None
        self.id = episode_id

    @classmethod
    def open_new(
        cls,
        storage: Storage,
        start: Start | TurnStart,
        task: Task | Material | None = None,
    ) -> Self:
        """Begin an episode as it was chosen, on a task of its own if one is given."""
        setup, seats = start.setup(cast("Any", task)), start.players()
        episode = Episode.from_setup(setup)
        # So that episodes can be found by who played.
        tags = sorted({_tag(setup.spec, *seat) for seat in seats.items()} - {""})
        for agent, player in seats.items():
            episode.apply(Seated(agent=agent, player=player, at=now()))
        return cls(storage, storage.create(episode, tags=tags))

    @property
    def entry(self) -> Entry:
        """The episode's entry in lists."""
        if self._entry is None:
            self._entry = self._storage.entry(self.id)
        return self._entry

    def refresh(self) -> bool:
        """Take up what others have done at the same table; return whether there was anything."""
        changed = super().refresh()
        if changed:
            self._entry = None
        return changed

    def caps(self, visitor: str) -> Budget:
        """Return what a visitor lets the episode use."""
        return self._storage.budgets.caps(self.id, visitor) or USUAL_BUDGET

    def was_let_by(self, visitor: str) -> bool:
        """Has a visitor ever let models be asked here, also before a restart of the server?"""
        return self._storage.budgets.caps(self.id, visitor) is not None

    def set_caps(self, visitor: str, caps: Budget) -> None:
        """Let a visitor say what the episode may use. What it has used stays counted."""
        self._storage.budgets.set_caps(self.id, visitor, caps)

    @property
    def use(self) -> Usage:
        """What it has used. Not for a seat: it tells how much others have read and written."""
        return self._storage.budgets.use(self.id) or use_in_record(self.episode)

    def budget(self, visitor: str, prices: Prices, caps: Budget | None = None) -> TokenBudget:
        """Return what a visitor, with their caps or others, still lets a model use."""
        caps = caps or self.caps(visitor)
        return budget_at(self._storage, self.id, self.episode, caps, prices)


def _tag(spec: ProtocolSpec | Specification, agent: str, player: Mapping[str, Any]) -> str:
    kind = player.get("kind")
    if kind == "scripted" and isinstance(spec, ProtocolSpec):
        return SCRIPTED.get(spec.agent(agent).role, "scripted player")
    return {**TAGS, "scripted": "scripted player"}.get(str(kind), "")


def play_on(storage: Storage, table: StoredTable, node: int, seat: str) -> StoredTable:
    """Begin an episode with the moves that led to a position, and a person in a seat.

    The episode at the table stays as it is: the new one is another. Scripted players take the
    seats of other people and of models.

    Raises
    ------
    PlayError
        If the episode has ended there, or is not over, so that only its seats may look.
    """
    public = table.public_episode()
    path = public.path(node)
    if path[-1].over:
        raise PlayError("The episode has ended there: choose an earlier position.")
    ends = {end.id for leaf in public.leaves if leaf.over for end in public.path(leaf.id)}
    if node not in ends:
        raise PlayError("That line is not over: it can be played on at its own table only.")
    setup = table.episode.setup
    if table.episode.version == 1:
        informed = setup.informed_provers or seat in setup.spec.provers
        setup = dataclasses.replace(setup, informed_provers=informed)
    episode = Episode.from_setup(setup)
    for agent in setup.spec.agent_names:
        player = public.players.get(agent, {})
        if agent == seat:
            player = {**PERSON, "met_before": True}
        elif player.get("kind") not in PLAYS_HERE:
            player = usual_script(setup, agent)
        episode.apply(Seated(agent=agent, player=dict(player), at=now()))
    moved = {id(event.move): event for event in public.events if isinstance(event, Moved)}
    for position in path[1:]:
        for move in position.moves.values():
            # A move that the rules made has no event.
            episode.apply(moved.get(id(move), Moved(move=move)))
    title = f"{table.entry.title}, played on"[:200]
    return StoredTable(storage, storage.create(episode, title=title, tags=["played on"]))
