"""Tests of participants.py: one row an id, one event a position, and deleting takes all along."""

import pytest

from explorer.storage import ConflictError, Participant

AT = "2026-01-01T00:00:00.000000Z"


@pytest.fixture
def study(storage):
    storage.participants.add_study("code", "A study", "body", "/folder", "ROOM", at=AT)
    return storage.participants.study("code")


def somebody(study, number, person="hash", **said):
    fields = {"id": f"{number:032x}", "visitor": f"{number:032x}", "outside": {"PID": "secret"}}
    return Participant(study=study.number, number=number, person=person, seen=AT, **fields | said)


def added(storage, who, fixed="digest"):
    with storage.participants.changing("code") as change:
        change.counts["people"] = who.number
        new = change.add(who, {"kind": "consented"}, AT, fixed)
        change.save()
    return new


def test_an_id_takes_part_once_and_the_analysis_is_fixed_by_the_first(storage, study):
    assert added(storage, somebody(study, 1))
    assert not added(storage, somebody(study, 2), "other")
    assert added(storage, somebody(study, 3, None))
    assert added(storage, somebody(study, 4, None))
    row = storage.participants.study("code")
    assert row.fixed == "digest"
    assert row.counts == '{"people": 4}'
    (found,) = storage.participants.find(study.number, "nobody", "hash")
    assert found == somebody(study, 1)
    assert storage.participants.numbered(study.number, 4) == somebody(study, 4, None)
    assert "secret" not in repr(found)


def test_of_two_who_append_at_one_position_one_succeeds(storage, study):
    added(storage, somebody(study, 1))
    storage.participants.append(f"{1:032x}", 2, [{"kind": "a"}, {"kind": "b"}], AT)
    with pytest.raises(ConflictError, match="Something else has happened in the meantime"):
        storage.participants.append(f"{1:032x}", 3, [{"kind": "c"}], AT)
    kinds = [event["kind"] for event, _ in storage.participants.events(f"{1:032x}")]
    assert kinds == ["consented", "a", "b"]


def test_deleting_a_person_or_a_study_leaves_no_row(storage, study):
    for number in (1, 2):
        added(storage, somebody(study, number, f"{number}"))
    storage.participants.forget(f"{1:032x}")
    with pytest.raises(ConflictError, match="data were deleted in the meantime"):
        storage.participants.append(f"{1:032x}", 2, [{"kind": "a"}], AT)
    assert storage.participants.events(f"{1:032x}") == []
    assert [who.number for who, _ in storage.participants.everybody(study.number)] == [2]
    storage.participants.delete_study("code")
    assert storage.participants.by_id(f"{2:032x}") is None
    assert storage.participants.events(f"{2:032x}") == []
    with storage.participants.changing("code") as change:
        assert change is None
