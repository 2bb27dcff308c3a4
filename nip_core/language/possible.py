"""What can happen in a protocol, found by a pass over all possible plays without probabilities.

Of a choice whose value decides neither who acts nor where play goes, one option stands for all. So
grids of estimates, which only set amounts, do not multiply states. A second pass looks for payments
and a verdict that the first one has not met, with the choices on which these depend.
"""

from __future__ import annotations

from fractions import Fraction

from nip_core.budget import EXPRESSIONS, spend
from nip_core.language.arrays import Column, Rows
from nip_core.language.data import Act, Choice, Option, Pay
from nip_core.language.forward import Forward, Limit, Result
from nip_core.language.given import GivenPlay
from nip_core.language.liveness import Written
from nip_core.language.structure import Structure
from nip_core.language.syntax import SyntaxNode

__all__ = ["Pass", "Possible"]

# Functions whose value may be none although no argument is.
_MAY_BE_NONE = ("majority", "unanimous", "at", "find")


class Pass(Forward):
    """One pass, in which only some choices are made in every way.

    Attributes
    ----------
    ways, went, paid
        See :class:`Possible`.
    """

    def __init__(self, spec: Structure, deciding: set[str]) -> None:
        self._deciding = deciding
        self._limited = {(choice, option) for choice, option, _ in spec.option_limits}
        self.ways: dict[Written, set[tuple[Act, ...]]] = {}
        self.went: dict[Written, set[str | None]] = {}
        self.paid: set[int] = set()
        rules = dict.fromkeys(range(len(spec.pay)), Fraction(1))
        result = Result(rules, verdict=True)
        super().__init__(spec, GivenPlay(spec), result, Limit(spec.name, None), exact=False)

    def note_acts(self, here: Written, acts: tuple[Act, ...]) -> None:
        """Take note of acts that happen together in a turn."""
        self.ways.setdefault(here, set()).add(acts)

    def note_target(self, here: Written, target: str | None) -> None:
        """Take note of where play goes after a turn."""
        self.went.setdefault(here, set()).add(target)

    def add(self, number: int, amounts: Column, rows: Rows) -> None:
        """Note that a rule is applied, if it is."""
        if any(value is not None for value, _ in amounts.groups()):
            self.paid.add(number)

    def tried(self, choice: Choice, ways: dict[Option, Fraction]) -> dict[Option, Fraction]:
        """Return the options that are tried."""
        if choice.name in self._deciding:
            return ways
        # An option that is not limited is never used up.
        usual = (option for option in ways if (choice.name, option) not in self._limited)
        return {next(usual, next(iter(ways))): Fraction(1)}


class Possible:
    """What can happen in a protocol.

    Parameters
    ----------
    spec : Structure

    Attributes
    ----------
    ways : dict
        For each reached turn, the possible sets of acts.
    went : dict
        For each such turn, the targets of the conditions that held; None if none did.
    paid : set of int
        The numbers of the rules of pay that may be applied.
    has_verdict : bool
        Whether the verdict may be something else than none.

    Raises
    ------
    TooLargeError
        If it takes more steps than the budget in use.
    """

    def __init__(self, spec: Structure) -> None:
        course = [
            text
            for _, _, turn in spec.places()
            for text in (
                *(act.when for act in turn.acts),
                *(condition for _, condition in turn.then),
            )
        ]
        decides = set[str]().union(*(_named(spec, text) for text in dict.fromkeys(course)))
        walk = Pass(spec, _closed(spec, decides))
        self.ways, self.went, self.paid = walk.ways, walk.went, set(walk.paid)
        self.has_verdict = not walk.verdicts.keys() <= {(None, None)}
        # What was not seen yet may need other values of other choices.
        missing = {n for n in range(len(spec.pay)) if n not in self.paid}
        more = set[str]().union(*(_decide_pay(spec, spec.pay[number]) for number in missing))
        if not self.has_verdict:
            more |= _decide_none(spec, _expanded(spec, spec.verdict))[1]
        if not more <= decides:
            walk = Pass(spec, _closed(spec, decides | more))
            self.paid |= walk.paid
            self.has_verdict = self.has_verdict or not walk.verdicts.keys() <= {(None, None)}


def _closed(spec: Structure, names: set[str]) -> set[str]:
    """Return choices with all those on which their open options and chances depend."""
    together: dict[str, set[str]] = {}
    for act in dict.fromkeys(act for _, _, act in spec.acts() if act.total is not None):
        # What is open for one of several numbers with a total depends on the others.
        for name, _ in act.choose:
            together.setdefault(name, set()).update(other for other, _ in act.choose)
    closed, new = set(names), names
    while new:
        weights = {text for name in new for text in spec.choice(name).weights}
        more = set[str]().union(
            *(together.get(name, ()) for name in new), *(_named(spec, text) for text in weights)
        )
        new = more - closed
        closed |= new
    return closed


def _decide_pay(spec: Structure, pay: Pay) -> set[str]:
    """Return the choices whose value decides whether a rule is applied."""
    return _named(spec, pay.when) | _decide_none(spec, _expanded(spec, pay.amount))[1]


def _expanded(spec: Structure, text: str) -> SyntaxNode:
    return spec.names.expanded(spec.expression(text).tree)


def _named(spec: Structure, text: str) -> set[str]:
    """Return the choices whose present or previous values an expression depends on."""
    return {*spec.names.decided_by(spec.expression(text).reads)}


def _inside(spec: Structure, node: SyntaxNode) -> set[str]:
    """Return the choices in an expression."""
    spend(1, EXPRESSIONS)
    if node.op in ("name", "collected"):
        return (
            {*spec.names.decided_by([node.name])} if node.name in spec.names.changed_by else set()
        )
    return set[str]().union(*(_inside(spec, part) for part in node.args))


def _decide_none(spec: Structure, node: SyntaxNode) -> tuple[bool, set[str]]:
    """Return whether an expression may be none, and the choices whose value decides this."""
    spend(1, EXPRESSIONS)
    if node.op == "collected":
        counted = {value.name: value.way for value in spec.values}[node.name] in ("sum", "count")
        return not counted, {*spec.names.decided_by([node.name])}
    if node.op == "name":
        return node.name in spec.options or node.name == "none", set()
    if node.op in ("number", "and", "or", "not", "=", "!=", "<", "<=", ">", ">="):
        return False, set()
    if node.op == "if":
        condition, *cases = node.args
        decisions = [_decide_none(spec, case) for case in cases]
        if not any(may for may, _ in decisions):
            return False, set()
        return True, _inside(spec, condition).union(*(names for _, names in decisions))
    if node.op == "call" and node.name in _MAY_BE_NONE:
        # Which of the values `at` takes depends on the first one only.
        valued = node.args[:1] if node.name == "at" else node.args
        names = set[str]().union(*(_inside(spec, part) for part in valued))
        return True, names.union(*(_decide_none(spec, part)[1] for part in node.args))
    decisions = [_decide_none(spec, part) for part in node.args]
    return any(may for may, _ in decisions), set[str]().union(*(names for _, names in decisions))
