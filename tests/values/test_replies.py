"""Tests of replies.py, beliefs.py, relaxed.py, plans.py and solving.py.

They are compared with the plain tree and with given play.
"""

import threading
from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nip_core import published_names, specification
from nip_core.budget import Budget
from nip_core.errors import ModelError
from nip_core.language import Habit, load_specification
from nip_core.values import play_values
from nip_core.values.features import Verdict, amount_of, goal_bounds, right
from nip_core.values.plans import Mixture
from nip_core.values.replies import best_reply
from nip_core.values.replies import played as forward
from nip_core.values.turns import Turns
from tests.depth import cases, each
from tests.language.strategies import accepted, documents
from tests.values.plain_tree import TooManyError, Tree
from tests.values.test_given_play import habits


def some_habits(data, document, spec):
    drawn = [Habit(**habit) for habit in data.draw(habits(document))]
    try:
        play_values(spec, drawn)
    except ModelError:
        return ()
    return drawn


def played(spec, players, habits=()):
    """Return the features if all sides are players or play by habit."""
    return forward(Turns(spec, [], habits, players))


def side_of(data, spec):
    seats = data.draw(st.sets(st.sampled_from(spec.seat_names), min_size=1))
    return frozenset(seats)


@settings(max_examples=cases(200), deadline=None)
@given(documents(), st.data())
def test_replies_are_those_of_the_plain_tree(document, data):
    spec = accepted(document)
    side = side_of(data, spec)
    given_habits = some_habits(data, document, spec)
    try:
        tree = Tree(spec, side, given_habits)
    except TooManyError:
        return
    verdicts = sorted({*spec.options[spec.roles.truth]}, key=str) if spec.roles.truth else ()
    tie = {Verdict(answer, answer): 1 for answer in verdicts}
    reply = best_reply(spec, side, habits=given_habits, worst_tie=tie)
    slow = tree.best(
        lambda paid, _verdict, _truth: sum(paid.get(seat, 0) for seat in side),
        lambda _paid, verdict, truth: int(truth is not None and verdict == truth),
    )
    assert (reply.value, *reply.tie) == slow
    # Its plan gives just that.
    assert amount_of(tie, reply.features) == reply.tie[0]
    assert sum(reply.means[seat] for seat in side) == reply.value
    assert reply.plan.table().head


@settings(max_examples=cases(100), deadline=None)
@given(documents(), st.data())
def test_a_best_reply_is_never_below_any_play(document, data):
    spec = accepted(document)
    side = side_of(data, spec)
    drawn = some_habits(data, document, spec)
    # Habits may depend on what seats do not see; only those of a seat with full sight are plans.
    reply = best_reply(spec, side, habits=drawn)
    own = [habit for habit in drawn if spec.choice(habit.choice).by in side]
    rest = [habit for habit in drawn if habit not in own]
    blind = [Habit(habit.choice, {next(iter(spec.options[habit.choice])): 1}) for habit in own]
    for play in ((), blind):
        values = play_values(spec, [*play, *rest])
        assert sum(values.means[seat] for seat in side) <= reply.value


@settings(max_examples=cases(50), deadline=None)
@given(documents(), st.data())
def test_replies_to_plans_and_mixtures(document, data):
    spec = accepted(document)
    assume(len(spec.seats) > 1)
    one, two = spec.seat_names[:2]
    first = best_reply(spec, [one])
    other = best_reply(spec, [one], goal={one: -1})
    mixture = Mixture([(first.plan, Fraction(1, 3)), (other.plan, Fraction(2, 3))])
    reply = best_reply(spec, [two], players=[mixture])
    total = played(spec, [mixture, reply.plan])
    assert total.get(two, 0) == reply.value
    parts = [played(spec, [plan, reply.plan]) for plan in (first.plan, other.plan)]
    assert total.get(one, 0) == (parts[0].get(one, 0) + 2 * parts[1].get(one, 0)) / 3


@settings(max_examples=cases(100), deadline=None)
@given(documents(), st.data())
def test_what_is_not_finished_is_an_interval(document, data):
    spec = accepted(document)
    side = side_of(data, spec)
    drawn = some_habits(data, document, spec)
    with Budget() as budget:
        exact = best_reply(spec, side, habits=drawn).value
    share = data.draw(st.floats(0.2, 1.5))
    reply = best_reply(spec, side, habits=drawn, most=int(share * budget.spent))
    assert reply.low <= exact <= reply.high
    assert reply.exact or reply.how == "interval"
    if reply.exact:
        assert reply.low == reply.high
    elif reply.plan is None:
        # Playing at random, or what the rules can pay.
        rest = [habit for habit in drawn if spec.choice(habit.choice).by not in side]
        means = play_values(spec, rest).means
        ends = goal_bounds(spec, dict.fromkeys(side, 1))
        assert reply.low in (sum(means[seat] for seat in side), ends[0])
        assert ends[0] <= reply.low
        assert reply.high <= ends[1]
    else:
        total = played(spec, [reply.plan], drawn)
        assert sum(total.get(seat, 0) for seat in side) == reply.low


MOST_OPTIONS = 4
SMALL = {"rounds": 1, "steps": 1, "later_rounds": 1, "depth": 1}


@each("name", published_names())
def test_replies_in_published_protocols(name):
    spec = specification(name)
    spec = spec.with_settings(**{k: SMALL[k] for k, _ in spec.settings if k in SMALL})
    if any(len(options) > MOST_OPTIONS for options in spec.options.values()):
        return  # too many plays for a tree
    for seat in spec.seat_names:
        try:
            tree = Tree(spec, {seat}, most=500)
        except TooManyError:
            continue
        slow = tree.best(
            lambda paid, _verdict, _truth, seat=seat: paid.get(seat, 0),
            lambda _paid, verdict, truth: int(truth is not None and verdict == truth),
        )
        reply = best_reply(spec, [seat], worst_tie=right(spec))
        assert (reply.value, *reply.tie) == slow


def test_a_value_may_read_one_that_is_collected_in_the_same_turn():
    spec = load_specification(
        {
            "name": "collected",
            "seats": {"ann": {}},
            "channels": {"floor": "everyone"},
            "choices": {"k": {"by": "ann", "options": [0, 1]}},
            "values": {"last": {"last": "k", "at": "k"}, "count": {"count": "last = 1", "at": "k"}},
            "stages": [{"name": "s", "turns": [{"ann": {"choose": ["k"]}}, {"ann": "floor"}]}],
            "pay": [{"to": "ann", "amount": "count"}],
            "verdict": "count",
        }
    )
    assert best_reply(spec, "ann").value == 1


def test_what_tells_nothing_is_only_shown_as_made():
    # Which states are asked for depends on other states, but what is answered counts for nothing.
    turns = Turns(specification("refereed_delegation"), [{"referee"}])
    assert turns.sight.telling == {"a1", "a3", "b1", "b3"}
    assert {"made a1", "a2"} <= turns.noticed(0)


OPENED = """
name = "opened"
seats = { messenger = {}, guesser = {} }
verdict = "guess"
[choices]
fact = { by = "task", options = ["a", "b"], seen = { messenger = "start" } }
sign = { by = "messenger", options = [0, 1, 2] }
guess = { by = "guesser", options = ["a", "b"] }
[[stages]]
name = "s"
[[stages.turns]]
messenger = [
  { choose = { sign = [0, 1] }, when = "fact = a" },
  { choose = { sign = [1, 2] }, when = "fact = b" },
]
[[stages.turns]]
guesser = { choose = ["guess"] }
[[pay]]
to = "guesser"
amount = "1 if guess = fact else 0"
"""


def test_what_an_act_opens_is_told_by_what_is_chosen():
    # The messenger chooses among other options by a fact that the guesser does not see.
    assert best_reply(load_specification(OPENED), "guesser").value == Fraction(3, 4)


def test_there_is_an_interval_within_any_limit():
    spec = specification("market_making")
    for limit in ({"most": 1_000}, {"seconds": 1e-6}):
        reply = best_reply(spec, ["market"], **limit)
        assert (reply.how, reply.value) == ("interval", None)
        assert reply.reason in ("more than 1,000 steps", "more than 1e-06 seconds")
        assert (reply.low, reply.high) == goal_bounds(spec, {"market": 1})
    debate = specification("khan_debate")
    assert goal_bounds(debate, right(debate)) == (0, 1)
    cancelled = threading.Event()
    cancelled.set()
    assert best_reply(spec, ["market"], cancelled=cancelled).how.endswith("cancelled")
