"""How well messages inform, and a protocol in which they are evidence: the model as data.

:func:`~nip_core.values.abstraction.abstracted` makes it from a protocol.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from nip_core.displays import Table, Tabular, displayed, line, listed
from nip_core.errors import ModelError, show
from nip_core.language import Habit, Specification
from nip_core.language.data import CHANCE, TASK, Option
from nip_core.values.checks import check, checked_switch

__all__ = ["Abstracted", "Evidence", "Message", "Truth", "chance_text", "first_answer", "priors"]

Truth = Literal["fact", "act", "word", "none"]
_CHANCES = ("shows", "fakes", "own", "prior", "fresh", "knows")


@displayed
@dataclass(frozen=True)
class Evidence:
    """How well messages inform.

    Parameters
    ----------
    shows : Fraction
        The chance that somebody who argues for what is true has evidence.
    fakes : Fraction
        The chance that somebody who argues for what is false has evidence.
    own : Fraction
        How often the own impression of a judge is right; 1/2 between two answers says nothing.
    prior : Fraction
        The chance that the first answer is true, or that a claim holds. Among more than two
        answers, each of the others has the weight ``1 - prior``.
    fresh : Fraction
        The chance that a later message of the same seat can bring new evidence.
    repeat : bool
        Whether evidence that a seat has heard can be shown again as its own.
    knows : Fraction
        How often experts are right about what is true.

    Notes
    -----
    With ``shows = fakes = 1``, messages are free symbols, as in the models of version 1 protocols.
    """

    shows: Fraction = Fraction(4, 5)
    fakes: Fraction = Fraction(2, 5)
    own: Fraction = Fraction(3, 5)
    prior: Fraction = Fraction(1, 2)
    fresh: Fraction = Fraction(0)
    repeat: bool = False
    knows: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        check({"repeat": self.repeat}, {"repeat": checked_switch})
        for name in _CHANCES:
            object.__setattr__(self, name, _chance(name, getattr(self, name)))

    @property
    def cheap(self) -> bool:
        """Whether everybody can always show evidence, so that it proves nothing."""
        return self.shows == self.fakes == 1


def _chance(name: str, value: object) -> Fraction:
    """Return an exact chance; a decimal is what it looks like."""
    try:
        known = isinstance(value, int | float | str | Fraction) and not isinstance(value, bool)
        found = Fraction(str(value)) if known else None
    except (ValueError, ZeroDivisionError):
        found = None
    if found is None or not 0 <= found <= 1:
        raise ModelError(
            f"The argument {name!r} is {show(value)}; it must be a number from 0 to 1."
        )
    return found


@displayed
@dataclass(frozen=True)
class Message:
    """A choice that stands for what a message shows.

    Parameters
    ----------
    choice : str
    seat : str
    channels : tuple of str
        The channels of the message; several if the same seats read them.
    has : mapping of option to expression
        For each answer that the seat may argue for, when it has evidence for it.
    sided : bool
        Whether the seat shows evidence for its side only.
    """

    choice: str
    seat: str
    channels: tuple[str, ...]
    has: Mapping[Option, str] = field(default_factory=dict[Option, str])
    sided: bool = True


@dataclass(frozen=True, repr=False)
class Abstracted(Tabular):
    """A protocol with evidence in place of messages, and who is who in it.

    Parameters
    ----------
    spec : Specification
        The protocol; if there is a `reason`, it is the original.
    document : Specification
        The original.
    evidence : Evidence
    reason : str
        Why nothing can be said about evidence; empty if it can.
    kind : {"fact", "act", "word", "none"}
        What the truth is: a fact, an act of a seat, a judge's word.
    truths : tuple of str
        The choices that say what is true. Only acts may be several.
    answers : tuple of option
        The options of the first.
    experts : tuple of str
        The seats that know what is true and neither decide it nor decide about it.
    deciders : tuple of str
        The seats that make the verdict.
    beliefs : mapping of str to str
        For each expert the choice that says what it takes for true; experts that know nothing
        have none.
    messages : tuple of Message
    looks : tuple of (choice, choice)
        Acts that are the truth, and how they look.
    claims : tuple of str
        Choices of experts that say an answer in other words.
    unsaid : str
        What experts know besides the truth and the rules do not contain; empty if there is nothing.
    """

    spec: Specification
    document: Specification
    evidence: Evidence
    reason: str = ""
    kind: Truth = "none"
    truths: tuple[str, ...] = ()
    answers: tuple[Option, ...] = ()
    experts: tuple[str, ...] = ()
    deciders: tuple[str, ...] = ()
    beliefs: Mapping[str, str] = field(default_factory=dict[str, str])
    messages: tuple[Message, ...] = ()
    looks: tuple[tuple[str, str], ...] = ()
    claims: tuple[str, ...] = ()
    unsaid: str = ""

    def __repr__(self) -> str:
        said = self.reason or f"{len(self.messages)} messages, {len(self.experts)} experts"
        return line(self, self.spec.name, said)

    def table(self) -> Table:
        """Return who knows what, in words."""
        spec = self.spec
        rows = [
            ("what is true", [*map(spec.title_of, self.truths)]),
            ("experts", [*map(spec.seat_phrase, self.experts)]),
            ("who decides", [*map(spec.seat_phrase, self.deciders)]),
            *((spec.title_of(m.choice), [*map(spec.title_of, m.channels)]) for m in self.messages),
            *((spec.title_of(look), ["well or badly"]) for _, look in self.looks),
        ]
        return Table(("what", "which"), [(what, listed(names)) for what, names in rows if names])

    @property
    def truth(self) -> str | None:
        """The choice that says what is true, if there is one."""
        return self.truths[0] if len(self.truths) == 1 else None

    @property
    def first_answer(self) -> Option | None:
        """The answer that counts as good: that a claim holds, or the first."""
        if not self.answers or self.kind == "word":
            return self.answers[0] if self.answers else None
        return first_answer(self.document, self.truths[0])

    @property
    def makers(self) -> tuple[str, ...]:
        """The seats whose acts are what is true."""
        by = {self.spec.choice(name).by for name in self.truths}
        return tuple(seat for seat in self.spec.seat_names if seat in by)

    @property
    def knowing(self) -> tuple[str, ...]:
        """The seats that know what is true: experts, and those whose acts it is."""
        known = {*self.experts, *self.makers}
        return tuple(seat for seat in self.spec.seat_names if seat in known)

    @property
    def judges(self) -> tuple[str, ...]:
        """The seats that choose something and do not know what is true, deciders first.

        Whoever's word is taken for the truth has nothing to judge.
        """
        spec = self.spec
        word = {*self.document.roles.verdict[:1]} if self.kind == "word" else set[str]()
        choosing = {choice.by for choice in spec.choices if choice.name not in word}
        seats = dict.fromkeys((*self.deciders, *spec.seat_names))
        return tuple(seat for seat in seats if seat in choosing and seat not in self.knowing)

    @property
    def compared(self) -> bool:
        """Whether a verdict can be right or wrong: it is not the word that is taken for true."""
        return self.truth is not None and self.kind != "word" and bool(self.deciders)

    def honest(self, *, mistakes: object = 0, trusting: bool = False) -> tuple[Habit, ...]:
        """Return how experts play who show all evidence that they have.

        Parameters
        ----------
        mistakes : number
            How often they do something else. A judge that learns from play without mistakes does
            not know what to make of a mistake.
        trusting : bool
            Whether they also say what they know where nothing can be shown: which side they take,
            what they claim. Otherwise this says nothing: all options are equally likely.
        """
        slip = _chance("mistakes", mistakes)
        return tuple(
            habit
            for habits in (self.nature(), self._shown(slip, trusting), self._said(slip, trusting))
            for habit in habits
        )

    def nature(self) -> tuple[Habit, ...]:
        """Return how the truth comes about, and what judges say whose word is taken for it."""
        return tuple(self._nature())

    def _nature(self) -> Iterator[Habit]:
        if self.kind == "word":
            (truth,), word = self.truths, self.document.roles.verdict[0]
            yield Habit(word, {o: f"1 if {truth} = {o} else 0" for o in self.answers})
        elif self.evidence.prior != Fraction(1, 2):
            for truth in self.truths:
                if self.spec.choice(truth).by != CHANCE:
                    yield Habit(truth, priors(self.spec, truth, self.evidence.prior))

    def _shown(self, slip: Fraction, trusting: bool) -> Iterator[Habit]:
        for message in self.messages:
            if message.sided:
                holds, shows = self.spec.options[message.choice]
                yield Habit(message.choice, {shows: 1 - slip, holds: slip})
                continue
            shown = dict(zip(message.has, self.spec.options[message.choice], strict=False))
            held = [o for o in self.spec.options[message.choice] if o not in shown.values()]
            belief = self.beliefs.get(message.seat)
            if not trusting or belief is None:
                weights: dict[Option, object] = dict.fromkeys(shown.values(), 1)
                yield _habit(message.choice, weights | dict.fromkeys(held, slip))
                continue
            weights = {
                shown[
                    answer
                ]: f"{chance_text(1 - 2 * slip)} if {belief} = {answer} else {chance_text(slip**2)}"
                for answer in message.has
            }
            able = " or ".join(f"({belief} = {o} and ({has}))" for o, has in message.has.items())
            silent = f"{chance_text(slip)} if {able} else 1"
            yield _habit(message.choice, weights | dict.fromkeys(held, silent))

    def _said(self, slip: Fraction, trusting: bool) -> Iterator[Habit]:
        # Whoever only finds out what another seat did has no reason to lie.
        if not trusting and self.kind != "act":
            return
        for name in self.claims:
            belief = self.beliefs.get(self.spec.choice(name).by)
            if belief is not None:
                pairs = zip(self.spec.options[name], self.answers, strict=True)
                weights = {
                    said: f"{chance_text(1 - slip)} if {belief} = {answer} else {chance_text(slip)}"
                    for said, answer in _by_name(dict(pairs))
                }
                yield Habit(name, weights)


def _habit(choice: str, weights: Mapping[Option, object]) -> Habit:
    return Habit(
        choice, {o: w if isinstance(w, str) else chance_text(w) for o, w in weights.items()}
    )


def _by_name(pairs: Mapping[Option, Option]) -> Iterator[tuple[Option, Option]]:
    """Yield pairs of an option and an answer: of the same name if all have one, else by place."""
    same = {*pairs} == {*pairs.values()}
    for said, answer in pairs.items():
        yield said, said if same else answer


def chance_text(value: object) -> str:
    """Return an exact number as an expression."""
    value = Fraction(str(value))
    whole = value.denominator == 1
    return str(value.numerator) if whole else f"{value.numerator} / {value.denominator}"


def first_answer(spec: Specification, truth: str) -> Option:
    """Return the answer that counts as good: one that is estimated, that holds, or the first."""
    roles, options = spec.roles, spec.options[truth]
    if truth == roles.truth and roles.first_answer is not None:
        about = [event.option for event in roles.estimates.values() if event.about == truth]
        return about[0] if about and spec.choice(truth).by != TASK else roles.first_answer
    return options[0]


def priors(spec: Specification, truth: str, prior: Fraction) -> dict[Option, str]:
    """Return the weights of answers before anything is known."""
    first = first_answer(spec, truth)
    return {o: chance_text(prior if o == first else 1 - prior) for o in spec.options[truth]}
