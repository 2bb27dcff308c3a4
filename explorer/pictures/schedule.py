"""What is shown of a protocol or of two compared ones: data for the browser, and a picture."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.pictures.bars import miniature
from explorer.pictures.cells import Meaning
from explorer.pictures.comparison import Comparison
from explorer.pictures.entrance import specified
from explorer.pictures.grid import GridPart, draw_grids, part_of
from explorer.pictures.model import ProtocolGrid
from explorer.pictures.narration import Narrator
from explorer.pictures.picture import TITLES, Picture, View, compare_picture, drawing, picture
from explorer.pictures.rows import DONE, WRITES, GridRow
from explorer.pictures.tokens import Theme
from nip_core.budget import for_document
from nip_core.displays import displayed
from nip_core.language import Specification
from nip_core.registry import AnyProtocol, protocol_title

# From this many columns on, an overview of all of them is shown too.
LONG = 24
OVER, NO_TURN = "It is over.", "Nothing corresponds to this."


@displayed
@dataclass(frozen=True, slots=True)
class Shown:
    """A protocol to show."""

    protocol: AnyProtocol | Specification
    title: str = ""  # by default its own
    seed: int | None = None  # the episode's seed; without it, all random variants are shown
    members: bool = False  # whether members of large families are drawn each by itself

    @property
    def spec(self) -> Specification:
        """Its specification."""
        return specified(self.protocol)

    @property
    def name(self) -> str:
        """Its title."""
        return self.title or protocol_title(self.spec)


def columns_of(shown: Sequence[Shown]) -> int:
    """Return how many columns the grid of a protocol has, or that of two compared ones."""
    if len(shown) > 1:
        left, right = shown
        return len(Comparison(left.spec, right.spec, (left.seed, right.seed)).columns)
    return len(ProtocolGrid(shown[0].spec, shown[0].seed).columns)


def shown_picture(
    shown: Sequence[Shown],
    view: View = "grid",
    *,
    selected: int | None = None,
    theme: Theme = "light",
) -> Picture:
    """Draw a view of a protocol, or the grids of two that are compared, for paper and slides."""
    if len(shown) > 1:
        left, right = shown
        seeds = (left.seed, right.seed)
        return compare_picture(left.spec, right.spec, seeds=seeds, selected=selected, theme=theme)
    (one,) = shown
    framed = None if view == "visibility" else selected
    more: dict[str, Any] = {"seed": one.seed, "members": one.members}
    return picture(one.spec, view, selected=framed, theme=theme, **more)


def schedule_payload(shown: Sequence[Shown], view: View = "grid") -> str:
    """Return a view of a protocol, or the grids of two that are compared, as JSON.

    It contains the drawing, each column in words, the ways on from it, and the descriptions of
    cells. Nothing depends on the selected column.

    Raises
    ------
    TooLargeError
        If the drawing takes more work than a document may.
    """
    with for_document(sum(one.spec.steps for one in shown)):
        payload = _compared(*shown) if len(shown) > 1 else _alone(shown[0], view)
    payload["title"] = f"{TITLES[view]} of {' and '.join(one.name for one in shown)}"
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def _alone(shown: Shown, view: View) -> dict[str, Any]:
    grid = ProtocolGrid(shown.spec, shown.seed, members=shown.members)
    story = Narrator(grid)
    small, facts = None, _no_cells()
    if view == "grid":
        part = part_of(grid)
        drawn, meanings = draw_grids([part])
        facts = _cells([part], meanings)
        small = miniature(grid).to_plain() if drawn.columns > LONG else None
    else:
        drawn = drawing(grid, view)
    return {
        "drawing": drawn.to_plain(),
        "overview": small,
        "columns": 0 if view == "visibility" else len(grid.columns),
        "narration": _texts([story.turn(at) for at in range(len(grid.columns))]),
        "walk": story.walk(),
        **facts,
    }


def _compared(left: Shown, right: Shown) -> dict[str, Any]:
    compared = Comparison(left.spec, right.spec, (left.seed, right.seed))
    parts = compared.parts((left.name, right.name))
    drawn, meanings = draw_grids(parts)
    longest = max(parts, key=lambda part: len(part.grid.columns)).grid
    stories = [Narrator(part.grid) for part in parts]
    texts: list[str] = []
    heads: list[str] = []
    left_over = [sum(at is not None for at in own) for own in zip(*compared.columns, strict=True)]
    for places in compared.columns:
        told: list[str] = []
        for number, (story, at) in enumerate(zip(stories, places, strict=True)):
            left_over[number] -= at is not None
            gone = NO_TURN if left_over[number] else OVER
            told.append(gone if at is None else story.turn(at))
        named = zip(parts, told, strict=True)
        # Both protocols often have the same texts.
        same = len({*told}) == 1
        texts.append(told[0] if same else " ".join(f"{p.title}: {text}" for p, text in named))
        own = [(s, at) for s, at in zip(stories, places, strict=True) if at is not None]
        heads.append(" / ".join(dict.fromkeys(story.grid.heading(at) for story, at in own)))
    return {
        "drawing": drawn.to_plain(),
        "overview": miniature(longest).to_plain() if drawn.columns > LONG else None,
        "columns": drawn.columns,
        "narration": _texts(texts),
        "walk": {"heads": heads, "labels": heads, "stages": [], "ways": {}},
        **_cells(parts, meanings),
    }


def _texts(texts: Sequence[str]) -> dict[str, Any]:
    """Return the texts of all columns, each text once."""
    numbers: dict[str, int] = {}
    columns = [numbers.setdefault(text, len(numbers)) for text in texts]
    return {"texts": list(numbers), "columns": columns}


def _no_cells() -> dict[str, Any]:
    return {"speaks": "", "lanes": [], "words": [], "says": {}, "seen": []}


def _cells(parts: Sequence[GridPart], meanings: Mapping[str, Meaning]) -> dict[str, Any]:
    """Return the descriptions of cells: each text once, with indices for the rows.

    Of each row these are its name, who reads it, what its seat has read before, and whether the
    compared protocol has it, too.
    """
    words: dict[str, int] = {}
    seen: dict[tuple[int, ...], int] = {(): 0}
    rows: list[tuple[int, int, int, int]] = []
    for part in parts:
        odd = part.odd or (False,) * len(part.rows)
        for row, differs in zip(part.rows, odd, strict=True):
            names = (_head(part.grid, row), _readers(part.grid, row))
            head, readers = (words.setdefault(text, len(words)) for text in names)
            before = part.grid.seen_before.get(row.who, ())
            if before:
                before = tuple(0 if at is None else before[at] for at in part.places)
            rows.append((head, readers, seen.setdefault(before, len(seen)), int(differs)))
    return {
        "speaks": "".join(code for code, what in meanings.items() if what.cell.state in DONE),
        "lanes": rows,
        "words": list(words),
        "says": {code: _says(what) for code, what in meanings.items()},
        "seen": list(seen),
    }


def _head(grid: ProtocolGrid, row: GridRow) -> str:
    if row.kind == "verdict":
        return grid.looks[row.who].name
    on = f" on {grid.channel_title(row.of)}" if row.kind == "channel" else ""
    note = f", {row.note}" if row.kind in ("choice", "value") else ""
    return f"{row.title}{on}{note}"


def _readers(grid: ProtocolGrid, row: GridRow) -> str:
    # In other protocols, readers may change during play.
    if row.kind != "channel" or grid.rounds is None:
        return ""
    return ", ".join(grid.names(grid.readers_of(row.of, row.who))) or "nobody"


def _says(what: Meaning) -> tuple[str, bool, bool]:
    """Return a cell's text, and whether it mentions what was read before and its readers."""
    text = what.cell.words
    if what.differs:
        text = f"{text} Differs from the other protocol.".strip()
    channel = what.kind == "channel"
    has_read = (channel and what.cell.state != "blind") or what.kind == "verdict"
    return text, has_read, channel and what.cell.state in WRITES
