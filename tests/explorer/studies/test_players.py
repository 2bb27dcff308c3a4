"""How scripted players are measured in played text."""

from explorer.players import LEVELS, features
from explorer.studies.players import (
    LISTENERS,
    accepted,
    answers,
    believed,
    halves,
    interval,
)
from tests.depth import FULL, exhaustive


def test_numbers_are_chosen_on_one_half_of_the_programs_and_reported_on_the_other():
    fit, test = halves()
    assert {problem.slug for problem in fit}.isdisjoint(problem.slug for problem in test)
    assert abs(len(fit) - len(test)) <= 1


def test_better_liars_are_believed_more_often_and_by_better_verifiers_less_often():
    """In few games; the documentation has the measurement."""
    _, test = halves()
    some = test[::3]
    share = {
        (level, verifier): sum(accepted(some, level, verifier, 1)) / len(some)
        for level in ("easy", "hard")
        for verifier in ("tester", "examiner")
    }
    for verifier in ("tester", "examiner"):
        assert share["easy", verifier] < share["hard", verifier]
    for level in ("easy", "hard"):
        assert share[level, "examiner"] <= share[level, "tester"]


def test_honest_provers_are_believed():
    some = halves()[1][:: 4 if FULL else 9]
    for verifier in LISTENERS:
        assert sum(accepted(some, "hard", verifier, 1, honest=True)) >= 0.95 * len(some)


def test_answers_are_noted_with_what_a_risk_depends_on():
    fit, _ = halves()
    seen = list(answers(fit[:2], "tester", 3, "test"))
    assert len(seen) >= 6
    for (kind, unusual, lies, asides, left), lost in seen:
        assert features(kind, unusual, lies, asides, left) == (kind, unusual, lies, asides, left)
        assert isinstance(lost, bool)


def test_an_interval_is_over_tasks():
    mean, low, high = interval([0.0, 1.0] * 12)
    assert low < mean == 50 < high
    assert set(LEVELS) == {"easy", "medium", "hard"}


@exhaustive
def test_who_always_takes_the_story_of_the_desk_survives_in_30_to_70_percent_of_games():
    """Against the default verifier, on the half on which no number was chosen."""
    _, test = halves()
    shares = believed(test, "tester", 3, lied=False)
    assert 0.3 <= sum(shares) / len(shares) <= 0.7
