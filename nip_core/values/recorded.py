r"""What recorded episodes show: completeness, soundness, and what messages say about labels.

Each episode has one *kind*, by what its provers said. The probability of a kind under true and
false claims says how much a verifier learns from it:

.. math::

    \Lambda(k) = \frac{P(k \mid y = 1)}{P(k \mid y = 0)},

and the best verdict after it is to accept where :math:`p \Lambda(k) \ge 1 - p` (if a right verdict
pays more than a wrong one). A rule looks too good when it is tested on the episodes from which it
was learned. So a rule is learned from every second episode and tested on the others, and the other
way round.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nip_core.displays import Table, Tabular, brief, line
from nip_core.errors import ModelError, show
from nip_core.play import Episode
from nip_core.values.checks import (
    checked,
    checked_level,
    checked_positive,
    checked_records,
    checked_whole,
    instance,
    optional,
    refuse,
)
from nip_core.values.intervals import wilson

__all__ = ["Heard", "Kind", "Rate", "RecordedEvidence", "heard", "recorded_evidence"]

Said = Sequence[str]
MOST_KINDS = 200
REJECT, ACCEPT, NONE = range(3)
VERDICTS = ("reject", "accept", "none")


@dataclass(frozen=True, slots=True)
class Heard:
    """The relevant facts of one episode.

    Parameters
    ----------
    label : {0, 1}
        Whether the claim is true.
    verdict : {0, 1, 2}
        0 reject, 1 accept, 2 none.
    said : tuple of str
        The provers' messages that the verifier read, in order.
    """

    label: int
    verdict: int
    said: tuple[str, ...]

    def __post_init__(self) -> None:
        checked_whole("label", self.label, 0, 1)
        checked_whole("verdict", self.verdict, 0, 2)
        if not isinstance(self.said, tuple) or not all(isinstance(m, str) for m in self.said):
            refuse("argument 'said'", self.said, "a tuple of texts")

    def __repr__(self) -> str:
        holds = "true" if self.label else "false"
        return line(self, f"a {holds} claim", VERDICTS[self.verdict], f"{len(self.said)} messages")


@checked(episodes=checked_records)
def heard(episodes: Iterable[Episode]) -> tuple[Heard, ...]:
    """Return the relevant facts of every variation that was played to its end.

    Parameters
    ----------
    episodes : iterable of Episode
        Read from transcripts (:func:`nip_core.transcript.load`), or a study's.
    """
    found: list[Heard] = []
    for number, episode in enumerate(episodes, start=1):
        if not isinstance(episode, Episode):
            name = f"entry {number} of the argument 'episodes'"
            refuse(name, episode, "an Episode, as nip_core.transcript.load reads it")
        rules = episode.rules
        read = set(rules.visible_channels(rules.roles.deciders[0]))
        for leaf in (each for each in episode.leaves if each.over):
            said = tuple(
                text
                for node in episode.path(leaf.id)[1:]
                for prover in rules.provers
                if (move := node.moves.get(prover)) is not None
                for channel, text in move.messages.items()
                if channel in read
            )
            decision = episode.result(leaf.id).decision
            found.append(Heard(episode.task.y, NONE if decision is None else decision, said))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something happened, with an interval for its probability.

    Parameters
    ----------
    hits, count : int
    low, high : float
        Wilson's interval.
    """

    hits: int
    count: int
    low: float
    high: float

    def __repr__(self) -> str:
        return line(self, f"{self.hits} of {self.count}", f"{self.low:.4g} to {self.high:.4g}")

    @property
    def share(self) -> float:
        """The share of hits; NaN if the count is 0."""
        return self.hits / self.count if self.count else math.nan


@dataclass(frozen=True, slots=True)
class Kind:
    """What one kind of message says about the label.

    Parameters
    ----------
    name : str
    if_true, if_false : Rate
        How often it occurred under true and false claims.
    ratio : float
        The likelihood ratio; inf if it never occurred under false claims.
    low, high : float
        An interval of the ratio.
    belief : float
        The probability, with the prior, that a claim is true after it.
    accepts : bool
        Whether the best rule accepts.
    is_clear : bool
        Whether the best rule is the same for the whole interval of the ratio.
    """

    name: str
    if_true: Rate
    if_false: Rate
    ratio: float
    low: float
    high: float
    belief: float
    accepts: bool
    is_clear: bool

    def __repr__(self) -> str:
        rule = "accept" if self.accepts else "reject"
        return line(self, brief(self.name), f"ratio {self.ratio:.4g}", rule)


@dataclass(frozen=True, slots=True)
class RecordedEvidence(Tabular):
    """What episodes show about a verifier, messages, and the best rule for these.

    Parameters
    ----------
    prior : float
        The probability of a true claim for which the rule is best.
    completeness, soundness_error : Rate
        How often the verifier in the records accepted true and false claims.
    kinds : tuple of Kind
        From the strongest for the claim to the strongest against it.
    rule_completeness, rule_soundness_error : Rate
        How often the best rule accepts true and false claims from which it was not learned.
    """

    prior: float
    completeness: Rate
    soundness_error: Rate
    kinds: tuple[Kind, ...]
    rule_completeness: Rate
    rule_soundness_error: Rate

    def __repr__(self) -> str:
        rates = self.rule_completeness.share, self.rule_soundness_error.share
        rates_ = "rule: completeness {:.4g}, soundness error {:.4g}".format(*rates)
        return line(self, f"{len(self.kinds)} kinds of messages", rates_)

    @property
    def rule(self) -> Mapping[str, str]:
        """The best verdict after each kind of message."""
        return {kind.name: "accept" if kind.accepts else "reject" for kind in self.kinds}

    def rates(self) -> Table:
        """Return completeness and soundness error, of the records and of the best rule."""
        rows = [
            ("completeness, as recorded", self.completeness),
            ("soundness error, as recorded", self.soundness_error),
            ("completeness of the best rule", self.rule_completeness),
            ("soundness error of the best rule", self.rule_soundness_error),
        ]
        cells = [(what, r.share, r.low, r.high, r.hits, r.count) for what, r in rows]
        return Table(("what", "share", "from", "to", "hits", "of"), cells)

    def table(self) -> Table:
        """Return a row for each kind of message."""
        head = ("kind", "if true", "if false", "ratio", "from", "to", "belief", "verdict", "clear")
        rows = [
            (
                *(each.name, each.if_true.share, each.if_false.share),
                *(each.ratio, each.low, each.high, each.belief),
                *("accept" if each.accepts else "reject", each.is_clear),
            )
            for each in self.kinds
        ]
        return Table(head, rows)


def last_message(said: Said) -> str:
    """Return the last message without surrounding blanks; "nothing" if there was none."""
    return said[-1].strip() if said else "nothing"


def _callable(name: str, value: Any) -> None:
    if not callable(value):
        refuse(name, value, "a function that makes a name of a tuple of messages")


@checked(
    records=checked_records,
    kind=_callable,
    prior=optional(checked_level),
    stakes=checked_positive,
    level=checked_level,
)
def recorded_evidence(
    records: Iterable[Heard],
    *,
    kind: Callable[[Said], str] = last_message,
    prior: float | None = None,
    stakes: float = 1.0,
    level: float = 0.95,
) -> RecordedEvidence:
    """Return what episodes show about completeness, soundness, and kinds of messages.

    Parameters
    ----------
    records : iterable of Heard
        The result of :func:`heard`.
    kind : callable
        Returns the kind of an episode from its provers' messages; by default, the text of the last
        message, which suits messages that are symbols.
    prior : float, optional
        The probability of a true claim, for the rule; by default the share in the records.
    stakes : float
        How many times as bad it is to accept a false claim as to reject a true one.
    level : float
        The confidence level of each interval by itself.

    Raises
    ------
    ModelError
        If there are no true or no false claims, or more than 200 kinds.
    """
    given = [_checked_heard(number, each) for number, each in enumerate(records, start=1)]
    by_label = [[_name(kind(each.said)) for each in given if each.label == y] for y in (0, 1)]
    false, true = map(len, by_label)
    if not (false and true):
        raise ModelError(
            f"The records hold {true} true and {false} false claims; at least one of each is "
            "needed to compare them."
        )
    counts = [Counter(kinds) for kinds in by_label]
    names = {name for counter in counts for name in counter}
    if len(names) > MOST_KINDS:
        raise ModelError(
            f"The messages are of {len(names):,} kinds; up to {MOST_KINDS} are compared. Give "
            "'kind', a function that sorts messages into a few kinds."
        )
    likely = true / len(given) if prior is None else float(prior)
    # Accept if the likelihood ratio is at least this.
    threshold = stakes * (1 - likely) / likely
    kinds = [_kind(name, counts, threshold, likely, level) for name in names]
    accepted = [sum(each.verdict == ACCEPT for each in given if each.label == y) for y in (0, 1)]
    judged = _judged(by_label, threshold)
    return RecordedEvidence(
        prior=likely,
        completeness=_rate(accepted[1], true, level),
        soundness_error=_rate(accepted[0], false, level),
        kinds=tuple(sorted(kinds, key=lambda each: (-each.ratio, each.name))),
        rule_completeness=_rate(judged[1], true, level),
        rule_soundness_error=_rate(judged[0], false, level),
    )


_checked_record = instance(Heard, "a Heard, as nip_core.values.heard makes it of an episode")


def _checked_heard(number: int, record: Heard) -> Heard:
    _checked_record(f"record {number}", record)
    return record


def _name(given: object) -> str:
    if not isinstance(given, str):
        raise ModelError(f"'kind' has returned {show(given)}; it must return a text.")
    return given


def _rate(hits: int, count: int, level: float) -> Rate:
    return Rate(hits, count, *wilson(hits, count, level))


def _kind(
    name: str, counts: Sequence[Counter[str]], threshold: float, prior: float, level: float
) -> Kind:
    totals = [counter.total() for counter in counts]
    # Both rates are in their intervals at once at least with the level, and then so is the ratio.
    joint = 1 - (1 - level) / 2
    false, true = (_rate(c[name], n, joint) for c, n in zip(counts, totals, strict=True))
    low, high = _ratio(true.low, false.high), _ratio(true.high, false.low)
    ratio = _ratio(true.share, false.share)
    accepts = ratio >= threshold
    return Kind(
        name=name,
        if_true=_rate(true.hits, true.count, level),
        if_false=_rate(false.hits, false.count, level),
        ratio=ratio,
        low=low,
        high=high,
        belief=prior * true.share / (prior * true.share + (1 - prior) * false.share),
        accepts=accepts,
        is_clear=low >= threshold if accepts else high < threshold,
    )


def _ratio(true: float, false: float) -> float:
    return true / false if false else math.inf


def _judged(by_label: Sequence[Sequence[str]], threshold: float) -> list[int]:
    """Return, by label, how many claims of one half are accepted by a rule learned from the other.

    Parameters
    ----------
    by_label : sequence of sequence of str
        The kinds of episodes with false and with true claims. Every second one of each label is in
        the same half, so that both halves have both labels if possible.
    """
    hits = [0, 0]
    for half in (0, 1):
        taught = [Counter(kinds[1 - half :: 2]) for kinds in by_label]
        totals = [max(1, counter.total()) for counter in taught]
        for label, kinds in enumerate(by_label):
            for name in kinds[half::2]:
                false, true = (c[name] / n for c, n in zip(taught, totals, strict=True))
                # A kind that is not in the other half says nothing.
                ratio = _ratio(true, false) if true or false else 1.0
                hits[label] += ratio >= threshold
    return hits
