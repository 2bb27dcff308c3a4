"""Tests of explorer/usage.py. What models may use and have used, stored with the episode."""

from functools import partial

from explorer.usage import Usage, UsageBudget
from nip_core.play import Episode
from tests.explorer.storage.play import NIP
from tests.threads import in_threads

ANN, BOB = "a" * 32, "b" * 32


def test_caps_are_each_visitors_own(place, storage):
    first, second = (storage.create(Episode.from_setup(NIP)) for _ in range(2))
    assert storage.budgets.caps(first, ANN) is None
    storage.budgets.set_caps(first, ANN, UsageBudget(5000, 1.5))
    storage.budgets.set_caps(first, ANN, UsageBudget(6000, 2.5))
    storage.budgets.set_caps(first, BOB, UsageBudget(70))
    with place.open() as other:
        assert other.budgets.caps(first, ANN) == UsageBudget(6000, 2.5)
        assert other.budgets.caps(first, BOB) == UsageBudget(70, None)
        assert other.budgets.caps(second, ANN) is None


def test_use_begins_with_the_record_and_adds_up_over_processes_and_threads(place, storage):
    episode = storage.create(Episode.from_setup(NIP))
    assert storage.budgets.use(episode) is None
    with place.open() as other:
        more, before = Usage(tokens_in=10, money=0.5), Usage(tokens_in=100, money=1.0)
        spend = (partial(each.budgets.spend, episode, more, before) for each in (storage, other))
        in_threads(*[*spend] * 4)
        assert other.budgets.use(episode) == Usage(tokens_in=180, money=5.0)


def test_it_goes_with_its_episode(storage):
    episode = storage.create(Episode.from_setup(NIP))
    storage.budgets.set_caps(episode, ANN, UsageBudget(5000))
    storage.budgets.spend(episode, Usage(tokens_in=10), Usage())
    storage.delete(episode)
    storage.budgets.spend(episode, Usage(tokens_in=10), Usage())
    storage.restore(episode)
    assert storage.budgets.use(episode) == Usage(tokens_in=20, money=0.0)
    storage.delete(episode)
    storage.purge(episode)
    storage.budgets.spend(episode, Usage(tokens_in=10), Usage())
    storage.budgets.set_caps(episode, ANN, UsageBudget(5000))
    assert storage.budgets.use(episode) is None
    assert storage.budgets.caps(episode, ANN) is None
