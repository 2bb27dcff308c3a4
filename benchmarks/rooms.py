"""A room full of people: how soon a move is on the others' screens, and its cost.

    python -m benchmarks.rooms                                  60 people, one process
    python -m benchmarks.rooms --people 300 --processes 2       needs PostgreSQL's programs
    python -m benchmarks.rooms --soak                           20 rounds, one in ten vanishes
    python -m benchmarks.rooms --processes 2 --kill             one process is killed on the way

Each person is a real session of the app's protocol, with our connection, and plays at a table of
three. The time is measured from sending the last move of a round to its frame on another person's
connection; the people and all processes share the machine's cores. The floor is the same with a
minimal page (`rooms_floor.py`).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.people import Person, Seated, now
from benchmarks.timing import show, size
from explorer import rooms
from explorer.choice import ProtocolChoice
from explorer.storage import Storage, open_storage

ROOT = Path(__file__).parent.parent
LEADER = secrets.token_hex(16)
THREE = 3
# The mean pause between a person's moves, in seconds.
THINKING = 10.0
MOST_ROUNDS = 20


class Process:
    """A server process and its resource usage."""

    def __init__(self, command: list[str], **environment: str) -> None:
        self._server = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._server.stdout is not None
        found = re.search(r":(\d+) ", self._server.stdout.readline())
        assert found is not None
        self.port = int(found[1])

    def seconds(self) -> float:
        """Return the processor's time so far."""
        parts = Path(f"/proc/{self._server.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """Return the memory in use."""
        pages = int(Path(f"/proc/{self._server.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def kill(self) -> None:
        self._server.kill()
        self._server.wait()


@dataclass
class Game:
    """The moves and screens of a room's people."""

    think: float
    latencies: list[float] = field(default_factory=list)
    sent: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    # The time of the last move in a round, and who made it: by table and round.
    moved: dict[tuple[int, int], tuple[float, Person]] = field(default_factory=dict)

    def changed(self, person: Person, table: int, before: dict[Person, int]) -> None:
        """Record how long ago the move was sent that a person now sees."""
        seen = person.shown["round"]
        if seen > before.get(person, seen):
            when, mover = self.moved.get((table, seen - 1), (0.0, person))
            if mover is not person:
                self.latencies.append(1e3 * (now() - when))
        before[person] = seen


async def play(game: Game, person: Person, table: int) -> None:
    """Make moves as long as any are possible."""
    asked: set[str] = set()
    while True:
        await asyncio.sleep(random.expovariate(1 / game.think))
        shown = person.shown
        if not shown:
            continue
        seen = json.dumps(shown)
        # Confirmed: from now on it must not be lost.
        game.kept |= {words for words in asked if words in seen}
        composer, round_id = shown["composer"], shown["round"]
        if not composer["channels"] and not composer["may_decide"]:
            continue
        mark = secrets.token_hex(4)
        said = {channel: f"{mark} {n}" for n, channel in enumerate(composer["channels"])}
        act = {"messages": said, "decision": 2, "confidence": None, "mark": mark}
        if not said:
            act["decision"] = 1
        asked |= set(said.values())
        game.sent |= asked
        game.moved[table, round_id] = (now(), person)
        await person.act("act", {**act, "round": round_id, "seat": shown["seat"]})


def opened(storage: Storage, people: list[Person], max_rounds: int) -> rooms.Room:
    """Return a room in which all have joined and have seats, before any of them looks."""
    choice = ProtocolChoice.of("mnip").with_setting("max_message_rounds", max_rounds)
    plan = rooms.RoomPlan(conditions=(rooms.RoomCondition("isolated", choice),), tasks=("code",))
    code = rooms.open_room(storage, plan, LEADER).code
    for person in people:
        rooms.join(rooms.Access(storage, code, person.visitor))
        person.query = f"code={code}"
    rooms.start(rooms.Access(storage, code, LEADER))
    return rooms.load_room(rooms.Access(storage, code))


def accounts(storage: Storage, room: rooms.Room, game: Game) -> dict[str, Any]:
    """Check that every table is finished and every confirmed move is stored once."""
    inside = storage.within(room.number)
    room = rooms.load_room(rooms.Access(storage, room.code))
    played = [inside.load(table.episode_id or "").episode for table in room.tables]
    moves = [m for e in played for node in e.path()[1:] for m in node.moves.values()]
    moves += [move for episode in played for move in episode.held.values()]
    words = [words for move in moves for words in move.messages.values()]
    said = [each for each in words if each in game.sent]
    return {
        "tables": len(played),
        "finished": sum(episode.over for episode in played),
        "bots": sum(seat.bot is not None for t in room.tables for seat in t.seats.values()),
        "seen_as_made": len(game.kept),
        "lost": len(game.kept - set(said)),
        "twice": len(said) - len(set(said)),
    }


async def replace_lost(storage: Storage, room: rooms.Room) -> None:
    """Replace people who have vanished, as a facilitator would."""
    while True:
        await asyncio.sleep(2)
        with contextlib.suppress(Exception):
            there = storage.presence.there(room.number)
            for table in rooms.load_room(rooms.Access(storage, room.code)).tables:
                for agent, seat in table.seats.items():
                    lost = seat.bot is None and f"person:{seat.person}" not in there
                    if lost and table.phase == "running":
                        rooms.replace_by_bot(
                            rooms.Access(storage, room.code, LEADER), table.number, agent
                        )


async def crowd(
    asked: argparse.Namespace, storage: Storage, processes: list[Process]
) -> dict[str, Any]:
    """Run everything, after each process has served one visitor."""
    ports = [each.port for each in processes]
    game = Game(asked.think)
    before: dict[Person, int] = {}
    table_of: dict[Person, int] = {}

    def changed(person: Person) -> None:
        game.changed(person, table_of[person], before)

    people = [Seated(ports, "", changed) for _ in range(asked.people)]
    room = opened(storage, people, asked.rounds)
    for person in people:
        (own,) = room.persons_of(person.visitor)
        table_of[person] = own.seat[0] if own.seat else 0
    for each in processes:
        # The first visitor makes a server load its modules.
        first = Seated([each.port], people[0].query, lambda _: None)
        first.token = people[0].token
        opening = asyncio.create_task(first.look())
        await first.ready.wait()
        opening.cancel()
        await asyncio.gather(opening, return_exceptions=True)
    empty = [each.megabytes() for each in processes]
    looking = [asyncio.create_task(person.look()) for person in people]
    start = now()
    await asyncio.gather(*(person.ready.wait() for person in people))
    opened_s = now() - start
    full = [each.megabytes() for each in processes]
    used, start = [each.seconds() for each in processes], now()
    playing = [asyncio.create_task(play(game, p, table_of[p])) for p in people]
    beside = [asyncio.create_task(replace_lost(storage, room))] if asked.soak else []
    if asked.soak:
        beside += [
            asyncio.create_task(vanish(looking[n], playing[n], asked))
            for n in random.sample(range(len(people)), len(people) // 10)
        ]
    if asked.kill:
        await asyncio.sleep(asked.seconds / 2)
        processes[-1].kill()
        ports.pop()
    if asked.soak:
        while any(
            t.phase != "over" for t in rooms.load_room(rooms.Access(storage, room.code)).tables
        ):
            await asyncio.sleep(1)
    else:
        await asyncio.sleep(asked.seconds / 2 if asked.kill else asked.seconds)
    took = now() - start
    alive = processes[: len(ports)]
    row: dict[str, Any] = {
        "people": asked.people,
        "processes": len(processes),
        "all_opened_s": opened_s,
        "seconds": took,
        "rounds_seen": len(game.latencies),
        **percentiles(game.latencies),
        "core_share_each": statistics.mean(
            (each.seconds() - begun) / took for each, begun in zip(alive, used, strict=False)
        ),
        "mb_per_session": sum(b - a for a, b in zip(empty, full, strict=True)) / asked.people,
        "mb": max(each.megabytes() for each in alive),
        "reconnections": sum(person.reconnections for person in people),
    }
    for task in (*looking, *playing, *beside):
        task.cancel()
    await asyncio.gather(*looking, *playing, *beside, return_exceptions=True)
    return {**row, **accounts(storage, room, game)}


async def vanish(looking: asyncio.Task[None], playing: asyncio.Task[None], asked: Any) -> None:
    """Let one person in ten vanish at some time for good."""
    await asyncio.sleep(random.uniform(0, asked.rounds * asked.think))
    looking.cancel()
    playing.cancel()


def percentiles(latencies: list[float]) -> dict[str, float]:
    """Return the median of milliseconds, and the 95th percentile."""
    times = sorted(latencies) or [float("nan")]
    return {"median_ms": statistics.median(times), "p95_ms": times[len(times) * 95 // 100]}


async def floor(asked: argparse.Namespace, process: Process) -> dict[str, Any]:
    """Measure the same number of people with a minimal page."""
    latencies: list[float] = []
    groups = [n // THREE for n in range(asked.people)]
    moved: dict[int, tuple[float, Person]] = {}

    def changed(person: Person) -> None:
        when, mover = moved.get(int(person.query.partition("=")[2]), (0.0, person))
        if mover is not person and person.ready.is_set():
            latencies.append(1e3 * (now() - when))

    people = [Person([process.port], "", f"group={n}", "push", changed) for n in groups]
    looking = [asyncio.create_task(person.look()) for person in people]
    await asyncio.gather(*(person.ready.wait() for person in people))
    used, start = process.seconds(), now()

    async def say(person: Person, group: int) -> None:
        while True:
            # In a room, two of three speak at once in a round, and are seen once.
            await asyncio.sleep(random.expovariate(2 / THREE / asked.think))
            moved[group] = (now(), person)
            await person.act("said", 1)

    saying = [asyncio.create_task(say(p, g)) for p, g in zip(people, groups, strict=True)]
    await asyncio.sleep(asked.seconds)
    share = (process.seconds() - used) / (now() - start)
    for task in (*looking, *saying):
        task.cancel()
    await asyncio.gather(*looking, *saying, return_exceptions=True)
    return {"people": asked.people, "floor": True, **percentiles(latencies), "core_share": share}


def measure(arguments: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield a row for the floor, and one for the room."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rooms", description=__doc__)
    parser.add_argument("--people", type=int, default=size(60, THREE))
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=size(40.0, 4.0))
    parser.add_argument("--think", type=float, default=size(THINKING, 0.5))
    parser.add_argument("--rounds", type=int, default=MOST_ROUNDS)
    parser.add_argument("--sqlite", action="store_true", default=size(False, True))
    parser.add_argument("--soak", action="store_true", help="play to the end; one in ten vanishes")
    parser.add_argument("--kill", action="store_true", help="kill a process in the middle")
    asked = parser.parse_args([] if arguments is None else arguments)
    if not asked.soak and not asked.kill:
        process = Process(["-m", "benchmarks.rooms_floor"])
        try:
            yield asyncio.run(floor(asked, process))
        finally:
            process.kill()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as open_now:
        url = f"sqlite:///{folder}/rooms.db"
        if not asked.sqlite:
            from tests.explorer.storage.postgres import Server, find_binaries

            binaries = find_binaries()
            assert binaries is not None, "PostgreSQL's server programs are not installed"
            server = Server(binaries)
            open_now.callback(server.remove)
            url = server.url(server.new_database())
        storage = open_now.enter_context(open_storage(url))
        command = ["-m", "explorer", "--no-browser", "--port", "0", "--database", url]
        processes = [Process(command) for _ in range(asked.processes)]
        try:
            time.sleep(size(6, 0))  # background loading starts later
            yield asyncio.run(crowd(asked, storage, processes))
        finally:
            for process in processes:
                process.kill()


def main() -> None:
    for row in measure(sys.argv[1:]):
        print(show(row), flush=True)


if __name__ == "__main__":
    main()
