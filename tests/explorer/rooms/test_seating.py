"""Random choices are even, and the same for the same seed."""

from collections import Counter
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer import rooms
from explorer.rooms.plan import conditions_of, tasks_of
from explorer.rooms.seating import draw_conditions, draw_seats, free_place
from explorer.rooms.tables import episode_at
from explorer.storage import open_storage
from tests.depth import exhaustive
from tests.explorer.rooms.people import LEADER, opened, plan

SEEDS = st.integers(0, 2**31 - 1)


def spread(counts):
    return max(counts) - min(counts)


@given(tables=st.integers(1, 40), conditions=st.integers(1, 4), tasks=st.integers(1, 6), seed=SEEDS)
def test_conditions_and_tasks_are_drawn_evenly(tables, conditions, tasks, seed):
    names = [f"c{number}" for number in range(conditions)]
    drawn = draw_conditions(range(1, tables + 1), names, tasks, seed)
    assert spread([Counter(d.condition for d in drawn.values())[name] for name in names]) <= 1
    blocks = {place: [] for place in range(-(-tables // conditions))}
    for each in drawn.values():
        blocks[each.block].append(each)
    # A block has each condition once, and one task; only the last block may lack tables.
    *whole, last = blocks.values()
    assert all(sorted(each.condition for each in block) == names for block in whole)
    assert len({each.condition for each in last}) == len(last)
    shifts = Counter()
    for block in blocks.values():
        (shift,) = {each.shift for each in block}
        shifts[shift] += 1
    assert spread([shifts[task] for task in range(tasks)]) <= 1
    # Tables that come later change nothing for earlier ones.
    more = draw_conditions(range(1, tables + 4), names, tasks, seed)
    assert {table: more[table] for table in drawn} == drawn


@exhaustive
@settings(max_examples=20)
@given(
    people=st.integers(1, 14),
    turns=st.integers(1, 3),
    count=st.integers(1, 5),
    preset=st.sampled_from(["isolation", "opponent"]),
    seed=SEEDS,
)
def test_conditions_play_equal_tasks_in_every_round(people, turns, count, preset, seed):
    with TemporaryDirectory() as folder, open_storage(f"sqlite:///{folder}/rooms.db") as storage:
        tasks, conditions = tasks_of("graphs", "easy", count, seed), conditions_of(preset)
        made = plan(conditions=conditions, tasks=tasks, truth="false", seed=seed)
        code = opened(storage, people, plan=made)
        for turn in range(1, turns + 1):
            if turn > 1:
                rooms.end(rooms.Access(storage, code, LEADER))
                rooms.next_task(rooms.Access(storage, code, LEADER))
            room = rooms.load_room(rooms.Access(storage, code))
            played = {each.name: [] for each in conditions}
            whole = len(room.tables) // len(played) * len(played)
            for table in room.tables[:whole]:
                setup = episode_at(room, table.episode_id).setup
                about = setup.task.statement.id, setup.task.y, setup.seed, setup.prover_stance
                played[table.condition].append(about)
            # Each block has a condition once, so the order is the same, too.
            assert len({*map(tuple, played.values())}) == 1


@given(people=st.integers(0, 30), tables=st.integers(1, 10), seed=SEEDS)
def test_seats_are_filled_table_by_table(people, tables, seed):
    places = dict.fromkeys(range(1, tables + 1), ("verifier", "prover0", "prover1"))
    drawn = draw_seats(range(1, people + 1), places, seed)
    assert len(set(drawn.values())) == len(drawn) == min(people, 3 * tables)
    sizes = Counter(table for table, _ in drawn.values())
    assert sorted(sizes.values(), reverse=True) == [sizes[n] for n in sorted(sizes)]
    assert sum(size % 3 != 0 for size in sizes.values()) <= 1
    assert drawn == draw_seats(range(1, people + 1), places, seed)


def test_seats_do_not_follow_the_order_of_joining():
    places = {1: ("verifier", "prover0", "prover1")}
    first = Counter(draw_seats([1, 2, 3], places, seed)[1][1] for seed in range(300))
    assert min(first.values()) > 70


def test_a_latecomer_sits_where_the_fewest_people_are_missing():
    places = {1: ("verifier", "prover0"), 2: ("verifier", "prover0"), 3: ("verifier", "prover0")}
    taken = {(1, "verifier"): 1, (1, "prover0"): 2, (2, "verifier"): None, (3, "prover0"): 3}
    assert free_place(places, taken) == (3, "verifier")
    assert free_place({}, {}) is None
    assert free_place(places, dict.fromkeys([(n, a) for n in places for a in places[n]], 1)) is None


def test_all_tables_share_their_tasks():
    """A task does not reveal a table's condition: both conditions play the same tasks."""
    made = plan("mnip", "debate", tasks=("code:easy", "code:medium"), truth="false")
    tasks = [made.task(place)[1] for place in range(4)]
    assert {task.y for task in tasks} == {0}
    assert [made.task(place)[1] for place in range(4)] == tasks
    assert len({task.statement.id for task in tasks}) >= 3
