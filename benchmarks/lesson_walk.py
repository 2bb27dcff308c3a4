"""A class of thirty takes a whole lesson in a room, and a step reaches sixty phones.

A third of the phones are quick (they answer at once, and play a few moves), a third are slow (they
answer late in a step), and a third are idle (they only look). The facilitator follows the lesson's
own plan: each step of the plan has its stated minutes, in which what is asked is locked and
revealed. A stated minute takes three seconds, or as many as NIP_MINUTE says (60 is a real class).
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
from collections.abc import Iterator
from typing import Any

from benchmarks.classroom import Phone, leave, room, served
from benchmarks.people import Person, now
from benchmarks.rooms import Process
from benchmarks.timing import size
from explorer import rooms
from explorer.lessons import Lesson
from explorer.rooms.agenda import lesson_steps_of
from explorer.rooms.lesson import asks, lesson_called, steps
from explorer.storage import open_storage

LESSON, PHONES, REACHED = "stranger", 30, 60
MINUTE = float(os.environ.get("NIP_MINUTE", "3"))  # seconds
WALKS = ("quick", "slow", "idle")
# When the facilitator locks, as a share of a step's time, and when slow people answer.
LOCKED, SLOW = 0.85, (0.4, 0.75)
# Seconds before a facilitator presses the next button, and before they press it again.
PRESSING, WAITING, TRIES = 0.3, 5.0, 10
MOVES = 3  # of a quick person in a game


class Learner(Phone):
    """A phone that answers what a step asks, as far as answers are taken."""

    async def answer(self, rng: random.Random) -> float | None:
        """Answer; return the milliseconds until all is drawn, or None if nothing can be answered.

        A number is chosen among those that can be guessed.
        """
        asked = (part for part in self.parts() if part["kind"] != "game")
        part = next((part for part in asked if part.get("takes")), None)
        if part is None:
            return None
        number = part.get("low", 0) + part.get("step", 1) * rng.randint(0, 3)
        value = rng.choice(part["choices"]) if part.get("choices") else number
        if part["kind"] == "say" and not part.get("choices"):
            value = "I would ask what nobody can foresee."
        return await self.tell("answer", {"place": part["place"], "value": value})

    async def move(self) -> float | None:
        """Make the first move of a game, if there is one to make."""
        part = next((part for part in self.parts() if part.get("scene", {}).get("choices")), None)
        if part is None:
            return None
        said = {"place": part["place"], "choice": part["scene"]["choices"][0][0]}
        return await self.tell("game", said | {"question": part["scene"].get("question")})


def measure() -> Iterator[dict[str, Any]]:
    """Measure a class through a lesson, and how long a step takes to reach the last of sixty."""
    with served() as (process, url):
        yield asyncio.run(_lesson(process, url, size(PHONES, 3)))
        yield {"phones": size(REACHED, 3), **asyncio.run(_reaching(process, url))}


async def _reaching(process: Process, url: str) -> dict[str, Any]:
    row = await room(process, url, size(REACHED, 3), plays=False)
    return {name: row[name] for name in ("reached_median_ms", "reached_last_ms", "drawn_last_ms")}


async def _lesson(process: Process, url: str, count: int) -> dict[str, Any]:
    """Let a facilitator lead a class through a lesson by its plan; return what was measured."""
    lesson = lesson_called(LESSON)
    with open_storage(url) as storage:
        lead = Phone(process.port, "room", "")
        code = rooms.open_room(storage, rooms.RoomPlan(kind="lesson", lesson=LESSON), lead.visitor)
        code = code.code
        phones = [Learner(process.port, "room", f"code={code}") for _ in range(count)]
        for phone in phones:
            rooms.join(rooms.Access(storage, code, phone.visitor))
    lead.query = f"code={code}&as=lead"
    reached: dict[tuple[int, Person], float] = {}
    pressed, step = 0.0, 0

    def changed(phone: Person) -> None:
        if phone.shown and f"Step {step} " in phone.shown["where"]:
            reached.setdefault((step, phone), 1e3 * (now() - pressed))

    for phone in phones:
        phone.changed = changed
    looking = [asyncio.create_task(each.look()) for each in (lead, *phones)]
    await asyncio.gather(*(each.ready.wait() for each in (lead, *phones)))
    walks = dict(zip(phones, WALKS * count, strict=False))
    answers: dict[str, list[float]] = {walk: [] for walk in WALKS}
    minute, start, used = size(MINUTE, 0.3), now(), process.seconds()
    clicks: list[float] = []

    async def lead_on(label: str, then: str) -> None:
        """Press a button until the facilitator's banner says that it was done."""
        for _ in range(TRIES):
            # Nobody presses a button before its page is there; a stale page's command is refused.
            await asyncio.sleep(PRESSING)
            if label in lead.buttons:
                clicks.append(await lead.press(label))
            until = now() + WAITING
            while now() < until:
                if then in f"{lead.shown['now']} {lead.shown['where']} ":
                    return
                await asyncio.sleep(0.02)
        raise RuntimeError(f"{label} did not lead to {then!r}: {lead.shown}")

    for step, seconds in _seconds(lesson, minute).items():
        pressed = now() + PRESSING
        await lead_on("Begin" if step == 1 else "Next", f"Step {step} ")
        end = now() + seconds
        acting = [
            asyncio.create_task(_act(phone, walks[phone], end, seconds, answers[walks[phone]]))
            for phone in phones
        ]
        block = next((n for n in steps(lesson)[step - 1] if asks(lesson.blocks[n - 1])), None)
        if block is not None:
            pairs = lesson.blocks[block - 1].pairs
            if pairs:
                await lead_on("Open", "Open: ")
            await asyncio.sleep(max(0.0, end - now() - (1 - LOCKED) * seconds))
            # If no pair has played, the banner says that they agree on a plan.
            await lead_on("Lock", "Locked: " if not pairs else "")
            await lead_on("Reveal", "Revealed. ")
        await asyncio.sleep(max(0.0, end - now()))
        await asyncio.gather(*acting)
    took = now() - start
    await leave(looking)
    with open_storage(url) as storage:
        at = rooms.load_lesson(rooms.Access(storage, code))
        kept = sum(many for (place, _), many in at.answered.items() if not at.block(place).pairs)
    asking = sum(asks(block) and not block.pairs for block in lesson.blocks)
    active = sum(walk != "idle" for walk in walks.values())
    return {
        "class": count,
        "lesson": LESSON,
        "stated_minutes": sum(part.minutes for part in lesson.facilitator.timing),
        "steps": len(steps(lesson)),
        "took_minutes": took / minute,
        "facilitator_last_ms": max(clicks),
        "clicks": sum(map(len, answers.values())),
        "questions_answered": f"{kept} of {active * asking}",
        **{f"{walk}_median_ms": statistics.median(t) for walk, t in answers.items() if t},
        "answers_last_ms": max((t for times in answers.values() for t in times), default=0.0),
        "reached_median_ms": statistics.median(reached.values()),
        "reached_last_ms": max(reached.values()),
        "reached": f"{len(reached)} of {count * len(steps(lesson))}",
        "processor_share": (process.seconds() - used) / took,
    }


def _seconds(lesson: Lesson, minute: float) -> dict[int, float]:
    """Return how many seconds each step of a room takes, by the lesson's own plan."""
    planned = [step.minutes for step in lesson.facilitator.timing]
    return {
        number: minutes * minute / len(group)
        for group, minutes in zip(lesson_steps_of(lesson), planned, strict=True)
        for number in group
    }


async def _act(phone: Learner, walk: str, end: float, seconds: float, times: list[float]) -> None:
    """Do in a step what somebody of this walk does; keep how long it took."""
    if walk == "idle":
        return
    rng = random.Random(f"{phone.visitor}{end}")
    share = rng.uniform(*SLOW) if walk == "slow" else rng.uniform(0.1, 0.3)
    await asyncio.sleep(max(0.0, end - seconds * (1 - share) - now()))
    moves = MOVES if walk == "quick" else 1
    # The step may not have reached the phone yet.
    while moves and now() < end - (1 - LOCKED) * seconds:
        took = await phone.answer(rng)
        if took is not None:
            times.append(took)
            return
        made = await phone.move()
        moves -= made is not None
        times += [] if made is None else [made]
        await asyncio.sleep(0.05)
