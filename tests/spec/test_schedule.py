"""The arithmetic of schedules, compared with a walk through all rounds."""

from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.spec import Schedule, Turn, turn_places
from nip_core.spec.schedule import count_by_round, rounds_from
from tests.depth import cases
from tests.strategies import specs

PAIRS = [("a", "x"), ("a", "y"), ("b", "x")]
turns = st.lists(st.sampled_from(PAIRS), max_size=3).map(lambda pairs: Turn(tuple(pairs)))
parts = st.lists(turns, max_size=4).map(tuple)
schedules = st.builds(Schedule, parts, parts)


def walk(schedule: Schedule, count: int) -> list[Turn]:
    """Return the turns of the first rounds, repeating the cycle."""
    left, found = list(schedule.prelude), []
    while len(found) < count:
        left = left or list(schedule.cycle) or [Turn()]
        found.append(left.pop(0))
    return found


@settings(max_examples=cases(300), deadline=None)
@given(schedules, st.integers(0, 14))
def test_computed_facts_of_a_schedule_agree_with_a_walk(schedule, count):
    walked = walk(schedule, count)
    assert [schedule.turn(r) for r in range(count)] == walked
    assert [schedule.written[schedule.place(r)] for r in range(count)] == walked
    assert turn_places(schedule, count).tolist() == [schedule.place(r) for r in range(count)]
    by_turn = list(schedule.rounds_of_turns(count))
    spoken = sorted(r for turn, rounds in by_turn for r in rounds if turn.speakers)
    assert spoken == [r for r, turn in enumerate(walked) if turn.speakers]
    assert all(walked[r] == turn for turn, rounds in by_turn for r in rounds)
    for agent in ("a", "b", "nobody"):
        own = [r for r, turn in enumerate(walked) if agent in turn.agents]
        assert sorted(r for rounds in schedule.rounds_of(agent, count) for r in rounds) == own
        assert schedule.first_round(agent, count) == (own[0] if own else None)
        assert schedule.count_rounds(agent, count) == len(own)
        # A cycle repeats, if only after the last round.
        endless = any(agent in turn.agents for turn in schedule.cycle)
        assert schedule.speaks_again(agent, count) == (endless or len(own) > 1)


@settings(max_examples=cases(100), deadline=None)
@given(st.lists(schedules, min_size=1, max_size=3), st.integers(1, 14))
def test_a_table_of_rounds_agrees_with_each_turn(several, count):
    found = count_by_round(several, count, len)
    assert found.tolist() == [[len(t.speakers) for t in walk(s, count)] for s in several]


@given(st.integers(0, 9), st.integers(0, 20), st.integers(1, 5), st.integers(-3, 25))
def test_rounds_from_one_on(start, length, step, first):
    rounds = range(start, start + length, step)
    assert list(rounds_from(rounds, first)) == [r for r in rounds if r >= first]


@settings(max_examples=cases(100), deadline=None)
@given(specs(), st.integers(-1, 9))
def test_what_a_specification_says_about_turns(spec, before):
    for agent in spec.agent_names:
        walked = [
            [r for r in range(spec.max_message_rounds) if agent in spec.turn(r, seed).agents]
            for seed in range(spec.num_variants)
        ]
        assert spec.count_turns(agent) == max(map(len, walked))
        assert spec.count_turns(agent, before) == max(sum(r < before for r in w) for w in walked)
        for seed, found in enumerate(walked):
            assert spec.first_turn(agent, seed) == (found[0] if found else None)
            assert spec.first_turn(agent, seed - spec.num_variants) == spec.first_turn(agent, seed)
