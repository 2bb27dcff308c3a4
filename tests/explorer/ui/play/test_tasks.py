"""Tests of explorer/ui/play/tasks.py: what games on the Play page are about, frame by frame."""

import json
import random
import re
import string

import pytest

from explorer.notebook import replay_html
from explorer.ui.play.cards import what_seat_does
from explorer.ui.protocol_families import family_of
from nip_core import published_names
from nip_core.language import load_specification
from nip_core.registry import specification
from nip_core.tasks import passages
from nip_core.transcript import dump, load
from tests.depth import each
from tests.explorer.ui.play.test_cards import choose, data
from tests.explorer.ui.protocols.test_page import OURS
from tests.sentences import need_words

PASSAGE = passages()[3]
FILE = "A file with one JSON object a line, each with an article and questions"


def test_the_judge_never_receives_the_passage_and_a_forged_choice_is_refused(frames):
    page = frames.open("play", protocol="khan_debate", task=PASSAGE.slug, seed="4")
    page.click("Begin")
    assert page.table["seat"] == "judge"
    # Letters that JSON does not escape.
    words = max(re.findall("[A-Za-z ,.]+", PASSAGE.text), key=len)
    assert len(words) > 30
    assert words not in page.said
    refused = page.act(choices={"verdict": "C"})
    assert "verdict cannot be 'C': A, B" in refused["message"]
    refused = page.act(choices={"verdict": "A", "truth": "A"}, mark="2")
    assert "You do not choose 'truth'" in refused["message"]
    assert words not in page.said
    assert page.act(choices={"verdict": "A"}, mark="3") is None
    assert page.table["ending"]["verdict"] == "A"
    # Once it is over, everybody reads it.
    assert words in page.said


def test_a_seat_is_taken_by_its_card_and_the_link_brings_it_again(frames):
    page = frames.open("play", protocol="michael_debate")
    choose(page, "Your seat", "bob")
    choose(page, "The judge", "gullible")
    page.choose("play-seat-michael_debate-alice", "Random")
    assert page.query["sits.bob"] == "me"
    assert page.query["sits.alice"] == "random"
    assert page.query["strategy.judge"] == "gullible"
    again = frames.open("play", **page.query)
    assert data(again, "Your seat")["selected"] == "bob"
    assert data(again, "The judge")["selected"] == "gullible"
    again.click("Begin")
    assert again.table["seat"] == "bob"
    assert again.table["you"] == "bob"


def test_unusable_parts_of_a_link_have_no_effect(frames):
    for key, value in (("set.rounds", "<b>"), ("set.rounds", "99999999")):
        page = frames.open("play", protocol="khan_debate", task="nothing", **{key: value})
        said = " ".join(page.texts("alert")).replace("\\", "")
        assert value in said
        assert "nothing" in said
        page.click("Begin")
        assert page.table["rounds"] == 4


# `explorer/play/test_tasks.py` plays every protocol, without a page.
ONE_OF_EACH = {family_of(name): name for name in published_names()}.values()


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_a_published_protocol_begins_with_one_click(frames, name):
    """At the seat that the page chooses, and at one of the others."""
    seats = specification(name).seat_names
    for asked in ({}, {"seat": seats[len(name) % len(seats)]}):
        page = frames.open("play", protocol=name, seed="3", **asked)
        page.click("Begin")
        shown = page.table
        assert shown["you"] in ([asked["seat"]] if asked else seats), page.texts("alert")
        may_act = shown["composer"]["channels"] or shown["composer"]["choices"]
        assert asked or may_act or shown["ending"]


def test_a_protocol_of_ones_own_is_played_on_a_task_of_ones_own(frames):
    """The stored game carries the specification, and so does its transcript."""
    page = frames.open("play", protocol="own")
    page.choose("Or its text", "{")
    page.click("Read it")
    assert page.texts("alert")
    assert "Begin" not in page.labels()
    page.choose("Or its text", OURS)
    page.click("Read it")
    link = dict(page.query)
    page = frames.open("play", **link)
    page.choose("play-own-part-plan", "Move the market to Sunday.")
    # A reload restores the text, and so does the link.
    page = frames.open("play", **page.query)
    page.click("Begin")
    assert page.table["you"] == "judge"
    assert "Move the market to Sunday." in page.said
    assert page.act(choices={"verdict": "leave_it"}) is None
    assert page.table["ending"]["verdict"] == "leave_it"
    stored = frames.storage.load(page.query["episode"]).episode
    assert stored.rules == load_specification(OURS)
    assert load(dump(stored)).rules == stored.rules
    assert "wo opinions" in replay_html(stored)
    # Nothing was prepared for it, so only the same task is offered again.
    page.click("Swap seats")
    assert page.table["you"] == "alice"


def test_a_task_too_long_for_the_link_is_reported(frames):
    page = frames.open("play", protocol="jury", task="written")
    long = "".join(random.Random(1).choices(string.ascii_letters, k=20_000))
    page.choose("play-jury-part-question", long)
    page.choose("play-jury-part-answers", "A: I\nB: You")
    assert any("too long for an address" in text for text in page.texts("markdown"))
    assert page.query == {"protocol": "jury", "task": "written"}
    page.click("Begin")
    assert long[:50] in page.said


ARTICLE = "The baker rose at four. Only her cat saw who had taken the yeast: it was the postman."
ANSWERS = ["The cat", "The postman", "The baker", "Nobody"]


def lines(**changed):
    question = {"question": "Who took the yeast?", "options": ANSWERS, "gold_label": 2}
    article = {"article": ARTICLE, "title": "Yeast", "questions": [question | changed]}
    return json.dumps(article).encode() + b"\n"


def test_a_passage_of_ones_own_file_is_played_and_stays_hidden(frames):
    page = frames.open("play", protocol="khan_debate", task="file", seed="7")
    assert page.widget("Begin", "button").delta.new_element.button.disabled
    page.upload(FILE, "own.dev", lines(gold_label=5))
    assert "must be the number of an option" in page.said
    assert page.widget("Begin", "button").delta.new_element.button.disabled
    page.upload(FILE, "own.dev", lines())
    page.click("Begin")
    assert page.table["seat"] == "judge"
    seen = json.dumps(page.table)
    assert "Who took the yeast?" in seen
    assert sum(f". {answer}" in seen for answer in ANSWERS) == 2
    assert ". The postman" in seen
    assert "rose at four" not in page.said
    assert page.act(choices={"verdict": "A"}, mark="1") is None
    assert "rose at four" in page.said


@each("name", published_names())
def test_what_each_seat_does_is_said_in_words(name):
    spec = specification(name)
    for seat in spec.seat_names:
        need_words(spec, what_seat_does(spec, seat), name)
    assert all(what_seat_does(spec, seat).startswith("You ") for seat in spec.seat_names)


def test_a_statement_that_a_person_writes_is_played_in_any_proof(frames):
    page = frames.open("play", protocol="debate", task="written", seed="3")
    assert page.widget("Begin", "button").delta.new_element.button.disabled
    page.choose("play-debate-part-question", "Is 91 a prime number?")
    page.choose("play-debate-part-solution", "It is.")
    # The link has what was written.
    page = frames.open("play", **page.query)
    page.click("Begin")
    assert "Is 91 a prime number?" in page.said
    episode = frames.storage.load(page.query["episode"]).episode
    assert (episode.task.question, episode.task.y) == ("Is 91 a prime number?", 0)
    assert episode.players["prover0"]["level"] == "medium"
