"""Tests of learn.py, lesson.py and visitor.py. The Learn section, entered through the app."""

from html import escape

import pytest
from streamlit.testing.v1 import AppTest

from explorer.lessons.library import document, game, lessons
from explorer.ui.layout import pages_folder
from explorer.ui.shell import EXPLORER
from explorer.ui.visitor import learned
from tests.depth import first

ENTRY = str(EXPLORER / "app.py")
PAGE = str(pages_folder() / "learn.py")
LESSONS = {lesson.slug: lesson for lesson in lessons()[0]}
# Those that ask for a guess.
GUESSED = [s for s, each in LESSONS.items() if any(b.kind == "predict" for b in each.blocks)]

pytestmark = pytest.mark.usefixtures("database")


def opened(**address):
    app = AppTest.from_file(ENTRY, default_timeout=600)
    app.switch_page(PAGE)
    for key, value in address.items():
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
    for place, block in enumerate(lesson.blocks, start=1):
        key = f"{slug}-{place}"
        if block.kind == "quiz":
            for answer in block.answers:
                app.radio(key=f"quiz-{key}").set_value(answer.text).run()
                messages = [e.value for e in (*app.success, *app.error)]
                assert any(answer.why in text.replace("\\", "") for text in messages)
        elif block.kind == "predict" and block.choices:
            app.radio(key=f"ask-{key}").set_value(block.choices[0]).run()
            assert "Your guess:" in everything(app)
        elif block.kind == "predict":
            # The line is a component, which AppTest cannot use.
            app.button(key=f"show-{key}").click().run()
        elif block.kind == "game":
            play_to_the_end(app, game(block.name), key)
        assert not app.exception
    drawn = [e for e in app.get("bidi_component") if e.proto.component_name == "nip_chart"]
    assert len(drawn) == sum(b.kind == "experiment" for b in lesson.blocks)


def reading():
    from explorer.lessons.library import lessons
    from explorer.ui.lesson import show_reading

    (lesson,) = (each for each in lessons()[0] if each.slug == "rewards")
    for number, block in enumerate(lesson.blocks):
        if block.kind in ("text", "open", "table"):
            show_reading(block, lesson.sources, f"{number}", {})


def test_what_stands_between_questions_is_shown_by_its_kind():
    app = AppTest.from_function(reading, default_timeout=600).run()
    shown = everything(app)
    for block in LESSONS["rewards"].blocks:
        if block.kind == "open":
            assert f">{escape(block.label)}</a>" in shown
        elif block.kind == "table":
            assert all(f"{escape(name)}</th>" in shown for name in block.columns)
        elif block.kind == "text":
            assert block.text.split()[0] in shown


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


def after(lesson, place):
    """Return what a visitor may not read before guessing: a piece of each text that follows."""
    texts = [lesson.blocks[place - 1].text, *(b.text for b in lesson.blocks[place:])]
    return [text.strip().splitlines()[-1][:40].replace("\\", "") for text in texts if text.strip()]


@pytest.mark.parametrize("slug", first(3, GUESSED))
def test_what_follows_a_guess_comes_after_it_or_on_demand(slug):
    lesson = LESSONS[slug]
    place = next(n for n, b in enumerate(lesson.blocks, 1) if b.kind == "predict")
    app = opened(lesson=slug)
    shown = everything(app)
    assert not [text for text in after(lesson, place) if text in shown]
    assert f"{len(lesson.blocks) - place} more parts of the lesson after your guess" in shown
    app.button(key=f"show-{slug}-{place}").click().run()
    asks_again = any(b.kind == "predict" for b in lesson.blocks[place:])
    assert ("more parts of the lesson after your guess" in everything(app)) == asks_again
    assert "Your guess: " not in everything(app)
    assert len(everything(app)) > len(shown)


def test_what_was_done_is_there_again_after_a_reload(monkeypatch):
    monkeypatch.setattr("explorer.ui.visitor.visitor", lambda: "0" * 32)
    block = LESSONS["two-rooms"].blocks
    predict, played, asked = (
        next(n for n, b in enumerate(block, 1) if b.kind == kind)
        for kind in ("predict", "game", "quiz")
    )
    app = opened(lesson="two-rooms")
    learned(LESSONS["two-rooms"])[f"guess-two-rooms-{predict}"] = "60%"
    app.run()
    play_to_the_end(app, game("two_rooms"), f"two-rooms-{played}")
    right = next(a for a in block[asked - 1].answers if a.right)
    app.radio(key=f"quiz-two-rooms-{asked}").set_value(right.text).run()
    again = opened(lesson="two-rooms")
    assert "Your guess: 60%." in everything(again).replace("\\", "")
    assert "So far (1 played)" in everything(again)
    assert again.radio(key=f"quiz-two-rooms-{asked}").value == right.text
    # Another visitor starts at the beginning.
    monkeypatch.setattr("explorer.ui.visitor.visitor", lambda: "1" * 32)
    assert "Your guess: 60" not in everything(opened(lesson="two-rooms"))


def test_guesses_are_whole_where_the_range_is_wide():
    blocks = [block for lesson in LESSONS.values() for block in lesson.blocks]
    asked = [each for each in blocks if each.kind == "predict" and not each.choices]
    assert {each.step for each in asked} == {1}
    for block in asked:
        asked = (block.low - 1, block.low, block.low + 0.5, block.high)
        assert [block.takes(number) for number in asked] == [False, True, False, True]


@pytest.mark.parametrize("show", ["glossary", "guide", "protocols", "writing"])
def test_what_goes_with_the_lessons(show):
    assert len(everything(opened(show=show))) > 1_000


def test_the_glossary_is_searched():
    app = opened(show="glossary")
    app.text_input(key="q").set_value("arthur").run()
    assert "Arthur" in everything(app)
    assert "adversarial" not in everything(app)


def test_a_lesson_leads_to_a_room_of_its_own_and_counts_nothing_by_itself():
    app = opened(lesson="stranger")
    place = next(n for n, b in enumerate(LESSONS["stranger"].blocks, 1) if b.kind == "game")
    play_to_the_end(app, game("stranger"), f"stranger-{place}")
    assert "/room?new=1&amp;lesson=stranger" in everything(app)


def test_an_unknown_lesson_shows_the_list():
    app = opened(lesson="<b>nothing")
    assert "no lesson called" in app.info[0].value


def test_a_broken_lesson_of_a_teacher_does_not_hide_the_others(tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "mine.toml").write_text("schema = 7", "utf-8")
    monkeypatch.setenv("NIP_LESSONS", str(folder))
    app = AppTest.from_file(ENTRY, default_timeout=600)
    app.switch_page(PAGE)
    app.run()
    assert "mine.toml" in app.text[0].value
    assert LESSONS["stranger"].title in everything(app)


def test_the_list_leads_to_research_with_a_link_for_each_work():
    assert 'href="/learn?show=research"' in everything(opened())
    text = everything(opened(show="research"))
    works = document("research")["work"]
    assert all(f'href="{work["link"]}"' in text for work in works)
    assert text.index(works[-1]["title"]) < text.index(works[0]["title"])
