"""The wall between two seats of a protocol: whether it stands, and its entry in a link."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from explorer.drawing.facts import reads_of
from nip_core.displays import displayed
from nip_core.language import Specification

__all__ = ["WALL", "Wall"]

WALL = "wall"  # the entry of a link
UP, DOWN = "up", "down"


@displayed
@dataclass(frozen=True, slots=True)
class Wall:
    """A wall between two seats that is to be put up or taken down.

    Parameters
    ----------
    one, other : str
    closed : bool
        Whether neither is to read what the other writes.
    """

    one: str
    other: str
    closed: bool

    @classmethod
    def of(cls, spec: Specification) -> Wall | None:
        """Return what can be changed most tellingly in a protocol: between two who do not decide.

        None if no two seats could read each other.
        """
        reads = reads_of(spec)
        members = {member for family in spec.families for member in family.members}
        seats = [seat for seat in spec.seat_names if seat not in members]
        pairs = [(a, b) for a, b in combinations(seats, 2) if reads[a][b][1] and reads[b][a][1]]
        if not pairs:
            return None
        deciders = spec.roles.deciders
        one, other = min(pairs, key=lambda pair: len({*pair}.intersection(deciders)))
        stands = not (reads[one][other][0] or reads[other][one][0])
        return cls(one, other, closed=not stands)

    @property
    def entry(self) -> str:
        """Return it as an entry of a link."""
        return f"{self.one}.{self.other}.{UP if self.closed else DOWN}"

    @classmethod
    def read(cls, entry: str) -> Wall | None:
        """Return what an entry of a link says; None if it says nothing that is known."""
        one, _, rest = entry.partition(".")
        other, _, way = rest.partition(".")
        return cls(one, other, way == UP) if one and other and way in (UP, DOWN) else None
