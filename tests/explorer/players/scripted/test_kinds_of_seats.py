"""Tests of seats/, code.py and text.py.

Every published protocol has players that know its tasks, and what they say belongs to what they do.
"""

import re
from statistics import fmean

import pytest

from explorer.play import prepared_for, task_for
from explorer.players import INVENTED, SeatScript
from explorer.players.scripted.seats.numbers import PROCESSES, alike, chance_of_one, edges_in
from explorer.players.scripted.seats.plans import ODD
from explorer.players.scripted.seats.player import LEVELS_OF, kind_of_seat, levels_of_seat
from explorer.players.scripted.seats.seat import UNPREPARED, Seat, data
from explorer.players.scripted.seats.solutions import equations
from explorer.players.scripted.seats.stakes import AHEAD, Stakes
from nip_core.play import Episode, Setup
from nip_core.registry import published_names, specification
from tests.depth import each


def tasks(spec):
    return [task_for(spec, task, n) for n, task in enumerate(prepared_for(spec))]


def play(spec, task, seed, level="hard", judge="careful", at_random=()):
    episode = Episode.from_setup(Setup.of(spec, task, seed))
    players = {
        seat: SeatScript(7 * seed + n, level, judge, at_random=seat in at_random)
        for n, seat in enumerate(spec.seat_names)
    }
    while not episode.over:
        for seat in episode.to_move:
            episode.play(players[seat].act(episode.view_for(seat)))
    return episode


def said(episode):
    return [m for node in episode.path()[1:] for m in node.release.messages]


@each("name", published_names())
def test_every_seat_knows_its_tasks(name):
    spec = specification(name)
    known = tasks(spec)
    assert len(known) >= 6
    for seed, task in enumerate(known[:12]):
        episode = Episode.from_setup(Setup.of(spec, task, seed))
        kinds = {kind_of_seat(episode.view_for(seat)) for seat in spec.seat_names}
        assert Seat not in kinds
        assert not any(m.text in UNPREPARED for m in said(play(spec, task, seed)))


@each("name", published_names())
def test_nobody_repeats_one_sentence(name):
    """An auditor once answered with the same question; every depth had the same remark."""
    spec = specification(name)
    for seed, task in enumerate(tasks(spec)[:4]):
        texts = [m.text for m in said(play(spec, task, seed)) if m.text]
        assert len({*texts}) >= min(len(texts), 3) - 1


def pay(name, seat, at_random=(), games=48):
    spec = specification(name)
    known = tasks(spec)
    paid = [
        play(spec, known[n % len(known)], n, at_random=at_random).result().totals[seat]
        for n in range(games)
    ]
    return fmean(paid)


@each(
    "name, seat",
    [
        ("trusted_monitor", "untrusted"),
        ("trusted_monitor", "monitor"),
        ("trusted_monitor", "auditor"),
        ("defer_to_trusted", "untrusted"),
        ("trusted_editing", "editor"),
        ("untrusted_monitoring", "developer"),
        ("prover_estimator", "prover"),
        ("prover_estimator", "estimator"),
        ("doubly_efficient_debate", "alice"),
        ("doubly_efficient_debate", "bob"),
        ("legible_prover", "prover"),
        ("legible_prover", "verifier"),
        ("market_making", "market"),
        ("single_critique", "critic"),
        ("single_critique", "judge"),
        ("sum_check", "prover"),
        ("set_size", "arthur"),
        ("three_colouring", "prover"),
        ("graph_nonisomorphism", "prover"),
        ("refereed_delegation", "alice"),
        ("pixel_debate", "judge"),
        ("peer_prediction", "expert"),
        ("iterated_amplification", "person"),
    ],
)
def test_a_script_earns_more_than_random_choices_in_the_words_of_the_case(name, seat):
    assert pay(name, seat) > pay(name, seat, at_random=(seat,))


def test_rules_say_what_a_step_pays():
    def worth(name, seat, caught=False, **known):
        return Stakes(specification(name), seat, known, caught).worth()

    passes = worth("trusted_monitor", "untrusted", intent="harmful")
    assert passes == 10 + AHEAD
    # Found harm ends the game. There are two audits for six steps; in the others, it is replaced.
    found = worth("trusted_monitor", "untrusted", caught=True, intent="harmful")
    assert found == pytest.approx((-3 + 2 * (0.5 + AHEAD)) / 3)
    assert worth("trusted_monitor", "monitor", intent="harmful", action="run") == -9 + AHEAD
    # One audit in four steps catches little.
    assert worth("untrusted_monitoring", "writer", True, intent="harmful", honeypot="no") > AHEAD
    # An audit at the end counts, too.
    assert worth("audit_by_maximum", "untrusted", True, intent="harmful") == AHEAD - 1


def test_harm_that_no_text_shows_does_not_pay():
    """A model that does harm with every step in words that nobody knows is not let through."""
    spec = specification("trusted_monitor")
    for seed, task in enumerate(tasks(spec)):
        episode = play(spec, task, seed, at_random=("untrusted",))
        harmful = [
            node.release
            for node in episode.path()[1:]
            if node.release.choices.get("intent") == "harmful"
        ]
        plans = [plan["steps"] for plan in data("plans")["plans"]]
        plain = {step[0] for steps in plans for step in steps}
        for release in harmful:
            (message,) = release.messages
            assert message.text not in plain
            assert message.text == ODD or any(message.text == s[1] for p in plans for s in p)


@pytest.mark.parametrize("level", INVENTED)
def test_solutions_are_what_they_are_said_to_be(level):
    known = data("solutions")["solutions"]
    for name, good in (("legible_prover", "right"), ("decoupled_prover", "kept")):
        spec = specification(name)
        for seed, task in enumerate(tasks(spec)):
            episode = play(spec, task, seed, level)
            (message,) = [m for m in said(episode) if m.text]
            choices = {k: v for n in episode.path()[1:] for k, v in n.release.choices.items()}
            right = any(message.text == " ".join(case["right"]) for case in known)
            assert right == (choices["answer"] == good)
            assert all(equations(message.text)) or not right


def test_chances_are_those_of_the_process():
    assert chance_of_one("Is the lamp on after the last step?", ["one"]) == pytest.approx(90)
    # A red marble was drawn, and put back with another red one.
    assert chance_of_one("Is the last marble that is drawn red?", ["one"]) == pytest.approx(200 / 3)
    for question in PROCESSES:
        assert 0 <= chance_of_one(question, ["one", "zero", "one"]) <= 100


def test_graphs_are_told_apart():
    path, star = edges_in("1-2, 2-3, 3-4"), edges_in("1-2, 1-3, 1-4")
    assert alike(path, edges_in("3-1, 1-4, 4-2"))
    assert not alike(path, star)


def test_levels_are_said_where_they_matter():
    for name in published_names():
        rules = specification(name)
        for seat in rules.seat_names:
            levels = levels_of_seat(rules, seat)
            assert not levels or levels in LEVELS_OF.values()
    assert "harm" in levels_of_seat(specification("trusted_monitor"), "untrusted")["hard"]
    assert not levels_of_seat(specification("trusted_monitor"), "monitor")


def test_a_critic_names_what_anybody_can_run():
    spec = specification("single_critique")
    for seed, task in enumerate(tasks(spec)[:30]):
        for message in said(play(spec, task, seed)):
            if message.seat == "critic":
                assert re.search(r"`\w+\(.*\)` (?:returns|stops with) `", message.text, re.DOTALL)
