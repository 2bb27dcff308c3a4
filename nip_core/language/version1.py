"""Convert protocols of version 1 to version 2, with the same rounds, views, decisions and pay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import NamedTuple

from nip_core.budget import TURNS, for_document, spend
from nip_core.errors import UnsupportedError
from nip_core.language.data import (
    ALWAYS,
    CHANCE,
    END,
    NEVER,
    SEED,
    START,
    TASK,
    Act,
    Channel,
    Choice,
    Part,
    Pay,
    Seat,
    Seen,
    Stage,
    Turn,
)
from nip_core.language.rounds import Rounds
from nip_core.language.specification import Specification
from nip_core.language.validation import MAX_TURNS
from nip_core.spec import ProtocolSpec, anonymous_agents

__all__ = ["REJECT_ACCEPT", "WAIT", "from_version_1", "rules_and_rounds"]

REJECT_ACCEPT = ("reject", "accept")
WAIT = "wait"


class _Names(NamedTuple):
    """Names of the choices, which no seat has. `learnt` is the adversarial verifier's verdict."""

    truth: str
    verdict: str
    learnt: str
    side: str
    variant: str


def from_version_1(
    spec: ProtocolSpec | Specification,
    *,
    draws_stance: bool = False,
    informed_provers: bool = False,
    title: str = "",
) -> Specification:
    """Return a protocol of version 1 in the language of version 2.

    A zero-knowledge variant is paid as its base protocol: what is paid for similar messages is no
    rule of play, and only tensors compute it.

    Parameters
    ----------
    spec : ProtocolSpec
    draws_stance : bool
        Whether the side that all provers argue for is drawn.
    informed_provers : bool
        Whether provers see the truth.
    title : str
        Its name for people, which it has in the registry.

    Raises
    ------
    UnsupportedError
        For a protocol of version 2, and for variants that repeat only after more turns than a
        specification may have.
    """
    if isinstance(spec, Specification):
        raise UnsupportedError(
            f"{spec.name!r} is a protocol of version 2 already: use it as it is."
        )
    with for_document():
        return _Conversion(spec, draws_stance, informed_provers).whole(title)


# Tables, values and samples of one protocol ask for the same.
@lru_cache(128)
def rules_and_rounds(spec: ProtocolSpec, draws_stance: bool) -> tuple[Specification, Rounds]:
    """Return a protocol of version 1 as a specification, and what its decisions lead to.

    If its schedules repeat themselves together only after very many rounds, the specification is
    that of the first schedule alone; the rounds are those of all schedules.
    """
    deciding = spec.verifiers if spec.is_zero_knowledge else ()
    try:
        rules = from_version_1(spec, draws_stance=draws_stance)
        return rules, Rounds.of(rules, deciding)
    except UnsupportedError:
        alone = [
            from_version_1(spec.replace(schedules=(each,)), draws_stance=draws_stance)
            for each in spec.schedules
        ]
        return alone[0], Rounds.joined([Rounds.of(rules, deciding) for rules in alone])


class _Conversion:
    def __init__(self, spec: ProtocolSpec, draws_stance: bool, informed: bool) -> None:
        self.spec, self.draws_stance, self.informed = spec, draws_stance, informed
        self.names = _Names(*(self._free(name) for name in _Names._fields))
        self.forced = spec.payoff.force_guess is not None
        # The condition that a verifier has decided, by its choice.
        self.made = {
            name: f"{name} != none" if self.forced else f"{name} = accept or {name} = reject"
            for name in (self.names.verdict, self.names.learnt)
        }
        self.decided_by = dict(zip(spec.verifiers, self.made, strict=False))

    def _free(self, name: str) -> str:
        while name in self.spec.agent_names:
            name += "_"
        return name

    def whole(self, title: str) -> Specification:
        spec, hidden = self.spec, anonymous_agents(self.spec)
        stages = tuple(self._stages())
        return Specification(
            name=spec.name,
            seats=tuple(
                Seat(name, spec.seat_name(name), self._argues(name), name in hidden)
                for name in spec.agent_names
            ),
            parts=(Part("question", self._all(START)), Part("solution", self._all(START))),
            channels=tuple(
                Channel(each.name, tuple((viewer, START) for viewer in each.viewers))
                for each in spec.channels
            ),
            choices=tuple(self._choices()),
            stages=stages,
            title=title,
            titles=tuple((each.name, spec.channel_title(each.name)) for each in spec.channels),
            verdict=f"({self._said}) if {self.made[self.names.verdict]} else none",
            pay=tuple(self._pay()),
        )

    # -- choices -------------------------------------------------------------------------------

    def _all(self, since: str) -> Seen:
        return tuple((name, since) for name in self.spec.agent_names)

    def _seen_from_start(self, *seats: str) -> Seen:
        """Return that some seats see something from the start, and all others at the end."""
        names = self.spec.agent_names
        return tuple((name, START if name in seats else END) for name in names)

    def _choices(self) -> Iterator[Choice]:
        names, provers = self.names, self.spec.provers
        informed = provers if self.informed else ()
        yield Choice(names.truth, TASK, REJECT_ACCEPT, self._seen_from_start(*informed))
        decisions = (*REJECT_ACCEPT, WAIT)
        for verifier, name in self.decided_by.items():
            yield Choice(name, verifier, decisions, self._all(START))
        if self.draws_stance:
            yield Choice(names.side, CHANCE, REJECT_ACCEPT, self._seen_from_start(*provers))
        if self.spec.num_variants > 1:
            variants = tuple(range(self.spec.num_variants))
            yield Choice(names.variant, CHANCE, variants, self._seen_from_start(), draw=SEED)

    def _argues(self, agent: str) -> str:
        if agent not in self.spec.provers:
            return "none"
        stance = self.spec.agent(agent).stance
        if self.draws_stance:
            return self.names.side
        return "none" if stance is None else REJECT_ACCEPT[stance]

    # -- pay -----------------------------------------------------------------------------------

    @property
    def _said(self) -> str:
        """Return the expression of the decision that counts, which may be forced."""
        names = self.names
        forced = {None: names.verdict, "zero": "reject", "one": "accept", "y": names.truth}
        return forced[self.spec.payoff.force_guess]

    def _pay(self) -> Iterator[Pay]:
        spec, pay, truth = self.spec, self.spec.payoff, self.names.truth
        paid = (spec.verifier, *spec.provers) if pay.shared_reward else (spec.verifier,)
        made, said, decided = self.made[self.names.verdict], self._said, END
        goes_on = "not over"
        if spec.is_zero_knowledge:
            # Play may go on after the verdict, until the adversarial verifier has decided too.
            decided, goes_on = self.names.verdict, f"not ({made}) and not over"
        right, wrong = f"({made}) and {said} = {truth}", f"({made}) and {said} != {truth}"
        if said == truth:
            right, wrong = made, NEVER
        rules = [
            (paid, pay.verifier_reward, right, decided),
            (paid, pay.verifier_incorrect_penalty, wrong, decided),
            (paid, pay.verifier_terminated_penalty, f"not ({made})", END),
            (paid, pay.verifier_no_guess_reward, goes_on, spec.verifier),
        ]
        for adversary in spec.named("adversarial_verifier"):
            late = f"({made}) and not ({self.made[self.names.learnt]})"
            rules.append(((adversary,), pay.verifier_terminated_penalty, late, END))
        if not pay.shared_reward:
            for prover in spec.provers:
                side = self._argues(prover)
                # With a forced decision, a side may always or never win.
                if side in (said, "none") or {side, said} <= {*REJECT_ACCEPT}:
                    won = made if side == said else NEVER
                else:
                    won = f"({made}) and {said} = {side}"
                rules.append(((prover,), pay.prover_reward, won, decided))
        for to, amount, when, at in rules:
            if amount and when != NEVER:
                yield Pay(tuple((seat, Fraction(1)) for seat in to), _written(amount), when, at)

    # -- the schedule --------------------------------------------------------------------------

    def _stages(self) -> Iterator[Stage]:
        spec = self.spec
        start = max(len(schedule.prelude) for schedule in spec.schedules)
        cycle = lcm(*(max(1, len(schedule.cycle)) for schedule in spec.schedules))
        most = spec.max_message_rounds
        first = min(max(0, spec.min_message_rounds - 1), most)
        number = 0
        for low, high, counts in ((0, first, False), (first, most, True)):
            # The prelude; the cycle, rotated to begin here, as often as it fits; the rest.
            begin = max(low, start)
            whole = max(0, high - begin) // cycle
            parts = [(range(low, min(high, start)), 1), (range(begin, begin + cycle), whole)]
            parts.append((range(begin + whole * cycle, high), 1))
            for rounds, times in parts:
                if rounds and times:
                    if len(rounds) > MAX_TURNS:
                        raise UnsupportedError(
                            f"The schedules of {spec.name!r} repeat themselves together only after "
                            f"{len(rounds):,} rounds; version 2 writes down at most {MAX_TURNS:,}."
                        )
                    number += 1
                    turns = tuple(self._turn(round_id, counts) for round_id in rounds)
                    yield Stage(f"part_{number}", turns, times)

    def _turn(self, round_id: int, counts: bool) -> Turn:
        spec = self.spec
        turns = [schedule.turn(round_id) for schedule in spec.schedules]
        steps = sum(3 + len(turn.agents) * (10 + len(turn.speakers) // 10) for turn in turns)
        spend(steps + len(spec.agents), TURNS, "round {}", round_id + 1)
        acts: list[Act] = []
        ends: list[str] = []
        # For each agent, the variants by the channels on which it speaks.
        spoken_by: dict[str, dict[tuple[str, ...], list[int]]] = {}
        for variant, turn in enumerate(turns):
            for agent in turn.agents:
                ways = spoken_by.setdefault(agent, {})
                ways.setdefault(turn.channels_of(agent), []).append(variant)
        for agent in spec.agent_names:
            ways = spoken_by.get(agent, {})
            for channels, variants in ways.items():
                when = self._in_variants(variants)
                decides = counts and agent in self.decided_by
                acts += self._acts(agent, channels, when, decides)
                if decides and agent == spec.verifier:
                    ends.append(when)
        return Turn(tuple(acts), ((END, self._ends(ends)),) if ends else ())

    def _acts(
        self, agent: str, channels: tuple[str, ...], when: str, decides: bool
    ) -> Iterator[Act]:
        order = tuple(name for name in self.spec.channel_names if name in channels)
        writes = Act(agent, order, when=when)
        if not decides:
            yield writes
            return
        name = self.decided_by[agent]
        decided = f"{name} = accept or {name} = reject"
        may = when
        if self.spec.is_zero_knowledge:
            still = f"not ({self.made[name]})"
            may = still if when == ALWAYS else f"({when}) and {still}"
        yield Act(agent, order, ((name, ()),), may, decided)
        if may != when:
            yield writes

    def _in_variants(self, variants: Sequence[int]) -> str:
        if len(variants) == self.spec.num_variants:
            return ALWAYS
        return " or ".join(f"{self.names.variant} = {variant}" for variant in variants)

    def _ends(self, conditions: list[str]) -> str:
        """Return the condition for play to end after a turn of the verifier."""
        made = [self.made[name] for name in self.decided_by.values()]
        if len(made) > 1:
            return " and ".join(f"({each})" for each in made)
        if not self.forced:
            return made[0]
        return ALWAYS if ALWAYS in conditions else " or ".join(conditions)


def _written(amount: float) -> str:
    """Return an amount as text; a float with the shortest decimals that give it."""
    return str(int(amount)) if float(amount).is_integer() and abs(amount) < 1e15 else repr(amount)
