"""A game of a published protocol on the Play page, frame by frame."""

from __future__ import annotations

import json
import re

import pytest

from nip_core import published_names
from nip_core.tasks import passages
from tests.explorer.test_starting_a_game import choose, data

PASSAGE = passages()[3]


def table(page):
    """The table's message, and what it shows."""
    for message in page.find("bidi_component"):
        component = message.delta.new_element.bidi_component
        if component.component_name == "nip_table":
            return message, json.loads(component.json)[0]
    raise AssertionError("There is no table.")


def act(page, **made):
    message, shown = table(page)
    move = {"messages": {}, "decision": 2, "mark": "1", **made}
    page.tell(message, "act", {"seat": shown["seat"], "round": shown["round"], **move})


def test_the_judge_never_receives_the_passage_and_a_forged_choice_is_refused(frames):
    page = frames.open("play", protocol="khan_debate", task=PASSAGE.slug, seed="4")
    page.click("Begin")
    _, shown = table(page)
    assert shown["seat"] == "judge"
    # Letters that JSON does not escape.
    words = max(re.findall("[A-Za-z ,.]+", PASSAGE.text), key=len)
    assert len(words) > 30
    assert words not in page.said
    act(page, choices={"verdict": "C"})
    assert "verdict cannot be 'C': A, B" in table(page)[1]["error"]["message"]
    act(page, choices={"verdict": "A", "truth": "A"}, mark="2")
    assert "You do not choose 'truth'" in table(page)[1]["error"]["message"]
    assert words not in page.said
    act(page, choices={"verdict": "A"}, mark="3")
    _, shown = table(page)
    assert shown["ending"]["verdict"] == "A"
    # Once it is over, everybody reads it.
    assert words in page.said


def test_a_seat_is_taken_by_its_card_and_the_link_brings_it_again(frames):
    page = frames.open("play", protocol="michael_debate")
    choose(page, "Your seat", "bob")
    choose(page, "The others", "random")
    assert page.query["sits.bob"] == "me"
    assert page.query["sits.alice"] == "random"
    again = frames.open("play", **page.query)
    assert data(again, "Your seat")["selected"] == "bob"
    assert data(again, "The others")["selected"] == "random"
    again.click("Begin")
    assert table(again)[1]["seat"] == "bob"
    assert table(again)[1]["you"] == "bob"


@pytest.mark.parametrize(
    ("key", "value"),
    [("set.rounds", "<b>"), ("set.rounds", "99999999"), ("task", "nothing"), ("set.<i>", "1")],
)
def test_what_a_link_asks_for_in_vain_is_said(frames, key, value):
    page = frames.open("play", **{"protocol": "khan_debate", key: value})
    assert any("left out" in text or "is drawn" in text for text in page.texts("alert"))
    page.click("Begin")
    assert table(page)[1]["rounds"] == 4


@pytest.mark.parametrize("name", published_names())
def test_every_published_protocol_begins_with_one_click(frames, name):
    page = frames.open("play", protocol=name, seed="3")
    page.click("Begin")
    _, shown = table(page)
    assert shown["you"]
    assert shown["composer"]["channels"] or shown["composer"]["choices"] or shown["ending"]
