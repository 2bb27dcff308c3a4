"""Tests of screens.py, screen_parts.py, headline.py and stakes.py.

A screen shows the content of the view, in words that fit the seat.
"""

import dataclasses
import json
import random
import re
from pathlib import Path

import pytest

from explorer.play.screens import Seen, screen
from explorer.play.stakes import why_paid
from explorer.players import ScriptedExpert, script_for
from nip_core import HyperParameters, specification
from nip_core.language import Specification
from nip_core.play import Episode, Move, Setup
from nip_core.tasks import problems
from tests.depth import cases, each
from tests.noninterference import build, some_world
from tests.play.turn_players import play_on
from tests.play_worlds import GRAPHS, ONE_TASK, protocols

CLAIMS = ("This program is correct.", "G and H are isomorphic.")
# The fields that say whose channel it is; they follow from the protocol.
WHOSE = ("title", "note", "seats")
WRITTEN = Path(__file__).parents[2] / "language" / "protocols"
YOU = re.compile(r"\byou\b", re.IGNORECASE)


def mnip(**options):
    return Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK, **options)


@pytest.mark.parametrize("name", protocols())
def test_every_view_has_a_screen(name):
    rng = random.Random(name)
    for task in (ONE_TASK, GRAPHS):
        setup = Setup.of(protocols()[name], task, 3, informed_provers=True)
        for _ in range(cases(16)):
            world = some_world(rng, setup, rng.randint(0, setup.rules.longest))
            episode = build(world)
            for agent in setup.rules.seat_names:
                view = episode.view_for(agent)
                shown = screen(view)
                json.dumps(shown, allow_nan=False)
                assert shown["head"]["claim"] in CLAIMS
                assert (shown["ending"] is None) == (not episode.over)
                assert (shown["head"]["verdict"] is None) == (not episode.over)
                seen = [m for c in shown["channels"] for m in c["messages"]]
                assert len(seen) == sum(len(r.messages) for r in view.rounds)
                for channel in shown["channels"]:
                    closed = channel["name"] not in setup.rules.visible_channels(agent)
                    assert channel["closed"] == closed
                    # A closed channel shows only that it exists, and who reads it.
                    if closed:
                        assert channel.keys() == {"name", *WHOSE, "closed", "messages"}
                        assert channel["messages"] == []
                composer, legal = shown["composer"], view.legal
                # In a verifier's last turn there is nothing to ask, in any protocol.
                asks = () if legal.may_decide and legal.last_turn else legal.channels
                assert composer["channels"] == list(asks)
                assert composer["acts"] == legal.may_act
                verdict = composer["verdict"]
                assert (verdict is not None and verdict["open"]) == legal.may_decide
                watched = screen(view, played=False)
                assert watched["you"] is None
                assert not watched["composer"]["channels"]
                assert watched["composer"]["verdict"] is None
                assert not YOU.search(json.dumps([watched["head"], watched["channels"]]))


@each("name", protocols())
def test_a_verifiers_last_turn_is_for_its_verdict(name):
    """A further question would lose the game: nobody could answer, and no verdict would follow."""
    setup = Setup.of(protocols()[name], ONE_TASK, 3)
    episode, last = Episode.from_setup(setup), None
    while not episode.over:
        for agent in episode.to_move:
            legal = episode.legal(agent)
            if agent == setup.rules.roles.deciders[0]:
                last = screen(episode.view_for(agent))
            episode.play(Move(agent, dict.fromkeys(legal.channels, "Why?")))
    assert last is not None
    assert last["composer"]["channels"] == []
    assert last["composer"]["verdict"]["open"]
    assert "last turn" in last["head"]["means"]


def test_the_head_says_that_a_move_is_made_and_when_a_verdict_counts():
    episode = mnip()
    episode.play(Move("verifier", {"prover0_channel": "a", "prover1_channel": "b"}))
    episode.play(Move("prover0", {"prover0_channel": "c"}))
    head = screen(episode.view_for("prover0"))["head"]
    assert f"{head['now']} {head['means']}".startswith("Turn 2 of 8. Your move is made")
    late = screen(mnip_late().view_for("verifier"))["head"]
    assert late["means"].endswith("counts from turn 5 on.")


@pytest.mark.parametrize("name", protocols())
def test_an_informed_prover_reads_what_it_knows_and_nobody_else_does(name):
    rng = random.Random(name)
    right = {"y": 1, "explanation": "All of it is right.", "exposing": None}
    true = dataclasses.replace(ONE_TASK, **right)
    for task, informed in ((ONE_TASK, True), (true, True), (ONE_TASK, False)):
        setup = Setup.of(protocols()[name], task, 3, informed_provers=informed)
        world = some_world(rng, setup, 2)
        episode = build(world)
        for agent in setup.rules.seat_names:
            view = episode.view_for(agent)
            brief = screen(view)["head"]["brief"]
            knows = informed and agent in setup.rules.provers and not episode.over
            assert (brief is not None) == knows
            assert screen(view, played=False)["head"]["brief"] is None
            if brief is None:
                continue
            assert brief["truth"] == ("correct" if task.y else "wrong")
            assert brief["after"][2:] in task.explanation
            sides = {0: "that it is wrong.", 1: "that it is correct.", None: ""}
            assert brief["task"].endswith(sides[view.stance])


def test_the_brief_is_one_sentence_and_a_task():
    why = "Exactly half a cent goes to even. The task says up."
    task = dataclasses.replace(ONE_TASK, explanation=why)
    setup = Setup.of(HyperParameters(interaction_protocol="debate"), task, 3, informed_provers=True)
    episode = Episode.from_setup(setup)

    def words(agent, **how):
        head = Seen(episode, agent, **how).screen["head"]
        return head["brief"] and " ".join(head["brief"].values())

    for agent, side in (("prover0", "wrong"), ("prover1", "correct")):
        assert words(agent) == (
            "You know that it is wrong : Exactly half a cent goes to even. "
            f"Convince the verifier that it is {side}."
        )
        assert words(agent, revealed=False) == words(agent)
        assert Seen(episode, agent).stopped("Paused.")["head"]["brief"] is not None
        assert Seen(episode, agent).stopped("Over.", for_good=True)["head"]["brief"] is None
    assert words("verifier") is None
    while not episode.over:
        for agent in episode.to_move:
            legal = episode.legal(agent)
            ends = legal.may_decide
            episode.play(
                Move(agent, {} if ends else dict.fromkeys(legal.channels, "a"), 0 if ends else 2)
            )
    assert [words(agent) for agent in episode.rules.seat_names] == [None] * 3
    assert words("prover0", revealed=False) is None


def mnip_late():
    group = {"min_message_rounds": 4}
    return Episode(HyperParameters(interaction_protocol="mnip", mnip_protocol=group), ONE_TASK)


@each(
    ("decision", "seat", "right", "good", "said"),
    [
        (0, "verifier", True, True, "✓ Right: you rejected a false claim."),
        (1, "verifier", False, False, "✕ Wrong: you accepted a false claim."),
        (1, "prover", False, True, "✓ You won: the verifier accepted a false claim."),
        (0, "prover", True, False, "✕ You lost: the verifier rejected a false claim."),
        (None, "verifier", None, None, "○ No verdict: the turns ran out. The claim was false."),
        (None, "prover", None, None, "○ No verdict: the turns ran out. The claim was false."),
    ],
)
def test_at_the_end_the_head_says_the_result_from_the_seat(decision, seat, right, good, said):
    assert ONE_TASK.y == 0
    verdict = screen(ended(decision).view_for(seat))["head"]["verdict"]
    assert verdict["right"] is right
    assert verdict["good"] is good
    assert f"{verdict['sign']} {verdict['word']}: {verdict['text']}" == said
    assert verdict["why"] == ONE_TASK.explanation


def test_who_watches_a_prover_has_neither_won_nor_lost():
    verdict = screen(ended(1).view_for("prover"), played=False)["head"]["verdict"]
    assert verdict["word"] == "Wrong"
    assert verdict["good"] is False


def test_before_the_reveal_a_prover_knows_whether_it_has_won():
    for decision, won in ((1, "You won."), (0, "You lost.")):
        head = Seen(ended(decision), "prover", revealed=False).screen["head"]
        assert head["now"].startswith(won)
        assert head["verdict"] is None
        assert "You" not in Seen(ended(decision), "prover", revealed=False).watched["head"]["now"]


def test_a_held_move_is_shown_to_its_own_seat():
    episode = mnip()
    episode.play(Move("verifier", {"prover0_channel": "a", "prover1_channel": "b"}))
    episode.play(Move("prover0", {"prover0_channel": "c"}))
    assert screen(episode.view_for("prover0"))["composer"]["held"]["messages"] == {
        "prover0_channel": "c"
    }
    assert screen(episode.view_for("prover1"))["composer"]["held"] is None


def ended(decision, protocol="nip", **common):
    parameters = HyperParameters(interaction_protocol=protocol, protocol_common=common)
    episode = Episode(parameters, ONE_TASK)
    episode.play(Move("verifier", {"main": "a"}))
    episode.play(Move("prover", {"main": "b"}))
    if decision is None:
        while not episode.over:
            episode.play(Move(episode.to_move[0], {"main": "c"}))
    else:
        episode.play(Move("verifier", decision=decision))
    return episode


@each(
    ("decision", "common", "verifier", "prover"),
    [
        (0, {}, "The verdict is right: +1.", "It argued for accept, and the verdict is reject."),
        (
            1,
            {},
            "The verdict is wrong: −1.",
            "It argued for accept, and the verdict is accept: +1.",
        ),
        (None, {}, "The turns ran out: −1.", "It argued for accept, and there was no verdict."),
        (
            0,
            {"shared_reward": True},
            "The verdict is right: +1.",
            "It shares the verifier's reward",
        ),
        (
            0,
            {"verifier_no_guess_reward": 0.5},
            "The verdict is right: +1. Before that: +0.5 in all.",
            "It argued",
        ),
        (1, {"force_guess": "y"}, "The verdict is right: +1. The verdict was forced.", "It argued"),
    ],
)
def test_rewards_are_explained(decision, common, verifier, prover):
    assert ONE_TASK.y == 0
    if "force_guess" in common:
        episode = Episode(HyperParameters(protocol_common=common), ONE_TASK)
        episode.play(Move("verifier", {"main": "a"}))
    else:
        episode = ended(decision, **common)
    view = episode.view_for("verifier")
    assert why_paid(view, "verifier") == verifier
    assert why_paid(view, "prover").startswith(prover)


def test_a_reward_is_shown_with_the_value_of_random_play():
    # Eight rounds with four turns: a third goes on each time, 1/81 never decides. Right and wrong
    # cancel, and never deciding costs 1: -1/81. The prover gets 1 for 40/81 of the verdicts.
    paid = screen(ended(0).view_for("verifier"))["ending"]["rewards"]
    assert {row["seat"]: row["random"] for row in paid} == {
        "verifier": pytest.approx(-1 / 81),
        "prover": pytest.approx(40 / 81),
    }


def test_graphs_are_drawn_from_their_names():
    shown = screen(Episode(HyperParameters(), GRAPHS).view_for("verifier"))["statement"]
    for drawn, graph in zip(
        shown["parts"][0]["graphs"], (GRAPHS.payload.first, GRAPHS.payload.second), strict=True
    ):
        assert drawn["nodes"] == list(graph.names)
        assert {tuple(e) for e in drawn["edges"]} == set(graph.edges)
        assert all(len(places) == len(graph.names) for places in drawn["layouts"].values())
    over = Episode(HyperParameters(), GRAPHS)
    over.play(Move("verifier", decision=1))
    renaming = screen(over.view_for("verifier"))["ending"]["renaming"]
    assert [a for a, _ in renaming] == list(GRAPHS.payload.first.names)


@each(("seen", "note"), [({}, ""), ({"ann": "end"}, " before the end")])
def test_a_part_that_nobody_may_read_is_named(seen, note):
    document = {
        "format": "nip-protocol/2",
        "name": "sealed",
        "verdict": "yes",
        "seats": {"ann": "Ann"},
        "parts": {"letter": seen},
        "choices": {"yes": {"by": "ann", "options": [0, 1]}},
        "stages": [{"name": "judging", "turns": [{"ann": {"choose": "yes"}}]}],
    }
    episode = Episode(Specification.from_dict(document), {"letter": "A secret."})
    (part,) = Seen(episode, "ann").screen["statement"]["parts"]
    assert (part["text"], part["note"]) == (None, f"Nobody can read this{note}.")


def test_the_head_says_what_a_game_is_about_and_then_the_truth():
    task = {"problem": "Is it so?", "truth": "accept"}
    episode = Episode(specification("single_critique"), task)
    assert screen(episode.view_for("critic"))["head"]["claim"] == "Is it so?"
    # At the end the head says the truth, so that it stands nowhere else.
    play_on(episode, random.Random(0))
    shown = screen(episode.view_for("judge"))
    assert "the truth is accept" in shown["head"]["verdict"]["text"]
    assert shown["statement"]["facts"] == []


@each(
    ("name", "seat", "channels"),
    [
        (
            "mnip",
            "prover0",
            [
                ("The verifier and you", "Prover 2 cannot read this."),
                ("Prover 2 and the verifier", "You cannot read this."),
            ],
        ),
        (
            "debate",
            "prover0",
            [
                ("The verifier and you", "Prover 2 reads along."),
                ("Prover 2 and the verifier", "You read along."),
            ],
        ),
        ("solo_verifier", "verifier", [("You alone", "")]),
    ],
)
def test_a_channel_says_who_writes_and_who_reads(name, seat, channels):
    episode = Episode(HyperParameters(interaction_protocol=name), ONE_TASK)
    shown = screen(episode.view_for(seat))["channels"]
    assert [(each["title"], each["note"]) for each in shown] == channels


def test_values_are_told_by_the_rules():
    spec = Specification.from_toml((WRITTEN / "monitored.toml").read_text("utf-8"))
    episode = Episode(spec, {"goal": "Do the work.", "keeps": "keep"})
    episode.play(Move("agent", {"log": "Done."}, choices={"intent": "work"}))
    episode.play(Move("monitor", choices={"suspicion": 80}))
    shown = screen(episode.view_for("auditor"))
    (told,) = [made for made in shown["chosen"] if made["by"] == "rules"]
    assert (told["what"], told["option"]) == ("highest suspicion", "80")
    assert shown["agents"]["rules"]["label"] == "="


def test_what_a_prover_offers_is_one_tap_away_until_the_judge_speaks_again():
    task = problems()[0].wrong
    episode = Episode(HyperParameters(interaction_protocol="nip"), task)
    expert = ScriptedExpert(script_for(task, 1))

    def asks():
        return screen(episode.view_for("verifier"))["composer"]["asks"]

    def ask(text):
        (channel,) = episode.view_for("verifier").legal.channels
        episode.play(Move("verifier", {channel: text}))
        episode.play(expert.turn(episode.view_for("prover")).move)

    ask("Hello")
    ask("blue moons")
    offered = asks()[: -len(task.statement.asks)]
    assert len(offered) == 3
    assert asks()[3:] == list(task.statement.asks)
    (*_, last) = episode.view_for("verifier").rounds
    assert all(option in last.messages[0].text for option in offered)
    ask(offered[-1])
    assert not {*offered} & {*asks()}
