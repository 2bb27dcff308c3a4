"""Turns, schedules, and their arithmetic.

A schedule consists of a few turns and may last for any number of rounds. So all functions work turn
by turn: the rounds of a turn are evenly spaced (:meth:`Schedule.rounds_of_turns`), so that their
first, their last and their number are known at once. Only :func:`turn_places` and
:func:`count_by_round` make a table of all rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nip_core.displays import displayed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "SILENCE",
    "Schedule",
    "Speakers",
    "Turn",
    "count_by_round",
    "rounds_from",
    "turn_places",
]

Speakers = tuple[tuple[str, str], ...]
"""Pairs (agent, channel)."""


@displayed
@dataclass(frozen=True, slots=True)
class Turn:
    """The agents and channels that speak in one round, simultaneously.

    Parameters
    ----------
    speakers : tuple of (agent, channel)
        Kept sorted and without repetitions, so that equal turns compare equal.
    """

    speakers: Speakers = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "speakers", tuple(sorted(set(self.speakers))))

    @classmethod
    def of(cls, speakers: Mapping[str, Iterable[str]]) -> Turn:
        """Make a turn from the channels that each agent writes on."""
        return cls(tuple((agent, channel) for agent, on in speakers.items() for channel in on))

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents that speak, sorted by name."""
        return tuple(dict.fromkeys(agent for agent, _ in self.speakers))

    def channels_of(self, agent: str) -> tuple[str, ...]:
        """Return the channels on which `agent` speaks, sorted by name."""
        return tuple(channel for speaker, channel in self.speakers if speaker == agent)

    def has(self, agent: str) -> bool:
        """Return whether `agent` speaks."""
        return any(speaker == agent for speaker, _ in self.speakers)


SILENCE = Turn()


@displayed
@dataclass(frozen=True, slots=True)
class Schedule:
    """The turns of all rounds: a prelude, then a repeated cycle (silence if it is empty)."""

    prelude: tuple[Turn, ...] = ()
    cycle: tuple[Turn, ...] = ()

    @property
    def written(self) -> tuple[Turn, ...]:
        """The turns of the prelude and the cycle, in order, and then silence."""
        return (*self.prelude, *self.cycle, SILENCE)

    def place(self, round_id: int) -> int:
        """Return the index in :attr:`written` of a round's turn; rounds count from 0."""
        beyond = round_id - len(self.prelude)
        if beyond < 0:
            return round_id
        return len(self.prelude) + (beyond % len(self.cycle) if self.cycle else 0)

    def turn(self, round_id: int) -> Turn:
        """Return the turn of a round, counted from 0."""
        place = self.place(round_id)
        if place < len(self.prelude):
            return self.prelude[place]
        return self.cycle[place - len(self.prelude)] if self.cycle else SILENCE

    def rounds_of_turns(self, count: int) -> Iterator[tuple[Turn, range]]:
        """Yield each turn within `count` rounds, with the rounds in which it occurs.

        The time does not depend on the number of rounds.
        """
        start = len(self.prelude)
        for round_id, turn in enumerate(self.prelude[: max(0, count)]):
            yield turn, range(round_id, round_id + 1)
        for round_id, turn in enumerate(self.cycle[: max(0, count - start)], start=start):
            yield turn, range(round_id, count, len(self.cycle))

    def rounds_of(self, agent: str, count: int) -> Iterator[range]:
        """Return the rounds within `count` in which `agent` speaks, turn by turn."""
        return (rounds for turn, rounds in self.rounds_of_turns(count) if turn.has(agent))

    def first_round(self, agent: str, count: int) -> int | None:
        """Return the first round within `count` in which `agent` speaks; None if it never does."""
        return min((rounds[0] for rounds in self.rounds_of(agent, count)), default=None)

    def count_rounds(self, agent: str, count: int) -> int:
        """Return in how many rounds within `count` an agent speaks."""
        return sum(map(len, self.rounds_of(agent, count)))

    def speaks_again(self, agent: str, count: int) -> bool:
        """Return whether `agent` speaks more than once within `count` rounds, or in the cycle."""
        if any(turn.has(agent) for turn in self.cycle):
            return True
        return sum(turn.has(agent) for turn in self.prelude[:count]) > 1


def rounds_from(rounds: range, first: int) -> range:
    """Return the evenly spaced rounds that are not before `first`."""
    return rounds[max(0, -(-(first - rounds.start) // rounds.step)) :]


def turn_places(schedule: Schedule, count: int) -> npt.NDArray[np.int64]:
    """Return :meth:`Schedule.place` of each of the first `count` rounds."""
    import numpy as np

    start, period = len(schedule.prelude), max(1, len(schedule.cycle))
    rounds = np.arange(count)
    return np.where(rounds < start, rounds, start + (rounds - start) % period)


def count_by_round(
    schedules: Sequence[Schedule], count: int, number: Callable[[Speakers], int]
) -> npt.NDArray[np.int64]:
    """Return a number for each round's speakers: ``[variant, round]``.

    Parameters
    ----------
    schedules : sequence of Schedule
    count : int
        The number of rounds.
    number : callable
        Called once for each turn of the schedule.
    """
    import numpy as np

    rows: list[Any] = [
        np.array([number(turn.speakers) for turn in schedule.written])[turn_places(schedule, count)]
        for schedule in schedules
    ]
    return np.stack(rows)
