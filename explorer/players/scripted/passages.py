"""What can be said for each side of a task, where something was prepared for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from nip_core.displays import displayed
from nip_core.play.turns import TurnView
from nip_core.tasks import VERDICTS, Passage, bundled_tasks, marked, passages

__all__ = ["Case", "cases", "reads_all"]


@displayed
@dataclass(frozen=True, slots=True)
class Case:
    """What a seat can say for one answer.

    Parameters
    ----------
    argument : str
        The best case for it; what is quoted from the passage is marked.
    against : str
        The best case against the other answer, marked in the same way.
    support : tuple of str
        What the passage says for it, word by word.
    bears_out : bool
        Is it what the text says? Always true for a seat that has not read the text, and so cannot
        know.
    """

    argument: str
    against: str = ""
    support: tuple[str, ...] = ()
    bears_out: bool = True


def cases(view: TurnView) -> Mapping[str, Case]:
    """Return what was prepared for each answer of the task that a seat sees; often nothing.

    The task is known by the texts that the seat itself sees, so a player learns nothing else.
    """
    parts = view.parts
    passage = _passages().get(parts.get("question", ""))
    if passage is not None and "answers" in parts:
        return _of_passage(passage, parts["answers"], "passage" in parts)
    openings = next((_openings()[text] for text in parts.values() if text in _openings()), None)
    if openings is None:
        return {}
    return {VERDICTS[side]: Case(text) for side, text in enumerate(openings)}


def reads_all(view: TurnView) -> bool:
    """Return whether a seat sees every part of the task."""
    return all(part.name in view.parts for part in view.spec.parts)


def _of_passage(passage: Passage, shown: str, reads: bool) -> dict[str, Case]:
    """Return the cases of the answers that are played, which may be two of four."""
    by_text = {answer.text: answer for answer in passage.answers}
    right = passage.answers[passage.right]
    lettered = [line.partition(". ") for line in shown.splitlines()]
    known = {letter: by_text[text] for letter, _, text in lettered if text in by_text}
    found: dict[str, Case] = {}
    for letter, answer in known.items():
        others = [other for name, other in known.items() if name != letter]
        against = others[0].rebuttal if others else ""
        found[letter] = Case(
            marked(answer.argument), marked(against), answer.support, answer == right or not reads
        )
    return found


@cache
def _passages() -> dict[str, Passage]:
    return {passage.question: passage for passage in passages()}


@cache
def _openings() -> dict[str, tuple[str, str]]:
    """Return what provers open with, for reject and for accept, by what is claimed."""
    return {
        f"{task.question}\n\n{task.solution}": task.openings
        for task in bundled_tasks()
        if task.openings is not None
    }
