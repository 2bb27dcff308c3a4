"""Tests of playing.py, moves.py and quotes.py.

Playing: every protocol to its end, by the rules of the reference, with simultaneous moves.
"""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.errors import IllegalMoveError, PlayError
from nip_core.language import Deal, Move, load_specification, view_for
from tests.depth import cases, each, seeds
from tests.language import reference
from tests.language.playing import PART, deal_of, played
from tests.language.strategies import accepted, documents
from tests.language.zoo import everything, published


def follow(deal, states):
    """Return chances by which the reference makes the moves that were played, and no others."""
    ended = states[-1]
    queue = [dict(release.choices) for release in ended.releases]
    drawn = {choice.name for choice in deal.spec.drawn}
    first = next((s.registers for s in states), {})

    def chances(name, options, registers, repeat):
        if name in drawn:
            return {first[name]: 1}
        while name not in queue[0]:
            assert not queue[0], "a choice was made that the reference does not know"
            queue.pop(0)
        option = queue[0].pop(name)
        assert option in options
        return {option: 1}

    return chances


def check_against_the_reference(spec, seed):
    rng = random.Random(seed)
    deal = deal_of(spec, seed, rng)
    moves, states = played(deal, rng)
    ended = states[-1]
    assert deal.replay(moves) == ended
    ((chance, releases, totals, verdict),) = reference.plays(spec.to_dict(), follow(deal, states))
    assert chance == 1
    assert [choices for _, choices in releases] == [dict(r.choices) for r in ended.releases]
    assert [[s for s in seats if s != "chance"] for seats, _ in releases] == [
        sorted(r.acted) for r in ended.releases
    ]
    assert len(ended.releases) <= spec.longest
    paid = {seat: amount for seat, amount in ended.paid.items() if amount}
    assert paid == pytest.approx({seat: amount for seat, amount in totals.items() if amount})
    assert deal.verdict(ended) == verdict


@settings(max_examples=cases(400), deadline=None)
@given(documents(), st.integers(0, 1_000))
def test_whatever_is_accepted_is_played_to_an_end_by_the_rules(document, seed):
    spec = accepted(document)
    check_against_the_reference(spec, seed)


@each(("name", "spec"), everything())
def test_published_protocols_are_played_by_the_rules(name, spec):
    for seed in seeds(12):
        check_against_the_reference(spec, seed)


@each(("name", "spec"), everything())
def test_moves_and_views_are_documents(name, spec):
    rng = random.Random(name)
    deal = deal_of(spec, 3, rng)
    moves, states = played(deal, rng)
    again = [Move.from_dict(json.loads(json.dumps(move.to_dict()))) for move in moves]
    assert deal.replay(again) == states[-1]
    for seat in spec.seat_names:
        json.dumps(view_for(deal, states[-1], seat).to_dict())


# -- what is refused -------------------------------------------------------------------------------


def refused(deal, state, move, message):
    with pytest.raises(IllegalMoveError) as caught:
        deal.play(state, move)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_turn_is_released_once_all_have_moved():
    deal = deal_of(published("khan_debate"))
    start = deal.begin()
    one = deal.play(start, Move("alice", {"debate": "A it is."}))
    assert view_for(deal, one, "bob") == view_for(deal, start, "bob")
    assert view_for(deal, one, "judge") == view_for(deal, start, "judge")
    assert view_for(deal, one, "alice").held == Move("alice", {"debate": "A it is."})
    refused(deal, one, Move("alice", {"debate": "Again."}), "Your move is made")
    refused(deal, one, Move("judge", {}, {"verdict": "A"}), "It is not your turn")
    both = deal.play(one, Move("bob", {"debate": "No, B."}))
    assert [m.text for m in view_for(deal, both, "judge").turns[0].messages] == [
        "A it is.",
        "No, B.",
    ]


def test_messages_are_owed_unless_a_decision_is_made_instead():
    deal = deal_of(published("nip"))
    start = deal.begin()
    refused(deal, start, Move("verifier", {}, {"verdict": "wait"}), "is missing: write it, or choo")
    refused(
        deal, start, Move("verifier", {"main": "Hm"}, {"verdict": "accept"}), "leave the message"
    )
    refused(deal, start, Move("verifier", {"main": "Hm"}), "Choose verdict: reject, accept, wait")
    refused(deal, start, Move("verifier", {"main": ""}, {"verdict": "wait"}), "is missing")
    refused(deal, start, Move("verifier", {"main": "\0"}, {"verdict": "wait"}), "without NUL")
    refused(deal, start, Move("verifier", {"m": "?"}, {"verdict": "wait"}), "Your channels: main")
    refused(deal, start, Move("verifier", {}, {"verdict": True}), "verdict cannot be True")
    refused(deal, start, Move("verifier", {}, {"verdict": ["wait"]}), "verdict cannot be a list")
    refused(deal, start, Move("verifier", {}, {"coin": 1}), "You do not choose 'coin'")
    refused(deal, start, Move("verifier", "wait", {}), "messages must be given by name")
    assert deal.play(start, Move("verifier", {}, {"verdict": "accept"})).over


def test_limits_of_words_and_quotes():
    deal = deal_of(published("michael_debate"))
    state = deal.play(
        deal.begin(), Move("judge", {"debate": "Well?"}, {"estimate": 50, "going": "go_on"})
    )
    refused(deal, state, Move("alice", {"debate": "x" * 751}), "has 751 characters and the limit")
    long = f"<quote>{'x' * 251}</quote>"
    refused(deal, state, Move("alice", {"debate": long}), "251 quoted characters and the limit")
    refused(deal, state, Move("alice", {"debate": "<quote>" * 80_000}), "at most 100,000 char")
    # Quotation marks do not count.
    deal.verify(state, Move("alice", {"debate": f"<quote>{'x' * 250}</quote>{'y' * 500}"}))
    refused(
        deal, state, Move("alice", {"debate": f"<quote>{'x' * 250}</quote>{'y' * 501}"}), "751 char"
    )


def test_quotes_of_a_whole_play_are_limited_together():
    deal = deal_of(published("open_consultancy"))
    state = deal.play(deal.begin(), Move("consultant", {}, {"side": "A"}))
    words = f"<quote>{'so ' * 100}</quote>"
    state = deal.play(state, Move("consultant", {"talk": words}))
    state = deal.play(state, Move("judge", {"talk": "Is it?"}))
    assert deal.legal(state, "consultant").left[0][1] == 50
    refused(deal, state, Move("consultant", {"talk": words}), "the limit is 50: take out 50")


def test_quotes_are_looked_up_and_readers_see_the_result():
    deal = deal_of(published("khan_debate"))
    said = "<quote>the BUTLER it seems</quote> <quote>the maid</quote> <quote> ,</quote> <quote>x"
    state = deal.play(deal.begin(), Move("alice", {"debate": said}))
    state = deal.play(state, Move("bob", {"debate": "So."}))
    (message, _) = view_for(deal, state, "judge").turns[0].messages
    assert [(quote.text, quote.found) for quote in message.quotes] == [
        ("the BUTLER it seems", True),
        ("the maid", False),
        (" ,", False),
    ]


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("was in the garden", True),
        ("WAS  in\nthe garden", True),
        ("butler it seems", True),
        ("butler, it, seems", True),
        ("“it seems”", True),
        ("it seemed", False),
        ("", False),
        ("...", False),
    ],
)
def test_differences_that_quotes_may_have(quote, found):
    deal = deal_of(published("khan_debate"))
    text = f"<quote>{quote}</quote>"
    state = deal.play(deal.begin(), Move("alice", {"debate": text}))
    state = deal.play(state, Move("bob", {"debate": "So."}))
    assert [q.found for q in state.releases[0].messages[0].quotes] == [found]


def test_a_seat_that_cannot_see_a_part_learns_nothing_by_quoting_it():
    deal = deal_of(published("open_consultancy"))
    state = deal.play(deal.begin(), Move("consultant", {}, {"side": "A"}))
    state = deal.play(state, Move("consultant", {"talk": "So."}))
    state = deal.play(state, Move("judge", {"talk": f"<quote>{PART}</quote>"}))
    assert [q.found for q in state.releases[-1].messages[0].quotes] == [False]


K_ANSWERS = """
name = "three_answers"
verdict = "A if pa > 50 else B if pb > 50 else C if pc > 50 else none"
[seats]
judge = "Judge"
[choices]
truth = { by = "task", options = ["A", "B", "C"], seen = { judge = "end" } }
pa = { by = "judge", options = { from = 0, to = 100 } }
pb = { by = "judge", options = { from = 0, to = 100 } }
pc = { by = "judge", options = { from = 0, to = 100 } }
[[stages]]
name = "say"
turns = [{ judge = { choose = ["pa", "pb", "pc"], total = 100 } }]
[[pay]]
to = "judge"
amount = "log(pa if truth = A else pb if truth = B else pc, true)"
"""


def test_estimates_of_several_answers_add_up():
    deal = deal_of(load_specification(K_ANSWERS), truth="C")
    start = deal.begin()
    refused(deal, start, Move("judge", {}, {"pa": 60, "pb": 60, "pc": 0}), "with pb = 60 they")
    refused(deal, start, Move("judge", {}, {"pa": 60, "pb": 30, "pc": 9}), "Still possible: 10.")
    state = deal.play(start, Move("judge", {}, {"pa": 20, "pb": 30, "pc": 50}))
    assert state.paid == {"judge": -1.0}


def test_an_option_is_open_as_often_as_it_may_be_taken():
    deal = deal_of(published("trusted_monitor", audits=1))
    state = deal.begin()
    for audit in (True, False):
        state = deal.play(state, Move("untrusted", {"proposals": "This."}, {"intent": "harmless"}))
        assert ("audit" in deal.legal(state, "monitor").choices["action"]) == audit
        if audit:
            move = Move("monitor", {"log": "Hm."}, {"suspicion": 50, "action": "audit"})
            state = deal.play(state, move)
            state = deal.play(state, Move("auditor", {"log": "Fine."}, {"finding": "clean"}))
    refused(
        deal,
        state,
        Move("monitor", {"log": "Hm."}, {"suspicion": 50, "action": "audit"}),
        "action cannot be 'audit': run, replace.",
    )


def test_the_material_of_a_play_is_checked():
    spec = published("jury")
    parts = {"question": "?", "answers": "A, B"}
    for changes, message in (
        ({"seed": -1}, "a whole number from 0"),
        ({"parts": {"question": "?"}}, "'answers' is missing"),
        ({"parts": {**parts, "key": "A"}}, "'key' is none of the protocol's"),
        ({"parts": {**parts, "question": ""}}, "a text that is not empty"),
        ({"facts": {}}, "The task does not say what 'truth' is"),
        ({"facts": {"truth": "C"}}, "truth cannot be 'C'"),
        ({"facts": {"truth": "A", "vote1": "A"}}, "'vote1' is not drawn before play"),
        ({"spec": spec.with_settings(rounds=20_000)}, "may go on for 20,001 turns"),
    ):
        given = {"spec": spec, "parts": parts, "facts": {"truth": "A"}, "seed": 0} | changes
        with pytest.raises(PlayError, match=message):
            Deal(**given)
    with pytest.raises(PlayError, match="The play is not over"):
        Deal(spec, parts, {"truth": "A"}).verdict(Deal(spec, parts, {"truth": "A"}).begin())


def test_chance_is_drawn_by_the_seed_with_its_weights():
    spec = published("michael_consultancy").to_dict()
    spec["choices"]["side"]["weights"] = ["1", "3"]
    spec = load_specification(spec)
    drawn = [deal_of(spec, seed).begin().registers["side"] for seed in range(2_000)]
    # Over five standard deviations.
    assert abs(drawn.count("B") / 2_000 - 0.75) < 0.05
    assert deal_of(spec, 1, side="A").begin().registers["side"] == "A"


def test_worked_payoffs_of_michael_2023():
    spec = published("michael_debate")
    for percent, goes_on, paid in (
        (90, 1, -0.202003),
        (80, 3, -0.471928),
        (1, 2, -6.743856),
        (50, 0, -1.0),
    ):
        deal = deal_of(spec, truth="A")
        state, left = deal.begin(), goes_on
        while not state.over:
            seat = deal.to_move(state)[0]
            made = {"estimate": percent, "going": "go_on" if left else "stop"}
            left -= seat == "judge"
            state = deal.play(state, Move(seat, {"debate": "So."}, made if seat == "judge" else {}))
        assert state.paid["judge"] == pytest.approx(paid, abs=1e-6)


def test_an_accepted_step_is_drawn_and_a_rejected_one_is_ruled():
    spec = published("doubly_efficient_debate", steps=2, grain=100)
    deal = deal_of(spec)
    state = deal.begin()
    state = deal.play(state, Move("alice", {"log": "1"}, {"claimed": 100}))
    state = deal.play(state, Move("bob", {"log": "ok"}, {"answer": "accepts"}))
    assert state.registers["bit"] == "one"
    assert not view_for(deal, state, "vera").turns[0].messages
    state = deal.play(state, Move("alice", {"log": "0"}, {"claimed": 0}))
    state = deal.play(state, Move("bob", {"log": "no"}, {"answer": "rejects"}))
    view = view_for(deal, state, "vera")
    assert [m.text for turn in view.turns for m in turn.messages] == ["1", "ok", "0", "no"]
    assert view.parts.keys() == {"question", "computation"}
    state = deal.play(state, Move("vera", {}, {"ruling": "one"}))
    assert view_for(deal, state, "bob").outcome.verdict == "one"
    assert state.paid == {"alice": 1, "bob": -1}


def test_an_answer_taken_as_the_truth_is_named_in_the_outcome():
    deal = deal_of(published("legible_prover"))
    _, states = played(deal, random.Random(1))
    outcome = view_for(deal, states[-1], "weaker").outcome
    assert outcome.on_the_word_of == {"whether the solution is right": "prover"}
