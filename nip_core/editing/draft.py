"""A protocol that is being drawn: its document, and what it means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from nip_core.displays import displayed
from nip_core.editing.difference import BLANK
from nip_core.editing.edits import Edit, apply
from nip_core.editing.forms import Document, acts_of
from nip_core.language import Family, Specification, load_specification
from nip_core.language.document import load

__all__ = ["Draft"]


@displayed
@dataclass(frozen=True)
class Draft:
    """A protocol that is being drawn: its document, and what it means.

    Parameters
    ----------
    document : mapping
        In its short form, if it has families.
    spec : Specification
    """

    document: Document
    spec: Specification = field(compare=False)

    @classmethod
    def of(cls, spec: Specification) -> Draft:
        """Begin with a protocol."""
        return cls(spec.to_dict(), spec)

    @classmethod
    def read(cls, document: Document) -> Draft:
        """Begin with a document.

        Raises
        ------
        SpecError
            If it is invalid.
        """
        return cls(document, load_specification(document))

    @classmethod
    def blank(cls) -> Draft:
        """Begin with nothing: one seat and one empty turn."""
        return cls.read(BLANK)

    @classmethod
    def made(cls, document: Document) -> Draft:
        """Check a document that was made of checked ones and plain data.

        Raises
        ------
        SpecError
            If it is invalid.
        """
        return cls(document, load(document, Specification))

    def after(self, edits: Sequence[Edit]) -> Draft:
        """Return the protocol after some edits.

        Raises
        ------
        EditError
            If they do not fit the document.
        SpecError
            If what comes of them is no protocol.
        """
        return Draft.made(apply(self.document, edits)[0])

    def turn_numbers(self, stage: int) -> list[int]:
        """Return for each turn of a stage of `spec` the number of the turn in the document.

        They differ where the seats of a family act one by one, which is one turn there.
        """
        own = {turn: len(family.members) for at, turn, family in self.one_by_one() if at == stage}
        turns = range(len(self.document["stages"][stage]["turns"]))
        return [turn for turn in turns for _ in range(own.get(turn, 1))]

    def one_by_one(self) -> Iterator[tuple[int, int, Family]]:
        """Yield the families whose seats act one by one, with stage and turn in the document."""
        families = {family.name: family for family in self.spec.families}
        for s, stage in enumerate(self.document["stages"]):
            for t, turn in enumerate(stage["turns"]):
                for seat, acts in turn.items():
                    if seat in families and acts_of(acts)[0].get("one_by_one"):
                        yield s, t, families[seat]
