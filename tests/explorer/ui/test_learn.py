"""Tests of learn.py, lesson.py, lesson_front.py and visitor.py.

The Learn section, entered through the app.
"""

import json

import pytest

from explorer.front import FOLDER, text_at
from explorer.lessons import LessonAlone
from explorer.lessons.library import document, lessons
from explorer.ui.visitor import learned
from tests.depth import each
from tests.explorer.ui.pages import open_page

LESSONS = {lesson.slug: lesson for lesson in lessons()[0]}

pytestmark = pytest.mark.usefixtures("database")


def opened(**address):
    app = open_page("learn", **address)
    assert not app.error
    return app


def everything(app):
    texts = [each.value for each in app.markdown] + [each.proto.body for each in app.get("html")]
    return "\n".join(texts).replace("\\", "")


def test_the_list_shows_every_question():
    text = everything(opened())
    assert all(lesson.question.replace("'", "&#x27;") in text for lesson in LESSONS.values())


def shown(app):
    """Return the data of the lesson's front."""
    (front,) = (e for e in app.get("bidi_component") if e.proto.component_name == "nip_lesson")
    return json.loads(front.proto.json)[0]


def kinds(data):
    return [data["pieces"][part]["kind"] for part, _ in data["parts"]]


def test_a_lesson_is_shown_up_to_the_first_guess_and_goes_on_where_its_visitor_was(monkeypatch):
    monkeypatch.setattr("explorer.ui.visitor.visitor", lambda: "0" * 32)
    lesson = LESSONS["two-rooms"]
    every = [block.kind for block in lesson.blocks]
    app = opened(lesson="two-rooms")
    data = shown(app)
    assert kinds(data) == every[:1]
    assert (data["done"], data["step"]) == ({}, 0)
    alone = LessonAlone(lesson, learned(lesson))
    alone.act("answer", {"place": 0, "value": ""})
    guess = every.index("predict", 1)
    assert kinds(shown(app.run())) == every[: guess + 1]
    alone.act("answer", {"place": guess, "value": 60})
    for again in (app.run(), opened(lesson="two-rooms")):
        assert kinds(shown(again)) == every
        assert shown(again)["done"] == {"guess-0": "", f"guess-{guess}": 60}
    # Another visitor starts at the beginning.
    monkeypatch.setattr("explorer.ui.visitor.visitor", lambda: "1" * 32)
    assert shown(opened(lesson="two-rooms"))["done"] == {}


def test_parts_have_addresses_and_links_to_them():
    data = shown(opened(lesson="stranger", step="99"))
    pieces = [data["pieces"][part] for part, _ in data["parts"]]
    drawings = [part["front"] for part in pieces if part["kind"] == "playable"]
    assert all(text_at(address.removeprefix(FOLDER)) for address in drawings)
    assert all(part["link"].startswith("/learn?lesson=stranger&step=") for part in pieces)


@each(
    ("query", "step", "says"),
    [
        ({"step": "2"}, 2, None),
        ({"step": "99"}, 0, "step cannot be “99”"),
        ({"step": "<b>"}, 0, "step cannot be"),
        ({"step": "0"}, 0, "step cannot be “0”"),
        ({"step": "2", "d": "0" * 12}, 2, "has changed since"),
    ],
)
def test_a_link_to_a_step_opens_it_or_says_why_not(query, step, says):
    app = opened(lesson="two-rooms", **query)
    assert shown(app)["step"] == step
    said = [box.value.replace("\\", "") for box in app.info]
    assert [says in text for text in said] == [True] * (says is not None)


def test_guesses_are_whole_where_the_range_is_wide():
    blocks = [block for lesson in LESSONS.values() for block in lesson.blocks]
    asked = [each for each in blocks if each.kind == "predict" and not each.choices]
    assert {each.step for each in asked} == {1}
    for block in asked:
        asked = (block.low - 1, block.low, block.low + 0.5, block.high)
        assert [block.takes(number) for number in asked] == [False, True, False, True]


@each("show", ["glossary", "guide", "protocols", "writing"])
def test_what_goes_with_the_lessons(show):
    assert len(everything(opened(show=show))) > 1_000


def test_the_glossary_is_searched():
    app = opened(show="glossary")
    app.text_input(key="q").set_value("arthur").run()
    assert "Arthur" in everything(app)
    assert "adversarial" not in everything(app)


def test_a_lesson_leads_to_a_room_of_its_own():
    assert "/room?new=1&amp;lesson=stranger" in everything(opened(lesson="stranger"))


def test_a_broken_lesson_of_a_teacher_does_not_hide_the_others(tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "mine.toml").write_text("schema = 7", "utf-8")
    monkeypatch.setenv("NIP_LESSONS", str(folder))
    app = open_page("learn")
    assert "mine.toml" in app.text[0].value
    assert LESSONS["stranger"].title in everything(app)


def test_the_list_leads_to_research_with_a_link_for_each_work():
    assert 'href="/learn?show=research"' in everything(opened())
    text = everything(opened(show="research"))
    works = document("research")["work"]
    assert all(f'href="{work["link"]}"' in text for work in works)
    assert text.index(works[-1]["title"]) < text.index(works[0]["title"])


def test_each_piece_of_a_lesson_is_sent_once(frames):
    page = frames.open("learn", lesson="two-rooms")

    def data():
        return json.loads(page.component("nip_lesson").delta.new_element.bidi_component.json)[0]

    def names():
        return {data()["about"], *(name for part in data()["parts"] for name in part)}

    held = names()
    assert held == {*data()["pieces"]}
    page.trigger("nip_lesson", "answer", {"place": 0, "value": "", "holds": [*held]})
    assert not held & {*data()["pieces"]}
    assert names() - held == {*data()["pieces"]}
    # A page that has lost something asks for all of it; whatever else it says is no name.
    for holds in ([], None, ["<b>", 7], {}):
        page.trigger("nip_lesson", "lacks", {"holds": holds})
        assert names() == {*data()["pieces"]}
