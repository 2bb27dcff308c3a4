"""The parts of tasks: verdicts, difficulties, typical questions, an exposing input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from nip_core.displays import displayed
from nip_core.documents import show, text_fault
from nip_core.errors import TaskError
from nip_core.tasks.documents import as_list

__all__ = [
    "DIFFICULTIES",
    "MAX_LABEL",
    "VERDICTS",
    "Chip",
    "Difficulty",
    "Exposing",
    "Note",
    "Stance",
    "asks_in",
    "is_bit",
    "need_text",
    "need_two",
]

Difficulty = Literal["easy", "medium", "hard"]
Stance = Literal[0, 1]

DIFFICULTIES: tuple[Difficulty, ...] = ("easy", "medium", "hard")
VERDICTS = ("reject", "accept")  # by number: a label, a decision or a stance

MAX_ASK = 60
MAX_LABEL = 200


@displayed
@dataclass(frozen=True, slots=True)
class Chip:
    """A typical question to an expert, short enough for a button.

    Parameters
    ----------
    ask : str
    answers : (str, str)
        The answers of experts who argue for reject (0) and for accept (1).
    """

    ask: str
    answers: tuple[str, str]

    def __post_init__(self) -> None:
        need_text(self.ask, "A question's `ask`", MAX_ASK)
        need_two(self.answers, f"The answers to {self.ask!r}")


@dataclass(frozen=True, slots=True)
class Note:
    """What scripted experts know to say to one more question.

    It is no part of a task: verifiers are not offered its question.

    Parameters
    ----------
    asks : tuple of str
        The question in the words of different people. The first ones are shown.
    answers : tuple of str
        About a program by version and stance (wrong, reject; wrong, accept; correct, reject;
        correct, accept), about a passage by the answer that is argued for; empty without one.
    line : str
        A piece of the line of a program that it is about; empty if it is about none.
    """

    asks: tuple[str, ...]
    answers: tuple[str, ...]
    line: str = ""


def asks_in(table: Mapping[str, object], at: str) -> tuple[str, ...]:
    """Return the wordings of the question of a note in a file."""
    asks = as_list(table["asks"], f"{at}.asks")
    for each in asks:
        need_text(each, f"{at}.asks")
    if len(asks) < 2:
        raise TaskError(f"{at}.asks must be a question in at least two wordings.")
    return tuple(map(str, asks))


@displayed
@dataclass(frozen=True, slots=True)
class Exposing:
    """An input on which a wrong solution fails, for people.

    Parameters
    ----------
    input : str
        The call, such as ``"total([1, 2])"``.
    expected, got : str
        The right result and the solution's, or ``"raises IndexError"``.
    """

    input: str
    expected: str
    got: str

    def __post_init__(self) -> None:
        for name in ("input", "expected", "got"):
            need_text(getattr(self, name), f"exposing.{name}")
        if self.expected == self.got:
            raise TaskError(f"exposing.got is {show(self.got)}, which is what is expected.")


def is_bit(value: object) -> bool:
    """Return whether a value is the number 0 or 1."""
    # Excludes True, which equals 1 but is written as `true`.
    return type(value) is int and value in (0, 1)


def need_text(value: object, at: str, limit: int | None = None) -> None:
    """Raise an error unless a value is a text of limited length."""
    fault = text_fault(value) if limit is None else text_fault(value, limit)
    if fault:
        raise TaskError(f"{at} is {show(value)}; it must be {fault}.")


def need_two(value: object, at: str) -> None:
    """Raise an error unless a value is two texts, by stance."""
    if not isinstance(value, tuple) or len(cast("tuple[object, ...]", value)) != 2:
        raise TaskError(f"{at} must be two texts, by stance: reject, accept.")
    for word, text in zip(VERDICTS, cast("tuple[object, object]", value), strict=True):
        need_text(text, f"{at} ({word})")
