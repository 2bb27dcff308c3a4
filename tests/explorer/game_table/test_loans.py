"""Loans of keys and tokens, by visitor and episode."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.game_table import loans as module
from explorer.game_table.loans import LIFETIME, Loans
from explorer.players.errors import LLMBudgetError, UnconfirmedError
from explorer.players.llm import LLMSettings, Secret

MINE, OTHERS = LLMSettings("m", "http://mine.example/v1"), LLMSettings("m", "http://other.example")
NOBODY, EPISODE = "nobody", "an episode"


@pytest.fixture(autouse=True)
def _no_timers(monkeypatch):
    monkeypatch.setattr(module.threading.Timer, "start", lambda self: None)


visitors = st.sampled_from(["ann", "bob"])
episodes = st.sampled_from(["one", "two"])
settings = st.sampled_from(
    [LLMSettings(model, url) for model in ("m", "n") for url in (None, "http://a.example/v1")]
)


@given(st.lists(st.tuples(visitors, episodes, settings), max_size=8), visitors, episodes, settings)
def test_only_what_a_visitor_has_lent_there_is_used(lent, visitor, episode, asked):
    loans = Loans()
    for who, where, model in lent:
        loans.lend(who, where, [model], {model.base_url: Secret(f"{who}-{where}")})
    if (visitor, episode, asked) not in lent:
        assert not loans.allows(visitor, episode, asked)
        with pytest.raises(UnconfirmedError):
            loans.use(visitor, episode, asked)
    else:
        keys, _ = loans.use(visitor, episode, asked)
        assert {key.reveal() for key in keys.values()} == {f"{visitor}-{episode}"}


@given(
    st.lists(
        st.tuples(visitors, st.one_of(st.none(), st.integers(1, 99)), st.integers(0, 50)),
        max_size=9,
    )
)
def test_tokens_stay_counted_whoever_lends(steps):
    loans, spent = Loans(), 0
    caps: dict[str, int] = {}
    for who, most, tokens in steps:
        loans.lend(who, EPISODE, [MINE], {MINE.base_url: Secret("k")}, most)
        caps[who] = caps.get(who, module.DEFAULT_TOKENS) if most is None else most
        _, budget = loans.use(who, EPISODE, MINE)
        assert (budget.most, budget.used) == (caps[who], spent)
        budget.charge(tokens)
        spent += tokens
    for who, most in caps.items():
        _, budget = loans.use(who, EPISODE, MINE)
        if spent >= most:
            with pytest.raises(LLMBudgetError):
                budget.hold(0, 1)
        else:
            held = budget.hold(0, 1000)
            assert held == min(1000, most - spent)
            budget.charge(0, held)


def test_keys_end_with_the_episode_and_others_stay():
    loans = Loans()
    for who, episode in (("ann", "one"), ("bob", "one"), ("ann", "two")):
        loans.lend(who, episode, [MINE], {MINE.base_url: Secret("k")})
    loans.end("one")
    assert loans.use("ann", "one", MINE)[0] == loans.use("bob", "one", MINE)[0] == {}
    assert loans.use("ann", "two", MINE)[0]


def test_what_nobody_uses_is_dropped(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    loans = Loans()
    loans.lend("ann", "one", [MINE], {MINE.base_url: Secret("k")})
    loans.lend("ann", "two", [MINE], {MINE.base_url: Secret("k")})
    loans.use("ann", "one", MINE)[1].charge(7)
    now[0] += LIFETIME - 1
    loans.use("ann", "one", MINE)
    now[0] += 2
    assert loans.allows("ann", "one", MINE)
    assert not loans.allows("ann", "two", MINE)
    now[0] += LIFETIME
    assert not loans._loans or not loans.allows("ann", "one", MINE)
    # What was spent is not forgotten with it.
    loans.lend("ann", "one", [MINE])
    assert loans.use("ann", "one", MINE)[1].used == 7


def test_what_follows_is_confirmed_as_far_as_it_was_before_and_without_keys():
    loans = Loans()
    loans.lend("ann", "one", [MINE], {MINE.base_url: Secret("k")}, 5000)
    loans.follow("ann", "one", "two")
    loans.follow("bob", "one", "two")
    assert loans.allows("ann", "two", MINE)
    assert not loans.allows("ann", "two", OTHERS)
    assert not loans.allows("bob", "two", MINE)
    keys, budget = loans.use("ann", "two", MINE)
    assert (keys, budget.most) == ({}, 5000)


def test_nothing_else_asks_a_model():
    """What a table asks passes through the loans; what a person sets up, they ask themselves."""
    root = Path(__file__).parents[3]
    asks = {
        path.relative_to(root).as_posix()
        for folder in ("explorer", "pages", "nip_core")
        for path in (root / folder).rglob("*.py")
        if "players/llm" not in path.as_posix()
        and re.search(r"\b(Client|LLMPlayer|try_out)\(", path.read_text("utf-8"))
    }
    assert asks == {
        "explorer/game_table/workers.py",  # by `loans.use`
        "explorer/ui/play/ask.py",  # with what was typed in there
        "explorer/ui/play/model_seats.py",  # the button that tries a model out
    }


def test_many_loans_are_looked_after_by_one_thread():
    many = Loans()
    before = threading.active_count()
    for number in range(50):
        many.lend(f"visitor {number}", "episode", [])
    assert threading.active_count() <= before + 1
