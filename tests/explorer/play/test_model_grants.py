"""Grants of keys and tokens, by visitor and episode."""

import dataclasses
import re
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.play import workers as module
from explorer.play.workers import LIFETIME, ModelGrants
from explorer.players.errors import UnconfirmedError
from explorer.players.models import LLMSettings, Secret

MINE, OTHERS = LLMSettings("m", "http://mine.example/v1"), LLMSettings("m", "http://other.example")
EPISODE, SEAT = "an episode", "prover"


@pytest.fixture(autouse=True)
def _no_timers(monkeypatch):
    monkeypatch.setattr(module.threading.Timer, "start", lambda self: None)


visitors = st.sampled_from(["ann", "bob"])
episodes = st.sampled_from(["one", "two"])
settings = st.sampled_from(
    [LLMSettings(model, url) for model in ("m", "n") for url in (None, "http://a.example/v1")]
)


@given(st.lists(st.tuples(visitors, episodes, settings), max_size=8), visitors, episodes, settings)
def test_only_what_a_visitor_has_granted_for_the_episode_is_used(lent, visitor, episode, asked):
    grants = ModelGrants()
    for who, where, model in lent:
        grants.lend(who, where, [model], {(SEAT, model.base_url): Secret(f"{who}-{where}")})
    if (visitor, episode, asked) not in lent:
        assert not grants.allows(visitor, episode, asked)
        with pytest.raises(UnconfirmedError):
            grants.use(visitor, episode, SEAT, asked)
    else:
        keys = grants.use(visitor, episode, SEAT, asked)
        assert {key.reveal() for key in keys.values()} == {f"{visitor}-{episode}"}


def test_what_was_confirmed_is_all_of_it():
    """Changing what is sent, or its stated cost, needs another confirmation."""
    grants = ModelGrants()
    grants.lend("ann", EPISODE, [MINE])
    assert grants.allows("ann", EPISODE, dataclasses.replace(MINE))
    for change in ({"extra": {"top_k": 1}}, {"max_tokens": 9}, {"price_in": 0.0}, {"timeout": 9}):
        assert not grants.allows("ann", EPISODE, dataclasses.replace(MINE, **change))


def test_a_key_is_for_a_seat_at_an_address():
    grants = ModelGrants()
    keys = {(seat, MINE.base_url): Secret(f"of-{seat}") for seat in ("prover0", "prover1")}
    grants.lend("ann", EPISODE, [MINE, OTHERS], keys)
    for seat in ("prover0", "prover1"):
        used = grants.use("ann", EPISODE, seat, MINE)
        assert {address: key.reveal() for address, key in used.items()} == {
            MINE.base_url: f"of-{seat}"
        }
        assert grants.use("ann", EPISODE, seat, OTHERS) == {}
    assert grants.use("ann", EPISODE, "verifier", MINE) == {}


def test_keys_end_with_the_episode_and_others_stay():
    grants = ModelGrants()
    for who, episode in (("ann", "one"), ("bob", "one"), ("ann", "two")):
        grants.lend(who, episode, [MINE], {(SEAT, MINE.base_url): Secret("k")})
    grants.end("one")
    assert grants.use("ann", "one", SEAT, MINE) == grants.use("bob", "one", SEAT, MINE) == {}
    assert grants.use("ann", "two", SEAT, MINE)


def test_unused_grants_are_dropped(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    grants = ModelGrants()
    grants.lend("ann", "one", [MINE], {(SEAT, MINE.base_url): Secret("k")})
    grants.lend("ann", "two", [MINE], {(SEAT, MINE.base_url): Secret("k")})
    now[0] += LIFETIME - 1
    grants.use("ann", "one", SEAT, MINE)
    now[0] += 2
    assert grants.allows("ann", "one", MINE)
    assert not grants.allows("ann", "two", MINE)
    now[0] += LIFETIME
    assert not grants.allows("ann", "one", MINE)


def test_what_follows_is_confirmed_as_far_as_it_was_before_and_without_keys():
    grants = ModelGrants()
    grants.lend("ann", "one", [MINE], {(SEAT, MINE.base_url): Secret("k")})
    grants.follow("ann", "one", "two")
    grants.follow("bob", "one", "two")
    assert grants.allows("ann", "two", MINE)
    assert not grants.allows("ann", "two", OTHERS)
    assert not grants.allows("bob", "two", MINE)
    assert grants.use("ann", "two", SEAT, MINE) == {}


# A cluster's client asks no model.
ASKING = re.compile(
    r"(?<!distributed\.)\b(Client|InspectClient|LLMPlayer|ModelPlayer|try_out|list_models)\("
)


def test_nothing_else_asks_a_model():
    """A table asks models through grants only; the other callers use their own keys."""
    root = Path(__file__).parents[3]
    asks = {
        path.relative_to(root).as_posix()
        for folder in ("explorer", "pages", "nip_core")
        for path in (root / folder).rglob("*.py")
        if "players/models" not in path.as_posix() and ASKING.search(path.read_text("utf-8"))
    }
    assert asks == {
        "explorer/studies/http_engine.py",  # what the file of a study says, with checked keys
        "explorer/studies/inspect/tasks.py",  # what Inspect is asked to
        "explorer/studies/inspecting.py",  # what the file of a study says, with checked keys
        "explorer/studies/services.py",  # the services that the two above have made
        "explorer/studies/training.py",  # by the client that a trainer gives it
        "explorer/play/workers.py",  # by `ModelGrants.use`
        "explorer/site/models.py",  # in a visitor's own tab, with a key that stays there
        "explorer/ui/play/models_at_work.py",  # advice, with what was typed in there
        "explorer/ui/play/model_form.py",  # the button that tests a model
    }


def test_one_thread_expires_all_grants():
    many = ModelGrants()
    before = threading.active_count()
    for number in range(50):
        many.lend(f"visitor {number}", "episode", [])
    assert threading.active_count() <= before + 1
