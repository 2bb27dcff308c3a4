"""Published comparisons, played again as small studies on shipped protocols.

The comparisons are data (``headlines.toml``). The library contains their results with scripted
players, which ``nip-explorer study headlines --write`` makes again.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any, cast

from explorer.studies.reading import read_study
from explorer.studies.results import ResultRow
from explorer.studies.statistics import MEASURES, Estimate, compare, estimate
from explorer.studies.study import Study
from nip_core.displays import Table, Tabular, brief, line

RESULTS_FILE = "headlines.json"
# About so many episodes of each condition, and the most problems where there are many.
EPISODES, PROBLEMS = 64, 24


@dataclass(frozen=True, slots=True)
class Comparison(Tabular):
    """A published comparison.

    Parameters
    ----------
    name, title : str
    measure : str
        One of :data:`~explorer.studies.MEASURES`.
    cells : tuple of str
        The conditions; the first is compared with the last.
    source : str
        With its year, and where in it the numbers stand.
    published : mapping of str to float
        The source's numbers by condition, as far as they were checked.
    says, differs : str
        What the source found, and how its set-up differs.
    """

    name: str
    title: str
    measure: str
    cells: tuple[str, ...]
    source: str
    published: Mapping[str, float]
    says: str
    differs: str

    def __repr__(self) -> str:
        return line(self, brief(self.title), self.measure, f"{len(self.cells)} conditions")

    def table(self) -> Table:
        """Return the published numbers."""
        return Table(("condition", "published"), [(c, self.published.get(c)) for c in self.cells])


@dataclass(frozen=True, slots=True)
class Headline(Tabular):
    """A published comparison beside ours.

    Parameters
    ----------
    comparison : Comparison
    ours : mapping of str to Estimate
        By condition.
    difference : Estimate
        The last condition's number minus the first's, on the same tasks.
    """

    comparison: Comparison
    ours: Mapping[str, Estimate]
    difference: Estimate

    def __repr__(self) -> str:
        return line(self, brief(self.comparison.title), repr(self.difference))

    def table(self) -> Table:
        """Return a row for each condition."""
        head = ("condition", "published", "ours", "low", "high", "episodes", "problems")
        rows = [
            (cell, self.comparison.published.get(cell), e.value, e.low, e.high, e.count, e.clusters)
            for cell, e in self.ours.items()
        ]
        return Table(head, rows)


@cache
def _document() -> Mapping[str, Any]:
    text = (resources.files("explorer.studies") / "headlines.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def comparisons() -> tuple[Comparison, ...]:
    """Return the published comparisons."""
    kept = ("name", "title", "measure", "source", "published", "says", "differs")
    return tuple(
        Comparison(
            **{key: each[key] for key in kept}, cells=tuple(c["name"] for c in each["cells"])
        )
        for each in _document()["comparisons"]
    )


def study_of(comparison: Comparison, models: Mapping[str, str] | None = None) -> Study:
    """Return the study of a comparison.

    Parameters
    ----------
    comparison : Comparison
    models : mapping of str to str, optional
        Models by player (``judge`` or ``expert``), in Inspect's form, in place of scripts.
    """
    found = next(e for e in _document()["comparisons"] if e["name"] == comparison.name)
    # Imported here, since it loads code for people's games.
    from explorer.play import prepared_for
    from nip_core.registry import specification

    few = len(prepared_for(specification(found["tasks"]))) if found["tasks"] else EPISODES
    drawn = f'source = "bundled"\nproblems = {PROBLEMS}'
    judge = found.get("judge", "judge")
    players = {name: dict(player) for name, player in _document()["players"].items()}
    for name, model in (models or {}).items():
        players[judge if name == "judge" else name] = {"kind": "model", "model": model}
    lines = [
        'format = "nip-study/1"',
        f"name = {json.dumps(comparison.name)}",
        f"about = {json.dumps(comparison.title)}",
        f"seed = 20\nepochs = {max(1, EPISODES // few)}\n[[tasks]]",
        f"prepared_for = {json.dumps(found['tasks'])}" if found["tasks"] else drawn,
    ]
    for name in (judge, "expert"):
        values = (f"{key} = {json.dumps(value)}" for key, value in players[name].items())
        lines += [f"[players.{name}]", *values]
    for number, cell in enumerate(found["cells"]):
        values = ", ".join(f"{k} = {v}" for k, v in cell.get("parameters", {}).items())
        lines += [
            f'[protocols.cell{number}]\nprotocol = "{cell["protocol"]}"',
            f"parameters = {{ {values} }}",
            f"[[conditions]]\nname = {json.dumps(cell['name'])}",
            f'protocols = ["cell{number}"]\nverifiers = ["{judge}"]\nprovers = ["expert"]',
        ]
    return read_study("\n".join(lines) + "\n")


def headline(comparison: Comparison, rows: Iterable[ResultRow]) -> Headline:
    """Return the comparison with what its study has found."""
    found, measure = list(rows), MEASURES[comparison.measure]
    ours = {
        cell: estimate([row for row in found if row.condition == cell], measure)
        for cell in comparison.cells
    }
    first, *_, last = comparison.cells
    return Headline(comparison, ours, compare(found, first, last, comparison.measure).difference)


def packed_headlines(found: Iterable[Headline]) -> str:
    """Return results as the library's file."""
    kept = {
        each.comparison.name: {
            "ours": {cell: asdict(number) for cell, number in each.ours.items()},
            "difference": asdict(each.difference),
        }
        for each in found
    }
    return json.dumps(kept, indent=1) + "\n"


@cache
def headlines() -> tuple[Headline, ...]:
    """Return the library's results with scripted players."""
    text = (resources.files("explorer.studies") / RESULTS_FILE).read_text("utf-8")
    kept = cast("dict[str, Any]", json.loads(text))
    return tuple(
        Headline(
            each,
            {cell: Estimate(**number) for cell, number in kept[each.name]["ours"].items()},
            Estimate(**kept[each.name]["difference"]),
        )
        for each in comparisons()
    )


def in_markdown(found: Iterable[Headline]) -> list[str]:
    """Return comparisons as sections of a page."""
    from explorer.studies.exports import shown_estimate

    lines: list[str] = []
    for each in found:
        about = each.comparison
        title = MEASURES[about.measure].definition.title.lower()
        lines += [
            f"## {about.title}",
            "",
            f"{about.says} ({about.source}.)",
            "",
            f"| | published | ours: {title} | episodes | problems |",
            "| --- | --- | --- | --- | --- |",
        ]
        for cell, number in each.ours.items():
            there = about.published.get(cell)
            published = "–" if there is None else f"{there:.0%}"
            shown = shown_estimate(about.measure, number)
            lines.append(f"| {cell} | {published} | {shown} | {number.count} | {number.clusters} |")
        first, *_, last = about.cells
        change = shown_estimate("difference", each.difference)
        lines += [
            "",
            f"*{last}* minus *{first}*, on the same tasks: {change}.",
            "",
            f"**What differs.** {about.differs}",
            "",
        ]
    return lines
