"""Lessons are files: ours are valid, and invalid ones are refused with a sentence."""

import re
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from explorer.choice import ProtocolChoice
from explorer.lessons import library
from explorer.lessons.lesson import BLOCKS, CITATION, SCHEMA, LessonError, lesson_of, read_lesson
from explorer.lessons.library import handout_html, lesson_files, lessons, protocols_table
from explorer.play import find_task, materials
from explorer.ui.rewards.choose import ENTRIES
from nip_core import protocol_names
from nip_core.registry import protocol_infos, protocol_title
from tests.depth import cases, each

OURS = lessons()[0]
each_lesson = each("lesson", OURS, ids=lambda lesson: lesson.slug)
LEAST_EASE = 60


def words(text: str) -> list[str]:
    plain = re.sub(r"\$[^$]*\$|\[@[^\]]*\]|[*_#`]", " ", text)
    return re.findall(r"[A-Za-z']+", plain)


def syllables(word: str) -> int:
    groups = re.findall(r"[aeiouy]+", word.lower().removesuffix("e"))
    return max(1, len(groups))


def test_all_lessons_can_be_used():
    found, problems = lessons()
    assert problems == []
    assert [lesson.number for lesson in found] == [f"{n:02}" for n in range(1, len(OURS) + 1)]


@each_lesson
def test_lessons_are_in_plain_english(lesson):
    # What a reader reads, without answers, tables and the facilitator's part.
    parts = [part for block in lesson.blocks for part in (block.text, block.question)]
    text = " ".join(filter(None, [lesson.question, *parts]))
    count = len(words(text))
    sentences = max(1, len(re.findall(r"[.!?:](?:\s|$)", text)))
    # Flesch's reading ease: 60 and more counts as plain English.
    ease = 206.835 - 1.015 * count / sentences
    ease -= 84.6 * sum(map(syllables, words(text))) / count
    assert ease > LEAST_EASE


@each_lesson
def test_every_lesson_has_all_its_parts(lesson):
    kinds = [block.kind for block in lesson.blocks]
    assert 2 <= sum(b.kind == "quiz" and not b.transfer for b in lesson.blocks) <= 4
    assert {"game", "experiment"} & set(kinds)
    notes = lesson.facilitator
    assert notes.say
    assert notes.handout
    assert notes.answers
    assert sum(step.minutes for step in notes.timing) == lesson.minutes
    pages = {block.name for block in lesson.blocks if block.kind == "open"}
    assert pages == {"play", "rewards", "protocols"}
    used = {key for block in lesson.blocks for key in CITATION.findall(block.text)}
    assert used <= set(lesson.sources)


LINKS = [
    (lesson.slug, block.name, dict(block.settings or {}))
    for lesson in OURS
    for block in lesson.blocks
    if block.kind == "open"
]


@each(("slug", "page", "query"), LINKS)
def test_every_link_opens_what_it_says(slug, page, query):
    query = {key: str(value) for key, value in query.items()}
    if page == "rewards":
        _, problems = ProtocolChoice.read(query, "nip", page=ENTRIES)
        assert problems == []
        return
    own = ("seat", "task", "about", "hard", "sits.", "round", "seed")
    choice, problems = ProtocolChoice.read(query, "mnip", page=own)
    assert problems == []
    if page == "play":
        assert materials(choice.rules)
    elif "task" in query:
        assert find_task(choice.rules, query["task"], 0)
    seats = {key.removeprefix("sits.") for key in query if key.startswith("sits.")}
    assert seats <= {*choice.spec.agent_names}


@each_lesson
def test_handouts_are_pages_of_text(lesson):
    page = handout_html(lesson, answers=True)
    assert page.startswith("<!doctype html>")
    assert "<script" not in page
    assert "Answers" in page


def test_the_format_for_editors_agrees_with_the_reader(tmp_path):
    validator = Draft202012Validator(SCHEMA)
    Draft202012Validator.check_schema(SCHEMA)
    for path in (*lesson_files(), library.CONTENT / "template.toml"):
        assert not list(validator.iter_errors(tomllib.loads(path.read_text("utf-8"))))
    # A schema cannot express everything; citations and markup are checked by the reader.
    for name in ("no title", "an unknown key", "a wrong type", "an unknown kind", "another schema"):
        assert list(validator.iter_errors(tomllib.loads(BAD[name][0])))


def test_the_lesson_to_fill_in_is_one():
    lesson = read_lesson(library.CONTENT / "template.toml")
    library.check_lesson(lesson)
    assert {block.kind for block in lesson.blocks} == set(BLOCKS) - {"table"}


@each(
    ("block", "problem"),
    [
        ('kind = "game"\ngame = "halving"\nsettings = { lines = 7 }', "lines"),
        ('kind = "game"\ngame = "halving"\nsettings = { rows = 8 }', "'rows' is not a setting"),
        ('kind = "game"\ngame = "hint"\nsettings = { complete = "many" }', "cannot be played"),
        ('kind = "game"\ngame = "hint"\nrole = "cat"', "no role 'cat'"),
        ('kind = "experiment"\nexperiment = "survival"\nsettings = { liars = -1 }', "from"),
        ('kind = "experiment"\nexperiment = "survival"\nsettings = { game = "x" }', "one of"),
        ('kind = "experiment"\nexperiment = "survival"\nsettings = { x = 1 }', "not a setting"),
    ],
)
def test_invalid_settings_of_games_and_experiments_are_reported(block, problem, tmp_path):
    text = GOOD.replace("[facilitator]", f'[[block]]\n{block}\ntext = "x"\n[facilitator]')
    lesson = read_lesson(written(tmp_path, text))
    with pytest.raises(LessonError) as found:
        library.check_lesson(lesson)
    assert problem in str(found.value)
    assert str(found.value).startswith("block[2]: ")


GOOD = """
schema = 1
title = "T"
question = "Q?"
minutes = 3
summary = "S"
[[block]]
kind = "text"
text = "Hello."
[[block]]
kind = "quiz"
question = "?"
answers = [{ text = "a", why = "b", right = true }, { text = "c", why = "d" }]
[facilitator]
handout = "# A & B"
"""


def test_a_link_of_a_former_lesson_has_the_present_name_of_its_page(tmp_path):
    link = '\n[[block]]\nkind = "open"\npage = "schedule"\nlabel = "x"\n'
    assert read_lesson(written(tmp_path, GOOD + link)).blocks[2].name == "protocols"


# By fault: the file, and what its refusal says.
BAD = {
    "not TOML": ("schema = ", ["is not TOML: ", "end of document"]),
    "another schema": (GOOD.replace("schema = 1", "schema = 2"), ["schema is 2", "must be 1"]),
    "a schema that is no number": (GOOD.replace("schema = 1", "schema = true"), ["schema is True"]),
    "no title": (GOOD.replace('title = "T"', ""), ["lacks the key 'title'", "A short name"]),
    "an unknown key": (
        GOOD.replace("minutes = 3", "minute = 3"),
        ["has a key 'minute'", "Did you mean 'minutes'?", "Known: schema, title"],
    ),
    "a wrong type": (
        GOOD.replace("minutes = 3", 'minutes = "3"'),
        ["minutes is '3'", "must be a whole number"],
    ),
    "a wrong type inside": (
        GOOD.replace('why = "d"', "why = 5"),
        [r"block[1].answers[1].why is 5", "must be a text"],
    ),
    "a picture": (
        GOOD.replace("Hello.", "![x](http://a/b.png)"),
        ["block[0].text holds '!['", "not allowed"],
    ),
    "a link": (GOOD.replace("Hello.", "[x](http://a)"), ["block[0].text", "not allowed"]),
    "HTML": (GOOD.replace("Hello.", "<img src=x>"), ["block[0].text", "not allowed"]),
    "no source": (GOOD.replace("Hello.", "See [@knuth]."), ["block[0].text", "[@knuth]"]),
    "a source that is misspelt": (
        GOOD.replace("Hello.", "See [@knuth].") + '[[source]]\nkey = "knuht"\ntext = "x"\n',
        ["[@knuth]", "Did you mean 'knuht'?"],
    ),
    "no right answer": (
        GOOD.replace(", right = true", ""),
        ["block[1].answers has 0 answers with right = true"],
    ),
    "one answer": (
        GOOD.replace(', { text = "c", why = "d" }', ""),
        ["block[1].answers", "at least 2"],
    ),
    "an unknown kind": (
        GOOD.replace('kind = "text"', 'kind = "txt"'),
        ["block[0].kind is 'txt'", "text, game", "Did you mean 'text'?"],
    ),
    "no kind": (GOOD.replace('kind = "text"', ""), ["block[0] lacks the key 'kind'", "text, game"]),
    "an unknown page": (
        GOOD + '\n[[block]]\nkind = "open"\npage = "plya"\nlabel = "x"\n',
        ["block[2].page is 'plya'", "protocols, play", "Did you mean 'play'?"],
    ),
    "too long a lesson": (GOOD.replace("minutes = 3", "minutes = 3000"), ["from 1 to 240"]),
    "too deep a list": (GOOD.replace("minutes = 3", "x = " + "[" * 50 + "]" * 50), ["too deeply"]),
    "a date": (GOOD.replace("minutes = 3", "minutes = 2020-01-01"), ["write a time as a text"]),
    "a short row": (
        GOOD + '\n[[block]]\nkind = "table"\ncolumns = ["a", "b"]\nrows = [["1"]]\n',
        ["block[2].rows[0] has 1 cells", "2 columns"],
    ),
    "a guess of nothing": (
        GOOD + '\n[[block]]\nkind = "predict"\nquestion = "?"\ntext = "x"\n',
        ["block[2] needs `choices`"],
    ),
    "a right guess that is no choice": (
        GOOD
        + '\n[[block]]\nkind = "predict"\nquestion = "?"\ntext = "x"\nchoices = ["yes", "no"]\n'
        + 'right = "yess"\n',
        ["block[2].right is 'yess'", "Did you mean 'yes'?"],
    ),
    "not UTF-8": ("\udcff", ["not text in UTF-8"]),
    "too large": ("#" * 200_001, ["at most 0.2 MB"]),
}


def written(tmp_path, text, name="my_lesson.toml"):
    path = tmp_path / name
    path.write_text(text, "utf-8", "surrogateescape")
    return path


@each("name", BAD)
def test_a_bad_file_is_refused_in_words(name, tmp_path):
    text, words = BAD[name]
    with pytest.raises(LessonError) as error:
        read_lesson(written(tmp_path, text))
    message = str(error.value)
    assert message.startswith("my_lesson.toml")
    assert [word for word in words if word not in message] == [], message


def test_a_teacher_adds_a_lesson_without_code(tmp_path, monkeypatch):
    written(tmp_path, GOOD)
    written(tmp_path, GOOD.replace('kind = "text"', 'kind = "film"'), "other.toml")
    bad_game = '\n[[block]]\nkind = "game"\ngame = "chess"\ntext = "x"\n'
    written(tmp_path, GOOD.replace("[facilitator]", f"{bad_game}[facilitator]"), "third.toml")
    written(tmp_path, GOOD, "other_lesson.toml")
    monkeypatch.setenv("NIP_LESSONS", str(tmp_path))
    found, problems = lessons()
    assert found[-1].slug == "lesson"
    assert len(found) == len(OURS) + 1
    assert len(problems) == 3
    assert any("another lesson is called 'lesson'" in problem for problem in problems)
    assert any("'chess'" in problem for problem in problems)
    assert "A &amp; B" in handout_html(found[-1])


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["kind", "text", "answers", "name", "x"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(max_examples=cases(100), deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["schema", "title", "question", "minutes", "summary", "block", "source"]),
        values,
    )
)
def test_any_document_is_a_lesson_or_refused(document):
    try:
        lesson = lesson_of(document, "x.toml", "01", "x")
    except LessonError as error:
        message = str(error)
    else:
        message = f"x.toml is fine: {lesson.title}"
    assert message.startswith("x.toml")


def test_the_table_of_protocols_holds_all_of_them():
    table = protocols_table()
    names = [info.full_name for info in protocol_infos() if not info.for_developers]
    # From simple to rich, without the protocols that exist only to try the library out.
    assert list(table["protocol"])[: len(names)] == names
    assert len(names) < len(protocol_names())
    hidden = {info.full_name for info in protocol_infos() if info.for_developers}
    assert not hidden & {*table["protocol"]}
    by_name = table.set_index("protocol")
    assert by_name.loc[protocol_title("mnip"), "class"].startswith("NEXP")
    assert "everybody" in by_name.loc[protocol_title("debate"), "who reads what"]
    assert by_name.loc[protocol_title("solo_verifier"), "class"].startswith("BPP")


def test_plans_fill_their_time_with_lessons_that_exist():
    guide = library.document("guide")
    assert [plan["minutes"] for plan in guide["plan"]] == [20, 45, 90]
    for plan in guide["plan"]:
        assert sum(step["minutes"] for step in plan["steps"]) == plan["minutes"]
        used = {step["lesson"] for step in plan["steps"] if "lesson" in step}
        assert used <= {lesson.number for lesson in OURS}
