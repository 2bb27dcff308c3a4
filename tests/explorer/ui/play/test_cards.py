"""Tests of cards.py and start.py. A game is chosen by cards, whose figures were measured."""

import json
import re

from explorer.choice import ProtocolChoice
from explorer.play.seats import Start
from explorer.studies.strengths import strengths
from explorer.ui.play.cards import (
    LIARS,
    note_on_opponents,
    opponent_cards,
    opponents,
    seat_cards,
    selected_seat,
    ways_to_play,
)
from explorer.ui.play.start import _drawn
from explorer.ui.play.tasks import WantedTask
from nip_core import protocol_names, published_names
from tests.depth import each, exhaustive


def shown(page, label):
    """Return the data of the cards with a label; None without them."""
    for message in page.find("bidi_component"):
        component = message.delta.new_element.bidi_component
        if component.component_name == "nip_choices":
            found = json.loads(component.json)[0]
            if found["label"].startswith(label):
                return message, found
    return None, None


def data(page, label):
    return shown(page, label)[1]


def choose(page, label, key):
    page.tell(shown(page, label)[0], "choice", key)


@each("protocol", [*protocol_names(), *published_names()])
def test_every_protocol_offers_distinct_seats(protocol):
    choice = ProtocolChoice.of(protocol)
    rules = choice.rules
    cards = seat_cards(rules, {}, lies=False)
    assert len({card.key for card in cards}) == len({card.title for card in cards}) == len(cards)
    for card in cards:
        seats = {seat: card.people.get(seat, "scripted") for seat in rules.seat_names}
        assert selected_seat(seat_cards(rules, seats, lies=card.lies), seats) == card.key
        if others := opponents(rules, seats):
            assert not set(others) & set(card.people)
            _, options = ways_to_play(choice, others)
            titles = [each.title for each in opponent_cards(choice, others, "code")]
            assert len({*titles}) == len(titles) == (len(options) or 1) + 1


def test_liars_are_called_by_what_they_do_and_stand_from_easier_to_harder():
    cards = opponent_cards(ProtocolChoice.of("nip"), ["prover"], "code")
    assert [card.title for card in cards[:-1]] == [*LIARS.values()]
    accepted = [card.strength.accepted / card.strength.games for card in cards[:-1]]
    assert accepted == sorted(accepted)
    assert len({*accepted}) == len(accepted)
    assert cards[-1].strength is None
    shown = cards[0].strength.to_plain()
    assert shown["from"] < shown["at"] < shown["to"]
    assert (
        shown["text"] == f"got away with {cards[0].strength.accepted} of {cards[0].strength.games}"
    )
    assert "scripted tester" in note_on_opponents(cards, "code")
    # Nothing is said where nothing was measured.
    others = opponent_cards(ProtocolChoice.of("nip"), ["prover"], "passages")
    assert {card.strength for card in others} == {None}
    assert note_on_opponents(others, "passages") == ""


def test_strength_is_what_was_measured():
    choice = ProtocolChoice.of("nip")
    for card in opponent_cards(choice, ["verifier"], "code")[:-1]:
        cells = [
            cell
            for cell in strengths().cells
            if (cell.match.protocol, cell.match.strategy, cell.match.about)
            == ("nip", card.key, "code")
        ]
        shares = []
        for y in (0, 1):
            right = "".join(cell.of_label(y) for cell in cells)
            shares.append(f"{100 * right.count('1') / len(right):.0f}")
        # The luck of a coin in a few games is no measurement of it.
        assert re.findall(r"(\d+)%", card.about) == ([] if card.key == "chance" else shares)
    # Other kinds of task have no measurement: the card says what the player does instead.
    (first, *_) = opponent_cards(choice, ["verifier"], "passages")
    assert "%" not in first.about
    assert first.about


def test_a_liar_is_given_a_false_claim_and_an_opponent(frames):
    page = frames.open("play")
    choose(page, "Your seat", "be-prover")
    assert data(page, "Your seat")["selected"] == "be-prover"
    choose(page, "Your opponent", "gullible")
    assert page.query["claim"] == "false"
    assert page.query["strategy.verifier"] == "gullible"
    # The link is enough.
    again = frames.open("play", **page.query)
    assert data(again, "Your seat")["selected"] == "be-prover"
    assert data(again, "Your opponent")["selected"] == "gullible"
    again.click("Begin")
    episode = frames.storage.load(again.query["episode"]).episode
    assert episode.task.y == 0
    assert episode.players["prover"] == {"kind": "human", "who": "me"}
    assert episode.players["verifier"]["strategy"] == "gullible"


def test_who_wants_to_lie_has_a_seat_that_must():
    choice = ProtocolChoice.of("nip")
    start = Start(choice, "code:easy", {"prover": "me", "verifier": "scripted"}, 0)
    drawn = [_drawn(start, WantedTask("code:easy"), None, lies=True) for _ in range(5)]
    assert [each.setup().task.y for each in drawn] == [0] * 5


def test_a_seat_stays_when_the_protocol_changes(frames):
    page = frames.open("play")
    choose(page, "Your seat", "two")
    assert data(page, "Your opponent") is None
    page.unfold("**Neural interactive proof**")
    page.trigger("nip_protocols", "protocol", "mnip")
    assert data(page, "Your seat")["selected"] == "two"
    choose(page, "Your opponent", "hard")
    page.click("Begin")
    players = frames.storage.load(page.query["episode"]).episode.players
    assert [players[agent].get("who") for agent in ("verifier", "prover0")] == ["me", "friend"]
    assert players["prover1"]["level"] == "hard"


def test_the_same_seed_begins_the_same_game(frames):
    tasks = set()
    for _ in range(2):
        page = frames.open("play", seed="7")
        page.click("Begin")
        episode = frames.storage.load(page.query["episode"]).episode
        tasks.add((episode.task.id, episode.setup.seed))
    assert len(tasks) == 1


@exhaustive
def test_a_browser_may_choose_anything(frames):
    page = frames.open("play")
    page.unfold("**Neural interactive proof**")
    before = data(page, "Your seat")
    for sent in (None, "nobody", ["two"]):
        page.trigger("nip_firsts", "begin", sent)
        page.trigger("nip_protocols", "protocol", sent)
        choose(page, "Your seat", sent)
        choose(page, "Your opponent", sent)
        assert data(page, "Your seat") == before, sent
        assert not page.find("exception")


def test_games_with_hints_begin_with_one_press(frames):
    page = frames.open("play")
    page.trigger("nip_firsts", "begin", "The runner-up")
    assert page.table["statement"]["title"] == "The runner-up"
    assert [hint["at"] for hint in page.table["hints"]] == ["problem", "move"]
