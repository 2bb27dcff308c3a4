"""Every slide of the projector: of each step of each lesson, and of rooms with tables."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from explorer.lessons.library import lessons
from explorer.rooms import Access, RoomPlan, load_lesson, open_room, room_of, steer
from explorer.rooms.board import wall_page
from explorer.rooms.lesson import asks, steps
from explorer.rooms.lesson_views import projector_view
from explorer.rooms.people import join
from explorer.rooms.rehearsal import bots_answer, bots_join, rehearse
from explorer.rooms.seating import start
from explorer.rooms.slides import lesson_slide, tables_slide
from explorer.storage import Storage
from explorer.ui.lesson_front import slide_data

TEACHER = "t" * 32
SCAN = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'/%3E"


def invite(code: str) -> dict[str, Any]:
    """Return how a room with a long address is joined."""
    address = f"workshops.example.org/join/{code}"
    return {"address": address, "code": code, "scan": SCAN, "alone": None}


def slides_of_lessons(
    storage: Storage, only: Collection[str] = ()
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a name and the slide of each step, open, locked, revealed, and in its second round."""
    for lesson in lessons()[0]:
        if only and lesson.slug not in only:
            continue
        plan = RoomPlan(kind="lesson", lesson=lesson.slug, rehearsal=True)
        access = Access(storage, open_room(storage, plan, TEACHER).code, TEACHER)
        bots_join(access, 12)

        def slide(access=access):
            shown = projector_view(load_lesson(access))
            return slide_data(lesson_slide(shown, invite(access.code), {}))

        yield f"{lesson.slug} join", slide()
        for number, places in enumerate(steps(lesson), 1):
            steer(access, "go", number)
            block = next((b for place in places if asks(b := lesson.blocks[place - 1])), None)
            name = f"{lesson.slug} {number} {lesson.blocks[places[0] - 1].kind}"
            # Pairs of phones find each other first.
            if block is None or block.pairs:
                yield name, slide()
            if block is None:
                continue
            steer(access, "open")
            bots_answer(access, chance=random.Random(number))
            yield f"{name} open", slide()
            for act, stage in (("lock", "locked"), ("reveal", "revealed")):
                steer(access, act)
                yield f"{name} {stage}", slide()


def slides_of_tables(storage: Storage, plan: RoomPlan) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the slides of a room with from one to very many tables, and of what follows."""
    code = open_room(storage, replace(plan, rehearsal=True), TEACHER).code
    access = Access(storage, code, TEACHER)

    def slide(page, name):
        return name, slide_data(tables_slide(page, invite(code), room_of(access)))

    rehearse(access, 4)
    join(access)
    yield slide(wall_page(room_of(access)), "tables join")
    start(access)
    page = wall_page(room_of(access))
    assert page.board is not None
    table = page.board["tables"][0]
    for many in (1, 2, 3, 6, 8, 14, 15, 30, 50, 150):
        copies = [
            {**table, "number": n, "sign": {**table["sign"], "text": f"Orange {n}"}}
            for n in range(1, many + 1)
        ]
        far = {"tables": many, "over": 0, "bots": 0, "played": 0, "rounds": many}
        full = replace(page, board={**page.board, "tables": copies}, far=far)
        yield slide(full, f"{many} tables")
    yield slide(replace(page, phase="paused"), "tables paused")
    yield slide(replace(page, over=True), "tables over")
    asked = ("At which tables did verifiers accept more of the false statements?",
             ("Provers together", "Provers apart", "About the same"), 3, 30)  # fmt: skip
    yield slide(replace(page, asked=asked), "tables asked")
    none = slide(replace(page, phase="revealed", board=None), "no result")
    yield none
    says = ["Do we know? Not yet. Too few tables to compare: 4 so far, at least 8."]
    for many in (1, 2, 3, 4):
        column = {"name": "Provers together", "share": "61%", "about": "accepted, 17 of 28",
                  "marked": 17, "total": 28 if many < 3 else 280,
                  "beside": ["A sound system: at most 33%; by chance: 40%"]}  # fmt: skip
        yield f"{many} results", {**none[1], "columns": [column] * many, "says": says}
