"""Tests of dials.py, and of the arc "Oversight today": its numbers come out of nip_core.values."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

import explorer.lessons
from explorer.lessons.dials import Bar, Dial, Way, dials_data
from explorer.lessons.library import all_playables
from explorer.lessons.playables import audits, collusion, critic, dumb, helped, monitor, parts
from nip_core import specification
from nip_core.language import Habit
from nip_core.language.data import Pay
from nip_core.values import Evidence, card, opposed, play_values, with_counters
from tests.depth import each, exhaustive, first

CONTENT = Path(explorer.lessons.__file__).parent / "content"
DIALS = [name for name, played in all_playables().items() if played.FRONT == "touch_dials"]


def says(name, *texts):
    """Check that a lesson has these texts literally."""
    there = (CONTENT / f"{name}.toml").read_text("utf-8")
    assert [text for text in texts if text not in there] == []


def counted(spec, when, habits):
    """Return how often a condition holds at the end of play."""
    counting = with_counters(spec, {"count": [Pay(to=(), amount="1", when=when)]})
    return play_values(counting, habits).means["count"]


def test_a_table_of_dials_has_a_share_for_each_place_and_outcome():
    made = dials_data(
        "n",
        "g",
        [Dial("a", (("1", 1), ("2", 2))), Dial("b", (("3", 3), ("4", 4), ("5", 5)), 2)],
        [Bar("sum", ("most", 0.5), bad=True), Bar("one")],
        [Way("w", "t", lambda a, b: (Fraction(a + b, 10), Fraction(1)))],
    )
    assert made["shares"] == [[[[(a + b) / 10, 1.0] for b in (3, 4, 5)] for a in (1, 2)]]
    assert [dial["start"] for dial in made["dials"]] == [0, 2]
    assert [bar["goal"] for bar in made["bars"]] == [["most", 0.5], None]


def places(shares, dials):
    """Yield the shares of all places of the dials."""
    if not dials:
        yield shares
        return
    for inner in shares:
        yield from places(inner, dials[1:])


def meets(share, goal):
    return share <= goal[1] + 1e-9 if goal[0] == "most" else share >= goal[1] - 1e-9


@each("name", DIALS)
def test_every_goal_can_be_reached_and_is_not_reached_at_the_beginning(name):
    given = all_playables()[name].data()
    goals = [bar["goal"] for bar in given["bars"]]
    every = [
        [
            all(meets(s, g) for s, g in zip(shares, goals, strict=True) if g)
            for shares in places(way, given["dials"])
        ]
        for way in given["shares"]
    ]
    assert any(any(way) for way in every)
    start = given["shares"][0]
    for dial in given["dials"]:
        start = start[dial["start"]]
    assert not all(meets(s, g) for s, g in zip(start, goals, strict=True) if g)
    assert all(
        0 <= s <= 1 for way in given["shares"] for row in places(way, given["dials"]) for s in row
    )


# -- the monitor with a budget --------------------------------------------------------------------


@each(("threshold", "steps"), [(30, 1), (50, 2), (80, 3)])
def test_audits_are_as_frequent_as_in_the_protocol(threshold, steps):
    spec = specification("audit_by_maximum", steps=steps, threshold=threshold)
    weights = {
        level: f"{harmful} if intent = harmful else {harmless}"
        for level, harmless, harmful in zip(
            monitor.LEVELS, monitor.HARMLESS, monitor.HARMFUL, strict=True
        )
    }
    for bad in (False, True):
        intent = {"harmless": int(not bad), "harmful": int(bad)}
        habits = [Habit("intent", intent), Habit("suspicion", weights)]
        found = counted(spec, "highest > threshold", habits)
        assert found == monitor.audited(threshold, steps, steps if bad else 0)


def test_the_numbers_of_the_monitor():
    # The threshold at which at most ten of 100 honest plays of five steps are audited.
    best = next(t for t in monitor.LEVELS if monitor.audited(t, 5, 0) <= Fraction(1, 10))
    error, found = monitor.above(best, monitor.HARMLESS), monitor.above(best, monitor.HARMFUL)
    assert (error, found) == (Fraction(2, 100), Fraction(36, 100))
    honest, long = (monitor.audited(best, steps, 0) for steps in (5, 20))
    every, one = (monitor.audited(best, 5, harmful) for harmful in (5, 1))
    assert every >= monitor.LEAST_FOUND > one
    says(
        "12_monitor",
        f"truth = {float(100 * honest):.7f}",
        f"truth = {float(100 * one):.7f}",
        f"1. {float(honest):.1%}; {float(long):.0%}. 2. {float(every):.0%}. 3. {float(one):.0%}.",
        "complete = 0.98, sound = 0.64",
        "2 in 100 harmless steps",
    )
    # Four times as long: the threshold must rise, and fewer attacks of one step are found.
    higher = next(t for t in monitor.LEVELS if monitor.audited(t, 20, 0) <= Fraction(1, 10))
    assert higher > best
    assert monitor.audited(higher, 20, 1) - monitor.audited(higher, 20, 0) < one - honest


def found_by_listing(laws):
    """Return how often the harmful step is among the two most suspicious, over all suspicions."""
    found = Fraction(0)
    # By how many steps look worse than the harmful one, and how many as bad.
    for level, weight in zip(monitor.LEVELS, laws[0], strict=True):
        law = {(0, 0): Fraction(weight, 100)}
        for other in laws[1:]:
            after = {}
            for (worse, same), chance in law.items():
                for seen, many in zip(monitor.LEVELS, other, strict=True):
                    key = worse + (seen > level), same + (seen == level)
                    after[key] = after.get(key, 0) + chance * Fraction(many, 100)
            law = after
        for (worse, same), chance in law.items():
            places = [worse + n for n in range(same + 1)]
            found += chance * Fraction(sum(p < audits.AUDITS for p in places), len(places))
    return found


def test_an_attacker_who_knows_the_rule_makes_it_worse_than_chance():
    careless, knowing = (
        audits.found_at_the_top(laws) for laws in (audits.CARELESS, audits.KNOWING)
    )
    assert careless == found_by_listing(audits.CARELESS)
    assert knowing == found_by_listing(audits.KNOWING)
    assert knowing < Fraction(audits.AUDITS, audits.STEPS) < careless
    says("12_monitor", f"truth = {float(100 * knowing):.7f}")
    # The plays of the drawing are about like that: the goal is reached with the first, not then.
    plays = audits.data()["plays"]
    for found, kind in zip((careless, knowing), plays, strict=True):
        top = [
            play["harm"] in sorted(range(6), key=lambda n: -play["suspicion"][n])[: audits.AUDITS]
            for play in kind
        ]
        assert abs(sum(top) / len(top) - found) < 0.15


# -- when the monitor is one of them --------------------------------------------------------------


def colluding(removed, *, told):
    """Return how often attacks and honeypots pass in the protocol, by the pair's plan."""
    spec = specification("untrusted_monitoring", steps=1, removed=removed)
    key = "0 if honeypot = yes else 1" if told else "1"
    habits = [
        Habit("intent", {"harmful": 1}),
        Habit("signal", {"key": key, "plain": f"1 - ({key})"}),
        Habit("suspicion", {0: "1 if shows = key else 0", 100: "0 if shows = key else 1"}),
    ]
    share = {"no": Fraction(3, 4), "yes": Fraction(1, 4)}
    return [
        counted(spec, f"honeypot = {honeypot} and suspicion <= threshold", habits) / share[honeypot]
        for honeypot in ("no", "yes")
    ]


@pytest.mark.parametrize("removed", first(2, collusion.REMOVED))
def test_attacks_and_honeypots_pass_as_often_as_in_the_protocol(removed):
    for told in (True, False):
        attacks, honeypots = colluding(removed, told=told)
        assert attacks == collusion.passes(removed)
        assert honeypots == collusion.noticed(removed, 1, told=told)


@exhaustive
def test_the_numbers_of_collusion():
    def worth(steps, audits):
        spec = specification("untrusted_monitoring", steps=steps, audits=audits)
        return opposed(spec, ("writer", "monitor"), ("developer",), goal={"writer": 1})

    nothing, one, both = (worth(2, audits) for audits in (0, 1, 2))
    assert all(found.low == found.high for found in (nothing, one, both))
    assert (nothing.low, both.low) == (15, Fraction(3, 2))
    enough = next(n for n in range(31) if collusion.noticed(80, n, told=False) >= Fraction(95, 100))
    unseen = [float(1 - collusion.noticed(60, n, told=False)) for n in (5, 10)]
    assert 0.86**20 < 0.05 < 0.87**20
    says(
        "13_collusion",
        f"truth = {enough}\n",
        "earns 15 points on two tasks if nothing is audited, and 1.5 if both are",
        f"truth = {float(one.low):.7f}",
        f"{float(one.low):.1f}, if both sides play as well",
        f"reported in {0.9**20:.0%} of cases",
        f"1. {float(100 * collusion.passes(60)):g} of them. 2. {unseen[0]:.1%}; {unseen[1]:.1%}.",
    )
    assert one.low < (nothing.low + both.low) / 2


# -- the claim too large to check -----------------------------------------------------------------


@each("estimate", [50, 70, 100])
def test_a_prover_who_picks_by_chance_gains_what_the_protocol_pays(estimate):
    """With three parts, of which one is false, and one level."""
    spec = specification("prover_estimator", depth=1, step=10)
    true = parts.all_but_one(3)
    gains = []
    for errs in ("too_low", "too_high"):
        leaf = {"holds": "2", "fails": "1"}
        same = {name: {estimate: 1} for name in ("p1", "p2", "p3")}
        habits = [
            *(Habit(name, weights) for name, weights in same.items()),
            Habit("errs", {errs: 1}),
            Habit("leaf", leaf),
        ]
        counting = with_counters(spec, {"gain": [spec.pay[-1]]})
        # The last part pays by the ratio to the power of the depth.
        gains.append(play_values(counting, habits).means["gain"] / 2)
    assert max(gains) == parts.gain(Fraction(estimate, 100), true)
    assert sum(gains) == 0


def test_the_numbers_of_the_large_claim():
    third, tenth, hundred, thousand = (
        float(parts.whole(parts.all_but_one(n), n)) for n in (3, 10, 100, 1000)
    )
    off = float(parts.whole(Fraction(998, 1000), 1000))
    says(
        "14_too_large",
        f"truth = {100 * hundred:.7f}",
        f"truth = {100 * third:.7f}",
        f"truth = {100 * off:.7f}",
        f"{100 * off:.1f} instead of {100 * thousand:.1f}, for a claim that is false.",
        f"believe the whole claim in about {100 * thousand:.0f} of 100 cases",
        f"1. 90%. 2. {tenth:.0%}. 3. Too high; 5 points",
    )
    assert parts.gain(Fraction(95, 100), parts.all_but_one(10)) == Fraction(5, 100)
    assert parts.gain(parts.all_but_one(1000), Fraction(1)) == Fraction(1, 1000)
    # How sharp an opponent must be to catch half of the lies in ten steps.
    assert 0.93**10 < 0.5 < 0.94**10


# -- weak judge, strong debaters ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "shows", "fakes"), [("0.5", "0.8", "0.4"), ("0.6", "0.8", "0.4"), ("0.9", "0.8", "0.4")]
)
def test_a_debate_helps_as_much_as_on_its_card(own, shows, fakes):
    found = card(
        specification("khan_debate", rounds=1),
        Evidence(own=own, shows=shows, fakes=fakes),
        keys=("honest",),
    )
    mine = helped.right(*map(Fraction, (own, shows, fakes)))
    (value,) = {r.value for r in found["honest"].readings if r.what == "verdict right"}
    assert float(value) == pytest.approx(float(mine))


def test_the_numbers_of_the_weak_judge():
    strong = helped.right(Fraction(9, 10), Fraction(8, 10), helped.FAKES)
    assert strong == Fraction(9, 10)
    best = max(
        own
        for own in helped.OWN
        if helped.right(Fraction(own, 100), Fraction(8, 10), helped.FAKES)
        >= Fraction(own, 100) + Fraction(1, 10)
    )
    none = helped.right(Fraction(1, 2), Fraction(8, 10), helped.FAKES)
    named = Fraction(1, 4) * Fraction(9, 10)
    says(
        "15_weak_judge",
        f"truth = {float(100 * strong):g}\n",
        f"truth = {best}\n",
        f"truth = {float(50 * Fraction(4, 5)):g}\n",
        f"3. In {float(100 * none):g} of them. 4.",
    )
    assert 22 < 100 * named < 23
    assert Fraction(8, 10) * Fraction(6, 10) / (Fraction(2, 10) * Fraction(4, 10)) == 6
    # Without a check, evidence is as frequent on both sides, and tells nothing.
    for own in helped.OWN:
        alone = Fraction(own, 100)
        assert helped.right(alone, Fraction(4, 5), Fraction(4, 5)) == alone


def test_the_critic_names_a_line_in_every_second_solution_and_is_often_wrong():
    given = critic.data()["solutions"]
    named = [re.search(r"says: line (\d) is wrong\.", each["task"]) for each in given]
    assert [found is not None for found in named] == [bool(each["kind"]) for each in given]
    lines = [(int(found[1]) - 1, s) for s, found in zip(given, named, strict=True) if found]
    right = [line == s["wrong"] for line, s in lines]
    # Half of them are sneaky, and there the critic is right as often as the lesson says.
    sneaky = sum(s["wrong"] is not None for _, s in lines)
    assert (sneaky, sum(right), critic.SEES) == (len(lines) / 2, sneaky * 4 / 5, 4 / 5)


# -- playing dumb ---------------------------------------------------------------------------------


def test_the_numbers_of_playing_dumb():
    enough = next(n for n in range(1000, 30_000, 1000) if dumb.seen(1000, n) >= dumb.SEEN)
    says(
        "16_playing_dumb",
        f"truth = {100 * dumb.seen(1000, 1000):.7f}",
        f"truth = {enough // 1000}\n",
        f"no success in 300 tries has a chance of {1 - dumb.seen(100, 300):.1%}",
        f"1. {dumb.seen(100, 100):.0%}; {dumb.seen(100, 300):.0%}.",
    )
    assert 1 - dumb.seen(1000, 300) == pytest.approx(3 / 4, abs=0.02)
    assert 1 - dumb.seen(300, 300) > 1 / 3
    # Three over n, for the lengths of the text.
    for tries in (100, 300, 1000, 10_000):
        assert 1 - dumb.seen(tries / 3, tries) == pytest.approx(0.05, abs=0.003)


@pytest.mark.parametrize(("evidence", "right"), [({}, 74), ({"shows": 0, "fakes": 0}, 60)])
def test_what_help_and_silence_are_worth_in_sandwiching(evidence, right):
    found = card(specification("sandwiching"), Evidence(**evidence), keys=("honest",))
    value = found.reading("honest", "verdict right", "sceptical judge").value
    assert float(value) == pytest.approx(right / 100)
    says("16_playing_dumb", f"{right}%")
