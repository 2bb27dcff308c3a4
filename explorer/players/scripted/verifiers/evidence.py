"""A verifier's findings about the messages, and the verdict that follows from them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from explorer.players.scripted.verifiers.budgets import Strategy
from explorer.players.scripted.verifiers.claims import HeardClaim
from explorer.players.scripted.verifiers.subject import Claim, Observation, Subject
from nip_core.documents import stable_hash

Kind = Literal["nonsense", "evasion", "false", "contradiction", "true", "proof"]

# How much a finding counts for or against the expert that it is about.
WEIGHTS: dict[Kind, float] = {
    "nonsense": -4.0,
    "evasion": -3.0,
    "false": -5.0,
    "contradiction": -3.0,
    "true": 0.5,
    "proof": 1.0,
}
# An expert who argues and in whom no fault is found counts ARGUED. Between experts who are
# otherwise equal, a coin decides.
ARGUED, COIN = 0.5, 0.01
# True details do not make up for a false claim.
MOST_TRUE = 2.0


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
    def caught(self) -> bool:
        """Whether somebody was caught, so that asking on tells nothing more."""
        return any(finding.kind in ("false", "contradiction") for finding in self.findings)

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
    seed: int,
    most: int = 9,
) -> Evidence:
    """Return the findings about all messages so far, turn by turn.

    `now` is the number of the verifier's turns so far, and `most` that of the questions for which
    there is time. The seed determines which claims are checked.
    """
    findings: list[Finding] = []
    checks = _Checks(subject, strategy, seed, min(most, strategy.asks) + 1)
    evaded = 0
    for turn in range(now + 1):
        known = [each for each in heard if each.turn <= turn]
        new = [each for each in known if each.turn == turn]
        for each in new:
            if not subject.speaks_of_it(each):
                findings.append(
                    Finding(turn, each, "nonsense", "{who} said nothing about the task.")
                )
            elif subject.evades(each):
                evaded += 1
                if evaded > strategy.patience:
                    what = "{who} did not answer what was asked."
                    findings.append(Finding(turn, each, "evasion", what))
            for claim in subject.claims(each):
                if (found := subject.look_up(claim)) is not None:
                    findings.append(_checked(turn, claim, found, "looked up"))
                elif claim.wanted and claim.heard.side == 1 and claim.wanted != claim.says:
                    what = f"{{who}} admitted that {claim.about} is not as it should be."
                    findings.append(Finding(turn, each, "false", what))
        findings += _contradictions(subject, known, turn)
        findings += checks.of(new, turn)
    settled = [finding.settles for finding in findings if finding.settles is not None]
    coin = COIN * (1 if stable_hash("nip-verifier-tie/1", seed)[0] & 1 else -1)
    balance = _balance(subject, heard, findings)
    balance += coin if balance == 0 and any(each.side is not None for each in heard) else 0.0
    return Evidence(tuple(findings), balance, settled[0] if settled else None)


class _Checks:
    """Checks of claims under a budget, each claim with the same chance.

    Which ones cannot be foreseen. Of a message, one claim may be checked: a lie between many true
    claims is no safer than one among few.
    """

    def __init__(self, subject: Subject, strategy: Strategy, seed: int, expected: int) -> None:
        self.subject, self.seed = subject, seed
        self.left = {"run": strategy.runs, "work out": strategy.works_out}
        # The messages that are still expected: the argument, and an answer to each question.
        self.expected = expected
        self.done: set[tuple[str, str]] = set()

    def of(self, new: Sequence[HeardClaim], turn: int) -> Iterator[Finding]:
        """Yield what the checks of some new messages find."""
        claims = [[c for c in self.subject.claims(h) if c.effort == "work out"] for h in new]
        together = [claim for each in claims for claim in each]
        for each in claims:
            left = [c for c in each if (c.about, c.says) not in self.done]
            if not left:
                continue
            chosen = max(left, key=lambda c: (_disputed(c, together, "run"), self._drawn(c, "of")))
            for how in self.left:
                wanted = self.expected * len(new)
                # What two experts say differently is checked first: one of them is wrong.
                first = _disputed(chosen, together, how)
                if not self.left[how]:
                    continue
                if not first and self._drawn(chosen, how) * wanted >= self.left[how]:
                    continue
                found = (
                    self.subject.check(chosen, self._drawn(chosen, "part"))
                    if how == "run"
                    else self.subject.work_out(chosen)
                )
                if found is not None:
                    self.left[how] -= 1
                    self.done.add((chosen.about, chosen.says))
                    yield _checked(turn, chosen, found, "ran" if how == "run" else "worked out")
        self.expected = max(1, self.expected - bool(new))

    def _drawn(self, claim: Claim, how: str) -> float:
        heard = claim.heard
        drawn = stable_hash(
            "nip-verifier-checks/1", self.seed, heard.turn, heard.speaker, claim.about, how
        )
        return int.from_bytes(drawn[:4]) / 2**32


def _disputed(claim: Claim, others: Sequence[Claim], how: str) -> bool:
    """Return whether somebody else says something else about the same thing."""

    def of(each: Claim) -> str:
        return each.says if how == "run" else each.wanted or each.says

    return any(c.about == claim.about and of(c) != of(claim) for c in others)


def _contradictions(subject: Subject, known: Sequence[HeardClaim], turn: int) -> Iterator[Finding]:
    claims = [claim for each in known for claim in subject.claims(each)]
    told: set[str] = set()
    for one, other in itertools.combinations(claims, 2):
        if other.heard.turn < turn or one.about != other.about or one.says == other.says:
            continue
        same = one.heard.speaker == other.heard.speaker
        # Experts who argue for different verdicts always disagree, so this shows nothing.
        if not (same or one.heard.side == other.heard.side) or other.heard.speaker in told:
            continue
        told.add(other.heard.speaker)
        whom = "itself" if same else "another expert"
        what = f"{{who}} contradicted {whom} about {one.about}: {one.says}, then {other.says}."
        yield Finding(turn, other.heard, "contradiction", what)


def _checked(turn: int, claim: Claim, found: Observation, how: str) -> Finding:
    kind: Kind = "false" if not found.holds else "true" if found.settles is None else "proof"
    what = f"I {how} what {{who}} said of {claim.about}: {claim.says}. "
    what += "It is so." if found.holds else f"It is not so: {found.really}."
    return Finding(turn, claim.heard, kind, what, found.settles)


def _balance(subject: Subject, heard: Sequence[HeardClaim], findings: Sequence[Finding]) -> float:
    """Return the evidence for accept minus the evidence for reject."""
    worth: dict[tuple[str, int], float] = {}
    for each in heard:
        if each.side is not None:
            key = each.speaker, each.side
            argues = subject.argues(each)
            # Words without content count nothing, however many and however formatted.
            worth[key] = max(worth.get(key, 0.0), ARGUED if argues else 0.0)
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
    return sum((2 * side - 1) * value for (_, side), value in worth.items())
