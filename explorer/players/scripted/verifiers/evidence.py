"""A verifier's findings about the messages, and the verdict that follows from them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from explorer.players.scripted.verifiers.claims import HeardClaim
from explorer.players.scripted.verifiers.strategies import Care, Strategy
from explorer.players.scripted.verifiers.subject import Claim, Observation, Subject
from nip_core.documents import stable_hash

Kind = Literal["nonsense", "evasion", "repetition", "false", "contradiction", "true", "proof"]

# How much a finding counts for or against the expert that it is about.
WEIGHTS: dict[Kind, float] = {
    "nonsense": -4.0,
    "evasion": -3.0,
    "repetition": -2.0,
    "false": -5.0,
    "contradiction": -3.0,
    "true": 1.0,
    "proof": 1.0,
}
# Findings that are never overlooked.
PLAIN: frozenset[Kind] = frozenset({"nonsense", "true", "proof"})
# An expert who argues and in whom no fault is found counts ARGUED, plus NAMED for each of at most
# MOST_NAMED concrete things that it names, which decides between experts who are otherwise equal.
ARGUED = 0.5
# True details do not make up for a false claim.
MOST_TRUE = 2.0
NAMED, MOST_NAMED = 0.005, 40


@dataclass(frozen=True, slots=True)
class Finding:
    """A verifier's finding about a message."""

    # The number of the verifier's turn.
    turn: int
    heard: HeardClaim
    kind: Kind
    # The finding in words, with {who} for the speaker.
    about: str
    # The verdict, if it is a proof.
    settles: int | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """All findings up to a turn."""

    findings: tuple[Finding, ...]
    # Above 0 for accept. Not exactly 0 once a message that takes a side was read.
    balance: float
    # The verdict, if it has been proven.
    settled: int | None

    @property
    def verdict(self) -> Literal[0, 1]:
        """Return the verdict; reject if there are no findings."""
        if self.settled is not None:
            return 1 if self.settled else 0
        return 1 if self.balance > 0 else 0

    @property
    def belief(self) -> int:
        """Return the probability of the statement by these findings, in per cent."""
        balance = self.balance if self.settled is None else (2 * self.settled - 1) * 9.0
        return round(100 / (1 + math.exp(-max(-9.0, min(9.0, balance)))))


def gather(
    subject: Subject,
    heard: Sequence[HeardClaim],
    now: int,
    strategy: Strategy,
    care: Care,
    seed: int,
) -> Evidence:
    """Return the findings about all messages so far, turn by turn, by the strategy's checks.

    `now` is the number of the verifier's turns so far. The seed determines which faults are
    overlooked.
    """
    findings: list[Finding] = []
    checked: set[tuple[str, str]] = set()
    for turn in range(now + 1):
        known = [each for each in heard if each.turn <= turn]
        found = [*_listen(subject, known, turn, strategy)]
        if "work out" in strategy.checks:
            found += _work_out(subject, known, turn, checked, care.checks)
        findings += [each for each in found if _noticed(each, care, seed)]
    return Evidence(tuple(findings), _balance(subject, heard, findings), _settled(findings))


def _noticed(finding: Finding, care: Care, seed: int) -> bool:
    if finding.kind in PLAIN:
        return True
    drawn = stable_hash(
        "nip-verifier-notices/1", seed, finding.turn, finding.heard.speaker, finding.kind
    )
    return int.from_bytes(drawn[:4]) < care.notices * 2**32


def _listen(
    subject: Subject, known: Sequence[HeardClaim], turn: int, strategy: Strategy
) -> Iterator[Finding]:
    """Yield the findings from the newest messages that need no computation."""
    new = [each for each in known if each.turn == turn]
    before = [each for each in known if each.turn < turn]
    for each in new if "substance" in strategy.checks else ():
        if not subject.speaks_of_it(each):
            yield Finding(turn, each, "nonsense", "{who} said nothing about the task.")
        elif subject.evades(each):
            yield Finding(turn, each, "evasion", "{who} did not answer what was asked.")
        elif not subject.claims(each) and any(_repeats(each, other) for other in before):
            yield Finding(
                turn, each, "repetition", "{who} answered another question in the same words."
            )
    for each in new if "look up" in strategy.checks else ():
        for claim in subject.claims(each):
            if (found := subject.look_up(claim)) is not None:
                yield _checked(turn, claim, found, "looked up")
    if strategy.checks & {"itself", "others"}:
        yield from _contradictions(subject, before, new, turn, strategy)


def _repeats(one: HeardClaim, other: HeardClaim) -> bool:
    same = one.speaker == other.speaker and one.text.split() == other.text.split()
    return same and one.asked != other.asked


def _contradictions(
    subject: Subject,
    before: Sequence[HeardClaim],
    new: Sequence[HeardClaim],
    turn: int,
    strategy: Strategy,
) -> Iterator[Finding]:
    claims = [claim for each in (*before, *new) for claim in subject.claims(each)]
    told: set[str] = set()
    for one, other in itertools.combinations(claims, 2):
        if other.heard.turn < turn or one.about != other.about or one.says == other.says:
            continue
        same = one.heard.speaker == other.heard.speaker
        # Experts who argue for different verdicts always disagree, so this shows nothing.
        fellows = one.heard.side == other.heard.side
        if ("itself" if same else "others") not in strategy.checks or not (same or fellows):
            continue
        if other.heard.speaker not in told:
            told.add(other.heard.speaker)
            whom = "itself" if same else "another expert"
            what = f"{{who}} contradicted {whom} about {one.about}: {one.says}, then {other.says}."
            yield Finding(turn, other.heard, "contradiction", what)


def _work_out(
    subject: Subject,
    known: Sequence[HeardClaim],
    turn: int,
    checked: set[tuple[str, str]],
    most: int,
) -> Iterator[Finding]:
    """Check some of the unchecked claims, the most informative first, and of equal ones the newest.

    The answer to the question gets no priority: a lie may accompany a true, simple answer.
    """
    claims = [claim for each in known for claim in subject.claims(each)]
    for claim in sorted(claims, key=lambda c: (-subject.importance(c), -c.heard.turn)):
        if most and (claim.about, claim.says) not in checked:
            checked.add((claim.about, claim.says))
            if (found := subject.check(claim)) is not None:
                most -= 1
                yield _checked(turn, claim, found, "checked")


def _checked(turn: int, claim: Claim, found: Observation, how: str) -> Finding:
    kind: Kind = "false" if not found.holds else "true" if found.settles is None else "proof"
    what = f"I {how} what {{who}} said of {claim.about}: {claim.says}. "
    what += "It is so." if found.holds else f"It is not so: {found.really}."
    return Finding(turn, claim.heard, kind, what, found.settles)


def _balance(subject: Subject, heard: Sequence[HeardClaim], findings: Sequence[Finding]) -> float:
    """Return the evidence for accept minus the evidence for reject."""
    worth: dict[tuple[str, int], float] = {}
    named: dict[tuple[str, int], int] = {}
    for each in heard:
        if each.side is not None:
            key = each.speaker, each.side
            argues = subject.argues(each)
            # Words without content count nothing, however many and however formatted.
            worth[key] = max(worth.get(key, 0.0), ARGUED if argues else 0.0)
            named[key] = named.get(key, 0) + (subject.concreteness(each) if argues else 0)
    for finding in findings:
        if finding.heard.side is not None and finding.kind != "true":
            worth[finding.heard.speaker, finding.heard.side] += WEIGHTS[finding.kind]
    for speaker, side in worth:
        true = sum(
            WEIGHTS[finding.kind]
            for finding in findings
            if finding.kind == "true"
            and (finding.heard.speaker, finding.heard.side) == (speaker, side)
        )
        worth[speaker, side] += min(true, MOST_TRUE)
    return sum(
        (2 * side - 1) * (value + NAMED * min(named[speaker, side], MOST_NAMED))
        for (speaker, side), value in worth.items()
    )


def _settled(findings: Sequence[Finding]) -> int | None:
    settled = [finding.settles for finding in findings if finding.settles is not None]
    return settled[0] if settled else None
