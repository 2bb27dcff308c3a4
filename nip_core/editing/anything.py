"""Gestures for everything that has none of its own: any field, and a whole other protocol."""

from __future__ import annotations

from typing import Any

from nip_core.editing.arguments import Plain
from nip_core.editing.edits import LISTED, NAMED, Place, Set, entry_at
from nip_core.editing.forms import is_list, is_table
from nip_core.editing.work import Work, gesture
from nip_core.errors import EditError, show
from nip_core.language import load_specification

__all__ = ["become"]

_LENGTHS = {"protocol": 1, "act": 4, "exit": 4, "copy": 4}


def _place(value: Any) -> Place:
    """Return a place from a list of a kind and numbers."""
    listed = value if is_list(value) else []
    kind = listed[0] if listed and isinstance(listed[0], str) else None
    known = kind in NAMED or kind in LISTED or kind in _LENGTHS
    length = _LENGTHS.get(kind or "", 2)
    if not known or len(listed) != length or any(type(n) is not int or n < 0 for n in listed[1:]):
        raise EditError(f"{show(value)} is no place: write a kind and numbers from 0.")
    return tuple(listed)


@gesture("set {field}")
def set_field(work: Work, place: Plain, field: Plain, value: Plain = None) -> None:
    """Set any field of anything; without a value it is left out. For what has no gesture yet."""
    at = _place(place)
    if not isinstance(field, str):
        raise EditError(f"{show(field)} is not the name of a field.")
    work.words = f"set “{field[:60]}”" if field else "set a value"
    if at == ("protocol",) and (field == "" or (value is None and field in ("seats", "stages"))):
        raise EditError("A protocol has seats and stages; change them one by one.")
    entry = entry_at(work.document, at)
    if field == "" or not is_table(entry):
        if value is None:
            raise EditError("A value that is left out is removed by a gesture of its own.")
        if field == "":
            work.do(Set(at, "", value))
            return
    if at == ("protocol",) and value is None and field not in work.document:
        return
    work.set(at, **{field: value})


@gesture("become another protocol")
def become(work: Work, document: Plain) -> None:
    """Become another protocol: one from a file, a template, the gallery, or the text beside it."""
    if not isinstance(document, str) and not is_table(document):
        raise EditError(f"{show(document)} is not a document of a protocol.")
    wanted = load_specification(document)
    # In its normal form, which is the short one for families.
    work.become(wanted.to_dict())
    work.words = "edit the text" if isinstance(document, str) else f"become “{wanted.full_name}”"
