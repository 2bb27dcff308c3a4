"""Twenty people take part at once, with drop-outs, reloads, late comers and killed servers."""

import random
from collections import Counter

from explorer.participants import StudyDesk, analysed, everybody, export_files
from explorer.rooms import Access, room_of, study_episode
from explorer.studies import ENDS
from tests.depth import exhaustive
from tests.explorer.participants.people import (
    ANSWERS,
    agreed,
    browser,
    opened,
    stepped,
    with_two_people,
)

PEOPLE = 20


@exhaustive
def test_twenty_people_reach_every_end_and_nothing_is_lost(storage, tmp_path, place, clock, caplog):
    desk = opened(storage, tmp_path, with_two_people(faster_than="10"), clock)
    rng = random.Random(5)
    people = {}
    careless, late = {3, 11}, {18, 19, 20}
    for turn in range(160):
        clock.pass_seconds(2)
        for number in range(1, PEOPLE + 1):
            if number not in people:
                if number not in late or turn > 20:
                    people[number] = agreed(desk, number)
                continue
            here = desk.here(people[number].person.id)
            if here.state.end or (number == 5 and turn > 6):
                continue  # the fifth has closed the page and never comes back
            if number == 7 and here.state.at is not None and not here.state.at.practice:
                desk.stop(here)
                continue
            if number == 9 and turn == 12:
                desk.stop(here, "removed")
                continue
            if number in careless and here.state.stage == 0:
                desk.answer(here, "0.0", {**ANSWERS, "adult": "no"})
                continue
            if rng.random() < 0.2:
                # A reload, in another process of the server.
                with place.open() as other:
                    again = StudyDesk(other, desk.opened.row.code, clock)
                    assert again.find(browser(number), {}).state == here.state
            if rng.random() < 0.1:
                desk.answer(here, "0.0", ANSWERS)  # an old tab
            stepped(desk, here)
    clock.pass_seconds(3600)
    ended = everybody(desk)
    assert len(ended) == PEOPLE
    counts = Counter(here.state.end for here in ended)
    assert {*counts} == {*ENDS}
    assert counts["done"] >= 10
    by_number = {here.person.number: here.state for here in ended}
    assert by_number[5].end == "timed_out"
    room = room_of(Access(storage, desk.opened.row.room))
    for state in by_number.values():
        for game in state.games:
            if game.whole:
                assert study_episode(room, game.table).over
    files = b"".join(content for _, content in export_files(desk))
    assert b"SECRETPID" not in files
    assert "SECRET" not in caplog.text
    assert int(analysed(desk).rows[0][1]) > 0
