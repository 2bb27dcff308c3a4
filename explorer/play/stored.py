"""Tables in a database, which outlive the process and are shared with other processes."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Mapping
from copy import copy
from typing import Any, Self
from weakref import WeakValueDictionary

from explorer.play.seats import (
    PERSON,
    Start,
)
from explorer.play.table import Journal, Table, now
from explorer.players import Account, TokenBudget, scripts_for
from explorer.storage import (
    ConflictError,
    Entry,
    HaltedError,
    Storage,
    StoredEpisode,
    episode_topic,
)
from explorer.usage import USUAL_BUDGET, Prices, Usage, UsageBudget
from nip_core.errors import PlayError
from nip_core.play import Episode, Moved, Origin, Seated, Setup

TAGS = {"llm": "language model", "random": "random player"}
PLAYS_HERE = ("scripted", "random")


def latest(storage: Storage, episode_id: str, version: int | None = None) -> StoredEpisode:
    """Return an episode as it is stored now, reading only what is new since the last time.

    All callers get the same object: copy it before you change it. Whether a reader may see it is
    checked in the database.

    Pass the stored version if you know it: nothing is read if the kept episode has that version.
    """
    topic = episode_topic(episode_id)
    known: StoredEpisode | None = storage.cache.last(topic)
    if known is not None and known.version == version:
        return known
    stored = storage.load(episode_id) if known is None else storage.catch_up(known)
    if stored is not known:
        storage.cache.keep(topic, stored)
    return stored


class DatabaseJournal(Journal):
    """Keeps an episode in a database; the version is the number of events stored there."""

    def __init__(self, storage: Storage, episode_id: str, version: int) -> None:
        self._storage = storage
        self._id = episode_id
        self.version = version

    def append(self, episode: Episode) -> None:
        """Store new events; raise a ConflictError if somebody else has stored events since."""
        try:
            self.version = self._storage.append(self._id, episode, self.version)
        except HaltedError:
            raise
        except ConflictError:
            # The original message contains the number of stored events, which reveals who has
            # moved.
            raise ConflictError(
                "Somebody else has moved in the meantime. Look at the table, then try again."
            ) from None

    def catch_up(self) -> Episode | None:
        """Return the episode as it is stored; None if nothing is new."""
        stored = latest(self._storage, self._id)
        if stored.version == self.version:
            return None
        self.version = stored.version
        return copy(stored.episode)


# -- what the models of an episode have used ------------------------------------------------------

# Bounds for numbers in records, which may come from an uploaded file.
MOST_TOKENS, MOST_MONEY = 10**12, 1e12


class KeptAccount(Account):
    """The usage of an episode's models, stored on every change and shared by all its budgets.

    It starts from the usage in the episode's record, if nothing was counted for the episode yet.
    """

    def __init__(self, storage: Storage, episode_id: str, before: Usage) -> None:
        super().__init__()
        self._storage, self._id, self._before = storage, episode_id, before
        self.refresh()

    def refresh(self) -> None:
        """Load what other processes have counted since."""
        self.used = self._storage.budgets.use(self._id) or self._before

    def count(self, usage: Usage) -> None:
        """Add the usage of a request."""
        super().count(usage)
        self._storage.budgets.spend(self._id, usage, self._before)


# A budget keeps its account alive in memory; the counts are in the database.
_accounts: WeakValueDictionary[tuple[int, str], KeptAccount] = WeakValueDictionary()
_accounts_lock = threading.Lock()


def budget_at(
    storage: Storage, episode_id: str, episode: Episode, caps: UsageBudget, prices: Prices
) -> TokenBudget:
    """Return the budget that the caps still leave for a model with these prices."""
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
    """A table whose episode is in a database, with the budgets of its models.

    Pass the stored episode if it was just read.
    """

    def __init__(
        self, storage: Storage, episode_id: str, stored: StoredEpisode | None = None
    ) -> None:
        stored = stored or latest(storage, episode_id)
        journal = DatabaseJournal(storage, episode_id, stored.version)
        super().__init__(copy(stored.episode), journal)
        self.storage = storage
        self._entry: Entry | None = None
        self.id = episode_id

    @classmethod
    def open_new(cls, storage: Storage, start: Start, task: Any = None) -> Self:
        """Begin an episode with some choices, with the given task in place of the chosen one."""
        setup, seats = start.setup(task), start.players()
        episode = Episode.from_setup(setup)
        # So that episodes can be found by who played.
        tags = sorted({_tag(setup, *seat) for seat in seats.items()} - {""})
        for agent, player in seats.items():
            episode.apply(Seated(agent=agent, player=player, at=now()))
        return cls(storage, storage.create(episode, tags=tags))

    @property
    def entry(self) -> Entry:
        """The episode's entry in lists."""
        if self._entry is None:
            self._entry = self.storage.entry(self.id)
        return self._entry

    def refresh(self) -> bool:
        """Load what others have done at the same table; return whether there was anything."""
        changed = super().refresh()
        if changed:
            self._entry = None
        return changed

    def caps(self, visitor: str) -> UsageBudget:
        """Return the limits that a visitor has set for the episode's models."""
        return self.storage.budgets.caps(self.id, visitor) or USUAL_BUDGET

    def was_let_by(self, visitor: str) -> bool:
        """Return whether a visitor ever allowed models to be asked here, even before a restart."""
        return self.storage.budgets.caps(self.id, visitor) is not None

    def set_caps(self, visitor: str, caps: UsageBudget) -> None:
        """Set the limits for the episode's models. Past usage stays counted."""
        self.storage.budgets.set_caps(self.id, visitor, caps)

    @property
    def use(self) -> Usage:
        """Return the models' usage. Secret from seats, since it reveals how long texts are."""
        return self.storage.budgets.use(self.id) or use_in_record(self.episode)

    def budget(self, visitor: str, prices: Prices, caps: UsageBudget | None = None) -> TokenBudget:
        """Return what a visitor's limits, or the given ones, still leave for a model."""
        caps = caps or self.caps(visitor)
        return budget_at(self.storage, self.id, self.episode, caps, prices)


def _tag(setup: Setup, agent: str, player: Mapping[str, Any]) -> str:
    kind = player.get("kind")
    return scripts_for(setup, agent).title if kind == "scripted" else TAGS.get(str(kind), "")


def play_on(table: StoredTable, node: int, seat: str) -> StoredTable:
    """Begin a new episode with the moves that led to a position, and a person in a seat.

    The episode at the table is not changed. In the new one, scripted players take the seats of
    other people and of models. A PlayError says that the position has no next move, or that the
    episode is not over and so visible only to its seats.
    """
    public = table.public_episode()
    path = public.path(node)
    if path[-1].over:
        raise PlayError("The episode has ended there: choose an earlier position.")
    ends = {end.id for leaf in public.leaves if leaf.over for end in public.path(leaf.id)}
    if node not in ends:
        raise PlayError("That variation is not over: it can be played on only at its own table.")
    setup = table.episode.setup
    if setup.is_about_a_statement and seat in setup.rules.provers:
        setup = dataclasses.replace(setup, informed_provers=True)
    episode = Episode.from_setup(setup)
    for agent in setup.rules.seat_names:
        player = public.players.get(agent, {})
        if agent == seat:
            player = {**PERSON, "met_before": True}
        elif player.get("kind") not in PLAYS_HERE:
            player = scripts_for(setup, agent).record(setup.seed, agent)
        episode.apply(Seated(agent=agent, player=dict(player), at=now()))
    moved = {id(event.move): event for event in public.events if isinstance(event, Moved)}
    for position in path[1:]:
        for move in position.moves.values():
            # Moves that the rules made themselves have no event.
            episode.apply(moved.get(id(move), Moved(move=move)))
    title = f"{table.entry.title}, played on"[:200]
    storage = table.storage
    return StoredTable(storage, storage.create(episode, title=title, tags=["played on"]))
