"""The cost of storing every move, compared with SQLite's own for the same bytes."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import make_url

from benchmarks.playing import TEXT
from benchmarks.timing import best_seconds, size
from explorer.storage import (
    PRAGMAS,
    ChangeFeed,
    Criteria,
    Storage,
    event_rows,
    make_engine,
    open_storage,
    progress_columns,
    stamp,
)
from explorer.storage.records import Appending
from nip_core import HyperParameters
from nip_core.play import Episode, Move, Setup
from nip_core.tasks import bundled_tasks

MOVES = 300
EPISODES = 1_000


def new_episode(rounds: int) -> Episode:
    """Return an episode of nip with this many rounds."""
    parameters = HyperParameters(
        interaction_protocol="nip", nip_protocol={"max_message_rounds": min(rounds + 1, 1_000)}
    )
    return Episode.from_setup(Setup.of(parameters, bundled_tasks()[0]))


def play_one(episode: Episode) -> None:
    """Play a move in which nobody decides; at the end of the rounds, a new variation begins."""
    if episode.over:
        episode.goto(0)
    (agent,) = episode.to_move
    episode.play(Move(agent, {"main": TEXT}))


def played(events: int) -> Episode:
    """Return an episode with this many events."""
    episode = new_episode(events)
    while len(episode.events) < events:
        play_one(episode)
    return episode


def moves_per_second(storage: Storage | None) -> float:
    """Play, and store each move if there is a storage."""
    moves = size(MOVES, 10)
    episode = new_episode(moves)
    episode_id, version = (storage.create(episode), 0) if storage else ("", 0)
    start = time.perf_counter()
    for _ in range(moves):
        play_one(episode)
        if storage:
            version = storage.append(episode_id, episode, version)
    return moves / (time.perf_counter() - start)


def bare_moves_per_second(storage: Storage, path: Path) -> float:
    """Play, and run only the statements that store a move with the driver: a lower bound."""
    moves = size(MOVES, 10)
    episode = new_episode(moves)
    episode_id = storage.create(episode)
    engine = make_engine(make_url(f"sqlite:///{path}"))
    statements = Appending(engine, ChangeFeed(engine))
    with contextlib.closing(engine.raw_connection()) as connection:
        cursor = connection.cursor()
        start = time.perf_counter()
        for version in range(moves):
            play_one(episode)
            now = stamp()
            (row,) = event_rows(episode, version, now)
            known = {"claimed": episode_id, "seen": version, "playing": None}
            changes = progress_columns(episode, now)
            cursor.execute(statements.claims[tuple(changes)], changes | known)
            cursor.execute(statements.add, row | {"episode": cursor.fetchone()[0]})
            connection.commit()
        seconds = time.perf_counter() - start
    engine.dispose()
    return moves / seconds


def raw_commits_per_second(path: Path, bodies: list[str]) -> float:
    """Commit the same bytes one by one with the same settings, and nothing else."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(PRAGMAS)
        connection.execute("DROP TABLE IF EXISTS raw")
        connection.execute("CREATE TABLE raw (body TEXT)")
        connection.commit()
        start = time.perf_counter()
        for body in bodies:
            connection.execute("INSERT INTO raw VALUES (?)", (body,))
            connection.commit()
        return len(bodies) / (time.perf_counter() - start)


def measure() -> Iterator[dict[str, Any]]:
    """Measure stored moves, loaded episodes, and lists."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        with open_storage(f"sqlite:///{folder}/episodes.db") as storage:
            yield _appends(storage, folder)
            for events in size((10, 100, 1_000), (10,)):
                yield _loads(storage, events)
            yield _lists(storage)


def _appends(storage: Storage, folder: Path) -> dict[str, Any]:
    events = [event.to_dict() for event in played(size(MOVES, 10)).events]
    # Each text is stored twice: in its event, and folded for search.
    bodies = [json.dumps(event) + event["move"]["messages"]["main"] for event in events]
    memory, kept, bare, raw = 0.0, 0.0, 0.0, 0.0
    for _ in range(size(5, 1)):
        memory = max(memory, moves_per_second(None))
        kept = max(kept, moves_per_second(storage))
        bare = max(bare, bare_moves_per_second(storage, folder / "episodes.db"))
        raw = max(raw, raw_commits_per_second(folder / "raw.db", bodies))
    return {
        "what": "moves per s",
        "in memory": memory,
        "kept": kept,
        "by the driver alone": bare,
        "raw commits": raw,
        "kept to raw": kept / raw,
        "driver alone to raw": bare / raw,
    }


def _loads(storage: Storage, events: int) -> dict[str, Any]:
    episode = played(events)
    episode_id = storage.create(episode)
    load = best_seconds(lambda: storage.load(episode_id), rounds=3)
    replay = best_seconds(lambda: Episode.from_setup(episode.setup, episode.events), rounds=3)
    return {
        "what": f"load {events} events",
        "ms": load * 1e3,
        "playing them again alone, ms": replay * 1e3,
        "version only, us": best_seconds(lambda: storage.entry(episode_id)) * 1e6,
    }


def _lists(storage: Storage) -> dict[str, Any]:
    episodes = size(EPISODES, 80)
    for number in range(episodes):
        episode = new_episode(19)  # it ends after 20 moves; only then messages are searched
        while not episode.over:
            play_one(episode)
        storage.create(episode, title=f"Episode {number}", tags=[f"tag {number % 7}"])
    return {
        "what": f"among {episodes} episodes of 20 moves",
        "newest 50, ms": best_seconds(storage.find) * 1e3,
        "by tag, ms": best_seconds(lambda: storage.find(Criteria(tag="tag 3"))) * 1e3,
        "by title, ms": best_seconds(lambda: storage.find(Criteria(text="episode 77"))) * 1e3,
        "by message, ms": best_seconds(lambda: storage.find(Criteria(text="xyz"))) * 1e3,
    }
