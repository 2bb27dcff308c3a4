"""What the models of an episode may use: caps by visitor, use by episode, over restarts."""

import gc
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.play import stored
from explorer.play.stored import StoredTable, use_in_record
from explorer.players.errors import LLMBudgetError
from explorer.players.models import TokenBudget
from explorer.storage import open_storage
from explorer.usage import USUAL_BUDGET, Prices, Usage, UsageBudget
from nip_core import HyperParameters
from nip_core.play import Episode, Move
from tests.play_worlds import ONE_TASK
from tests.threads import in_threads

ANN, BOB = "a" * 32, "b" * 32
FREE = Prices()
PRICES = Prices(1.0, 10.0)


def begun(*origins):
    episode = Episode(HyperParameters(), ONE_TASK)
    for number, origin in enumerate(origins):
        agent = ("verifier", "prover")[number % 2]
        episode.play(Move(agent, {"main": "Why?"}), origin=origin)
    return episode


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/tables.db"


def test_use_is_counted_over_all_visitors(url):
    with open_storage(url) as storage:
        table = StoredTable(storage, storage.create(begun()))
        table.set_caps(ANN, UsageBudget(1000))
        table.set_caps(BOB, UsageBudget(2000))
        for visitor in (ANN, BOB, ANN):
            table.budget(visitor, FREE).charge(200, 50)
        assert table.use == Usage(tokens_in=750, money=0.0)
        assert table.budget(ANN, FREE).hold(100, 9999) == 150
        assert table.budget(BOB, FREE).used == 750


def test_a_restart_keeps_caps_and_use(url):
    with open_storage(url) as storage:
        episode = storage.create(begun())
        table = StoredTable(storage, episode)
        table.set_caps(ANN, UsageBudget(1000, 0.5))
        table.budget(ANN, PRICES).charge(600, 20)
    gc.collect()
    assert not stored._accounts, "nothing is kept of an episode whose models are not asked"
    with open_storage(url) as storage:
        table = StoredTable(storage, episode)
        assert table.caps(ANN) == UsageBudget(1000, 0.5)
        assert table.caps(BOB) == USUAL_BUDGET
        assert table.was_let_by(ANN)
        assert not table.was_let_by(BOB)
        assert table.use == Usage(tokens_in=620, money=pytest.approx(0.0008))
        with pytest.raises(LLMBudgetError, match="has used 620"):
            table.budget(ANN, PRICES).hold(400, 10)


def test_what_was_used_before_is_in_the_record(url):
    origins = ({}, {"tokens_in": 300, "tokens_out": 40, "cost": 0.25})
    with open_storage(url) as storage:
        table = StoredTable(storage, storage.create(begun(*origins)))
        assert table.use == Usage(tokens_in=340, money=0.25)
        table.budget(ANN, FREE).charge(10, 0)
        assert table.use == Usage(tokens_in=350, money=0.25)
        # What is played from then on is counted when it is used, and not again from the record.
        table.play(Move("verifier", {"main": "And then?"}))
        assert table.budget(ANN, FREE).used == 350


def test_impossible_numbers_in_a_strangers_record_are_not_counted():
    for bad in (-5, 1.5, "many", None, True, 10**30, [1]):
        assert use_in_record(begun({"tokens_in": bad, "cost": bad})).tokens == 0
    for bad in (-5.0, float("inf"), float("nan"), "much"):
        assert use_in_record(begun({"cost": bad})).money == 0


def test_money_is_a_cap_like_tokens():
    budget = TokenBudget(10**6, most_money=0.01, prices=PRICES)
    assert budget.hold(1000, 100) == 100
    budget.charge(1000, 100, (1000, 100))
    # 0.008 is left: 0.001 for the prompt, the rest for 700 tokens.
    assert budget.hold(1000, 5000) == pytest.approx(700, abs=1)
    budget.charge(1000, 700, (1000, 700))
    with pytest.raises(LLMBudgetError, match="too little") as caught:
        budget.hold(2000, 10)
    assert "Money for the whole episode" in caught.value.for_others
    # Free tokens cost nothing; only the cap on tokens limits them.
    assert TokenBudget(500, most_money=0.0, prices=Prices(0.0, 0.0)).hold(100, 999) == 400


def test_a_cap_on_money_wants_prices():
    with pytest.raises(LLMBudgetError, match="no prices"):
        TokenBudget(1000, most_money=1.0, prices=Prices(1.0, None)).hold(10, 10)


@given(st.lists(st.tuples(st.integers(1, 400), st.integers(1, 400)), max_size=12))
def test_seats_together_stay_below_both_caps(asked):
    """What is reserved for one seat is not given to another at the same time."""
    budget = TokenBudget(1000, most_money=0.004, prices=PRICES)
    for prompt, wanted in asked:
        try:
            longest = budget.hold(prompt, wanted)
        except LLMBudgetError:
            continue
        assert longest <= wanted
        assert budget._account.held.tokens <= 1000
        assert budget._account.held.money <= 0.004 + 1e-9


def test_threads_count_together(url):
    with open_storage(url) as storage:
        table = StoredTable(storage, storage.create(begun()))
        in_threads(*[partial(table.budget(ANN, FREE).charge, 10, 5) for _ in range(8)])
        assert table.use == Usage(tokens_in=120, money=0.0)
