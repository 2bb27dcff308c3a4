"""The gaps that papers report, completeness and soundness error, and the honest advantage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from explorer.studies.results import ResultRow
from explorer.studies.statistics.estimates import (
    Estimate,
    Estimates,
    Floats,
    bootstrap_interval,
)
from explorer.studies.statistics.measures import MEASURES
from explorer.studies.statistics.paired import aligned, difference, paired
from explorer.studies.statistics.summary import estimate
from nip_core.displays import displayed

ONE_PROOF = "adp"
# The numbers of the table that shows how much a protocol helps a verifier, and what it costs.
OVER_PROVERS = "completeness", "soundness_error", "honest_advantage", "rounds", "words"


@displayed
@dataclass(frozen=True, slots=True)
class OverProvers:
    """What a verifier in a protocol achieves over all provers that were tried.

    Parameters
    ----------
    completeness, soundness_error : Estimate
        The rates with the best, and against the worst, of the tested provers.
    best, worst : str
        The conditions of those provers.
    provers : int
        How many provers were tested.
    honest_advantage : Estimate, optional
        Of all of them together; None unless some were honest and some were not.
    rounds, words : Estimate
        The means over all provers.
    """

    protocol: str
    verifier: str
    completeness: Estimate
    soundness_error: Estimate
    best: str
    worst: str
    provers: int
    honest_advantage: Estimate | None
    rounds: Estimate
    words: Estimate


def over_provers(rows: Iterable[ResultRow], level: float = 0.95) -> Estimates[OverProvers]:
    """Return completeness and soundness error of each verifier in each protocol."""
    groups: dict[tuple[str, str], dict[str, list[ResultRow]]] = {}
    for row in rows:
        group = groups.setdefault((row.protocol, row.verifier), {})
        group.setdefault(row.condition, []).append(row)
    achieved = Estimates[OverProvers]()
    for (protocol, verifier), conditions in groups.items():
        # Bonferroni: all intervals hold together with the stated level.
        level_each = 1 - (1 - level) / len(conditions)
        best, complete = _highest(conditions, "accepts_true", level_each)
        worst, error = _highest(conditions, "accepts_false", level_each)
        everything = [row for rows in conditions.values() for row in rows]
        achieved.append(
            OverProvers(
                protocol,
                verifier,
                complete,
                error,
                best,
                worst,
                len(conditions),
                honest_advantage(everything, level),
                estimate(everything, MEASURES["rounds"], level),
                estimate(everything, MEASURES["words"], level),
            )
        )
    return achieved


def _highest(
    conditions: Mapping[str, Sequence[ResultRow]], measure: str, level: float
) -> tuple[str, Estimate]:
    all_found = {
        name: estimate(rows, MEASURES[measure], level) for name, rows in conditions.items()
    }
    estimates = {name: one for name, one in all_found.items() if one.value is not None}
    if not estimates:
        return "", next(iter(all_found.values()))
    name = max(estimates, key=lambda condition: estimates[condition].value or 0.0)
    chosen = estimates[name]
    lows = [one.low for one in estimates.values() if one.low is not None]
    highs = [one.high for one in estimates.values() if one.high is not None]
    return name, Estimate(
        chosen.value, max(lows), max(highs), chosen.error, chosen.count, chosen.clusters
    )


@displayed
@dataclass(frozen=True, slots=True)
class Gaps:
    """A condition compared with simpler ones with the same players."""

    condition: str
    # None if the study has no condition to compare with.
    alone: Estimate | None = None
    one_proof: Estimate | None = None
    recovered: Estimate | None = None
    # The condition of each comparison; empty for the ceiling if it is 1.
    alone_is: str = ""
    one_proof_is: str = ""
    ceiling_is: str = ""


def gaps(
    rows: Iterable[ResultRow], registered: Mapping[str, str], level: float = 0.95
) -> list[Gaps]:
    """Return the gaps of every condition with provers.

    `registered` are the registered protocols by their names in the study.
    """
    by_name: dict[str, list[ResultRow]] = {}
    for row in rows:
        by_name.setdefault(row.condition, []).append(row)
    first = {name: rows_of_it[0] for name, rows_of_it in by_name.items()}
    return [
        _of_condition(row, first, by_name, registered, level)
        for row in first.values()
        if row.provers
    ]


def _of_condition(
    row: ResultRow,
    first: Mapping[str, ResultRow],
    by_name: Mapping[str, Sequence[ResultRow]],
    registered: Mapping[str, str],
    level: float,
) -> Gaps:
    def found(verifier: str, provers: str, protocol: str | None = None) -> str:
        """Return the condition in which these players play, if there is one."""
        return next(
            (
                name
                for name, other in first.items()
                if (other.verifier, other.provers) == (verifier, provers)
                and (not provers or other.side == row.side)
                and (protocol is None or registered.get(other.protocol) == protocol)
            ),
            "",
        )

    alone, proof = found(row.verifier, ""), found(row.verifier, row.provers, ONE_PROOF)
    ceiling = found(row.provers, "")
    own = by_name[row.condition]

    def against(name: str) -> Estimate | None:
        pairs = paired(by_name[name], own, MEASURES["accuracy"]) if name else []
        return difference(pairs, level) if pairs else None

    return Gaps(
        row.condition,
        against(alone),
        against(proof) if proof != row.condition else None,
        gap_recovered(own, by_name[alone], by_name.get(ceiling), level) if alone else None,
        alone,
        proof if proof != row.condition else "",
        ceiling,
    )


def gap_recovered(
    own: Iterable[ResultRow],
    floor: Iterable[ResultRow],
    ceiling: Iterable[ResultRow] | None = None,
    level: float = 0.95,
) -> Estimate | None:
    """Return how much of the gap from floor to ceiling a condition closes, on common tasks.

    The floor is the verifier alone, and the ceiling the best-informed player, by default a perfect
    one. There is none without common tasks, or if floor and ceiling are the same.
    """
    conditions = [floor, own] if ceiling is None else [floor, own, ceiling]
    problems, columns = aligned(conditions, MEASURES["accuracy"])
    if not problems:
        return None
    if ceiling is None:
        columns.append([1.0] * len(problems))
    base, reached, top = (sum(column) / len(column) for column in columns)
    if top == base:
        return None
    low, high = bootstrap_interval(columns, problems, _recovered, level) or (None, None)
    value = (reached - base) / (top - base)
    return Estimate(value, low, high, None, len(problems), len(set(problems)))


def _recovered(base: Floats, reached: Floats, top: Floats) -> Floats:
    return (reached - base) / (top - base)


def honest_advantage(rows: Iterable[ResultRow], level: float = 0.95) -> Estimate | None:
    """Return how much more often provers get their answer by arguing for the truth than against it.

    There is none unless some prover was honest and some was not.
    """
    columns: list[tuple[float, float, float, float]] = []
    problems: list[str] = []
    episodes = 0
    for row in rows:
        if row.y < 0:
            continue
        episodes += bool(row.stances)
        for side in row.stances.values():
            honest, won = side == row.y, side == row.decision
            columns.append((honest, honest and won, not honest, not honest and won))
            problems.append(row.problem)
    parts = list(zip(*columns, strict=True))
    if not parts or not sum(parts[0]) or not sum(parts[2]):
        return None
    value = sum(parts[1]) / sum(parts[0]) - sum(parts[3]) / sum(parts[2])
    low, high = bootstrap_interval(parts, problems, _advantage, level) or (None, None)
    return Estimate(value, low, high, None, episodes, len(set(problems)))


def _advantage(honest: Floats, truths: Floats, dishonest: Floats, lies: Floats) -> Floats:
    return truths / honest - lies / dishonest
