"""How the requirements for a protocol are checked: what is reported, with which remedy."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import fields, replace
from typing import Any

from nip_core.errors import SpecError, TooLargeError, known_names, nearest, show
from nip_core.language.collecting import Mistakes, report
from nip_core.language.data import (
    CHANCE,
    TASK,
    Count,
)
from nip_core.language.expressions import OVER, Expression
from nip_core.language.kinds import remedy
from nip_core.language.structure import Structure
from nip_core.language.syntax import NAME
from nip_core.mistakes import Fix, Mistake, Path, written

__all__ = ["LETTERS", "Checker", "with_fields"]

LETTERS = "Use letters, digits and _ only, and no digit first."
# What people call the sources of choices that no seat makes.
_SAME = {
    **dict.fromkeys(("random", "dice", "coin", "nature", "luck"), CHANCE),
    **dict.fromkeys(("world", "data", "dataset", "environment", "fact"), TASK),
}
OVER_LATE = "`over` is known once a turn has been played"
ONLY_PAY = "Leave it out here; pay and the verdict can use it."


class Checker:
    """Checks of one protocol, which report what is wrong.

    Parameters
    ----------
    spec : Structure
        The unchecked protocol. What cannot be used is left out of it as checking goes on.
    mistakes : Mistakes
    """

    def __init__(self, spec: Structure, mistakes: Mistakes) -> None:
        self.spec, self.mistakes = spec, mistakes

    def need(self, condition: bool, at: Path, message: str, remedy: str = "", **more: Any) -> bool:
        """Report a mistake unless a condition holds; return whether it does."""
        if not condition:
            report(at, message, remedy, **more)
        return condition

    def need_known(
        self, name: str, known: Collection[str], at: Path, message: str, **more: Any
    ) -> bool:
        """Report an unknown name, with a near one and all that are known."""
        if name in known:
            return True
        listed = list(self.mistakes.named(known))
        near = nearest(name, listed)
        if near is None and _SAME.get(name.casefold()) in listed:
            near = _SAME[name.casefold()]
        remedy = known_names(listed, most=12).strip()
        if near is not None:
            remedy = f"Did you mean {near!r}? {remedy}"
        fix = Fix(f"Write {near}", near, of="span") if near is not None else None
        report(at, message, remedy, name=name, fix=fix, **more)
        return False

    def need_letters(self, name: str, at: Path, **more: Any) -> bool:
        """Report a name that expressions cannot contain."""
        if NAME.fullmatch(name) is not None and len(name) <= 100:
            return True
        new = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
        of_key = more.get("of") == "key"
        text = new if of_key else written(new)
        right = NAME.fullmatch(new) is not None and len(new) <= 100
        fix = Fix(f"Write {new}", text, of="span" if of_key else "value") if right else None
        message = f"{show(name)} is not a name that expressions can contain."
        report(at, message, LETTERS, fix=fix, **more)
        return False

    def count(self, value: Count, at: Path) -> int | None:
        """Return a whole number, which may be that of a setting; report what is none."""
        try:
            return self.spec.count(value, "it")
        except SpecError as error:
            (mistake,) = error.mistakes
            name = value if isinstance(value, str) else ""
            self.mistakes.add(replace(mistake, path=at, name=name))
            return None

    def typed(self, text: str, kinds: tuple[str, ...], at: Path) -> Expression | None:
        """Check an expression and its kind; return it if both are right."""
        try:
            expression = self.spec.expression(text)
        except TooLargeError:
            raise
        except SpecError as error:
            self.in_expression(error, at)
            return None
        wanted = {
            "truth": "a condition",
            "number": "a number",
            "option": "an option",
            "none": "none",
        }
        words = " or ".join(wanted[kind] for kind in kinds)
        wants_number = kinds[0] == "number" and expression.kind.name == "truth"
        number = f"1 if {text} else 0"
        right = self.need(
            expression.kind.name in kinds,
            at,
            f"{show(text)} is {expression.kind.said}; it must be {words}.",
            remedy(kinds[0], expression.kind),
            fix=Fix(f"Write {number}", written(number)) if wants_number else None,
        )
        return expression if right else None

    def in_expression(self, error: SpecError, at: Path) -> None:
        """Add the mistakes of an expression."""
        for mistake in error.mistakes or (Mistake((), str(error)),):
            self.mistakes.add(replace(self._explained(mistake, at), path=at, place=""))

    def _explained(self, mistake: Mistake, at: Path) -> Mistake:
        """Return a mistake in an expression, with a remedy that knows the whole protocol."""
        spec, name = self.spec, mistake.name
        if name in spec.seat_names:
            own = [choice.name for choice in spec.choices if choice.by == name]
            fix = Fix(f"Write {own[0]}", own[0], of="span") if len(own) == 1 else None
            has = f"Its choices are {', '.join(own)}." if own else "It makes no choice."
            return replace(mistake, remedy=f"{show(name)} is a seat. {has}", fix=fix)
        for kind, names in (
            ("part", [part.name for part in spec.parts]),
            ("channel", spec.channel_names),
            ("stage", spec.stage_index),
        ):
            if name in names:
                reads = "Rules read choices and settings only, never texts."
                return replace(mistake, remedy=f"{show(name)} is a {kind}. {reads}", fix=None)
        if at[-1] == "argues" and mistake.fix is None:
            what = (
                "`argues` is an option, such as `A`, or a choice. Describe a seat in its `title`."
            )
            return replace(mistake, remedy=what)
        return mistake

    def condition(self, text: str, at: Path) -> frozenset[str]:
        """Check a condition that is looked at while play goes on; return what it reads."""
        expression = self.typed(text, ("truth",), at)
        if expression is None:
            return frozenset()
        self.need(OVER not in expression.reads, at, f"{OVER_LATE}.", ONLY_PAY)
        return expression.reads


def with_fields(spec: Structure, **changes: Any) -> Structure:
    """Return the unchecked data of a protocol with some fields changed."""
    return Structure(**{f.name: getattr(spec, f.name) for f in fields(Structure)} | changes)
