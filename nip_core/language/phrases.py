"""Expressions in words: conditions as clauses, values as phrases, and amounts case by case."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import NamedTuple

from nip_core.displays import MOST_LISTED, in_sentence, join_names, listed, plural
from nip_core.language.data import CHANCE, TASK, Option
from nip_core.language.expressions import OVER, REPEAT, Value
from nip_core.language.functions import FUNCTIONS
from nip_core.language.specification import Specification
from nip_core.language.syntax import SyntaxNode

__all__ = ["Amount", "AmountCase", "Phrases", "number_in_words", "numbered"]

# An amount with more cases is said as a calculation.
MOST_CASES = 12
_COMPARED = {
    "=": ("is", "is not"),
    "!=": ("is not", "is"),
    "<": ("is below", "is at least"),
    "<=": ("is at most", "is above"),
    ">": ("is above", "is at most"),
    ">=": ("is at least", "is below"),
}
_MADE_OF = {
    "majority": "what most of {} say",
    "mean": "the mean of {}",
    "median": "the median of {}",
    "min": "the lowest of {}",
    "max": "the highest of {}",
    "abs": "the size of {}",
    "sum": "the sum of {}",
}
_ARITHMETIC = {
    "+": "{} plus {}",
    "-": "{} minus {}",
    "*": "{} times {}",
    "/": "{} divided by {}",
    "mod": "the rest of {} divided by {}",
    "div": "{} divided by {} without the rest",
}
_SCORES = {"quadratic": "quadratic", "log": "logarithmic", "spherical": "spherical"}


class Amount(NamedTuple):
    """A number, plus multiples of other values; or a value that is no number."""

    fixed: Fraction = Fraction(0)
    parts: tuple[tuple[Fraction, SyntaxNode], ...] = ()
    value: SyntaxNode | None = None

    def times(self, factor: Fraction) -> Amount:
        """Return its multiple."""
        parts = tuple((factor * item, node) for item, node in self.parts if factor)
        return Amount(factor * self.fixed, parts, self.value)


class AmountCase(NamedTuple):
    """The amount where several conditions hold, and those of no earlier case."""

    when: tuple[SyntaxNode, ...]
    amount: Amount


class Phrases:
    """The words for one protocol's expressions, for the player of a seat or for everybody."""

    def __init__(self, spec: Specification, you: str | None = None) -> None:
        self.spec, self.you, self.settings = spec, you, dict(spec.settings)
        self._verdict = spec.expression(spec.verdict).tree
        self.verdict_choice = self._only_choice(self._verdict)
        self._outcomes = {} if self.verdict_choice else dict(_outcomes(self._verdict, spec.options))
        titles = [spec.title_of(choice.name) for choice in spec.choices]
        self._shared = {title for title in titles if titles.count(title) > 1}

    def _only_choice(self, verdict: SyntaxNode) -> str | None:
        """Return the choice that is the verdict by itself, if it is made."""
        if verdict.op == "if" and verdict.args[2].name == "none":
            verdict = verdict.args[1]
        return verdict.name if (verdict.name,) == self.spec.roles.verdict else None

    @property
    def forced(self) -> Option | None:
        """The verdict that counts whatever is decided: an option, or the choice that says it."""
        node, made = self._verdict, self.spec.roles.verdict
        if node.op != "if" or node.args[2].name != "none" or self.verdict_choice is not None:
            return None
        counts, decided = node.args[1], node.args[0].args
        named = bool(decided) and decided[0].name in made
        return counts.name if named and counts.op == "name" and counts.name not in made else None

    # -- names -----------------------------------------------------------------------------------

    def seat(self, seat: str) -> str:
        """Return a seat within a sentence: ``"the judge"``, or ``"you"``."""
        if seat in (CHANCE, TASK):
            return "chance" if seat == CHANCE else "the task"
        return "you" if seat == self.you else self.spec.seat_phrase(seat)

    def term(self, name: object) -> str:
        """Return a name of the protocol within a sentence."""
        return in_sentence(self.spec.title_of(name))

    def choice(self, name: str) -> str:
        """Return a choice within a sentence: ``"the verdict"``, ``"juror 1's vote"``."""
        by, title = self.spec.choice(name).by, self.term(name)
        title = "verdict" if name == self.verdict_choice else title
        if name == self.spec.roles.dealt:
            sides = self.spec.roles.sides.items()
            own = [seat for seat, side in sides if (side.choice, side.other) == (name, False)]
            by = own[0] if len(own) == 1 else by
            if by in self.spec.seat_names and by != self.you:
                return f"{self.seat(by)}'s {title}"
        if by == self.you:
            return f"your {title}"
        if self.spec.title_of(name) in self._shared and by in self.spec.seat_names:
            return f"{self.seat(by)}'s {title}"
        return f"the {title}"

    def goes_on(self, name: str, option: Option) -> bool:
        """Return whether an option of the verdict only says that there is none yet."""
        return name == self.verdict_choice and self.spec.roles.go_on.get(name) == option

    def choices(self, names: Sequence[str]) -> str:
        """Return several choices: ``"the votes of juror 1 and juror 2"``."""
        if run := numbered([self.term(name) for name in names]):
            return run
        titles = {self.spec.title_of(name) for name in names}
        others = [name for name in names if self.spec.choice(name).by != self.you]
        # In a short list, each is called as the player knows it.
        if len(titles) == 1 < len(others) and (self.you is None or len(others) > MOST_LISTED):
            seats = [self.seat(self.spec.choice(name).by) for name in others]
            theirs = f"the {plural(self.term(names[0]))} of {listed(seats)}"
            own = [self.choice(name) for name in names if name not in others]
            return join_names([*own, theirs])
        return listed(map(self.choice, names))

    # -- values ----------------------------------------------------------------------------------

    def value(self, text: str) -> str:
        """Return a value in words."""
        return self._value(self.spec.expression(text).tree)

    def clause(self, node: SyntaxNode) -> str:
        """Return the condition of a syntax tree in words."""
        return self._clause(node)

    def node(self, node: SyntaxNode) -> str:
        """Return the value of a syntax tree in words."""
        return self._value(node)

    def _value(self, node: SyntaxNode) -> str:
        if self._is_verdict(node):
            return "the verdict"
        if node.op == "number":
            return number_in_words(node.number)
        if node.op == "name":
            return self._name(node.name)
        if node.op == "call":
            return self._call(node)
        if node.op == "if":
            condition, then, other = node.args
            text = f"{self._value(then)} if {self._clause(condition)}"
            return f"{text} and {self._value(other)} otherwise"
        if node.op in ("mod", "div"):
            return _ARITHMETIC[node.op].format(*map(self._single, node.args))
        if node.op == "negative" or node.op in _ARITHMETIC:
            return self._calculated(node)
        return f"whether {self._clause(node)}"

    def _calculated(self, node: SyntaxNode) -> str:
        cases = self._cases(node)
        if len(cases) == 1:
            amount = cases[0].amount
            # A product of two values that are not fixed is one part itself, as is a rest.
            if (
                amount.fixed
                or len(amount.parts) != 1
                or amount.parts[0][1].op not in ("*", "mod", "div")
            ):
                return self.amount(amount)
            node = amount.parts[0][1]
        parts = [self._single(item) for item in node.args]
        return _ARITHMETIC.get(node.op, "minus {}").format(*parts)

    def _single(self, node: SyntaxNode) -> str:
        """Return a value beside others, a sum as one thing: ``"the sum of a and b"``."""
        cases = self._cases(node) if node.op in (*_ARITHMETIC, "negative") else []
        amount = cases[0].amount if len(cases) == 1 else Amount()
        terms = [*([amount.fixed] if amount.fixed else []), *(f for f, _ in amount.parts)]
        if len(terms) < 2:
            return self._value(node)
        if len(terms) == 2 and max(terms) > 0 > min(terms):
            whole, _, less = self.amount(amount).partition(" minus ")
            return f"the difference of {whole} and {less}"
        if min(terms) < 0:
            return f"the result of {self.amount(amount)}"
        *most, last = self.amount(amount).split(" plus ")
        return f"the sum of {', '.join(most)} and {last}"

    def _is_verdict(self, node: SyntaxNode) -> bool:
        # A value that is the verdict has a name of its own.
        is_value = node.op == "name" and node.name in self.spec.names.values
        return (is_value or node.op not in ("name", "number")) and node == self._verdict

    def _name(self, name: str) -> str:
        if name in self.spec.options:
            return self.choice(name)
        if name in self.settings:
            return number_in_words(self.settings[name])
        fixed = {"none": "nothing", REPEAT: "the number of the repetition", OVER: "the end of play"}
        if name in self.spec.names.values:
            return f"the {self.term(name)}"
        return fixed.get(name) or self.term(name)

    def _call(self, node: SyntaxNode) -> str:
        name, args = node.name, node.args
        names = [item.name for item in args if item.op == "name" and item.name in self.spec.options]
        if len(names) == len(args):
            what = self.choices(names)
        elif len(args) > MOST_LISTED and self.are_alike(args):
            what = f"{self._single(args[0])} and the same of {len(args) - 1} others"
        else:
            what = join_names(map(self._single, args)) if args else ""
        if name in _SCORES:
            return self._score(node)
        if name == "unanimous":
            return f"what {what} agree on"
        if name == "count":
            if len(args) > MOST_LISTED and (counted := self._counted(args)):
                return counted
            what = join_names(map(self._clause, args), "and")
            return f"how many of these are true: {what}" if args[1:] else f"1 if {what}, else 0"
        if name == "find":
            return (
                f"the place of {self._value(args[0])} in {join_names(map(self._single, args[1:]))}"
            )
        if name == "at":
            rest = self.choices(names[-len(args) + 1 :]) if len(names) >= len(args) - 1 else ""
            what = rest or listed(map(self._single, args[1:]))
            return f"the one of {what} that {self._value(args[0])} names"
        if name == "other":
            return self._other(args[0])
        if name == "before":
            return f"the previous value of {self._value(args[0])}"
        if name == "power":
            return f"{self._single(args[0])} to the power of {self._single(args[1])}"
        return _MADE_OF[name].format(what)

    def _counted(self, conditions: Sequence[SyntaxNode]) -> str:
        """Return how many of several choices meet one condition; nothing if they are not alike."""
        first = conditions[0]
        compared = [item.args[0].name for item in conditions if len(item.args) == 2]
        fits = first.op in _COMPARED and all(map(self._is_fixed, first.args[1:]))
        alike = all((item.op, item.args[1:]) == (first.op, first.args[1:]) for item in conditions)
        if not fits or not alike or not {*compared} <= self.spec.options.keys():
            return ""
        verb = _COMPARED[first.op][0].replace("is", "are", 1)
        return f"how many of {self.choices(compared)} {verb} {self._value(first.args[1])}"

    @cached_property
    def _large(self) -> dict[str, tuple[str, ...]]:
        """The members of families that are too large to be listed."""
        return {f.name: f.members for f in self.spec.families if len(f.members) > MOST_LISTED}

    def owns(self, seat: str, name: str) -> str:
        """Return the large family of which a seat has one, if that is this one."""
        for family in self.spec.families:
            if family.each and name in self._large.get(family.name, ()):
                seats = self._large.get(family.each, ())
                if seat in seats and family.members.index(name) == seats.index(seat):
                    return family.name
        return ""

    def are_alike(self, nodes: Sequence[SyntaxNode]) -> bool:
        """Return whether expressions differ only in the members of families that they are about."""
        families = {member: own for own, members in self._large.items() for member in members}
        first, *rest = (
            [(node.op, families.get(node.name, node.name), node.number) for node in own.nodes()]
            for own in nodes
        )
        return all(shape == first for shape in rest)

    def _other(self, node: SyntaxNode) -> str:
        if node.op != "name" or node.name not in self.spec.options:
            return f"the opposite of {self._value(node)}"
        by, title = self.spec.choice(node.name).by, self.term(node.name)
        verb = {CHANCE: "draw", TASK: "name"}.get(by, "choose")
        return f"the {title} that {self.seat(by)} did not {verb}"

    def _score(self, node: SyntaxNode) -> str:
        percent, event = node.args[0], node.args[1]
        of = self._value(percent)
        text = f"the {_SCORES[node.name]} score of {of}"
        if event.op == "name" and event.name in ("true", "false"):
            return text if event.name == "true" else f"{text}, counted from 100 down"
        known = self.spec.roles.estimates.get(percent.name) if percent.op == "name" else None
        if known is not None and event.op == "=" and self._is_event(event, known.about):
            return text
        return f"{text} as the chance that {self._clause(event)}"

    def _is_event(self, node: SyntaxNode, about: str) -> bool:
        return any(item.op == "name" and item.name == about for item in node.args)

    def worked_out(self, value: Value) -> str:
        """Return what a value is, in words."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if value is None or isinstance(value, str):
            return "none" if value is None else self.term(value)
        return number_in_words(Fraction(value).limit_denominator(10**6))

    # -- amounts ---------------------------------------------------------------------------------

    def cases(self, text: str) -> list[AmountCase]:
        """Return a value case by case: the first whose conditions hold is the one that counts."""
        tree = self.spec.expression(text).tree
        cases = self._cases(tree)
        if len(cases) > MOST_CASES:
            return [AmountCase((), self._leaf(tree))]
        return cases

    def _cases(self, node: SyntaxNode) -> list[AmountCase]:
        if node.op == "if":
            condition, then, other = node.args
            inner = [AmountCase((condition, *c.when), c.amount) for c in self._cases(then)]
            return [*inner, *self._cases(other)][: MOST_CASES + 1]
        if node.op == "negative":
            inner = self._cases(node.args[0])
            return [AmountCase(c.when, c.amount.times(Fraction(-1))) for c in inner]
        if node.op in ("+", "-"):
            terms = _terms(node)
            found = [self._cases(item) for _, item in terms]
            if prod(map(len, found)) > MOST_CASES:
                return [AmountCase((), self._leaf(node))] * (MOST_CASES + 1)
            signs = [sign for sign, _ in terms]
            return [
                AmountCase(
                    tuple(each for one in ones for each in one.when),
                    _sum([one.amount.times(sign) for sign, one in zip(signs, ones, strict=True)]),
                )
                for ones in product(*found)
            ]
        if node.op in ("*", "/"):
            left, right = (self._cases(item) for item in node.args)
            if len(left) * len(right) > MOST_CASES:
                return [AmountCase((), self._leaf(node))] * (MOST_CASES + 1)
            return [
                AmountCase((*one.when, *two.when), _worked(node.op, one.amount, two.amount))
                for one in left
                for two in right
            ]
        return [AmountCase((), self._leaf(node))]

    def _leaf(self, node: SyntaxNode) -> Amount:
        number = self._fixed(node)
        if number is not None:
            return Amount(number)
        if node.op == "name" and not isinstance(self._kind(node), int):
            return Amount(value=node)
        return Amount(parts=((Fraction(1), node),))

    def _kind(self, node: SyntaxNode) -> Option | None:
        """Return some option of a choice: its type is that of all."""
        options = self.spec.options.get(node.name)
        if node.name in self.spec.names.values:
            return 0 if self.spec.names.computed(node.name).kind.name == "number" else None
        return options[0] if options else 0 if node.name == REPEAT else None

    def _fixed(self, node: SyntaxNode) -> Fraction | None:
        """Return the value of an expression in which everything is fixed."""
        if node.op == "number":
            return node.number
        if node.op == "name":
            return self.settings.get(node.name)
        if node.op == "call" and node.name in (
            "power",
            "mean",
            "median",
            "min",
            "max",
            "abs",
            "sum",
        ):
            numbers = [self._fixed(item) for item in node.args]
            if None not in numbers:
                return Fraction(FUNCTIONS[node.name].work(*numbers))
        return None

    def amount(self, amount: Amount) -> str:
        """Return an amount in words: ``"8 minus 0.08 times the estimate"``."""
        if amount.value is not None:
            return self._value(amount.value)
        # A negative number comes after what it is taken from.
        late = amount.fixed < 0 and any(factor > 0 for factor, _ in amount.parts)
        early = not amount.parts or (amount.fixed and not late)
        text = number_in_words(amount.fixed) if early else ""
        for factor, node in sorted(amount.parts, key=lambda part: part[0] < 0 if late else False):
            sign = "minus " if factor < 0 else "plus " if text else ""
            many = f"{number_in_words(abs(factor))} times " if abs(factor) != 1 else ""
            text = f"{text} {sign}{many}{self._value(node)}".strip()
        return f"{text} {number_in_words(amount.fixed)}" if late else text

    # -- conditions ------------------------------------------------------------------------------

    def condition(self, text: str) -> str:
        """Return a condition as a clause: ``"the action is audit"``."""
        return self._clause(self.spec.expression(text).tree)

    def all_of(self, nodes: Sequence[SyntaxNode]) -> str:
        """Return several conditions as one clause."""
        return self._clause(nodes[0] if len(nodes) == 1 else SyntaxNode("and", tuple(nodes)))

    def _clause(self, node: SyntaxNode, *, no: bool = False) -> str:
        if node in self._outcomes:
            return f"the verdict is {'not ' * no}{self._value(self._outcomes[node])}"
        if node.op == "not":
            return self._clause(node.args[0], no=not no)
        if node.op in ("and", "or"):
            return self._joined(node, no=no)
        if node.op == "if":
            condition, then, other = node.args
            first, rest = self._clause(then, no=no), self._clause(other, no=no)
            return f"{first} if {self._clause(condition)}, and {rest} otherwise"
        if node.op == "name":
            yes, not_so = {
                "true": ("always", "never"),
                "false": ("never", "always"),
                OVER: ("play is over", "play goes on"),
            }.get(node.name) or (f"the {self.term(node.name)} holds", "")
            return not_so or f"the {self.term(node.name)} does not hold" if no else yes
        return self._compared(node, no=no)

    def _joined(self, node: SyntaxNode, *, no: bool) -> str:
        made = self._decided(node)
        if made is not None:
            return f"{'no' if no else 'a'} verdict is given"
        word = {"and": "or", "or": "and"}[node.op] if no else node.op
        args = [item for item in node.args if not self._is_implied(item, node)]
        if word == "or" and not no and (alike := self._one_of(args)):
            return alike
        clauses: list[str] = []
        for item in args:
            clause = self._clause(item, no=no)
            inner = item.op if not no else {"and": "or", "or": "and"}.get(item.op, "")
            mixed = inner in ("and", "or") and inner != word and " or " in clause
            clauses.append(f"either {clause}" if mixed and inner == "or" else clause)
        return join_names(dict.fromkeys(clauses), word)

    def _one_of(self, nodes: Sequence[SyntaxNode]) -> str | None:
        """Return that a choice has one of several options, if that is what is said."""
        names = {item.args[0].name for item in nodes if item.op == "=" and item.args}
        right = [item.args[1] for item in nodes if item.op == "="]
        literal = all(map(self._is_fixed, right))
        if len(nodes) < 2 or len(right) < len(nodes) or len(names) != 1 or not literal:
            return None
        if any(r.name == "none" for r in right) or names.isdisjoint(self.spec.options):
            return None
        (name,) = names
        return f"{self.choice(name)} is {join_names(map(self._value, right), 'or')}"

    def _decided(self, node: SyntaxNode) -> str | None:
        """Return the choice whose every option to end play is named: a verdict is given."""
        for name, stays in self.spec.roles.go_on.items():
            if name in self.spec.roles.verdict and node.op == "or":
                ends = {option for option in self.spec.options[name] if option != stays}
                named = {item.args[1].name for item in node.args if self._names(item, name)}
                if named == ends and len(node.args) == len(ends):
                    return name
        return None

    def _names(self, node: SyntaxNode, name: str) -> bool:
        return node.op == "=" and node.args[0].op == "name" and node.args[0].name == name

    def _is_implied(self, node: SyntaxNode, whole: SyntaxNode) -> bool:
        """Return whether another condition for a verdict already says that it is given."""
        name = self._decided(node)
        if name is None or whole.op != "and":
            return False
        others = [item for item in whole.args if item != node and item.op in ("=", "!=")]
        return any(name in {arg.name for arg in item.args} for item in others)

    def _compared(self, node: SyntaxNode, *, no: bool) -> str:
        left, right = node.args
        if self._is_fixed(left) and node.op in ("=", "!="):
            left, right = right, left
        if right.op == "name" and right.name == "none":
            return self._made(left, made=(node.op == "!=") != no)
        if node.op in ("=", "!=") and right.op == "name" and self.goes_on(left.name, right.name):
            return f"{'a' if (node.op == '!=') != no else 'no'} verdict is given"
        right_or_wrong = self._agrees(left, right) if node.op in ("=", "!=") else None
        if right_or_wrong is not None:
            return f"{right_or_wrong} is {'right' if (node.op == '=') != no else 'wrong'}"
        verb = _COMPARED[node.op][no]
        return f"{self._value(left)} {verb} {self._value(right)}"

    def _is_fixed(self, node: SyntaxNode) -> bool:
        """Return whether a node is a number, a setting or an option."""
        known = node.name in self.spec.options or node.name in self.spec.names.values
        return node.op == "number" or (node.op == "name" and not known)

    def _made(self, node: SyntaxNode, *, made: bool) -> str:
        """Return that a value is there, or not yet."""
        if self._is_verdict(node):
            return "there is a verdict" if made else "there is no verdict"
        if node.op == "name" and node.name in self.spec.roles.verdict:
            return f"{self.choice(node.name)} has {'' if made else 'not '}been given"
        if node.op == "call" and node.name in ("unanimous", "majority"):
            names = [item.name for item in node.args]
            verb = "agree" if node.name == "unanimous" else "have a majority"
            return f"{self.choices(names)} {'' if made else 'do not '}{verb}"
        if node.op == "name" and node.name in self.spec.names.values:
            return f"{self._value(node)} is {'' if made else 'not '}known"
        return f"{self._value(node)} has {'' if made else 'not '}been chosen"

    def _agrees(self, left: SyntaxNode, right: SyntaxNode) -> str | None:
        """Return the verdict, or a vote, that is compared with the truth."""
        roles = self.spec.roles
        for one, two in ((left, right), (right, left)):
            if one.op == "name" and one.name == roles.truth:
                if self._is_verdict(two):
                    return "the verdict"
                if two.op == "name" and two.name in roles.verdict:
                    return self.choice(two.name)
        return None


def _outcomes(
    verdict: SyntaxNode, choices: Collection[str]
) -> Iterator[tuple[SyntaxNode, SyntaxNode]]:
    """Yield the conditions that hold exactly when the verdict is a certain one."""
    if verdict.op != "if":
        return
    first, value, rest = verdict.args
    if value.op == "name" and value.name not in choices:
        yield first, value
    opposite = {">": "<", "<": ">"}.get(first.op)
    if rest.op == "if" and rest.args[0].op == opposite and rest.args[0].args == first.args:
        yield from _outcomes(rest, choices)


def _terms(node: SyntaxNode) -> list[tuple[Fraction, SyntaxNode]]:
    """Return the terms of a sum with their signs; a long sum is worked out at once."""
    terms: list[tuple[Fraction, SyntaxNode]] = []
    while node.op in ("+", "-"):
        rest, last = node.args
        terms.append((Fraction(1 if node.op == "+" else -1), last))
        node = rest
    return [(Fraction(1), node), *reversed(terms)]


def _sum(amounts: Sequence[Amount]) -> Amount:
    nothing = next((amount.value for amount in amounts if amount.value is not None), None)
    if nothing is not None:
        return Amount(value=nothing)
    parts = dict[SyntaxNode, Fraction]()
    for amount in amounts:
        for factor, node in amount.parts:
            parts[node] = parts.get(node, Fraction(0)) + factor
    kept = tuple((factor, node) for node, factor in parts.items() if factor)
    return Amount(sum((amount.fixed for amount in amounts), Fraction(0)), kept)


def _worked(op: str, left: Amount, right: Amount) -> Amount:
    nothing = left.value or right.value
    if nothing is not None:
        return Amount(value=nothing)
    if op == "/":
        return left.times(1 / right.fixed)
    if not left.parts:
        return right.times(left.fixed)
    if not right.parts:
        return left.times(right.fixed)
    return Amount(parts=((Fraction(1), SyntaxNode("*", (_as_node(left), _as_node(right)))),))


def _as_node(amount: Amount) -> SyntaxNode:
    nodes = [SyntaxNode("number", number=amount.fixed)] if amount.fixed else []
    for factor, part in amount.parts:
        many = SyntaxNode("number", number=factor)
        nodes.append(part if factor == 1 else SyntaxNode("*", (many, part)))
    node = nodes[0]
    for item in nodes[1:]:
        node = SyntaxNode("+", (node, item))
    return node


def numbered(titles: Sequence[str]) -> str:
    """Return titles that differ in a number only together: ``"the estimates 1, 2 and 3"``."""
    parts = [title.rpartition(" ") for title in titles]
    if len(titles) > MOST_LISTED and (run := listed(titles)).startswith(f"{plural(parts[0][0])} "):
        return f"the {run}"
    alike = len(parts) > 1 and len({word for word, _, _ in parts}) == 1 and parts[0][0]
    if not alike or not all(number.isdigit() for _, _, number in parts):
        return ""
    return f"the {parts[0][0]}s {join_names(number for _, _, number in parts)}"


def number_in_words(number: Fraction) -> str:
    """Return a number without operators: ``"0.05"``, ``"1 in 3"``, ``"minus 2"``."""
    if number < 0:
        return f"minus {number_in_words(-number)}"
    if number.denominator == 1:
        return f"{int(number):,}"
    text = f"{float(number):.12g}"
    if "e" not in text and Fraction(text) == number:
        return text
    whole, rest = divmod(number.numerator, number.denominator)
    part = f"{rest:,} in {number.denominator:,}"
    return f"{whole:,} and {part}" if whole else part
