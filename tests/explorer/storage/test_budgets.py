"""What models may use and have used, kept with the episode."""

from __future__ import annotations

import threading

from explorer.storage import Caps, Use
from nip_core.play import Episode
from tests.explorer.storage.play import NIP

ANN, BOB = "a" * 32, "b" * 32


def test_caps_are_each_visitors_own(place, storage):
    first, second = (storage.create(Episode.from_setup(NIP)) for _ in range(2))
    assert storage.budgets.caps(first, ANN) is None
    storage.budgets.set_caps(first, ANN, Caps(5000, 1.5))
    storage.budgets.set_caps(first, ANN, Caps(6000, 2.5))
    storage.budgets.set_caps(first, BOB, Caps(70))
    with place.open() as other:
        assert other.budgets.caps(first, ANN) == Caps(6000, 2.5)
        assert other.budgets.caps(first, BOB) == Caps(70, None)
        assert other.budgets.caps(second, ANN) is None


def test_use_begins_with_the_record_and_adds_up_over_processes_and_threads(place, storage):
    episode = storage.create(Episode.from_setup(NIP))
    assert storage.budgets.use(episode) is None
    with place.open() as other:
        threads = [
            threading.Thread(target=each.budgets.spend, args=(episode, Use(10, 0.5), Use(100, 1.0)))
            for each in (storage, other) * 4
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert other.budgets.use(episode) == Use(180, 5.0)


def test_it_goes_with_its_episode(storage):
    episode = storage.create(Episode.from_setup(NIP))
    storage.budgets.set_caps(episode, ANN, Caps(5000))
    storage.budgets.spend(episode, Use(10), Use())
    storage.delete(episode)
    storage.budgets.spend(episode, Use(10), Use())
    storage.restore(episode)
    assert storage.budgets.use(episode) == Use(20, 0.0)
    storage.delete(episode)
    storage.purge(episode)
    storage.budgets.spend(episode, Use(10), Use())
    storage.budgets.set_caps(episode, ANN, Caps(5000))
    assert storage.budgets.use(episode) is None
    assert storage.budgets.caps(episode, ANN) is None
