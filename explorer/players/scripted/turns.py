"""A scripted player for any seat of a version 2 protocol.

It uses its view only. A seat that argues for an answer gives the prepared arguments, answers
questions, and points out others' quotes that are not in the text. If no arguments were prepared for
a text, it quotes the sentences that share most words with its answer. If the text contradicts its
answer, it invents some of its quotes, fewer the better it plays. A seat that judges weighs what it
has read by its strategy. All other choices are random.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, TypeAlias

from explorer.players.base import Acted, Player, any_choices, fit_turn
from explorer.players.scripted.forgery import changed
from explorer.players.scripted.judges import DEFAULT_JUDGE, INVENTED, JUDGES, Judge
from explorer.players.scripted.provers.matching import sentences as sentences_of
from nip_core.displays import displayed
from nip_core.documents import stable_hash
from nip_core.errors import UnknownNameError
from nip_core.language import Quote
from nip_core.play import Move, View
from nip_core.tasks import VERDICTS, Passage, bundled_tasks, marked, passages
from nip_core.text import SeenMessage

# The option that a seat prefers, by the name of the choice.
Wish: TypeAlias = Callable[[str, tuple[str | int, ...]], str | int | None]

QUESTIONS = (
    "Which words of the text show that?",
    "What is the best reason to think otherwise, and why does it fail?",
    "Which single sentence should decide it?",
)
WITHOUT_A_TEXT = (
    "What is the first step, exactly?",
    "What would have to be so for this to fail?",
    "Why should one believe that?",
)
NOTHING = "I have said what there is to say, and I stand by it."
UNPREPARED = (
    "I have looked at it closely, and this is how I see it.",
    "Take the first step by itself: it holds.",
    "Nothing that was said so far changes that.",
)
_QUOTE = re.compile("<quote>(.+?)</quote>", re.DOTALL)
MOST_CHANGES = 60  # ways to turn a real quote into an invented one
QUOTED, LONGEST = 6, 240  # sentences for an answer; characters of each
MOST_READ = 100_000  # characters
_WORD = re.compile(r"[a-z]{4,}")


class TurnScript(Player):
    """Plays a seat of a version 2 protocol.

    The seed determines all random choices, together with the seat and the turn; the level, how well
    it argues; the strategy, of :data:`~explorer.players.scripted.judges.JUDGES`, how it judges.
    """

    kind = "scripted"

    def __init__(self, seed: int = 0, level: str = "hard", strategy: str = DEFAULT_JUDGE) -> None:
        if level not in INVENTED:
            raise UnknownNameError("level", level, list(INVENTED))
        if strategy not in JUDGES:
            raise UnknownNameError("strategy", strategy, list(JUDGES))
        self.seed, self.level, self.judge = seed, level, JUDGES[strategy]

    def turn(self, view: Any) -> Acted:
        """Make a move."""
        rng = random.Random(stable_hash("nip-turn-script/1", self.seed, view.agent, view.round))
        prepared = cases(view)
        sides = [*prepared] or [*view.rules.roles.fixed_sides.values()]
        made = any_choices(view.legal, rng, self._wish(view, sides))
        if view.legal.is_silent(view.rules, made):
            return Acted(Move(view.agent, choices=made))
        # A seat that has not read the text uses the prepared words only for a side that the rules
        # give it: a judge who speaks must not quote a passage that is hidden from it.
        chosen = made.values() if reads_all(view) else ()
        side = next((option for option in (view.argues, *chosen) if option in prepared), None)
        if side is None:
            text = _question(view)
        else:
            case = prepared[str(side)]
            text = _speech(view, case)
            if not case.bears_out:
                read = "\n".join(view.parts.values())
                text = _embroidered(text, INVENTED[self.level], read, rng)
        text = text or rng.choice(UNPREPARED)
        if not _quotable(view):
            # The protocol checks no quotes, so they are not marked.
            text = _QUOTE.sub(_in_marks, text)
        said = {channel: fit_turn(text, view.legal) for channel in view.legal.channels}
        return Acted(Move(view.agent, said, choices=made))

    def _wish(self, view: View, sides: Sequence[str | int]) -> Wish:
        return lambda name, options: _wish(view, name, options, sides, self.judge, self.seed)


# -- what it says ----------------------------------------------------------------------------------


def _heard(view: View) -> Iterator[tuple[SeenMessage, tuple[Quote, ...]]]:
    """Yield the messages that a seat has read, its own included, with what they quote."""
    for seen in view.rounds:
        yield from zip(seen.messages, seen.quotes, strict=True)


def _quotable(view: View) -> bool:
    return any(part.quotable for part in view.rules.parts)


def _question(view: View) -> str:
    """Return the next question of a seat that argues for nothing; empty for all others."""
    if not view.rules.roles.judges(view.agent):
        return ""
    asked = sum(message.sender == view.agent for message, _ in _heard(view))
    return (QUESTIONS if _quotable(view) else WITHOUT_A_TEXT)[asked % len(QUESTIONS)]


def _speech(view: View, case: Case) -> str:
    """Return a seat's message for its side: first its own arguments, then replies to the others."""
    messages = [*_heard(view)]
    mine = [number for number, (m, _) in enumerate(messages) if m.sender == view.agent]
    since = messages[mine[-1] + 1 :] if mine else messages
    said = [message.text for message, _ in messages if message.sender == view.agent]
    parts = [_not_found(view, since)]
    asked = [m.text for m, _ in since if m.sender is not None and view.rules.roles.judges(m.sender)]
    if not mine:
        parts.append(case.argument)
    elif asked and case.support:
        parts.append(f"The text says: {_marked(_closest(asked[-1], case.support, said))}.")
    else:
        fresh = [_marked(each) for each in case.support if not any(each in text for text in said)]
        left = [text for text in (case.against, *fresh) if text and text not in said]
        parts.append(left[0] if left else NOTHING)
    return " ".join(filter(None, parts))


def _not_found(view: View, since: Sequence[tuple[SeenMessage, tuple[Quote, ...]]]) -> str:
    """Return a sentence on another seat's first quote that is not in the text, if there is one."""
    for message, quotes in since:
        wrong = [quote.text for quote in quotes if not quote.found]
        if wrong and message.sender != view.agent:
            return "Note that what was quoted there is not in the text."
    return ""


def _closest(question: str, support: Sequence[str], said: Sequence[str]) -> str:
    """Return the sentence that shares most words with a question; of equal ones, a new one."""
    wanted = _words(question)

    def rank(sentence: str) -> tuple[int, bool]:
        return len(_words(sentence) & wanted), not any(sentence in text for text in said)

    return max(support, key=rank)


def _embroidered(text: str, share: float, read: str, rng: random.Random) -> str:
    """Return a text with some of its quotes turned into invented ones."""

    def change(quote: re.Match[str]) -> str:
        if rng.random() >= share:
            return quote[0]
        return _marked(changed(quote[1], read, rng.randrange(MOST_CHANGES)))

    return _QUOTE.sub(change, text) if share else text


def _marked(quote: str) -> str:
    return f"<quote>{quote}</quote>"


def _in_marks(quote: re.Match[str]) -> str:
    """Return a quote in quotation marks, with single marks for those inside it."""
    return f"“{quote[1].replace('“', '‘').replace('”', '’')}”"


# -- what it chooses -------------------------------------------------------------------------------


def _wish(
    view: View,
    name: str,
    options: tuple[str | int, ...],
    sides: Sequence[str | int],
    judge: Judge,
    seed: int,
) -> str | int | None:
    """Return a seat's preferred option, or nothing if it chooses at random."""
    roles = view.rules.roles
    if not roles.judges(view.agent):
        return view.argues if view.argues in options else None
    if len(sides) < 2:
        return None
    belief = _belief(view, sides, judge, seed)
    if {*sides} <= {*options}:
        return max(sides, key=lambda side: belief[side])
    if roles.go_on.get(name) in options and len(options) == 2:
        (stop,) = (option for option in options if option != roles.go_on[name])
        return stop if max(belief.values()) * 100 >= judge.sure else roles.go_on[name]
    numbers = [option for option in options if isinstance(option, int)]
    if len(numbers) > 3:
        # Without another event, a number is the probability of the first answer.
        event = roles.estimates.get(name)
        about = event.option if event is not None and event.option in belief else sides[0]
        return min(numbers, key=lambda number: abs(number - 100 * belief[about]))
    return None


def _belief(
    view: View, sides: Sequence[str | int], judge: Judge, seed: int
) -> dict[str | int, float]:
    """Return how likely each side seems, from the quotes and messages that speak for it."""
    rng = random.Random(stable_hash("nip-turn-leaning/1", seed, view.agent))
    weight = {side: rng.uniform(-1, 1) * judge.leaning for side in sides}
    known, argued = view.known, view.rules.roles.sides
    seen: set[str] = set()
    for message, quotes in _heard(view):
        speaks = argued.get(message.sender or "")
        side = None if speaks is None else speaks.option_with(view.rules, known)
        if side is None or side not in weight:
            continue
        weight[side] += judge.said
        for quote in quotes:
            if quote.text not in seen:
                weight[side] += judge.found if quote.found else judge.not_found
            seen.add(quote.text)
    odds = {side: math.exp(w) for side, w in weight.items()}
    return {side: each / sum(odds.values()) for side, each in odds.items()}


@displayed
@dataclass(frozen=True, slots=True)
class Case:
    """A seat's arguments for one answer."""

    # The best argument for it, and against the other answer, with marked quotes of the passage.
    argument: str
    against: str = ""
    # Sentences of the passage that support it.
    support: tuple[str, ...] = ()
    # Whether the text supports it. Always true for a seat that has not read the text.
    bears_out: bool = True


def cases(view: View) -> Mapping[str, Case]:
    """Return the arguments for each answer of the task that a seat sees; empty for most tasks.

    The task is recognised by the texts that the seat sees, so a player learns nothing else.
    """
    parts = view.parts
    if "answers" in parts:
        passage = _passages().get(parts.get("question", ""))
        if passage is not None:
            return _of_passage(passage, parts["answers"], "passage" in parts)
        return _of_text(view)
    openings = next((_openings()[text] for text in parts.values() if text in _openings()), None)
    if openings is None:
        return {}
    return {VERDICTS[side]: Case(text) for side, text in enumerate(openings)}


def reads_all(view: View) -> bool:
    """Return whether a seat sees every part of the task."""
    return all(part.name in view.parts for part in view.rules.parts)


def _of_passage(passage: Passage, shown: str, reads: bool) -> dict[str, Case]:
    """Return the arguments for the answers in play, which may be two of four."""
    by_text = {answer.text: answer for answer in passage.answers}
    right = passage.answers[passage.right]
    known = {letter: by_text[text] for letter, text in _lettered(shown) if text in by_text}
    found: dict[str, Case] = {}
    for letter, answer in known.items():
        others = [other for name, other in known.items() if name != letter]
        against = others[0].rebuttal if others else ""
        found[letter] = Case(
            marked(answer.argument), marked(against), answer.support, answer == right or not reads
        )
    return found


def _lettered(answers: str) -> Iterator[tuple[str, str]]:
    """Yield the letter and the text of each answer."""
    for shown in answers.splitlines():
        letter, stop, text = shown.partition(". ")
        if stop:
            yield letter, text


def _of_text(view: View) -> dict[str, Case]:
    """Return arguments for each answer to a question without prepared ones."""
    question, truth = _words(view.parts.get("question", "")), view.truth
    answers = dict(_lettered(view.parts["answers"]))
    wanted = {letter: _words(answer) for letter, answer in answers.items()}
    found: dict[str, Case] = {}
    for letter, answer in answers.items():
        rank: dict[str, tuple[int, int]] = {}
        for each, words in _sentences(view.parts.get("passage", "")).items():
            shared = len(words & wanted[letter])
            # A sentence that fits another answer better is left to those who argue for that one.
            if all(len(words & other) <= shared for other in wanted.values()):
                rank[each] = shared, len(words & question)
        ranked = sorted(rank, key=rank.__getitem__, reverse=True)
        support = tuple(each for each in ranked[:QUOTED] if any(rank[each]))
        shown = f" The text says: {_marked(support[0])}" if support else ""
        argument = f"The answer is {letter}: {answer.rstrip('.')}.{shown}"
        found[letter] = Case(argument, support=support, bears_out=truth in (None, letter))
    return found


@lru_cache(8)
def _sentences(text: str) -> Mapping[str, frozenset[str]]:
    """Return the words of each sentence that can be quoted: it is short and has no markup."""
    return {
        each: _words(each)
        for each in sentences_of(text[:MOST_READ])
        if len(each) <= LONGEST and "<" not in each
    }


def _words(text: str) -> frozenset[str]:
    """Return the longer words of a text."""
    return frozenset(_WORD.findall(text.lower()))


@cache
def _passages() -> dict[str, Passage]:
    return {passage.question: passage for passage in passages()}


@cache
def _openings() -> dict[str, tuple[str, str]]:
    """Return provers' opening arguments for reject and for accept, by the claim."""
    return {
        f"{task.question}\n\n{task.solution}": task.openings
        for task in bundled_tasks()
        if task.openings is not None
    }
