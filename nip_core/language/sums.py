"""Sums that pay is proportional to, such as the scores of all prices that a market has set.

Keeping such a sum as a register would multiply states: four prices of 99 have millions of sums. If
it is only ever multiplied and paid, the means of the sum, of its products with other sums and with
the pay so far are enough for the mean and the variance of pay. These are floats.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.language.arrays import Column, Rows
from nip_core.language.given import GivenPlay
from nip_core.language.structure import Structure
from nip_core.language.syntax import SyntaxNode

__all__ = ["Sums", "proportional"]

Floats = npt.NDArray[np.floating[Any]]
# More would take more products than it saves.
MOST_SUMS = 4
NOT_PROPORTIONAL = 9


def proportional(spec: Structure, given: GivenPlay, rules: Collection[int]) -> tuple[str, ...]:
    """Return the collected sums that only the amounts of these rules read, in proportion."""
    names = {value.name for value in spec.collected if value.way == "sum"}
    texts = [spec.pay[number].when for number in rules]
    for _, _, turn in spec.places():
        texts += [act.when for act in turn.acts] + [text for _, text in turn.then]
    for text in dict.fromkeys(texts):
        names -= spec.expression(text).reads
    for stage, _, act in spec.acts():
        for choice, _ in act.choose:
            names -= given.reads(choice, stage)
    for choice in spec.drawn:
        names -= given.reads(choice.name, None)
    for value in spec.collected:
        names -= spec.names.collecting(value.name).reads
    amounts = [spec.expression(spec.pay[number].amount) for number in rules]
    for amount in amounts:
        if _degree(spec.names.expanded(amount.tree), names) > 1:
            names -= amount.reads
    names &= frozenset[str]().union(*(amount.reads for amount in amounts))
    return tuple(sorted(names)) if len(names) <= MOST_SUMS else ()


def _degree(node: SyntaxNode, names: Collection[str]) -> int:
    """Return the degree of an expression in some sums: 0, 1 if proportional, else more."""
    if node.op == "collected":
        return int(node.name in names)
    parts = [_degree(part, names) for part in node.args]
    if not any(parts):
        return 0
    if node.op in ("+", "-", "negative") or (node.op == "call" and node.name in ("sum", "mean")):
        return max(parts)
    if node.op == "*":
        return sum(parts)
    if node.op == "/" and not parts[1]:
        return parts[0]
    if node.op == "if" and not parts[0]:
        return max(parts)
    return NOT_PROPORTIONAL


class Sums:
    """The means of sums and their products, in the rows of a pass.

    The pay of :class:`~nip_core.language.arrays.Rows` then has a line for the pay so far, for each
    sum, for each product of a sum with the pay, and for each product of two sums.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = (*names,)
        size = len(names)
        self._sum = {name: 1 + place for place, name in enumerate(names)}
        self._with_pay = {name: 1 + size + place for place, name in enumerate(names)}
        self._product = {
            (one, two): 1 + (2 + min(i, j)) * size + max(i, j)
            for i, one in enumerate(names)
            for j, two in enumerate(names)
        }
        self.lines = 1 + (2 + size) * size

    def collect(self, name: str, more: Column, rows: Rows) -> None:
        """Add values to a sum."""
        amount, lines = _floats(more, len(rows)), self._lines(rows)
        weighted = amount * rows.weight
        lines[self._with_pay[name]] += amount * lines[0]
        for other in self.names:
            if other != name:
                lines[self._product[name, other]] += amount * lines[self._sum[other]]
        own = lines[self._sum[name]]
        lines[self._product[name, name]] += 2 * amount * own + amount * weighted
        lines[self._sum[name]] = own + weighted
        rows.pay = lines

    def pay(
        self, fixed: Column, with_one: Sequence[Column], factor: float, rows: Rows
    ) -> tuple[float, float]:
        """Pay an amount; return what that adds to the means of pay and of its square.

        Parameters
        ----------
        fixed : Column
            The amount if all sums are 0.
        with_one : sequence of Column
            For each sum, the amount if it is 1 and the others are 0.
        factor : float
        rows : Rows
        """
        lines, size = self._lines(rows), len(rows)
        least = factor * _floats(fixed, size)
        slopes = [factor * _floats(column, size) - least for column in with_one]
        first = least * rows.weight
        square = 2 * least * lines[0] + least * first
        for name, slope in zip(self.names, slopes, strict=True):
            square += 2 * slope * (lines[self._with_pay[name]] + least * lines[self._sum[name]])
            first = first + slope * lines[self._sum[name]]
        for name, slope in zip(self.names, slopes, strict=True):
            more = least * lines[self._sum[name]]
            for other, with_other in zip(self.names, slopes, strict=True):
                product = lines[self._product[name, other]]
                square += slope * with_other * product
                more = more + with_other * product
            lines[self._with_pay[name]] += more
        lines[0] += first
        rows.pay = lines
        return float(first.sum()), float(square.sum())

    def _lines(self, rows: Rows) -> Floats:
        assert rows.pay is not None
        return rows.pay.copy()


def _floats(column: Column, size: int) -> Floats:
    table = np.array([0.0 if value is None else float(value) for value in column.table])
    return table[column.filled(size)]
