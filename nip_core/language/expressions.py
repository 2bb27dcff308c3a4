"""Expressions: checked once against a protocol's names, then evaluated as often as needed."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from nip_core.budget import EXPRESSIONS, spend
from nip_core.displays import displayed, join_names
from nip_core.errors import SpecError, known_names, nearest, show
from nip_core.language.collecting import refused
from nip_core.language.data import IS, ComputedValue, Option
from nip_core.language.functions import FUNCTIONS
from nip_core.language.kinds import (
    NOTHING,
    TRUTH,
    KindError,
    ValueKind,
    collected,
    joined,
    number,
    option,
    remedy,
)
from nip_core.language.syntax import SyntaxNode, parse
from nip_core.language.translating import parse_or_explain
from nip_core.mistakes import Fix

__all__ = ["OVER", "REPEAT", "Expression", "Names", "Registers", "Value", "Work", "earlier"]

Value = Any
"""True or False, a number (int, Fraction or float), an option, or None."""
Registers = Mapping[str, Value]
OVER, REPEAT = "over", "repeat"
# The known names with which an unknown one is compared.
MOST_COMPARED = 300
# Values of values could take as many steps as there are ways through them.
MAX_COST = 20_000


class Work:
    """How a value is computed: from registers, or from the values of its parts.

    Parameters
    ----------
    apply : callable
        Computes it from the values of the parts. Of a register, it is not called.
    parts : tuple of Work
    register : str
        The register whose value it is, if it is one.
    value : callable, optional
        Computes it from registers; by default from all parts. With one that leaves out parts which
        do not matter, this must have the same value.
    may_be_none : bool
        Whether it may be none although no part is.
    """

    __slots__ = ("apply", "may_be_none", "parts", "register", "value")

    def __init__(
        self,
        apply: Callable[..., Value],
        parts: tuple[Work, ...] = (),
        register: str = "",
        value: Callable[[Registers], Value] | None = None,
        may_be_none: bool = False,
    ) -> None:
        self.apply, self.parts, self.register = apply, parts, register
        self.may_be_none = may_be_none
        self.value = value or _from_parts(apply, [part.value for part in parts])


def _from_parts(
    apply: Callable[..., Value], parts: list[Callable[[Registers], Value]]
) -> Callable[[Registers], Value]:
    if len(parts) == 1:
        (only,) = parts
        return lambda now: apply(only(now))
    if len(parts) == 2:
        one, two = parts
        return lambda now: apply(one(now), two(now))
    return lambda now: apply(*[part(now) for part in parts])


def _register(name: str) -> Work:
    return Work(_nothing, register=name, value=operator.itemgetter(name))


def _nothing() -> Value:
    return None


def _constant(value: Value) -> Work:
    return Work(lambda: value, value=lambda _: value, may_be_none=value is None)


def earlier(choice: str) -> str:
    """Return the register of a choice's previous value."""
    return f"before {choice}"


@displayed
@dataclass(frozen=True, slots=True)
class Expression:
    """A checked expression.

    Parameters
    ----------
    text : str
    kind : ValueKind
    reads : frozenset of str
        The registers that its value depends on.
    cost : int
        The steps of computing its value; see :mod:`nip_core.budget`.
    tree : SyntaxNode
        Its syntax tree.
    work : Work
        How it is computed.
    """

    text: str
    kind: ValueKind
    reads: frozenset[str]
    cost: int = field(repr=False, compare=False)
    tree: SyntaxNode = field(repr=False, compare=False)
    work: Work = field(repr=False, compare=False)

    def value(self, registers: Registers) -> Value:
        """Return its value."""
        return self.work.value(registers)


@dataclass(frozen=True)
class Names:
    """The meanings of names in the expressions of one protocol.

    Parameters
    ----------
    choices : mapping of str to tuple of options
    settings : mapping of str to Fraction
    repeats : int
        The largest number of repetitions of a stage.
    values : mapping of str to ComputedValue
        What the rules work out.
    often : callable
        Returns in how many turns of the longest play one of some choices is made.
    labels : frozenset of str
        Names that stand for themselves, as options do.
    generated : bool
        Whether expressions were written out for the members of families.
    """

    choices: Mapping[str, tuple[Option, ...]]
    settings: Mapping[str, Fraction]
    repeats: int
    values: Mapping[str, ComputedValue] = field(default_factory=dict[str, ComputedValue])
    often: Callable[[tuple[str, ...]], int] = len
    labels: frozenset[str] = frozenset()
    generated: bool = False

    @cached_property
    def literals(self) -> frozenset[str]:
        """All options that are names."""
        names = (o for options in self.choices.values() for o in options if isinstance(o, str))
        return frozenset(names) | self.labels

    @cached_property
    def changed_by(self) -> Mapping[str, frozenset[str]]:
        """For each register that expressions read, the choices that change it."""
        own = {choice: frozenset({choice}) for choice in self.choices}
        before = {earlier(choice): frozenset({choice}) for choice in self.choices}
        kept = {v.name: frozenset(v.at) for v in self.values.values() if v.way != IS}
        return own | before | kept

    def decided_by(self, registers: Iterable[str]) -> frozenset[str]:
        """Return the choices on which registers depend, also through what is collected in them."""
        decided, waiting = set[str](), [*registers]
        for name in waiting:
            if name in self.values:
                more = {*self.collecting(name).reads, *self.values[name].at} - {OVER, REPEAT}
                waiting += more.difference(waiting)
            decided |= self.changed_by.get(name, frozenset()) & self.choices.keys()
        return frozenset(decided)

    @cached_property
    def _kinds(self) -> dict[str, ValueKind]:
        return {}

    @cached_property
    def _near(self) -> dict[str, str | None]:
        return {}

    def kind(self, choice: str) -> ValueKind:
        """Return the kind of a choice's values."""
        if choice not in self._kinds:
            self._kinds[choice] = _kind_of(self.choices[choice])
        return self._kinds[choice]

    def near(self, name: str, known: Sequence[str]) -> str | None:
        """Return a known name that is like an unknown one."""
        if name not in self._near:
            # Far more than a person writes; it takes long to compare names.
            spend(20 * min(len(known), MOST_COMPARED), EXPRESSIONS, "the name {!r:.60}", name)
            self._near[name] = nearest(name, known[:MOST_COMPARED])
        return self._near[name]

    # -- values ------------------------------------------------------------------------------------

    @cached_property
    def _collecting(self) -> dict[str, Expression | None]:
        return {}

    def collecting(self, name: str) -> Expression:
        """Return the expression of a value: what it is, or what is collected in it.

        Raises
        ------
        SpecError
            If it is invalid, or needs the value itself.
        """
        known = self._collecting
        if name not in known:
            known[name] = None
            try:
                known[name] = self.read(self.values[name].expression)
            finally:
                # What was refused is refused again.
                if known[name] is None:
                    del known[name]
        found = known[name]
        if found is None:
            raise refused(
                f"the value {name!r} needs itself.",
                "A value is worked out from choices and other values; only a `count` may look at "
                "itself.",
            )
        return found

    @cached_property
    def _computed(self) -> dict[str, Expression]:
        return {}

    def computed(self, name: str) -> Expression:
        """Return the expression that reads a value: its name."""
        if name not in self._computed:
            self._computed[name] = self._read_by_name(name)
        return self._computed[name]

    def _read_by_name(self, name: str) -> Expression:
        value = self.values[name]
        node = SyntaxNode("name", name=name)
        if value.way == IS:
            inner = self.collecting(name)
            return Expression(name, inner.kind, inner.reads, inner.cost, node, inner.work)
        # What is counted has no effect on the bounds, so that it may look at the count itself.
        inner_kind = TRUTH if value.way == "count" else self.collecting(name).kind
        try:
            kind = collected(value.way, inner_kind, self.often(value.at))
        except KindError as error:
            raise refused(f"{error}.") from None
        return Expression(name, kind, frozenset({name}), 1, node, _register(name))

    def expanded(self, node: SyntaxNode, inside: frozenset[str] = frozenset()) -> SyntaxNode:
        """Return a tree with the trees of values in place of their names.

        Inside a value that looks at itself, its name stays.
        """
        spend(1, EXPRESSIONS)
        if node.op == "name" and node.name in self.values.keys() - inside:
            tree = self.expanded(self.collecting(node.name).tree, inside | {node.name})
            way = self.values[node.name].way
            return tree if way == IS else SyntaxNode("collected", (tree,), name=node.name)
        args = tuple(self.expanded(part, inside) for part in node.args)
        return SyntaxNode(node.op, args, node.name, node.number) if args else node

    def read(self, text: object) -> Expression:
        """Check an expression.

        Raises
        ------
        SpecError
            If it is invalid; says what is wrong and what is allowed.
        """
        tree = parse(text, generated=True) if self.generated else parse_or_explain(text)
        checker = _Checker(self, str(text))
        kind, work = checker.checked(tree)
        if checker.cost > MAX_COST:
            raise refused(
                f"the expression {show(text)} takes more than {MAX_COST:,} steps with the values "
                "in it.",
                "Use fewer values of values.",
            )
        return Expression(str(text), kind, frozenset(checker.reads), checker.cost, tree, work)


class _Checker:
    """Finds the kind of a tree, and a function that computes it."""

    def __init__(self, names: Names, text: str) -> None:
        self.names, self.text = names, text
        self.reads: set[str] = set()
        self.cost = 0

    def _fail(self, reason: str, **more: Any) -> SpecError:
        return refused(f"the expression {show(self.text)}: {reason}.", **more)

    def _fail_at(self, node: SyntaxNode, reason: str, remedy: str, **more: Any) -> SpecError:
        span = (node.at, node.at + len(node.name)) if node.name else None
        return self._fail(reason, remedy=remedy, span=span, **more)

    def _unknown(self, node: SyntaxNode, what: str, known: Sequence[str]) -> SpecError:
        """Return the error of an unknown name, with a near one if there is one."""
        name = node.name
        near = self.names.near(name, known)
        there = known_names(known, most=12).strip()
        return self._fail_at(
            node,
            f"{show(name)} is not a {what}",
            f"Did you mean {near!r}?" if near else there,
            name=name,
            fix=Fix(f"Write {near}", near, of="span") if near else None,
        )

    def checked(self, node: SyntaxNode) -> tuple[ValueKind, Work]:
        if node.op in ("item", "for"):
            raise self._fail(f"there is no family {show(node.name)} here")
        kind, work = _RULES.get(node.op, _Checker._comparison)(self, node)
        # The time of arithmetic grows with the number of digits.
        steps = 1 + kind.denominator.bit_length() // 50
        self.cost += steps
        spend(4 + 4 * steps, EXPRESSIONS, "the expression {!r:.60}", self.text)
        return kind, work

    def _number(self, node: SyntaxNode) -> tuple[ValueKind, Work]:
        value = node.number
        return self._bounded("the number", lambda: _fixed(value)), _constant(value)

    def _not(self, node: SyntaxNode) -> tuple[ValueKind, Work]:
        inner = self._need(node.args[0], "truth", "`not`")[1]
        return TRUTH, Work(operator.not_, (inner,))

    def _negative(self, node: SyntaxNode) -> tuple[ValueKind, Work]:
        kind, inner = self._need(node.args[0], "number", "a minus sign")
        negated = number(-kind.high, -kind.low, kind.denominator)
        return negated, Work(_negated, (inner,))

    def _bounded(
        self, what: str, kind: Callable[[], ValueKind], remedy: str = "Use smaller numbers."
    ) -> ValueKind:
        try:
            return kind()
        except KindError as error:
            raise self._fail(f"{what}: {error}", remedy=remedy) from None

    def _need(self, node: SyntaxNode, kind: str, who: str) -> tuple[ValueKind, Work]:
        kind_found, work = self.checked(node)
        if kind_found.name != kind:
            wanted = {"truth": "a condition", "number": "a number"}[kind]
            reason = f"{who} takes {wanted}, not {kind_found.said}"
            raise self._fail_at(node, reason, remedy(kind, kind_found))
        return kind_found, work

    def _name(self, node: SyntaxNode) -> tuple[ValueKind, Work]:
        name, names = node.name, self.names
        if name in names.choices:
            self.reads.add(name)
            return names.kind(name), _register(name)
        if name in names.values:
            try:
                computed = names.computed(name)
            except RecursionError:
                raise self._fail("its values are nested too deeply; make them simpler") from None
            self.reads |= computed.reads
            self.cost += computed.cost
            return computed.kind, computed.work
        if name in names.settings:
            value = names.settings[name]
            return self._bounded(name, lambda: _fixed(value)), _constant(value)
        if name in (OVER, REPEAT):
            self.reads.add(name)
            kind = TRUTH if name == OVER else number(1, max(1, names.repeats), 1)
            return kind, _register(name)
        fixed = {"true": (TRUTH, True), "false": (TRUTH, False), "none": (NOTHING, None)}
        if name in fixed:
            kind, constant = fixed[name]
            return kind, _constant(constant)
        if name in names.literals:
            return option(name), _constant(name)
        known = [*names.choices, *names.values, *names.settings, *sorted(names.literals)]
        what = "choice, option, value or setting"
        raise self._unknown(node, what, [*known, *fixed, OVER, REPEAT])

    def _call(self, node: SyntaxNode) -> tuple[ValueKind, Work]:
        name = node.name
        if name not in FUNCTIONS:
            raise self._unknown(node, "function", [*FUNCTIONS])
        function = FUNCTIONS[name]
        if name == "before":
            return self._before(node)
        arguments = [self.checked(argument) for argument in node.args]
        kind = self._bounded(
            name,
            lambda: function.kind([kind for kind, _ in arguments]),
            f"Write {function.usage}.",
        )
        works = tuple(work for _, work in arguments)
        if name == "other":
            one, two = sorted(kind.options)
            return kind, Work({one: two, two: one}.get, works)
        done = function.work
        if function.lazy:
            return kind, Work(done, works, may_be_none=name not in ("sum", "count"))
        return kind, Work(lambda *values: None if None in values else done(*values), works)

    def _before(self, node: SyntaxNode) -> tuple[ValueKind, Work]:
        usage = FUNCTIONS["before"].usage
        if len(node.args) != 1 or node.args[0].name not in self.names.choices:
            raise self._fail("before takes the name of a choice", remedy=f"Write {usage}.")
        name = node.args[0].name
        self.reads.add(earlier(name))
        return self.names.kind(name), _register(earlier(name))

    def _case(self, node: SyntaxNode) -> tuple[ValueKind, Work]:
        condition = self._need(node.args[0], "truth", "`if`")[1]
        (kind1, then), (kind2, other) = map(self.checked, node.args[1:])
        kind = self._bounded(
            "both cases of `if` are of one kind",
            lambda: joined((kind1, kind2)),
            "Write two numbers, two options or two conditions.",
        )
        if "truth" in (kind1.name, kind2.name) and kind1 != kind2:
            reason = "a condition is never none, so both cases of `if` must be conditions"
            raise self._fail(reason, remedy="Write `false` for `none`.")
        test, yes, no = condition.value, then.value, other.value
        return kind, Work(
            _case_of,
            (condition, then, other),
            value=lambda now: (yes if test(now) else no)(now),
        )

    def _joined(self, node: SyntaxNode) -> tuple[ValueKind, Work]:
        works = tuple(self._need(part, "truth", f"`{node.op}`")[1] for part in node.args)
        together = all if node.op == "and" else any
        tests = [work.value for work in works]
        return TRUTH, Work(
            lambda *values: together(values),
            works,
            value=lambda now: together(test(now) for test in tests),
        )

    def _comparison(self, node: SyntaxNode) -> tuple[ValueKind, Work]:
        (left, one), (right, two) = map(self.checked, node.args)
        compare, same = _COMPARED[node.op], node.op in ("=", "!=")
        kinds = {left.name, right.name} - {"none"}
        if len(kinds) > 1 or (not same and kinds != {"number"}):
            like = "like with like" if same else "numbers"
            reason = f"`{node.op}` compares {like}, not {left.said} with {right.said}"
            raise self._fail_at(node.args[0], reason, _comparable(left if same else NOTHING))
        if left.name == right.name == "option" and left.options.isdisjoint(right.options):
            reason = f"`{node.op}` compares {left.said} with {right.said}, which are never the same"
            raise self._fail_at(node.args[0], reason, _comparable(left))
        if same:
            return TRUTH, Work(compare, (one, two))

        def compared(a: Value, b: Value) -> bool:
            # A choice that has not been made is neither greater nor less than any value.
            return a is not None and b is not None and compare(a, b)

        return TRUTH, Work(compared, (one, two))

    def _arithmetic(self, node: SyntaxNode) -> tuple[ValueKind, Work]:
        (left, one), (right, two) = (
            self._need(side, "number", f"`{node.op}`") for side in node.args
        )
        op = node.op
        if op in ("/", "mod", "div") and not right.constant:
            reason = f"`{op}` divides by a fixed number only, which is not 0"
            raise self._fail(reason, remedy="Divide by a number or a setting.")
        if op in ("mod", "div") and not (left.exact and right.exact and right.low > 0):
            reason = f"`{op}` takes a number that is not rounded, and a divisor above 0"
            raise self._fail(reason, remedy="Leave out logarithms, and use a divisor above 0.")
        kind = self._bounded(f"`{op}`", lambda: _of_arithmetic(op, left, right))
        work = _ARITHMETIC[op]

        def worked(a: Value, b: Value) -> Value:
            return None if a is None or b is None else work(a, b)

        return kind, Work(worked, (one, two))


_RULES: dict[str, Callable[[_Checker, SyntaxNode], tuple[ValueKind, Work]]] = {
    "number": _Checker._number,
    "name": _Checker._name,
    "call": _Checker._call,
    "if": _Checker._case,
    "and": _Checker._joined,
    "or": _Checker._joined,
    "not": _Checker._not,
    "negative": _Checker._negative,
    **dict.fromkeys(("+", "-", "*", "/", "mod", "div"), _Checker._arithmetic),
}


def _fixed(value: Fraction) -> ValueKind:
    end = value.numerator if value.denominator == 1 else value
    return number(end, end, value.denominator)


def _comparable(kind: ValueKind) -> str:
    """Return with what a value can be compared."""
    if kind.name == "option":
        return f"Compare it with {join_names(sorted(kind.options)[:8], 'or')}."
    return "Compare numbers with numbers."


def _kind_of(options: Iterable[Option]) -> ValueKind:
    listed = tuple(options)
    numbers = [listed_option for listed_option in listed if isinstance(listed_option, int)]
    if len(numbers) == len(listed):
        return number(min(numbers), max(numbers), 1)
    return option(*(str(listed_option) for listed_option in listed))


def _of_arithmetic(op: str, left: ValueKind, right: ValueKind) -> ValueKind:
    parts = left.denominator, right.denominator
    if op == "+":
        return number(left.low + right.low, left.high + right.high, math.lcm(*parts))
    if op == "-":
        return number(left.low - right.high, left.high - right.low, math.lcm(*parts))
    if op == "mod":
        whole = right.low // 1 == right.low and left.whole
        if left.low >= 0 and left.high < right.low:
            return left
        return number(0, right.low - 1 if whole else right.low, math.lcm(*parts))
    work = _ARITHMETIC[op]
    if op == "div":
        return number(int(work(left.low, right.low)), int(work(left.high, right.low)), 1)
    ends = [work(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    if op == "*":
        return number(min(ends), max(ends), math.prod(parts))
    # The divisor is a fixed number.
    divisor = abs(right.low.numerator) if right.exact else 0
    return number(min(ends), max(ends), left.denominator * divisor)


def _case_of(holds: Value, then: Value, other: Value) -> Value:
    return then if holds else other


def _negated(value: Value) -> Value:
    return None if value is None else -value


def _divided(a: Value, b: Value) -> Value:
    return a / b if isinstance(a, float) else Fraction(a) / b


_ARITHMETIC: dict[str, Callable[[Value, Value], Value]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divided,
    "mod": operator.mod,
    "div": operator.floordiv,
}
_COMPARED: dict[str, Callable[[Value, Value], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
