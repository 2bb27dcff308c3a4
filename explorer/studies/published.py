"""The second part of the baseline: how much each published protocol helps against each liar.

Each published protocol is played on its bundled tasks. The library contains rows of the thousands
of episodes, without transcripts. The first part is kept in the same form; see
:mod:`explorer.studies.baseline`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Any

from explorer.studies.executing import ENGINE
from explorer.studies.points import Point, points
from explorer.studies.reading import read_study
from explorer.studies.results import ResultRow, fields_of, fields_of_task
from explorer.studies.study import Study, sides_of
from nip_core.documents import canonical
from nip_core.registry import published_names, specification

FORMAT = "nip-baseline/2"
PUBLISHED_FILE = "published.json.gz"
# The least number of episodes of a condition; each task is played equally often.
EPISODES = 64
NAME, CONDITION = "PROTOCOL", "[[conditions]]"
PANEL = "gullible", "careful", "quote-checker"
# The stored fields of a row. All others follow from its point.
_KEPT = (
    *("y", "verdict", "decision", "rounds", "words", "confidence", "truth", "answer"),
    *("stances", "rewards", "estimates", "judgements", "terminated"),
)


def template() -> str:
    """Return the study file that is played for each protocol."""
    return (resources.files("explorer.studies") / "published.toml").read_text("utf-8")


@cache
def published_studies() -> tuple[Study, ...]:
    """Return a study for each published protocol."""
    # Imported here, since it loads code for people's games.
    from explorer.play import prepared_for

    studies: list[Study] = []
    for name in published_names():
        spec = specification(name)
        times = max(1, EPISODES // max(1, len(prepared_for(spec))))
        text = template().replace(NAME, name).replace("epochs = 1", f"epochs = {times}")
        head, _, condition = text.partition(CONDITION)
        judges, _ = sides_of(spec)
        conditions = [
            condition.replace("JUDGE", judge) for judge in (PANEL if judges else PANEL[:1])
        ]
        if len(judges) > 1:
            seats = ", ".join(f'{seat} = "{PANEL[n % 3]}"' for n, seat in enumerate(judges))
            conditions.append(f"{condition.replace('JUDGE', PANEL[0])}seats = {{ {seats} }}\n")
        text = head + "\n".join(f"{CONDITION}{condition}" for condition in conditions)
        studies.append(read_study(text))
    return tuple(studies)


@cache
def published_points() -> tuple[Point, ...]:
    """Return all episodes of this part."""
    return tuple(point for study in published_studies() for point in points(study))


@cache
def published() -> tuple[ResultRow, ...]:
    """Return a row for each episode of this part."""
    return tuple(rows_in(PUBLISHED_FILE, published_points()))


def packed(rows: Iterable[ResultRow], points: Iterable[Point], scripts: str) -> bytes:
    """Return the file of finished episodes: a head with the scripts' digest, then a line for each.

    A line has only the fields of a row that do not follow from the episode's point.
    """
    by_key = {row.key: row for row in rows}
    lines: list[str] = [canonical({"format": FORMAT, "scripts": scripts})]
    for point in points:
        lines.append(canonical([getattr(by_key[point.key], name) for name in _KEPT]))
    # The time is left out, so that the same episodes give the same bytes.
    return gzip.compress("\n".join(lines).encode("ascii"), 9, mtime=0)


def rows_in(file: str, points: Sequence[Point]) -> Iterator[ResultRow]:
    """Yield the rows in one of the library's files, which was made from the same points."""
    content = (resources.files("explorer.studies") / file).read_bytes()
    _, *lines = gzip.decompress(content).decode("ascii").split("\n")
    of_task: dict[int, dict[str, object]] = {}
    for point, line in zip(points, lines, strict=True):
        kept: dict[str, Any] = dict(zip(_KEPT, json.loads(line), strict=True))
        kept["estimates"] = {name: tuple(pair) for name, pair in kept["estimates"].items()}
        if id(point.task) not in of_task:
            of_task[id(point.task)] = fields_of_task(point.task)
        place = {**fields_of(point), **of_task[id(point.task)], "seed": point.seed}
        yield ResultRow(**place, **kept, engine=ENGINE, digest="")
