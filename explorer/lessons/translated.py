"""Lessons in other languages: a catalogue beside a lesson's file, ``01_stranger.de.po``.

A translation changes texts only. What is stored of a lesson, such as the numbers of its blocks and
answers, follows from the English file.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from explorer.languages import (
    ENGLISH,
    PSEUDO,
    Catalogue,
    CatalogueError,
    catalogue_of,
    language,
    read_catalogue,
)
from explorer.lessons.lesson import Lesson, LessonError, lesson_of
from nip_core.documents import WRITTEN, parse_toml, read_file

log = logging.getLogger("explorer")

# Keys of a lesson's file whose values are not translated: names, and works that are cited.
NAMES = frozenset(
    {"kind", "game", "role", "settings", "playable", "experiment", "page", "transfer", "source"}
)
_LETTERS = re.compile(r"[^\W\d_]|[.,]\d|\d%")


def translations_of(path: Path) -> dict[str, Path]:
    """Return the files of translations beside a lesson's file, by language."""
    files = sorted(path.parent.glob(f"{path.stem}.*.po"))
    return {file.name.removeprefix(f"{path.stem}.").removesuffix(".po"): file for file in files}


def document_of(path: Path) -> Any:
    """Return a lesson's file as a plain document."""
    return parse_toml(read_file(path, WRITTEN, LessonError, path.name), WRITTEN, LessonError)


def texts_in(document: Any) -> Iterator[str]:
    """Yield the texts of a lesson's document that are translated, each once, in their order."""
    found: dict[str, None] = {}

    def note(text: str) -> str:
        found[text] = None
        return text

    changed(document, note)
    yield from found


def changed(document: Any, change: Callable[[str], str]) -> Any:
    """Return a lesson's document with each of its texts changed."""
    if isinstance(document, dict):
        parts = cast("dict[str, Any]", document)
        return {
            key: value if key in NAMES else changed(value, change) for key, value in parts.items()
        }
    if isinstance(document, list):
        return [changed(each, change) for each in cast("list[Any]", document)]
    if not isinstance(document, str):
        return document
    text = document.strip()
    return change(text) if _LETTERS.search(text) else document


def in_language(lesson: Lesson) -> Lesson:
    """Return a lesson in the present language; as it is if there is no translation."""
    code = language()
    if code == ENGLISH or lesson.path is None:
        return lesson
    file = translations_of(lesson.path).get(code)
    if file is None and code != PSEUDO:
        return lesson
    return _translated(lesson, code, file, 0 if file is None else file.stat().st_mtime_ns)


@lru_cache(256)
def _translated(lesson: Lesson, code: str, file: Path | None, at: int) -> Lesson:
    del at  # when the file was written
    assert lesson.path is not None
    try:
        catalogue: Catalogue = catalogue_of(code) if file is None else read_catalogue(file)
        for fault in catalogue.faults:
            log.warning("A translation is left out: %s", fault)
        document = changed(document_of(lesson.path), catalogue.one)
        # The same checks as of the lesson itself: no markup, and citations that exist.
        name = (file or lesson.path).name
        made = lesson_of(document, name, lesson.number, lesson.slug)
        for block in made.blocks:
            for texts in (block.choices, *(asked.choices for asked in block.asks)):
                if len({*texts}) == len(texts):
                    continue
                raise LessonError(f"{name}: two answers have the same translation: {texts}.")
    except (LessonError, CatalogueError, OSError) as error:
        log.warning("A translation is left out: %s", error)
        return lesson
    return replace(
        made,
        mark=lesson.mark,
        former=lesson.former,
        minutes_alone=lesson.minutes_alone,
        numbers=lesson.numbers,
        path=lesson.path,
        language=code,
    )
