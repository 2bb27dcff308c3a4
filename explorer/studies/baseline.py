"""The bundled study: how much each protocol helps against each kind of liar.

The library contains a table of its thousands of episodes.

Each condition has texts with one or two characters for each task: the verdict, the rounds played,
the confidence, the rewards and the stances; and the number of words. Every row can be computed from
these, so all statistics work as on any record. There are no transcripts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any, cast

from explorer.studies.executing import ENGINE
from explorer.studies.points import Point, points
from explorer.studies.published import published
from explorer.studies.reading import read_study
from explorer.studies.results import Result, fields_of, fields_of_task
from explorer.studies.statistics import (
    DEFINITIONS,
    MEASURES,
    OVER_PROVERS,
    Estimate,
    estimate,
    honest_advantage,
    over_provers,
)
from explorer.studies.strengths import scripts_digest
from explorer.studies.study import Study
from nip_core.displays import displayed, with_minus
from nip_core.documents import canonical
from nip_core.tasks import Task

FORMAT = "nip-baseline/1"
FILE = "baseline.json"
# The figures of all rows are stored too, since they take seconds to compute.
FIGURES_FILE = "baseline-figures.json"
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_DECISIONS = {"0": 0, "1": 1, "-": None}
_SIGNS = {decision: sign for sign, decision in _DECISIONS.items()}
NO_NOTE = "--"


@cache
def baseline_study() -> Study:
    """Return the study's file."""
    return read_study((resources.files("explorer.studies") / "baseline.toml").read_text())


def registered() -> dict[str, str]:
    """Return the registered protocol of each protocol in the study."""
    return {c.protocol.name: c.protocol.protocol for c in baseline_study().conditions}


def packed(rows: Iterable[Result]) -> str:
    """Return finished episodes as a table with a line for each condition."""
    by_point = {(row.condition, row.task): row for row in rows}
    tasks = sorted({task for _, task in by_point})
    names = list(dict.fromkeys(condition for condition, _ in by_point))
    lines = ",\n".join(_line(name, [by_point[name, task] for task in tasks]) for name in names)
    head = {
        "format": FORMAT,
        "scripts": scripts_digest(),
        "episodes": len(by_point),
        "tasks": tasks,
    }
    return f'{json.dumps(head)[:-1]}, "conditions": [\n{lines}\n]}}\n'


def _line(name: str, rows: Sequence[Result]) -> str:
    paid, paid_places = _distinct([dict(row.rewards) for row in rows])
    sides, side_places = _distinct([dict(row.stances) for row in rows])
    return json.dumps(
        {
            "condition": name,
            "decisions": "".join(_SIGNS[row.decision] for row in rows),
            "rounds": "".join(DIGITS[row.rounds] for row in rows),
            "words": [row.words for row in rows],
            "confidence": "".join(
                NO_NOTE if row.confidence is None else f"{row.confidence:02x}" for row in rows
            ),
            "rewards": paid,
            "paid": paid_places,
            "stances": sides,
            "argued": side_places,
        }
    )


def _distinct(found: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], str]:
    """Return the distinct values, and for each row the index of its value."""
    known = {canonical(each): each for each in found}
    places = {text: DIGITS[place] for place, text in enumerate(known)}
    return list(known.values()), "".join(places[canonical(each)] for each in found)


@cache
def baseline() -> tuple[Result, ...]:
    """Return a row for each of its episodes."""
    text = (resources.files("explorer.studies") / FILE).read_text("utf-8")
    document: dict[str, Any] = json.loads(text)
    places = {task: number for number, task in enumerate(document["tasks"])}
    lines = {line["condition"]: line for line in document["conditions"]}
    found = _in_order(points(baseline_study()))
    tasks = {point.task.id: point.task for point in found}
    about = {name: fields_of_task(task) for name, task in tasks.items()}
    return tuple(
        _row(point, lines[point.condition.name], places[point.task.id], about[point.task.id])
        for point in found
    )


def _in_order(found: Iterable[Point]) -> list[Point]:
    order = {each.name: number for number, each in enumerate(baseline_study().conditions)}
    return sorted(found, key=lambda point: (order[point.condition.name], point.number))


def _row(point: Point, line: dict[str, Any], place: int, about: dict[str, Any]) -> Result:
    task = point.task
    assert isinstance(task, Task)  # the study is about programs
    decision = _DECISIONS[line["decisions"][place]]
    note = line["confidence"][2 * place : 2 * place + 2]
    return Result(
        **fields_of(point),
        **about,
        y=task.y,
        seed=point.seed,
        stances=line["stances"][DIGITS.index(line["argued"][place])],
        verdict="none" if decision is None else "right" if decision == task.y else "wrong",
        decision=decision,
        rounds=DIGITS.index(line["rounds"][place]),
        words=line["words"][place] if "words" in line else None,
        terminated=decision is None,
        rewards=line["rewards"][DIGITS.index(line["paid"][place])],
        confidence=None if note == NO_NOTE else int(note, 16),
        engine=ENGINE,
        digest="",
    )


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


@cache
def _kept_figures() -> tuple[str, tuple[BaselineFigures, ...]]:
    text = (resources.files("explorer.studies") / FIGURES_FILE).read_text("utf-8")
    document: dict[str, Any] = json.loads(text)

    def of(value: Any) -> Any:
        return Estimate(**cast("dict[str, Any]", value)) if isinstance(value, dict) else value

    found: list[dict[str, Any]] = [
        {name: of(value) for name, value in each.items()} for each in document["figures"]
    ]
    return document["about"], tuple(BaselineFigures(**each) for each in found)


def packed_figures() -> str:
    """Return the figures of all rows as a table with a line for each."""
    rows = (*baseline(), *published())
    lines = ",\n".join(json.dumps(asdict(each)) for each in baseline_figures(rows))
    about = json.dumps(f"{baseline_study().about} {len(rows):,} episodes.")
    return f'{{"about": {about}, "figures": [\n{lines}\n]}}\n'


def baseline_about() -> str:
    """Return the subject of the baseline and its number of episodes, without reading them."""
    return _kept_figures()[0]


def baseline_figures(rows: Iterable[Result] | None = None) -> list[BaselineFigures]:
    """Return the figures of every verifier in every protocol, of both versions.

    Without rows, these are the figures of the whole baseline, which are not computed again.
    """
    if rows is None:
        return [*_kept_figures()[1]]
    everything = list(rows)
    by_pair: dict[tuple[str, str], list[Result]] = {}
    for row in everything:
        if row.provers in ("", LIAR):
            by_pair.setdefault((row.protocol, row.verifier), []).append(row)
    found: list[BaselineFigures] = []
    for each in over_provers(everything):
        here = by_pair.get((each.protocol, each.verifier), [])
        by_protocol = [row for row in here if row.side == "protocol"]
        # If both sides were argued on all tasks, only these compare like with like.
        chosen = [row for row in here if row.side != "protocol"]
        found.append(
            BaselineFigures(
                each.protocol,
                each.verifier,
                estimate(by_protocol, MEASURES["accuracy"]),
                each.completeness,
                each.soundness_error,
                honest_advantage(chosen or by_protocol),
                each.rounds,
                each.words,
            )
        )
    return found


def markdown(rows: Iterable[Result] | None = None) -> str:
    """Return the table for the documentation: each verifier in each protocol, over all provers."""
    names = ("accuracy", *OVER_PROVERS)
    heads = [DEFINITIONS[name].title.lower() for name in OVER_PROVERS]
    lines = [
        f"| protocol | verifier | accuracy, hard liar | {' | '.join(heads)} |",
        f"|{' --- |' * (len(names) + 2)}",
    ]
    for each in baseline_figures(rows):
        cells = " | ".join(_in_short(name, getattr(each, name)) for name in names)
        lines.append(f"| `{each.protocol}` | {each.verifier or '–'} | {cells} |")
    return "\n".join(lines) + "\n"


def _in_short(name: str, one: Estimate | None) -> str:
    if one is None or one.value is None:
        return "–"
    if name in ("rounds", "words"):
        return f"{one.value:.3g}"
    interval = "" if one.low is None else f" ({one.low:.0%} to {one.high:.0%})"
    return with_minus(f"{one.value:.0%}{interval}")
