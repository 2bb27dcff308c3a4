"""Counts of classes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from explorer.storage import StorageError, room_code, tallies
from explorer.storage.entries import stamp


def test_counts_add_up_over_processes(place, storage):
    with place.open() as other:
        for each, outcome in ((storage, "caught"), (other, "caught"), (storage, "survived")):
            each.tallies.add("abc", "two-rooms", 3, outcome)
    storage.tallies.add("XYZ", "two-rooms", 3, "caught")
    assert storage.tallies.of("ABC") == {("two-rooms", 3): {"caught": 2, "survived": 1}}
    assert storage.tallies.of("nobody") == {}


def test_what_is_no_room_is_refused(storage):
    for bad in ("", "ab", "a b c", "é" * 5, "x" * 13):
        assert room_code(bad) is None
        with pytest.raises(StorageError):
            storage.tallies.add(bad, "two-rooms", 1, "caught")


def test_a_room_cannot_grow_without_end(storage, monkeypatch):
    monkeypatch.setattr(tallies, "MOST_OUTCOMES", 3)
    for number in range(3):
        storage.tallies.add("abc", "x", 1, str(number))
    with pytest.raises(StorageError, match="full"):
        storage.tallies.add("abc", "x", 1, "3")


def test_old_counts_go(storage, monkeypatch):
    storage.tallies.add("abc", "x", 1, "old")
    monkeypatch.setattr(tallies, "stamp", lambda time: stamp(time + timedelta(days=31)))
    storage.tallies.add("abc", "x", 1, "new")
    assert storage.tallies.of("abc") == {("x", 1): {"new": 1}}
