"""Tests of take_part.py: the page of a person who takes part in a study, entered by its link."""

import logging
from functools import partial
from types import SimpleNamespace
from unittest.mock import MagicMock, patch

import pytest

from explorer.participants import open_study
from explorer.ui import take_part
from explorer.visitors import new_token
from tests.explorer.participants.people import outside, study_text
from tests.explorer.ui.pages import open_page


@pytest.fixture
def code(storage, tmp_path):
    (tmp_path / "study.toml").write_text(study_text(others='"after"'), "utf-8")
    return open_study(storage, tmp_path / "study.toml")


page = partial(open_page, "take_part")


def plain(text):
    return text.replace("\\", "").replace(":small[]", "")


def said(app):
    parts = [*app.title, *app.markdown, *app.warning, *app.info]
    html = [each.proto.body for each in app.get("html")]
    return plain("\n".join([*(each.value for each in parts), *html]))


def press(app, label):
    (button,) = (button for button in app.button if plain(button.label) == label)
    button.click().run()
    assert not app.exception
    return app


def test_consent_and_pay_are_shown_before_anything_is_stored(code, storage):
    app = page(new_token(), study=code, **outside(1))
    text = said(app)
    assert "You will read what others say" in text
    assert "You are paid: 3.00 for about 15 minutes." in text
    assert "nobody comes to play with you" in text
    assert "SECRET" not in text
    press(app, "I do not take part")
    assert "Nothing was stored" in said(app)
    assert storage.participants.everybody(1) == []
    press(app, "I agree, and take part")
    assert "About you" in said(app)
    # The ids are taken out of the address.
    assert set(app.query_params) == {"study"}


def test_a_survey_asks_for_what_is_missing_and_goes_on(code, storage, caplog):
    token = new_token()
    app = press(page(token, study=code, **outside(1)), "I agree, and take part")
    with caplog.at_level(logging.DEBUG):
        press(app, "Go on")
        assert "Please answer: Are you 18 or older?" in said(app)
        adult, reading = app.radio
        adult.set_value("yes")
        reading.set_value("5")
        press(app, "Go on")
    assert "What you do" in said(app)
    # Another tab of the same browser is there, too, and so is the whole link.
    assert "What you do" in said(page(token, study=code))
    assert "What you do" in said(page(token, study=code, **outside(1)))
    assert "SECRET" not in caplog.text
    # The first question screens out.
    other = press(page(new_token(), study=code, **outside(2)), "I agree, and take part")
    other.radio[0].set_value("no")
    other.radio[1].set_value("5")
    press(other, "Go on")
    assert "You cannot take part in the rest" in said(other)
    assert [each.value for each in other.code] == ["SCREEN26"]


def test_stopping_keeps_and_deleting_deletes(code, storage):
    app = press(page(new_token(), study=code, **outside(1)), "I agree, and take part")
    press(app, "Stop taking part")
    press(app, "Stop now")
    assert [each.value for each in app.code] == ["LEFT2026"]
    press(app, "Delete what I gave")
    press(app, "Delete now")
    assert "Everything that you gave was deleted" in said(app)
    assert storage.participants.everybody(1) == []


def test_wrong_links_say_what_to_do_and_quote_nothing(code, storage):
    for query in (
        {"study": "unknown"},
        {},
        {"study": code, **outside(1, PROLIFIC_PID="SECRET <b>")},
        {"study": code},
    ):
        text = said(page(new_token(), **query))
        assert "Take part in a study" in text
        assert "link" in text
        assert "SECRET" not in text
    first = press(page(new_token(), study=code, **outside(1)), "I agree, and take part")
    assert first.radio
    forged = page(new_token(), study=code, **outside(1, SESSION_ID="forged"))
    assert "has begun in another browser" in said(forged)
    storage.participants.close_study(code, "2026-01-01T00:00:00.000000Z")
    assert "This study is closed" in said(page(new_token(), study=code, **outside(3)))


def test_before_a_game_its_number_and_the_others_are_said_where_they_are_known():
    screen, boxes, here = MagicMock(), [], SimpleNamespace(state=SimpleNamespace(part=1))
    desk = SimpleNamespace(
        plan=SimpleNamespace(others="after"),
        games=SimpleNamespace(coming=lambda _: {"Judge": "by a person"}),
        ready=None,
    )
    with patch.multiple(
        take_part, st=screen, _button=MagicMock(), alert=lambda *box: boxes.append(box)
    ):
        take_part._before_game(desk, here, SimpleNamespace(games=1))
        desk.plan.others = "before"
        take_part._before_game(desk, here, SimpleNamespace(games=3))
    assert [call.args for call in screen.markdown.call_args_list] == [("Game 2 of 3\\.",)]
    assert boxes == [("info", "Judge: played by a person.")]


def test_after_a_wrong_answer_it_is_said_how_many_tries_are_left():
    boxes, plan = [], SimpleNamespace(stages=[])
    stage = SimpleNamespace(kind="check", tries=3, questions=[])
    with patch.multiple(take_part, st=MagicMock(), alert=lambda *box: boxes.append(box[1])):
        for part in range(3):
            state = SimpleNamespace(step=1, stage=0, part=part)
            here = SimpleNamespace(state=state, person=SimpleNamespace(id="a"))
            take_part._questions(SimpleNamespace(plan=plan), here, stage)
    assert [text.rpartition(". ")[2] for text in boxes] == [
        "You have 2 tries left.",
        "This is your last try.",
    ]
