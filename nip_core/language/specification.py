"""A protocol of version 2 as frozen, self-validating data."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import Any, Self

from nip_core.budget import for_document
from nip_core.displays import Table, Tabular, brief, line
from nip_core.documents import canonical, parse_json, parse_toml, plain_copy
from nip_core.errors import SpecError, show
from nip_core.language.data import ALWAYS, END, NEVER, START, Act
from nip_core.language.document import FORMAT, SPECIFICATION, dump, load, parsed
from nip_core.language.machine import Machine
from nip_core.language.remarks import lint
from nip_core.language.roles import Roles, roles_of
from nip_core.language.structure import Structure
from nip_core.language.validation import validate
from nip_core.spec import Remark

__all__ = ["Specification"]


@dataclass(frozen=True, repr=False)
class Specification(Structure, Tabular):
    """A complete protocol of version 2.

    Parameters
    ----------
    name : str
    seats : tuple of Seat
    channels : tuple of Channel
    choices : tuple of Choice
    stages : tuple of Stage
        Play goes through them in order; guards lead forward only, so every play ends.
    verdict : str
        An expression: the verdict at the end.
    parts : tuple of Part
    pay : tuple of Pay
    limits : tuple of Limit
    settings : tuple of (name, Fraction)
        Numbers that can be changed without changing anything else.
    stated_roles : StatedRoles
        What its document says about the meaning of choices and seats.
    titles : tuple of (name, title)
        Names for people of parts, channels, choices, values, options, stages and settings.
    values : tuple of ComputedValue
        What the rules work out.
    labels : tuple of str
        Words that expressions may have as values, although they are options of no choice.
    families : tuple of Family
        What there are several of, with the names of all.
    written_out : bool
        Whether it was written out from something shorter: with families, or with ``for``.
    short : str
        Its document as JSON, in the shorter form, if it has one.
    title : str
        The protocol's name for people.
    source : str
        The publication, for people.
    family : str
        The family of protocols that it belongs to, for people: "Debates".
    about : str
        What it is for and what was found with it, for people.
    simplified : str
        Differences from the publication, and our own choices, with reasons; for people.
    """

    def __post_init__(self) -> None:
        with for_document() as budget:
            before = budget.spent
            validate(self)
        vars(self)["_steps"] = budget.spent - before

    # Many results are remembered by specification, and hashing all of its parts takes longer than
    # most look-ups.
    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()

    def __getstate__(self) -> dict[str, Any]:
        # Without what was worked out: in another process, texts have other hashes.
        kept = {field.name for field in dataclasses.fields(self)} | {"_steps"}
        return {name: value for name, value in vars(self).items() if name in kept}

    @property
    def steps(self) -> int:
        """How many steps it took to check this; see :mod:`nip_core.budget`."""
        return vars(self)["_steps"]

    @cached_property
    def roles(self) -> Roles:
        """What its choices and seats mean: the truth, the verdict, who argues for what."""
        return roles_of(self)

    @cached_property
    def provers(self) -> tuple[str, ...]:
        """The seats that do not decide, in order."""
        return tuple(seat for seat in self.seat_names if seat not in self.roles.deciders)

    @cached_property
    def machine(self) -> Machine:
        """Its rules, turn by turn; all episodes share what they have worked out."""
        return Machine(self)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 digest of its document, as transcripts have it; the order of keys matters."""
        text = json.dumps(self.to_dict(), separators=(",", ":"), ensure_ascii=False)
        return sha256(canonical({"format": FORMAT, "document": text}).encode()).hexdigest()

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed; its document is written out in full."""
        changes = {"short": ""} | changes
        return dataclasses.replace(self, **changes)

    def with_settings(self, **settings: float | str | Fraction) -> Self:
        """Return a copy with some settings changed."""
        return load(self.to_dict(), type(self), settings)

    def to_dict(self) -> dict[str, Any]:
        """Return the protocol as a plain document; see :mod:`nip_core.language.document`."""
        return dump(self)

    @classmethod
    def from_dict(cls, document: object, settings: Mapping[str, object] | None = None) -> Self:
        """Read a plain document, which may be untrusted.

        Raises
        ------
        SpecError
            If it is invalid; names the place and what is allowed there.
        """
        return load(plain_copy(document, SPECIFICATION, SpecError, "The document"), cls, settings)

    @classmethod
    def from_json(cls, text: str | bytes, settings: Mapping[str, object] | None = None) -> Self:
        """Read a JSON text, which may be untrusted."""
        document, text = parsed(text, parse_json)
        return load(document, cls, settings, text)

    @classmethod
    def from_toml(cls, text: str | bytes, settings: Mapping[str, object] | None = None) -> Self:
        """Read a TOML text, which may be untrusted."""
        document, text = parsed(text, parse_toml)
        return load(document, cls, settings, text)

    def lint(self) -> list[Remark]:
        """Return probable mistakes, and which seats can infer hidden choices.

        Raises
        ------
        TooLargeError
            If this takes too much work; see :mod:`nip_core.budget`.
        """
        with for_document(self.steps):
            return lint(self)

    # -- display -------------------------------------------------------------------------------

    def __repr__(self) -> str:
        if "seats" not in vars(self):
            return line(self, brief(self.name))
        return line(self, brief(self.name), f"up to {self.longest:,} turns", *self.seat_names[:8])

    def table(self) -> Table:
        """Return a table of every turn's acts, and of where play may continue after it."""
        rows: list[tuple[object, ...]] = []
        for index, number, turn in self.places():
            stage, times = self.stages[index], self.times(index)
            name = stage.name if times == 1 else f"{stage.name} (up to {times:,} times)"
            copies = (f"{target} gets a copy of {source}" for target, source in turn.copies)
            acts = "; ".join([*map(_said, turn.acts), *copies])
            then = "; ".join(
                f"{'the end' if target == END else target} if {condition}"
                for target, condition in turn.then
            )
            rows.append((name, number, acts, then))
        return Table(("stage", "turn", "acts", "leads to"), rows, {"turn": lambda n: n + 1})

    def visibility(self) -> Table:
        """Return who sees which parts, channels and choices, and since when."""
        things = (
            *(("part", part) for part in self.parts),
            *(("channel", channel) for channel in self.channels),
            *(("choice", choice) for choice in self.choices),
            *(("value", value) for value in self.values),
        )
        rows: list[tuple[object, ...]] = []
        for kind, thing in things:
            seen = dict(thing.seen)
            if kind == "choice":
                seen[self.choice(thing.name).by] = START
            rows.append((kind, thing.name, *(seen.get(seat, "never") for seat in self.seat_names)))
        return Table(("kind", "name", *self.seat_names), rows)


def _said(act: Act) -> str:
    """Return an act in a few words."""
    done: list[str] = []
    if act.say:
        may = "may write" if act.optional else "writes"
        done.append(f"{may} on {', '.join(act.say)}")
    if act.choose:
        done.append(f"chooses {', '.join(name for name, _ in act.choose)}")
    when = "" if act.when == ALWAYS else f" when {act.when}"
    silent = "" if act.silent == NEVER else f", silent if {act.silent}"
    total = "" if act.total is None else f", which add up to {show(act.total)}"
    apart = ", each by itself" if act.apart else ""
    return f"{act.seat} {' and '.join(done)}{apart}{total}{when}{silent}"
