"""Find the registers that still matter at each turn; others are forgotten.

Otherwise, a choice that is made once would multiply the number of states in all later turns. Pay at
the end, and the verdict, are computed as soon as no choice that they depend on can change, so that
these choices can be forgotten too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from nip_core.budget import TURNS, spend
from nip_core.language.data import ALWAYS, CHANCE, END, Act, ComputedValue, Turn
from nip_core.language.expressions import OVER, REPEAT, earlier
from nip_core.language.given import GivenPlay
from nip_core.language.structure import Structure, taken

__all__ = ["VERDICT", "Ends", "Liveness", "Written", "made_in"]

Written = tuple[int, int]
"""A turn of the specification: its stage, and its number in it."""
VERDICT = -1
"""The number of the verdict among the results of the end; the others are rules of pay."""


class Ends:
    """The results of the end: rules of pay, and the verdict.

    Parameters
    ----------
    spec : Structure
    rules : collection of int, optional
        The numbers of the rules of pay that matter, also of those for something in a turn; by
        default all.
    verdict : bool
        Whether the verdict matters.
    truth : str, optional
        The choice that says what is true, if it is to be known with the verdict.
    """

    def __init__(
        self,
        spec: Structure,
        rules: Collection[int] | None = None,
        verdict: bool = True,
        truth: str | None = None,
    ) -> None:
        self.rules = sorted(range(len(spec.pay)) if rules is None else rules)
        self.reads: dict[int, frozenset[str]] = {}
        if verdict:
            true = () if truth is None else (truth,)
            self.reads[VERDICT] = spec.expression(spec.verdict).reads.union(true)
        for number in self.rules:
            pay = spec.pay[number]
            if pay.at == END:
                self.reads[number] = (
                    spec.expression(pay.amount).reads | spec.expression(pay.when).reads
                )
        self._changed_by = spec.names.changed_by

    def is_fixed(self, number: int, changing: frozenset[str]) -> bool:
        """Return whether a result is fixed if only these choices can still be made."""
        reads = self.reads[number]
        return not reads & {OVER, REPEAT} and all(
            self._changed_by[name].isdisjoint(changing) for name in reads
        )


class Liveness:
    """The registers that matter at each turn of a protocol, under given play.

    Parameters
    ----------
    spec : Structure
    play : GivenPlay
    ends : Ends, optional
        The results that matter; by default all.
    """

    def __init__(self, spec: Structure, play: GivenPlay, ends: Ends | None = None) -> None:
        self.spec, self.given, self.ends = spec, play, ends or Ends(spec)
        self.turns: dict[Written, Turn] = {(i, j): turn for i, j, turn in spec.places()}
        self._fixed: dict[frozenset[str], frozenset[int]] = {}
        self._collected: dict[Written, list[ComputedValue]] = {}

    # -- what may still change -----------------------------------------------------------------

    @cached_property
    def _changing(self) -> dict[Written, frozenset[str]]:
        """The choices that may be made in a turn or after it."""
        spec, later = self.spec, frozenset[str]()
        choices_after: dict[Written, frozenset[str]] = {}
        for stage in reversed(range(len(spec.stages))):
            after, turns = later, spec.stages[stage].turns
            for number in reversed(range(len(turns))):
                # Most turns add nothing, and share one set.
                made = made_in(turns[number])
                after = after if made <= after else after | made
                choices_after[stage, number] = after
            if spec.times(stage) > 1:
                for number in range(len(turns)):
                    choices_after[stage, number] = after
            later = after
        return choices_after

    def changing(self, here: Written) -> frozenset[str]:
        """Return the choices that may be made in a turn or after it."""
        return self._changing[here]

    def changing_after(self, here: Written) -> frozenset[str]:
        """Return the choices that may be made after a turn, wherever play continues."""
        after = (there for there in self.successors(here) if there is not None)
        return frozenset[str]().union(*map(self.changing, after))

    def successors(self, here: Written) -> Iterator[Written | None]:
        """Yield the turns that may follow a turn; None is the end."""
        spec, (stage, number) = self.spec, here
        for target, _ in self.turns[here].then:
            yield None if target == END else (spec.stage_index[target], 0)
        if number + 1 < len(spec.stages[stage].turns):
            yield stage, number + 1
            return
        if spec.times(stage) > 1:
            yield stage, 0
        yield (stage + 1, 0) if stage + 1 < len(spec.stages) else None

    @cached_property
    def known(self) -> dict[Written, frozenset[int]]:
        """The results of the end that are fixed before a turn."""
        return {here: self._fixed_with(changing) for here, changing in self._changing.items()}

    def _fixed_with(self, changing: frozenset[str]) -> frozenset[int]:
        """Return the results of the end that are fixed if only some choices can still be made."""
        if changing not in self._fixed:
            spend(5 * len(self.ends.reads), TURNS)
            self._fixed[changing] = frozenset(
                n for n in self.ends.reads if self.ends.is_fixed(n, changing)
            )
        return self._fixed[changing]

    def settles(self, here: Written) -> frozenset[int]:
        """Return the results of the end that become fixed in a turn, wherever play continues."""
        return self._fixed_with(self.changing_after(here)) - self.known[here]

    # -- what is read ----------------------------------------------------------------------------

    def read_before(self, here: Written) -> set[str]:
        """Return the registers that are read with their values before a turn."""
        spec = self.spec
        registers = set[str]()
        for act in self.turns[here].acts:
            registers |= spec.expression(act.when).reads
            for choice, _ in act.choose:
                registers |= self.given.reads(choice, here[0])
                registers.update(self._counts.get(choice, ()))
        return registers - {OVER, REPEAT}

    @cached_property
    def _counts(self) -> dict[str, list[str]]:
        """For each choice with limited options, the registers that count these."""
        counts: dict[str, list[str]] = {}
        for choice, option, _ in self.spec.option_limits:
            counts.setdefault(choice, []).append(taken(choice, option))
        return counts

    @cached_property
    def _paid_at(self) -> dict[str, set[str]]:
        """For each event at which something is paid, the registers that this depends on."""
        registers: dict[str, set[str]] = {}
        for pay in (self.spec.pay[number] for number in self.ends.rules):
            for text in (pay.amount, pay.when):
                registers.setdefault(pay.at, set()).update(self.spec.expression(text).reads)
        return registers

    def read_after(self, here: Written) -> set[str]:
        """Return the registers that are read with their values after a turn."""
        spec, turn = self.spec, self.turns[here]
        registers = set[str]()
        for _, condition in turn.then:
            registers |= spec.expression(condition).reads
        events = {act.seat for act in turn.acts if act.seat != CHANCE} | made_in(turn)
        for event in events & self._paid_at.keys():
            registers |= self._paid_at[event]
        for there in self.successors(here):
            now_known = self.ends.reads.keys() if there is None else self.known[there]
            if now_known is not self.known[here]:
                for number in now_known - self.known[here]:
                    registers |= self.ends.reads[number]
        return registers - {OVER, REPEAT}

    @cached_property
    def live(self) -> dict[Written, tuple[str, ...]]:
        """The registers that matter before each turn."""
        live: dict[Written, set[str]] = {}
        # Play only goes forward, except to the first turn of a stage that is repeated.
        for stage in reversed(range(len(self.spec.stages))):
            turns = [(stage, number) for number in range(len(self.spec.stages[stage].turns))]
            read = [(here, self.read_before(here), self.read_after(here)) for here in turns]
            first: set[str] | None = None
            while first is None or first != live[turns[0]]:
                first = live.get(turns[0], set())
                for here, before, read_after in reversed(read):
                    after = set(read_after)
                    for there in self.successors(here):
                        after |= live.get(there, set()) if there is not None else set()
                    before_values = self._needed_for_values(here, after)
                    needed = needed_before(self.turns[here].acts, after)
                    live[here] = before | before_values | needed
                    steps = 10 + len(after) * (4 + len(self.turns[here].then)) // 8
                    spend(steps, TURNS, "stage {!r}", self.spec.stages[stage].name)
        return {here: tuple(sorted(live[here])) for here in self.turns}

    def collected_in(self, here: Written) -> list[ComputedValue]:
        """Return the values that may be collected in a turn, in the order of the protocol."""
        if here not in self._collected:
            made = made_in(self.turns[here])
            values = self.spec.collected
            self._collected[here] = [v for v in values if not made.isdisjoint(v.at)]
        return self._collected[here]

    def _needed_for_values(self, here: Written, after: set[str]) -> set[str]:
        """Return the registers needed before a turn, and add those after it, for its values."""
        values, before = self.collected_in(here), set[str]()
        for number, value in reversed([*enumerate(values)]):
            if value.name in after:
                later = {other.name for other in values[number:]}
                reads = self.spec.names.collecting(value.name).reads - {OVER, REPEAT}
                before |= reads & later
                after |= reads - later
        return before


def made_in(turn: Turn) -> set[str]:
    """Return the choices that may be made in a turn."""
    return {choice for act in turn.acts for choice, _ in act.choose}


def needed_before(acts: Iterable[Act], after: set[str]) -> set[str]:
    """Return the registers that are needed before a turn to know some of them after it."""
    may: set[str] = set()
    sure: set[str] = set()
    met: set[str] = set()
    for act in acts:
        names = {choice for choice, _ in act.choose}
        may |= names
        if act.when == ALWAYS and act.seat not in met:
            sure |= names
        met.add(act.seat)
    needed = after - sure - {earlier(choice) for choice in sure}
    return needed | {choice for choice in may if earlier(choice) in after}
