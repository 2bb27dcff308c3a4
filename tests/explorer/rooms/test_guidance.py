"""Signs by which people find each other: unique, the same everywhere, and never a colour alone."""

from itertools import combinations

from explorer import rooms
from explorer.rooms import RoomPlan, sign_of
from explorer.rooms.exports import lesson_table
from explorer.rooms.guidance import COLOURS
from tests.depth import each
from tests.explorer.pictures.test_palette import EYES, contrast, seen
from tests.explorer.rooms.lesson_places import PAIRS, step_of
from tests.explorer.rooms.people import LEADER, at, opened, visitor


def test_signs_are_unique_and_say_their_colour_in_a_word():
    signs = [f"{sign_of(number)}" for number in range(1, 501)]
    assert len(set(signs)) == 500
    assert signs[:2] == ["Blue 1", "Orange 2"]
    assert len({word for word, _ in COLOURS}) == len({fill for _, fill in COLOURS}) == len(COLOURS)


@each("eye", EYES)
def test_colours_of_signs_are_distinct_for_every_eye(eye):
    for (one, first), (two, second) in combinations(COLOURS, 2):
        apart = sum((seen(first, eye) - seen(second, eye)) ** 2) ** 0.5
        assert apart > 8, (one, two, apart)
    for number in range(1, len(COLOURS) + 1):
        sign = sign_of(number)
        assert contrast(sign.fill, sign.ink) >= 4.5, sign


def test_a_table_has_one_sign_on_every_screen_and_in_every_file(storage, access):
    code = opened(storage, 6)
    room = rooms.load_room(access(code))
    for person in room.here:
        banner = rooms.seat_screen(at(storage, code, person.number))["now"]
        sign = f"{sign_of(person.seat[0])}"
        assert banner["sign"]["text"] == sign
        assert f"Table {sign}, " in banner["where"]
    files = rooms.files(access(code, LEADER))
    for name in ("tables", "seats"):
        lines = files[f"{code}-{name}.csv"].decode().splitlines()
        assert lines[0].split(",")[:3] == ["task_number", "table", "sign"]
        assert {tuple(line.split(",")[1:3]) for line in lines[1:]} == {
            ("1", "Blue 1"),
            ("2", "Orange 2"),
        }


def pairs_of(storage, code):
    at_room = rooms.load_lesson(rooms.Access(storage, code))
    found = {}
    for person in at_room.room.here:
        view = rooms.person_view(at_room, person.number)
        pair = next((part.pair for part in view.parts if part.pair is not None), None)
        if pair is not None:
            banner = rooms.person_now(view)
            assert banner["sign"]["text"] == f"{sign_of(pair.number)}"
            found.setdefault(banner["sign"]["text"], set()).add(person.number)
    return found


def test_a_pair_has_one_sign_and_keeps_it_in_the_next_round(storage, access):
    made = RoomPlan(kind="lesson", lesson="two-rooms", names=True)
    code = rooms.open_room(storage, made, LEADER).code
    for number in range(1, 9):
        rooms.join(access(code, visitor(number)))
    rooms.steer(access(code, LEADER), "go", step_of(PAIRS))
    first = pairs_of(storage, code)
    assert {len(people) for people in first.values()} == {2}
    assert sorted(first) == sorted(f"{sign_of(n)}" for n in range(1, 5))
    wall = rooms.projector_view(rooms.load_lesson(access(code)))
    assert next(part.signs for part in wall.parts if part.pairs) == 4
    # One person leaves and two others come: all other pairs keep their signs.
    broken = next(sign for sign, people in first.items() if 3 in people)
    rooms.remove_people(access(code, LEADER), [3])
    rooms.join(access(code, visitor(9)))
    rooms.join(access(code, visitor(10)))
    rooms.steer(access(code, LEADER), "round", "after")
    second = pairs_of(storage, code)
    assert len(second) == 5
    assert all(second[sign] == people for sign, people in first.items() if sign != broken)
    # With fewer pairs than before, numbers have no gap.
    rooms.steer(access(code, LEADER), "round", "before")
    rooms.steer(access(code, LEADER), "open")
    part = next(
        part
        for part in rooms.person_view(rooms.load_lesson(access(code)), 1).parts
        if part.pair is not None
    )
    rooms.pair_answer(access(code, visitor(1)), 1, part.key, part.pair.question, "0")
    (row,) = lesson_table(access(code, LEADER))
    assert row["sign"] == f"{sign_of(row['pair'])}"
    assert 1 in first[row["sign"]]
