"""Our statistics for logs of Inspect, of any task: intervals, paired comparisons, and power.

A log is an ``EvalLog`` of Inspect, or the path or the content of an ``.eval`` or ``.json`` file.
Files are read here without Inspect, within bounds. Samples about one problem are alike, and so are
the epochs of one sample, so that problems are the units that are drawn:

.. code-block:: python

    from explorer.studies import compare_logs, log_estimates, plan_from_logs

    log_estimates(["a.eval", "b.eval"], cluster="passage").to_frame()
    compare_logs("a.eval", "b.eval", cluster="passage")
    plan_from_logs("a.eval", "b.eval", power=0.9)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from explorer.logs import LIMITS, Archive, LogError, LogHeader, short_text
from explorer.studies.inspect.archive import is_epoch
from explorer.studies.statistics.estimates import Estimate, Estimates, of_mean, of_rate
from explorer.studies.statistics.paired import (
    Pair,
    PairedComparison,
    Pilot,
    SamplePlan,
    compared,
    pilot_of,
    plan,
)
from explorer.studies.study import StudyError
from nip_core.displays import Table, Tabular, brief, displayed, line
from nip_core.documents import show

# The values of Inspect's own scorers, as its `value_to_float` reads them.
VALUES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
# The metadata by which samples are clustered if nothing else is said; our own tasks have it.
CLUSTER = "problem"
MOST = 1e300


@displayed
@dataclass(frozen=True, slots=True)
class ScoredSample:
    """The score of a sample in one epoch."""

    sample: str
    epoch: int
    cluster: str  # the problem; by default the sample itself
    value: float


@dataclass(frozen=True, slots=True)
class LogScores(Tabular):
    """One score of all samples of a log.

    Parameters
    ----------
    name : str
        The task and the models of the log.
    score : str
        The scorer's name; with a slash and a key if its value is a mapping.
    samples : tuple of ScoredSample
    missing : int
        Samples without this score: failed ones, and values that are no numbers.
    """

    name: str
    score: str
    samples: tuple[ScoredSample, ...]
    missing: int

    def __repr__(self) -> str:
        return line(self, brief(self.name), self.score, f"{len(self.samples):,} samples")

    def table(self) -> Table:
        """Return a row for each sample and epoch."""
        rows = [(each.sample, each.epoch, each.cluster, each.value) for each in self.samples]
        return Table(("sample", "epoch", "cluster", self.score), rows)

    @property
    def is_rate(self) -> bool:
        """Whether all values are 0 or 1."""
        return all(each.value in (0.0, 1.0) for each in self.samples)

    def estimate(self, level: float = 0.95) -> Estimate:
        """Return the mean with its clustered interval: Wilson's if all values are 0 or 1."""
        values = [each.value for each in self.samples]
        return (of_rate if self.is_rate else of_mean)(
            values, [each.cluster for each in self.samples], level
        )


@dataclass(frozen=True, slots=True)
class LogEstimate(Tabular):
    """The mean score of a log."""

    log: str
    score: str
    estimate: Estimate
    samples: int
    clusters: int
    missing: int

    def __repr__(self) -> str:
        return line(self, brief(self.log), self.score, repr(self.estimate))

    def table(self) -> Table:
        """Return the number with its interval."""
        return Estimates([self]).table()


@dataclass(frozen=True, slots=True)
class LogPlan(Tabular):
    """How many samples show a difference like that of a pilot.

    Parameters
    ----------
    pilot : Pilot
        What was measured.
    paired, unpaired : SamplePlan
        How many samples each of the two needs, on the same samples and on different ones.
    """

    pilot: Pilot
    paired: SamplePlan
    unpaired: SamplePlan

    def __repr__(self) -> str:
        return line(self, f"{self.paired.each:,} pairs", f"{self.unpaired.each:,} unpaired")

    def table(self) -> Table:
        """Return what was measured, and the numbers of samples."""
        row = {
            "first": self.pilot.first,
            "second": self.pilot.second,
            "differing": self.pilot.differing,
            "design effect": self.pilot.design_effect,
            "pairs of the pilot": self.pilot.pairs,
            "pairs needed": self.paired.each,
            "samples of each needed, unpaired": self.unpaired.each,
        }
        return Table(tuple(row), [tuple(row.values())])


def log_scores(log: Any, score: str | None = None, *, cluster: str | None = None) -> LogScores:
    """Return the score of each sample of a log.

    Parameters
    ----------
    log : EvalLog, path or bytes
    score : str, optional
        The scorer's name, or ``scorer/key`` where its value is a mapping; needed if there are
        several.
    cluster : str, optional
        The metadata whose value samples about one problem share. By default ``problem``, which our
        own tasks have; samples without it are clustered by themselves.

    Raises
    ------
    LogError
        If it is no log, or has no such score or metadata.
    """
    header, documents = _opened(log)
    found = [_Sample(document) for document in documents]
    names = list(dict.fromkeys(name for each in found for name in each.scores))
    if score is None:
        if len(names) != 1:
            raise LogError(
                f"The log has {len(names)} scores{': ' if names else ''}{', '.join(names)}; name "
                "the one to read."
                if names
                else "The log has no scores that are numbers."
            )
        (score,) = names
    if score not in names:
        raise LogError(f"The log has no score {score!r}; it has {', '.join(names) or 'none'}.")
    if cluster is not None and not any(cluster in each.metadata for each in found):
        raise LogError(f"No sample of the log has {cluster!r} in its metadata.")
    scored = tuple(
        ScoredSample(each.id, each.epoch, each.cluster(cluster or CLUSTER), each.scores[score])
        for each in found
        if score in each.scores
    )
    models = f", {'+'.join(header.models)}" if header.models else ""
    return LogScores(f"{header.task}{models}", score, scored, len(found) - len(scored))


def log_estimates(
    logs: Iterable[Any],
    score: str | None = None,
    *,
    cluster: str | None = None,
    level: float = 0.95,
) -> Estimates[LogEstimate]:
    """Return the mean score of each log with its clustered interval; see :func:`log_scores`."""
    found = [log_scores(log, score, cluster=cluster) for log in logs]
    return Estimates(
        LogEstimate(
            each.name,
            each.score,
            mean := each.estimate(level),
            mean.count,
            mean.clusters,
            each.missing,
        )
        for each in found
    )


def compare_logs(
    first: Any,
    second: Any,
    score: str | None = None,
    *,
    cluster: str | None = None,
    level: float = 0.95,
) -> PairedComparison:
    """Compare two logs on the samples and epochs that both have; see :func:`log_scores`.

    The interval is a bootstrap over problems. The test is McNemar's, clustered by problem, of pairs
    of which exactly one has the score 1 and the other 0.
    """
    pairs, one, other = _pairs(first, second, score, cluster)
    return compared(one.name, other.name, one.score, pairs, pairs, level)


def plan_from_logs(
    first: Any,
    second: Any,
    score: str | None = None,
    *,
    cluster: str | None = None,
    power: float = 0.8,
    level: float = 0.95,
) -> LogPlan:
    """Return how many samples show the difference of two logs, which are a pilot.

    Raises
    ------
    StudyError
        If they share too few problems, do not differ, or have scores other than 0 and 1.
    """
    pairs, one, other = _pairs(first, second, score, cluster)
    if not (one.is_rate and other.is_rate):
        raise StudyError("A plan is for scores that are 0 or 1; these have other values, too.")
    known = pilot_of(pairs)
    how: dict[str, Any] = {"power": power, "level": level, "design_effect": known.design_effect}
    return LogPlan(
        known,
        plan(known.first, known.second, differing=known.differing, **how),
        plan(known.first, known.second, unpaired=True, **how),
    )


def _pairs(
    first: Any, second: Any, score: str | None, cluster: str | None
) -> tuple[list[Pair], LogScores, LogScores]:
    one, other = (log_scores(log, score, cluster=cluster) for log in (first, second))
    known = {(each.sample, each.epoch): each for each in other.samples}
    pairs = [
        Pair(each.cluster, each.value, known[at].value)
        for each in one.samples
        if (at := (each.sample, each.epoch)) in known
    ]
    if not pairs:
        raise StudyError("The two logs have no scored samples with the same id and epoch.")
    return pairs, one, other


# -- reading -----------------------------------------------------------------------------------


def _opened(log: Any) -> tuple[LogHeader, Iterator[Mapping[str, Any]]]:
    """Return the header of a log, and its samples as documents."""
    if isinstance(log, bytes):
        archive = Archive(log)
        return archive.header, archive.samples()
    if isinstance(log, str | Path):
        try:
            with Path(log).open("rb") as file:
                return _opened(file.read(LIMITS.file + 1))
        except OSError as error:
            raise LogError(f"{log} cannot be read: {error.strerror or error}.") from None
    about = getattr(log, "eval", None)
    if about is None:
        raise LogError(f"{show(log)} is neither a log of Inspect nor the path of one.")
    roles = (getattr(role, "model", "") for role in _mapping(about.model_roles).values())
    models = [each for each in (about.model, *roles) if each not in ("", "none/none")]
    header = LogHeader(str(about.task), str(about.created), tuple(dict.fromkeys(models)))
    samples: Iterable[Any] = getattr(log, "samples", None) or ()
    fields = ("id", "epoch", "metadata", "scores")
    return header, ({name: getattr(each, name, None) for name in fields} for each in samples)


class _Sample:
    """A sample, as far as scores are concerned; its document may be anything."""

    def __init__(self, document: object) -> None:
        found = _mapping(document)
        name, epoch = found.get("id"), found.get("epoch")
        self.id = short_text(name) if isinstance(name, str) else show(name)
        self.epoch = epoch if is_epoch(epoch, 1) else 1
        self.metadata = _mapping(found.get("metadata"))
        self.scores: dict[str, float] = {}
        for scorer, score in _mapping(found.get("scores")).items():
            value = _mapping(score).get("value", getattr(score, "value", None))
            parts = {f"{scorer}/{key}": part for key, part in _mapping(value).items()}
            for place, part in (parts or {scorer: value}).items():
                number = _number(part)
                if number is not None:
                    self.scores[short_text(place)] = number

    def cluster(self, name: str) -> str:
        """Return what the sample shares with those about the same problem."""
        value = self.metadata.get(name)
        return self.id if value is None else str(value)[:200]


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _number(value: object) -> float | None:
    """Return the number that a score's value is; None if it is none."""
    if isinstance(value, str):
        return VALUES.get(value, VALUES.get(value.lower()) if len(value) > 1 else None)
    # A whole number may be too large for a float.
    if not isinstance(value, int | float) or abs(value) > MOST or math.isnan(value):
        return None
    return float(value)
