"""What stays of a document without some of its things: everything that mentions them goes, too."""

from __future__ import annotations

from typing import Any

from nip_core.editing.forms import Document
from nip_core.editing.meaning import (
    ANY,
    DROP,
    EXPRESSION,
    INSIDE,
    SINCE,
    Change,
    names_in,
    rewritten,
)
from nip_core.editing.naming import is_family, names_of_kind
from nip_core.errors import EditError
from nip_core.language.data import END

__all__ = ["without"]

# What is counted when something else goes, with its section.
_COUNTED = (("payment", "pay"), ("limit", "limits"))


def without(document: Document, kind: str, name: Any) -> tuple[dict[str, Any], list[str]]:
    """Return a document without a thing and all that mentions it, and what else went, in words."""
    gone: dict[str, set[Any]] = {k: set() for k in ANY}
    gone[kind].add(name)
    before = {k: names_of_kind(document, k) for k in ANY}
    made: dict[str, Any] = dict(document)
    for _ in range(len(ANY) * 20):
        made = rewritten(made, _without(made, gone, before["stage"]))
        left = {k: {*names_of_kind(made, k)} for k in ANY}
        lost = {k: {n for n in before[k] if n not in left[k]} for k in ANY}
        if lost == gone:
            break
        for k, names in lost.items():
            gone[k] |= names
    for section, what in (("seats", "seat"), ("stages", "stage")):
        if not made.get(section):
            raise EditError(f"A protocol has at least one {what}, so this one stays.")
    return made, [*_lost(document, made, kind, before, gone)]


def _without(document: Document, gone: dict[str, set[Any]], stages: list[str]) -> Change:
    inside: set[str] = {name for k in INSIDE for name in gone[k] if isinstance(name, str)}
    for kind in ("seat", "channel", "part"):
        inside |= {name for name in gone[kind] if is_family(document, kind, name)}

    def later(stage: str) -> str:
        """Return from when on something is seen whose stage is gone."""
        after = stages[stages.index(stage) :] if stage in stages else []
        return next((name for name in after if name not in gone["stage"]), END)

    def change(kinds: tuple[str, ...], text: str) -> Any:
        if EXPRESSION in kinds:
            named = names_in(text)
            copied = "copied" in kinds and not named.isdisjoint(gone["channel"])
            return DROP if copied or not named.isdisjoint(inside) else text
        if SINCE in kinds:
            return later(text) if text in gone["stage"] else text
        if not any(text in gone[kind] for kind in kinds):
            return text
        # A title, or what stands in a new field, may be about something else of this name.
        others = (kind for kind in kinds if text not in gone[kind])
        return text if any(text in names_of_kind(document, kind) for kind in others) else DROP

    return change


def _lost(
    before: Document, after: Document, kind: str, names: dict[str, list[Any]], gone: Any
) -> list[str]:
    said: list[str] = []
    for other in ("choice", "value", "channel", "part"):
        if other != kind:
            left = names_of_kind(after, other)
            lost = [name for name in names[other] if name not in left]
            said += [f"The {other} “{name}” went, too." for name in lost]
    for what, section in _COUNTED:
        count = len(before.get(section, [])) - len(after.get(section, []))
        if count:
            said.append(f"{count} {what}{'s' if count > 1 else ''} went, too.")
    exits = [
        sum(len(turn.get("then", {})) for stage in document["stages"] for turn in stage["turns"])
        for document in (before, after)
    ]
    if exits[1] < exits[0] and kind != "stage":
        said.append("A way out of a turn went, too.")
    if before.get("verdict", "none") != after.get("verdict", "none"):
        said.append("There is no verdict any more.")
    return said
