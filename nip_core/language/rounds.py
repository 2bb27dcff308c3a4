"""The rounds of a protocol with one verdict, as tables: what each decision leads to.

In such a protocol one seat, the verifier, ends play with one of two answers, or goes on if it may;
nothing else that seats choose has an effect. So a turn has few cases: the verifier's decision, the
truth, and the side that is drawn for those who argue. The machine is asked once about each case of
each kind of turn. Tensors (:mod:`nip_core.handler.cases`) and exact values
(:mod:`nip_core.values`) look the answers up.

A zero-knowledge variant has a second seat that decides. Then cases also say which of them are done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple

from nip_core.budget import PLAYS, spend
from nip_core.displays import in_sentence, join_names
from nip_core.errors import NoVerdictError, UnsupportedError
from nip_core.language.data import CHANCE, LATE, STAGE_END, TASK, Act, Choice, Option
from nip_core.language.expressions import OVER, REPEAT, Value, earlier
from nip_core.language.machine import events_of
from nip_core.language.specification import Specification
from nip_core.language.structure import Place, taken

__all__ = ["UNDECIDED", "Decisions", "RoundCase", "Rounds", "TurnKind"]

UNDECIDED = 2
_Registers = dict[str, Value]


class Decisions:
    """The choices that matter in a protocol with one verdict.

    Attributes
    ----------
    truth, verdict : Choice
    verifier : str
        The seat that makes the verdict.
    answers : tuple of option
        The truth's options; the second one counts as true.
    wait : option, optional
        The option of the verdict to go on.
    side, variant : Choice, optional
        What chance draws before play: an answer to argue for, and one of several schedules.

    Raises
    ------
    UnsupportedError
        For a protocol without just one verdict; says why.
    """

    def __init__(self, spec: Specification) -> None:
        self.spec = spec
        if spec.has_copies:
            raise self.no("messages are copied from one channel to another")
        self.truth, self.verdict = self._truth(), self._verdict()
        self.verifier = self.verdict.by
        options = spec.options[self.truth.name]
        self.answers = tuple(sorted(options, key=lambda o: o == spec.roles.first_answer))
        waits = [o for o in spec.options[self.verdict.name] if o not in self.answers]
        if len(self.answers) != 2 or len(waits) > 1:
            raise self.no(f"{self.called(self.verdict.name)} is not one of two answers, or to wait")
        self.wait: Option | None = waits[0] if waits else None
        self.side: Choice | None = None
        self.variant: Choice | None = None
        for choice in spec.choices:
            if choice.by == CHANCE and self.matters(choice):
                self._drawn(choice)

    def called(self, name: str) -> str:
        """Return a choice in words for people: the vote of juror 1."""
        spec, title = self.spec, in_sentence(self.spec.title_of(name))
        if name not in spec.options or spec.choice(name).by not in spec.seat_names:
            return f"the {title}"
        return f"the {title} of {spec.seat_phrase(spec.choice(name).by)}"

    def no(self, reason: str) -> UnsupportedError:
        """Return an error for a protocol that has no such form."""
        return NoVerdictError(
            f"{self.spec.name!r} is no protocol with one verdict: {reason}. "
            "nip_core.values.play_values computes what seats earn in any protocol.",
            reason,
        )

    def matters(self, choice: Choice) -> bool:
        """Return whether pay, the verdict, who acts or where play goes depend on a choice."""
        return choice.name in self._read

    @cached_property
    def _read(self) -> frozenset[str]:
        return frozenset[str]().union(
            *(self.read_by(text) for text in {t for _, t in self.texts()})
        )

    @property
    def counts_repetitions(self) -> bool:
        """Whether any of these depends on the number of the repetition."""
        return REPEAT in self._read

    def read_by(self, text: str) -> frozenset[str]:
        """Return the choices that an expression reads, now or before, and words it reads."""
        reads = self.spec.expression(text).reads
        return self.spec.names.decided_by(reads) | (reads & {OVER, REPEAT})

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield the expressions on which play and pay depend, and what each of them says."""
        spec = self.spec
        yield "the verdict", spec.verdict
        for pay in spec.pay:
            yield "pay", pay.amount
            yield "pay", pay.when
        for _, _, turn in spec.places():
            for act in turn.acts:
                who = act.seat if act.seat == CHANCE else spec.seat_phrase(act.seat)
                yield f"whether {who} acts", act.when
            for _, condition in turn.then:
                yield "where play goes", condition

    def need_known(self, deciding: Sequence[str]) -> None:
        """Refuse a protocol in which something else than the decisions matters."""
        known = {self.truth.name, *deciding, OVER, REPEAT}
        known |= {choice.name for choice in (self.side, self.variant) if choice}
        for what, text in self.texts():
            late = self.read_by(text) - known
            if late:
                raise self.no(f"{what} depends on {self.called(min(late))}")

    def _truth(self) -> Choice:
        facts, truth = [c.name for c in self.spec.choices if c.by == TASK], self.spec.roles.truth
        if truth is not None and truth not in facts:
            says = self.spec.seat_phrase(self.spec.choice(truth).by)
            raise self.no(f"{says} says what is true, not the task")
        return self._one_of("fact of the task", facts, facts if truth is None else [truth])

    def _verdict(self) -> Choice:
        seats = self.spec.seat_names
        made = [choice.name for choice in self.spec.choices if choice.by in seats]
        return self._one_of("verdict of a seat", made, [*self.spec.roles.verdict] or made)

    def _one_of(self, what: str, names: Sequence[str], meant: Sequence[str]) -> Choice:
        if len(meant) != 1 or meant[0] not in names:
            has = (
                f"{join_names(map(self.called, meant))} instead of one {what}"
                if meant
                else f"no {what}"
            )
            raise self.no(f"it has {has}")
        return self.spec.choice(meant[0])

    def _drawn(self, choice: Choice) -> None:
        constants = {self.spec.expression(weight).kind.constant for weight in choice.weights}
        if choice not in self.spec.drawn or len(constants) > 1 or None in constants:
            raise self.no(f"{self.called(choice.name)} is not drawn before play with equal chances")
        # A side may be drawn although no seat argues for it.
        argued = self.spec.roles.dealt in (None, choice.name)
        if argued and self.side is None and {*self.spec.options[choice.name]} == {*self.answers}:
            self.side = choice
        elif self.variant is None:
            self.variant = choice
        else:
            raise self.no("chance makes more than one schedule and one side")


class RoundCase(NamedTuple):
    """What one case of a turn leads to.

    Parameters
    ----------
    over : bool
        Whether play is over.
    done : tuple of bool
        Whether each seat that decides has decided.
    verdict : int
        The answer that counts, which may have been forced; :data:`UNDECIDED` while play goes on,
        and if it ends without one.
    paid : tuple of float
        By seat.
    """

    over: bool
    done: tuple[bool, ...]
    verdict: int
    paid: tuple[float, ...]


class TurnKind(NamedTuple):
    """A kind of turn.

    Parameters
    ----------
    phase : int
        The number of its cases among :attr:`Rounds.phases`.
    decides : bool
        Whether the verifier makes a decision.
    heard : tuple of (seat, channel)
        The messages of others that the verifier reads in it: those that it reads late are heard in
        the last turn before.
    """

    phase: int
    decides: bool
    heard: tuple[tuple[str, str], ...]


class Phase(NamedTuple):
    """The cases of a turn: all combinations of the digits, the last of which changes fastest.

    Digits are each decision (0, 1, or 2 for going on); if two seats decide, whether each is done
    already; the truth; and the side if it is drawn.

    Parameters
    ----------
    may : tuple of bool
        Which decisions the verifier may make; all are the same if it does not decide.
    cases : tuple of RoundCase
    """

    may: tuple[bool, bool, bool]
    cases: tuple[RoundCase, ...]


class _Next(NamedTuple):
    """A kind of turn, and where play goes on: at a target, or with the turn after it (None)."""

    kind: int
    ends: bool
    target: str | None


@dataclass(frozen=True, eq=False)
class Rounds:
    """The turns of a protocol with one verdict.

    Parameters
    ----------
    seats : tuple of str
    deciding : tuple of str
        The verifier, and the adversarial verifier of a zero-knowledge variant.
    answers : tuple of option
        The truth's options; the second one counts as true.
    draws_side : bool
        Whether a side is drawn before play.
    kinds : tuple of TurnKind
    phases : tuple of Phase
    turns : tuple of list of int
        By variant: the number of each turn's kind, in the longest play of the variant.
    """

    seats: tuple[str, ...]
    deciding: tuple[str, ...]
    answers: tuple[Option, ...]
    draws_side: bool
    kinds: tuple[TurnKind, ...]
    phases: tuple[Phase, ...]
    turns: tuple[list[int], ...]

    @staticmethod
    def of(spec: Specification, deciding: Sequence[str] = ()) -> Rounds:
        """Return the rounds of a protocol, which are worked out once.

        Parameters
        ----------
        spec : Specification
        deciding : sequence of str
            The seats that decide, by default the one that makes the verdict.

        Raises
        ------
        UnsupportedError
            For a protocol without just one verdict; says why.
        """
        known: dict[tuple[str, ...], Rounds] = vars(spec).setdefault("_rounds", {})
        if (seats := tuple(deciding)) not in known:
            known[seats] = _rounds_of(spec, seats)
        return known[seats]

    @staticmethod
    def joined(variants: Sequence[Rounds]) -> Rounds:
        """Return the rounds of a protocol whose schedules were worked out one by one."""
        kinds: dict[TurnKind, int] = {}
        phases: dict[Phase, int] = {}
        turns: list[list[int]] = []
        for variant in variants:
            number = [phases.setdefault(phase, len(phases)) for phase in variant.phases]
            renamed = [kind._replace(phase=number[kind.phase]) for kind in variant.kinds]
            place = [kinds.setdefault(kind, len(kinds)) for kind in renamed]
            turns += [[place[kind] for kind in row] for row in variant.turns]
        return replace(variants[0], kinds=tuple(kinds), phases=tuple(phases), turns=tuple(turns))


def _rounds_of(spec: Specification, deciding: tuple[str, ...]) -> Rounds:
    decisions = Decisions(spec)
    made = {choice.by: choice.name for choice in spec.choices}
    if any(act.optional and act.seat != decisions.verifier for _, _, act in spec.acts()):
        raise decisions.no("a seat may leave its message out")
    choices = (decisions.verdict.name, *(made[seat] for seat in deciding[1:] if seat in made))
    decisions.need_known(choices)
    walk = _Walk(decisions, choices)
    variants = spec.options[decisions.variant.name] if decisions.variant else (None,)
    turns = tuple([*walk.through(variant)] for variant in variants)
    return Rounds(
        spec.seat_names,
        deciding or (decisions.verifier,),
        decisions.answers,
        decisions.side is not None,
        tuple(walk.kinds),
        tuple(walk.phases),
        turns,
    )


class _Walk:
    """Plays a protocol as long as nobody decides, and notes what each decision would lead to."""

    def __init__(self, decisions: Decisions, choices: tuple[str, ...]) -> None:
        self.at, self.spec, self.choices = decisions, decisions.spec, choices
        self.machine = self.spec.machine
        self.kinds: dict[TurnKind, int] = {}
        self.phases: dict[Phase, int] = {}
        self._known: dict[tuple[object, ...], _Next] = {}
        self._options = (*decisions.answers, decisions.wait)
        # What changes from turn to turn, as long as nobody decides.
        self._changing = [*choices, *map(earlier, choices)]
        self._changing += [taken(c, o) for c, o, _ in self.spec.option_limits if c in choices]
        self._verdict = self.spec.expression(self.spec.verdict)
        self._counts_repetitions = decisions.counts_repetitions

    def through(self, variant: Value) -> Iterator[int]:
        """Yield the kind of each turn of the longest play in a variant."""
        spec, place = self.spec, self.machine.first
        worlds = self._worlds(variant)
        block: list[int] = []
        began: object = None
        while True:
            if place.turn == 0:
                state = (place.stage, *(worlds[0][name] for name in self._changing))
                left = spec.times(place.stage) - 1 - place.repeat
                if state == began and left > 0 and not self._counts_repetitions:
                    # The repetition was as the one before it, so that all but the last are.
                    yield from block * left
                    place = place._replace(repeat=place.repeat + left)
                block, began = [], state
            spend(1, PLAYS, "turns")
            turn = self._turn(place, variant, worlds)
            block.append(turn.kind)
            yield turn.kind
            if not turn.ends:
                worlds = [self._gone_on(place, world) for world in worlds]
            # Turns after a sure end are in the tables, too, although nobody plays them.
            onward = spec.after(place) if turn.target is None else spec.target(turn.target)
            if onward is None:
                return
            place = onward

    def _worlds(self, variant: Value) -> list[_Registers]:
        """Return the registers before play: for each truth and, if it is drawn, each side."""
        worlds: list[_Registers] = []
        for truth, side in product(self.at.answers, self.at.answers):
            world = self.machine.blank() | {self.at.truth.name: truth}
            if self.at.side is not None:
                world[self.at.side.name] = side
            elif side != self.at.answers[0]:
                continue
            if self.at.variant is not None:
                world[self.at.variant.name] = variant
            worlds.append(world)
        return worlds

    def _gone_on(self, place: Place, world: _Registers) -> _Registers:
        acts = self.machine.acts(place, world)
        made = {c: self.at.wait for c in self._choosing(acts) if self.at.wait is not None}
        return self.machine.recorded(world, made, place)

    def _choosing(self, acts: Sequence[Act]) -> dict[str, Act]:
        """Return the acts in which the seats that decide may do so, by their choices."""
        return {name: act for act in acts for name, _ in act.choose if name in self.choices}

    def _turn(self, place: Place, variant: Value, worlds: list[_Registers]) -> _Next:
        repeat = place.repeat if self._counts_repetitions else 0
        is_last = self.spec.after(place) is None
        state = (worlds[0][name] for name in self._changing)
        # With sight at the end of a stage, it matters how often that has been played.
        late = place.repeat if STAGE_END in self._late else 0
        key = (place.stage, place.turn, repeat, late, is_last, variant, *state)
        if key not in self._known:
            self._known[key] = self._new_turn(place, worlds)
        return self._known[key]

    def _new_turn(self, place: Place, worlds: list[_Registers]) -> _Next:
        acts = self.machine.acts(place, worlds[0])
        if any(self.machine.acts(place, world) != acts for world in worlds):
            raise self.at.no("who acts depends on the truth or on a side")
        if any(act.total is not None for act in self._choosing(acts).values()):
            raise self.at.no(
                f"{self.at.called(self.at.verdict.name)} is one of several numbers with a total"
            )
        may = self._may(acts, worlds[0])
        went: set[str | None] = set()
        cases = tuple(self._cases(place, may, worlds, went))
        if len(went) > 1:
            raise self.at.no("where play goes depends on more than the verdict")
        phase = self.phases.setdefault(Phase(may, cases), len(self.phases))
        decides = self.at.verdict.name in self._choosing(acts)
        target = next(iter(went), None)
        onward = self.spec.after(place) if target is None else self.spec.target(target)
        heard = tuple(self._heard(place, onward, worlds[0]))
        kind = TurnKind(phase, decides, heard)
        number = self.kinds.setdefault(kind, len(self.kinds))
        return _Next(number, not went, target)

    def _may(self, acts: Sequence[Act], world: _Registers) -> tuple[bool, bool, bool]:
        verdict = self.at.verdict.name
        act = self._choosing(acts).get(verdict)
        if act is None:
            return True, True, True
        options = self.machine.open_options(act, verdict, world, {})
        no, yes, on = (option is not None and option in options for option in self._options)
        return no, yes, on

    def _heard(
        self, place: Place, onward: Place | None, world: _Registers
    ) -> Iterator[tuple[str, str]]:
        """Yield the messages that the verifier reads after a turn and did not read before it."""
        for here in (*self._waiting(place, onward), place):
            spend(1, PLAYS, "turns")
            now, was = (
                self.spec.sight(self.at.verifier, place.stage, self.spec.pending(here, then))
                for then in (onward, place)
            )
            new = now.channels if here == place else now.channels - was.channels
            for act in self.machine.acts(here, world) if new else ():
                if act.seat != self.at.verifier:
                    yield from ((act.seat, channel) for channel in act.say if channel in new)

    def _waiting(self, place: Place, onward: Place | None) -> Iterator[Place]:
        """Yield the earlier places of which the verifier sees something only after this turn."""
        if not self._late or self.spec.pending(place, onward) == self.spec.pending(place, place):
            return
        turns = len(self.spec.stages[place.stage].turns)
        for repeat in range(0 if STAGE_END in self._late else place.repeat, place.repeat + 1):
            for turn in range(place.turn if repeat == place.repeat else turns):
                yield Place(place.stage, repeat, turn)

    @cached_property
    def _late(self) -> tuple[str, ...]:
        """The late times at which the verifier sees something."""
        return tuple(late for late in LATE if self.spec.sees_late(self.at.verifier, (late,)))

    def _cases(
        self,
        place: Place,
        may: tuple[bool, bool, bool],
        worlds: list[_Registers],
        went: set[str | None],
    ) -> Iterator[RoundCase]:
        """Yield all cases of a turn, and note to which targets play goes on."""
        several = len(self.choices) > 1
        known: dict[object, RoundCase] = {}
        decisions = product(range(3), repeat=len(self.choices))
        was_done = (*product((False, True), repeat=len(self.choices) * several),)
        for decided, was in product(decisions, was_done):
            for number, world in enumerate(worlds):
                spend(self.machine.steps, PLAYS, "stage {!r}", self.spec.stages[place.stage].name)
                if not may[decided[0]]:
                    # Nobody can decide so: the case is in no play.
                    yield RoundCase(True, (False,), UNDECIDED, (0.0,) * len(self.spec.seats))
                    continue
                before = dict(world)
                before.update(
                    (name, self.at.answers[1])
                    for name, done in zip(self.choices, was, strict=False)
                    if done
                )
                acts = self.machine.acts(place, before)
                made = {
                    name: self._options[decision]
                    for name, decision in zip(self.choices, decided, strict=True)
                    if name in self._choosing(acts)
                }
                key = (was, number, *made.items())
                if key not in known:
                    known[key], target = self._case(place, acts, before, made)
                    if not known[key].over and not any(was):
                        if not several and any(option != self.at.wait for option in made.values()):
                            raise self.at.no("play may go on after a decision")
                        went.add(target)
                yield known[key]

    def _case(
        self, place: Place, acts: Sequence[Act], before: _Registers, made: dict[str, Option | None]
    ) -> tuple[RoundCase, str | None]:
        machine, spec = self.machine, self.spec
        after = machine.recorded(before, {n: o for n, o in made.items() if o is not None}, place)
        onward, target = machine.onward(place, after)
        now = {**machine.here(place, after), OVER: onward is None}
        chosen = [name for act in acts for name, _ in act.choose]
        paid = machine.paid(events_of(acts, chosen, onward is None), now)
        verdict = self._verdict.value(now)
        # A second verdict counts as the first one does.
        said = [verdict]
        said += [self._verdict.value(now | {self.choices[0]: now[n]}) for n in self.choices[1:]]
        done = tuple(value in self.at.answers for value in said)
        over = onward is None
        number = self.at.answers.index(verdict) if done[0] and over else UNDECIDED
        amounts = tuple(float(paid.get(seat) or 0) for seat in spec.seat_names)
        return RoundCase(over, done, number, amounts), target
