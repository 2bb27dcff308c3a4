"""The files of a drawing: its document in several forms, and its picture."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from explorer.pictures import picture, sequence_mermaid
from nip_core.editing import Draft
from nip_core.language import Specification, python_text

__all__ = ["FILES", "file_of"]


def _picture(ending: str) -> Callable[[Specification], str]:
    return lambda spec: picture(spec, "grid").written(ending).decode("utf-8")


# By their endings.
FILES: Mapping[str, Callable[[Specification], str]] = {
    "py": python_text,
    "mmd": sequence_mermaid,
    "svg": _picture(".svg"),
    "tex": _picture(".tex"),
}


def file_of(draft: Draft, ending: str) -> str:
    """Return the content of a file of a drawing."""
    if ending == "json":
        return json.dumps(draft.document, ensure_ascii=False, indent=2)
    return FILES[ending](draft.spec)
