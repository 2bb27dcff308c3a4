"""What a window shows of a drawing, as plain data: picture, facts for handles, words, links."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from explorer.choice import WRITTEN, ProtocolChoice
from explorer.drawing.drawing import Drawing
from explorer.drawing.facts import facts_of
from explorer.drawing.files import file_of
from explorer.drawing.library import written
from explorer.drawing.looks import prompts_of
from explorer.pictures import Narrator, ProtocolGrid, draw_grids, part_of
from explorer.storage import StorageError
from nip_core.budget import for_document
from nip_core.displays import capitalized
from nip_core.editing import Draft, History, ideas_of, mutations_of, pay_tables
from nip_core.registry import protocol_title

__all__ = ["drawing_screen"]

MOST_LISTED = 60  # steps of the history that are shown
MOST_REPLAYED = 60  # steps of a replay, the last ones
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
        "kept": written(history),
        "document": file_of(draft, "json"),
        "text": drawing.text if drawing.with_text else None,
        "changes": _changes(draft) if drawing.with_changes else None,
        "file": [drawing.file, file_of(draft, drawing.file)] if drawing.file else None,
        "replay": [*_replay(history)] if drawing.with_replay else None,
        "keeps": drawing.library is not None,
        "library": _library(drawing),
        "prompts": prompts_of(draft) if drawing.with_prompts else None,
        "beside": None if drawing.beside is None else drawing.beside.compared(draft),
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


def _library(drawing: Drawing) -> list[dict[str, Any]] | None:
    """Return what the visitor has kept; None if nobody has asked for it, or it cannot be read."""
    if drawing.library is None or not drawing.with_library:
        return None
    try:
        return drawing.library.to_plain()
    except StorageError:
        return None


def _replay(history: History) -> Iterator[dict[str, Any]]:
    """Yield how a drawing was built: each step in words, with the picture after it."""
    first = max(0, history.at - MOST_REPLAYED)
    for number, (words, draft) in enumerate(history.drafts()):
        if number >= first:
            grid = ProtocolGrid(draft.spec, edited=True)
            with for_document(draft.spec.steps):
                drawn, _ = draw_grids([part_of(grid)])
                told = Narrator(grid).caption()
            said = capitalized(words) if words else "The beginning"
            yield {"words": said, "drawing": drawn.to_plain(), "sentence": told}


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
