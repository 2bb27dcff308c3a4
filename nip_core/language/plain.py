"""Convert plain protocols of version 2 to version 1, which has handlers and tensors.

Rules are compared by trying all cases, not by their form, so every form of the same protocol can be
converted.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from nip_core.errors import SpecError, UnsupportedError
from nip_core.language.data import CHANCE, END, NEVER, START, TASK, Act, Choice, Option
from nip_core.language.expressions import OVER, REPEAT, Value
from nip_core.language.rounds import Decisions
from nip_core.language.specification import Specification
from nip_core.language.structure import Place
from nip_core.language.version1 import from_version_1
from nip_core.parameters import ForceGuess
from nip_core.spec import Agent, Channel, Payoff, ProtocolSpec, Schedule, Turn, anonymous_agents

__all__ = ["to_version_1"]

# The most rounds that are converted turn by turn.
MAX_ROUNDS = 10_000
_FORCED: tuple[ForceGuess | None, ...] = (None, "zero", "one", "y")


def to_version_1(spec: Specification) -> ProtocolSpec:
    """Return a plain protocol as one of version 1.

    A protocol is plain if all seats write in turns that are fixed or drawn before play, if one seat
    may end play with one of two answers instead of writing, and if pay is as in version 1. If the
    provers' side is drawn, the result allows that, and an experiment's parameters turn it on.

    Raises
    ------
    UnsupportedError
        If version 1 cannot express the protocol; names the first such part.
    """
    return _Plain(spec).converted()


class _Choices(Decisions):
    """The choices of a plain protocol: the truth, the verdict, and what chance draws."""

    def __init__(self, spec: Specification) -> None:
        self.spec = spec
        self._need_one("fact of the task", [c.name for c in spec.choices if c.by == TASK])
        made = [choice.name for choice in spec.choices if choice.by in spec.seat_names]
        self._need_one("choice of a seat", made)
        super().__init__(spec)
        if self.wait is None or len(spec.options[self.verdict.name]) != 3:
            raise self.no(f"{self.verdict.name!r} needs two answers and one option to wait")

    def no(self, reason: str) -> UnsupportedError:
        return UnsupportedError(f"{self.spec.name!r} has no form in version 1: {reason}.")

    def matters(self, choice: Choice) -> bool:
        return True

    def _need_one(self, what: str, names: list[str]) -> None:
        if len(names) != 1:
            shown = ", ".join(names) or "none"
            raise self.no(f"it needs exactly one {what}, and has {shown}")

    def registers(
        self, truth: Option, verdict: Value, side: Value = None, variant: Value = None
    ) -> dict[str, Value]:
        found: dict[str, Value] = {self.truth.name: truth, self.verdict.name: verdict}
        if self.side is not None:
            found[self.side.name] = side
        if self.variant is not None:
            found[self.variant.name] = variant
        return found | {OVER: False}

    def cases(self) -> Iterator[tuple[int, int | None, int]]:
        """Yield all cases of truth, verdict (2 means no verdict) and side, as numbers."""
        yield from product((0, 1), (0, 1, 2, None), (0, 1))

    def case(self, truth: int, verdict: int | None, side: int) -> dict[str, Value]:
        options = (*self.answers, self.wait)
        said = None if verdict is None else options[verdict]
        return self.registers(self.answers[truth], said, self.answers[side])


class _Plain:
    def __init__(self, spec: Specification) -> None:
        self.spec, self.machine, self.roles = spec, spec.machine, _Choices(spec)
        self.no = self.roles.no
        self._need_visible()
        self._need_sides()
        self.forced = False
        # For each variant, its rounds, and whether the verifier may decide in each (None: it does
        # not act).
        self.rounds: list[list[Turn]] = []
        self.decides: list[list[bool | None]] = []
        self._unroll()

    def _need_visible(self) -> None:
        spec, roles = self.spec, self.roles
        if spec.limits:
            raise self.no("it limits what is written or chosen")
        for part in spec.parts:
            if part.quotable or {*part.seen} != {(seat, START) for seat in spec.seat_names}:
                raise self.no(f"not every seat sees the part {part.name!r}, or quotes are checked")
        for thing in (*spec.channels, roles.verdict):
            if any(since != START for _, since in thing.seen):
                raise self.no(f"{thing.name!r} is seen from some time on only")
        provers = {seat for seat in spec.seat_names if seat != roles.verifier}
        for choice, may_see in (
            (roles.truth, set[str]()),
            (roles.variant, set[str]()),
            (roles.side, provers),
        ):
            early = {seat for seat, since in choice.seen if since != END} if choice else set[str]()
            if choice and early - may_see:
                raise self.no(f"{choice.name!r} is seen by {min(early - may_see)!r} during play")

    def _need_sides(self) -> None:
        roles = self.roles
        drawn = {roles.side.name} if roles.side else set[str]()
        for seat in self.spec.seats:
            argued = self.spec.expression(seat.argues)
            if argued.reads - drawn:
                raise self.no(f"what {seat.name!r} argues for depends on the course of play")
            values = {argued.value(roles.case(0, None, side)) for side in (0, 1)}
            if values - {*roles.answers, None}:
                raise self.no(f"{seat.name!r} argues for what is not one of the two answers")

    # -- the schedule --------------------------------------------------------------------------

    def _unroll(self) -> None:
        spec, variant = self.spec, self.roles.variant
        if spec.longest > MAX_ROUNDS:
            raise self.no(f"it has {spec.longest:,} turns, and {MAX_ROUNDS:,} can be written down")
        variants = spec.options[variant.name] if variant else (None,)
        for option in variants:
            place: Place | None = self.machine.first
            rounds: list[Turn] = []
            decides: list[bool | None] = []
            while place is not None:
                turn, may_decide = self._round(place, option)
                rounds.append(turn)
                decides.append(may_decide)
                place = spec.after(place)
            self.rounds.append(rounds)
            self.decides.append(decides)

    def _round(self, place: Place, variant: Value) -> tuple[Turn, bool | None]:
        """Return a round's turn, and whether the verifier may decide (None: it does not act)."""
        roles, turn = self.roles, self.spec.turn(place)
        known = {roles.variant.name} if roles.variant else set[str]()
        said: dict[str, tuple[str, ...]] = {}
        may_decide = None
        for act in turn.acts:
            if self.spec.expression(act.when).reads - known:
                raise self.no(f"whether {act.seat!r} acts depends on the course of play")
        registers = roles.registers(roles.answers[0], roles.wait, variant=variant)
        for act in self.machine.acts(place, registers):
            if act.seat == CHANCE or not act.say or act.optional:
                raise self.no(
                    f"{act.seat!r} {'may act' if act.optional else 'acts'} without writing"
                )
            if act.apart:
                raise self.no(f"{act.seat!r} is asked for what it does one by one")
            said[act.seat] = act.say
            if act.seat == roles.verifier:
                may_decide = bool(act.choose)
                self._need_plain(act, variant)
        self._check_guards(place, variant, may_decide)
        return Turn.of(said), may_decide

    def _need_plain(self, act: Act, variant: Value) -> None:
        roles = self.roles
        options = {o for name, named in act.choose for o in self.spec.open_here(name, named)}
        if act.choose and options != {*roles.answers, roles.wait}:
            raise self.no("the verifier cannot choose freely whenever it chooses")
        silent = self.spec.expression(act.silent)
        for said in (*roles.answers, roles.wait):
            registers = roles.registers(roles.answers[0], said, variant=variant)
            if act.choose and silent.value(registers) != (said != roles.wait):
                raise self.no("the verifier does not write exactly when it waits")
        if not act.choose and act.silent != NEVER:
            raise self.no("the verifier may be silent without a decision")

    def _check_guards(self, place: Place, variant: Value, may_decide: bool | None) -> None:
        roles, turn = self.roles, self.spec.turn(place)
        known = {roles.verdict.name} | ({roles.variant.name} if roles.variant else set[str]())
        for target, condition in turn.then:
            if target != END or self.spec.expression(condition).reads - known:
                raise self.no("play may leave a stage for something else than the verdict")
        ends = {
            said: self._ends(place, roles.registers(roles.answers[0], said, variant=variant))
            for said in (None, roles.wait, *roles.answers)
        }
        if not may_decide:
            if ends[None] or ends[roles.wait]:
                raise self.no("play may end in a turn without a decision")
            return
        if not all(ends[answer] for answer in roles.answers):
            raise self.no("play may go on after a decision")
        self.forced = self.forced or ends[roles.wait]

    def _ends(self, place: Place, registers: dict[str, Value]) -> bool:
        return self.machine.onward(place, registers)[1] is not None

    # -- the result ----------------------------------------------------------------------------

    def converted(self) -> ProtocolSpec:
        first = [number for decides in self.decides for number, may in enumerate(decides) if may]
        least = min(first, default=self.spec.longest)
        for decides in self.decides:
            for number, may in enumerate(decides):
                if may is not None and may != (number >= least):
                    raise self.no("the verifier may decide in some of its later turns only")
        wanted = _all_cases(self.spec)
        # If nobody ever decides, the rules for decisions have no effect.
        forced = _FORCED[1:] if self.forced else _FORCED[:1] if first else _FORCED
        for force, shared in product(forced, (False, True)):
            try:
                found = self._candidate(force, shared, least + 1)
                same = wanted == _all_cases(from_version_1(found, draws_stance=self._draws))
            except SpecError:
                continue
            if same:
                hidden = {seat.name for seat in self.spec.seats if seat.anonymous}
                if hidden != anonymous_agents(found):
                    raise self.no("version 1 itself works out who is anonymous, and differs")
                return found
        raise self.no("its pay or its verdict is none that version 1 has")

    @property
    def _draws(self) -> bool:
        return self.roles.side is not None

    def _candidate(self, force: ForceGuess | None, shared: bool, least: int) -> ProtocolSpec:
        spec, roles = self.spec, self.roles
        provers = [seat for seat in spec.seat_names if seat != roles.verifier]
        stances = {seat: self._stance(seat) for seat in provers}
        going = self.machine.paid((roles.verifier, roles.verdict.name), roles.case(0, 2, 0))
        verifier = {
            name: self._paid(roles.verifier, truth, verdict)
            for name, (truth, verdict) in {
                "verifier_reward": (1, 1) if force != "zero" else (0, 0),
                "verifier_incorrect_penalty": (0, 1) if force != "zero" else (1, 0),
                "verifier_terminated_penalty": (0, None) if force else (0, 2),
            }.items()
        }
        # If the side is drawn, the side of the case, since both are paid in the same way.
        prover = max(
            (
                self._paid(seat, side, side, side)
                for seat, stance in stances.items()
                for side in (0, 1)
                if stance == side or self._draws
            ),
            key=abs,
            default=0.0,
        )
        return ProtocolSpec(
            name=spec.name,
            agents=tuple(
                Agent(seat, "verifier")
                if seat == roles.verifier
                else Agent(seat, "prover", stances[seat])
                for seat in spec.seat_names
            ),
            channels=tuple(
                Channel(each.name, tuple(seat for seat, _ in each.seen)) for each in spec.channels
            ),
            schedules=tuple(_schedule(rounds) for rounds in self.rounds),
            max_message_rounds=spec.longest,
            min_message_rounds=least,
            payoff=Payoff(
                prover_reward=prover,
                verifier_no_guess_reward=float(going.get(roles.verifier, 0)),
                shared_reward=shared,
                force_guess=force,
                **verifier,
            ),
            prover_stance_can_be_randomized=self._draws,
        )

    def _paid(self, seat: str, truth: int, verdict: int | None, side: int = 0) -> float:
        registers = self.roles.case(truth, verdict, side) | {OVER: True}
        return float(self.machine.paid((END,), registers).get(seat, 0))

    def _stance(self, seat: str) -> int | None:
        """Return the side that a seat argues for, or either one if it is drawn."""
        argued = self.spec.expression(self.spec.seat(seat).argues)
        side = self.roles.side
        values = [argued.value(self.roles.case(0, None, each)) for each in (0, 1)]
        if side is not None:
            if values != [*self.roles.answers]:
                raise self.no(f"{seat!r} does not argue for the side that is drawn")
            return None
        found = values[0]
        return None if found is None else self.roles.answers.index(found)


def _schedule(rounds: list[Turn]) -> Schedule:
    """Return a schedule of rounds, as a cycle if they repeat."""
    period = next(
        size
        for size in range(1, len(rounds) + 1)
        if all(a == b for a, b in zip(rounds, rounds[size:], strict=False))
    )
    if period == len(rounds):
        return Schedule(prelude=tuple(rounds))
    return Schedule(cycle=tuple(rounds[:period]))


def _all_cases(spec: Specification) -> object:
    """Return pay, stances and verdicts of a version 1 protocol in all cases, for comparison."""
    roles, machine = _Choices(spec), spec.machine
    known = {roles.truth.name, roles.verdict.name, OVER}
    known |= {roles.side.name} if roles.side else set[str]()
    for text in (spec.verdict, *(t for pay in spec.pay for t in (pay.amount, pay.when))):
        late = spec.expression(text).reads - known
        if late:
            what = "the repetition" if REPEAT in late else repr(min(late))
            raise roles.no(f"pay or the verdict looks at {what}")
    acted = (roles.verifier, roles.verdict.name)
    others = [seat for seat in spec.seat_names if seat != roles.verifier]
    ends: list[object] = []
    for truth, verdict, side in roles.cases():
        now = roles.case(truth, verdict, side)
        value = spec.expression(spec.verdict).value(now)
        ends.append(roles.answers.index(value) if value in roles.answers else None)
        over = now | {OVER: True}
        happened: list[tuple[tuple[str, ...], dict[str, Value]]] = [
            ((END,), over),
            ((END, roles.verifier), over),
        ]
        if verdict is not None:
            happened.append(((END, *acted), over))
        if verdict in (2, None):
            happened += [((roles.verifier,), now), *(((seat,), now) for seat in others)]
            happened += [((END, seat), over) for seat in others]
            happened += [(acted, now)] if verdict == 2 else []
        for events, registers in happened:
            paid = machine.paid(events, registers)
            ends.append({seat: amount for seat, amount in paid.items() if amount})
    argued = [
        [spec.expression(seat.argues).value(roles.case(0, None, side)) for side in (0, 1)]
        for seat in spec.seats
    ]
    places = [[None if v is None else roles.answers.index(v) for v in each] for each in argued]
    return ends, places
