"""The card of a protocol: what it is worth, in the same eight lines for every protocol.

Each line says its model in a sentence, and each number says how it was found: exactly, as an
interval, or not at all, with the reason.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

from nip_core.budget import Budget
from nip_core.displays import Table, Tabular, line
from nip_core.errors import NipError
from nip_core.language import Specification
from nip_core.values.abstraction import abstracted
from nip_core.values.card_lines import CARD_LINES, lines_of
from nip_core.values.checks import Kind, checked, instance, optional, refuse
from nip_core.values.evidence import Evidence
from nip_core.values.honesty import Honesty, Limits, NotComputedError
from nip_core.values.readings import CardLine, Reading
from nip_core.values.replies import MOST_MOVES
from nip_core.values.solving import LIMITS

__all__ = ["Card", "best_pay", "card", "cards"]


@dataclass(frozen=True)
class Card(Tabular):
    """What a protocol is worth.

    Parameters
    ----------
    name : str
    digest : str
        Of the protocol's document, as in transcripts of version 2.
    evidence : Evidence
    lines : tuple of CardLine
    """

    name: str
    digest: str
    evidence: Evidence
    lines: tuple[CardLine, ...]

    def __repr__(self) -> str:
        return line(
            self, self.name, *(f"{one.title}: {one.readings[0].said}" for one in self.lines)
        )

    def __getitem__(self, key: str) -> CardLine:
        """Return a line."""
        return next(one for one in self.lines if one.key == key)

    def reading(self, key: str, what: str, judge: str = "") -> Reading:
        """Return a number of a line."""
        return next(r for r in self[key].readings if (r.what, r.judge) == (what, judge))

    def table(self) -> Table:
        """Return all numbers, line by line."""
        rows = [
            (one.title if not number else "", reading.judge, reading.what, reading.said)
            for one in self.lines
            for number, reading in enumerate(one.readings)
        ]
        return Table(("line", "judge", "what", "value"), rows)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        evidence = {
            name: value if isinstance(value, bool) else str(value)
            for name, value in vars(self.evidence).items()
        }
        return {
            "protocol": self.name,
            "digest": self.digest,
            "evidence": evidence,
            "lines": [
                {
                    "key": one.key,
                    "title": one.title,
                    "sentence": one.sentence,
                    "readings": [reading.to_dict() for reading in one.readings],
                }
                for one in self.lines
            ],
        }


def _keys(name: str, value: Any) -> None:
    if (
        not isinstance(value, Collection)
        or not value
        or not all(key in CARD_LINES for key in cast("Collection[object]", value))
    ):
        refuse(name, value, f"keys of lines: {', '.join(CARD_LINES)}")


_ARGUMENTS: dict[str, Kind] = {
    "document": instance(Specification, "a Specification"),
    "evidence": optional(instance(Evidence, "an Evidence")),
    "keys": _keys,
    **LIMITS,
}


@checked(**_ARGUMENTS)
def card(
    document: Specification,
    evidence: Evidence | None = None,
    *,
    seconds: float | None = None,
    most: int | None = None,
    cancelled: threading.Event | None = None,
    keys: Collection[str] = tuple(CARD_LINES),
) -> Card:
    """Return what a protocol is worth.

    Parameters
    ----------
    document : Specification
    evidence : Evidence, optional
        How well messages inform; by default ``Evidence()``.
    seconds : float, optional
        The time that the whole card may take.
    most : int, optional
        The most steps of each computation.
    cancelled : threading.Event, optional
        Another thread sets it to end the work; what is missing then says so.
    keys : collection of str
        Those of the lines that are wanted; by default all.
    """
    limits: dict[str, Any] = {"seconds": seconds, "most": most, "cancelled": cancelled}
    *_, whole = cards(document, evidence, keys=keys, **limits)
    return whole


@checked(**_ARGUMENTS)
def cards(
    document: Specification,
    evidence: Evidence | None = None,
    *,
    seconds: float | None = None,
    most: int | None = None,
    cancelled: threading.Event | None = None,
    keys: Collection[str] = tuple(CARD_LINES),
) -> Iterator[Card]:
    """Yield a protocol's card after each of its lines; the arguments are those of :func:`card`."""
    # No line may take the time of all others.
    share = None if seconds is None else max(0.01, round(seconds / 3, 2))
    game = abstracted(document, evidence)
    lines = lines_of(game, Limits(share, MOST_MOVES if most is None else most, cancelled), keys)
    found = Card(document.name, document.digest, game.evidence, ())
    left = seconds
    while True:
        # What is done with a card between two lines does not count.
        with Budget(seconds=left, cancelled=cancelled) as budget:
            new = next(lines, None)
            left = budget.seconds_left
        if new is None:
            return
        found = replace(found, lines=(*found.lines, new))
        yield found


@checked(
    document=instance(Specification, "a Specification"),
    evidence=optional(instance(Evidence, "an Evidence")),
    seconds=LIMITS["seconds"],
)
def best_pay(
    document: Specification,
    evidence: Evidence | None = None,
    *,
    seconds: float | None = None,
) -> Mapping[str, Fraction]:
    """Return what the best reply of each seat to honest play of all others is paid on average.

    Judges count only evidence that is shown. Seats are missing that are not paid, that neither
    judge nor know what is true, or whose best reply takes longer than `seconds`.
    """
    game = abstracted(document, evidence)
    paid = {seat for pay in document.pay for seat, _ in pay.to}
    found: dict[str, Fraction] = {}
    if game.reason or game.unsaid:
        return found
    play = Honesty(game, trusting=False, limits=Limits(seconds))
    for seat in dict.fromkeys((*game.judges, *game.knowing)):
        with suppress(NotComputedError, NipError):
            reply = play.reply(seat) if seat in paid else None
            if reply is not None and reply.exact and reply.low is not None:
                found[seat] = reply.low
    return found
