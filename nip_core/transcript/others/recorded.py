"""What is read from somebody's file, and a way to read fields that may be wrong in any way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from nip_core.displays import Table, Tabular, brief, displayed, line
from nip_core.errors import TranscriptError, show
from nip_core.play import Episode

__all__ = ["Feedback", "Field", "Judgement", "Recorded"]

MOST_ITEMS = 100_000
MOST_TEXT = 1_000_000
TINY = 1e-9
LONE = re.compile("[\ud800-\udfff]")
# A larger number, which may be too large for a float, is nobody's reward.
MOST = 1e300


@displayed
@dataclass(frozen=True, slots=True)
class Judgement:
    """How a judge saw a debate.

    Parameters
    ----------
    judge : str
        The name in the file.
    live : bool
        Whether it judged during the debate; else it read it afterwards.
    beliefs : tuple of float
        Its probabilities for the right answer, one after the other.
    """

    judge: str
    live: bool
    beliefs: tuple[float, ...]

    @property
    def is_right(self) -> bool | None:
        """Whether the right answer is the more probable one at last; None if neither is."""
        last = self.beliefs[-1]
        return None if last == 0.5 else last > 0.5


@displayed
@dataclass(frozen=True, slots=True)
class Feedback:
    """What somebody answered to a question about a debate, after it.

    Parameters
    ----------
    who : str
    role : str
    question : str
    answer : str
        A rating or a text; two ratings if both debaters were rated.
    """

    who: str
    role: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True, repr=False)
class Recorded(Tabular):
    """One record of somebody else.

    Parameters
    ----------
    title : str
        What it is about.
    episode : Episode or None
        Its replay; None if no protocol here describes it.
    differences : tuple of str
        In sentences, how the replay or the rules differ from the file, or why there is no replay.
    judgements : tuple of Judgement
    step : int, optional
        The step of training at which it was played, if it is an episode of a training run.
    argued : str
        Who argued, such as "people" or the name of a model; empty if the file does not say.
    feedback : tuple of Feedback
    """

    title: str
    episode: Episode | None
    differences: tuple[str, ...]
    judgements: tuple[Judgement, ...]
    step: int | None = None
    argued: str = ""
    feedback: tuple[Feedback, ...] = ()

    @property
    def problem(self) -> str:
        """What it is about, for statistics: its task, or its title if there is no replay."""
        return self.title if self.episode is None else self.episode.task.id

    def table(self) -> Table:
        """Return a row for each judgement."""
        rows = [
            (each.judge, each.live, each.beliefs[-1], each.is_right) for each in self.judgements
        ]
        return Table(("judge", "during the debate", "last belief", "right"), rows)

    def __repr__(self) -> str:
        what = "no replay" if self.episode is None else self.episode.setup.rules.name
        return line(self, brief(self.title), what, f"{len(self.differences)} differences")


@dataclass(frozen=True, slots=True)
class Field:
    """A value of an untrusted document, with its place in it, which errors name."""

    value: object
    at: str = ""

    def wrong(self, wanted: str) -> TranscriptError:
        """Return the error for another value than is wanted."""
        it = self.at or "The file"
        return TranscriptError(f"{it} is {show(self.value)}; it must be {wanted}.")

    def __getitem__(self, key: str) -> Field:
        place = f"{self.at}.{key}" if self.at else key
        if key not in self.table():
            raise TranscriptError(f"{place} is missing.")
        return Field(self.table()[key], place)

    def get(self, key: str) -> Field | None:
        """Return a value that may be missing or null."""
        return None if self.table().get(key) is None else self[key]

    def table(self) -> dict[str, Any]:
        """Return an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        return cast("dict[str, Any]", self.value)

    def only(self) -> tuple[str, Field]:
        """Return the one key of an object, and its value."""
        if len(self.table()) != 1:
            raise self.wrong("an object with one key")
        (key,) = self.table()
        return key, self[key]

    def _list(self) -> list[object]:
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return cast("list[object]", self.value)

    def __iter__(self) -> Iterator[Field]:
        entries = self._list()
        if len(entries) > MOST_ITEMS:
            raise TranscriptError(
                f"{self.at} has {len(entries):,} entries; read are {MOST_ITEMS:,}."
            )
        return (Field(each, f"{self.at}[{place}]") for place, each in enumerate(entries))

    def text(self) -> str:
        """Return a text."""
        if not isinstance(self.value, str) or len(self.value) > MOST_TEXT:
            raise self.wrong(f"a text of at most {MOST_TEXT:,} characters")
        if LONE.search(self.value):
            raise self.wrong("a text without halves of characters (lone surrogates)")
        return self.value

    def texts(self) -> list[str]:
        """Return a list of texts, of which there may be very many."""
        entries = self._list()
        if len(entries) > MOST_ITEMS or not all(isinstance(each, str) for each in entries):
            raise self.wrong(f"a list of at most {MOST_ITEMS:,} texts")
        return cast("list[str]", entries)

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    def whole(self, low: int, high: int) -> int:
        """Return a whole number."""
        value = self.value
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self.wrong(f"a whole number from {low} to {high}")
        return value

    def number(self) -> float:
        """Return a number."""
        value = self.value
        if not isinstance(value, int | float) or isinstance(value, bool) or abs(value) > MOST:
            raise self.wrong("a number")
        return float(value)

    def chance(self) -> float:
        """Return a probability."""
        value = self.value
        # Sums of rounded numbers are a little off.
        if (
            not isinstance(value, int | float)
            or isinstance(value, bool)
            or not -TINY <= value <= 1 + TINY
        ):
            raise self.wrong("a probability")
        return min(1.0, max(0.0, float(value)))
