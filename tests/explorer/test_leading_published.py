"""The facilitator's pages of a room with a published protocol."""

from __future__ import annotations

import json

from explorer import rooms
from nip_core.registry import specification
from tests.explorer.rooms.people import visitor
from tests.explorer.rooms.test_version_2 import play_out as play_turns
from tests.explorer.test_leading_a_room import LEADS, page, press, said, storage, texts

__all__ = ["storage"]


def test_a_room_is_made_led_and_ends_in_a_result(storage):
    app = page(new="1", play="reading")
    press(app, "new-open")
    code = said(app, "code")
    plan = rooms.load_room(storage, code).plan
    assert [each.protocol for each in plan.conditions] == ["khan_consultancy", "khan_debate"]
    assert len(plan.tasks) == 8
    for number in range(1, 6):
        rooms.join(storage, code, visitor(number))
    rooms.start(storage, code, visitor=LEADS)
    assert not page(code=code, as_="lead").exception
    assert not page(code=code, as_="projector").exception
    play_turns(storage, code)
    rooms.end(storage, code, visitor=LEADS)
    rooms.reveal(storage, code, visitor=LEADS)
    shown = texts(page(code=code, as_="lead"))
    assert "How often the verdict was right" in shown or "no verdict is right or wrong" in shown


def test_any_published_protocol_can_be_chosen_with_settings_or_ones_own(storage):
    app = page(new="1", play="other")
    box = next(each for each in app.selectbox if each.label == "Protocol")
    box.select("khan_debate").run()
    next(each for each in app.number_input if each.label == "Rounds").set_value(2).run()
    assert not app.exception
    press(app, "new-open")
    (made,) = rooms.load_room(storage, said(app, "code")).plan.conditions
    assert (made.protocol, dict(made.spec.settings)["rounds"]) == ("khan_debate", 2)


def test_a_room_plays_a_specification_of_ones_own(storage):
    app = page(new="1", play="other")
    next(each for each in app.selectbox if each.label == "Protocol").select("own").run()
    assert app.button(key="new-open").disabled
    app.text_area(key="own text").set_value("format = 3").run()
    press(app, "read own")
    assert app.error
    assert app.text_area(key="own text").value == "format = 3"
    mine = json.dumps(specification("khan_debate").to_dict()).replace("khan_debate", "my_debate")
    app.text_area(key="own text").set_value(mine).run()
    press(app, "read own")
    assert not app.error
    press(app, "new-open")
    (made,) = rooms.load_room(storage, said(app, "code")).plan.conditions
    assert made.protocol == "my_debate"
    # Without a task for it there is no room, and a sentence says what to change.
    app = page(new="1", play="other")
    next(each for each in app.selectbox if each.label == "Protocol").select("own").run()
    app.text_area(key="own text").set_value(mine.replace("passage", "scroll")).run()
    press(app, "read own")
    assert "a room cannot play it" in " ".join(each.value for each in app.warning)
    assert app.button(key="new-open").disabled
