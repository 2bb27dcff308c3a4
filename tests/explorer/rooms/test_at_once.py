"""Many people act in one room at once, over two processes' worth of connections."""

import threading
import time
from collections import Counter
from functools import partial

from explorer import rooms
from tests.explorer.rooms.people import LEADER, act_of, at, may_act, opened, visitor
from tests.explorer.rooms.test_running import let_time_pass

TIMEOUT = 240  # seconds; a busy machine is slow
PEOPLE = 6


def all_at_once(*acts):
    """Start all at the same moment; return the results."""
    start = threading.Barrier(len(acts))
    results = [None] * len(acts)

    def run(place, act):
        start.wait()
        try:
            results[place] = act()
        except Exception as error:
            results[place] = error

    threads = [threading.Thread(target=run, args=each) for each in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return results


def test_nobody_sits_on_anybody(both):
    code = opened(both[0], 0, started=False, seating="choice", tables=1)

    def by(n):
        return rooms.Access(both[n % 2], code, visitor(n))

    joined = all_at_once(*(partial(rooms.join, by(n)) for n in [*range(PEOPLE)] * 2))
    numbers = [person.number for person in joined]
    assert sorted(set(numbers)) == list(range(1, PEOPLE + 1))
    assert numbers[:PEOPLE] == numbers[PEOPLE:]
    took = all_at_once(
        *(partial(rooms.take_seat, by(n), numbers[n], 1, "verifier") for n in range(PEOPLE))
    )
    assert Counter(map(type, took)) == {type(None): 1, rooms.SeatTakenError: PEOPLE - 1}
    # Two windows of one browser choose different seats.
    all_at_once(
        lambda: rooms.take_seat(rooms.Access(both[0], code, visitor(0)), numbers[0], 1, "prover0"),
        lambda: rooms.take_seat(rooms.Access(both[1], code, visitor(0)), numbers[0], 1, "prover1"),
    )
    seats = [p.seat for p in rooms.load_room(rooms.Access(both[1], code)).people if p.seat]
    assert len(seats) == len(set(seats)) == (1 if took[0] is None else 2)
    started = all_at_once(*(lambda s=s: rooms.start(rooms.Access(s, code, LEADER)) for s in both))
    assert Counter(map(type, started)) == {type(None): 1, rooms.NotNowError: 1}


def test_no_move_is_lost(both):
    """Everybody plays as fast as they can, while the facilitator acts and two schedulers run.

    Rounds end, too, so that bots move for whoever is late.
    """
    code = opened(both[0], PEOPLE, round_seconds=60)
    done = threading.Event()
    said = []

    def play(number):
        storage = both[number % 2]
        end = time.monotonic() + TIMEOUT
        turn = 0
        while time.monotonic() < end:
            turn += 1
            table = at(storage, code, number)
            if table.over:
                return "over"
            if may_act(table):
                text = f"Words {number} {turn}."
                act = act_of(table, words=text)
                if table.play(act) is None and act["messages"]:
                    said.append((table.episode_id, text))
        return "still playing"

    def meddle():
        while not done.is_set():
            for agent in ("prover0", "prover1"):
                try:
                    rooms.replace_by_bot(rooms.Access(both[0], code, LEADER), 1, agent)
                    rooms.pause(rooms.Access(both[1], code, LEADER))
                    rooms.resume(rooms.Access(both[0], code, LEADER))
                    rooms.hand_back(rooms.Access(both[1], code, LEADER), 1, agent)
                except rooms.NotNowError:
                    pass

    def keep(storage):
        while not done.wait(0.02):
            let_time_pass(storage, code)
            rooms.run_due(storage)

    beside = [
        threading.Thread(target=meddle),
        *(threading.Thread(target=keep, args=[s]) for s in both),
    ]
    for thread in beside:
        thread.start()
    try:
        results = all_at_once(*(lambda n=n: play(n) for n in range(1, PEOPLE + 1)))
    finally:
        done.set()
        for thread in beside:
            thread.join(600)
    assert results == ["over"] * PEOPLE
    room = rooms.load_room(rooms.Access(both[0], code))
    found = Counter()
    for table in room.tables:
        episode = both[1].within(room.number).load(table.episode_id).episode
        for event in episode.events:
            if event.type == "moved":
                found.update({(table.episode_id, t) for t in event.move.messages.values()})
    assert said
    assert [found[each] for each in said] == [1] * len(said)
