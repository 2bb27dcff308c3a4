"""Files sent to a page: read once, described in words, and forgotten when they are removed."""

import pytest

from explorer.ui.layout import pages_folder
from explorer.ui.play import tasks
from explorer.ui.uploads import KEPT
from tests.explorer.ui.pages import open_page

GOOD = b"question,solution,y\nOne?,print(1),1\nTwo?,print(3),0\n"


def said(app) -> str:
    return "\n".join(each.value for each in (*app.text, *app.error, *app.markdown))


pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def reads(monkeypatch):
    """Note the name of each file whenever it is read."""
    found = []
    read = tasks.load_tasks

    def noted(content, name, *others, **more):
        found.append(name)
        return read(content, name, *others, **more)

    monkeypatch.setattr(tasks, "load_tasks", noted)
    return found


def test_tasks_are_read_once_and_forgotten_with_the_file(reads):
    app = open_page("play", about="own")
    app.file_uploader[0].set_value(("mine.csv", GOOD, "text/csv")).run()
    assert "2 of 2 rows can be used" in said(app)
    for _ in range(3):
        app.run()
    assert reads == ["mine.csv"]
    app.file_uploader[0].set_value(("bad.json", b'[{"a": 1e999}]', "application/json")).run()
    app.run()
    assert reads == ["mine.csv", "bad.json"]
    assert "1e999" in said(app).replace("\\", "")
    assert app.button(key="play-begin").disabled
    app.file_uploader[0].set_value(("mine.csv", GOOD, "text/csv")).run()
    app.button(key="play-begin").click().run()
    assert not app.exception
    assert "episode" in app.query_params
    app.run()
    assert not app.session_state[KEPT]  # at the table nothing asks for the file any more


def test_parsed_rows_are_forgotten_when_the_file_is_removed(reads):
    app = open_page("play", about="own")
    app.file_uploader[0].set_value(("mine.csv", GOOD, "text/csv")).run()
    assert set(app.session_state[KEPT]) == {"play-file"}
    app.file_uploader[0].set_value([]).run()
    assert not app.session_state[KEPT]
    app.file_uploader[0].set_value(("mine.csv", GOOD, "text/csv")).run()
    app.switch_page(str(pages_folder() / "protocols.py")).run()
    assert not app.session_state[KEPT]


def test_nothing_is_shared_between_visitors(reads):
    first, second = open_page("play", about="own"), open_page("play", about="own")
    first.file_uploader[0].set_value(("mine.csv", GOOD, "text/csv")).run()
    assert "rows can be used" not in said(second.run())
    assert KEPT not in second.session_state or not second.session_state[KEPT]


HOSTILE = [
    ("a.json", b"[{" + b",".join(b'"%d":0' % i for i in range(20_000)) + b',"7":1}]', "twice"),
    ("a.csv", b",".join(b"c%d" % i for i in range(20_000)) + b"\n1\n", "columns"),
    ("a.jsonl", b"{}\n" * 20_001, "more than 20,000 rows"),
    ("a.json", b"[" * 100_000, "nested"),
    ("a.json", b"[" + b"1" * 100_000 + b"]", "digits"),
    ("a.csv", b"PAR1" + b"\0" * 100, "save it as CSV or as JSON lines (.jsonl)"),
]


def test_hostile_files_are_refused_on_the_page():
    app = open_page("play", about="own")
    for name, content, words in HOSTILE:
        app.file_uploader[0].set_value((name, content, "application/octet-stream")).run()
        assert not app.exception
        assert words in said(app).replace("\\", "").replace(":small[]", ""), words
