"""The bundled study: how much each protocol helps against each kind of liar.

The library contains the rows of its thousands of episodes, so all statistics work as on any record.
There are no transcripts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any, cast

from explorer.players import JUDGES, STRATEGIES
from explorer.studies.points import Point, points
from explorer.studies.published import published, rows_in
from explorer.studies.reading import read_study
from explorer.studies.results import ResultRow
from explorer.studies.scripts import scripts_digest
from explorer.studies.statistics import (
    MEASURES,
    Estimate,
    estimate,
    honest_advantage,
    over_provers,
)
from explorer.studies.strengths import Pairing, StrengthGame, Strengths
from explorer.studies.study import Condition, Study
from nip_core.displays import displayed
from nip_core.tasks import task_kinds

FILE = "baseline.json.gz"
# The figures of all rows are stored too, since they take seconds to compute.
FIGURES_FILE = "baseline-figures.json"


@cache
def baseline_study() -> Study:
    """Return the study's file."""
    return read_study((resources.files("explorer.studies") / "baseline.toml").read_text())


def registered() -> dict[str, str]:
    """Return the registered protocol of each protocol in the study."""
    return {c.protocol.name: c.protocol.known_as for c in baseline_study().conditions}


@cache
def baseline_points() -> tuple[Point, ...]:
    """Return its episodes, condition by condition."""
    study = baseline_study()
    order = {condition.name: number for number, condition in enumerate(study.conditions)}
    return tuple(sorted(points(study), key=lambda point: order[point.condition.name]))


@cache
def baseline() -> tuple[ResultRow, ...]:
    """Return a row for each of its episodes."""
    return tuple(rows_in(FILE, baseline_points()))


LIAR = "hard liar"


@displayed
@dataclass(frozen=True, slots=True)
class BaselineFigures:
    """The figures of a verifier in a protocol."""

    protocol: str
    verifier: str
    accuracy: Estimate  # accuracy with hard liars who argue the sides that the protocol gives them
    # The rates with the best, and against the worst, of all provers.
    completeness: Estimate
    soundness_error: Estimate
    # With hard liars; None without a prover. If the side can be chosen, provers who always argue
    # for the truth are compared with provers who always argue against it.
    honest_advantage: Estimate | None
    # The mean of an episode's rounds and words over all provers.
    rounds: Estimate
    words: Estimate


def judge_title(name: str) -> str:
    """Return what people call a scripted judge, or a panel of them."""
    titles = [
        (STRATEGIES.get(judge) or JUDGES[judge]).title if judge in {*STRATEGIES, *JUDGES} else judge
        for judge in name.split("+")
    ]
    return " + ".join(titles)


def strengths_of(*played: tuple[Study, Iterable[ResultRow]]) -> Strengths:
    """Return how often verifiers were right, where provers take the sides of the protocol."""
    kinds = {kind.name: kind.choice for kind in task_kinds()}
    right: dict[StrengthGame, tuple[list[str], list[str]]] = {}
    for study, rows in played:
        matches = {c.name: _match(c) for c in study.conditions if c.side == "protocol"}
        for row in rows:
            if row.condition in matches:
                match = StrengthGame(row.protocol, *matches[row.condition], kinds[row.kind])
                answers = right.setdefault(match, ([], []))
                answers[row.y].append("1" if row.verdict == "right" else "0")
    cells = (Pairing(match, *map("".join, answers)) for match, answers in sorted(right.items()))
    return Strengths(scripts_digest(), tuple(cells))


def _match(condition: Condition) -> tuple[str, str]:
    """Return the verifier's strategy and the provers' level; empty without provers."""
    players = condition.seats.values()
    verifier = next(player for player in players if player.strategy is not None)
    against = next((player.level for player in players if player.strategy is None), None)
    return verifier.strategy or "", against or ""


@cache
def _kept_figures() -> tuple[str, tuple[BaselineFigures, ...]]:
    text = (resources.files("explorer.studies") / FIGURES_FILE).read_text("utf-8")
    document: dict[str, Any] = json.loads(text)

    def of(value: Any) -> Any:
        return Estimate(**cast("dict[str, Any]", value)) if isinstance(value, dict) else value

    kept: list[dict[str, Any]] = [
        {name: of(value) for name, value in entry.items()} for entry in document["figures"]
    ]
    return document["about"], tuple(BaselineFigures(**fields) for fields in kept)


def packed_figures() -> str:
    """Return the figures of all rows as a table with a line for each."""
    rows = (*baseline(), *published())
    lines = ",\n".join(json.dumps(asdict(figures)) for figures in baseline_figures(rows))
    about = json.dumps(baseline_study().about)
    return f'{{"about": {about}, "figures": [\n{lines}\n]}}\n'


def baseline_about() -> str:
    """Return the subject of the baseline, without reading its rows."""
    return _kept_figures()[0]


def baseline_figures(rows: Iterable[ResultRow] | None = None) -> list[BaselineFigures]:
    """Return the figures of every verifier in every protocol, of both versions.

    Without rows, these are the figures of the whole baseline, which are not computed again.
    """
    if rows is None:
        return [*_kept_figures()[1]]
    everything = list(rows)
    by_pair: dict[tuple[str, str], list[ResultRow]] = {}
    for row in everything:
        if row.provers in ("", LIAR):
            by_pair.setdefault((row.protocol, row.verifier), []).append(row)
    figures: list[BaselineFigures] = []
    for rates in over_provers(everything):
        here = by_pair.get((rates.protocol, rates.verifier), [])
        by_protocol = [row for row in here if row.side == "protocol"]
        # If both sides were argued on all tasks, only these compare like with like.
        chosen = [row for row in here if row.side != "protocol"]
        figures.append(
            BaselineFigures(
                rates.protocol,
                rates.verifier,
                estimate(by_protocol, MEASURES["accuracy"]),
                rates.completeness,
                rates.soundness_error,
                honest_advantage(chosen or by_protocol),
                rates.rounds,
                rates.words,
            )
        )
    return figures
