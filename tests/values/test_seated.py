"""Tests of seated.py: a plan at a table earns what the solver says, whatever the others do."""

from copy import copy
from fractions import Fraction
from itertools import product

import pytest

from nip_core import Episode, Move, specification
from nip_core.errors import ModelError
from nip_core.language import GivenPlay, Habit, load_specification
from nip_core.values import Evidence, SeatedPlan, abstracted, best_reply
from tests.depth import each


def starts(spec, given):
    """Yield the facts before play, with their chances."""
    machine = spec.machine
    ways = [({}, Fraction(1))]
    for choice in spec.drawn:
        grown = []
        for facts, chance in ways:
            now = machine.recorded(machine.blank(), facts)
            options = spec.options[choice.name]
            shares = given.chances(machine, choice, options, now, None)
            grown += [
                ({**facts, choice.name: o}, chance * share)
                for o, share in zip(options, shares, strict=True)
                if share
            ]
        ways = grown
    return ways


def mean_pay(spec, plan, habits=()):
    """Return what the seats of a plan are paid together, from all plays at a table."""
    given, machine, seated = GivenPlay(spec, habits), spec.machine, SeatedPlan(plan)

    def moves(episode, seat):
        if seat in plan.seats:
            return [(seated.move(episode, seat), Fraction(1))]
        legal, node = episode.legal(seat), episode.node
        now = {**machine.here(node.place, node.registers)}
        ways = [({}, Fraction(1))]
        for name, options in legal.choices.items():
            shares = given.chances(machine, spec.choice(name), options, now, node.place)
            ways = [
                ({**made, name: o}, chance * share)
                for made, chance in ways
                for o, share in zip(options, shares, strict=True)
                if share
            ]
        said = dict.fromkeys(legal.channels, "words")
        return [(Move(seat, said, choices=made), chance) for made, chance in ways]

    def worth(episode):
        if episode.over:
            paid = episode.result().paid
            return sum((Fraction(paid.get(seat, 0)) for seat in plan.seats), Fraction(0))
        total = Fraction(0)
        waiting = [moves(episode, seat) for seat in episode.to_move]
        for way in product(*waiting):
            branch, chance = copy(episode), Fraction(1)
            for move, share in way:
                branch.play(move)
                chance *= share
            total += chance * worth(branch)
        return total

    total = Fraction(0)
    for facts, chance in starts(spec, given):
        deal = {**{part.name: "text" for part in spec.parts}, **facts}
        total += chance * worth(Episode(spec, deal))
    return total


@each(
    ("name", "seats"),
    [
        ("single_critique", ("critic",)),
        ("single_critique", ("judge",)),
        ("open_consultancy", ("consultant",)),
        ("open_debate", ("protagonist", "opponent")),
    ],
)
def test_a_plan_earns_at_a_table_what_the_solver_says(name, seats):
    spec = specification(name)
    reply = best_reply(spec, seats)
    assert mean_pay(spec, reply.plan) == reply.value


@each(("name", "seats"), [("single_critique", ("critic",)), ("open_debate", ("judge",))])
def test_it_remembers_what_was_shown(name, seats):
    """With evidence and honest experts, the best choice depends on what was shown."""
    game = abstracted(specification(name), Evidence())
    habits = game.honest(mistakes=Fraction(1, 1000))
    reply = best_reply(game.spec, seats, habits=habits)
    assert mean_pay(game.spec, reply.plan, habits) == reply.value


LATE = """
name = "late"
[seats]
alice = {}
bob = {}
[choices]
bit = { by = "alice", options = ["x", "y"], seen = { bob = "end of repetition" } }
guess = { by = "bob", options = ["x", "y"] }
[[stages]]
name = "rounds"
times = 3
turns = [{ alice = { choose = "bit" } }, { bob = { choose = "guess" } }]
[[pay]]
to = "bob"
amount = 1
at = "guess"
when = "guess = bit"
"""


def test_it_remembers_what_was_shown_late():
    """Alice mostly repeats her bit, which Bob sees only when the next repetition begins."""
    spec = load_specification(LATE)
    habits = [Habit("bit", {"x": "3 if bit = x else 1", "y": "3 if bit = y else 1"})]
    reply = best_reply(spec, "bob", habits=habits)
    # A half the first time, then three quarters.
    assert reply.value == Fraction(1, 2) + 2 * Fraction(3, 4)
    assert mean_pay(spec, reply.plan, habits) == reply.value


def test_it_says_whose_turn_it_is_not():
    spec = specification("single_critique")
    seated = SeatedPlan(best_reply(spec, "critic").plan)
    episode = Episode(spec, {"problem": "text", "truth": "accept"})
    assert repr(seated) == "SeatedPlan(critic)"
    with pytest.raises(ModelError, match="It is not the turn of the seat 'critic'"):
        seated.move(episode, "critic")
    with pytest.raises(ModelError, match="The plan has no seat 'judge'; it has critic"):
        seated.move(episode, "judge")
