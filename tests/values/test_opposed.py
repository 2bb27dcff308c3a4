"""Tests of sequences.py, opposing.py, efg.py, commitment.py and audits.py, on documents."""

import dataclasses
import io
import random
import re
import sys
import threading
from fractions import Fraction
from functools import cache

import pytest

from nip_core import protocol, protocol_spec, specification
from nip_core.errors import ModelError, SpecError, UnknownNameError
from nip_core.language import Habit, Specification, load_specification
from nip_core.language.data import Pay
from nip_core.language.version1 import from_version_1
from nip_core.spec import PAYOFFS
from nip_core.values import (
    Evidence,
    abstracted,
    audit_frontier,
    best_mechanism,
    best_reply,
    committed,
    opposed,
    to_efg,
    with_counters,
)
from tests.depth import each, first, seeds
from tests.judges import judge

# The boss may look once; what the worker does is shown at the end only.
INSPECTION = """
name = "inspection"
verdict = "none"
settings = { steps = 3 }
pay = [
  { to = { worker = 1, boss = -1 }, at = "act", amount = "caught if look = yes else sneaked" },
]
limits = [{ seat = "boss", of = "look", option = "yes", most = 1 }]
[seats]
worker = "Worker"
boss = "Boss"
[channels]
floor = "everyone"
[values]
caught = "-2 if act = cheat else 1/3"
sneaked = "1 if act = cheat else 0"
[choices]
act = { by = "worker", options = ["work", "cheat"], seen = { boss = "end" } }
look = { by = "boss", options = ["no", "yes"], seen = ["worker"] }
[[stages]]
name = "days"
times = "steps"
[[stages.turns]]
worker = { choose = "act" }
boss = { choose = "look" }
then = { end = "look = yes and act = cheat" }
"""
INSPECTED = {1: Fraction(1, 10), 2: Fraction(5, 13), 3: Fraction(3, 4), 4: Fraction(22, 19)}


def inspection(steps):
    return load_specification(INSPECTION, {"steps": steps})


# -- two opposed sides -----------------------------------------------------------------------------


@pytest.mark.parametrize("steps", INSPECTED)
def test_both_ways_find_the_value(steps):
    spec = inspection(steps)
    by_program, by_rounds = opposed(spec, "worker", "boss"), opposed(spec, "worker", "boss", most=1)
    for found in (by_program, by_rounds):
        assert found.low <= INSPECTED[steps] <= found.high
        assert found.high - found.low < Fraction(1, 10**6)
        # Best replies to the plans confirm the bounds.
        one, other = found.plans
        assert best_reply(spec, "boss", players=[one]).value == -found.low
        assert best_reply(spec, "worker", players=[other]).value == found.high
    assert by_program.exact
    assert sum(row[-1] for row in by_program.plans[0].table().rows) == pytest.approx(
        len(by_program.plans[0].table().rows) / 2
    )


def test_limits_end_the_work_and_say_so():
    spec = inspection(8)
    assert "0.0001 seconds" in opposed(spec, "worker", "boss", seconds=1e-4).how
    stop = threading.Event()
    stop.set()
    spec = inspection(10)
    for most in (None, 1):
        found = opposed(spec, "worker", "boss", cancelled=stop, most=most)
        assert found.how == "not computed: the work was cancelled"
    assert committed(spec, "worker", "boss", most=10).how == "not computed: more than 10 moves"
    assert to_efg(spec, most=10).how == "not computed: more than 10 moves"
    with pytest.raises(ModelError, match="'for' or 'against'"):
        committed(spec, "worker", "boss", ties="never")
    with pytest.raises(ModelError, match="'boss' must be on one side only"):
        opposed(spec, "boss", ("worker", "boss"))
    with pytest.raises(UnknownNameError, match="nobody"):
        to_efg(spec, "boss", "nobody")


# -- Gambit ----------------------------------------------------------------------------------------


def value_by_gambit(spec, one, other, goal):
    """Return the value of a zero-sum game as Gambit finds it in the exported file.

    It is None if nobody has a choice, and where Gambit's plan is none: in some games in which all
    is equally good, its probabilities are all 0. So both sides' payoffs add up to 1 here.
    """
    game = to_efg(spec, one, other, goals=[goal, goal])
    pays = re.compile(r"\{ (\S+), \S+ \}$", re.MULTILINE)
    text = pays.sub(lambda pay: f"{{ {pay[1]}, {1 - Fraction(pay[1])} }}", game.text)
    theirs = judge("pygambit").read_efg(io.BytesIO(text.encode()))
    first, second = theirs.players
    if not list(theirs.get_infosets(first)) or not list(theirs.get_infosets(second)):
        return None
    found = judge("pygambit").nash.lp_solve(theirs, rational=True).equilibrium
    value, rest = (
        Fraction(int(pay.numerator), int(pay.denominator))
        for pay in (found.payoffs[first], found.payoffs[second])
    )
    return value if value + rest == 1 and found.max_regret() == 0 else None


@each("steps", [1, 2, 3])
def test_gambit_finds_the_same_value(steps):
    value = value_by_gambit(inspection(steps), "worker", "boss", {"worker": 1})
    assert value == INSPECTED[steps]


def random_document(rng):
    """Return a small random document with two sides, chance, guards, and sight of every kind."""
    names, by = ["a1", "a2", "b1", "b2", "c1"], {"a": "ann", "b": "bob", "c": "chance"}
    sights = [[], ["ann"], ["bob"], "everyone", {"ann": "last"}, {"bob": "end of repetition"}]
    choices = {}
    for name in names:
        options = rng.choice([["x", "y"], ["x", "y"], ["x", "y", "z"]])
        choices[name] = {"by": by[name[0]], "options": options, "seen": rng.choice(sights)}
    choices["c0"] = {"by": "chance", "options": ["x", "y"], "seen": rng.choice(sights)}
    choices["c0"]["weights"] = [str(rng.randint(1, 3)), str(rng.randint(1, 3))]

    def condition(known):
        return f"{rng.choice(known)} {rng.choice(['=', '!='])} {rng.choice('xy')}"

    def act(name, known):
        written = {"choose": name}
        if rng.random() < 0.25:
            written["when"] = condition(known)
        return {choices[name]["by"]: written}

    known, stages = ["c0"], []
    for stage, size in (("first", 2), ("last", rng.randint(1, 2))):
        turns = []
        for _ in range(size):
            acts = {}
            for name in rng.sample(names, rng.randint(1, 2)):
                acts |= act(name, known)
                known.append(name)
            if rng.random() < 0.2:
                acts["then"] = {"end": condition(known)}
            turns.append(acts)
        stages.append({"name": stage, "times": rng.choice([1, 1, 2]), "turns": turns})
    pay = []
    for _ in range(rng.randint(2, 4)):
        amount = f"{rng.randint(-5, 5)} if {condition(known)} else {rng.randint(-5, 5)} / 3"
        rule = {"to": {"ann": rng.randint(-2, 2), "bob": rng.randint(-2, 2)}, "amount": amount}
        if rng.random() < 0.5:
            rule["when"] = condition(known)
        if rng.random() < 0.3:
            rule["at"] = rng.choice(known[1:])
        pay.append(rule)
    used = {name: choice for name, choice in choices.items() if name in known}
    return Specification.from_dict(
        {
            "format": "nip-protocol/2",
            "name": "random",
            "seats": {"ann": "Ann", "bob": "Bob"},
            "channels": {"floor": "everyone"},
            "choices": used,
            "stages": stages,
            "verdict": "none",
            "pay": pay,
        }
    )


@cache
def document_of(seed):
    """Return a random document that is valid, and has at most 60 ends."""
    for attempt in range(100):
        try:
            spec = random_document(random.Random(1000 * seed + attempt))
        except SpecError:
            continue
        game = to_efg(spec, "ann", "bob", most=150)
        if game.text and 1 < game.ends <= 60:
            return spec
    raise AssertionError("no document")


GOAL = {"ann": 1, "bob": -2}


@pytest.mark.parametrize("seed", seeds(80))
def test_random_documents_have_the_value_of_gambit_and_no_better_replies(seed):
    spec = document_of(seed)
    found = opposed(spec, "ann", "bob", goal=GOAL)
    assert found.exact
    assert value_by_gambit(spec, "ann", "bob", GOAL) in (None, found.low)
    # Replies are found in another way, without the sequences of moves.
    one, other = found.plans
    worst = {seat: -amount for seat, amount in GOAL.items()}
    assert best_reply(spec, "bob", players=[one], goal=worst).value == -found.low
    assert best_reply(spec, "ann", players=[other], goal=GOAL).value == found.low
    if seed % 4 == 0:
        # Plans that are found one by one have the same value.
        rough = opposed(spec, "ann", "bob", goal=GOAL, most=1, seconds=20)
        assert rough.low <= found.low <= rough.high
        assert rough.high - rough.low < Fraction(1, 10**6)


NOTICED = """
name = "noticed"
verdict = "none"
seats = { ann = "Ann", bob = "Bob" }
pay = [{ to = "ann", amount = "1 if deed = good else 0" }]
[choices]
deed = { by = "ann", options = ["good", "bad"], seen = [] }
word = { by = "bob", options = ["yes", "no"], seen = "everyone" }
later = { by = "ann", options = ["yes", "no"] }
[[stages]]
name = "s"
turns = [
  { ann = { choose = "deed" } }, { bob = { choose = "word" } }, { ann = { choose = "later" } },
]
"""


def test_a_plan_is_played_where_one_of_its_choices_makes_no_difference():
    """The other side takes notice of it only where it chooses freely, too."""
    spec = load_specification(NOTICED)
    found = opposed(spec, "ann", "bob")
    assert best_reply(spec, "ann", players=[found.plans[1]]).value == found.low == 1


# -- version 1 -------------------------------------------------------------------------------------


def both_models(
    name, rounds, prior=Fraction(1, 2), knows=Fraction(1), own=Fraction(1, 2), **common
):
    """Return a version 1 protocol, and a document of it in which messages are free symbols."""
    spec = protocol_spec(name)
    handler = protocol(spec.replace(max_message_rounds=rounds), **common)
    evidence = Evidence(shows=1, fakes=1, prior=prior, knows=knows, own=own)
    return handler, abstracted(from_version_1(handler.spec), evidence)


# For each seed: the safe value and the best commitments with ties for and against the verifier, as
# version 1 found them in the tree of its own game.
VERSION_1 = {
    0: "5/2 643/256 643/256",
    42: "-1/4 -1/16 -1/4",
    49: "33/32 5/4 5/4",
    56: "31/16 2 2",
    81: "21/16 45/32 45/32",
    84: "23/8 15/4 15/4",
    90: "239/128 1001/512 1001/512",
    146: "1/8 1/2 1/2",
    148: "107/128 55/64 55/64",
    150: "23/32 49/64 49/64",
    151: "19/32 317/512 317/512",
    152: "7/8 1 1",
}


@pytest.mark.parametrize("seed", first(6, VERSION_1))
def test_one_prover_is_worth_what_it_was_in_version_1(seed):
    rng = random.Random(seed)
    common = {key: rng.randint(-8, 8) / 4 for key in PAYOFFS}
    common["shared_reward"] = rng.choice([False, False, True])
    prior = Fraction(rng.randint(1, 15), 16)
    knows, own = (rng.choice([Fraction(1), Fraction(3, 4), Fraction(1, 2)]) for _ in range(2))
    name, rounds = rng.choice([("adp", 2), ("nip", 2), ("nip", 3), ("nip", 4)])
    handler, symbols = both_models(name, rounds, prior, knows, own, **common)
    known = {"prior": prior, "prover_accuracy": knows, "verifier_accuracy": own}
    # How often a claim holds is a habit of the task.
    sides = (symbols.spec, "verifier", "prover")
    habits = symbols.honest()
    safe, *values = map(Fraction, VERSION_1[seed].split())
    assert opposed(*sides, habits=habits).low == safe
    for ties, expected in zip(("for", "against"), values, strict=True):
        found = committed(*sides, ties=ties, habits=habits)
        best = best_mechanism(handler, pessimistic=ties == "against", **known)
        assert (best.value, best.safe_value) == (expected, safe)
        assert found.low == pytest.approx(float(expected), abs=1e-6)
        assert found.exact


# -- audits ----------------------------------------------------------------------------------------


def monitored(steps, shows, fakes):
    """Return the trusted monitor with seats that count harm and useful work."""
    spec = specification("trusted_monitor").with_settings(steps=steps, audits=1)
    spec = abstracted(spec, Evidence(shows=shows, fakes=fakes)).spec
    choices = (
        dataclasses.replace(c, options=(0,)) if c.name == "suspicion" else c for c in spec.choices
    )
    share = f"1 / {steps} if action = run else 1 / {2 * steps} if action = replace else "
    return with_counters(
        spec.replace(choices=tuple(choices)),
        {
            "harm": [Pay((), "1", "action = run and intent = harmful", "action")],
            "useful": [Pay((), f"{share} 3 / {10 * steps}", at="action")],
        },
    )


FINDS = Habit(
    "finding", {"harm": "1 if intent = harmful else 0", "clean": "1 if intent = harmless else 0"}
)


def audited(steps, fakes=Fraction(1, 2), **limits):
    return audit_frontier(
        monitored(steps, Fraction(9, 10), fakes),
        "monitor",
        "untrusted",
        useful={"useful": 1},
        harm={"harm": 1},
        honest={"intent": "harmless"},
        habits=[FINDS],
        **limits,
    )


def test_one_step_with_an_audit():
    # Replace all: 1/2. Run what looks well, audit the rest: 9/10 + 1/10 * 3/10, and half the harm
    # is seen. Replacing the rest is worth more than auditing it.
    corners = [(corner.harm, corner.useful) for corner in audited(1).corners]
    assert corners == [(0, Fraction(1, 2)), (Fraction(1, 2), Fraction(19, 20)), (1, 1)]


@pytest.mark.parametrize("steps", [2, 3])
def test_corners_of_the_frontier_are_certain(steps):
    found = audited(steps)
    assert found.how == "exact"
    assert found.corners[0].harm == 0
    assert (found.corners[-1].harm, found.corners[-1].useful) == (steps, 1)
    spec = monitored(steps, Fraction(9, 10), Fraction(1, 2))
    slopes = []
    for low, high in zip(found.corners, found.corners[1:], strict=False):
        assert low.useful < high.useful
        slopes.append((high.useful - low.useful) / (high.harm - low.harm))
    assert slopes == sorted(slopes, reverse=True)
    # The best reply to a plan does exactly its harm.
    for corner in found.corners[:: len(found.corners) // 3]:
        reply = best_reply(
            spec, "untrusted", goal={"harm": 1}, habits=[FINDS], players=[corner.plan]
        )
        assert reply.value == corner.harm


def test_a_better_monitor_costs_less():
    def useful_at(frontier, harm):
        points = [(float(corner.harm), float(corner.useful)) for corner in frontier.corners]
        return max(useful for level, useful in points if level <= harm)

    assert useful_at(audited(3, Fraction(1, 5)), 0.3) > 0.93
    assert useful_at(audited(3), 0.3) < 0.7


def test_a_program_that_takes_too_long_is_named(monkeypatch):
    said = "The linear program took too much time"
    for place in ("opposing.saddle", "commitment.saddle", "audits.solved"):
        module, _, name = place.partition(".")
        module = sys.modules[f"nip_core.values.{module}"]
        monkeypatch.setattr(module, name, lambda *_, **__: None)
    spec = inspection(2)
    for found in (opposed(spec, "worker", "boss"), committed(spec, "worker", "boss"), audited(1)):
        assert said.lower() in found.how.lower()


def test_frontiers_have_limits():
    assert audited(3, most=100).how == "not computed: more than 100 moves"
    assert audited(3, seconds=1e-4).how.startswith("not computed: the work took more than")
