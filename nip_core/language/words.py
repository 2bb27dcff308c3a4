"""A protocol in words for people: names, and sentences made from its roles."""

from __future__ import annotations

from collections.abc import Iterator

from nip_core.displays import join_names
from nip_core.language.data import TASK, Option
from nip_core.language.roles import Side
from nip_core.language.specification import Specification

__all__ = ["Words"]


class Words:
    """The words for one protocol."""

    def __init__(self, spec: Specification) -> None:
        self.spec = spec

    def choice(self, name: str) -> str:
        """Return a choice's name for people."""
        return name.replace("_", " ").strip() or name

    def option(self, option: Option) -> str:
        """Return an option's name for people."""
        return self.choice(str(option))

    # -- roles ---------------------------------------------------------------------------------

    def roles(self) -> Iterator[str]:
        """Yield what was understood of the meaning of choices, in sentences."""
        spec, roles = self.spec, self.spec.roles
        if roles.deciders:
            seats = join_names([spec.seat_phrase(seat) for seat in roles.deciders])
            decide = "decides" if len(roles.deciders) == 1 else "decide together"
            yield f"{_capital(seats)} {decide}."
        else:
            yield "Nobody decides: there is no verdict."
        if roles.truth is not None:
            truth = spec.choice(roles.truth)
            says = "the task" if truth.by == TASK else spec.seat_phrase(truth.by)
            checked = "" if truth.by == TASK else ", unchecked"
            yield f"What is true is “{self.choice(truth.name)}”, as {says} says{checked}."
        else:
            yield "Nothing says what is true, so no verdict is right or wrong."
        for seat, side in roles.sides.items():
            yield f"{_capital(spec.seat_phrase(seat))} argues for {self._side(side)}."
        for name, option in roles.go_on.items():
            yield f"“{self.option(option)}” in “{self.choice(name)}” lets play go on."
        for name, event in roles.estimates.items():
            yield (
                f"“{self.choice(name)}” is an estimate, in percent, that “"
                f"{self.choice(event.about)}” is “{self.option(event.option)}”."
            )

    def _side(self, side: Side) -> str:
        if side.option is not None:
            return f"“{self.option(side.option)}”"
        if side.choice is None:
            return "a side that depends on the course of play"
        choice = f"“{self.choice(side.choice)}”"
        return f"the option that {choice} leaves" if side.other else f"what {choice} says"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
