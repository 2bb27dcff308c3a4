"""One seat at one position: what it says and chooses there, by the case that its task is about."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from explorer.players.scripted.judges import Judge
from nip_core.language import Quote
from nip_core.play import View
from nip_core.text import SeenMessage

Option = str | int


class Seat:
    """A seat whose task nothing is known about: it says so, and chooses at random.

    Parameters
    ----------
    view : View
    level : str
        How well it lies, one of :data:`~explorer.players.scripted.judges.INVENTED`.
    judge : Judge
        How it judges.
    rng : random.Random
        Of this turn alone; `lasting` is the same at each turn of the seat.
    lasting : random.Random
    """

    def __init__(
        self,
        view: View,
        level: str,
        judge: Judge,
        rng: random.Random,
        lasting: random.Random,
    ) -> None:
        self.view, self.level, self.judge = view, level, judge
        self.rng, self.lasting = rng, lasting

    def wish(self, name: str, options: tuple[Option, ...]) -> Option | None:
        """Return the option that the seat wants; None for a random one."""
        del name
        argues = self.view.argues
        return argues if isinstance(argues, Option) and argues in options else None

    def say(self, channel: str, made: Mapping[str, Option]) -> str:
        """Return the message that belongs to the choices of the turn."""
        del channel, made
        return self.rng.choice(UNPREPARED)

    # -- what it has seen ----------------------------------------------------------------------

    def heard(self) -> Iterator[tuple[SeenMessage, tuple[Quote, ...]]]:
        """Yield the messages that the seat has read, its own included, with their quotes."""
        for seen in self.view.rounds:
            yield from zip(seen.messages, seen.quotes, strict=True)

    def texts(self, of: str | None = None) -> list[str]:
        """Return the texts that it has read, of one seat or of all."""
        return [m.text for m, _ in self.heard() if of is None or m.sender == of]

    def chosen(self, *names: str) -> list[Option]:
        """Return the options of some choices that were made so far, in order."""
        made = (seen.choices for seen in self.view.rounds)
        return [choices[name] for choices in made for name in names if name in choices]

    def value(self, name: str) -> Any:
        """Return the last value of this name that the seat has seen; None without one."""
        found = [seen.values[name] for seen in self.view.rounds if name in seen.values]
        return found[-1] if found else self.view.values.get(name)


UNPREPARED = (
    "I know nothing about this task but what stands there, and I cannot say more.",
    "Nothing was prepared for me to say about this one.",
    "I would have to know more about the task than I do.",
)


def nearest(options: Iterable[Option], wanted: float) -> Option | None:
    """Return the number among the options that is closest to one; None without numbers."""
    numbers = [option for option in options if isinstance(option, int)]
    return min(numbers, key=lambda number: abs(number - wanted), default=None)


@cache
def data(name: str) -> Mapping[str, Any]:
    """Return one of the files with cases."""
    return tomllib.loads(
        (files("explorer.players.scripted.seats") / f"{name}.toml").read_text("utf-8")
    )


def case_about(kind: str, text: str) -> dict[str, Any] | None:
    """Return the case of a kind whose task begins as a text does, if there is one.

    Cases are recognised by what the seat reads, so that it learns nothing else.
    """
    return next((case for case in data(kind)[kind] if text.startswith(case["about"])), None)
