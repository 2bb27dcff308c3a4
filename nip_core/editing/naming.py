"""Names in a document: which are in use, new ones from titles, and renaming."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from nip_core.editing.forms import Document, full, is_list
from nip_core.editing.meaning import ANY, EXPRESSION, INSIDE, names_in, renamed_in, rewritten
from nip_core.language.data import CHANCE, LATE, TASK, TEXT_LIMITS
from nip_core.language.functions import FUNCTIONS
from nip_core.language.syntax import WORDS

__all__ = ["SECTION_OF", "fresh", "has_name", "names_of_kind", "renamed", "slug", "taken_names"]

SECTION_OF = {
    "seat": "seats",
    "part": "parts",
    "channel": "channels",
    "choice": "choices",
    "value": "values",
    "setting": "settings",
}
# Words that name something in every document.
_RESERVED = {
    *("start", "end", "then", "copy", "all", "everyone", "rules", "others", "me"),
    *(TASK, CHANCE, *LATE, *TEXT_LIMITS, *WORDS, *FUNCTIONS),
}
MOST_MEMBERS = 64


def names_of_kind(document: Document, kind: str) -> list[Any]:
    """Return the names of all things of a kind, in order."""
    if kind == "stage":
        return [stage["name"] for stage in document["stages"]]
    if kind == "option":
        options = (choice["options"] for choice in document.get("choices", {}).values())
        return [*dict.fromkeys(o for own in options if is_list(own) for o in own)]
    if kind == "label":
        return [*document.get("labels", [])]
    return [*document.get(SECTION_OF[kind], {})]


def has_name(document: Document, kind: str, name: str) -> bool:
    """Return whether there is a thing of a kind with this name."""
    return name in names_of_kind(document, kind)


def _all_names(document: Document) -> Iterator[str]:
    for kind in ANY:
        yield from map(str, names_of_kind(document, kind))
    yield from document.get("titles", {})


def taken_names(document: Document) -> set[str]:
    """Return all names that mean something in a document, also in its expressions."""
    found = {*_RESERVED, *_all_names(document)}

    def note(kinds: tuple[str, ...], text: str) -> str:
        if EXPRESSION in kinds:
            found.update(names_in(text))
        return text

    rewritten(document, note)
    return found


def slug(title: str) -> str:
    """Return a name for files and expressions from a title."""
    name = re.sub(r"[^a-z0-9_]+", "_", title.lower()).strip("_")[:60] or "new"
    return name if not name[0].isdigit() else f"n{name}"


def fresh(document: Document, title: str, more: set[str] | None = None) -> str:
    """Return a name from a title that is not used for anything."""
    base = name = slug(title)
    taken, number = taken_names(document) | (more or set()), 2
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    return name


def is_family(document: Document, kind: str, name: str) -> bool:
    """Return whether there are several things of a name, as its entry says."""
    section = SECTION_OF.get(kind, "")
    if kind in ("setting", "stage", "option", "label") or name not in document.get(section, {}):
        return False
    entry = full(section, document[section][name])
    if "each" in entry or ("count" in entry and kind != "value"):
        return True
    return kind == "choice" and is_family(document, "seat", entry["by"])


def _members(old: str, new: str) -> dict[str, str]:
    """Return the new names of a family's members, by their old ones."""
    marks = ["_" if name[-1:].isdigit() else "" for name in (old, new)]
    numbers = range(1, MOST_MEMBERS + 1)
    return {f"{old}{marks[0]}{n}": f"{new}{marks[1]}{n}" for n in numbers}


def renamed(document: Document, kind: str, old: str, new: str) -> dict[str, Any] | None:
    """Return a document with another name for something; None if the new name is in use."""
    alike = INSIDE if kind in INSIDE else ("seat", "choice", "value") if kind == "seat" else (kind,)
    alike = (*alike, *(("seat",) if kind in ("choice", "value") else ()))
    titles = document.get("titles", {})
    if any(has_name(document, other, new) for other in alike) or (old in titles and new in titles):
        return None
    family = is_family(document, kind, old)
    names: Mapping[str, str] = {old: new, **(_members(old, new) if family else {})}
    others = {name for k in ANY if k != kind for name in names_of_kind(document, k)}
    first = next((k for k in ANY if has_name(document, k, old)), kind)
    return rewritten(document, _renaming(kind, names, family, old in others, first == kind))


def _renaming(
    kind: str, names: Mapping[str, str], family: bool, shared: bool, first: bool
) -> Callable[[tuple[str, ...], str], str]:
    inside = kind in INSIDE or family

    def change(kinds: tuple[str, ...], text: str) -> str:
        if EXPRESSION in kinds:
            copied = kind == "channel" and "copied" in kinds
            return renamed_in(text, names) if inside or copied else text
        if kind not in kinds:
            return text
        if (kinds is ANY and not first) or (len(kinds) > 2 and kinds is not ANY and shared):
            # In a new field it means something else; a title belongs to the other thing, too.
            return text
        return names.get(text, text)

    return change
