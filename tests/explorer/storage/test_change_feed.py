"""Subscribers are notified of changes, in this process and in others."""

import re
import signal
import threading

import pytest

from explorer.storage import ConflictError, change_feed, episode_topic
from nip_core.play import Commented, Episode
from tests.explorer.connections.browsers import wait_for
from tests.explorer.storage.play import SETUPS

TIMEOUT = 120


class Subscriber:
    """Counts its notifications."""

    def __init__(self):
        self.notified = 0
        self._changed = threading.Condition()

    def __call__(self):
        with self._changed:
            self.notified += 1
            self._changed.notify_all()

    def wait(self, beyond):
        """Wait until it has been notified more often than this."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.notified > beyond, TIMEOUT)
            return self.notified


def listen(storage, topic):
    """Subscribe, and wait until a server's changes arrive."""
    begun, subscriber = Subscriber(), Subscriber()
    storage.change_feed.subscribe("begun", begun)
    if storage.change_feed._by_server:
        begun.wait(0)
    return subscriber, storage.change_feed.subscribe(topic, subscriber)


def remark(storage, episode_id):
    stored = storage.load(episode_id)
    stored.episode.apply(Commented(node=0, text="Why?"))
    storage.append(episode_id, stored.episode, stored.version)


def test_only_what_is_written_is_published(place, storage):
    mine, other = (storage.create(Episode.from_setup(SETUPS["nip"])) for _ in range(2))
    subscriber, end = listen(storage, episode_topic(mine))
    elsewhere = Subscriber()
    storage.change_feed.subscribe(episode_topic(other), elsewhere)
    start, silent = subscriber.notified, elsewhere.notified
    remark(storage, mine)
    notified = subscriber.wait(start)
    # A change that was not written causes no notification.
    stale = storage.load(mine)
    remark(storage, mine)
    notified = subscriber.wait(notified)
    stale.episode.apply(Commented(node=0, text="Too late."))
    with pytest.raises(ConflictError):
        storage.append(mine, stale.episode, stale.version)
    with pytest.raises(RuntimeError), storage.change_feed.writing(episode_topic(mine)):
        raise RuntimeError
    storage.change_feed.publish("end", episode_topic(other))
    assert elsewhere.wait(silent) == silent + 1
    assert subscriber.notified == notified
    end()
    remark(storage, mine)
    remark(storage, other)
    elsewhere.wait(silent + 1)
    assert subscriber.notified == notified


def test_other_processes_are_notified_and_a_lost_database_is_found_again(
    postgres, monkeypatch, caplog
):
    from tests.explorer.storage.places import PostgresPlace

    attempts = []
    connect = change_feed.Listener._connect

    def counted(listener):
        attempts.append(listener)
        return connect(listener)

    monkeypatch.setattr(change_feed.Listener, "_connect", counted)
    place = PostgresPlace(postgres)
    with place.open() as here, place.open() as there:
        episode_id = here.create(Episode.from_setup(SETUPS["nip"]))
        subscriber, _ = listen(there, episode_topic(episode_id))
        notified = subscriber.notified
        remark(here, episode_id)
        notified = subscriber.wait(notified)
        postgres.stop(signal.SIGQUIT)
        # Subscribers are notified when the database is lost, and again when it is back.
        notified = subscriber.wait(notified)
        assert there.change_feed.lost
        # It is looked for several times before it is back.
        before = len(attempts)
        wait_for(lambda: len(attempts) > before + 1, True)
        postgres.start()
        while there.change_feed.lost:
            notified = subscriber.wait(notified)
        remark(here, episode_id)
        subscriber.wait(notified)
    lost, back = (record.getMessage() for record in caplog.records)
    assert re.fullmatch(r"The database cannot be reached \(\w+\)", lost)
    assert back == "The database can be reached again"
