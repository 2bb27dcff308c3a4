"""A room in real browsers: a facilitator at a desktop, three people with phones."""

from __future__ import annotations

import re

from explorer.storage import open_storage
from tests.browser.acting import click, fill
from tests.browser.conftest import ROOMS_PASSWORD
from tests.browser.waiting import expect, settled

SECRET = "Line 2 is wrong, I would say."
HALF = "I had begun to wr"


class Phone:
    """A person's own browser, everything that was sent to it, and its page."""

    def __init__(self, page) -> None:
        self.frames: list[bytes] = []
        self.move_to(page)

    def move_to(self, page) -> None:
        self.page = page
        page.on("websocket", lambda socket: socket.on("framereceived", self._take))

    def _take(self, frame) -> None:
        self.frames.append(frame if isinstance(frame, bytes) else frame.encode())

    @property
    def said(self) -> bytes:
        return b"".join(self.frames)

    def wait_for(self, sentence: str) -> None:
        self.page.locator(".say", has_text=sentence).wait_for()

    @property
    def box(self):
        return self.page.locator("textarea").first

    def write(self, text: str, now: bool = False) -> None:
        fill(self.box, text, "Enter", now=now)


def test_a_workshop_from_the_code_to_the_result(app, open_page, shot, axe):
    lead = open_page(f"{app.url}/room?new=1")
    fill(lead.get_by_label("Facilitator's password"), ROOMS_PASSWORD)
    click(lead, "Open the room")
    lead.get_by_text("Here: 0").wait_for()
    code = re.search(r"code=(\w+)", lead.url)[1]
    phones = [Phone(open_page(width=390, height=844, dark=dark)) for dark in (False, True, False)]
    # By the link, by the code on the first page, and by a code with typing errors.
    phones[0].page.goto(f"{app.url}/join/{code}")
    phones[1].page.goto(app.url)
    fill(phones[1].page.get_by_label("Got a room code?"), f"{code[:2]}-{code[2:].lower()}")
    click(phones[1].page, "Join")
    phones[2].page.goto(f"{app.url}/room?code=nope")
    phones[2].page.get_by_text("There is no room with this code").wait_for()
    fill(phones[2].page.get_by_label("Code of the room"), code)
    click(phones[2].page, "Join")
    for place, phone in enumerate(phones):
        phone.page.get_by_text("This room keeps what you write").wait_for()
        if place == 1:
            axe(phone.page)
        shot(phone.page, f"room-join-{place}")
        click(phone.page, "Join")
        phone.wait_for("Wait for the facilitator to start")
    shot(phones[0].page, "room-waiting")

    lead.get_by_text("Here: 3").wait_for()
    click(lead, "Start", exact=True)
    seated = {}
    for phone in phones:
        phone.page.locator(".table").wait_for()
        seated[phone.page.locator(".strip .badge").inner_text()] = phone
    one, two, judge = seated["P1"], seated["P2"], seated["V"]

    # -- they play: who has moved is a secret until all have ------------------------------------
    judge.wait_for("It is your turn")
    judge.write("Which line is wrong?")
    one.wait_for("It is your turn")
    two.wait_for("It is your turn")
    fill(one.box, HALF)
    shot(one.page, "room-turn")
    # The desk comes a moment after the turn.
    one.page.locator(".desk .offer").first.wait_for(state="attached")
    settled(one.page)
    before = len(one.frames)
    two.write(SECRET)
    two.wait_for("Your move is made")
    lead.locator(".board, article").get_by_text("Waits for").first.wait_for()
    lead.get_by_text(re.compile("Waits for Person [0-9]+$")).first.wait_for()
    assert len(one.frames) == before
    expect(judge.page.locator(".say")).to_have_text("Read what is said. It is not your turn.")
    # A reload, and a second window at the same seat.
    one.page.reload()
    one.wait_for("It is your turn")
    expect(one.box).to_have_value(HALF)
    twin = one.page.context.new_page()
    twin.goto(one.page.url)
    for page in (twin, one.page):
        page.get_by_text("open in another window").wait_for()
    shot(twin, "room-twice")
    one.write("None is.")
    judge.wait_for("It is your turn")
    twin.locator(".say", has_text="Read what is said").wait_for()
    twin.close()
    assert SECRET.encode() not in one.said
    assert SECRET.encode() in judge.said

    # -- one vanishes, and a bot takes the seat until they are back -----------------------------
    # Sent without a network: it is stored, and sent automatically later.
    for phone in (judge, two):
        phone.page.context.set_offline(True)
    judge.write("Are you sure?", now=True)
    judge.page.get_by_text("Not sent yet").wait_for()
    lost = "Connection lost. It comes back by itself."
    judge.page.get_by_text(f"{lost} What you typed is kept.").wait_for()
    # Nothing that was sent is still waiting.
    two.page.get_by_text(lost, exact=True).wait_for()
    expect(judge.box).to_have_value("Are you sure?")
    shot(judge.page, "room-offline")
    for phone in (judge, two):
        phone.page.context.set_offline(False)
    judge.wait_for("Read what is said")
    expect(judge.page.locator(".kept")).to_be_hidden()
    two.wait_for("It is your turn")
    context, address = two.page.context, two.page.url
    two.page.close()
    one.wait_for("It is your turn")
    one.write("Yes.")
    lead.get_by_text(re.compile("lost|missed", re.IGNORECASE)).first.wait_for()
    click(lead.get_by_role("button", name=re.compile("Table Blue 1")).first)
    click(lead.get_by_role("button", name="Let a bot play").nth(1))
    judge.wait_for("It is your turn")
    two.move_to(context.new_page())
    two.page.set_viewport_size({"width": 390, "height": 844})
    two.page.goto(address)
    two.wait_for("A bot plays for you")
    shot(two.page, "room-bot")
    click(two.page, "I am back")
    two.wait_for("Read what is said")

    # -- the verdict, and later the truth -------------------------------------------------------
    click(judge.page, "Reject", "Yes, reject")
    for phone in phones:
        phone.wait_for("Your table is over")
        expect(phone.page.locator(".headline .sign")).to_have_count(0)
    shot(judge.page, "room-over")
    click(lead, "Reveal the truth")
    for phone in phones:
        phone.page.locator(".headline .sign").wait_for()
    shot(one.page, "room-revealed")
    click(one.page.get_by_text("The room's result", exact=True))
    one.page.get_by_text(re.compile("true statements?|with bots")).first.wait_for()
    shot(one.page, "room-result")
    axe(one.page)
    # With its id, an episode could be requested elsewhere.
    with open_storage(f"sqlite:///{app.folder}/episodes.db") as storage:
        ids = [entry.id for entry in storage.find()]
    assert ids
    assert not [each for each in ids if any(each.encode() in phone.said for phone in phones)]
