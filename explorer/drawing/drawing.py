"""A drawing: a protocol that a person draws, its history and text, and what a window may ask of it.

Drawings are in this process's memory, and each belongs to a visitor. The browser keeps its history,
too, and sends it if the server has forgotten the drawing.
"""

from __future__ import annotations

import json
import re
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from explorer.choice import MOST_WRITTEN, ProtocolChoice, source_named
from explorer.drawing.files import FILES
from explorer.drawing.game import Game
from explorer.drawing.library import Library, read
from explorer.drawing.looks import Reference, reference
from explorer.drawing.worth import Worth
from explorer.storage import Drawings, StorageError
from nip_core.displays import brief, line
from nip_core.editing import TEMPLATES, Draft, Edit, History, Result, follow, template, text_of
from nip_core.errors import EditError, NipError, SpecError
from nip_core.language import load_specification

__all__ = ["DRAWING", "Drawing", "drawing_of", "drawing_topic", "is_drawing"]

DRAWING = "drawing"  # the entry of the page's address, and of its connection's
# Of one process, and of one visitor; what was used last is kept.
MOST_KEPT, MOST_OF_VISITOR = 200, 12
# Turns and characters that are drawn; the same as on the page of a protocol of one's own.
MOST_TURNS = 400
MOST_MARKS = 64
MOST_NUMBER = 2**31  # of a version
LOST = "The server had forgotten this drawing. Your browser brings it back."
_NAME = re.compile(r"[0-9a-f]{12}")

Refused = dict[str, Any]
First = tuple[Draft, str]
"""What a drawing begins with: a protocol, and its text, if that was written by a person."""


@dataclass(frozen=True, slots=True)
class Said:
    """What came of the last act, for the page to say."""

    words: str = ""
    also: tuple[str, ...] = ()


class Drawing:
    """A protocol that is being drawn. Thread-safe.

    Attributes
    ----------
    name : str
        Its name in addresses.
    version : int
        Changes with every change.
    is_new : bool
        Whether nothing was done to it here yet; the browser may know more.
    library : Library, optional
        Where its visitor keeps drawings.
    """

    def __init__(
        self, name: str, first: First | None = None, library: Library | None = None
    ) -> None:
        self.name = name
        self.library = library
        self.version = 0
        self.is_new = True
        self.is_empty = first is None
        self.lock = threading.RLock()
        draft, text = first or (Draft.blank(), "")
        self.history = History.of(draft)
        kept = library.history(name) if library is not None and first is None else None
        if kept is not None:
            self.history, self.is_empty = kept, False
        self.said = Said()
        self.worth = Worth()
        # A game that is played beside it, if one was begun.
        self.game: Game | None = None
        # What was shown last, which belongs to a version.
        self.screen: dict[str, Any] = {}
        self.with_text = self.with_changes = False
        self.with_library = self.with_prompts = False
        # What is shown until the next change: the ending of a file, and how it was built.
        self.file = ""
        self.with_replay = False
        # What it is compared with.
        self.beside: Reference | None = None
        # The text, and the draft that it means.
        self._text = (text, draft) if text else None
        self._marks: deque[str] = deque(maxlen=MOST_MARKS)

    def __repr__(self) -> str:
        return line(self, brief(self.name), f"version {self.version}")

    @property
    def draft(self) -> Draft:
        """The protocol now."""
        return self.history.draft

    @property
    def text(self) -> str:
        """Its text, with the comments of what has not changed."""
        with self.lock:
            if self._text is None:
                self._text = text_of(self.draft), self.draft
            elif self._text[1] is not self.draft:
                self._text = follow(*self._text, self.draft), self.draft
            return self._text[0]

    # -- what a window asks for --------------------------------------------------------------------

    def act(self, request: object) -> Refused | None:
        """Do what a window asks for, which may be anything; return why it is refused, if it is."""
        asked = cast("dict[str, Any]", request) if isinstance(request, dict) else dict[str, Any]()
        mark = asked.get("mark")
        with self.lock:
            # A window sends again what it has got no answer to.
            if not isinstance(mark, str) or len(mark) > MOST_MARKS or mark in self._marks:
                return None
            if self.is_new and asked.get("goes_on") is True:
                return {"message": LOST, "lost": True}
            self._marks.append(mark)
            for name, does in _ACTS.items():
                if name in asked:
                    try:
                        return does(self, asked[name], asked)
                    except StorageError as error:
                        return {"message": str(error)}
                    except NipError as error:
                        return _refused(error)
        return {"message": "Nothing that is known was asked for."}

    def _do(self, gesture: object, asked: Mapping[str, Any]) -> Refused | None:
        history, result = self.history.do(gesture, asked.get("arguments"))
        return self._after(history, result)

    def make(self, gesture: str, arguments: Mapping[str, Any]) -> str:
        """Make a gesture from Python; return what it did, in words.

        Raises
        ------
        EditError
            If it is refused.
        """
        with self.lock:
            history, result = self.history.do(gesture, arguments)
            refused = self._after(history, result)
            if refused is not None:
                raise EditError(refused["message"])
            return result.words

    def _after(self, history: History, result: Result) -> Refused | None:
        if result.refused is not None:
            refused = result.refused
            repairs = [[r.words, r.gesture, dict(r.arguments)] for r in refused.repairs]
            return {"message": refused.message, "repairs": repairs}
        _check_size(history.draft)
        if history is not self.history:
            self._become(history, Said(result.words, result.also))
        return None

    def _become(self, history: History, said: Said) -> None:
        before, self.history, self.said = self.history, history, said
        self.file, self.with_replay = "", False
        self.version += 1
        self.is_new = self.is_empty = False
        if self.game is not None:
            self.game.follow(self.draft, _edits_between(before, history))

    def _move(self, to: object, asked: Mapping[str, Any]) -> None:
        del asked
        history = self.history
        if to == "undo":
            moved = history.undo()
        elif to == "redo":
            moved = history.redo()
        else:
            # Refused if it is no number of a step.
            moved = history.jump(cast("int", to))
        if moved is not history:
            self._become(moved, Said())

    def _begin(self, name: object, asked: Mapping[str, Any]) -> Refused | None:
        """Begin with a template or a protocol; a design that is there becomes it in one step."""
        if isinstance(name, str) and asked.get("protocol") is True and source_named(name):
            begun = History.of(Draft.of(ProtocolChoice.of(name).rules))
        elif isinstance(name, str) and name in TEMPLATES:
            begun = template(name)
        else:
            raise EditError("There is no template and no protocol of this name.")
        if self.history.steps:
            return self._after(*self.history.do("become", {"document": dict(begun.draft.document)}))
        self._text, self.worth, self.game = None, Worth(), None
        self._become(begun, Said())
        return None

    def _type(self, text: object, asked: Mapping[str, Any]) -> Refused | None:
        """Take the text that a person has typed or opened; it is kept as it was typed."""
        del asked
        if not isinstance(text, str) or len(text) > MOST_WRITTEN:
            raise EditError(f"The text of a protocol has at most {MOST_WRITTEN:,} characters.")
        spec = load_specification(text)
        history, result = self.history.do("become", {"document": spec.to_dict()})
        refused = self._after(history, result)
        if refused is None:
            self._text = text, self.draft
        return refused

    def _restore(self, kept: object, asked: Mapping[str, Any]) -> None:
        """Go on with the history that the browser has kept, unless there is one here already."""
        del asked
        if self.is_new and isinstance(kept, str):
            history = read(kept)
            _check_size(history.draft)
            self._become(history, Said())

    def _play(self, act: object, asked: Mapping[str, Any]) -> Refused | None:
        """Begin or end a game beside the drawing, or do something in it."""
        kept = asked.get("kept")
        if act == "begin":
            self.game = Game(self.draft)
        elif act == "restore" and isinstance(kept, str):
            self.game = self.game or Game.restored(self.draft, kept)
        elif act == "end":
            self.game = None
        elif self.game is None:
            raise EditError("No game is being played here. Begin one.")
        else:
            return self.game.act(act)
        return None

    def _merge(self, kept: object, asked: Mapping[str, Any]) -> None:
        """Take over what another tab has done, if another process of the server serves it."""
        del asked
        if not isinstance(kept, str):
            return
        merged, left = self.history.merged(read(kept))
        if merged is not self.history or left:
            _check_size(merged.draft)
            also = tuple(f"This did not fit any more: {each}" for each in left)
            self._become(merged, Said("put together what two tabs did", also))

    def _look(self, at: object, asked: Mapping[str, Any]) -> None:
        """Show more: text, changes, library, prompts or another design; others until an edit."""
        if at == "beside":
            self.beside = reference(self.history, asked.get("with"))
        self.with_prompts |= at == "prompts"
        self.with_text |= at == "text"
        self.with_changes |= at == "changes"
        self.with_library |= at == "library"
        self.with_replay |= at == "replay"
        if isinstance(at, str) and at in FILES:
            self.file = at
        self.version += 1

    def _keep(self, what: object, asked: Mapping[str, Any]) -> None:
        """Keep this drawing in the library, or change what is there."""
        library, name = self.library, asked.get("name")
        if library is None:
            raise EditError("There is no library here.")
        if what == "keep":
            library.keep(self.name, self.history)
        elif not isinstance(name, str) or not is_drawing(name):
            raise EditError("There is no such drawing.")
        elif what == "delete":
            library.delete(name)
        elif what == "restore":
            library.restore(name)
        elif what == "rename":
            library.rename(name, asked.get("title"))
        self.with_library = True
        self.version += 1

    def _open(self, number: object, asked: Mapping[str, Any]) -> Refused | None:
        """Go back to a version that was kept, in one step."""
        del asked
        history = None
        if isinstance(number, int) and 0 < number < MOST_NUMBER and self.library is not None:
            history = self.library.history(self.name, number)
        if history is None:
            raise EditError("This version is not in your library any more.")
        return self._after(*self.history.do("become", {"document": dict(history.draft.document)}))


_ACTS: dict[str, Callable[[Drawing, Any, Mapping[str, Any]], Refused | None]] = {
    "do": Drawing._do,
    "move": Drawing._move,
    "begin": Drawing._begin,
    "text": Drawing._type,
    "restore": Drawing._restore,
    "merge": Drawing._merge,
    "look": Drawing._look,
    "play": Drawing._play,
    "library": Drawing._keep,
    "open": Drawing._open,
}


def _edits_between(before: History, after: History) -> list[Edit]:
    """Return the edits of the gestures that were made, or of those that were undone."""
    if after.at < before.at:
        undone = reversed(before.steps[after.at : before.at])
        return [edit for step in undone for edit in step.back]
    return [edit for step in after.steps[before.at : after.at] for edit in step.edits]


def _check_size(draft: Draft) -> None:
    turns = sum(1 for _ in draft.spec.places())
    written = len(json.dumps(draft.document))
    if turns > MOST_TURNS or written > MOST_WRITTEN:
        raise EditError(
            f"A drawing has at most {MOST_TURNS:,} different turns, and a document of at most "
            f"{MOST_WRITTEN:,} characters. Repeat a stage instead of copying its turns."
        )


def _refused(error: NipError) -> Refused:
    found = error.mistakes if isinstance(error, SpecError) else ()
    lines = [
        {"line": mistake.line, "said": mistake.said, "remedy": mistake.remedy}
        for mistake in found[:20]
    ]
    return {"message": str(error).partition("\n")[0], "mistakes": lines}


# -- the drawings of this process ------------------------------------------------------------------

_kept: OrderedDict[tuple[str, str], Drawing] = OrderedDict()
_lock = threading.Lock()


def is_drawing(name: str | None) -> bool:
    """Return whether this can be the name of a drawing."""
    return name is not None and _NAME.fullmatch(name) is not None


def drawing_topic(drawing: Drawing) -> str:
    """Return the topic under which the windows of a drawing hear of its changes."""
    return f"drawing:{drawing.name}"


def drawing_of(
    visitor: str,
    name: str,
    first: Callable[[], First | None] | None = None,
    kept: Drawings | None = None,
) -> Drawing:
    """Return a visitor's drawing of this name; a new one begins with `first`, or as it was kept."""
    with _lock:
        known = _kept.get((visitor, name))
        if known is not None:
            _kept.move_to_end((visitor, name))
            return known
    library = None if kept is None else Library(visitor, kept)
    made = Drawing(name, None if first is None else first(), library)
    with _lock:
        drawing = _kept.setdefault((visitor, name), made)
        own = [key for key in _kept if key[0] == visitor]
        for key in own[:-MOST_OF_VISITOR]:
            del _kept[key]
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return drawing
