"""Twenty people take part at once, with drop-outs, reloads, late comers and killed servers."""

import random
import subprocess
import sys
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
    outside,
    stepped,
    with_two_people,
)

PEOPLE = 20
# A server: it does one step for each line that it reads, and says what it has stored.
SERVER = """
import sys
from explorer.participants import StudyDesk
from explorer.storage import open_storage
from tests.explorer.participants.people import agreed, stepped
with open_storage(sys.argv[1]) as storage:
    desk = StudyDesk(storage, sys.argv[2])
    for line in sys.stdin:
        here = stepped(desk, agreed(desk, int(line)))
        state = desk.here(here.person.id).state
        print(line.strip(), state.count, flush=True)
"""


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


@exhaustive
def test_a_killed_server_loses_nothing_that_it_has_answered(place, tmp_path):
    """Servers are killed at any moment; the next one goes on where people were."""
    with place.open() as storage:
        desk = opened(storage, tmp_path, with_two_people())
    code, rng, promised = desk.opened.row.code, random.Random(1), Counter()
    errors = tmp_path / "errors"
    for _ in range(8):
        words = [sys.executable, "-c", SERVER, place.url, code]
        with errors.open("ab") as log:
            server = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
            )
            for _ in range(rng.randint(3, 30)):
                server.stdin.write(f"{rng.randint(1, PEOPLE)}\n")
                server.stdin.flush()
                if rng.random() < 0.8:
                    number, count = map(int, server.stdout.readline().split())
                    promised[number] = max(promised[number], count)
            server.kill()
            server.communicate()
        with place.open() as storage:
            there = StudyDesk(storage, code)
            for number, count in promised.items():
                here = there.find(browser(number), outside(number))
                assert here.state.count >= count
    assert "SECRET" not in errors.read_text("utf-8")
    with place.open() as storage:
        desk = StudyDesk(storage, code)
        for _ in range(40):
            for number in range(1, PEOPLE + 1):
                stepped(desk, agreed(desk, number))
        assert sum(here.state.end == "done" for here in everybody(desk)) >= PEOPLE - 1
