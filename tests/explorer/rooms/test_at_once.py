"""Many people act in one room at once, over two processes' worth of connections."""

import random
import threading
import time
from collections import Counter
from functools import partial

from explorer import rooms
from explorer.choice import ProtocolChoice
from tests.depth import FULL
from tests.explorer.rooms.people import LEADER, act_of, at, may_act, opened, plan, protocol, visitor
from tests.explorer.rooms.test_running import let_time_pass
from tests.explorer.storage.places import PostgresPlace

TIMEOUT = 240  # seconds; a busy machine is slow
PEOPLE = 6
# People, rounds, and threads that act for them; the full run has a large class.
CLASS, CROWD = (60, 20, 8), (9, 4, 3)


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
    """Everybody plays as fast as they can, while the facilitator acts and two schedulers run."""
    code = opened(both[0], PEOPLE)
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


def test_a_crowd_of_which_some_vanish(place, both):
    """Every table ends, and every event was made by a person or a bot."""
    large = FULL and isinstance(place, PostgresPlace)
    people, rounds, threads = CLASS if large else CROWD
    made = plan(
        conditions=(rooms.RoomCondition("isolated", ProtocolChoice.of(protocol("mnip", rounds))),),
        round_seconds=60,
    )
    code = opened(both[0], people, plan=made)
    rng = random.Random(1)
    said, done = [], threading.Event()

    def play(numbers, draw):
        here = list(numbers)
        for _ in range(50 * rounds):
            for number in list(here):
                table = at(both[number % 2], code, number)
                if table.over:
                    here.remove(number)
                elif may_act(table):
                    # One person in ten disappears during play.
                    if draw.random() < 0.1 / rounds:
                        here.remove(number)
                        continue
                    act = act_of(table, words=f"{number} {draw.random()}")
                    if table.play(act) is None:
                        said.append((table.episode_id, table.agent, str(act["messages"])))
            if not here:
                return

    def let_time_go():
        while not done.wait(0.5):
            let_time_pass(both[0], code)
            for storage in both:
                rooms.run_due(storage)

    time = threading.Thread(target=let_time_go)
    time.start()
    hands = [range(1 + hand, people + 1, threads) for hand in range(threads)]
    draws = [random.Random(rng.random()) for _ in hands]
    try:
        found = all_at_once(*map(partial(partial, play), hands, draws))
        assert found == [None] * threads
        for _ in range(200 * rounds):
            if all(
                table.phase == "over"
                for table in rooms.load_room(rooms.Access(both[0], code)).tables
            ):
                break
            done.wait(0.05)
    finally:
        done.set()
        time.join(600)
    room = rooms.load_room(rooms.Access(both[1], code))
    assert {table.phase for table in room.tables} == {"over"}
    by_people = Counter()
    for table in room.tables:
        episode = both[1].within(room.number).load(table.episode_id).episode
        sits = {}
        for event in episode.events:
            if event.type == "seated":
                sits[event.agent] = event.player["kind"]
            elif sits[event.move.agent] == "human":
                messages = str(dict(event.move.messages))
                by_people[table.episode_id, event.move.agent, messages] += 1
    assert by_people == Counter(said)
