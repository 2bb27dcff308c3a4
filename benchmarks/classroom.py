"""Thirty people take a lesson at once, each with their own connection: alone, and in a room.

Phones are simulated as the browser's side of the app's own protocol, so only the server is
measured: from sending a click to the end of drawing and, in a room, from a facilitator's click
until a phone has received the new step over its connection, and until its page is drawn. Sixty also
join a room by its link at once: from opening it until all are in, and from each tap on "Join".
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.people import EVENTS, Person, now
from benchmarks.rooms import Process
from benchmarks.timing import size
from explorer import rooms
from explorer.storage import open_storage

Found = TypeVar("Found")

PHONES, SECONDS = 30, 20.0
JOINING = 60
# Seconds without a button to press after which the app has failed.
STUCK = 300
# The mean pause between a person's clicks.
THINKING = 3.0
# The lesson that each phone takes alone, and the one of the room.
ALONE, LESSON = "stranger", "two-rooms"
# The lesson's steps: those that two phones may play together, and the number that a facilitator
# opens.
GAME, STEPS = 5, 10


class Phone(Person):
    """A person who presses buttons.

    Parameters
    ----------
    port : int
    page, query : str
    """

    def __init__(self, port: int, page: str, query: str) -> None:
        super().__init__([port], page, query, "now", lambda _: None)
        self.drawn: Any = None
        self.buttons: dict[str, tuple[str, str]] = {}
        # The lesson on the page: the name of its component and its part of the page, and its data.
        self._lesson = "", ""
        self._pieces: dict[str, Any] = {}
        self._shown: list[tuple[str, str]] = []
        self._offered = asyncio.Event()

    async def _run(self, fragment: str = "", *states: tuple[str, str, Any]) -> None:
        # The part that is redrawn may have lost some buttons.
        kept = self.buttons.items() if fragment else ()
        self.buttons = {label: at for label, at in kept if at[1] != fragment}
        await super()._run(fragment, *states)

    def _take(self, data: bytes, port: int) -> None:
        message = ForwardMsg.FromString(data)
        element = message.delta.new_element
        if element.WhichOneof("type") == "button":
            # Labels are markdown, in which special characters are escaped.
            label = element.button.label.replace("\\", "")
            self.buttons.setdefault(label, (element.button.id, message.delta.fragment_id))
            self._offered.set()
        elif element.bidi_component.component_name.endswith("nip_lesson"):
            (sent,) = json.loads(element.bidi_component.json)
            self._lesson = element.bidi_component.id, message.delta.fragment_id
            self._pieces |= sent["pieces"]
            self._shown = sent["parts"]
            self._offered.set()
        super()._take(data, port)

    async def _receive(self, message: dict[str, Any]) -> None:
        if banner := message.get("live", {}).get("now"):
            self.shown = banner
            self.changed(self)
        await super()._receive(message)

    def _drawn(self, name: str, shown: Any) -> None:
        if name == self.shows:
            self.drawn = shown
        super()._drawn(name, shown)

    async def press(self, *labels: str) -> float:
        """Press the first existing one of these buttons; return milliseconds until all is drawn.

        While a page is drawn anew, it may have none of them yet.
        """

        def offered() -> tuple[str, str] | None:
            return next((self.buttons[label] for label in labels if label in self.buttons), None)

        name, fragment = await self._when(offered)
        return await self._timed(fragment, (name, "trigger_value", True))

    async def play(self) -> float:
        """Make the first possible move in the lesson's game, or begin another one.

        Return milliseconds until all is drawn.
        """
        part = await self._when(self._game)
        choices = part["scene"]["choices"]
        said = {"choice": choices[0][0]} if choices else {"role": part["role"]}
        return await self.tell("game", {**said, "place": part["place"]})

    async def skip(self) -> None:
        """Skip the question before the lesson, behind which its other steps wait."""
        await self._when(lambda: self._lesson[0])
        await self.tell("answer", {"place": 0, "value": ""})

    async def tell(self, event: str, value: dict[str, Any]) -> float:
        """Send what a person does in the lesson; return milliseconds until all is drawn."""
        name, fragment = self._lesson
        events = json.dumps([{"event": event, "value": {**value, "holds": [*self._pieces]}}])
        state = EVENTS.format(name), "json_trigger_value", events
        return await self._timed(fragment, (name, "json_value", "{}"), state)

    def _game(self) -> dict[str, Any] | None:
        return next((part for part in self.parts() if "scene" in part), None)

    def parts(self) -> list[dict[str, Any]]:
        """Return the parts of the lesson on the page, each with what it shows now."""
        return [self._pieces[part] | self._pieces[now] for part, now in self._shown]

    async def _timed(self, fragment: str, *states: tuple[str, str, Any]) -> float:
        self.ready.clear()
        start = now()
        await self._run(fragment, *states)
        await self.ready.wait()
        return 1e3 * (now() - start)

    async def _when(self, find: Callable[[], Found | None]) -> Found:
        """Wait until something is on the page."""
        async with asyncio.timeout(STUCK):
            while (found := find()) is None:
                self._offered.clear()
                await self._offered.wait()
        return found


@contextmanager
def served() -> Generator[tuple[Process, str]]:
    """Start the app with an empty database, and yield it with the database's address."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/class.db"
        command = ["-m", "explorer", "--no-browser", "--port", "0", "--database", url]
        process = Process(command)
        try:
            time.sleep(size(6, 0))  # its background loading starts later
            yield process, url
        finally:
            process.kill()


def measure() -> Iterator[dict[str, Any]]:
    """Measure milliseconds from a click to its answer: one phone, thirty phones, a room."""
    with served() as (process, url):
        for count in (1, size(PHONES, 2)):
            phones = [Phone(process.port, "learn", f"lesson={ALONE}") for _ in range(count)]
            yield {"phones": count, **asyncio.run(_playing(process, phones))}
        for count in (1, size(JOINING, 2)):
            yield {"phones": count, "join": True, **asyncio.run(_joining(process, url, count))}
        for count in (1, size(PHONES, 2)):
            yield {"phones": count, "room": True, **asyncio.run(room(process, url, count))}


async def _playing(process: Process, phones: list[Phone]) -> dict[str, Any]:
    """Let all open the page at the same moment, and play."""
    start = now()
    looking = [asyncio.create_task(phone.look()) for phone in phones]
    await asyncio.gather(*(phone.ready.wait() for phone in phones))
    opened = now() - start
    await asyncio.gather(*(phone.skip() for phone in phones))
    row = await _clicks(process, phones)
    await leave(looking)
    return {"last_opened_ms": 1e3 * opened, **row}


async def _clicks(process: Process, phones: list[Phone]) -> dict[str, Any]:
    used, end = process.seconds(), now() + size(SECONDS, 0.5)
    played = await asyncio.gather(
        *(_play(phone, end, random.Random(n)) for n, phone in enumerate(phones))
    )
    used = process.seconds() - used
    times = sorted(taken for own in played for taken in own)
    return {
        "clicks": len(times),
        "median_ms": statistics.median(times),
        "p95_ms": times[len(times) * 95 // 100],
        "processor_ms_each": 1e3 * used / len(times),
    }


async def _play(phone: Phone, end: float, rng: random.Random) -> list[float]:
    times: list[float] = []
    while now() < end:
        await asyncio.sleep(rng.expovariate(1 / size(THINKING, 0.1)))
        times.append(await phone.play())
    return times


async def _joining(process: Process, url: str, count: int) -> dict[str, Any]:
    """Let all open a room's link at the same moment, and tap "Join" as soon as it is there."""
    with open_storage(url) as storage:
        plan = rooms.RoomPlan(kind="lesson", lesson=LESSON)
        code = rooms.open_room(storage, plan, secrets.token_hex(16)).code
        key = rooms.load_room(rooms.Access(storage, code)).invitation
    query = f"code={code}&invitation={key}"
    phones = [Phone(process.port, "room", query) for _ in range(count)]
    used, start = process.seconds(), now()
    looking = [asyncio.create_task(phone.look()) for phone in phones]
    taps = sorted(await asyncio.gather(*map(_join, phones)))
    row = {
        "all_in_s": now() - start,
        "median_ms": statistics.median(taps),
        "p95_ms": taps[len(taps) * 95 // 100],
        "processor_ms_each": 1e3 * (process.seconds() - used) / count,
    }
    await leave(looking)
    with open_storage(url) as storage:
        assert len(rooms.load_room(rooms.Access(storage, code)).here) == count
    return row


async def _join(phone: Phone) -> float:
    """Tap on "Join"; return milliseconds until the page says what happens next in the room."""
    arrived = asyncio.Event()

    def changed(person: Person) -> None:
        del person
        arrived.set()

    phone.changed = changed
    await phone.ready.wait()
    start = now()
    await phone.press("Join")
    await asyncio.wait_for(arrived.wait(), STUCK)
    return 1e3 * (now() - start)


async def room(process: Process, url: str, count: int, *, plays: bool = True) -> dict[str, Any]:
    """Let a facilitator open the steps one after the other; at one of them all may play."""
    with open_storage(url) as storage:
        lead, projector = (Phone(process.port, "room", "") for _ in range(2))
        projector.token = lead.token
        plan = rooms.RoomPlan(kind="lesson", lesson=LESSON)
        code = rooms.open_room(storage, plan, lead.visitor).code
        phones = [Phone(process.port, "room", f"code={code}") for _ in range(count)]
        for phone in phones:
            rooms.join(rooms.Access(storage, code, phone.visitor))
    lead.query, projector.query = f"code={code}&as=lead", f"code={code}&as=projector"
    reached: dict[tuple[int, Phone], float] = {}
    drawn: dict[tuple[int, Phone], float] = {}
    all_drawn = asyncio.Event()
    pressed = 0.0

    def changed(phone: Person) -> None:
        assert isinstance(phone, Phone)
        for when, shown in ((reached, phone.shown), (drawn, phone.drawn)):
            if shown and f"Step {step} " in shown["where"]:
                when.setdefault((step, phone), 1e3 * (now() - pressed))
        if len(drawn) == (step - 1) * count:
            all_drawn.set()

    step = 0
    for phone in phones:
        phone.changed = changed
    looking = [asyncio.create_task(each.look()) for each in (lead, projector, *phones)]
    await asyncio.gather(*(each.ready.wait() for each in (lead, projector, *phones)))
    row: dict[str, Any] = {}
    used = 0.0
    # The first step is the question before the lesson.
    await lead.press("Begin")
    for step in range(2, STEPS + 1):
        await asyncio.sleep(size(2, 0.1))
        all_drawn.clear()
        before, pressed = process.seconds(), now()
        pressing = asyncio.create_task(lead.press("Next"))
        await all_drawn.wait()
        await pressing
        await asyncio.sleep(size(1, 0.1))
        used += process.seconds() - before
        if plays and step == GAME:
            await lead.press("Each phone alone")
            await asyncio.sleep(size(2, 0.1))
            row = await _clicks(process, phones)
    await leave(looking)
    return {
        **row,
        "reached_median_ms": statistics.median(reached.values()),
        "reached_last_ms": max(reached.values()),
        "drawn_median_ms": statistics.median(drawn.values()),
        "drawn_last_ms": max(drawn.values()),
        "processor_ms_reached": 1e3 * used / len(reached),
    }


async def leave(looking: list[asyncio.Task[None]]) -> None:
    for task in looking:
        task.cancel()
    await asyncio.gather(*looking, return_exceptions=True)
