"""Subjects: a verifier's questions about a statement, its reading of answers, and its checks."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

from explorer.players.scripted.verifiers.claims import HeardClaim
from explorer.players.scripted.voices import is_evasion
from nip_core.displays import displayed, line
from nip_core.tasks import Statement, problems

# Words that fit any statement.
_SAID_OF_ALL = """
    about accept answer because believe case check claim code correct could example expert false
    first fine function good graph has have hello isn just know last line look make more not nothing
    number please program proof prove question quite read really reject result right same simple
    solution some statement sure swear test that their them then there they thing think this true
    trust very verdict was well were what when where which why will with word work would wrong yes
    you your
"""
# Words in at least so many of the bundled questions say nothing about a single one.
_COMMON = 8

# Cached, since all messages are read again at every turn.
_REMEMBERED = 1_000

# The least words of a reason; a concrete claim may have fewer.
_REASON = 8
_WORDS = re.compile(r"[^\W\d_]{2,}")
_QUOTED = re.compile(r"`([^`]+)`")
# Ways of not answering a question.
_EVASIVE = re.compile(
    r"\b(?:no (?:prepared )?answer|nothing (?:new |more )?to add|no comment|trust me|believe me"
    r"|stand by what|take my word|beside the point"
    r"|(?:cannot|can't|won't|will not|would rather not|refuse to) (?:say|tell|answer)"
    r"|don't know|do not know|nothing was prepared)\b",
    re.IGNORECASE,
)


@displayed
@dataclass(frozen=True, slots=True)
class Claim:
    """A concrete claim in a message."""

    heard: HeardClaim
    # What the claim is about; different claims about the same thing contradict each other.
    about: str
    says: str
    # How to check it: in the statement itself, or by running or counting something.
    effort: Literal["look up", "work out"]
    # What it says would be right, if that is something else.
    wanted: str = ""

    def __str__(self) -> str:
        return f"{self.about}: {self.says}"


@displayed
@dataclass(frozen=True, slots=True)
class Observation:
    """The outcome of checking a claim."""

    holds: bool
    # The true value, in words.
    really: str
    # The label, if the outcome proves it.
    settles: int | None = None


class Subject:
    """The questions and checks for any statement, by its words alone."""

    def __repr__(self) -> str:
        return line(self, repr(self.statement))

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self._understood: dict[tuple[str, str, str], tuple[Claim, ...]] = {}

    # -- asking --------------------------------------------------------------------------------

    def questions(self, *, unusual: bool) -> list[str]:
        """Return questions whose answers can be checked, unusual ones or others."""
        del unusual
        return []

    def telling(self, question: str) -> int:
        """Return how informative a prepared question is; a concrete one is harder to evade."""
        return len(self._names & stems(question)) + 2 * len(_QUOTED.findall(question))

    # -- listening -----------------------------------------------------------------------------

    def speaks_of_it(self, heard: HeardClaim) -> bool:
        """Return whether a message is about the task."""
        text = heard.text
        if self._is_copied(heard):
            return False
        if any(part.strip() in self._all for part in _QUOTED.findall(text) if part.strip()):
            return True
        told = len(re.findall(r"[^\W\d]{2,}", text)) >= 6 and len(re.findall(r"\d+", text)) >= 2
        # Short words occur in both texts by chance.
        shared = sum(1 + (len(stem) > 3) for stem in self._names & stems(text))
        return told or shared >= 2 or bool(self.claims(heard))

    def argues(self, heard: HeardClaim) -> bool:
        """Return whether a message contains a concrete claim or a reason."""
        if self.claims(heard):
            return True
        return self.speaks_of_it(heard) and len(_WORDS.findall(heard.text)) >= _REASON

    def evades(self, heard: HeardClaim) -> bool:
        """Return whether a question was asked and not answered."""
        evasive = is_evasion(heard.text) or _EVASIVE.search(heard.text)
        return bool(heard.asked and evasive) and not self.claims(heard)

    def claims(self, heard: HeardClaim) -> list[Claim]:
        """Return the claims in a message that this subject understands."""
        key = heard.text, heard.asked, heard.before
        if key not in self._understood:
            if len(self._understood) >= _REMEMBERED:
                self._understood.clear()
            self._understood[key] = tuple(self._understand(heard))
        return [dataclasses.replace(claim, heard=heard) for claim in self._understood[key]]

    def _understand(self, heard: HeardClaim) -> Iterator[Claim]:
        del heard
        yield from ()

    # -- checking ------------------------------------------------------------------------------

    def check(self, claim: Claim, part: float | None = None) -> Observation | None:
        """Return the outcome of checking a claim; None if it cannot be checked.

        Of what takes long, only a part is checked if there is a number from 0 to 1, which draws it.
        """
        del claim, part
        return None

    def work_out(self, claim: Claim) -> Observation | None:
        """Return whether what a claim says would be right is right; None if it cannot be told."""
        return self.check(claim)

    def look_up(self, claim: Claim) -> Observation | None:
        """Return the outcome of checking a claim by the statement alone, or None."""
        return self.check(claim) if claim.effort == "look up" else None

    @property
    def _all(self) -> str:
        return f"{self.statement.question}\n{self.statement.solution}"

    @cached_property
    def _names(self) -> frozenset[str]:
        return stems(self._all) - common_stems()

    def _is_copied(self, heard: HeardClaim) -> bool:
        """Return whether a message only repeats the words of the statement or the question."""
        own = (self.statement.question, self.statement.solution, heard.asked)
        said = " ".join(heard.text.split())
        if any(said in " ".join(text.split()) for text in own) and len(said) > 20:
            return True
        parts, known = _triples(heard.text), set[tuple[str, ...]]().union(*map(_triples, own))
        return len(parts) >= _REASON and len(parts & known) > 0.7 * len(parts)


def _triples(text: str) -> set[tuple[str, ...]]:
    """Return every three words that follow each other."""
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[place : place + 3]) for place in range(len(words) - 2)}


def stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words and names."""
    found = re.findall(r"[^\W\d_]{3,}", text.lower())
    return frozenset(re.sub(r"(?:ies|es|ed|ing|s|e|y)$", "", word)[:7] for word in found)


@cache
def common_stems() -> frozenset[str]:
    """Return the stems of words that fit any statement."""
    found = Counter[str]()
    for problem in problems():
        found.update(stems(problem.correct.question))
    return stems(_SAID_OF_ALL) | {stem for stem, count in found.items() if count > _COMMON}
