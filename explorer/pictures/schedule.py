"""Plain data for the browser's schedule."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.pictures.drawing import Drawing
from explorer.pictures.grid import GridPart, Meaning, draw_grids, miniature
from explorer.pictures.lanes import Lane, compare_lanes, lanes, others
from explorer.pictures.narration import Narrator
from explorer.pictures.picture import TITLES, View, drawing
from explorer.pictures.stage_grid import StageMeaning, draw_stages, stage_miniature
from explorer.pictures.stage_walk import StageStory
from explorer.pictures.stages import StageGrid
from nip_core.budget import for_document
from nip_core.displays import displayed
from nip_core.language import Specification
from nip_core.spec import ProtocolSpec

# From this many rounds on, an overview of all of them is shown too.
LONG = 24


@displayed
@dataclass(frozen=True, slots=True)
class Shown:
    """A protocol to show."""

    title: str
    spec: ProtocolSpec
    seed: int | None = None  # the episode's seed; without it, all random variants are shown


def schedule_payload(shown: Sequence[Shown], view: View = "grid") -> str:
    """Return a view of a protocol, or the grids of two that are compared, as JSON.

    It contains the drawing, each round in words, and the descriptions of cells. Nothing depends on
    the selected round.
    """
    if view != "grid":
        (one,) = shown
        drawn, facts = drawing(one.spec, view, one.seed), _no_cells()
        small = None
    else:
        parts = _parts(shown)
        drawn, meanings = draw_grids(parts)
        facts = _cells(parts, meanings)
        longest = max(parts, key=lambda part: part.spec.max_message_rounds)
        long = drawn.columns > LONG
        small = miniature(longest.spec, own=longest.lanes).to_plain() if long else None
    title = " and ".join(one.title for one in shown)
    payload = {
        "title": f"{TITLES[view]} of {title}",
        "drawing": drawn.to_plain(),
        "overview": small,
        "rounds": _rounds(drawn, view),
        "narration": _narration(shown),
        **facts,
    }
    return _packed(payload)


def _packed(payload: Mapping[str, Any]) -> str:
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def stage_payload(title: str, spec: Specification, view: View = "grid") -> str:
    """Return the data of a version 2 protocol, whose walk asks at each guard which way to go.

    Raises
    ------
    TooLargeError
        If the drawing takes more work than a document may.
    """
    with for_document(spec.steps):
        return _stage_payload(title, StageGrid(spec), view)


def _stage_payload(title: str, grid: StageGrid, view: View) -> str:
    story = StageStory(grid)
    facts, small = _no_cells(), None
    if view == "grid":
        drawn, meanings = draw_stages(grid)
        facts = _stage_cells(grid, meanings)
        small = stage_miniature(grid).to_plain() if drawn.columns > LONG else None
    else:
        drawn = drawing(grid.spec, view)
    texts = [story.turn(at) for at in range(len(grid.columns))]
    return _packed(
        {
            "title": f"{TITLES[view]} of {title}",
            "drawing": drawn.to_plain(),
            "overview": small,
            "rounds": 0 if view == "visibility" else len(grid.columns),
            "narration": {"texts": texts, "rounds": list(range(len(texts)))},
            "walk": story.walk(),
            **facts,
        }
    )


def _stage_cells(grid: StageGrid, meanings: Mapping[str, StageMeaning]) -> dict[str, Any]:
    words: dict[str, int] = {}
    rows: list[tuple[int, int, int, int]] = []
    for row in grid.rows:
        on = f" on {grid.spec.title_of(row.of)}" if row.kind == "channel" else ""
        by = f", {row.note}" if row.kind == "choice" else ""
        rows.append((words.setdefault(f"{row.title}{on}{by}", len(words)), 0, 0, 0))
    states = ("speaks", "pale", "may speak", "steers", "noted", "drawn")
    return {
        "speaks": "".join(code for code, what in meanings.items() if what.cell.state in states),
        "lanes": rows,
        "words": list(words),
        "says": {code: (what.cell.words, False, False) for code, what in meanings.items()},
        "seen": [[0] * len(grid.columns)],
    }


def _parts(shown: Sequence[Shown]) -> list[GridPart]:
    if len(shown) == 1:
        (one,) = shown
        return [GridPart(one.spec, lanes(one.spec, one.seed))]
    left, right = shown
    marked = compare_lanes(left.spec, right.spec, seeds=(left.seed, right.seed))
    return [GridPart(one.spec, own, one.title) for one, own in zip(shown, marked, strict=True)]


def _rounds(drawn: Drawing, view: View) -> int:
    """Return how many rounds can be selected; 0 if the view is the same for all."""
    return {"grid": drawn.columns, "sequence": len(drawn.rounds), "visibility": 0}[view]


def _narration(shown: Sequence[Shown]) -> dict[str, Any]:
    """Return the texts of all rounds, each text once."""
    last = max(one.spec.max_message_rounds for one in shown)
    narrators = [Narrator(one.spec, one.seed) for one in shown]
    texts: dict[str, int] = {}
    rounds: list[int] = []
    for round_id in range(last):
        said: list[str] = []
        for one, narrator in zip(shown, narrators, strict=True):
            over = round_id >= one.spec.max_message_rounds
            text = "It is over." if over else narrator.round(round_id)
            said.append(f"{one.title}: {text}" if len(shown) > 1 else text)
        # Both protocols often have the same texts.
        same = len({text.partition(": ")[2] for text in said}) == 1
        text = said[0].partition(": ")[2] if len(said) > 1 and same else " ".join(said)
        rounds.append(texts.setdefault(text, len(texts)))
    return {"texts": list(texts), "rounds": rounds}


def _no_cells() -> dict[str, Any]:
    return {"speaks": "", "lanes": [], "words": [], "says": {}, "seen": []}


def _cells(parts: Sequence[GridPart], meanings: dict[str, Meaning]) -> dict[str, Any]:
    """Return the descriptions of cells: each text once, with indices for the lanes."""
    words: dict[str, int] = {}
    seen: dict[tuple[int, ...], int] = {}
    rows: list[tuple[int, int, int, int]] = []
    for part in parts:
        for lane in part.lanes:
            names = (_head(part.spec, lane), _readers(part.spec, lane))
            head, readers = (words.setdefault(text, len(words)) for text in names)
            rows.append((head, readers, seen.setdefault(lane.seen, len(seen)), int(lane.odd)))
    return {
        "speaks": "".join(code for code, what in meanings.items() if what.state == "speaks"),
        "lanes": rows,
        "words": list(words),
        "says": {code: _says(what) for code, what in meanings.items()},
        "seen": list(seen),
    }


def _head(spec: ProtocolSpec, lane: Lane) -> str:
    seat = spec.seat_name(lane.agent)
    return f"{seat} on {spec.channel_title(lane.channel)}" if lane.channel else seat


def _readers(spec: ProtocolSpec, lane: Lane) -> str:
    if not lane.channel:
        return ""
    read = others(spec, lane.agent, lane.channel)
    return ", ".join(map(spec.seat_name, read)) or "nobody"


def _says(what: Meaning) -> tuple[str, bool, bool]:
    """Return a cell's text, and whether it mentions what was read before and its readers."""
    chance = "" if what.chance in (0, 1) else f" with probability {what.chance:.0%}"
    text, has_read, has_readers = {
        "speaks": ("Speaks.", True, True),
        "may speak": (f"May speak{chance}.", True, True),
        "reads": ("Reads, and writes nothing.", True, False),
        "blind": ("Cannot see this channel.", False, False),
        "counts": (f"May decide{chance}, and it counts.", True, False),
        "may decide": (f"May decide{chance}, but too early to count.", True, False),
        "none": ("May not decide.", True, False),
    }[what.state]
    return (
        (f"{text} Differs from the other protocol." if what.differs else text),
        has_read,
        has_readers,
    )
