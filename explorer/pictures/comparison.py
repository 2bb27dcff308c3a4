"""Two protocols compared cell by cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import permutations, zip_longest
from typing import TYPE_CHECKING

from explorer.pictures.aspects import (
    ASPECT,
    DIFFERS,
    QUESTION,
    side_by_side_rows,
    when_it_happens,
)
from explorer.pictures.entrance import specified
from explorer.pictures.grid import GridPart
from explorer.pictures.model import BEFORE, ProtocolGrid
from explorer.pictures.rounds import END
from explorer.pictures.rows import EVENTS, MADE, WRITES, Cell, GridRow
from nip_core.displays import brief, capitalized, join_names, line
from nip_core.language import Specification
from nip_core.registry import AnyProtocol, protocol_title

if TYPE_CHECKING:
    import pandas as pd

MOST = 4  # the most clauses of the sentence; the table has all differences
MOST_WRITTEN_OUT = 40  # turns of a protocol with stages that is compared with one of rounds
Pair = tuple[int | None, int | None]
Seeds = tuple[int | None, int | None]


class Comparison:
    """Two protocols, whose seats, rows and columns are matched with one another.

    Seats, channels and choices match by name, else by title, else if they have the same role.
    """

    def __init__(
        self,
        left: AnyProtocol | Specification,
        right: AnyProtocol | Specification,
        seeds: Seeds = (None, None),
    ) -> None:
        specs = (specified(left), specified(right))
        grids = [ProtocolGrid(spec, seed) for spec, seed in zip(specs, seeds, strict=True)]
        if len({grid.folded for grid in grids}) > 1:
            # Turn by turn if that is short enough, so that the same turns stand below each other.
            folded = max(spec.longest for spec in specs) > MOST_WRITTEN_OUT
            grids = [ProtocolGrid(s, n, folded=folded) for s, n in zip(specs, seeds, strict=True)]
        self.left, self.right = grids

    def __repr__(self) -> str:
        if "left" not in vars(self):
            return line(self)
        return line(self, *(brief(grid.spec.name) for grid in (self.left, self.right)))

    # -- matching ------------------------------------------------------------------------------

    @cached_property
    def seats(self) -> Mapping[str, str]:
        """The seats of the second protocol that match one of the first, with that one."""
        return _matched(*map(_named_seats, (self.left, self.right)))

    @cached_property
    def _names(self) -> Mapping[tuple[str, str], str]:
        """Matching parts, channels, choices and values of the second protocol, by their kind."""
        found: dict[tuple[str, str], str] = {}
        for kind in ("part", "channel", "choice", "value"):
            named = [_named(grid, kind) for grid in (self.left, self.right)]
            found |= {(kind, of): own for of, own in _matched(*named).items()}
        return found

    @cached_property
    def columns(self) -> tuple[Pair, ...]:
        """The common columns: which one of each protocol stands there, or none."""
        left, right = self.left, self.right
        pairs: list[Pair] = []
        before = [0 if g.columns[0].label == BEFORE else None for g in (left, right)]
        if before != [None, None]:
            pairs.append((before[0], before[1]))
        pairs += self._turns()
        ends = [len(g.columns) - 1 if g.columns[-1].label == END else None for g in (left, right)]
        if ends != [None, None]:
            pairs.append((ends[0], ends[1]))
        return tuple(pairs)

    def _turns(self) -> Iterator[Pair]:
        left, right = self.left, self.right
        names = [[s.name for s in g.spec.stages] if g.has_stages else [] for g in (left, right)]
        if not {*names[0]} & {*names[1]}:
            yield from zip_longest(left.turns, right.turns)
            return
        # Stages of the same name stand below each other.
        matcher = SequenceMatcher(None, *names, autojunk=False)
        for _, a, b, c, d in matcher.get_opcodes():
            for one, other in zip_longest(left.stages[a:b], right.stages[c:d], fillvalue=range(0)):
                yield from zip_longest(one, other)

    # -- marks ---------------------------------------------------------------------------------

    def parts(self, titles: tuple[str, str] = ("", "")) -> tuple[GridPart, GridPart]:
        """Return both grids with common columns, and with all differences marked."""
        left = _happenings(self.left, {seat: seat for seat in self.left.folding.seats})
        right = _happenings(self.right, self.seats, self._names)
        names = [
            title or protocol_title(grid.spec)
            for title, grid in zip(titles, (self.left, self.right), strict=True)
        ]
        one = _marked(self.left, left, right, [*self.columns], names[0])
        two = _marked(self.right, right, left, [(b, a) for a, b in self.columns], names[1])
        return one, two

    # -- in words ------------------------------------------------------------------------------

    def sentence(self, name: str) -> str:
        """Return what is different in the second protocol, which is called `name`.

        An example is ``"In debate, each prover reads the other, and prover 1 argues for reject."``
        """
        clauses = [*self._new_seats(), *self._readers(), *self._sides()]
        clauses += [*self._order(), *self._lengths()]
        if not clauses:
            clauses = ["seats speak or decide in other turns"]
        return f"In {name}, {join_names(clauses[:MOST])}."

    def _new_seats(self) -> Iterator[str]:
        left, right = self.left.folding, self.right.folding
        gone = [left.phrase(seat) for seat in left.seats if seat not in self.seats.values()]
        new = [right.phrase(seat) for seat in right.seats if seat not in self.seats]
        if gone and new:
            take = "take" if len(new) > 1 else "takes"
            yield f"{join_names(new)} {take} the place of {join_names(gone)}"
            return
        if gone:
            yield f"{join_names(gone)} {'take' if len(gone) > 1 else 'takes'} no part"
        if new:
            yield f"{join_names(new)} {'take' if len(new) > 1 else 'takes'} part as well"

    def _speakers(self) -> list[str]:
        """Return the seats of the second protocol that both have and that do not decide."""
        deciders = self.right.spec.roles.deciders
        return [s for s in self.right.folding.seats if s in self.seats and s not in deciders]

    def _readers(self) -> Iterator[str]:
        before = _reads(self.left)
        after = {
            (self.seats[one], self.seats[other])
            for one, other in _reads(self.right)
            if one in self.seats and other in self.seats
        }
        seats = self.right.spec
        back = {own: seat for seat, own in self.seats.items()}
        before = {pair for pair in before if {*pair} <= back.keys()}
        group = [self.seats[seat] for seat in self._speakers()]
        among = {*permutations(group, 2)}
        stem = seats.seat_name(back[group[0]]).rpartition(" ")[0].lower() if group else ""
        for changed, each, one in (
            (after - before, f"each {stem or 'seat'} reads the other", "reads"),
            (before - after, f"neither {stem or 'seat'} reads the other", "does not read"),
        ):
            if len(group) == 2 and among <= changed:
                yield each
                changed = changed - among
            for reader, writer in sorted(changed):
                phrase = seats.seat_phrase
                yield f"{phrase(back[reader])} {one} {phrase(back[writer])}"

    def _sides(self) -> Iterator[str]:
        for seat, own in self.seats.items():
            before, after = (
                grid.words.side(side) if (side := grid.spec.roles.sides.get(name)) else None
                for grid, name in ((self.left, own), (self.right, seat))
            )
            if before != after:
                yield f"{self.right.spec.seat_phrase(seat)} argues for {after or 'neither side'}"

    def _order(self) -> Iterator[str]:
        group = self._speakers()
        before = _at_once(self.left, [self.seats[seat] for seat in group])
        after = _at_once(self.right, group)
        if None not in (before, after) and before != after:
            names = {self.right.spec.seat_name(seat).rpartition(" ")[0] for seat in group}
            who = names.pop().lower() + "s" if len(names) == 1 and "" not in names else "seats"
            yield f"the {who} answer " + ("at once" if after else "one after the other")

    def _lengths(self) -> Iterator[str]:
        before, after = self.left.spec.longest, self.right.spec.longest
        if before != after:
            yield f"it takes at most {after} turn{'s' if after > 1 else ''} instead of {before}"
        first = [_late_verdict(grid) for grid in (self.left, self.right)]
        if first[0] != first[1]:
            yield f"a verdict may be given from turn {first[1]} on"

    def rows(self) -> list[dict[str, str | bool]]:
        """Return all differences and what is alike, as plain rows: answers, then cells."""
        rows = side_by_side_rows([self.left.spec, self.right.spec])
        heads = [key for key in rows[0] if key not in (QUESTION, ASPECT, DIFFERS)]
        parts = self.parts()
        whens: dict[str, list[str]] = {}
        for place, part in enumerate(parts):
            for row, differs in zip(part.rows, part.differs, strict=True):
                if any(differs):
                    what = whens.setdefault(self._row_name(part.grid, row), ["in no turn"] * 2)
                    what[place] = when_it_happens(part.grid, row)
        rows += [
            {QUESTION: "When", ASPECT: what, **dict(zip(heads, when, strict=True)), DIFFERS: True}
            for what, when in whens.items()
        ]
        return rows

    def _row_name(self, grid: ProtocolGrid, row: GridRow) -> str:
        """Return what a row is about, by its names in the first protocol if it has them."""
        spec, shown, who, of = grid.spec, grid.folding, row.who, row.of
        kind = "choice" if row.kind == "verdict" else row.kind
        if grid is self.right and (kind, of) in self._names:
            of = self._names[kind, of]
            spec, shown, who = self.left.spec, self.left.folding, self.seats.get(who, "")
        name = ""
        if row.who:
            name = shown.title(who) if who in spec.seat_names else grid.looks[row.who].name
        if row.kind == "channel":
            return f"{name} writes on {capitalized(shown.title(of))}"
        if row.kind == "part":
            return f"{shown.title(of)} is seen"
        return f"{name} may decide" if row.kind == "verdict" else f"{name}: {shown.title(of)}"


def _named_seats(grid: ProtocolGrid) -> list[tuple[str, str, str]]:
    deciders, shown = grid.spec.roles.deciders, grid.folding
    role = "decides" if len(deciders) == 1 else ""
    return [(s, shown.stem(s), role if s in deciders else "") for s in shown.seats]


def _named(grid: ProtocolGrid, kind: str) -> list[tuple[str, str, str]]:
    """Return the name, the title and the role of everything of a kind."""
    spec = grid.spec
    things = {
        "part": spec.parts,
        "channel": spec.channels,
        "choice": spec.choices,
        "value": spec.values,
    }[kind]
    roles = {spec.roles.truth: "truth"}
    if len(spec.roles.verdict) == 1:
        roles[spec.roles.verdict[0]] = "verdict"
    only = "only" if kind == "channel" and len(things) == 1 else ""
    return [
        (thing.name, grid.folding.stem(thing.name), roles.get(thing.name, "") or only)
        for thing in grid.folding.among(things)
    ]


def _matched(
    left: Iterable[tuple[str, str, str]], right: Sequence[tuple[str, str, str]]
) -> dict[str, str]:
    """Return for each name on the right the one on the left that matches: name, title or role."""
    found: dict[str, str] = {}
    for by in range(3):
        known = {own[by]: own[0] for own in left if own[0] not in found.values()}
        for own in right:
            if own[0] not in found and own[by] and own[by] in known:
                found[own[0]] = known.pop(own[by])
    return found


Key = tuple[str, str, str]


def _happenings(
    grid: ProtocolGrid,
    seats: Mapping[str, str],
    names: Mapping[tuple[str, str], str] | None = None,
) -> dict[Key, tuple[GridRow, list[object]]]:
    """Return the rows by what they are called in the first protocol, with what happens in cells."""
    found: dict[Key, tuple[GridRow, list[object]]] = {}
    for row in grid.rows:
        kind = "choice" if row.kind == "verdict" else row.kind
        of = row.of if names is None else names.get((kind, row.of), f"other {row.of}")
        who = row.who
        if who in grid.spec.seat_names:
            who = seats.get(who, f"other {who}")
        made: dict[int, object] = {}
        cells: list[object] = []
        for cell in row.cells:
            if id(cell) not in made:
                # A value that is worked out in another way is another one.
                how = row.note if row.kind == "value" else ""
                made[id(cell)] = _happens(cell, seats, how)
            cells.append(made[id(cell)])
        found[kind, of, who] = (row, cells)
    return found


def _happens(cell: Cell, seats: Mapping[str, str], how: str = "") -> object:
    """Return what happens in a cell; None if nothing does."""
    seers = None
    if cell.seats is not None:
        seers = frozenset(seats.get(seat, f"other {seat}") for seat in cell.seats)
    if cell.state in MADE:
        return "made", how, cell.chance, seers
    if cell.state in (*EVENTS, "sees"):
        return cell.state, cell.chance, seers
    return seers


def _marked(
    grid: ProtocolGrid,
    own: Mapping[Key, tuple[GridRow, list[object]]],
    other: Mapping[Key, tuple[GridRow, list[object]]],
    columns: Sequence[Pair],
    title: str,
) -> GridPart:
    there = {mine: theirs for mine, theirs in columns if mine is not None}
    rows: list[GridRow] = []
    differs: list[tuple[bool, ...]] = []
    odd: list[bool] = []
    for key, (row, cells) in own.items():
        twin = other.get(key)
        marks: list[bool] = []
        for at, happens in enumerate(cells):
            theirs = there[at]
            if twin is None or theirs is None:
                # What seats see all the time is nothing new there.
                marks.append(row.cells[at].state in EVENTS)
            else:
                marks.append(happens != twin[1][theirs])
        rows.append(row)
        differs.append(tuple(marks))
        odd.append(twin is None or row.is_blind != twin[0].is_blind)
    places = tuple(mine for mine, _ in columns)
    return GridPart(grid, tuple(rows), title, places, tuple(differs), tuple(odd))


def _reads(grid: ProtocolGrid) -> set[tuple[str, str]]:
    """Return the pairs of a reader and a writing seat."""
    found: set[tuple[str, str]] = set()
    for row in grid.rows:
        if row.kind == "channel":
            stages = {
                grid.columns[at].stage for at, cell in enumerate(row.cells) if cell.state in WRITES
            }
            for stage in stages:
                found |= {(seat, row.who) for seat in grid.readers_of(row.of, row.who, stage)}
    return found


def _at_once(grid: ProtocolGrid, seats: Sequence[str]) -> bool | None:
    """Return whether seats ever write in the same turn; None if there are fewer than two."""
    turns: dict[str, set[int]] = {}
    for row in grid.rows:
        if row.kind == "channel" and row.who in seats:
            spoken = {at for at, cell in enumerate(row.cells) if cell.state in WRITES}
            turns[row.who] = turns.get(row.who, set()) | spoken
    if len(turns) < 2:
        return None
    first, *others = turns.values()
    return bool(first.intersection(*others))


def _late_verdict(grid: ProtocolGrid) -> int:
    """Return the first turn in which rounds may end by a verdict; 1 unless that has to wait."""
    states = [cell.state for row in grid.rows if row.kind == "verdict" for cell in row.cells]
    return states.index("decides") + 1 if "early" in states else 1


def differences(
    left: AnyProtocol | Specification,
    right: AnyProtocol | Specification,
    *,
    seeds: Seeds = (None, None),
) -> pd.DataFrame:
    """Return the differences between two protocols in words; none if they are equal.

    It has the columns of :func:`side_by_side`: the answers that differ, and then the rows of the
    grid in which something else happens, with the turns in which something does.
    """
    import pandas as pd

    rows = Comparison(left, right, seeds).rows()
    return pd.DataFrame([row for row in rows if row[DIFFERS]], columns=[*rows[0]])
