"""The slides of the projector as data; `tests/browser/test_slides.py` shows them in a browser."""

from __future__ import annotations

import json
from dataclasses import replace

from explorer import rooms
from explorer.lessons.library import lessons
from explorer.rooms import Access, load_room, room_of
from explorer.rooms.board import wall_page
from explorer.rooms.lesson_views import projector_view
from explorer.rooms.slides import lesson_slide, tables_slide
from tests.explorer.rooms.all_slides import TEACHER, invite
from tests.explorer.rooms.people import LEADER, opened, plan, play_out


def slide_of(storage, code, **changes):
    access = Access(storage, code, LEADER)
    page = wall_page(room_of(access))
    return tables_slide(replace(page, **changes), invite(code), room_of(access))


def test_a_slide_says_at_which_point_a_room_is(storage):
    code = opened(storage, 6)
    for changes, kind, title in (
        ({"phase": "gathering"}, "join", "Join this room"),
        ({"phase": "paused"}, "tables", "Paused: play goes on when the facilitator resumes it"),
        ({"over": True}, "tables", "All tables are over"),
        ({}, "tables", "0 of 2 tables are over"),
        ({"asked": ("Which?", ("these", "those"), 1, 3)}, "ask", "Which?"),
        ({"phase": "revealed"}, "result", "How often was a false statement accepted?"),
        ({"phase": "closed"}, "result", "How often was a false statement accepted?"),
    ):
        made = slide_of(storage, code, **changes)
        assert (made["kind"], made["title"]) == (kind, title)
        assert made["head"]["address"].endswith(code)
        json.dumps(made)


def test_a_result_has_a_column_for_each_condition_and_says_whether_it_is_known(storage):
    code = opened(storage, 5, plan=plan("mnip", "nip", truth="false"))
    play_out(storage, code, verdict=1)
    # Nothing of the result is on the slide before the truth is revealed.
    assert "columns" not in slide_of(storage, code)
    rooms.reveal(Access(storage, code, LEADER))
    made = slide_of(storage, code)
    assert [(column["name"], column["share"], column["total"]) for column in made["columns"]] == [
        ("mnip", "100%", 1),
        ("nip", "100%", 1),
    ]
    assert made["columns"][0]["beside"][0].startswith("A sound system: at most 33%")
    assert made["says"][0].startswith("Do we know? Not yet. Too few tables")
    assert made["foot"]["where"] == "2 tables played by people alone."


def test_a_room_in_which_nothing_counts_has_no_columns(storage):
    code = opened(storage, 3)
    made = slide_of(storage, code, phase="revealed")
    assert made["columns"] == []
    assert made["says"] == ["There is no result: nothing that counts was played to the end."]


def test_a_lesson_begins_with_how_to_join_and_then_has_a_slide_for_each_step(storage):
    lesson = lessons()[0][0]
    made = rooms.RoomPlan(kind="lesson", lesson=lesson.slug)
    access = Access(storage, rooms.open_room(storage, made, TEACHER).code, TEACHER)

    def slide():
        shown = projector_view(rooms.load_lesson(access))
        return lesson_slide(shown, invite(access.code), {})

    first = slide()
    assert (first["kind"], first["title"]) == ("join", lesson.question)
    assert first["foot"]["where"] == "0 people are here."
    seen = []
    for number in range(1, len(rooms.load_lesson(access).lesson.blocks)):
        try:
            rooms.steer(access, "go", number)
        except rooms.NotNowError:
            break
        seen.append(slide())
    assert [each["head"]["step"] for each in seen][:2] == [
        f"step {n} of {len(seen)}" for n in (1, 2)
    ]
    # Links to other pages are for one's own screen.
    assert all(part["kind"] != "open" for each in seen for part, _ in each["parts"])
    assert load_room(access).phase != "closed"
