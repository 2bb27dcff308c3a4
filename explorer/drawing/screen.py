"""What a window shows of a drawing, as plain data: picture, facts for handles, words, links."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from explorer.choice import WRITTEN, ProtocolChoice
from explorer.drawing.drawing import Drawing
from explorer.drawing.facts import facts_of
from explorer.pictures import Narrator, ProtocolGrid, draw_grids, part_of
from nip_core.budget import for_document
from nip_core.editing import Draft, History, ideas_of, mutations_of, pay_tables
from nip_core.registry import protocol_title

__all__ = ["drawing_screen"]

MOST_LISTED = 60  # steps of the history that are shown
MOST_HISTORY = 150_000  # characters of a history that the browser keeps
PAGES = ("draw", "play", "rewards", "protocols", "room")


def drawing_screen(drawing: Drawing) -> dict[str, Any]:
    """Return what a window shows of a drawing; only entries that have changed are sent."""
    with drawing.lock:
        if drawing.screen.get("version") != drawing.version:
            drawing.screen = _screen(drawing)
        drawing.worth.follow(drawing.draft)
        game = None if drawing.game is None else drawing.game.to_plain()
        return {**drawing.screen, "worth": drawing.worth.to_plain(), "game": game}


def _screen(drawing: Drawing) -> dict[str, Any]:
    draft, history = drawing.draft, drawing.history
    steps = history.steps
    first = max(0, len(steps) - MOST_LISTED)
    return {
        "place": drawing.name,
        "version": drawing.version,
        "new": drawing.is_new,
        "empty": drawing.is_empty,
        **_picture(draft),
        "said": {"words": drawing.said.words, "also": [*drawing.said.also]},
        "history": {
            "at": history.at,
            "first": first,
            "steps": [step.words for step in steps[first:]],
        },
        "kept": _kept(drawing),
        "document": json.dumps(draft.document, ensure_ascii=False, indent=2),
        "text": drawing.text if drawing.with_text else None,
        "changes": _changes(draft) if drawing.with_changes else None,
        "links": _links(draft),
    }


def _picture(draft: Draft) -> dict[str, Any]:
    grid = ProtocolGrid(draft.spec, edited=True)
    with for_document(draft.spec.steps):
        drawn, _ = draw_grids([part_of(grid)])
        story = Narrator(grid)
        return {
            "drawing": drawn.to_plain(),
            "heads": [story.heading(at) for at in range(len(grid.columns))],
            "told": [story.turn(at) for at in range(len(grid.columns))],
            "sentence": story.caption(),
            "title": protocol_title(draft.spec),
            "facts": facts_of(draft, grid),
            "tables": [table.to_plain() for table in pay_tables(draft)],
            "ideas": [
                {"idea": idea.idea, "about": [*idea.about], "words": idea.words}
                for idea in ideas_of(draft)
            ],
        }


def _kept(drawing: Drawing) -> str:
    """Return the history for the browser to keep; of a very long one only where it leads."""
    text = json.dumps(drawing.history.to_plain(), separators=(",", ":"))
    if len(text) <= MOST_HISTORY:
        return text
    return json.dumps(History.of(drawing.draft).to_plain(), separators=(",", ":"))


def _changes(draft: Draft) -> list[dict[str, str]]:
    return [
        {"gesture": each.gesture, "name": each.name, "words": each.words, "reason": each.reason}
        for each in mutations_of(draft)
    ]


def _links(draft: Draft) -> dict[str, str]:
    """Return the addresses of pages about this protocol; none if it does not fit into one."""
    text = json.dumps(draft.document, ensure_ascii=False, separators=(",", ":"))
    query = ProtocolChoice.own(text).to_query()
    if WRITTEN not in query:
        return {}
    rooms = query | {"new": "1", "play": "other"}
    return {page: f"/{page}?{urlencode(rooms if page == 'room' else query)}" for page in PAGES}
