"""Tests of proofs in nip_core/language/protocols: they catch lies as often as their papers say.

Seats play by habits, and all plays are counted in fractions.
"""

import itertools
import re
from fractions import Fraction

import networkx
import pytest

from explorer.play import find_task, materials
from nip_core import specification
from nip_core.language import Habit
from nip_core.values import play_values
from tests.depth import each


def by(spec, name, value):
    """Return the habit of a choice that is always what an expression says."""
    return Habit(name, {o: f"1 if ({value}) = {o} else 0" for o in spec.options[name]})


def either(spec, name, condition):
    """Return the habit of a choice with two options: the first one if a condition holds."""
    first, second = spec.options[name]
    return Habit(name, {first: f"1 if {condition} else 0", second: f"0 if {condition} else 1"})


def facts(spec, **values):
    return [Habit(name, {value: 1}) for name, value in values.items()]


def tasks(name):
    """Return the prepared tasks of a protocol."""
    spec = specification(name)
    return [find_task(spec, task, 0) for task in materials(spec)]


# -- refereed delegation ---------------------------------------------------------------------------


def stepped(state, times=1):
    for _ in range(times):
        state = f"((factor * {state} + shift) mod 7)"
    return state


def delegated(honest):
    """Return the habits of one honest server and of an honest referee."""
    spec = specification("refereed_delegation")
    server = [by(spec, f"{honest}{n}", stepped("start", n)) for n in (1, 2, 3, 4)]
    begins = "((start if a1 != b1 else a1) if a2 != b2 else a2 if a3 != b3 else a3)"
    said = "((a1 if a1 != b1 else a2) if a2 != b2 else a3 if a3 != b3 else a4)"
    return spec, [*server, either(spec, "ruling", f"{said} = {stepped(begins)}")]


def test_one_honest_server_is_enough():
    for honest in "ab":
        spec, habits = delegated(honest)
        run = facts(spec, start=1, factor=3, shift=1, result=2)
        # The other server answers at random, and so does everything that it can.
        assert play_values(spec, [*habits, *run], plays=0).verdicts == {2: 1}


def test_results_of_delegated_computations_are_right():
    for task in tasks("refereed_delegation"):
        state = task["start"]
        for _ in range(4):
            state = (task["factor"] * state + task["shift"]) % 7
        assert task["result"] == state, task["title"]
        assert all(str(task[fact]) in task["computation"] for fact in ("start", "factor", "shift"))


# -- sum-check -------------------------------------------------------------------------------------


POLYNOMIAL = {"a": 1, "b": 2, "c": 3, "d": 4}


def total_of(a, b, c, d):
    """Return the sum over the four corners."""
    return sum(a + b * x + c * y + d * x * y for x in (0, 1) for y in (0, 1)) % 5


def accepted(spec, habits, **known):
    """Return how often an honest verifier accepts, which looks at what the rules have checked."""
    checks = {
        "sum_check": "check = accept",
        "graph_nonisomorphism": "missed = 0",
        "three_colouring": "alike = 0",
    }
    holds = checks[spec.name]
    verifier = Habit(
        "verdict", {"accept": f"1 if {holds} else 0", "reject": f"0 if {holds} else 1"}
    )
    found = play_values(spec, [verifier, *habits, *facts(spec, **known)], plays=0)
    assert found.method == "fractions"
    return found.verdicts.get("accept", 0)


def test_an_honest_prover_of_a_sum_is_always_accepted():
    spec = specification("sum_check")
    rounds = {"g0": "2 * a + c", "g1": "2 * a + 2 * b + c + d", "h0": "a + b * r"}
    rounds["h1"] = "a + c + (b + d) * r"
    honest = [by(spec, name, f"({value}) mod 5") for name, value in rounds.items()]
    total = total_of(**POLYNOMIAL)
    assert accepted(spec, honest, truth="accept", total=total, **POLYNOMIAL) == 1


def test_a_lie_about_a_sum_passes_nine_times_in_twenty_five():
    """A wrong line meets the right one at one of five points: 1/5 + 4/5 * 1/5 = 1 - (4/5)^2."""
    spec = specification("sum_check")
    wrong = (total_of(**POLYNOMIAL) + 1) % 5
    known = {"truth": "reject", "total": wrong, **POLYNOMIAL}
    liar = {"g0": "2 * a + c", "g1": "total - g0", "h0": "a + b * r", "h1": "owed - h0"}
    # The second value of a line depends on the first, which is sent with it: it is worked out.
    liar["g1"] = f"total - ({liar['g0']})"
    liar["h1"] = f"owed - ({liar['h0']})"
    best = [by(spec, name, f"({value} + 10) mod 5") for name, value in liar.items()]
    assert accepted(spec, best, **known) == Fraction(9, 25)
    # Lines that do not begin at the right value are never better.
    for first in range(5):
        for second in range(5):
            lines = {
                "g0": first,
                "g1": f"{wrong} - {first}",
                "h0": second,
                "h1": f"owed - {second}",
            }
            other = [by(spec, name, f"({value} + 10) mod 5") for name, value in lines.items()]
            assert accepted(spec, other, **known) <= Fraction(9, 25)


def test_sums_of_prepared_polynomials_are_what_is_said():
    for task in tasks("sum_check"):
        right = total_of(*(task[name] for name in "abcd")) == task["total"]
        assert (task["truth"] == "accept") == right, task["title"]
        assert str(task["total"]) in task["polynomial"]
    assert {task["truth"] for task in tasks("sum_check")} == {"accept", "reject"}


# -- graph non-isomorphism -------------------------------------------------------------------------


@each("rounds", [1, 2, 3])
def test_shuffled_graphs_are_told_apart_only_if_they_differ(rounds):
    spec = specification("graph_nonisomorphism", rounds=rounds)
    sees = [by(spec, "named", "coin")]
    assert accepted(spec, sees, truth="accept") == 1
    # Copies of graphs of one shape look the same, so that the answer cannot depend on the coin.
    for share in (Fraction(0), Fraction(1, 3), Fraction(1)):
        guesses = [Habit("named", {"first": share, "second": 1 - share})]
        assert accepted(spec, guesses, truth="reject") == Fraction(1, 2**rounds)


def edges_in(text):
    """Return the edges of each of the graphs that are written down, such as `1-2`."""
    return [re.findall(r"(\d)-(\d)", line) for line in text.splitlines() if "-" in line]


def test_prepared_graphs_are_of_one_shape_or_not_as_is_said():
    for task in tasks("graph_nonisomorphism"):
        first, second = map(networkx.Graph, edges_in(task["graphs"]))
        assert first.size() == second.size(), task["title"]
        same = networkx.is_isomorphic(first, second)
        assert task["truth"] == ("reject" if same else "accept"), task["title"]


# -- 3-colouring -----------------------------------------------------------------------------------


ALL = {"e12": 1, "e13": 1, "e14": 1, "e23": 1, "e24": 1, "e34": 1}


@each("rounds", [1, 2])
def test_a_graph_without_a_colouring_fails_in_one_edge_of_all(rounds):
    spec = specification("three_colouring", rounds=rounds)
    colours = {"c1": "red", "c2": "green", "c3": "blue"}
    # All four nodes are joined: any colouring has an edge with ends alike.
    lie = facts(spec, **colours, c4="blue")
    assert accepted(spec, lie, truth="reject", **ALL) == Fraction(5, 6) ** rounds
    honest = facts(spec, **colours, c4="blue")
    assert accepted(spec, honest, truth="accept", **{**ALL, "e34": 0}) == 1


def test_no_colouring_of_four_joined_nodes_is_better():
    spec = specification("three_colouring", rounds=1)
    shades = spec.options["c1"]
    for colours in itertools.product(shades[:1], shades[:2], shades, shades):
        lie = facts(spec, **dict(zip(("c1", "c2", "c3", "c4"), colours, strict=True)))
        assert accepted(spec, lie, truth="reject", **ALL) <= Fraction(5, 6)


def test_prepared_graphs_have_a_colouring_or_not_as_is_said():
    for task in tasks("three_colouring"):
        joined = {edge for edge in ALL if task[edge]}
        shown = {f"e{a}{b}" for (line,) in [edges_in(task["graph"])] for a, b in line}
        assert shown == joined, task["title"]
        good = any(
            all(colours[int(edge[1]) - 1] != colours[int(edge[2]) - 1] for edge in joined)
            for colours in itertools.product(range(3), repeat=4)
        )
        assert task["truth"] == ("accept" if good else "reject"), task["title"]


# -- the size of a set -----------------------------------------------------------------------------


def hits(members):
    """Return how often Merlin, who names the member that is mapped to 0, has one."""
    spec = specification("set_size", rounds=1)
    known = {f"m{n}": int(n in members) for n in range(7)}
    maps = " else ".join(f"{n} if (a * {n} + b) mod 7 = 0 and m{n} = 1" for n in range(7))
    arthur = Habit("verdict", {"accept": "hits", "reject": "1 - hits"})
    merlin = by(spec, "pick", f"{maps} else 0")
    found = play_values(spec, [merlin, arthur, *facts(spec, truth="accept", **known)], plays=0)
    return found.verdicts.get("accept", 0)


def test_a_large_set_is_hit_more_often_than_a_small_one():
    """One of 7 factors is 0 and maps all members alike; any other hits each member once in 7."""
    for members in ({0, 1, 3, 6}, {2, 4, 5, 6}):
        assert hits(members) == Fraction(6, 7) * Fraction(4, 7) + Fraction(1, 7) ** 2
    assert hits({2, 5}) == Fraction(6, 7) * Fraction(2, 7) + Fraction(1, 7) ** 2
    assert hits({2}) == Fraction(6, 7) * Fraction(1, 7) + Fraction(1, 7) ** 2


def test_prepared_sets_are_as_large_as_is_said():
    for task in tasks("set_size"):
        size = sum(task[f"m{n}"] for n in range(7))
        assert size >= 4 if task["truth"] == "accept" else size <= 2, task["title"]


# -- pixels ----------------------------------------------------------------------------------------


def test_prepared_pictures_show_their_pixels():
    for task in tasks("pixel_debate"):
        dark = [int(mark == "#") for mark in re.findall(r"[#.](?=[#.\s]|$)", task["picture"])]
        assert dark == task["x"], task["title"]


# -- stakes ----------------------------------------------------------------------------------------


def test_each_round_of_a_prover_estimator_debate_pays_more_than_the_one_before():
    """Only the last pick was paid, with the same stakes whatever the depth of a play."""
    spec = specification("prover_estimator", depth=3, step=10)
    estimates = facts(spec, p1=80, p2=50, p3=50, picked=1, leaf="holds")
    right = play_values(spec, [*estimates, *facts(spec, errs="right")], plays=0).means
    assert right["prover"] == 0
    high = play_values(spec, [*estimates, *facts(spec, errs="too_high")], plays=0).means
    # The product of the estimates is 20%, below 80% by 60%: with stakes 2 and 4; then 8 at the end.
    lost = Fraction(8) * (100 - 80) / 100
    assert high["prover"] == Fraction(60, 100) * (2 + 4) - lost
    assert high["estimator"] == -high["prover"]


def test_a_market_is_best_at_the_price_that_is_believed_in_the_end():
    def earned(price):
        return play_values(spec, facts(spec, price=price, belief=70), exact=False).means["market"]

    spec = specification("market_making")
    assert max(range(1, 100), key=earned) == 70
    moved = [Habit("price", {30: 1}, stage="opening"), *facts(spec, price=80, belief=70)]
    # The adversary is paid for what it moved: from 30 to 80 once, then nothing.
    assert play_values(spec, moved, exact=False).means["adversary"] == pytest.approx(0.5)
