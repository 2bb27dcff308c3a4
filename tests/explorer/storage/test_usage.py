"""Tests of usage.py, command.py and limits.py.

How much visitors may write, how long it is kept, and what an operator sees of it.
"""

import secrets
from datetime import UTC, datetime, timedelta

import pytest

from explorer.storage import TooMuchWrittenError, Writer, command, limits, set_source, writing_as
from explorer.storage.records import stamp
from explorer.storage.usage import StorageUsage
from tests.explorer.storage.play import finished

ANN, BOB = Writer("ann", "192.0.2.1"), Writer("bob", "192.0.2.1")


@pytest.fixture
def public(monkeypatch):
    """A public server that lets a visitor write little."""
    monkeypatch.setenv("NIP_EXPLORER_PUBLIC", "1")
    monkeypatch.setattr(limits, "_written", limits.DailyWrites())
    monkeypatch.setattr(limits, "MOST_EACH", 20_000)


def often(times, act):
    for _ in range(times):
        act()


def test_a_visitor_writes_so_much_a_day_and_others_go_on(storage, public):
    with writing_as(ANN), pytest.raises(TooMuchWrittenError, match="today"):
        often(100, lambda: storage.drafts.put("ann", "place", "x" * 1_000))
    kept = len(finished().events)
    with writing_as(ANN):
        with pytest.raises(TooMuchWrittenError):
            often(20, lambda: storage.create(finished()))
        before = storage.count()
        with pytest.raises(TooMuchWrittenError):
            often(20, lambda: storage.create(finished()))
        assert storage.count() == before
    with writing_as(BOB):
        episode_id = storage.create(finished())
    # A command and a notebook belong to no visitor.
    for _ in range(30):
        storage.drafts.put("operator", "place", "x" * 1_000)
    assert storage.entry(episode_id).version == kept


def test_the_writer_is_looked_up_where_none_is_given(storage, public):
    try:
        set_source(lambda: ANN)
        with pytest.raises(TooMuchWrittenError):
            often(30, lambda: storage.drafts.put("ann", "place", "x" * 1_000))
        with writing_as(BOB):
            storage.drafts.put("bob", "place", "x")
    finally:
        set_source(lambda: None)


def test_a_private_server_counts_nothing(storage, public, monkeypatch):
    monkeypatch.setenv("NIP_EXPLORER_PUBLIC", "0")
    try:
        set_source(lambda: ANN)
        often(30, lambda: storage.drafts.put("ann", "place", "x" * 1_000))
        with writing_as(BOB):
            often(30, lambda: storage.drafts.put("bob", "place", "x" * 1_000))
    finally:
        set_source(lambda: None)
    assert not limits._written._sizes


def test_an_address_and_all_together_have_their_limits_and_a_new_day_begins_anew():
    now = 0.0
    counted = limits.DailyWrites(lambda: now)
    for number in range(limits.MOST_NEAR // limits.MOST_EACH):
        counted.charge(Writer(f"{number}", "192.0.2.1"), limits.MOST_EACH)
    with pytest.raises(TooMuchWrittenError, match="network address"):
        counted.charge(Writer("another", "192.0.2.1"), 1)
    counted.charge(Writer("another", "192.0.2.2"), 1)
    with pytest.raises(TooMuchWrittenError, match="Visitors have written"):
        often(1_000, lambda: counted.charge(Writer(secrets.token_hex(8)), limits.MOST_EACH))
    now = limits.DAY
    counted.charge(Writer("another", "192.0.2.1"), 1)
    for number in range(limits.KNOWN + 10):
        counted.charge(Writer(f"{number}"), 1)
    assert len(counted._sizes) <= limits.KNOWN + 3


def test_processes_share_their_counts_of_what_was_written(storage):
    now = 10 * limits.DAY + 5.0
    here, there = limits.DailyWrites(lambda: now), limits.DailyWrites(lambda: now)
    here.charge(ANN, limits.MOST_EACH - 1_000_000)
    there.charge(ANN, 500_000)
    here.share(storage._engine)
    there.share(storage._engine)
    with pytest.raises(TooMuchWrittenError):
        there.charge(ANN, 600_000)
    storage.attempts.forget(now)
    assert limits.written_today(storage._engine, lambda: now) == [limits.MOST_EACH - 500_000]
    storage.attempts.forget(now + limits.DAY)
    assert limits.written_today(storage._engine, lambda: now) == []


def age(place, episode_id, **columns):
    said = ", ".join(f"{name} = '{value}'" for name, value in columns.items())
    place.execute(f"UPDATE episodes SET {said} WHERE id = '{episode_id}'")


def ago(days):
    return stamp(datetime.now(UTC) - timedelta(days=days))


def test_old_episodes_outside_rooms_are_deleted_first_and_removed_later(place, storage):
    old, new, of_a_room = (storage.create(finished()) for _ in range(3))
    age(place, old, updated=ago(8))
    age(place, of_a_room, updated=ago(8), room=1, sealed=1)
    usage = StorageUsage(storage._engine)
    assert usage.delete_old(7) == 0
    assert [entry.id for entry in storage.find()] == [new]
    storage.restore(old)
    usage.delete_old(7)
    age(place, old, deleted=ago(2))
    assert usage.delete_old(7) == 1
    # A clock that was ahead for a moment has deleted nothing for good.
    age(place, new, deleted=ago(-40))
    usage.delete_old(7)
    assert [entry.id for entry in storage.find()] == [new]
    assert {part.name: part.count for part in usage.kinds()}["episodes of rooms"] == 1


def test_the_operator_sees_how_much_is_kept_and_not_by_whom(place, storage, public, capsys):
    with writing_as(ANN):
        first = storage.create(finished())
    storage.create(finished())
    age(place, first, updated=ago(20))
    storage.drafts.put("owner", "place", "x" * 1_000)
    storage.usage.share()
    command.main(["--database", place.url])
    said = capsys.readouterr().out
    lines = {line[:26].strip(): line.split()[-3:] for line in said.splitlines() if " MB" in line}
    assert lines["episodes outside rooms"][0] == "2"
    assert lines["drafts"] == ["1", "0.00", "MB"]
    assert lines["today"][0] == lines["this month"][0] == "1"
    assert "by 1 visitors" in said
    assert "ann" not in said.split()
    assert "192.0.2" not in said
