"""Lessons in other languages: whole, checked like lessons, and the same to everything stored."""

import json
import shutil

import pytest

from explorer.languages import PSEUDO, speaking
from explorer.lessons.alone import LessonAlone
from explorer.lessons.lesson import CITATION, read_lesson
from explorer.lessons.library import explained, lessons
from explorer.lessons.parts import part_data, step_digests
from explorer.lessons.translated import (
    changed,
    document_of,
    in_language,
    texts_in,
    translations_of,
)
from tests.depth import each

LESSONS = {lesson.slug: lesson for lesson in lessons()[0]}
BOTH = ("stranger", "merlin-arthur")


@each("code", ["de", "es"])
@each("slug", BOTH)
def test_only_texts_differ(slug, code):
    lesson = LESSONS[slug]
    with speaking(code):
        other = in_language(lesson)
        assert in_language(LESSONS["debate"]) is LESSONS["debate"]
    assert (other.language, lesson.language) == (code, "en")
    assert other.title != lesson.title
    assert other.facilitator.handout != lesson.facilitator.handout
    for name in ("slug", "number", "minutes", "minutes_alone", "mark", "numbers", "sources"):
        assert getattr(other, name) == getattr(lesson, name)
    for one, two in zip(lesson.blocks, other.blocks, strict=True):
        for name in ("kind", "name", "role", "settings", "low", "high", "truth", "transfer"):
            assert getattr(one, name) == getattr(two, name)
        assert CITATION.findall(one.text) == CITATION.findall(two.text)
        # Formulas are the same in every language.
        assert sorted(one.text.split("$")[1::2]) == sorted(two.text.split("$")[1::2])
    with speaking(code):
        assert explained(other) is other  # the glossary is in English
    assert in_language(lesson) is lesson


def test_a_person_who_changes_the_language_keeps_their_answers():
    done = {}
    english = LessonAlone(LESSONS["stranger"], done)
    english.act("answer", {"place": 0, "value": "8"})
    place = next(n for n, b in enumerate(english.lesson.blocks) if b.kind == "quiz")
    right = next(a.text for a in english.lesson.blocks[place].answers if not a.right)
    english.act("answer", {"place": place, "value": right})
    with speaking("de"):
        german = LessonAlone(in_language(LESSONS["stranger"]), done)
        said = german.told()[f"quiz-{place}"]
        assert said in [answer.text for answer in german.lesson.blocks[place].answers]
        assert [each["text"] for each in german.now(place)["answers"]] == [said]
        assert german.about()["language"] == "de"
    assert "Wahrscheinlichkeit" not in json.dumps(done)
    assert step_digests(LESSONS["stranger"]) == step_digests(english.lesson)


def test_everything_a_person_is_sent_is_translated():
    """In the language for tests, each text of a part is in brackets: titles, sides, settings."""
    known = {"kind", "place", "id", "digest", "role", "page", "query", "transfer", "front", "keep"}
    known |= {"data", "name", "low", "high", "step", "spread", "most"}

    def texts(value, key=""):
        if isinstance(value, dict):
            for name, each in value.items():
                if name not in known:
                    yield from texts(each, name)
        elif isinstance(value, list):
            # A role and a setting have a name and a label.
            last = value[1:] if key in ("roles", "options") and isinstance(value[0], str) else value
            for each in last:
                yield from texts(each, key)
        elif isinstance(value, str) and any(map(str.isalpha, value)):
            yield value

    with speaking(PSEUDO):
        for slug in BOTH:
            for place, block in enumerate(in_language(LESSONS[slug]).blocks):
                found = [*texts(part_data(block, place))]
                assert [text for text in found if not text.startswith("⟦")] == []


@pytest.fixture
def own(tmp_path):
    """A teacher's own lesson, with a file of translations beside it."""
    path = tmp_path / "20_own.toml"
    shutil.copy(LESSONS["stranger"].path, path)

    def translated(text, translation):
        escaped = [json.dumps(each, ensure_ascii=False) for each in (text, translation)]
        po = tmp_path / "20_own.de.po"
        po.write_text('msgid ""\nmsgstr ""\n\nmsgid {}\nmsgstr {}\n'.format(*escaped), "utf-8")
        with speaking("de"):
            return in_language(read_lesson(path))

    return translated


def test_a_lesson_of_ones_own_is_translated_by_a_file_beside_it(own):
    assert own("Why believe a stranger?", "Warum nur?").title == "Warum nur?"


def test_a_text_without_a_translation_is_in_english(own):
    lesson = own("Why believe a stranger?", "Warum nur?")
    assert lesson.question == LESSONS["stranger"].question


@each("title", ["<b>x</b>", "![x](y)", "[x](javascript:y)", "{x}"])
def test_a_hostile_translation_is_left_out(own, title):
    assert own("Why believe a stranger?", title).title == "Why believe a stranger?"


def test_two_choices_that_become_the_same_are_not_shown(own, caplog):
    lesson = own("1,000", "20")
    assert lesson.language == "en"
    assert "two answers have the same translation" in caplog.text


def test_names_in_a_lesson_are_no_texts():
    path = LESSONS["stranger"].path
    found = [*texts_in(document_of(path))]
    assert "stranger" not in found
    assert not [text for text in found if "Goldwasser" in text]
    assert changed({"kind": "a", "text": "b"}, str.upper) == {"kind": "a", "text": "B"}
    assert [*translations_of(path)] == ["de", "es"]
