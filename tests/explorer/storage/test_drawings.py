"""Tests of drawings.py: versions, deleting and restoring, limits."""

import pytest

from explorer.storage import StorageInputError
from explorer.storage.drawings import MOST_DRAWINGS, MOST_VERSIONS

ONE, OTHER = "0" * 12, "1" * 12


@pytest.fixture
def drawings(storage):
    return storage.drawings


def numbers(drawings, visitor="me"):
    return [(version.name, version.number) for version in drawings.listed(visitor)]


def test_versions_are_kept_and_the_same_one_only_once(place, drawings):
    assert drawings.keep("me", ONE, "Debate", "a") == 1
    assert drawings.keep("me", ONE, "Debate", "b") == 2
    assert drawings.keep("me", ONE, "Debate", "b") == 2
    assert drawings.keep("other", ONE, "Debate", "c") == 1
    with place.open() as elsewhere:
        assert elsewhere.drawings.body("me", ONE) == "b"
    assert drawings.body("me", ONE, 1) == "a"
    assert drawings.body("me", ONE, 3) is None
    assert drawings.body("me", OTHER) is None
    assert sorted(numbers(drawings)) == [(ONE, 1), (ONE, 2)]


def test_what_was_deleted_can_be_restored_and_keeping_restores_it(drawings):
    drawings.keep("me", ONE, "Debate", "a")
    drawings.delete("me", ONE)
    drawings.delete("other", ONE)
    assert drawings.body("me", ONE) is None
    assert [version.is_deleted for version in drawings.listed("me")] == [True]
    drawings.restore("me", ONE)
    assert drawings.body("me", ONE) == "a"
    drawings.delete("me", ONE)
    assert drawings.keep("me", ONE, "Debate", "b") == 2
    assert [version.is_deleted for version in drawings.listed("me")] == [False, False]


def test_what_was_deleted_long_ago_goes_when_something_is_kept(place, drawings):
    drawings.keep("me", ONE, "Debate", "a")
    drawings.delete("me", ONE)
    drawings.keep("me", OTHER, "Jury", "b")
    assert len(numbers(drawings)) == 2
    place.execute("UPDATE drawings SET deleted = '2020-01-01T00:00:00' WHERE deleted IS NOT NULL")
    drawings.keep("me", OTHER, "Jury", "c")
    assert {name for name, _ in numbers(drawings)} == {OTHER}


def test_old_versions_go_and_too_many_drawings_are_refused(drawings):
    for number in range(MOST_VERSIONS + 2):
        drawings.keep("me", ONE, "Debate", str(number))
    kept = [number for _, number in numbers(drawings)]
    assert sorted(kept) == [*range(3, MOST_VERSIONS + 3)]
    for number in range(MOST_DRAWINGS - 1):
        drawings.keep("me", f"{number + 1:012x}", "Debate", "a")
    with pytest.raises(StorageInputError, match="Your library holds 200 drawings"):
        drawings.keep("me", "f" * 12, "Debate", "a")
    assert drawings.keep("me", ONE, "Debate", "z") == MOST_VERSIONS + 3
    assert drawings.keep("other", "f" * 12, "Debate", "a") == 1
