"""Deleting one's part also deletes what was typed from the browser."""

from explorer import rooms
from tests.explorer.rooms.people import LEADER, plan


def test_what_was_typed_is_forgotten_where_it_was_typed(frames):
    code = rooms.open_room(frames.storage, plan(), LEADER).code
    page = frames.open("room", code=code)
    page.click("Join")
    rooms.start(rooms.Access(frames.storage, code, LEADER))
    page.rerun()
    room = rooms.load_room(rooms.Access(frames.storage, code))
    (place,) = (p for p in rooms.places_in_browser(room, 1) if p in page.said)
    page.forget()
    page.unfold("More")
    page.click("Leave, and delete my part")
    # One press does nothing, and neither does a reload after it.
    assert len(rooms.load_room(rooms.Access(frames.storage, code)).here) == 1
    page.click("Cancel")
    page.click("Leave, and delete my part")
    page.click("Delete my part now")
    assert place in str(page.component("forgotten"))
    page.click("Join")
    assert "forgotten" not in str(page.find("bidi_component"))
