"""The facilitator's pages of a room with a published protocol."""

from __future__ import annotations

from explorer import rooms
from tests.depth import exhaustive
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


@exhaustive
def test_any_published_protocol_can_be_chosen(storage):
    app = page(new="1", play="other")
    box = next(each for each in app.selectbox if each.label == "Protocol")
    box.select("jury").run()
    assert not app.exception
    press(app, "new-open")
    plan = rooms.load_room(storage, said(app, "code")).plan
    assert [each.protocol for each in plan.conditions] == ["jury"]
