"""What readers of other people's debates share: messages to replay, their limits, and a side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count

from nip_core.language import Specification
from nip_core.language.data import Limit
from nip_core.play import Episode
from nip_core.play.legal import measure

__all__ = ["NOTHING", "Said", "begun_for", "widened"]

# Nobody may write an empty message here; in some files, a message is empty.
NOTHING = "(nothing)"


@dataclass(frozen=True, slots=True)
class Said:
    """A message as it is replayed."""

    seat: str
    text: str
    choices: Mapping[str, int | str]


def widened(
    spec: Specification,
    moves: Iterable[Said],
    allowed: Callable[[Limit], int | None],
    note: Callable[[str], None],
) -> tuple[Limit, ...]:
    """Return the limits of a file's rules, as wide as its messages; note what exceeds the rules.

    Parameters
    ----------
    spec : Specification
    moves : iterable of Said
    allowed : callable
        Returns what the file's rules allowed for a limit; None if there was none.
    note : callable
        Called with a sentence about each limit that was exceeded.
    """
    said, limits = list(moves), list[Limit]()
    for limit in spec.limits:
        most = allowed(limit)
        if most is None:
            continue
        lengths = [measure(limit, each.text) for each in said if each.seat == limit.seat]
        if (longest := max(lengths, default=0)) > most:
            seat = spec.seat_name(limit.seat)
            note(f"{seat} wrote {longest} {limit.of}; the rules allowed {most}.")
        limits.append(replace(limit, most=max(most, longest)))
    return tuple(limits)


def begun_for(spec: Specification, task: Mapping[str, str], side: str | None) -> Episode:
    """Begin an episode in which chance has given the consultant the side of the file."""
    if side is None:
        return Episode(spec, task)
    episodes = (Episode(spec, task, seed=seed) for seed in count())
    return next(each for each in episodes if each.chosen()["side"] == side)
