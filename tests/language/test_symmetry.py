"""Tests of symmetry.py: states that only count together are the same, and nothing else is.

Random votes are compared to the slow reference: all at once or one by one, made again or not, with
rules about all of them and about single ones.
"""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import specification
from nip_core.language import Specification
from nip_core.language.forward import Forward, Limit, Result
from nip_core.language.given import GivenPlay
from nip_core.language.symmetry import interchangeable
from nip_core.language.syntax import parse
from nip_core.values import play_values
from tests.depth import cases, each
from tests.language import reference
from tests.language.zoo import in_full

ABOUT_ALL = (
    "1 if majority(vote) = A else 0",
    "count(vote[j] = truth for j in juror)",
    "sum(score)",
    "max(score) - min(score)",
    "median(score) if unanimous(vote) = none else 5",
)
ABOUT_ONE = (
    "1 if vote[2] = A else 0",
    "score[1]",
    "count(vote[j] = vote[1] for j in 2..jurors)",
    "before(score[1]) + 1",
    "sum(score[j] for j in 1..2)",
)


@st.composite
def juries(draw):
    """Draw a jury: its members decide in one or two stages, and are paid in some ways."""
    acts = {"choose": ["vote", "score"], "one_by_one": draw(st.booleans())}
    if draw(st.booleans()):
        acts["when"] = draw(st.sampled_from(["me != 2", "truth = A or me = 1"]))
    again = {"choose": [draw(st.sampled_from(["vote", "score"]))]}
    rules = draw(st.lists(st.sampled_from(ABOUT_ALL), min_size=1, max_size=2))
    rules += draw(st.lists(st.sampled_from(ABOUT_ONE), max_size=1))
    pay = [{"to": "judge", "amount": rule} for rule in rules]
    if draw(st.booleans()):
        pay.append({"to": "juror", "amount": "1 if vote = truth else 0", "at": "vote"})
    later = [{"juror": again}] * draw(st.integers(0, 1))
    guard = draw(st.sampled_from([{}, {"then": {"end": "count(vote[j] = A for j in juror) > 1"}}]))
    return {
        "name": "drawn",
        "settings": {"jurors": draw(st.integers(2, 3))},
        "seats": {"juror": {"count": "jurors"}, "judge": "Judge"},
        "choices": {
            "truth": {"by": "task", "options": ["A", "B"]},
            "vote": {"by": "juror", "options": ["A", "B"]},
            "score": {"by": "juror", "options": [0, 3]},
            "end_it": {"by": "judge", "options": ["yes"]},
        },
        "stages": [
            {
                "name": "votes",
                "times": draw(st.integers(1, 2)) if not later else 1,
                "turns": [{"juror": acts, **({} if acts["one_by_one"] else guard)}],
            },
            {"name": "last", "turns": [*later, {"judge": {"choose": "end_it"}}]},
        ],
        "verdict": draw(st.sampled_from(["majority(vote)", "unanimous(vote)", "vote[1]"])),
        "pay": pay,
    }


@settings(max_examples=cases(150), deadline=None)
@given(juries())
def test_means_are_those_of_all_plays(document):
    spec = Specification.from_dict(document)
    try:
        plays = [*reference.plays(in_full(spec), most=6_000)]
    except reference.TooManyPlaysError:
        return
    means = dict.fromkeys(spec.seat_names, Fraction(0))
    verdicts = {}
    for chance, _, totals, verdict in plays:
        for seat, amount in totals.items():
            means[seat] += chance * amount
        verdicts[verdict] = verdicts.get(verdict, 0) + chance
    values = play_values(spec, [])
    assert values.method == "fractions"
    assert values.means == means
    assert values.verdicts == verdicts


@each(
    ("texts", "groups"),
    [
        (["majority(a, b, c)"], [{"a", "b", "c"}]),
        (["majority(a, b, c)", "a = x"], []),
        (["majority(a, b, c)", "max(a, b)"], []),
        (["count(a = t, b = t)"], [{"a", "b"}]),
        (["count(a = t, t = b)"], []),
        (["count(a = x, b = y)"], []),
        (["count(a = b, b = a)"], []),
        (["mean(a, a)"], []),
        (["sum(a, other)"], []),
        (["before(a) + 1", "sum(a, b)"], []),
        (["majority(a, b) = x or majority(a, b) = y"], [{"a", "b"}]),
    ],
)
def test_what_counts_together(texts, groups):
    options = {**dict.fromkeys("abc", ("x", "y")), "t": ("x", "y"), "other": ("x", "y", "z")}
    found = interchangeable(options, map(parse, texts))
    assert {frozenset(group) for group in groups} == {*found.values()}


def test_states_grow_with_the_ways_to_count_votes():
    def states(jurors):
        spec = specification("jury", jurors=jurors, rounds=1)
        limit = Limit(spec.name, None)
        Forward(spec, GivenPlay(spec), Result(verdict=True), limit, exact=False)
        return limit.steps

    # Ways to count three options among n votes: (n + 1) (n + 2) / 2, and not 3 to the power of n.
    assert states(9) < 9 * 3 * 2 * 60
    assert states(18) < 12 * states(9)


@each("jurors", [9, 31])
def test_large_juries_have_exact_values(jurors):
    values = play_values(specification("jury", jurors=jurors), [])
    assert values.method == "fractions"
    assert sum(values.verdicts.values()) == 1
    assert values.verdicts["A"] == values.verdicts["B"]
