"""After processes were killed or have raced, each acknowledged move is stored once."""

import contextlib
import multiprocessing
import random
import time
from functools import partial
from multiprocessing.connection import Connection

import pytest

from explorer.storage import ConflictError, Storage, open_storage
from nip_core.play import Commented, Episode, Move
from tests.depth import FULL, first
from tests.explorer.storage.play import SETUPS, finished, step
from tests.threads import in_threads

KILLS = 16 if FULL else 4

# Start processes with everything imported, and without forking this one, which has threads.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])


def play_for_ever(url: str, seed: int, pipe: Connection) -> None:
    """Play and store one episode after another, and report what was acknowledged."""
    rng = random.Random(seed)
    with open_storage(url) as storage:
        while True:
            episode = Episode.from_setup(rng.choice(list(SETUPS.values())))
            episode_id, version = storage.create(episode), 0
            pipe.send((episode_id, version))
            for _ in range(rng.randrange(12)):
                for _ in range(rng.randint(1, 3)):
                    step(rng, episode)
                version = storage.append(episode_id, episode, version)
                pipe.send((episode_id, version))


def acknowledged_until_killed(url: str, seed: int) -> dict[str, int]:
    """Let a process play, kill it some time after its first stored move; return its reports."""
    hears, tells = PROCESSES.Pipe(duplex=False)
    player = PROCESSES.Process(target=play_for_ever, args=(url, seed, tells))
    player.start()
    tells.close()
    promised: dict[str, int] = {}

    def hear():
        episode_id, version = hears.recv()
        promised[episode_id] = version

    while not any(promised.values()):
        assert hears.poll(60)
        hear()
    time.sleep(random.Random(seed).uniform(0, 0.03))
    player.kill()
    player.join()
    # The pipe is empty at the end, or ends with half a message.
    with contextlib.suppress(EOFError, OSError):
        while True:
            hear()
    return promised


def check_all(storage: Storage, promised: dict[str, int]) -> None:
    """Check that everything reported is stored, and nothing by half."""
    for entry in storage.find(limit=1_000_000):
        stored = storage.load(entry.id)  # which plays it again, and counts its events
        assert len(stored.episode.events) == stored.version
        assert stored.version >= promised.pop(entry.id, 0)
    assert promised == {}


def test_killed_at_any_moment(place):
    for seed in range(KILLS):
        promised = acknowledged_until_killed(place.url, seed)
        place.settle()
        with place.open() as storage:
            check_all(storage, promised)
            events = sum(entry.version for entry in storage.find(limit=1_000_000))
            assert place.execute("SELECT count(*) FROM events") == [(events,)]
            # Keeps the check of the next round short.
            for entry in storage.find(limit=1_000_000):
                storage.delete(entry.id)
                storage.purge(entry.id)
        for table in ("episodes", "setups", "events"):
            assert place.execute(f"SELECT count(*) FROM {table}") == [(0,)]


def play_on(url: str, episode_id: str, number: int, start: object, pipe: Connection) -> None:
    """Play one move from version 0 as soon as all are ready."""
    with open_storage(url) as storage:
        start.wait()
        pipe.send(one_move(storage, episode_id, number))


def one_move(storage: Storage, episode_id: str, number: int) -> str:
    episode = Episode.from_setup(SETUPS["nip"])
    episode.play(Move("verifier", {"main": f"I am number {number}."}))
    try:
        storage.append(episode_id, episode, 0)
    except ConflictError:
        return "conflict"
    return f"I am number {number}."


def check_race(storage: Storage, episode_id: str, answers: list[str]) -> None:
    said = storage.load(episode_id).episode.node.moves["verifier"].messages["main"]
    assert sorted(answers) == sorted([said, *["conflict"] * (len(answers) - 1)])


@pytest.mark.parametrize("players", first(1, [2, 4]))
def test_processes_race(place, storage, players):
    episode_id = storage.create(Episode.from_setup(SETUPS["nip"]))
    start = PROCESSES.Barrier(players)
    hears, tells = PROCESSES.Pipe(duplex=False)
    racing = [
        PROCESSES.Process(target=play_on, args=(place.url, episode_id, n, start, tells))
        for n in range(players)
    ]
    for process in racing:
        process.start()
    for process in racing:
        process.join(600)
        # A process that was killed prints nothing, and the test would wait forever.
        assert process.exitcode == 0
    check_race(storage, episode_id, [hears.recv() for _ in racing])


def test_many_write_at_once_and_all_is_kept(storage):
    """Threads that play in one episode, each repeating its move after a conflict."""
    episode_id = storage.create(Episode.from_setup(SETUPS["debate"]))
    mine = [finished(SETUPS["nip"], seed) for seed in range(6)]

    def remark(number):
        storage.create(mine[number])
        for turn in range(5):
            while True:
                stored = storage.load(episode_id)
                stored.episode.apply(Commented(node=0, text=f"{number}, {turn}"))
                try:
                    storage.append(episode_id, stored.episode, stored.version)
                    break
                except ConflictError:
                    continue

    in_threads(*(partial(remark, number) for number in range(6)))
    said = [event.text for event in storage.load(episode_id).episode.events]
    assert sorted(said) == sorted(f"{n}, {t}" for n in range(6) for t in range(5))
    for number in range(6):
        assert [s for s in said if s.startswith(f"{number},")] == [
            f"{number}, {t}" for t in range(5)
        ]
    assert storage.count() == 7
