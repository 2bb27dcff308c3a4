"""Tests of quality.py and plain_text.py.

Files in QuALITY's format: what is read of them, and how faults are reported.
"""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.errors import TaskFileError
from nip_core.tasks import Passage, load_quality, load_tasks
from nip_core.tasks.passages import quality
from nip_core.tasks.passages.plain_text import plain_text
from tests.depth import cases, each
from tests.growth import seconds
from tests.odd import changed, json_values, planted

ARTICLE = "The ferry left at eight.\n\nNobody saw the goat go on board."


def asked(number=0, **fields):
    return {
        "question": f"Who was on the ferry ({number})?",
        "question_unique_id": f"40001_WRITER_{number}",
        "options": ["A goat. ", "A priest.", "Nobody.", "Two boys."],
        "writer_label": 1,
        "gold_label": 1,
        "validation": [{"untimed_annotator_id": "a", "untimed_answer": 1}],
        "speed_validation": [{"speed_annotator_id": "b", "speed_answer": 2}],
        "difficult": 1,
        **fields,
    }


def article(*questions, **fields):
    """Return a line with all fields of the published files, in our own words."""
    return {
        "article_id": "40001",
        "set_unique_id": "40001_WRITER",
        "batch_num": "23",
        "writer_id": "1",
        "source": "Ours",
        "title": "The Ferry",
        "year": 2026,
        "author": "nobody",
        "topic": "Ferries",
        "article": ARTICLE,
        "questions": list(questions) or [asked()],
        "url": "https://www.example.org/",
        "license": "ours",
        **fields,
    }


def lines(*rows) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_a_good_file_is_read(tmp_path):
    second = asked(1, gold_label=4, difficult=0)
    data = lines(article(asked(), second))
    path = tmp_path / "QuALITY.dev"
    path.write_bytes(data)
    for report in (load_quality(data), load_quality(path), load_quality(str(path))):
        assert report.problems == ()
        assert report.questions == 2
        first, other = report.passages
        assert isinstance(first, Passage)
        assert (first.slug, first.title, first.text) == ("40001_WRITER_0", "The Ferry", ARTICLE)
        assert first.answers[0].text == "A goat."
        assert (first.truth, other.truth) == ("A", "D")
        assert (first.difficulty, other.difficulty) == ("hard", "medium")
        assert first.text is other.text
        assert first.task(0).y == 1
        assert first.task(0).openings is None
        assert first.parts["passage"] == ARTICLE
        assert set(first.two(3).letters) == {"A", "B"}
    assert load_quality(path).source == "QuALITY.dev"
    assert load_quality(data, "mine\x1b.jsonl").source == "mine\\x1b.jsonl"


def test_only_what_is_needed_must_be_there():
    question = {key: asked()[key] for key in ("question", "options", "gold_label")}
    question["options"] = question["options"][:2]
    report = load_quality(lines({"article": ARTICLE, "questions": [question, question]}))
    assert report.problems == ()
    assert [each.slug for each in report.passages] == ["line_1_1", "line_1_2"]
    assert report.passages[0].title == "Untitled"
    assert report.passages[0].difficulty is None


def test_a_page_of_html_becomes_paragraphs():
    page = (
        "<html><head><title>Not this</title><style>p > a { color: red }</style></head><body>"
        "<h1>The\n  Ferry</h1><!-- <p>nor this</p> --><p>It left at<br/>eight &amp; a <i>half</i>."
        "</p><p>3 < 4 &#8212; &bogus; &#99999999999;</p><script>if (a < b) { x() }</script></body>"
    )
    text = "The Ferry\n\nIt left at\neight & a half.\n\n3 < 4 — &bogus; &#99999999999;"
    assert plain_text(page) == text
    (passage,) = load_quality(lines(article(article=page))).passages
    assert passage.text == text


def test_a_text_without_tags_stays_as_it_is():
    text = "If a < b and c > d, then:  \n\n\n\n  x &amp; y."
    assert plain_text(text) == "If a < b and c > d, then:\n\nx &amp; y."


HERE = ("questions", 1)
FAULTS = [
    (("article",), ..., "article", "missing"),
    (("article",), "", "article", "''"),
    (("article",), 5, "article", "5"),
    (("article",), "<p> </p>", "article", "a text that is not empty"),
    (("article",), "a\0b", "article", "NUL"),
    (("article",), "\ud800", "article", "must be"),
    (("article",), "x" * 90_001, "article", "90,001 characters"),
    (("title",), 7, "title", "7"),
    (("title",), "x" * 300, "title", "at most 200 characters"),
    (("set_unique_id",), ["a"], "set_unique_id", "a list of 1"),
    (("questions",), ..., "questions", "missing"),
    (("questions",), [], "questions", "a list of 0"),
    (("questions",), "none", "questions", "'none'"),
    (("questions",), [asked()] * 101, "questions", "at most 100"),
    (HERE, "Who?", "questions[1]", "an object with question, options and gold_label"),
    (HERE, None, "questions[1]", "None"),
    ((*HERE, "question"), ..., "questions[1].question", "missing"),
    ((*HERE, "question"), " ", "questions[1].question", "not empty"),
    ((*HERE, "question"), "x" * 2_001, "questions[1].question", "at most 2,000"),
    ((*HERE, "options"), ..., "questions[1].options", "2 to 4 texts"),
    ((*HERE, "options"), ["One."], "questions[1].options", "a list of 1"),
    ((*HERE, "options"), list("abcde"), "questions[1].options", "a list of 5"),
    ((*HERE, "options"), {"A": "x"}, "questions[1].options", "an object"),
    ((*HERE, "options", 2), 3, "questions[1].options[2]", "3"),
    ((*HERE, "options", 2), "", "questions[1].options[2]", "not empty"),
    ((*HERE, "options", 2), "A goat.", "questions[1].options[2]", "another text than options[0]"),
    ((*HERE, "gold_label"), ..., "questions[1].gold_label", "read the train or the dev file"),
    ((*HERE, "gold_label"), 0, "questions[1].gold_label", "from 1 to 4"),
    ((*HERE, "gold_label"), 5, "questions[1].gold_label", "from 1 to 4"),
    ((*HERE, "gold_label"), "1", "questions[1].gold_label", "'1'"),
    ((*HERE, "gold_label"), True, "questions[1].gold_label", "True"),
    ((*HERE, "gold_label"), 1.0, "questions[1].gold_label", "1.0"),
    ((*HERE, "gold_label"), None, "questions[1].gold_label", "None"),
    ((*HERE, "gold_label"), 10**400, "questions[1].gold_label", "a huge number"),
    ((*HERE, "writer_label"), 9, "questions[1].writer_label", "from 1 to 4"),
    ((*HERE, "difficult"), "yes", "questions[1].difficult", "0 or 1, or left out"),
    ((*HERE, "difficult"), True, "questions[1].difficult", "True"),
    ((*HERE, "question_unique_id"), 12, "questions[1].question_unique_id", "12"),
    ((*HERE, "question_unique_id"), "40001_WRITER_0", "questions[1].question_unique_id", "line 2"),
]


@each(("path", "value", "place", "said"), FAULTS)
def test_every_fault_is_named_with_its_line_and_place(path, value, place, said):
    good = article(asked(7), set_unique_id="other")
    wrong = planted(article(asked(), asked(1)), path, value)
    report = load_quality(lines(good, wrong, article(asked(8), set_unique_id="x")))
    (problem,) = report.problems
    assert (problem.line, problem.column) == (2, place)
    assert str(problem).startswith(f"row 2 (line 2): {place} is ")
    assert said in str(problem)
    assert len(str(problem)) < 300
    # Everything else is read.
    slugs = {passage.slug for passage in report.passages}
    assert {"40001_WRITER_7", "40001_WRITER_8"} <= slugs
    assert ("40001_WRITER_0" in slugs) == (path[:2] == HERE)
    assert "40001_WRITER_1" not in slugs


def test_several_faults_of_a_question_are_all_named():
    wrong = asked(1, gold_label=7, difficult=2, question=None)
    report = load_quality(lines(article(asked(), wrong)))
    assert [p.column for p in report.problems] == [
        "questions[1].question",
        "questions[1].gold_label",
        "questions[1].difficult",
    ]
    assert len(report.passages) == 1
    assert report.questions == 2


def test_a_field_that_is_nearly_right_is_named():
    row = article()
    row["Articel"] = row.pop("article")
    row["questions"][0]["gold label"] = row["questions"][0].pop("gold_label")
    (problem,) = load_quality(lines(row)).problems
    assert "Rename 'Articel' to 'article'?" in str(problem)
    row["article"] = ARTICLE
    (problem,) = load_quality(lines(row)).problems
    assert "Rename 'gold label' to 'gold_label'?" in str(problem)


def test_lines_of_the_same_name_are_distinguished():
    """Two lines may share an article, about which two people wrote, but no id."""
    one, two = asked(), asked()
    del one["question_unique_id"], two["question_unique_id"]
    report = load_quality(lines(article(one), article(two)))
    assert len(report.passages) == 1
    (problem,) = report.problems
    assert (problem.line, problem.column) == (2, "set_unique_id")
    assert "line 1 has it" in str(problem)
    report = load_quality(lines(article(one), article(two, set_unique_id="40001_OTHER")))
    assert [each.slug for each in report.passages] == ["40001_WRITER_1", "40001_OTHER_1"]


BROKEN = {
    "text": b"once upon a time\n",
    "half": lines(article())[:-40] + b"\n",
    "string": b'"1, 2"\n',
    "number": b"5\n",
    "null": b"null\n",
    "deep": b'{"article": ' + b"[" * 5_000 + b"]" * 5_000 + b"}\n",
    "open": b'{"article": ' + b"{" * 10_000 + b"\n",
    "many": b'{"article": [' + b"1," * 150_000 + b"1]}\n",
    "twice": b'{"article": "a", "article": "b", "questions": []}\n',
    "infinite": b'{"article": NaN, "questions": []}\n',
    "digits": b'{"article": ' + b"9" * 100_000 + b"}\n",
    "long": b'{"article": "' + b"x" * 2_100_000 + b'"}\n',
}


@each("name", BROKEN)
def test_a_broken_line_is_left_out_and_the_others_are_read(name):
    report = load_quality(lines(article()) + BROKEN[name] + lines(article(asked(2))))
    (problem,) = report.problems
    assert (problem.line, problem.column) == (2, None)
    assert len(report.passages) == 2
    assert len(str(problem)) < 300


@each("name", BROKEN)
def test_a_file_with_nothing_but_a_broken_line_is_refused(name):
    with pytest.raises(TaskFileError, match=r"No line of the file can be read\. The first: row 1"):
        load_quality(BROKEN[name])


ANOTHER = [
    (b"", "empty"),
    (b" \n\n \n", "empty"),
    (b"[{}]", "write each object of the list to a line of its own"),
    (b"\xff\xfe{\0}\0", "UTF-16"),
    (b"PK\x03\x04abc", "ZIP"),
    (b"\x1f\x8babc", "unpack it first"),
    (b'{"article": "caf\xe9"}\n', "line 1 cannot be read. Save it with the encoding UTF-8"),
    (b'\n{"article": "caf\xe9"}\n', "line 2"),
    (b"\0" * 100 + b"a", "NUL"),
    (b'{"question": "q", "solution": "s", "y": 1}\n', "are read by load_tasks"),
    (b'{"text": "q", "Question": "s"}\n', "Rename 'Question' to 'questions'?"),
    (b"{}\n", "No line of the file"),
    (b"\n" * 30_000, "lines"),
]


@each(("data", "said"), ANOTHER)
def test_a_file_of_another_kind_is_refused_with_a_remedy(data, said):
    with pytest.raises(TaskFileError) as error:
        load_quality(data, "my.file")
    assert said in str(error.value)
    assert str(error.value).startswith("my.file: ")
    assert len(str(error.value)) < 500


def test_loading_it_as_tasks_names_the_function_that_reads_it():
    with pytest.raises(TaskFileError, match="are read by load_quality"):
        load_tasks(lines(article()), "mine.jsonl")


def test_a_path_that_is_no_file_is_refused(tmp_path):
    for path in (tmp_path / "none", tmp_path, "\0", "x" * 5_000, os.devnull):
        with pytest.raises(TaskFileError, match="There is no such file"):
            load_quality(path)


def test_huge_files_are_refused_before_they_are_read(tmp_path, monkeypatch):
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(2 * 2**40 // 1024)  # sparse: two gigabytes of nothing
    with pytest.raises(TaskFileError, match="more than 32 MiB"):
        load_quality(path)
    with pytest.raises(TaskFileError, match="more than 20,000 lines"):
        load_quality(b"{}\n" * 20_001)
    monkeypatch.setattr(quality, "MAX_PROBLEMS", 10)
    with pytest.raises(TaskFileError, match=r"more than 10 faults.*The first: row 1"):
        load_quality(lines(*[{"article": "x", "questions": 1}] * 20))


HOSTILE = {
    "<": lambda n: "<p>" + "<" * n,
    "<a": lambda n: "<p>" + "<a" * n,
    "name": lambda n: "<p><" + "a" * n,
    "tags": lambda n: "<p>" * n,
    "comments": lambda n: "<p>" + "<!--" * n,
    "closed comments": lambda n: "<p>" + "<!---->" * n,
    "scripts": lambda n: "<p>" + "<script>" * n,
    "codes": lambda n: "<p>" + "&#" * n,
    "digits": lambda n: "<p>&#" + "9" * n + ";",
    "blanks": lambda n: "<p>" + " " * n + "x" + "\n" * n,
    "lines": lambda n: " \n" * n,
    "letters": lambda n: "<p>&" + "a" * n,
}


@each("name", HOSTILE)
def test_reading_html_grows_with_its_length(name):
    make = HOSTILE[name]
    small, large = make(20_000), make(160_000)
    limit = 8 * 4 * max(seconds(lambda: plain_text(small)), 0.001)
    assert seconds(lambda: plain_text(large), enough=limit) < limit
    assert "<script" not in plain_text(large)


def test_reading_a_file_grows_with_its_length():
    rows = [article(*map(asked, range(20)), article="word " * 4_000) for _ in range(40)]
    for number, row in enumerate(rows):
        row["set_unique_id"] = f"set{number}"
        for question in row["questions"]:
            del question["question_unique_id"]
    few, many = lines(*rows[:5]), lines(*rows)
    limit = 8 * 4 * max(seconds(lambda: load_quality(few)), 0.001)
    assert seconds(lambda: load_quality(many), enough=limit) < limit


@settings(max_examples=cases(400), deadline=None)
@given(changed([article(asked(), asked(1))], json_values()))
def test_any_value_anywhere_is_read_or_reported(row):
    good = article(asked(5), set_unique_id="good")
    report = load_quality(json.dumps(good).encode() + b"\n" + json.dumps(row).encode())
    assert report.passages[0].slug == "40001_WRITER_5"
    assert {problem.line for problem in report.problems} <= {2}
    questions = row.get("questions")
    if len(report.passages) < 3 and (not isinstance(questions, list) or len(questions) == 2):
        assert report.problems
    for passage in report.passages:
        assert all(passage.task(place).y in (0, 1) for place in range(len(passage.answers)))
    repr(report), report.table(), str(report.problems)


@settings(max_examples=cases(300), deadline=None)
@given(st.binary(max_size=300), st.integers(0, 10_000))
def test_a_file_of_any_bytes_is_read_or_refused(junk, where):
    data = lines(article())
    where %= len(data)
    for mixed in (junk, data[:where] + junk + data[where:]):
        try:
            load_quality(mixed)
        except TaskFileError:
            continue
