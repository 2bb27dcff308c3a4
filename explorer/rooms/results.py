"""The results of a room after the truth is revealed: outcomes, and conditions compared."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from explorer.choice import ProtocolChoice
from explorer.play import watched
from explorer.rooms.errors import NotNowError
from explorer.rooms.plan import RoomCondition
from explorer.rooms.room import Room, RoomTable
from explorer.rooms.seating import is_counted, seats_of_bots
from explorer.rooms.tables import episode_at
from nip_core.displays import displayed
from nip_core.play import Episode
from nip_core.tasks import VERDICTS
from nip_core.values import (
    betting_mean,
    bootstrap_ends,
    play_values,
    student_quantile,
)


@displayed
@dataclass(frozen=True, slots=True)
class TableOutcome:
    """The outcome of a table's episode."""

    turn: int  # turns and tables count from 1
    table: int
    condition: str
    task: str  # its id; a task's two variants have different ids
    title: str
    y: int  # whether the statement holds; -1 if the task is about something else
    decision: int | None  # the verdict, if it is to reject or accept; None without one
    rounds: int  # how many turns were played
    bots: tuple[str, ...]  # the agents for whom a bot has moved in a seat meant for somebody else
    counted: bool  # whether it counts in the room's result; see `is_counted`
    episode_id: str
    right: bool | None = None  # None without a verdict, or if the task has no truth
    paid: float = 0.0  # the pay of the deciding seat

    @property
    def hit(self) -> bool:
        """Return whether it counts towards the rate: a false statement accepted, else right."""
        return self.right is True if self.y < 0 else self.decision == 1


def revealed_tables(room: Room, visitor: str) -> list[tuple[RoomTable, Episode]]:
    """Return the tables and episodes of all revealed tasks, for everybody to look at.

    Tables that were ended before their episode was over are left out.
    """
    if room.plan.gallery == "none" and not room.leads(visitor) and not room.persons_of(visitor):
        raise NotNowError("This room has no gallery. Ask the facilitator.")
    if not room.state.get("revealed"):
        raise NotNowError("The gallery opens once the facilitator has revealed the truth.")
    return revealed_episodes(room)


def outcomes(room: Room) -> list[TableOutcome]:
    """Return the outcomes of all revealed episodes, also of those that do not count."""
    return [_outcome(room, *played) for played in revealed_episodes(room)]


def revealed_episodes(room: Room) -> list[tuple[RoomTable, Episode]]:
    """Return the tables and episodes of all revealed tasks, whoever may look at them."""
    revealed: list[tuple[RoomTable, Episode]] = []
    for table in room.everything:
        if table.episode_id is not None and room.is_revealed(table.turn):
            episode = episode_at(room, table.episode_id)
            if episode.over:
                revealed.append((table, episode.finished()))
    return revealed


def _outcome(room: Room, table: RoomTable, episode: Episode) -> TableOutcome:
    bots, result = seats_of_bots(room, table, episode), episode.result()
    rules, task = episode.rules, episode.task
    truth = result.choices.get(rules.roles.truth or "")
    return TableOutcome(
        turn=table.turn,
        table=table.number,
        condition=table.condition,
        task=task.id,
        title=task.title or task.id,
        y=VERDICTS.index(str(truth)) if rules.roles.on_statement and truth else -1,
        decision=result.decision,
        rounds=episode.node.round,
        bots=bots,
        counted=is_counted(room, bots),
        episode_id=table.episode_id or "",
        right=result.right,
        paid=result.totals[watched(rules)],
    )


# The soundness condition of interactive proofs: whatever the provers do, a false statement is
# accepted with at most this probability.
SOUND = 1 / 3


@displayed
@dataclass(frozen=True, slots=True)
class Reference:
    """A rate for comparison."""

    kind: str
    rate: float
    says: str  # what it is, in a clause


def references(condition: RoomCondition) -> tuple[Reference, ...]:
    """Return the rates to which a condition's rate is compared."""
    if not condition.rules.roles.on_statement:
        return ()
    by_chance = _by_chance(condition.choice)
    return (
        Reference(
            "theory",
            SOUND,
            "What theory asks of a sound proof system: no prover, however clever, gets more than "
            "this share of false statements accepted",
        ),
        *(
            ()
            if by_chance is None
            else [Reference("chance", by_chance, "The exact share accepted by chance alone")]
        ),
    )


SECONDS = 5.0


@lru_cache(maxsize=64)
def _by_chance(choice: ProtocolChoice) -> float | None:
    """Return how often a verifier accepts who decides at random, if that can be computed."""
    values = play_values(choice.rules, seconds=SECONDS)
    return float(values.verdicts.get("accept", 0)) if values.exact else None


@displayed
@dataclass(frozen=True, slots=True)
class RightCount:
    """How often a condition's verdicts were right."""

    condition: str
    right: int
    wrong: int
    undecided: int
    paid: float | None  # the mean pay of the deciding seat; None without a table
    tables: int  # the number of different tables

    @property
    def played(self) -> int:
        """Return the number of episodes."""
        return self.right + self.wrong + self.undecided


def right_counts(outcomes: Sequence[TableOutcome], conditions: Sequence[str]) -> list[RightCount]:
    """Return how many verdicts were right, in the order of the conditions."""
    found: list[RightCount] = []
    for condition in conditions:
        here = [outcome for outcome in outcomes if outcome.condition == condition]
        right, wrong = (sum(outcome.right is truth for outcome in here) for truth in (True, False))
        paid = sum(outcome.paid for outcome in here) / len(here) if here else None
        tables = len({outcome.table for outcome in here})
        found.append(RightCount(condition, right, wrong, len(here) - right - wrong, paid, tables))
    return found


LEVEL = 0.95
RESAMPLES = 4_000


def _fewest(freedom: Callable[[int], float]) -> int:
    """Return how many clusters an interval needs to be able to exclude "no difference".

    The clearest result with any spread has one of `n` clusters on the other side. Then the
    difference is 1 - 1/n and its standard error 1/n, so the interval excludes 0 if n - 1 is above
    Student's quantile.
    """
    return next(n for n in count(2) if n - 1 > student_quantile(LEVEL, freedom(n)))


@lru_cache(1)
def fewest_each() -> int:
    """Return how many tables each of two conditions needs, so that they can be compared."""
    return _fewest(lambda tables: 2 * tables - 2)


@lru_cache(1)
def fewest_tasks() -> int:
    """Return how many tasks a comparison of two conditions needs."""
    return _fewest(lambda tasks: tasks - 1)


Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Count:
    """A condition's verdicts on false statements."""

    condition: str
    accepted: int  # false acceptances
    rejected: int
    undecided: int
    tables: int  # how many different ones, as of tasks
    tasks: int

    @property
    def played(self) -> int:
        """Return the number of episodes that the rate is based on."""
        return self.accepted + self.rejected + self.undecided

    @property
    def rate(self) -> float | None:
        """Return the false-acceptance rate against these provers; None without episodes."""
        return self.accepted / self.played if self.played else None


@displayed
@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between two conditions' rates of false acceptance, or of right verdicts."""

    first: str
    second: str
    # The second's rate minus the first's; None if there is too little data for an interval.
    value: float | None
    # A 95% confidence interval; None if all outcomes of each condition were the same.
    low: float | None = None
    high: float | None = None
    why_not: str = ""  # a sentence that says why there is no interval; empty if there is one
    left_out: int = 0  # the episodes whose task the other condition has not played as often


def counts(outcomes: Iterable[TableOutcome], conditions: Sequence[str]) -> list[Count]:
    """Return each condition's verdicts on false statements, in the order of the conditions."""
    false = [outcome for outcome in outcomes if outcome.y == 0]
    counts: list[Count] = []
    for condition in conditions:
        here = [outcome for outcome in false if outcome.condition == condition]
        accepted = sum(outcome.decision == 1 for outcome in here)
        rejected = sum(outcome.decision == 0 for outcome in here)
        counts.append(
            Count(
                condition,
                accepted,
                rejected,
                len(here) - accepted - rejected,
                len({outcome.table for outcome in here}),
                len({outcome.task for outcome in here}),
            )
        )
    return counts


def difference(
    outcomes: Iterable[TableOutcome], first: str, second: str, *, seed: int = 0
) -> Difference:
    """Return the difference of two conditions' rates, with an interval, if there is enough data.

    The rates are of accepted statements among false ones; of right verdicts, if one of the
    conditions is not about statements. Compared are episodes with the same task in the same round.
    The seed is the bootstrap's: equal outcomes give equal intervals.
    """
    of_both = [outcome for outcome in outcomes if outcome.condition in (first, second)]
    if any(outcome.y < 0 for outcome in of_both):
        of_both = [replace(outcome, y=-1) for outcome in of_both]
    false = [outcome for outcome in of_both if outcome.y <= 0]
    some = _matched(false, first, second)
    left_out = len(false) - len(some)
    tables = [
        {outcome.table for outcome in some if outcome.condition == name} for name in (first, second)
    ]
    tasks, fewest = len({outcome.task for outcome in some}), min(map(len, tables))
    for what, known, least in (
        ("tables", 2 * fewest, 2 * fewest_each()),
        ("tasks", tasks, fewest_tasks()),
    ):
        if known < least:
            why_not = f"Too few {what} to compare: {known} so far, at least {least}."
            return Difference(first, second, None, why_not=why_not, left_out=left_out)
    rates = {
        name: np.mean([outcome.hit for outcome in some if outcome.condition == name])
        for name in (first, second)
    }
    value = float(rates[second] - rates[first])
    drawn = _interval(tuple(some), second, seed)
    if drawn is None:
        why_not = (
            "All tables and tasks of a condition had the same outcome, so nothing shows how much "
            "others would differ: an interval would mislead."
        )
        return Difference(first, second, value, why_not=why_not, left_out=left_out)
    return Difference(first, second, value, *drawn, left_out=left_out)


def _matched(outcomes: Sequence[TableOutcome], first: str, second: str) -> list[TableOutcome]:
    """Return the outcomes without those whose task the other condition played less often.

    The tables of a block play the same tasks, but some may be missing or not count. Of several
    tables that play a task in a round, those with the lowest numbers are kept.
    """
    alike: defaultdict[tuple[int, str], dict[str, list[TableOutcome]]] = defaultdict(
        lambda: {first: [], second: []}
    )
    for outcome in sorted(outcomes, key=lambda outcome: outcome.table):
        alike[outcome.turn, outcome.task][outcome.condition].append(outcome)
    return [
        outcome
        for sides in alike.values()
        for pair in zip(*sides.values(), strict=False)
        for outcome in pair
    ]


def least_error(
    outcomes: Iterable[TableOutcome], condition: str, *, level: float = LEVEL
) -> float | None:
    """Return a lower bound, at a confidence level, on a condition's soundness error.

    Outcomes about true statements are ignored. With too few tables there is no bound.
    """
    # Each end of a two-sided interval is wrong half as often as the interval.
    hits = [
        (outcome.condition, outcome.table, outcome.decision == 1)
        for outcome in outcomes
        if outcome.y == 0
    ]
    found = _by_table(hits, condition, 2 * level - 1)
    return None if found is None else found[0]


def right_interval(
    outcomes: Iterable[TableOutcome], condition: str, *, level: float = LEVEL
) -> tuple[float, float] | None:
    """Return a confidence interval for how often a condition's verdicts are right.

    A table counts once, with its share. With too few tables there is no interval.
    """
    hits = [(outcome.condition, outcome.table, outcome.right is True) for outcome in outcomes]
    return _by_table(hits, condition, level)


def _by_table(
    outcomes: Sequence[tuple[str, int, bool]], condition: str, level: float
) -> tuple[float, float] | None:
    """Return an interval for a condition's rate of hits; an outcome is a condition, table, hit."""
    at: dict[int, list[bool]] = {}
    for name, table, hit in outcomes:
        if name == condition:
            at.setdefault(table, []).append(hit)
    if len(at) < fewest_each() or len({table for _, table, _ in outcomes}) < 2 * fewest_each():
        return None
    shares = np.array([sum(hits) / len(hits) for hits in at.values()])
    return betting_mean(shares, np.ones(len(shares)), 0, 1, level)


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Episodes as parallel arrays: accepted or not, condition, table and task."""

    accepted: Floats
    second: npt.NDArray[np.bool_]
    table: npt.NDArray[np.intp]
    task: npt.NDArray[np.intp]

    @classmethod
    def of(cls, outcomes: Sequence[TableOutcome], second: str) -> _Table:
        return cls(
            np.array([outcome.hit for outcome in outcomes], dtype=float),
            np.array([outcome.condition == second for outcome in outcomes]),
            # A table that changes its condition counts once in each.
            _places([(outcome.condition == second, outcome.table) for outcome in outcomes]),
            _places([outcome.task for outcome in outcomes]),
        )


def _places(names: Sequence[Any]) -> npt.NDArray[np.intp]:
    known = {name: place for place, name in enumerate(sorted(set(names)))}
    return np.array([known[name] for name in names], dtype=np.intp)


# Cached, since everybody in a room looks at the same result at once.
@lru_cache(64)
def _interval(
    outcomes: tuple[TableOutcome, ...], second: str, seed: int
) -> tuple[float, float] | None:
    table = _Table.of(outcomes, second)
    rng = np.random.default_rng(seed)
    # The condition of each table and of each episode.
    sides: npt.NDArray[np.bool_] = np.zeros(int(table.table.max()) + 1, dtype=np.bool_)
    sides[table.table] = table.second
    kinds = int(table.task.max()) + 1
    tables = _draws(rng, sides)[:, table.table]
    tasks = _draws(rng, np.zeros(kinds, dtype=np.bool_))[:, table.task]
    both = _differences(table, tables * tasks)
    groups = int(sides.sum()), int((~sides).sum())
    of_tables = _variance(_differences(table, tables)) * min(groups) / (min(groups) - 1)
    of_tasks = _variance(_differences(table, tasks)) * kinds / (kinds - 1)
    of_episodes = _variance(_differences(table, _draws(rng, table.second)))
    wanted = max(of_tables + of_tasks - of_episodes, of_tables, of_tasks)
    if not wanted or len(both) < RESAMPLES / 2:
        return None
    pulled = (both - both.mean()) * math.sqrt(wanted / _variance(both))
    freedom = (of_tables + of_tasks) ** 2 / (
        of_tables**2 / (sum(groups) - 2) + of_tasks**2 / (kinds - 1)
    )
    low, high = bootstrap_ends(pulled, student_quantile(LEVEL, freedom))
    value = float(_differences(table)[0])
    return max(-1.0, low + value), min(1.0, high + value)


def _draws(rng: np.random.Generator, sides: npt.NDArray[np.bool_]) -> Floats:
    """Return how often each is drawn per resample, within its condition so that none is empty."""
    drawn = np.zeros((RESAMPLES, len(sides)))
    for side in (False, True):
        places = np.flatnonzero(sides == side)
        if size := len(places):
            drawn[:, places] = rng.multinomial(size, np.full(size, 1 / size), RESAMPLES)
    return drawn


def _differences(table: _Table, weights: Floats | None = None) -> Floats:
    """Return the second's rate minus the first's per row of weights, where both have episodes."""
    rows = np.ones((1, len(table.accepted))) if weights is None else weights
    with np.errstate(invalid="ignore"):
        second, first = (
            (rows[:, here] @ table.accepted[here]) / rows[:, here].sum(axis=1)
            for here in (table.second, ~table.second)
        )
    differences = second - first
    return differences[np.isfinite(differences)]


def _variance(values: Floats) -> float:
    return float(values.var()) if len(values) else 0.0
