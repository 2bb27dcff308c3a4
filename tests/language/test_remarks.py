"""Tests of remarks.py and effects.py.

What never happens, what is useless, what is without an effect, and who can infer hidden things.
"""

import copy
import dataclasses
import random
from functools import partial

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nip_core.errors import IllegalMoveError, SpecError
from nip_core.language import Specification, load_specification
from tests.depth import cases, each
from tests.growth import seconds
from tests.language import reference, zoo
from tests.language.playing import (
    Move,
    after,
    begin,
    deal_of,
    played,
    random_move,
    releases,
    sees_by_hand,
    turns_of,
)
from tests.language.strategies import accepted, documents
from tests.language.zoo import in_full, published

TELLS = ("asked", "author", "copy", "course", "draw", "side", "silence", "value")


def codes(spec):
    return [remark.code for remark in spec.lint()]


def changed(name, *path, to):
    return load_specification(zoo.with_change(name, *path, to=to))


jury = partial(changed, "jury_by_hand")
EXTRA = {"by": "alice", "options": ["x", "y"]}
TALK = [{"alice": "debate"}]
TWO = [{f"juror{n}": {"choose": f"vote{n}"} for n in (1, 2)}]
HERE = "stage 'rounds', turn 1"
GUARD = ("stages", 0, "turns", 0, "then")


@each(
    ("spec", "code", "place"),
    [
        (jury("choices", "mood", to=EXTRA), "choice-never-made", "choice 'mood'"),
        (jury("seats", "eve", to={}), "seat-never-acts", "seat 'eve'"),
        (jury("parts", "key", to={"seen": []}), "part-unseen", "part 'key'"),
        (jury("parts", "key", to={"seen": {"bob": "end"}}), "part-unseen", "part 'key'"),
        (jury("channels", "side", to=["bob"]), "channel-unused", "channel 'side'"),
        (
            jury("limits", to=[{"seat": "juror1", "of": "words", "most": 3}]),
            "limit-unused",
            "limit of 'words' for 'juror1'",
        ),
        (
            changed(
                "jury_by_hand", "limits", to=[{"seat": "bob", "of": "quoted words", "most": 3}]
            ),
            "limit-unused",
            "limit of 'quoted words' for 'bob'",
        ),
        (jury("pay", 0, "to", to={}), "pay-nothing", "pay 1"),
        (jury("pay", 0, "to", to={"bob": 0}), "pay-nothing", "pay 1"),
        (jury("pay", 0, "amount", to="1 - 1"), "pay-nothing", "pay 1"),
        (changed("khan_debate", "pay", 1, "amount", to=2), "pay-constant", "pay 2"),
        (jury("pay", 0, "when", to="truth = none"), "pay-never", "pay 1"),
        (changed("single_critique", "pay", 0, "when", to="not over"), "pay-never", "pay 1"),
        # A decider without a turn, alone and among several.
        (changed("khan_debate", "stages", 1, "turns", to=TALK), "verdict-never", "verdict"),
        (changed("khan_debate", "stages", 1, "turns", to=TALK), "seat-never-acts", "seat 'judge'"),
        (jury("stages", 1, "turns", to=TWO), "choice-never-made", "choice 'vote3'"),
        (jury("verdict", to="vote1 if vote1 = none else none"), "verdict-never", "verdict"),
        (jury(*GUARD, to={"end": "truth = none"}), "guard-never", "stage 'rounds', turn 1"),
        (jury(*GUARD, to={"end": "true"}), "stage-never-reached", "stage 'vote'"),
        (jury(*GUARD, to={"end": "true"}), "guard-always", "stage 'rounds', turn 1"),
        (jury(*GUARD, to={"vote": "true", "end": "true"}), "guard-never", "stage 'rounds'"),
        (jury(*GUARD, to={"end": "truth = A"}), "course-tells", "stage 'rounds', turn 1"),
        (
            changed("examined_debate", "stages", 1, "turns", 1, "bob", "when", to="asked = none"),
            "act-never",
            "stage 'questions', turn 2",
        ),
        (
            changed("examined_debate", "choices", "asked", "seen", to=["judge"]),
            "asked-tells",
            "stage 'questions', turn 2",
        ),
        (
            changed("examined_debate", "choices", "asked", "seen", to=["alice", "bob"]),
            "author-tells",
            "stage 'questions', turn 2",
        ),
        (
            changed("nip", "choices", "verdict", "seen", to=[]),
            "silence-tells",
            "stage 'rounds', turn 1",
        ),
        (
            changed(
                "michael_consultancy",
                "choices",
                "side",
                "weights",
                to=["1 if truth = A else 2", "1"],
            ),
            "draw-tells",
            "choice 'side', weights",
        ),
        (jury("seats", "bob", "argues", to="truth"), "side-tells", "seat 'bob', argues"),
    ],
)
def test_each_kind_of_remark_has_its_place_and_a_remedy(spec, code, place):
    found = [remark for remark in spec.lint() if remark.code == code]
    assert found, spec.lint()
    assert found[0].place.startswith(place)
    for text in (found[0].message, found[0].remedy):
        assert text.endswith(".")
        assert len(text) < 300


def test_a_monitor_learns_what_the_course_of_play_reveals():
    guard = {"end": "action = run and intent = harmful"}
    spec = changed("trusted_monitor", "stages", 0, "turns", 1, "then", to=guard)
    (remark,) = [each for each in spec.lint() if each.code == "course-tells"]
    assert remark.choice == "intent"
    assert remark.agents == ("monitor", "trusted", "auditor")


@settings(max_examples=cases(300), deadline=None)
@given(documents())
def test_any_accepted_protocol_gets_remarks_and_what_never_happens_never_does(document):
    try:
        spec = Specification.from_dict(document)
        plays = [*reference.plays(in_full(spec), most=500)]
    except (SpecError, reference.TooManyPlaysError):
        assume(False)
    found = spec.lint()
    assert "not-proved" not in {remark.code for remark in found}
    for remark in found:
        if remark.code == "verdict-never":
            assert {verdict for *_, verdict in plays} == {None}
        if remark.code in ("choice-never-made", "seat-never-acts"):
            seats = {seat for _, releases, *_ in plays for acted, _ in releases for seat in acted}
            made = {name for _, releases, *_ in plays for _, m in releases for name in m}
            assert remark.choice not in made
            assert remark.choice or remark.agents[0] not in seats
    if spec.verdict != "none" and {verdict for *_, verdict in plays} == {None}:
        assert "verdict-never" in {remark.code for remark in found}


def worlds(deal, moves, states):
    """Yield the same moves with one choice of a seat, or one fact, changed."""
    spec = deal.rules
    for choice in spec.drawn:
        if choice.by == "task":
            for option in spec.options[choice.name]:
                if option != deal.task.facts[choice.name]:
                    facts = {**deal.task.facts, choice.name: option}
                    task = dataclasses.replace(deal.task, facts=facts)
                    yield choice, 0, dataclasses.replace(deal, task=task), moves
    for number, move in enumerate(moves):
        for name, option in move.choices.items():
            for otherwise in spec.options[name]:
                if otherwise == option:
                    continue
                choices, messages = {**move.choices, name: otherwise}, move.messages
                legal = states[number].legal(move.agent)
                if legal.is_silent(spec, choices):
                    messages = {}
                elif not messages:
                    messages = dict.fromkeys(legal.channels, "So.")
                made = Move(move.agent, messages, choices)
                changed = [*moves[:number], made, *moves[number + 1 :]]
                yield spec.choice(name), number + 1, deal, changed


def released(state):
    """Return the state after the turn that is being played, if somebody has moved in it already."""
    while state.held:
        state = after(state, random_move(state, state.to_move[0], random.Random(0)))
    return state


def knows(episode, seat, choice):
    """Return whether a seat may see the present value of a choice."""
    turns = turns_of(episode)
    made = [number for number, r in enumerate(releases(episode)) if choice.name in r.choices]
    turn = made[-1] if made else len(turns) - 1
    return choice.by == seat or sees_by_hand(episode.rules, seat, choice.seen, turns, turn)


def can_tell(deal, moves, states, seats):
    """Return the seats that can distinguish two worlds other than by seeing the difference."""
    told = set()
    for choice, first, other, otherwise in worlds(deal, moves, states):
        state, unsure = begin(other), {*seats} - told
        for number in range(len(moves) + 1):
            if number:
                try:
                    state = after(state, otherwise[number - 1])
                except IllegalMoveError:
                    break
            here = states[number]
            shown = [each for each in (here, state) if not each.over]
            unsure -= {s for s in unsure if any(knows(each, s, choice) for each in shown)}
            if not unsure:
                break
            # Nobody sees how many others a turn still waits for, only what it releases.
            in_step = bool(here.held) == bool(state.held) and here.over == state.over
            if not in_step:
                here, state = released(here), released(state)
            if number >= first and here.over != state.over:
                told |= unsure
            if here.over or state.over:
                break
            differ = {
                s for s in unsure if here.view_for(s).to_dict() != state.view_for(s).to_dict()
            }
            told |= differ
            unsure -= differ
            if not in_step:
                break
    return told


@settings(max_examples=cases(800), deadline=None)
@given(documents(), st.integers(0, 1_000))
def test_seats_that_can_infer_something_hidden_are_named(document, seed):
    spec = accepted(document)
    rng = random.Random(seed)
    deal = deal_of(spec, seed, rng)
    moves, states = played(deal, rng)
    warned = {
        seat
        for remark in spec.lint()
        if remark.code.removesuffix("-tells") in TELLS
        for seat in remark.agents
    }
    assert can_tell(deal, moves, states, {*spec.seat_names} - warned) == set()


@each(
    ("spec", "seat"),
    [
        (changed("examined_debate", "choices", "asked", "seen", to=["judge"]), "alice"),
        (jury(*GUARD, to={"end": "truth = A"}), "juror1"),
        (changed("nip", "choices", "verdict", "seen", to=[]), "prover"),
        (jury("seats", "bob", "argues", to="truth"), "bob"),
    ],
)
def test_planted_inferences_can_be_made(spec, seat):
    deals = (deal_of(spec, seed) for seed in range(10))
    assert any(can_tell(deal, *played(deal, random.Random(deal.seed)), {seat}) for deal in deals)


def test_remarks_about_a_large_protocol_take_bounded_time():
    turn = {
        "ann": {"choose": "k"},
        "bea": {"choose": "m", "when": "k = x"},
        "then": {"end": "m = y"},
    }
    hidden = {"options": ["x", "y"], "seen": []}
    choices = {"k": {"by": "ann", **hidden}, "m": {"by": "bea", **hidden}}
    stages = [{"name": "s", "turns": [turn] * 2_000}]
    document = {"name": "long", "seats": {"ann": "", "bea": ""}, "choices": choices}
    spec = load_specification({**document, "stages": stages})
    found = []
    assert seconds(lambda: found.extend(spec.lint()), 1) < 10
    # The same sentence about many turns is one remark.
    assert {remark.code for remark in found} >= {"asked-tells", "course-tells", "not-proved"}
    assert len(found) < 10


def test_waiting_for_a_seat_reveals_something_to_everybody():
    hidden = {"options": ["x", "y"], "seen": {"bea": "start"}}
    document = {
        "name": "waits",
        "seats": dict.fromkeys(("ann", "bea", "cid"), ""),
        "choices": {"k": {"by": "ann", **hidden}, "m": {"by": "bea", **hidden}},
        "stages": [
            {
                "name": "s",
                "turns": [
                    {"ann": {"choose": "k"}, "cid": {"choose": "n"}},
                    {"bea": {"choose": "m", "when": "k = x"}},
                ],
            }
        ],
    }
    document["choices"]["n"] = {"by": "cid", "options": [1, 2]}
    found = load_specification(document).lint()
    assert [(r.code, r.agents, r.choice) for r in found if r.code != "choice-without-effect"] == [
        ("author-tells", ("cid",), "k")
    ]


def test_the_same_at_several_places_is_one_remark():
    turn = {"bob": {"say": "debate", "when": "vote1 = A"}}
    spec = changed("jury", "stages", 1, "turns", to=[*TWO, turn, turn, turn, turn, turn])
    found = [remark for remark in spec.lint() if remark.code == "asked-tells"]
    assert len(found) == len({(remark.message, remark.remedy) for remark in found})
    assert [remark.place for remark in found] == [
        "stage 'vote', turn 2; stage 'vote', turn 3 and 3 more places"
    ]


def test_what_changes_nothing_is_remarked_on():
    spec = changed("jury", "verdict", to="A")
    assert ("verdict-constant", "verdict") in {(r.code, r.place) for r in spec.lint()}
    document = copy.deepcopy(published("jury").to_dict())
    mood = {"by": "alice", "options": ["x", "y"], "seen": "end"}
    document["choices"]["mood"] = mood
    document["stages"][1]["turns"][0]["alice"] = {"choose": "mood"}
    (remark,) = load_specification(document).lint()
    assert (remark.code, remark.choice, remark.tone) == ("choice-without-effect", "mood", "note")
    for change in (
        {"values": {"moods": {"count": "mood = x", "at": "mood"}}},
        {"verdict": "A if mood = x else B"},
        {
            "choices": document["choices"]
            | {"mood": document["choices"]["mood"] | {"seen": ["bob"]}}
        },
    ):
        changed_document = document | change
        assert "choice-without-effect" not in codes(load_specification(changed_document))


def test_chance_that_only_works_something_out_is_remarked_on():
    agreed = {"by": "chance", "options": ["yes", "no"], "seen": ["alice"]}
    same, other = "1 if vote1 = vote2 else 0", "0 if vote1 = vote2 else 1"
    for weights, remarked in (([same, other], True), ([same, 1], False)):
        document = copy.deepcopy(published("jury").to_dict())
        document["choices"]["agreed"] = agreed | {"weights": weights}
        document["stages"].append({"name": "count", "turns": [{"chance": {"choose": "agreed"}}]})
        spec = load_specification(document)
        assert ("chance-works-out" in codes(spec)) == remarked


LEAVING = {
    "name": "leaving",
    "seats": {"player": "Player", "host": "Host"},
    "choices": {
        "gone": {"by": "host", "options": ["yes", "no"]},
        "vote": {"by": "player", "options": ["a", "b"]},
    },
    "stages": [
        {
            "name": "rounds",
            "times": 3,
            "turns": [
                {"player": {"choose": "vote", "when": "gone != yes"}},
                {"host": {"choose": "gone"}},
            ],
        }
    ],
    "verdict": "vote",
}


def test_a_seat_that_has_left_still_votes_unless_that_is_filtered():
    (remark,) = Specification.from_dict(LEAVING).lint()
    assert (remark.code, remark.choice, remark.agents) == ("choice-may-be-old", "vote", ("player",))
    assert "`vote if ... else none`" in remark.remedy
    once = copy.deepcopy(LEAVING)
    once["stages"][0]["times"] = 1
    paid = {"to": "host", "amount": "1 if vote = a else 0", "at": "vote"}
    for filtered in (
        {**LEAVING, "verdict": "vote if gone != yes else none"},
        {**LEAVING, "verdict": "none", "pay": [paid]},
        once,
    ):
        assert codes(Specification.from_dict(filtered)) == []
