"""What a study does with people, as frozen data: what they are told, asked and paid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from nip_core.displays import displayed
from nip_core.documents import stable_hash
from nip_core.errors import NipError


class AnswerError(NipError, ValueError):
    """An answer is missing, or is none of those that a question allows."""


Answer: TypeAlias = str | int | None


@displayed
@dataclass(frozen=True, slots=True)
class Question:
    """A question to a person; see the JSON Schema for its fields."""

    name: str
    ask: str
    kind: Literal["choice", "scale", "text"]
    low: int
    high: int
    most: int
    optional: bool
    options: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    screens_out: tuple[str, ...] = ()

    def read(self, value: object) -> Answer:
        """Return an answer that a browser has sent, or raise a AnswerError that says what is wrong.

        None is an answer that was left out.
        """
        if value is None or (isinstance(value, str) and not value.strip()):
            if not self.optional:
                raise AnswerError(f"Please answer: {self.ask}")
            return None
        if self.kind == "scale" and type(value) is int and self.low <= value <= self.high:
            return value
        if self.kind == "choice" and isinstance(value, str) and value in self.options:
            return value
        if self.kind == "text" and isinstance(value, str):
            if len(value) > self.most:
                raise AnswerError(f"Shorten your answer to {self.most:,} characters: {self.ask}")
            return value.replace("\0", "").encode("utf-8", "replace").decode()
        raise AnswerError(f"This is no answer to the question: {self.ask}")


@displayed
@dataclass(frozen=True, slots=True)
class PeopleStage:
    """What people do next; the fields that other kinds have are at their defaults."""

    kind: Literal["text", "survey", "check", "practice", "play"]
    title: str = ""
    text: str = ""
    questions: tuple[Question, ...] = ()
    tries: int = 1
    games: int = 0  # of a practice, one
    wait: int = 0  # the most seconds


@displayed
@dataclass(frozen=True, slots=True)
class End:
    """A way in which taking part ends."""

    pay: str
    code: str = ""
    link: str = ""
    text: str = ""


@displayed
@dataclass(frozen=True, slots=True)
class Exclude:
    """Who and what the analysis leaves out."""

    attention: int | None = None
    faster_than: float | None = None
    pastes: int | None = None
    left_page: int | None = None
    unfinished: bool = True
    bots: bool = True


@displayed
@dataclass(frozen=True, slots=True)
class Analysis:
    """The analysis, as decided before there are data."""

    measures: tuple[str, ...]
    cluster: Literal["person", "problem"]
    compare: tuple[str, ...] = ()
    level: float = 0.95


@displayed
@dataclass(frozen=True, slots=True)
class PeoplePlan:
    """What a study does with people."""

    version: str  # of the consent
    consent: str = field(repr=False)
    pay: str
    ids: tuple[str, ...]
    places: int
    minutes: float
    round_seconds: int | None
    vary: Literal["people", "games"]
    others: Literal["before", "after"]
    notes: tuple[str, ...]
    stages: tuple[PeopleStage, ...]
    ends: Mapping[str, End]
    exclude: Exclude
    analysis: Analysis
    fixed: str  # a digest of `exclude` and `analysis`

    @property
    def games(self) -> int:
        """Return how many games each person plays, practice included."""
        return sum(stage.games for stage in self.stages)

    def order(self, names: Sequence[str], seed: int, number: int) -> list[str]:
        """Return the names of the conditions of a person's games, which repeat.

        People count from 1. Of as many people as there are conditions, each begins with another
        one, in a drawn order.
        """
        block, place = divmod(number - 1, len(names))
        drawn = sorted(names, key=lambda name: stable_hash("nip-people/1", seed, block, name))
        mine = drawn[place:] + drawn[:place]
        return mine if self.vary == "games" else mine[:1]
