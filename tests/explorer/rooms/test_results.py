"""The result of a room, compared with hand-calculated cases and simulated worlds."""

import numpy as np
import pytest

from explorer.rooms import TableOutcome, results
from explorer.rooms.results import counts, difference, least_error
from tests.depth import FULL, each


def _ended(table: int, task: str, condition: str, y: int, decision: int | None) -> TableOutcome:
    return TableOutcome(
        1, table, condition, task, task, y, decision, 3, (), True, f"{table} {task}"
    )


def _crossed(accepts: np.ndarray, conditions: list[str]) -> list[TableOutcome]:
    """Return the outcome of every table at every task, from ``accepts[table, task]``."""
    return [
        _ended(table, f"task {task}", conditions[table], 0, int(accepted))
        for (table, task), accepted in np.ndenumerate(accepts)
    ]


TURNS = ["a", "b"] * 4


def test_only_false_statements_count_and_only_their_acceptance() -> None:
    played = [
        _ended(1, "x", "a", 0, 1),
        _ended(2, "x", "a", 0, None),
        _ended(3, "x", "a", 0, 0),
        _ended(3, "y", "a", 1, 1),
        _ended(4, "x", "c", 0, 1),
    ]
    one, other = counts(played, ("a", "b"))
    assert (one.accepted, one.rejected, one.undecided) == (1, 1, 1)
    assert (one.played, one.tables, one.tasks, one.rate) == (3, 3, 1, 1 / 3)
    assert (other.played, other.rate) == (0, None)


@each(
    ("tables", "tasks", "says"),
    [
        (7, 8, "Too few tables to compare: 6 so far, at least 8."),
        (2, 1, "Too few tables to compare: 2 so far, at least 8."),
        (1, 8, "Too few tables to compare: 0 so far, at least 8."),
        (8, 4, "Too few tasks to compare: 4 so far, at least 5."),
        (8, 5, ""),
    ],
)
def test_no_difference_is_shown_of_too_few(tables: int, tasks: int, says: str) -> None:
    accepts = np.indices((tables, tasks)).sum(axis=0) % 2
    found = difference(_crossed(accepts, TURNS), "a", "b")
    assert found.why_not == says
    assert (found.value is None) == (found.low is None) == bool(says)


def test_the_least_numbers_are_those_at_which_an_interval_can_exclude_no_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At the clearest result with any spread: one table, or one task, is unlike the others."""
    assert (results.fewest_each(), results.fewest_tasks()) == (4, 5)
    monkeypatch.setattr(results, "fewest_each", lambda: 2)
    monkeypatch.setattr(results, "fewest_tasks", lambda: 2)
    for many in (3, 4):
        accepts = np.repeat([[0]] * many + [[1]] * (many - 1) + [[0]], 40, axis=1)
        found = difference(_crossed(accepts, ["a"] * many + ["b"] * many), "a", "b")
        assert (found.low > 0) == (many == 4)
    for tasks in (4, 5):
        accepts = np.repeat([[0] * tasks, [1] * (tasks - 1) + [0]], 20, axis=0)
        found = difference(_crossed(accepts, ["a"] * 20 + ["b"] * 20), "a", "b")
        assert (found.low > 0) == (tasks == 5)


def test_only_games_with_equal_tasks_are_compared() -> None:
    """The tables of one condition that alone played an easy task would change the difference."""
    played = _crossed(np.indices((8, 8)).sum(axis=0) % 2, TURNS)
    alone = [_ended(9, "task 1", "a", 0, 1), _ended(11, "easy", "a", 0, 1)]
    found = difference([*alone, *played], "a", "b")
    assert found.left_out == 2
    assert found.value == difference(played, "a", "b").value


def test_equal_outcomes_give_no_interval() -> None:
    same = _crossed(np.ones((8, 8), dtype=int), TURNS)
    alike = difference(same, "a", "b")
    assert (alike.value, alike.low) == (0.0, None)
    assert "had the same outcome" in alike.why_not
    lopsided = difference(_crossed(np.eye(9, 8, dtype=int), ["a"] * 8 + ["b"]), "a", "b")
    assert lopsided.value is None


def test_the_interval_of_tables_that_decide_all_by_themselves() -> None:
    # One of four tables accepts everything, and three of four of the other condition. The variance
    # is 2 (1/4 3/4) / (4 - 1) = 1/8, and Student's quantile with 6 degrees of freedom is 2.447.
    accepts = np.repeat(np.array([[1], [1], [0], [1], [0], [1], [0], [0]]), 8, axis=1)
    found = difference(_crossed(accepts, TURNS), "a", "b")
    assert found.value == 0.5
    assert found.low == pytest.approx(0.5 - 2.447 / 8**0.5, abs=0.07)
    assert found.high == 1.0


def test_the_same_outcomes_give_the_same_interval_in_any_order() -> None:
    rng = np.random.default_rng(0)
    played = _crossed(rng.random((8, 8)) < 0.4, TURNS)
    ways = [difference(order, "a", "b") for order in (played, played, played[::-1])]
    assert ways[0] == ways[1]
    assert ways[2].low == pytest.approx(ways[0].low, abs=0.03)


@pytest.mark.parametrize("spread", [0.0, 1.0], ids=["all alike", "tables and tasks differ"])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(
    spread: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "RESAMPLES", 200)
    tables, tasks, shift, worlds = 12, 8, 0.9, 80 if FULL else 40
    rng = np.random.default_rng(3)

    def chance(log_odds: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-log_odds))

    others = rng.normal(0, spread * 2**0.5, 200_000)
    truth = chance(others + shift).mean() - chance(others).mean()
    hits = 0
    for _ in range(worlds):
        conditions = list(rng.permutation(["a", "b"] * (tables // 2)))
        odds = rng.normal(0, spread, (tables, 1)) + rng.normal(0, spread, (1, tasks))
        odds = odds + shift * np.array([[each == "b"] for each in conditions])
        found = difference(_crossed(rng.random(odds.shape) < chance(odds), conditions), "a", "b")
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= truth <= found.high
    assert hits / worlds >= 0.88


def test_the_lower_bound_on_the_soundness_error() -> None:
    none, every = np.zeros((8, 3), dtype=int), np.ones((8, 3), dtype=int)
    assert least_error(_crossed(none, ["a"] * 8), "a") == 0
    # A table is one draw, however many statements it hears. After eight of eight, the best bet
    # excludes rates below 0.05 ** (1 / 8), and one without knowledge of the future somewhat less.
    most = least_error(_crossed(every, ["a"] * 8), "a")
    assert most is not None
    assert 0.5 < most < 0.05 ** (1 / 8)
    assert most == least_error(_crossed(every[:, :1], ["a"] * 8), "a")
    assert least_error(_crossed(every[:7], ["a"] * 7), "a") is None
    assert least_error(_crossed(every, ["a"] * 8), "b") is None
    half = least_error(_crossed(every, TURNS), "a")
    assert half is not None
    assert 0 < half < most
    assert least_error(_crossed(every, ["a"] * 5 + ["b"] * 3), "b") is None


@pytest.mark.parametrize("chance", [0.05, 0.5, 0.95])
def test_the_lower_bound_is_hardly_ever_too_high(chance: float) -> None:
    rng = np.random.default_rng(5)
    # All tasks of a table have the same outcome: the strongest possible dependence.
    worlds = [np.repeat(rng.random((9, 1)) < chance, 4, axis=1) for _ in range(120)]
    found = [least_error(_crossed(accepts, ["a"] * 9), "a") for accepts in worlds]
    assert np.mean([each is not None and each <= chance for each in found]) >= 0.95
