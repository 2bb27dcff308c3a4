"""The second part of the baseline: how much each published protocol helps against each liar.

Each published protocol is played on its bundled tasks. The library contains rows of the thousands
of episodes, without transcripts, and only the fields that do not follow from the plan.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any

from explorer.studies.executing import ENGINE
from explorer.studies.points import Point, points
from explorer.studies.reading import read_study
from explorer.studies.results import Result, fields_of, fields_of_task
from explorer.studies.strengths import scripts_digest
from explorer.studies.study import Study, sides_of
from nip_core.documents import canonical
from nip_core.registry import published_names, specification

FORMAT = "nip-published-baseline/1"
PUBLISHED_FILE = "published.json.gz"
# The least number of episodes of a condition; each task is played equally often.
EPISODES = 64
NAME, CONDITION = "PROTOCOL", "[[conditions]]"
PANEL = "gullible", "careful", "quote-checker"
# The stored fields of a row. All others follow from its point.
_KEPT = (
    *("y", "verdict", "decision", "rounds", "words", "confidence", "truth", "answer"),
    *("stances", "rewards", "estimates", "judgements"),
)


def template() -> str:
    """Return the study file that is played for each protocol."""
    return (resources.files("explorer.studies") / "published.toml").read_text("utf-8")


@cache
def published_studies() -> tuple[Study, ...]:
    """Return a study for each published protocol."""
    # Imported here, since it loads code for people's games.
    from explorer.play import prepared_for

    found: list[Study] = []
    for name in published_names():
        spec = specification(name)
        times = max(1, EPISODES // max(1, len(prepared_for(spec))))
        text = template().replace(NAME, name).replace("epochs = 1", f"epochs = {times}")
        head, _, condition = text.partition(CONDITION)
        judges, _ = sides_of(spec)
        conditions = [condition.replace("JUDGE", each) for each in (PANEL if judges else PANEL[:1])]
        if len(judges) > 1:
            seats = ", ".join(f'{seat} = "{PANEL[n % 3]}"' for n, seat in enumerate(judges))
            conditions.append(f"{condition.replace('JUDGE', PANEL[0])}seats = {{ {seats} }}\n")
        text = head + "\n".join(f"{CONDITION}{each}" for each in conditions)
        found.append(read_study(text))
    return tuple(found)


@cache
def published_points() -> tuple[Point, ...]:
    """Return all episodes of this part."""
    return tuple(point for study in published_studies() for point in points(study))


def packed_published(rows: Iterable[Result]) -> bytes:
    """Return the file of finished episodes, one line for each."""
    by_key = {row.key: row for row in rows}
    lines: list[str] = [canonical({"format": FORMAT, "scripts": scripts_digest("turns")})]
    for point in published_points():
        document = by_key[point.key].to_dict()
        lines.append(canonical([document[name] for name in _KEPT]))
    # The time is left out, so that the same episodes give the same bytes.
    return gzip.compress("\n".join(lines).encode("ascii"), 9, mtime=0)


@cache
def published() -> tuple[Result, ...]:
    """Return a row for each of its episodes."""
    content = (resources.files("explorer.studies") / PUBLISHED_FILE).read_bytes()
    _, *lines = gzip.decompress(content).decode("ascii").split("\n")
    return tuple(
        _row(point, json.loads(line)) for point, line in zip(published_points(), lines, strict=True)
    )


def _row(point: Point, kept: list[Any]) -> Result:
    fields: dict[str, Any] = dict(zip(_KEPT, kept, strict=True))
    fields["estimates"] = {name: tuple(pair) for name, pair in fields["estimates"].items()}
    return Result(
        **fields_of(point),
        **fields_of_task(point.task),
        seed=point.seed,
        terminated=False,
        engine=ENGINE,
        digest="",
        **fields,
    )
