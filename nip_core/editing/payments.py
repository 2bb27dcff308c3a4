"""Payments as a table: options by seats, with numbers.

A table is about one or two choices; its rows and columns are their options. It is written as one
rule for each cell. Any rules that pay fixed numbers by these choices alone are read as a table; all
others stay sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from nip_core.displays import displayed
from nip_core.editing.arguments import Plain
from nip_core.editing.draft import Draft
from nip_core.editing.edits import Add, Remove
from nip_core.editing.forms import Document, is_list, is_table, paid_to
from nip_core.editing.work import RefusedError, Work, gesture
from nip_core.errors import EditError, SpecError, known_names, show
from nip_core.language import Option, Specification
from nip_core.language.data import ALWAYS, END

__all__ = ["PayTable", "pay_tables"]

MOST_OPTIONS = 12


@displayed
@dataclass(frozen=True)
class PayTable:
    """What seats are paid, by the options of one or two choices.

    Parameters
    ----------
    choices : tuple of str
    options : tuple of tuple
        The options of each choice.
    amounts : mapping of str to tuple
        For each seat its amounts, in the order of rows: of the first choice's first option come the
        amounts of all options of the second.
    rules : tuple of int
        The numbers of the rules, from 0.
    at : str
        When it is paid: ``"end"``, a seat or a choice.
    """

    choices: tuple[str, ...]
    options: tuple[tuple[Option, ...], ...]
    amounts: Mapping[str, tuple[Fraction, ...]]
    rules: tuple[int, ...]
    at: str = END

    @property
    def cells(self) -> list[tuple[Option, ...]]:
        """The options of each cell, in the order of amounts."""
        return [*product(*self.options)]

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain data for a page."""
        width = len(self.options[1]) if len(self.options) > 1 else 1
        return {
            "choices": [*self.choices],
            "options": [[*own] for own in self.options],
            "amounts": {
                seat: [[*map(_plain, own[n : n + width])] for n in range(0, len(own), width)]
                for seat, own in self.amounts.items()
            },
            "rules": [*self.rules],
            "at": self.at,
        }


def _plain(number: Fraction) -> int | float | str:
    if number.denominator == 1:
        return int(number)
    exact = Fraction(repr(float(number))) == number
    return float(number) if exact else str(number)


def pay_tables(draft: Draft) -> list[PayTable]:
    """Return the tables that the rules of pay are, each with the numbers of its rules."""
    spec, rules = draft.spec, draft.document.get("pay", [])
    if len(spec.pay) != len(rules):
        # Rules of families are written out for their members.
        return []
    found: dict[tuple[tuple[str, ...], str], list[int]] = {}
    for number, rule in enumerate(rules):
        names = _choices_of(spec, rule)
        if names:
            found.setdefault((names, rule.get("at", END)), []).append(number)
    tables = (_table(spec, names, at, numbers, rules) for (names, at), numbers in found.items())
    return [table for table in tables if table is not None]


def _choices_of(spec: Specification, rule: Document) -> tuple[str, ...]:
    """Return the choices on which a rule depends, if a table can be about them."""
    try:
        texts = (str(rule["amount"]), str(rule.get("when", ALWAYS)))
        reads = {name for text in texts for name in spec.expression(text).reads}
    except SpecError:
        return ()
    names = tuple(choice.name for choice in spec.choices if choice.name in reads)
    few = all(len(spec.options[name]) <= MOST_OPTIONS for name in names)
    return names if few and len(names) == len(reads) and 1 <= len(names) <= 2 else ()


def _amount(spec: Specification, rule: Document, made: Mapping[str, Any]) -> Fraction:
    if not spec.expression(str(rule.get("when", ALWAYS))).value(made):
        return Fraction(0)
    value = spec.expression(str(rule["amount"])).value(made)
    return Fraction(value if value is not None else 0)


def _table(
    spec: Specification,
    names: tuple[str, ...],
    at: str,
    numbers: Sequence[int],
    rules: Sequence[Document],
) -> PayTable | None:
    options = tuple(spec.options[name] for name in names)
    cells = [dict(zip(names, cell, strict=True)) for cell in product(*options)]
    amounts: dict[str, list[Fraction]] = {}
    kept: list[int] = []
    sure = (
        {at} | {c.name for c in spec.drawn} | (_made_at_the_end(spec) if at == END else set[str]())
    )
    for number in numbers:
        rule = rules[number]
        if any(_amount(spec, rule, made) for made in _unmade(names, options, sure)):
            # It also pays if nothing was chosen, which no cell can say.
            continue
        kept.append(number)
        for seat, factor in paid_to(rule["to"]).items():
            own = amounts.setdefault(seat, [Fraction(0)] * len(cells))
            for place, made in enumerate(cells):
                own[place] += Fraction(str(factor)) * _amount(spec, rule, made)
    rows = {seat: tuple(own) for seat, own in amounts.items()}
    return PayTable(names, options, rows, tuple(kept), at) if kept else None


def _unmade(
    names: Sequence[str], options: Sequence[tuple[Option, ...]], sure: set[str]
) -> Iterator[dict[str, Any]]:
    """Yield what has been chosen where not everything has, as far as that can be."""
    ways = [own if name in sure else (None, *own) for name, own in zip(names, options, strict=True)]
    for made in product(*ways):
        if None in made:
            yield dict(zip(names, made, strict=True))


def _made_at_the_end(spec: Specification) -> set[str]:
    """Return the choices that are made in every play."""
    found: set[str] = set()
    skipped = -1
    for s, stage in enumerate(spec.stages):
        for turn in stage.turns:
            for act in turn.acts if skipped <= s else ():
                if act.when == ALWAYS and [a.seat for a in turn.acts].count(act.seat) == 1:
                    found |= {name for name, _ in act.choose}
            targets = (spec.stage_index.get(to, len(spec.stages)) for to, _ in turn.then)
            skipped = max((skipped, *targets))
    return found


@gesture("set the table of payments")
def pay_table(work: Work, choices: Plain, amounts: Plain, at: Plain = END) -> None:
    """Set what seats are paid by the options of one or two choices.

    The amounts of each seat are rows of numbers, one row for each option of the first choice. Rules
    that were this table before are replaced.
    """
    names = _named(work, choices)
    options = [*map(tuple, (_options(work, name) for name in names))]
    cells = [*product(*options)]
    width = len(options[1]) if len(options) > 1 else 1
    rows = _rows(work, amounts, len(options[0]), width)
    if at != END and at not in (*work.seats, *work.table("choices")):
        raise EditError(f"{show(at)} is no time of payment: write end, a seat or a choice.")
    known = [t for t in pay_tables(work.draft) if {*t.choices} == {*names} and t.at == at]
    numbers = [number for table in known for number in table.rules]
    first = numbers[0] if numbers else len(work.document.get("pay", []))
    for number in reversed(numbers):
        work.do(Remove(("pay", number)))
    for place, cell in enumerate(cells):
        to = {seat: own[place] for seat, own in rows.items() if Fraction(str(own[place]))}
        if not to:
            continue
        pairs = zip(names, cell, strict=True)
        when = " and ".join(f"{name} = {option}" for name, option in pairs)
        rule = {"to": to, "amount": 1, "when": when} | ({"at": at} if at != END else {})
        work.do(Add(("pay", first), rule))
        first += 1
    what = " and ".join(work.said("choice", name) for name in names)
    work.words = f"set what is paid by {what}"


def _named(work: Work, choices: Any) -> list[str]:
    listed = choices if is_list(choices) else [choices]
    known = work.table("choices")
    for name in listed:
        if not isinstance(name, str) or name not in known:
            raise EditError(f"A table has no choice {show(name)}.{known_names(known, most=12)}")
    if not 1 <= len(listed) <= 2 or len({*listed}) < len(listed):
        raise EditError("A table is about one choice, or about two different ones.")
    return listed


def _options(work: Work, name: str) -> tuple[Option, ...]:
    if name not in work.draft.spec.options:
        raise RefusedError(f"{work.said('choice', name)} is one choice of each seat of a family.")
    options = work.draft.spec.options[name]
    if len(options) > MOST_OPTIONS:
        raise RefusedError(f"{work.said('choice', name)} has more than {MOST_OPTIONS} options.")
    return options


def _rows(work: Work, amounts: Any, height: int, width: int) -> dict[str, list[Any]]:
    if not is_table(amounts):
        raise EditError(f"{show(amounts)} does not say what each seat is paid.")
    found: dict[str, list[Any]] = {}
    for seat, rows in amounts.items():
        if seat not in work.seats:
            raise EditError(f"There is no seat {show(seat)} to be paid.")
        listed = [row if is_list(row) else [row] for row in rows or ()] if is_list(rows) else []
        if len(listed) != height or any(len(row) != width for row in listed):
            raise EditError(
                f"The amounts of {show(seat)} are not {height} rows of {width} numbers."
            )
        found[seat] = [_number(number) for row in listed for number in row]
    return found


def _number(value: Any) -> Any:
    if type(value) in (int, float) and abs(value) <= 1e9:
        return value
    if isinstance(value, str) and len(value) <= 20 and "e" not in value.lower():
        try:
            return _plain(Fraction(value))
        except (ValueError, ZeroDivisionError):
            pass
    raise EditError(f"{show(value)} is not an amount.")
