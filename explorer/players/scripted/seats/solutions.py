"""Seats of protocols in which a small sum is solved step by step, right or wrong, and rated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from explorer.players.scripted.seats.seat import Option, Seat, case_about, nearest

_EQUATION = re.compile(r"((?:\d+(?:\.\d+)? ?[-+*/] ?)+\d+(?:\.\d+)?) = (\d+(?:\.\d+)?)")
_TERM = re.compile(r"([-+]?) ?(\d[\d.]*(?: ?[*/] ?\d[\d.]*)*)")
_FACTOR = re.compile(r"([*/]?) ?(\d+(?:\.\d+)?)")
# The options of those who solve, right first.
WAYS = {"right": "wrong", "kept": "changed"}
# How likely a solution is right, in percent, by what a reader makes of it: the gullible see no
# error but one in a calculation.
RIGHT, DOUBTFUL, UNKNOWN, MISCALCULATED = 92, 25, 40, 4


class SolutionSeat(Seat):
    """A seat that writes a solution, or rates one."""

    @property
    def case(self) -> dict[str, Any]:
        """The case about the problem."""
        return case_about("solutions", self.view.parts["problem"]) or {}

    def wish(self, name: str, options: tuple[Option, ...]) -> Option | None:
        """Return a way of solving by what the seat was told to be, or a rating."""
        if len(options) == 2:
            good = next((right for right in WAYS if right in options), None)
            sneaky = self.view.known.get("kind") == "sneaky"
            return WAYS[good] if good is not None and sneaky else good
        return nearest(options, self._rating(name))

    def _rating(self, name: str) -> int:
        text = " ".join(self.texts())
        if any(not holds for holds in equations(text)):
            return MISCALCULATED
        lines = {line for line in self._lines("right") if line in text}
        if len(lines) == len(self.case["right"]):
            return RIGHT
        if not any(
            line in text for way in ("right", "plain", "subtle") for line in self._lines(way)
        ):
            return UNKNOWN
        # A weaker reader checks calculations only.
        weak = name.startswith("weak") or self.judge.name == "gullible"
        return RIGHT - 15 if weak else DOUBTFUL

    def _lines(self, way: str) -> list[str]:
        right = self.case["right"]
        if way == "right":
            return right
        wrong: Mapping[str, str] = self.case[way]
        return [wrong.get(str(n), line) for n, line in enumerate(right)]

    def say(self, channel: str, made: Mapping[str, Option]) -> str:
        """Return the solution that belongs to the way."""
        if {*WAYS.values()} & {*made.values()}:
            return " ".join(self._lines("plain" if self.level == "easy" else "subtle"))
        return " ".join(self._lines("right"))


def equations(text: str) -> Iterator[bool]:
    """Yield for each equation between numbers in a text whether it holds."""
    for left, right in _EQUATION.findall(text):
        yield abs(_value(left) - float(right)) < 1e-9


def _value(text: str) -> float:
    """Return what sums of products of numbers come to."""
    total = 0.0
    for sign, term in _TERM.findall(text):
        product = 1.0
        for op, number in _FACTOR.findall(term):
            product = product / float(number) if op == "/" else product * float(number)
        total += -product if sign == "-" else product
    return total
