"""What the choices of a protocol mean: truth, verdict, sides, estimates, and options to go on.

Roles are worked out from the structure of a protocol, never from names. A document can state those
that its structure does not show; see :class:`~nip_core.language.data.StatedRoles`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from nip_core.displays import displayed, join_names
from nip_core.errors import show
from nip_core.language.collecting import report
from nip_core.language.data import CHANCE, TASK, Choice, Option
from nip_core.language.expressions import Value
from nip_core.language.kinds import ValueKind
from nip_core.language.structure import Structure
from nip_core.language.syntax import SyntaxNode, parse
from nip_core.mistakes import Path

__all__ = ["Roles", "Side", "StatedChance", "check_stated", "roles_of"]

# The proper scores, which pay most for an honest probability.
_SCORES = ("quadratic", "log", "spherical")
# What a seat argues for that argues for nothing.
NOTHING = "none"
# Among more options than these, none is the one to go on.
_MOST_WAYS = 12


@displayed
@dataclass(frozen=True, slots=True)
class Side:
    """What a seat argues for.

    Parameters
    ----------
    option : option, optional
        The option, if the rules fix it.
    choice : str, optional
        The choice that says it, if one does.
    other : bool
        Whether it argues for the other option of that choice.

    Notes
    -----
    Without an option and a choice, what the seat argues for depends on play in another way.
    """

    option: Option | None = None
    choice: str | None = None
    other: bool = False

    def option_with(self, spec: Structure, made: Mapping[str, Option]) -> Option | None:
        """Return the option that it is, given the choices that are known; None if that is open."""
        if self.choice is None or self.choice not in made:
            return self.option
        option = made[self.choice]
        if self.other:
            option = next(each for each in spec.options[self.choice] if each != option)
        return option


@displayed
@dataclass(frozen=True, slots=True)
class StatedChance:
    """The event whose probability, in percent, a choice states: a choice has a certain option."""

    about: str
    option: Option


@displayed
@dataclass(frozen=True, slots=True)
class Roles:
    """What the choices and seats of a protocol mean.

    Parameters
    ----------
    truth : str, optional
        The choice that says what is true: a fact of the task, or what somebody says whose word is
        taken for it.
    answers : tuple of option
        Its options.
    verdict : tuple of str
        The choices of seats that are the verdict; several if seats vote.
    deciders : tuple of str
        The seats that make them, beginning with the last to choose.
    sides : mapping of str to Side
        For each seat that argues for something, what that is.
    dealt : str, optional
        The choice of chance or of a seat that says what seats argue for, if there is only one.
    go_on : mapping of str to option
        For each choice by which a seat can end or leave a stage, the option to go on with it.
    estimates : mapping of str to StatedChance
        The choices that are probabilities, in percent, and the event of each.
    experts : tuple of str
        The seats that know what is true.
    """

    truth: str | None = None
    answers: tuple[Option, ...] = ()
    verdict: tuple[str, ...] = ()
    deciders: tuple[str, ...] = ()
    sides: Mapping[str, Side] = field(default_factory=dict[str, Side])
    dealt: str | None = None
    go_on: Mapping[str, Option] = field(default_factory=dict[str, Option])
    estimates: Mapping[str, StatedChance] = field(default_factory=dict[str, StatedChance])
    experts: tuple[str, ...] = ()

    @property
    def first_answer(self) -> Option | None:
        """The option of the truth that counts as 1: accept if there is one, else the first.

        Tasks with a statement say ``accept`` if it holds; these words are theirs.
        """
        if self.on_statement:
            return "accept"
        return self.answers[0] if self.answers else None

    @property
    def on_statement(self) -> bool:
        """Whether the truth is that a statement holds (accept) or does not (reject)."""
        return {*self.answers} == {"reject", "accept"}

    def telling(self, made: Mapping[str, Option]) -> dict[str, Option]:
        """Return choices without those that only say that play goes on."""
        return {name: option for name, option in made.items() if self.go_on.get(name) != option}

    def judges(self, seat: str) -> bool:
        """Return whether a seat argues for nothing."""
        return seat not in self.sides

    @property
    def fixed_sides(self) -> dict[str, Option]:
        """What seats argue for whose side the rules fix, in the order of seats."""
        return {seat: s.option for seat, s in self.sides.items() if s.option is not None}


def roles_of(spec: Structure) -> Roles:
    """Work out the roles of a protocol."""
    stated = spec.stated_roles
    verdict = stated.verdict or _verdict(spec)
    estimates = _scored(spec)
    for name, event in stated.estimates:
        about = _event(parse(event), spec.options)
        assert about is not None  # checked by `check_stated`
        estimates[name] = about
    argued = ((seat.name, _side(spec, seat.argues)) for seat in spec.seats)
    sides = {seat: side for seat, side in argued if side is not None}
    truth = stated.truth or _truth(spec, verdict, estimates)
    deciders = _deciders(spec, verdict)
    experts = stated.experts
    return Roles(
        truth=truth,
        answers=spec.options[truth] if truth else (),
        verdict=verdict,
        deciders=deciders,
        sides=sides,
        dealt=_dealt(spec, sides),
        go_on=_go_on(spec) | dict(stated.go_on),
        estimates=estimates,
        experts=_experts(spec, deciders, sides) if experts is None else experts,
    )


# -- the verdict and the truth ---------------------------------------------------------------------


def _verdict(spec: Structure) -> tuple[str, ...]:
    """Return the choices of seats that may be the verdict, or else that it depends on.

    Seats that argue for something do not decide: of a verdict that the rules work out from what a
    prover sent, no choice of the prover is the verdict.
    """
    tree = spec.names.expanded(spec.expression(spec.verdict).tree)
    named = {node.name for node in tree.nodes() if node.op == "name"}
    judges = {seat.name for seat in spec.seats if seat.argues == NOTHING}
    for found in ({*_values(tree)}, named):
        names = [c.name for c in spec.choices if c.name in found and c.by in judges]
        if names:
            return tuple(names)
    return ()


def _values(node: SyntaxNode) -> Iterator[str]:
    """Yield the names in an expression's value, but not those in conditions for its cases."""
    if node.op == "name":
        yield node.name
    for each in node.args[1:] if node.op == "if" else node.args:
        yield from _values(each)


def _deciders(spec: Structure, verdict: tuple[str, ...]) -> tuple[str, ...]:
    by = {spec.choice(name).by for name in verdict}
    last = dict.fromkeys((seat for seat in spec.seat_names if seat in by), -1)
    for number, (_, _, turn) in enumerate(spec.places()):
        for act in turn.acts:
            if act.seat in last and any(name in verdict for name, _ in act.choose):
                last[act.seat] = number
    return tuple(sorted(last, key=lambda seat: -last[seat]))


def _truth(
    spec: Structure, verdict: tuple[str, ...], estimates: Mapping[str, StatedChance]
) -> str | None:
    """Return the choice that the verdict can agree with, if one does best.

    Facts of the task come before what seats say whose word is taken for it. The best is one that
    pay compares with the verdict, then one that is estimated, then any that fits. Without a
    verdict, it is the only fact of the task.
    """
    facts = [choice for choice in spec.drawn if choice.by == TASK]
    if spec.verdict == "none":
        return facts[0].name if len(facts) == 1 else None
    candidates = facts or [c for c in spec.choices if c.truth_of and c.name not in verdict]
    compared = {*_compared_with(spec, verdict)}
    about = {estimate.about for estimate in estimates.values()}
    said = spec.expression(spec.verdict).kind
    fits = {c.name for c in candidates if _may_equal(spec.names.kind(c.name), said)}
    for wanted in (compared, about, fits):
        found = [choice.name for choice in candidates if choice.name in wanted]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _compared_with(spec: Structure, verdict: tuple[str, ...]) -> Iterator[str]:
    """Yield what rules of pay compare with the verdict."""
    for pay in spec.pay:
        for text in (pay.when, pay.amount):
            for node in spec.names.expanded(spec.expression(text).tree).nodes():
                if node.op in ("=", "!="):
                    for one, two in (node.args, node.args[::-1]):
                        if one.op == "name" and not {*_values(two)}.isdisjoint(verdict):
                            yield one.name


def _may_equal(one: ValueKind, two: ValueKind) -> bool:
    if one.name != two.name:
        return False
    if one.name == "number":
        return one.low <= two.high and two.low <= one.high
    return not one.options.isdisjoint(two.options)


# -- sides -----------------------------------------------------------------------------------------


def _side(spec: Structure, argues: str) -> Side | None:
    expression = spec.expression(argues)
    if expression.kind.name == "none":
        return None
    names = [*expression.reads]
    if not names:
        return Side(option=_as_option(expression.value({})))
    if len(names) > 1 or names[0] not in spec.options:
        return Side()
    name, options = names[0], spec.options[names[0]]
    values = [_as_option(expression.value({name: option})) for option in options]
    if values == [*options]:
        return Side(choice=name)
    if len(options) == 2 and values == [*options[::-1]]:
        return Side(choice=name, other=True)
    return Side()


def _dealt(spec: Structure, sides: Mapping[str, Side]) -> str | None:
    may = {choice.name for choice in spec.drawn if choice.by == CHANCE}
    may |= {choice.name for choice in spec.choices if choice.by in spec.seat_names}
    found = {side.choice for side in sides.values() if side.choice in may}
    return next(iter(found)) if len(found) == 1 else None


def _as_option(value: Value) -> Option | None:
    if value is None or isinstance(value, str):
        return value
    return int(value)


# -- experts ---------------------------------------------------------------------------------------


def _experts(
    spec: Structure, deciders: tuple[str, ...], sides: Mapping[str, Side]
) -> tuple[str, ...]:
    """Return who argues for something, and who writes to the seats that decide."""
    heard = {
        channel.name for channel in spec.channels if not {*deciders}.isdisjoint(dict(channel.seen))
    }
    writing = {act.seat for _, _, act in spec.acts() if not heard.isdisjoint(act.say)}
    return tuple(
        seat
        for seat in spec.seat_names
        if seat not in deciders and (seat in sides or seat in writing)
    )


# -- going on --------------------------------------------------------------------------------------


def _go_on(spec: Structure) -> dict[str, Option]:
    """Return the option of a choice after which, alone of all, no guard of its turn applies."""
    stay: dict[str, set[Option]] = {}
    known: set[object] = set()
    for _, _, turn in spec.places():
        for act in turn.acts if turn.then else ():
            for name, named in act.choose:
                if act.seat == CHANCE or (name, named, turn.then) in known:
                    continue
                known.add((name, named, turn.then))
                options = spec.open_here(name, named)
                if len(options) > _MOST_WAYS:
                    continue
                guards = [spec.expression(condition) for _, condition in turn.then]
                own = [guard for guard in guards if guard.reads <= {name}]
                if not any(guard.reads for guard in own):
                    continue
                left = {o for o in options if not any(g.value({name: o}) for g in own)}
                if len(left) < len(options):
                    stay[name] = stay.get(name, set()) | left
    return {name: next(iter(left)) for name, left in stay.items() if len(left) == 1}


# -- estimates -------------------------------------------------------------------------------------


def _scored(spec: Structure) -> dict[str, StatedChance]:
    """Return the choices whose seat is paid by a proper score of them, with their events."""
    found: dict[str, StatedChance] = {}
    for pay in spec.pay:
        paid = {seat for seat, _ in pay.to}
        for node in spec.names.expanded(spec.expression(pay.amount).tree).nodes():
            if node.op != "call" or node.name not in _SCORES:
                continue
            percent, event = node.args[:2]
            if percent.op != "name" or percent.name not in spec.options:
                continue
            about = _event(event, spec.options)
            if about is not None and spec.choice(percent.name).by in paid:
                found.setdefault(percent.name, about)
    return found


def _event(node: SyntaxNode, options: Mapping[str, tuple[Option, ...]]) -> StatedChance | None:
    """Return that a choice has a certain option, if a condition says just that."""
    if node.op != "=":
        return None
    for left, right in (node.args, node.args[::-1]):
        if left.op == "name" and left.name in options and right.op in ("name", "number"):
            option = right.name if right.op == "name" else int(right.number)
            if option in options[left.name]:
                return StatedChance(left.name, option)
    return None


# -- stated roles ----------------------------------------------------------------------------------


def check_stated(spec: Structure) -> None:
    """Report the roles that a document states if they contradict the protocol."""
    stated = spec.stated_roles
    choices = {choice.name: choice for choice in spec.choices}
    made = {name: choice for name, choice in choices.items() if choice.by in spec.seat_names}
    verdict = spec.names.decided_by(spec.expression(spec.verdict).reads)
    if stated.truth and _need_named(("truth",), stated.truth, choices) and spec.verdict != "none":
        said = spec.expression(spec.verdict).kind
        if not _may_equal(spec.names.kind(stated.truth), said):
            _wrong(("truth",), stated.truth, "the verdict can never be one of its options")
    for name in stated.verdict:
        _need_named(("verdict",), name, {n: c for n, c in made.items() if n in verdict})
        if name == stated.truth:
            _wrong(("verdict",), name, "it is stated as the truth, too", "Take one out.")
    for name, option in stated.go_on:
        at = ("go_on", name)
        if _need_named(at, name, made) and option not in spec.options[name]:
            options = join_names([show(each) for each in spec.options[name][:_MOST_WAYS]], "or")
            _wrong(at, option, "it is not an option of this choice", f"Write {options}.")
    for name, event in stated.estimates:
        at = ("estimates", name)
        if not _need_named(at, name, made):
            continue
        if not all(isinstance(o, int) and 0 <= o <= 100 for o in spec.options[name]):
            _wrong(at, name, "an estimate is a percentage, from 0 to 100")
        elif _event(parse(event), spec.options) is None:
            _wrong(at, event, "that is no event", "Write a choice and an option: 'truth = A'.")


def _need_named(at: Path, name: str, choices: Mapping[str, Choice]) -> bool:
    if name not in choices:
        known = join_names([*map(show, [*choices][:_MOST_WAYS])], "or") if choices else ""
        what = "no such choice fits there"
        _wrong(at, name, what, f"Write {known}." if known else "Leave it out.")
    return name in choices


def _wrong(at: Path, value: object, reason: str, remedy: str = "Leave it out.") -> None:
    report(("roles", *at), f"it is {show(value)}; {reason}.", remedy)
