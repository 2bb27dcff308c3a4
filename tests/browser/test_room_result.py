"""Three people and eight possible tables in browsers, up to a result that says who played."""

from __future__ import annotations

import re

from explorer import rooms
from explorer.storage import open_storage
from tests.browser.acting import click, fill, pick
from tests.browser.conftest import ROOMS_PASSWORD
from tests.browser.test_room import Phone
from tests.browser.waiting import expect
from tests.explorer.rooms.test_running import let_time_pass

SEATS = ("Verifier", "Prover 1", "Prover 2")
NOT_COUNTED = "1 table with bots, not counted"


def verdict(judge: Phone, name: str) -> None:
    judge.wait_for("It is your turn")
    click(judge.page, name, f"Yes, {name.lower()}")


def test_three_people_at_one_of_eight_tables(app, open_page, shot, axe):
    lead = open_page(f"{app.url}/room?new=1")
    fill(lead.get_by_label("Facilitator's password"), ROOMS_PASSWORD)
    click(lead.get_by_text("More choices: tasks"))
    click(lead.get_by_text("By choice", exact=True))
    lead.get_by_text("People choose among 8 tables").wait_for()
    click(lead.get_by_text("A time limit for each round"))
    seconds = lead.get_by_role("spinbutton", name="Seconds a round")
    fill(seconds, "3600", "Enter")
    shot(lead, "room-new-bots")
    click(lead, "Open the room")
    lead.get_by_text("Here: 0").wait_for()
    code = re.search(r"code=(\w+)", lead.url)[1]
    wall = lead.context.new_page()
    wall.set_viewport_size({"width": 1600, "height": 900})
    wall.goto(f"{app.url}/room?code={code}&as=projector")
    phones = [Phone(open_page(width=390, height=844, dark=dark)) for dark in (False, True, False)]
    judge, one, two = phones
    for phone, seat in zip(phones, SEATS, strict=True):
        phone.page.goto(f"{app.url}/join/{code}")
        phone.page.get_by_text("If somebody is missing or too late, a bot may move").wait_for()
        click(phone.page, "Join")
        phone.wait_for("Wait for the facilitator to start")
        pick(phone.page, phone.page.get_by_label("Choose a seat at table"), "Yellow 5")
        # By its key: until the page has drawn the table that was picked, it offers another one's.
        free = phone.page.locator("[class*='st-key-seat-take-5-']")
        click(free, seat, exact=True)
        phone.page.get_by_text(f"Your seat: {seat} at table Yellow 5.").wait_for()
    shot(two.page, "room-bots-seat")

    # -- one table is played; seven others are not mentioned -------------------------------------
    lead.get_by_text("Here: 3").wait_for()
    click(lead, "Start", exact=True)
    wall.get_by_text("The table plays").wait_for()
    expect(wall.locator(".card")).to_have_count(1)
    judge.wait_for("It is your turn")
    judge.write("Which line is wrong?")
    one.wait_for("It is your turn")
    one.write("None is.")
    two.wait_for("It is your turn")
    before = len(judge.frames)
    with open_storage(f"sqlite:///{app.folder}/episodes.db") as storage:
        let_time_pass(storage, code)
    two.wait_for("A bot moved for you")
    expect(two.page.locator(".message.bot")).to_contain_text("a bot, for you, turn 2")
    shot(two.page, "room-bots-late")
    axe(two.page)
    judge.wait_for("It is your turn")
    assert b"A bot moved" not in b"".join(judge.frames[before:])
    expect(judge.page.locator(".message.bot")).to_have_count(0)
    verdict(judge, "Reject")
    for phone in phones:
        phone.wait_for("Your table is over")
    expect(judge.page.locator(".message.bot")).to_contain_text("a bot, for Prover 2, turn 2")
    judge.page.get_by_text("A bot moved for prover 2 in turn 2.").wait_for()
    shot(judge.page, "room-bots-over")
    wall.get_by_text(re.compile(NOT_COUNTED)).first.wait_for()
    lead.get_by_text(re.compile(NOT_COUNTED)).first.wait_for()
    shot(wall, "room-bots-wall")
    click(lead, "Reveal the truth")
    wall.get_by_text(f"No table to count. {NOT_COUNTED}.").wait_for()
    expect(wall.locator(".nip-bars")).to_have_count(0)
    shot(wall, "room-bots-no-result")

    # -- the next task is played by people alone --------------------------------------------------
    click(lead, "Next task")
    wall.get_by_text("The table plays").wait_for()
    verdict(judge, "Reject")
    for phone in phones:
        phone.wait_for("Your table is over")
    click(lead, "Reveal the truth")
    wall.get_by_text(f"1 table played by people alone. {NOT_COUNTED}.").wait_for()
    expect(wall.get_by_text(re.compile("of [78] tables"))).to_have_count(0)
    shot(wall, "room-bots-result")
    shot(lead, "room-bots-lead")
    axe(lead)
    with open_storage(f"sqlite:///{app.folder}/episodes.db") as storage:
        assert [
            each.counted for each in rooms.outcomes(rooms.room_of(rooms.Access(storage, code)))
        ] == [False, True]
