"""The Learn section, entered through the app."""

from __future__ import annotations

import re

import pytest
import segno
from streamlit.testing.v1 import AppTest

from explorer.lessons.library import game, lessons
from explorer.storage import open_storage
from explorer.ui.links import pages_folder
from explorer.ui.shell import EXPLORER
from tests.depth import first

ENTRY = str(EXPLORER / "app.py")
PAGE = str(pages_folder() / "learn.py")
LESSONS = {lesson.slug: lesson for lesson in lessons()[0]}


@pytest.fixture(autouse=True)
def database(tmp_path, monkeypatch):
    address = f"sqlite:///{tmp_path}/episodes.db"
    monkeypatch.setenv("NIP_EXPLORER_DATABASE", address)
    return address


def opened(**address):
    app = AppTest.from_file(ENTRY, default_timeout=60)
    app.switch_page(PAGE)
    for key, value in {("class" if k == "room" else k): v for k, v in address.items()}.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    assert not app.error
    return app


def everything(app):
    texts = [each.value for each in app.markdown] + [each.proto.body for each in app.get("html")]
    return "\n".join(texts).replace("\\", "")


def test_the_list_shows_every_question():
    text = everything(opened())
    assert all(lesson.question.replace("'", "&#x27;") in text for lesson in LESSONS.values())


@pytest.mark.parametrize("slug", first(2, LESSONS))
def test_a_lesson_is_walked_through(slug):
    lesson = LESSONS[slug]
    app = opened(lesson=slug)
    assert len(app.get("plotly_chart")) == sum(b.kind == "experiment" for b in lesson.blocks)
    for place, block in enumerate(lesson.blocks, start=1):
        key = f"{slug}-{place}"
        if block.kind == "quiz":
            for answer in block.answers:
                app.radio(key=f"quiz-{key}").set_value(answer.text).run()
                told = [e.value for e in (*app.success, *app.error)]
                assert any(answer.why in text.replace("\\", "") for text in told)
        elif block.kind == "predict" and block.choices:
            app.radio(key=f"ask-{key}").set_value(block.choices[0]).run()
            assert "Your guess:" in everything(app)
        elif block.kind == "predict":
            app.button(key=f"say-{key}").click().run()
            assert "Your guess:" in everything(app)
        elif block.kind == "game":
            play_to_the_end(app, game(block.name), key)
        assert not app.exception


def play_to_the_end(app, played, key):
    for _ in range(40):
        if any(button.key == f"again-{key}" for button in app.button):
            break
        buttons = [b for b in app.button if (b.key or "").startswith(f"choice-{key}-")]
        buttons[-1].click().run()
        assert not app.exception
    assert "So far (1 played)" in everything(app)
    app.button(key=f"again-{key}").click().run()
    assert not any(button.key == f"again-{key}" for button in app.button)


@pytest.mark.parametrize("show", ["glossary", "guide", "protocols", "writing"])
def test_what_goes_with_the_lessons(show):
    assert len(everything(opened(show=show))) > 1_000


def test_the_glossary_is_searched():
    app = opened(show="glossary")
    app.text_input(key="q").set_value("arthur").run()
    assert "Arthur" in everything(app)
    assert "adversarial" not in everything(app)


def test_a_class_counts_without_names(database):
    app = opened(lesson="zero-knowledge", room="abc12")
    lesson = LESSONS["zero-knowledge"]
    place = next(n for n, b in enumerate(lesson.blocks, 1) if b.kind == "game")
    key = f"zero-knowledge-{place}"
    play_to_the_end(app, game("three_colouring"), key)
    with open_storage(database) as storage:
        counts = storage.tallies.of("ABC12")
    (found,) = counts["zero-knowledge", place].items()
    assert re.fullmatch(r"(honest|cheat by chance|cheat by choice): (survived|caught)", found[0])
    assert found[1] == 1
    assert "class=ABC12" in everything(app)
    tally = opened(show="tally", room="ABC12", lesson="zero-knowledge")
    assert "1 of 1 (100%)" in everything(tally)


def test_phones_scan_the_address_by_which_they_reach_the_server(monkeypatch):
    here = opened(show="tally", room="ABC12", lesson="zero-knowledge")
    assert "Only this machine can" in everything(here)
    assert "<img" not in everything(here)
    monkeypatch.setenv("NIP_EXPLORER_ADDRESS", "http://192.0.2.7:8501")
    there = opened(show="tally", room="ABC12", lesson="zero-knowledge")
    address = "http://192.0.2.7:8501/learn?lesson=zero-knowledge&class=ABC12"
    assert there.code[0].value == address
    drawn = segno.make(address, micro=False).svg_data_uri(scale=8, border=2, light="#fff")
    assert drawn in everything(there)
    assert "Only this machine can" not in everything(there)


def test_a_tally_shows_what_theory_expects(database):
    place = next(n for n, b in enumerate(LESSONS["zero-knowledge"].blocks, 1) if b.kind == "game")
    with open_storage(database) as storage:
        for outcome, times in (("survived", 2), ("caught", 1)):
            for _ in range(times):
                name = f"cheat by chance: {outcome}"
                storage.tallies.add("ABC12", "zero-knowledge", place, name)
    shown = everything(opened(show="tally", room="ABC12", lesson="zero-knowledge"))
    assert "2 of 3 (67%)" in shown
    # (8/9)^6
    assert "theory: 49.3%" in shown
    assert "The prover had a true colouring" not in shown


def test_without_a_class_nothing_is_counted(database):
    app = opened(lesson="stranger", room="no class!")
    place = next(n for n, b in enumerate(LESSONS["stranger"].blocks, 1) if b.kind == "game")
    play_to_the_end(app, game("stranger"), f"stranger-{place}")
    with open_storage(database) as storage:
        assert storage.tallies.of("no class!") == {}


def test_an_unknown_lesson_shows_the_list():
    app = opened(lesson="<b>nothing")
    assert "no lesson called" in app.info[0].value


def test_a_broken_lesson_of_a_teacher_does_not_hide_the_others(tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "mine.toml").write_text("schema = 7", "utf-8")
    monkeypatch.setenv("NIP_LESSONS", str(folder))
    app = AppTest.from_file(ENTRY, default_timeout=60)
    app.switch_page(PAGE)
    app.run()
    assert "mine.toml" in app.text[0].value
    assert LESSONS["stranger"].title in everything(app)
