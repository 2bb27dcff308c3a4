"""Tests of quotes.py, nip_core/play/deal.py, nip_core/play/legal.py and nip_core/play/verifying.py.

Playing: every protocol to its end, by the rules of the reference, with simultaneous moves.
"""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.errors import IllegalMoveError, PlayError
from nip_core.language import load_specification
from nip_core.play import Deal, Episode
from nip_core.play import Move as PlayedMove
from tests.depth import cases, each, seeds
from tests.language import reference
from tests.language.playing import PART, Move, after, begin, deal_of, played, releases
from tests.language.strategies import accepted, documents
from tests.language.zoo import everything, in_full, published


def follow(ended):
    """Return chances by which the reference makes the moves that were played, and no others."""
    queue = [dict(release.choices) for release in releases(ended)]
    drawn = {choice.name for choice in ended.rules.drawn}
    first = ended.nodes[0].registers

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
    setup = deal_of(spec, seed, rng)
    moves, states = played(setup, rng)
    ended = states[-1]
    assert after(begin(setup), *moves).nodes == ended.nodes
    ((chance, wanted, totals, verdict),) = reference.plays(in_full(spec), follow(ended))
    assert chance == 1
    assert [choices for _, choices in wanted] == [dict(r.choices) for r in releases(ended)]
    assert [[s for s in seats if s != "chance"] for seats, _ in wanted] == [
        sorted(r.acted) for r in releases(ended)
    ]
    assert len(releases(ended)) <= spec.longest
    paid = {seat: amount for seat, amount in ended.result().paid.items() if amount}
    assert paid == pytest.approx({seat: amount for seat, amount in totals.items() if amount})
    assert ended.result().verdict == verdict


@settings(max_examples=cases(400), deadline=None)
@given(documents(), st.integers(0, 1_000))
def test_whatever_is_accepted_is_played_to_an_end_by_the_rules(document, seed):
    spec = accepted(document)
    check_against_the_reference(spec, seed)


@each(("name", "spec"), everything())
def test_published_protocols_are_played_by_the_rules(name, spec):
    for seed in seeds(12):
        check_against_the_reference(spec, seed)


@each(("name", "spec"), [*everything()][::3])
def test_moves_and_views_are_documents(name, spec):
    rng = random.Random(name)
    setup = deal_of(spec, 3, rng)
    moves, states = played(setup, rng)
    again = [PlayedMove.from_dict(json.loads(json.dumps(move.to_dict()))) for move in moves]
    assert after(begin(setup), *again).nodes == states[-1].nodes
    for seat in spec.seat_names:
        json.dumps(states[-1].view_for(seat).to_dict())


# -- what is refused -------------------------------------------------------------------------------


def refused(state, move, message):
    with pytest.raises(IllegalMoveError) as caught:
        state.play(move)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_turn_is_released_once_all_have_moved():
    deal = deal_of(published("khan_debate"))
    start = begin(deal)
    one = after(start, Move("alice", {"debate": "A it is."}))
    assert one.view_for("bob") == start.view_for("bob")
    assert one.view_for("judge") == start.view_for("judge")
    assert one.view_for("alice").held == Move("alice", {"debate": "A it is."})
    refused(one, Move("alice", {"debate": "Again."}), "Your move is made")
    refused(one, Move("judge", {}, {"verdict": "A"}), "It is not your turn")
    both = after(one, Move("bob", {"debate": "No, B."}))
    assert [m.text for m in both.view_for("judge").rounds[0].messages] == ["A it is.", "No, B."]


def test_messages_are_owed_unless_a_decision_is_made_instead():
    deal = deal_of(published("nip"))
    start = begin(deal)
    refused(start, Move("verifier", {}, {"verdict": "wait"}), "is missing: write it, or decide")
    refused(start, Move("verifier", {"main": "Hm"}, {"verdict": "accept"}), "leave the message")
    refused(start, Move("verifier", {"main": "Hm"}), "Choose verdict: reject, accept, wait")
    refused(start, Move("verifier", {"main": ""}, {"verdict": "wait"}), "is missing")
    refused(start, Move("verifier", {"main": "\0"}, {"verdict": "wait"}), "without NUL")
    refused(start, Move("verifier", {"m": "?"}, {"verdict": "wait"}), "Your channels: main")
    refused(start, Move("verifier", {}, {"verdict": True}), "verdict cannot be True")
    refused(start, Move("verifier", {}, {"verdict": ["wait"]}), "verdict cannot be a list")
    refused(start, Move("verifier", {}, {"coin": 1}), "You do not choose 'coin'")
    refused(start, Move("verifier", "wait", {}), "messages must be given by name")
    assert after(start, Move("verifier", {}, {"verdict": "accept"})).over


def test_limits_of_words_and_quotes():
    deal = deal_of(published("michael_debate"))
    state = after(
        begin(deal), Move("judge", {"debate": "Well?"}, {"estimate": 50, "going": "go_on"})
    )
    refused(state, Move("alice", {"debate": "x" * 751}), "has 751 characters and the limit")
    long = f"<quote>{'x' * 251}</quote>"
    refused(state, Move("alice", {"debate": long}), "251 quoted characters and the limit")
    refused(state, Move("alice", {"debate": "<quote>" * 80_000}), "at most 100,000 char")
    # Quotation marks do not count.
    state.verify(Move("alice", {"debate": f"<quote>{'x' * 250}</quote>{'y' * 500}"}))
    refused(state, Move("alice", {"debate": f"<quote>{'x' * 250}</quote>{'y' * 501}"}), "751 char")


def test_quotes_of_a_whole_play_are_limited_together():
    deal = deal_of(published("open_consultancy"))
    state = after(begin(deal), Move("consultant", {}, {"side": "A"}))
    words = f"<quote>{'so ' * 100}</quote>"
    state = after(state, Move("consultant", {"talk": words}))
    state = after(state, Move("judge", {"talk": "Is it?"}))
    legal = state.legal("consultant")
    assert legal.left[0][1] == 50
    assert legal.fits(f"<quote>{'so ' * 50}</quote>")
    assert not legal.fits(f"<quote>{'so ' * 51}</quote>")
    refused(state, Move("consultant", {"talk": words}), "the limit is 50: take out 50")


def test_quotes_are_looked_up_and_readers_see_the_result():
    deal = deal_of(published("khan_debate"))
    said = "<quote>the BUTLER it seems</quote> <quote>the maid</quote> <quote> ,</quote> <quote>x"
    state = after(begin(deal), Move("alice", {"debate": said}))
    state = after(state, Move("bob", {"debate": "So."}))
    (quotes, _) = state.view_for("judge").rounds[0].quotes
    assert [(quote.text, quote.found) for quote in quotes] == [
        ("the BUTLER it seems", True),
        ("the maid", False),
        (" ,", False),
    ]


@each(
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
    state = after(begin(deal), Move("alice", {"debate": text}))
    state = after(state, Move("bob", {"debate": "So."}))
    assert [q.found for q in releases(state)[0].messages[0].quotes] == [found]


def test_a_seat_that_cannot_see_a_part_learns_nothing_by_quoting_it():
    deal = deal_of(published("open_consultancy"))
    state = after(begin(deal), Move("consultant", {}, {"side": "A"}))
    state = after(state, Move("consultant", {"talk": "So."}))
    state = after(state, Move("judge", {"talk": f"<quote>{PART}</quote>"}))
    assert [q.found for q in releases(state)[-1].messages[0].quotes] == [False]


def test_nameless_seats_stay_nameless():
    document = published("khan_debate").to_dict()
    for seat in ("alice", "bob"):
        document["seats"][seat]["anonymous"] = True
    deal = deal_of(load_specification(document))
    one = after(begin(deal), Move("alice", {"debate": "Z"}), Move("bob", {"debate": "A"}))
    two = after(begin(deal), Move("alice", {"debate": "A"}), Move("bob", {"debate": "Z"}))
    assert one.view_for("judge").to_dict() == two.view_for("judge").to_dict()
    assert [m.sender for m in one.view_for("alice").rounds[0].messages] == ["alice", None]


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
    start = begin(deal)
    refused(start, Move("judge", {}, {"pa": 60, "pb": 60, "pc": 0}), "with pb = 60 they")
    refused(start, Move("judge", {}, {"pa": 60, "pb": 30, "pc": 9}), "Still possible: 10.")
    state = after(start, Move("judge", {}, {"pa": 20, "pb": 30, "pc": 50}))
    assert state.result().paid == {"judge": -1.0}


def test_an_option_is_open_as_often_as_it_may_be_taken():
    deal = deal_of(published("trusted_monitor", audits=1))
    state = begin(deal)
    for audit in (True, False):
        state = after(state, Move("untrusted", {"proposals": "This."}, {"intent": "harmless"}))
        assert ("audit" in state.legal("monitor").choices["action"]) == audit
        if audit:
            move = Move("monitor", {"log": "Hm."}, {"suspicion": 50, "action": "audit"})
            state = after(state, move)
            state = after(state, Move("auditor", {"log": "Fine."}, {"finding": "clean"}))
    refused(
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
    ):
        given = {"spec": spec, "parts": parts, "facts": {"truth": "A"}, "seed": 0} | changes
        with pytest.raises(PlayError, match=message):
            Deal(**given)
    long = spec.with_settings(rounds=2_000)
    with pytest.raises(PlayError, match="may go on for 2,001 turns"):
        Episode(long, {**parts, "truth": "A"})


def test_chance_is_drawn_by_the_seed_with_its_weights():
    spec = published("michael_consultancy").to_dict()
    spec["choices"]["side"]["weights"] = ["1", "3"]
    spec = load_specification(spec)
    drawn = [begin(deal_of(spec, seed)).node.registers["side"] for seed in range(2_000)]
    # Over five standard deviations.
    assert abs(drawn.count("B") / 2_000 - 0.75) < 0.05
    assert begin(deal_of(spec, 1, side="A")).node.registers["side"] == "A"


def test_worked_payoffs_of_michael_2023():
    spec = published("michael_debate")
    for percent, goes_on, paid in (
        (90, 1, -0.202003),
        (80, 3, -0.471928),
        (1, 2, -6.743856),
        (50, 0, -1.0),
    ):
        deal = deal_of(spec, truth="A")
        state, left = begin(deal), goes_on
        while not state.over:
            seat = state.to_move[0]
            made = {"estimate": percent, "going": "go_on" if left else "stop"}
            left -= seat == "judge"
            state = after(state, Move(seat, {"debate": "So."}, made if seat == "judge" else {}))
        assert state.result().paid["judge"] == pytest.approx(paid, abs=1e-6)


def test_an_answer_taken_as_the_truth_is_named_in_the_outcome():
    deal = deal_of(published("legible_prover"))
    _, states = played(deal, random.Random(1))
    outcome = states[-1].view_for("weaker").ending
    assert outcome.on_the_word_of == {"whether the solution is right": "prover"}
