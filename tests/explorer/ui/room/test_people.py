"""A facilitator's menu of people, and what the browsers of those people are sent."""

import re

import pytest

from explorer import rooms
from explorer.rooms import RoomPlan
from explorer.ui.room.people import DOOR_SAYS, _label
from explorer.ui.text import escaped
from tests.depth import first
from tests.explorer.rooms.people import plan, visitor


def test_a_person_is_listed_with_the_sign_of_their_place(storage):
    code = rooms.open_room(storage, plan(names=True), visitor(1)).code
    rooms.join(rooms.Access(storage, code, visitor(5)), "Ada")
    (person,) = rooms.load_room(rooms.Access(storage, code)).here
    assert re.fullmatch(r"Ada, joined \d\d:\d\d:\d\d UTC", _label(person, None))
    assert _label(person, 2).startswith(f"Ada, {rooms.sign_of(2)}, joined ")


@pytest.mark.parametrize("kind", first(1, ["tables", "lesson"]))
def test_a_facilitator_manages_people_on_their_page(frames, kind):
    storage = frames.storage
    home = frames.open("room")
    leads = home.visitor
    made = plan(names=True)
    if kind == "lesson":
        made = RoomPlan(kind="lesson", lesson="two-rooms", names=True)
    code = rooms.open_room(storage, made, leads).code
    phone = frames.open("room", code=code)
    phone.choose("Your name", "Rude <b>")
    phone.click("Join")
    number = rooms.load_room(rooms.Access(storage, code)).here[0].number
    rooms.join(rooms.Access(storage, code, visitor(5)), "Ada")
    lead = frames.open("room", visitor=home, code=code, **{"as": "lead"})

    def here():
        return [person.shown for person in rooms.load_room(rooms.Access(storage, code)).here]

    def choose(name):
        options = lead.widget("people-chosen", "multiselect").delta.new_element.multiselect.options
        lead.choose("people-chosen", [next(each for each in options if name in each)])

    # A flood of people without an open page.
    for ghost in range(20, 32):
        rooms.join(rooms.Access(storage, code, visitor(ghost)))
    storage.presence.enter(code, "person:2", "a" * 32)
    storage.presence.enter(code, f"person:{number}", "b" * 32)
    lead.unfold("People")
    lead.click("Clear 12 who never sat down")
    assert len(here()) == 14
    lead.click("Clear them now")
    assert here() == ["Rude <b>", "Ada"]
    # The door.
    lead.click("Locked")
    assert escaped(DOOR_SAYS["locked"]) in lead.said
    assert lead.widget("Locked", "button").delta.new_element.button.disabled
    stranger = frames.open("room", code=code)
    assert "locked this room" in stranger.said
    assert "Join" not in stranger.labels("button")
    lead.click("Open")
    stranger.forget()
    stranger.rerun()
    assert "locked this room" not in stranger.said
    # Another name, and removal.
    choose("Rude")
    lead.choose("New name", "Ben")
    lead.click("Rename")
    assert here() == ["Ben", "Ada"]
    choose("Ben")
    lead.click("Remove Ben, and delete what they said")
    assert here() == ["Ben", "Ada"]
    lead.click("Remove and delete now")
    assert here() == ["Ada"]
    phone.rerun()
    assert "The facilitator has removed you from this room" in phone.said
    assert "Join" not in phone.labels("button")
    with pytest.raises(rooms.RemovedError):
        rooms.join(rooms.Access(storage, code, phone.visitor))
    lead.click("Let back in")
    phone.forget()
    phone.rerun()
    assert "removed you" not in phone.said
