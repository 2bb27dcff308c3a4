"""Journeys on the Draw page with limits of clicks: from an idea to a protocol, a room, a file."""

from __future__ import annotations

import re
from pathlib import Path

from nip_core.values import play_values
from tests.browser.acting import choose, click, download, fill, hover, press, write
from tests.browser.conftest import ROOMS_PASSWORD, clicks
from tests.browser.test_draw import begin, button, cell, draw, drawn
from tests.browser.waiting import becomes, expect
from tests.depth import exhaustive

# A list counts two, as opening it and choosing are.
LIST = 2
PAUSE = 500  # ms without typing before a text is read (`explorer/front/draw_text.js`)


class Journey:
    """A window of the Draw page, with its clicks."""

    def __init__(self, page, begun="Nothing"):
        self.page = page
        self.lists = 0
        begin(page, begun)

    def add(self, what, name):
        """Add something and name it by typing on."""
        click(button(self.page, f"+ {what}"))
        field = self.page.get_by_label(re.compile(f"^Name of the {what.split()[-1].lower()}$"))
        expect(field).to_be_focused()
        becomes(lambda: field.evaluate("e => e.selectionEnd - e.selectionStart") > 0)
        write(self.page, name)
        press(self.page, "Enter")
        becomes(lambda: name in str(drawn(self.page).to_dict()))

    def cell(self, name, state="writes"):
        click(cell(self.page, name))
        expect(cell(self.page, name, state)).to_be_visible()

    def choose(self, name, label):
        choose(self.page.get_by_label(name, exact=True), label=label)
        self.lists += 1

    @property
    def clicks(self):
        return clicks(self.page) + LIST * self.lists


def imported(page):
    """Return the protocol of the Python file that is downloaded, imported."""
    click(button(page, "Share"))
    file = download(page, "Download Python")
    scope = {"__name__": "drawn"}
    exec(Path(file.path()).read_text("utf-8"), scope)
    return scope["PROTOCOL"]


def is_the_debate(spec):
    stages = [stage.name for stage in spec.stages]
    hidden = [dict(part.seen)[spec.seat_names[-1]] for part in spec.parts if part.quotable]
    exact = play_values(spec, seconds=1).means.keys() == set(spec.seat_names)
    return stages == ["opening", "rounds", "closing", "judgement"] and hidden == ["end"] and exact


def has_an_audit_budget(spec):
    return [limit.per for limit in spec.limits] == ["game"] and bool(spec.pay)


def test_a_debate_with_hidden_passage_agreement_and_probability_in_31_clicks(open_page, app):
    journey = Journey(draw(open_page, app.url))
    page = journey.page
    for name in ("Debater A", "Debater B"):
        journey.add("Seat", name)
    click(page.get_by_role("rowheader", name="Verifier on Main"))
    fill(page.get_by_label("Name of the seat"), "Judge", "Enter")
    expect(page.get_by_role("rowheader", name="Judge on Main")).to_be_visible()
    click(button(page, "Hide a passage from it"))
    becomes(lambda: any(part.quotable for part in drawn(page).parts))
    click(page.get_by_role("columnheader", name="Stage Part 1"))
    fill(page.get_by_label("Name of the stage"), "opening", "Enter")
    for number, stage in enumerate(("Opening", "Rounds", "Closing"), 1):
        if number > 1:
            journey.add("Stage", stage.lower())
        for seat in ("Debater A", "Debater B"):
            journey.cell(f"{seat} on Main, {stage}, turn {number}")
    hover(page.get_by_role("columnheader", name="Stage Rounds"))
    click(button(page, "Repeat Rounds more"))
    becomes(lambda: drawn(page).times(1) == 2)
    click(page.get_by_role("columnheader", name="Rounds, turn 2", exact=True))
    journey.choose("Afterwards play goes to", "“Closing”")
    journey.choose("if", "all who act here agree")
    becomes(lambda: bool(drawn(page).stages[1].turns[-1].then))
    journey.add("Stage", "judgement")
    click(button(page, "+ Choice"))
    click(page.get_by_role("button", name=re.compile("^How likely an answer is")))
    becomes(lambda: "quadratic" in str(drawn(page).to_dict()))
    becomes(lambda: journey.clicks <= 31)
    becomes(lambda: is_the_debate(drawn(page)))
    becomes(lambda: imported(page) == drawn(page))


@exhaustive
def test_a_monitor_with_an_audit_budget_in_35_clicks(open_page, app):
    journey = Journey(draw(open_page, app.url))
    page = journey.page
    journey.add("Seat", "Worker")
    click(page.get_by_role("rowheader", name="Verifier on Main"))
    fill(page.get_by_label("Name of the seat"), "Monitor", "Enter")
    expect(page.get_by_role("rowheader", name="Monitor on Main")).to_be_visible()
    click(button(page, "Close"))
    click(button(page, "+ Choice"))
    click(page.get_by_role("dialog").get_by_role("button", name=re.compile("Monitor$")))
    click(page.get_by_role("button", name=re.compile("^Whom it checks")))
    becomes(lambda: len(drawn(page).limits) == 1)
    becomes(lambda: journey.clicks <= 35)
    becomes(lambda: has_an_audit_budget(drawn(page)))
    expect(page.locator(".ideas")).to_contain_text("audit")


def test_what_breaks_a_protocol_is_refused_with_a_way_out(open_page, app):
    page = draw(open_page, app.url)
    begin(page, "A debate")
    click(page.get_by_text("As text"))
    text = page.get_by_label("The protocol as TOML")
    expect(text).to_have_value(re.compile("seats"))
    right, before = text.input_value(), page.locator(".sentence").inner_text()
    faults = page.locator(".faults")

    def typed(said):
        fill(text, said)
        page.clock.run_for(PAUSE)

    # What each mistake is told is tested with the language.
    for old, new, said in (
        ("[seats", "[saets", "seats"),
        ('choose = "verdict"', 'choose = "vote"', "verdict"),
        ("verdict = truth", "verdict = = truth", "verdict"),
    ):
        becomes(lambda old=old: old in right)
        typed(right.replace(old, new, 1))
        expect(faults).to_contain_text("Line")
        expect(faults).to_contain_text(said)
        typed(right)
        expect(faults).to_be_empty()
    becomes(lambda: page.locator(".sentence").inner_text() == before)


# `test_two_worlds.py` plays a protocol of one's own in a room.
@exhaustive
def test_what_was_drawn_is_opened_as_a_room(open_page, app):
    page = draw(open_page, app.url)
    begin(page, "One prover")
    click(button(page, "Share"))
    address = page.get_by_role("link", name="A room with it").get_attribute("href")
    lead = open_page(f"{app.url}{address}")
    fill(lead.get_by_label("Facilitator's password"), ROOMS_PASSWORD)
    click(lead, "Open the room")
    lead.get_by_text("Here: 0").wait_for()


def test_versions_of_a_drawing_are_kept_and_come_back(open_page, app):
    page = draw(open_page, app.url)
    begin(page, "One prover")
    click(button(page, "Share"))
    click(button(page, "Keep it in your library"))
    expect(page.get_by_text("Version 1: My protocol")).to_be_visible()
    click(button(page, "All your drawings"))
    name = page.get_by_label("Name of “My protocol”")
    fill(name, "Two questions", "Enter")
    click(button(page, "Delete “Two questions”"))
    expect(page.get_by_text("Nothing is kept yet")).to_be_visible()
    click(page.get_by_role("alert").get_by_role("button", name="Undo"))
    expect(page.get_by_label("Name of “Two questions”")).to_be_visible()
    # A browser that has forgotten it gets it from the library.
    page.evaluate("localStorage.clear()")
    page.reload()
    expect(page.get_by_label("Name of the protocol")).to_have_value("Two questions")
