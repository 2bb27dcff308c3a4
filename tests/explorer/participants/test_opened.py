"""Tests of opened.py: a study is opened from its file, and deleted."""

import pytest

from explorer.participants import TakingPartError, delete_study, open_study
from explorer.rooms import Access, room_of
from tests.explorer.participants.people import (
    EXAMPLE,
    agreed,
    everything_stored,
    opened,
    study_text,
    to_the_end,
    with_two_people,
)


def test_a_study_is_deleted_as_a_whole(storage, tmp_path, place):
    desk = opened(storage, tmp_path)
    to_the_end(desk, agreed(desk, 1))
    delete_study(storage, desk.opened.row.code)
    assert "SECRET" not in everything_stored(place, storage)
    assert storage.participants.studies() == []
    assert storage.rooms.listed() == []


def test_a_file_without_people_cannot_be_opened(storage, tmp_path):
    text = study_text(kind='"scripted"').partition("[people]")[0]
    (tmp_path / "study.toml").write_text(text, "utf-8")
    with pytest.raises(TakingPartError, match="so nobody can take part"):
        open_study(storage, tmp_path / "study.toml")


def without_limit(text):
    return text.replace("round_seconds = 600\n", "")


def test_people_who_play_together_always_have_a_time_limit(storage, tmp_path):
    limits = {}
    for name, text in {
        "as in the file": with_two_people(round_seconds="45"),
        "two people": without_limit(with_two_people()),
        "one person": without_limit(EXAMPLE),
    }.items():
        desk = opened(storage, tmp_path, text)
        limits[name] = room_of(Access(storage, desk.opened.row.room)).plan.round_seconds
    assert limits == {"as in the file": 45, "two people": 600, "one person": None}
