"""What a model is asked for in a turn: choices with their options, and messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

__all__ = ["VERDICT", "Expected", "Key", "Option", "folded", "options_in_words"]

Option = str | int
# The most options that are all listed.
MOST_NAMED = 12

# The labels of a verdict, and of a choice that is the only one of its turn.
STRONG_LABELS = (
    r"decision|verdict|final[\s_]+answer|final[\s_]+(?:decision|verdict|choice)|judge?ment|ruling"
)
WEAK_LABELS = (
    r"answer|conclusion|choice|vote|pick|selection|winner|final|result|"
    r"(?:chosen|selected|winning)[\s_]+(?:option|side)"
)
# Words that are spelled in several ways: "accepted" for "accept".
_STEMS = {"accept": r"accept(?:ed|s|ance)?", "reject": r"reject(?:ed|s|ion)?"}
_APPROXIMATELY = r"(?:(?:about|around|approximately|approx\.?|roughly)\s+|[~\u2248]\s*)?"
_NUMBER = (
    rf"{_APPROXIMATELY}[-+]?\d{{1,30}}(?:,\d{{3}}){{0,10}}(?:\.0{{1,9}})?(?![\d,]*\d)(?!\.\d)"
    r"(?:\s*%|\s+percent\b|\s+per cent\b)?(?!\s*(?:/|out of\b|(?:-|\u2013|to\b|or\b)\s*\d))"
)


def _never(made: Mapping[str, Option]) -> bool:
    del made
    return False


@dataclass(frozen=True)
class Expected:
    """What a model is asked for in a turn.

    Parameters
    ----------
    choices : mapping of str to tuple of options
        The open options of each choice, by its name.
    headers : mapping of str to str
        The header of the message on each channel.
    instead : bool
        Whether the choices take the place of the messages, so that it makes one of the two: the
        verdict in protocols of rounds. Otherwise all choices are owed.
    silent : callable
        Whether no message is written beside these choices.
    last : bool
        Whether a verdict is owed, although it could take the place of a message.
    titles : mapping of name or option to str
        Names for people, in which choices and options are asked for. Answers may use either.
    """

    choices: Mapping[str, tuple[Option, ...]] = field(default_factory=dict[str, tuple[Option, ...]])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    instead: bool = False
    silent: Callable[[Mapping[str, Option]], bool] = _never
    last: bool = False
    titles: Mapping[Option, str] = field(default_factory=dict[Option, str])

    @property
    def key(self) -> Key:
        """What patterns depend on, which are kept for equal ones."""
        return tuple(self.choices.items()), tuple(self.titles.items())

    @classmethod
    def of_key(cls, key: Key) -> Expected:
        """Return what has this key, without the messages."""
        return cls(dict(key[0]), titles=dict(key[1]))

    def instead_of_messages(self, name: str, options: tuple[Option, ...]) -> Expected:
        """Return the same where one choice, with these options, takes the place of messages."""
        return replace(self, choices={name: options}, instead=True, silent=_never)

    def title(self, name: Option) -> str:
        """Return the name for people of a choice or an option."""
        return self.titles.get(name, str(name))

    @property
    def alone(self) -> bool:
        """Whether choices are all that is read from an answer that has them."""
        return self.instead or not self.headers

    def labels(self, name: str) -> str:
        """Return a pattern for the labels that stand before an option of a choice."""
        own = "|".join(dict.fromkeys(map(_spaced, (name, self.title(name)))))
        return f"{own}|{STRONG_LABELS}" if len(self.choices) == 1 else own

    def spelling(self, name: str) -> str:
        """Return a pattern for the options of a choice."""
        options = self.choices[name]
        if isinstance(options[0], int):
            return _NUMBER
        spelled = {word for option in options for word in (str(option), self.title(option))}
        words = sorted(spelled, key=lambda word: (-len(word), word))
        return "|".join(_STEMS.get(_stem(word), _spaced(word)) for word in words)

    def option(self, name: str, spelled: str) -> Option | None:
        """Return the open option that a text spells; None if there is none."""
        options = self.choices[name]
        if isinstance(options[0], int):
            number = re.search(r"[-+]?\d+", spelled.replace(",", ""))
            amount = int(number[0]) if number and len(number[0]) < 40 else None
            return amount if amount in options else None
        alike = [
            option
            for option in options
            if folded(spelled) in (folded(str(option)), folded(self.title(option)))
        ]
        alike = alike or [
            o for o in options if _stem(str(o)) in _STEMS and _stem(str(o)) == _stem(spelled)
        ]
        # If options differ only in case, the text must match exactly.
        exact = [option for option in alike if spelled in (option, self.title(option))]
        return exact[0] if exact else alike[0] if len(alike) == 1 else None


Key = tuple[tuple[tuple[str, tuple[Option, ...]], ...], tuple[tuple[Option, str], ...]]

# The verdict of protocols of rounds, in the documented form.
VERDICT: Mapping[str, tuple[Option, ...]] = {"decision": ("reject", "accept")}


def options_in_words(options: Sequence[Option]) -> str:
    """Return options as a list or, for many numbers, as their range."""
    if len(options) <= MOST_NAMED:
        return ", ".join(map(str, options))
    numbers = [option for option in options if isinstance(option, int)]
    steps = {high - low for low, high in pairwise(numbers)}
    if steps == {1}:
        return f"a whole number from {options[0]} to {options[-1]}"
    return f"{', '.join(map(str, options[:3]))}, ..., {options[-1]}"


def folded(name: str) -> str:
    """Return a name without differences of case and of the blanks in it."""
    return re.sub(r"[\s_\\]+", "_", name.strip().casefold()).strip("_")


def _stem(word: str) -> str:
    return re.sub(r"(?:ed|s|ance|ion)$", "", word.strip().casefold())


def _spaced(word: str) -> str:
    return r"[\s_\\-]{1,4}".join(map(re.escape, re.split(r"[\s_]+", word.strip())))
