"""Technical terms in a lesson's texts lead to the glossary, each where it comes first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from urllib.parse import urlencode

from explorer.lessons.lesson import Lesson
from explorer.lessons.library import document

__all__ = ["EXPLAINED", "explained"]

# Terms in a text, with their glossary entries. Everyday words such as "round" have entries too,
# but are not linked: so many links would distract the reader.
EXPLAINED: Mapping[str, str] = {
    "polynomial time": "polynomial time",
    "PSPACE": "PSPACE",
    "NP": "NP",
    "NEXP": "NEXP",
    "MA": "MA",
    "roots": "root",
    "entanglement": "entanglement",
    "logits": "logits",
    "extractor": "extractor",
    "simulator": "simulator",
}

# Formulas and citations are kept as they are: nothing inside them is linked.
_KEPT = re.compile(r"(\$\$.*?\$\$|\$[^$]*\$|\[@[^\]]*\])", re.DOTALL)
_TERM = re.compile(rf"\b({'|'.join(sorted(EXPLAINED, key=len, reverse=True))})\b")


def explained(lesson: Lesson) -> Lesson:
    """Return a lesson whose texts link each technical term once to the glossary."""
    seen: set[str] = set()

    def linked(found: re.Match[str]) -> str:
        term = EXPLAINED[found[1]]
        if term in seen:
            return found[1]
        seen.add(term)
        query = urlencode({"show": "glossary", "q": term})
        return f'[{found[1]}](/learn?{query} "{_meaning(term)}")'

    def text(plain: str) -> str:
        parts = _KEPT.split(plain)
        return "".join(
            part if place % 2 else _TERM.sub(linked, part) for place, part in enumerate(parts)
        )

    return replace(
        lesson, blocks=tuple(replace(block, text=text(block.text)) for block in lesson.blocks)
    )


@cache
def _meaning(term: str) -> str:
    """Return an entry's text as it can stand in the title of a link."""
    (entry,) = (each for each in document("glossary")["entry"] if each["term"] == term)
    return re.sub(r"[*\"$]", "", entry["text"])
