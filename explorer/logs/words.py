"""The texts of messages, tool calls and scores, which may be plain, in parts, or elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from nip_core.documents import printable

# Of a text, so much is kept, and so much is looked at: many places may name one long text.
MOST_TEXT, MOST_READ = 8_000, 100_000
MOST_PARTS, MOST_CALLS = 500, 50
_ELSEWHERE = "attachment://"


class Texts:
    """Reads texts of one sample, whose long ones are kept as its attachments."""

    def __init__(self, attachments: object) -> None:
        self._attachments: Mapping[str, Any] = (
            cast("dict[str, Any]", attachments) if isinstance(attachments, dict) else {}
        )

    def whole(self, value: object) -> str:
        """Return a text, or any other value as JSON, if it is not very long; empty for null."""
        if value is None:
            return ""
        if not isinstance(value, str):
            return json.dumps(value, ensure_ascii=False)[:MOST_READ]
        if value.startswith(_ELSEWHERE):
            kept = self._attachments.get(value.removeprefix(_ELSEWHERE))
            return kept[:MOST_READ] if isinstance(kept, str) else "[a text that is not in the log]"
        return value[:MOST_READ]

    def content(self, value: object) -> str:
        """Return what a message says; a picture or a file is named by its kind."""
        if not isinstance(value, list):
            return self.whole(value)
        said: list[str] = []
        for part in cast("list[object]", value)[:MOST_PARTS]:
            said.append(self._part(part))
            if sum(map(len, said)) > MOST_READ:
                break
        return "\n\n".join(filter(None, said))

    def _part(self, value: object) -> str:
        if not isinstance(value, dict):
            return self.whole(value)
        part = cast("dict[str, object]", value)
        kind = part.get("type")
        if kind == "text":
            return self.whole(part.get("text"))
        if kind == "reasoning":
            said = self.whole(part.get("summary") or part.get("reasoning"))
            return f"[reasoning] {said}" if said else ""
        return f"[{kind if isinstance(kind, str) else 'something else'}]"[:100]

    def calls(self, value: object) -> str:
        """Return the tool calls of a message, a line each."""
        listed = cast("list[object]", value)[:MOST_CALLS] if isinstance(value, list) else []
        return "\n".join(
            f"→ {self.whole(call.get('function'))[:100]} {self.whole(call.get('arguments'))}"
            for each in listed
            if isinstance(each, dict)
            for call in (cast("dict[str, object]", each),)
        )


def shortened(text: str) -> tuple[str, int]:
    """Return the beginning of a text, harmless to show, and how many characters follow it."""
    return printable(text[:MOST_TEXT]), max(0, len(text) - MOST_TEXT)


def a_line(text: str, most: int = 200) -> str:
    """Return the beginning of a text in one line, harmless to show."""
    return printable(" ".join(text[: 2 * most].split())[:most], keep="")
