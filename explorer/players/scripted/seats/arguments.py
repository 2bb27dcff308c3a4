"""What can be said for each answer to a question on a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from explorer.players.scripted.text import sentences
from nip_core.displays import displayed
from nip_core.play import View
from nip_core.tasks import Passage, marked, passages

QUOTED, LONGEST = 6, 240  # sentences for an answer; characters of each
MOST_READ = 100_000  # characters
_WORD = re.compile(r"[a-z]{4,}")


@displayed
@dataclass(frozen=True, slots=True)
class Argument:
    """What can be said for one answer."""

    text: str  # the answer
    # The best argument for it, and against the other answer, with marked quotes.
    argument: str
    against: str = ""
    # Sentences of the passage that support it.
    support: tuple[str, ...] = ()
    # Whether the text supports it; None for a seat that cannot know.
    bears_out: bool | None = None


def as_quote(quote: str) -> str:
    """Return a sentence marked as a quote."""
    return f"<quote>{quote}</quote>"


def arguments(view: View) -> Mapping[str, Argument]:
    """Return what can be said for each answer that a seat sees; empty without answers.

    The passage is recognised by its question, which the seat sees, so it learns nothing else.
    """
    if "answers" not in view.parts:
        return {}
    passage, reads = passage_of(view), "passage" in view.parts
    if passage is None:
        return _of_text(view)
    by_text = {answer.text: answer for answer in passage.answers}
    right = passage.answers[passage.right]
    shown = _lettered(view.parts["answers"])
    known = {letter: by_text[text] for letter, text in shown if text in by_text}
    found: dict[str, Argument] = {}
    for letter, answer in known.items():
        others = [other for name, other in known.items() if name != letter]
        against = others[0].rebuttal if others else ""
        found[letter] = Argument(
            answer.text,
            marked(answer.argument),
            marked(against),
            answer.support,
            answer == right if reads else None,
        )
    return found


def passage_of(view: View) -> Passage | None:
    """Return the bundled passage that a seat's question is about."""
    return _by_question().get(view.parts.get("question", ""))


def _lettered(answers: str) -> Iterator[tuple[str, str]]:
    """Yield the letter and the text of each answer."""
    for shown in answers.splitlines():
        letter, stop, text = shown.partition(". ")
        if stop:
            yield letter, text


def _of_text(view: View) -> dict[str, Argument]:
    """Return arguments for each answer to a question without prepared ones."""
    question, truth = words_of(view.parts.get("question", "")), view.truth
    answers = dict(_lettered(view.parts["answers"]))
    wanted = {letter: words_of(answer) for letter, answer in answers.items()}
    found: dict[str, Argument] = {}
    for letter, answer in answers.items():
        rank: dict[str, tuple[int, int]] = {}
        for each, words in quotable(view.parts.get("passage", "")).items():
            shared = len(words & wanted[letter])
            # A sentence that fits another answer better is left to those who argue for that one.
            if all(len(words & other) <= shared for other in wanted.values()):
                rank[each] = shared, len(words & question)
        ranked = sorted(rank, key=rank.__getitem__, reverse=True)
        support = tuple(each for each in ranked[:QUOTED] if any(rank[each]))
        shown = f" The text says: {as_quote(support[0])}" if support else ""
        argument = f"The answer is {letter}: {answer.rstrip('.')}.{shown}"
        fits = None if truth is None else truth == letter
        found[letter] = Argument(answer, argument, support=support, bears_out=fits)
    return found


@lru_cache(8)
def quotable(text: str) -> Mapping[str, frozenset[str]]:
    """Return the words of each sentence that can be quoted: it is short and has no markup."""
    return {
        each: words_of(each)
        for each in sentences(text[:MOST_READ])
        if len(each) <= LONGEST and "<" not in each
    }


def words_of(text: str) -> frozenset[str]:
    """Return the longer words of a text."""
    return frozenset(_WORD.findall(text.lower()))


@cache
def _by_question() -> dict[str, Passage]:
    return {passage.question: passage for passage in passages()}
