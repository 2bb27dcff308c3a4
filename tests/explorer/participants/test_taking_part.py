"""Tests of taking_part.py: people, links and games in a database.

The stubborn: double sends, two tabs, other browsers, forged ids, wrong parameters.
"""

import pytest

from explorer.participants import StudyDesk, TakingPartError, stage_of
from explorer.rooms import Access, room_of, study_episode
from explorer.storage import ConflictError
from explorer.studies import ENDS
from tests.explorer.participants.people import (
    ANSWERS,
    agreed,
    browser,
    everything_stored,
    opened,
    outside,
    stepped,
    study_text,
    to_stage,
    to_the_end,
    with_two_people,
)


def test_nothing_is_stored_before_a_person_agrees(storage, tmp_path, place):
    desk = opened(storage, tmp_path)
    assert desk.find(browser(1), outside(1)) is None
    with pytest.raises(TakingPartError, match="The text that you agreed to has changed"):
        desk.consent(browser(1), outside(1), "0")
    assert "SECRET" not in everything_stored(place, storage)
    here = agreed(desk, 1)
    assert here.state.version == "1"
    assert here.person.outside == outside(1)


def test_a_person_goes_through_all_stages_in_two_processes_and_no_room_learns_the_browser(
    storage, tmp_path, place
):
    """Of the two, neither knows what the other has done: a killed server loses nothing."""
    desk = opened(storage, tmp_path)
    here = agreed(desk, 1)
    with place.open() as elsewhere:
        other = StudyDesk(elsewhere, desk.opened.row.code)
        while not here.state.end:
            assert here.state.count < 60
            here = stepped(other, here)
            assert desk.here(here.person.id).state == here.state
            assert stage_of(other.plan, here.state) == stage_of(desk.plan, here.state)
            desk, other = other, desk
    assert here.state.end == "done"
    assert [game.practice for game in here.state.games] == [True, False, False]
    assert len({game.task for game in here.state.games}) == 3
    assert [period.stage for period in here.state.periods] == list(range(6))
    assert here.state.told
    assert {*here.state.told.values()} == {"by a computer program"}
    room = room_of(Access(storage, desk.opened.row.room))
    assert browser(1) not in {row["visitor"] for row in room.rows.people.values()}
    # Episodes of a study are seen by nobody outside.
    assert storage.find() == []


def test_agreeing_twice_or_in_two_tabs_makes_one_person(storage, tmp_path):
    desk = opened(storage, tmp_path)
    first, again = agreed(desk, 1), agreed(StudyDesk(storage, desk.opened.row.code), 1)
    assert first.person.id == again.person.id
    assert len(storage.participants.everybody(desk.opened.row.number)) == 1


def test_an_old_tab_and_a_double_send_change_nothing(storage, tmp_path):
    desk = opened(storage, tmp_path)
    old = agreed(desk, 1)
    new = desk.answer(old, old.state.step, ANSWERS)
    again = desk.answer(old, old.state.step, {**ANSWERS, "adult": "no"})
    assert again.state.stage == new.state.stage == 1
    assert [given.answer for given in again.state.answers] == ["yes", 3]
    # Stages that are not there yet cannot be asked for.
    assert desk.ready(new, "2.0").state == new.state
    assert desk.answer(new, "5.0", ANSWERS).state == new.state


def test_an_id_goes_on_in_its_browser_or_with_the_secret_of_its_visit(storage, tmp_path):
    desk = opened(storage, tmp_path)
    here = stepped(desk, agreed(desk, 1))
    assert desk.find(browser(1), {}).state.stage == 1
    with pytest.raises(TakingPartError, match="has begun in another browser"):
        desk.find(browser(2), outside(1, SESSION_ID="forged"))
    there = desk.find(browser(2), outside(1))
    assert there.person.id == here.person.id
    # The first browser has lost it.
    with pytest.raises(TakingPartError, match="lacks the ids by which the study knows you"):
        desk.find(browser(1), {})
    with pytest.raises(TakingPartError, match="taken part in this browser under another id"):
        desk.find(browser(2), outside(9))


def test_a_link_with_wrong_parameters_is_refused_without_quoting_them(storage, tmp_path):
    desk = opened(storage, tmp_path)
    for wrong in (
        {"PROLIFIC_PID": "a b"},
        {"PROLIFIC_PID": "x" * 101},
        {"SESSION_ID": ""},
        {"STUDY_ID": "\u202e"},
        {"PROLIFIC_PID": "<script>alert(1)</script>\n"},
    ):
        with pytest.raises(TakingPartError, match="is missing or is no id") as refused:
            desk.find(browser(1), outside(1, **wrong))
        assert "SECRET" not in str(refused.value)
        assert next(iter(wrong)) in str(refused.value)
    with pytest.raises(TakingPartError, match="There is no such study here"):
        StudyDesk(storage, "' OR 1=1 --" * 99)


def test_a_study_without_ids_knows_people_by_their_browser(storage, tmp_path):
    desk = opened(storage, tmp_path, study_text(vary='"games"\nids = []'))
    here = desk.consent(browser(1), {"PROLIFIC_PID": "ignored"}, "1")
    again = desk.consent(browser(1), {}, "1")
    assert here.person.id == again.person.id
    assert here.person.outside == {}
    done = to_the_end(desk, here)
    assert {game.condition for game in done.state.games[1:]} == {"consultancy", "debate"}


def test_places_and_closing_stop_newcomers_and_nobody_else(storage, tmp_path):
    desk = opened(storage, tmp_path, study_text(vary='"people"\nplaces = 1'))
    agreed(desk, 1)
    with pytest.raises(TakingPartError, match="All places of this study are taken"):
        agreed(desk, 2)
    other = opened(storage, tmp_path)
    here = agreed(other, 1)
    storage.participants.close_study(other.opened.row.code, "2026-01-01T00:00:00.000000Z")
    with pytest.raises(TakingPartError, match="This study is closed: nobody can begin"):
        agreed(StudyDesk(storage, other.opened.row.code), 2)
    assert stepped(other, here).state.stage == 1


def test_every_end_is_reached(storage, tmp_path, clock):
    desk = opened(storage, tmp_path, with_two_people(), clock)
    for number, how in enumerate(ENDS, 1):
        here = agreed(desk, number)
        if how == "screened_out":
            here = desk.answer(here, "0.0", {**ANSWERS, "adult": "no"})
        else:
            here = to_stage(desk, here, "play")
        if how == "done":
            other = to_stage(desk, agreed(desk, 9), "play")
            while not here.state.end:
                assert here.state.count < 60
                here, other = stepped(desk, here), stepped(desk, other)
        elif how == "timed_out":
            here = desk.ready(here, here.state.step)
            clock.pass_seconds(59)
            assert desk.look(here).state.end is None
            clock.pass_seconds(2)
            here = desk.look(here)
        elif how in ("left", "removed"):
            here = desk.stop(here, how)
        assert desk.here(here.person.id).state.end == how
        assert desk.stop(here).state.end == how


def until(desk, here, when):
    """Go on until a kind of stage, the first move of a game, or the end."""
    if when == "end":
        return to_the_end(desk, here)
    if when == "in a game":
        here = stepped(desk, stepped(desk, to_stage(desk, here, "practice")))
        assert here.state.at is not None or here.state.games
        return here
    return to_stage(desk, here, when)


def test_deleting_leaves_nothing_of_a_person(storage, tmp_path, place):
    desk = opened(storage, tmp_path)
    stays = to_the_end(desk, agreed(desk, 7))
    for number, when in enumerate(("survey", "check", "play", "in a game", "end"), 1):
        here = until(desk, agreed(desk, number), when)
        games = {game.person for game in (*here.state.games, *filter(None, [here.state.at]))}
        desk.forget(here)
        stored = everything_stored(place, storage)
        assert here.person.id not in stored
        assert f"SECRETPID{number}" not in stored
        assert f"SECRETVISIT{number}'" not in stored
        assert not [game for game in games if f"SECRETWORDS {game}" in stored], when
        with pytest.raises(TakingPartError, match="Your data were deleted"):
            desk.here(here.person.id)
        # Not even to try the questions once more.
        with pytest.raises(TakingPartError, match="You cannot begin again"):
            agreed(StudyDesk(storage, desk.opened.row.code), number)
    # Nobody else lost anything.
    assert desk.here(stays.person.id).state == stays.state
    assert all(
        study_episode(room_of(Access(storage, desk.opened.row.room)), game.table)
        for game in stays.state.games
    )


def test_a_busy_server_says_so_instead_of_trying_for_ever(storage, tmp_path, monkeypatch):
    desk = opened(storage, tmp_path)
    here = agreed(desk, 1)

    def busy(*_):
        raise ConflictError

    monkeypatch.setattr(storage.participants, "append", busy)
    with pytest.raises(TakingPartError, match="The server is busy"):
        desk.answer(here, "0.0", ANSWERS)
