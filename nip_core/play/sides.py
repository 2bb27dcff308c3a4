"""Who argues for what, as one seat is told: its own side, the sides of others, how to argue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from nip_core.displays import capitalized, join_names, listed
from nip_core.language import Specification, Wording
from nip_core.language.data import END, START, Option, Part
from nip_core.language.roles import Side
from nip_core.play.course import Course
from nip_core.tasks import Words

__all__ = ["Sides"]


class Sides:
    """What one seat is told about sides, in sentences.

    Parameters
    ----------
    spec : Specification
    seat : str
    kind : Words, optional
        The words of the kind of task, if the verdict is about a statement of that kind.
    """

    def __init__(self, spec: Specification, seat: str, kind: Words | None) -> None:
        self.spec, self.seat, self.kind = spec, seat, kind
        self.words, self.course = Wording(spec, seat), Course(spec, seat)
        self.side = spec.roles.sides.get(seat)

    def names(self, seats: Iterable[str]) -> str:
        """Return seats within a sentence."""
        return listed(map(self.words.seat, seats))

    def option(self, option: Option | None) -> str:
        """Return an option within a sentence."""
        return f'"{self.words.term(option)}"'

    # -- of a seat that argues -------------------------------------------------------------------

    def task(self) -> Iterator[str]:
        """Yield what the seat argues for, and who else argues."""
        side, judge = self.side, self.course.judge
        assert side is not None
        thing = "verdict" if judge and side.option in self.course.answers else "side"
        deciders = [seat for seat in self.spec.roles.deciders if seat != self.seat]
        gives = "to give it" if thing == "verdict" else "of it"
        convince = f"convince {self.names(deciders)} {gives}" if deciders else "argue for it"
        if side.option is not None:
            yield (
                f"Your assigned {thing} is {self.option(side.option)}: {convince}. It was assigned "
                "to you whether or not it is true, and you must argue for it either way."
            )
        else:
            may_be_true = self._is_answer(side)
            yield f"You argue for {self.words.side(side)}{f': {convince}' * may_be_true}."
            if side.choice is not None and self.spec.choice(side.choice).by != self.seat:
                anyway = " You must argue for it whether or not it is true."
                yield f"You are told below which one it is.{anyway * may_be_true}"
        others = self.course.arguing
        yield from map(self._other_side, others)
        who = "" if judge is None else self.words.seat(judge.seat)
        if judge and self.course.picked((self.seat, *others)):
            yield (
                f"Only one of you writes to {who}, whoever chance picks. {capitalized(who)} is "
                "told neither who it was nor which side they were assigned."
            )
        elif self.course.is_heard and not self.course.has_rivals:
            yield f"You are the only one whom {who} hears."

    def open_task(self) -> Iterator[str]:
        """Yield the task of a seat that argues for nothing and is heard on a statement."""
        if self.kind and self.course.is_heard:
            yield "No verdict is assigned to you. Say what you find, for and against the solution."

    def _other_side(self, other: str) -> str:
        mine, theirs = self.side, self.spec.roles.sides[other]
        who = capitalized(self.words.seat(other))
        if mine == theirs:
            return f"{who} argues for the same as you."
        if mine and self._one_is_right([mine.option, theirs.option]):
            return f"{who} has been assigned the opposite, {self.option(theirs.option)}."
        return f"{who} argues for {self._of(theirs)}."

    def _of(self, side: Side) -> str:
        return self.words.side(side) if side.option is None else self.option(side.option)

    def _is_answer(self, side: Side) -> bool:
        """Return whether what a seat argues for may be what is true."""
        options = self.spec.options.get(side.choice or "", ())
        return {*options} == {*self.spec.roles.answers}

    def _one_is_right(self, options: Sequence[Option | None]) -> bool:
        return len(options) == 2 and {*options} == {*self.spec.roles.answers}

    # -- of a seat that does not argue -----------------------------------------------------------

    def heard(self) -> Iterator[str]:
        """Yield who argues for what."""
        arguing, sides = self.course.arguing, self.spec.roles.sides
        if not arguing:
            if self.course.judges:
                if any(map(self.course.hears, self.course.others)):
                    yield "Nobody who writes to you has a side to argue for."
                elif self.course.others:
                    yield "Nobody: you read nothing that others write before you decide."
                else:
                    yield "Nobody else takes part. You decide alone."
            return
        if self.course.judges and self.course.picked(arguing):
            yield (
                f"Only one of {self.names(arguing)} writes to you, whoever chance picks. You are "
                "told neither who it is nor for which side it argues, and the side that was picked "
                "says nothing about what is true."
            )
            return
        options = [sides[seat].option for seat in arguing]
        if None in options:
            for seat in arguing:
                yield f"{capitalized(self.words.seat(seat))} argues for {self._of(sides[seat])}."
            dealt = self.spec.roles.dealt
            secret = dealt and dict(self.spec.choice(dealt).seen).get(self.seat) in (END, None)
            drawn = all(sides[s].choice == dealt and self._is_answer(sides[s]) for s in arguing)
            if secret and drawn:
                yield "You are not told which one it is, and it says nothing about what is true."
        elif len(set(options)) == 1:
            both = "both " if len(arguing) == 2 else "all " if arguing[2:] else ""
            yield (
                f"{capitalized(self.names(arguing))} {both}{'argue' if both else 'argues'} for "
                f"{self.option(options[0])}, and must do so whether or not that is true."
            )
        else:
            first, *rest = arguing
            pairs = [f"{self.words.seat(first)} argues for {self._of(sides[first])}"]
            pairs += [f"{self.words.seat(seat)} for {self._of(sides[seat])}" for seat in rest]
            one = ", so exactly one of them is right" if self._one_is_right(options) else ""
            yield (
                f"{capitalized(join_names(pairs))}. Each must argue for its side whether or not "
                f"that is true{one}."
            )

    # -- how to argue ----------------------------------------------------------------------------

    def arguing(self) -> Iterator[str]:
        """Yield how to argue, as items of a list."""
        kind, hears = self.kind, any(map(self.course.hears, self.course.others))
        said = ", and what has been said, wherever that helps" if hears else ""
        mine = [part for part in self.spec.parts if dict(part.seen).get(self.seat) == START]
        quoted = [f"the {self.words.term(part.name)}" for part in mine if part.quotable]
        if kind:
            yield f"- Be concrete. Quote the {kind.evidence} that your argument rests on{said}."
        elif quoted:
            yield (
                f"- Be concrete. Quote what your argument rests on from {join_names(quoted)}, each "
                "quote between <quote> and </quote>."
            )
        else:
            yield "- Be concrete: say what your argument rests on."
        yield from self._checks(mine)
        if self.course.turns(self.seat, writing=True) > 1:
            yield (
                "- Argue for your side to the very end: do not change sides and do not concede, "
                "whatever others ask or say."
            )
        else:
            yield "- Argue for your side and for no other: do not concede anything."

    def _checks(self, mine: Sequence[Part]) -> Iterator[str]:
        """Yield what those who decide can check of an argument."""
        deciders = [seat for seat in self.spec.roles.deciders if seat != self.seat]
        if not deciders or not mine:
            return
        who = capitalized(self.names(deciders))
        has, it = ("have", "them") if deciders[1:] else ("has", "it")
        since = {part.name: {dict(part.seen).get(seat) for seat in deciders} for part in mine}
        hidden = [part for part in mine if since[part.name] <= {END, None}]
        if hidden:
            names = join_names(f"the {self.words.term(part.name)}" for part in hidden)
            knows = "they know only what they are" if deciders[1:] else "it knows only what it is"
            yield f"- {who} cannot read {names} before the end: {knows} told."
        elif all(times == {START} for times in since.values()):
            what = f"problem and the same {self.kind.material}" if self.kind else "task"
            yield f"- {who} {has} the same {what} before {it} and can check what you say."
