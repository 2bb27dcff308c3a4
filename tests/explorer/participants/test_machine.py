"""Tests of machine.py: no stage is skipped, whatever a browser sends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.participants import fold, stage_of
from explorer.participants.machine import (
    Game,
    answered,
    begun,
    due,
    ended,
    noted,
    played,
    read,
    ready,
    seated,
)
from explorer.studies import ENDS, AnswerError
from tests.explorer.participants.people import ANSWERS, Clock, study_of

PLAN = study_of().people
STEPS = st.sampled_from(["right", "0.0", "1.0", "3.1", "4.0", "", "-1.0", "99.0"])
VALUES = st.dictionaries(
    st.sampled_from([*ANSWERS, "forged"]),
    st.one_of(st.none(), st.booleans(), st.integers(-2, 9), st.text(max_size=8),
              st.sampled_from(["yes", "no", "green", "red"])),
)  # fmt: skip
ACTS = st.one_of(
    st.tuples(st.just("read"), STEPS),
    st.tuples(st.just("right"), STEPS),
    st.tuples(st.just("answer"), STEPS, VALUES),
    st.tuples(st.just("ready"), STEPS),
    st.tuples(st.just("seat")),
    st.tuples(st.just("played"), st.booleans()),
    st.tuples(st.just("note"), st.dictionaries(st.sampled_from(["paste", "keys", "x"]), VALUES)),
    st.tuples(st.just("wait"), st.sampled_from([1, 100, 400])),
    st.tuples(st.sampled_from(["left", "removed"])),
)


def at(clock):
    return clock().isoformat()


def game(state):
    table = len(state.games) + 1
    practice = stage_of(PLAN, state).kind == "practice"
    people = {"judge": 10 * table}
    return Game(table, 10 * table, "judge", "debate", "task", 0, people, practice, state.stage)


def made(state, act, clock):
    """Return the events of an act."""
    kind, *said = act
    step = state.step if said and said[0] == "right" else said[0] if said else ""
    try:
        match kind:
            case "read":
                return read(PLAN, state, step)
            case "right":
                return answered(PLAN, state, step, ANSWERS)
            case "answer":
                return answered(PLAN, state, step, said[1])
            case "ready":
                return ready(PLAN, state, step)
            case "seat":
                return [seated(game(state), None)] if state.waits else []
            case "played":
                return played(PLAN, state, whole=said[0], others={})
            case "note":
                return noted(PLAN, state, said[0])
            case "wait":
                clock.pass_seconds(said[0])
                return due(PLAN, state, at(clock))
            case _:
                return ended(state, kind)
    except AnswerError:
        return []


@given(st.lists(ACTS, max_size=80))
def test_whatever_is_sent_no_stage_is_skipped_and_replaying_gives_the_same(acts):
    clock = Clock()
    log = [(begun(PLAN), at(clock))]
    state = fold(PLAN, log)
    for act in acts:
        before = state
        new = [(event, at(clock)) for event in made(before, act, clock)]
        log += new
        state = fold(PLAN, new, before)
        assert before.stage <= state.stage <= before.stage + 1
        assert state.stage - len({p.stage for p in state.periods if p.stage < state.stage}) == 0
        if before.end:
            assert state == before
        stage = stage_of(PLAN, before)
        if state.stage > before.stage and stage.kind == "check":
            assert state.answers[-1].right
        if state.stage > before.stage and stage.games:
            assert sum(g.stage == before.stage for g in state.games) == stage.games
        if state.end == "done":
            assert state.stage == len(PLAN.stages)
        assert not (state.at and state.waits)
        assert state.end in (None, *ENDS)
    assert fold(PLAN, log) == state
    assert state.count == len(log)
    assert set(state.notes) <= {"paste", "focus"}


@pytest.mark.parametrize("how", ["right", "read", "ready"])
def test_a_request_that_was_sent_twice_counts_once(how):
    clock = Clock()
    state = fold(PLAN, [(begun(PLAN), at(clock))])
    for _ in range(6):
        if stage_of(PLAN, state).questions:
            act = ("right", state.step)
        elif stage_of(PLAN, state).games:
            act = ("ready", state.step)
        else:
            act = ("read", state.step)
        first = made(state, act, clock)
        after = fold(PLAN, [(event, at(clock)) for event in first], state)
        if act[0] == how:
            assert first
            assert made(after, act, clock) == []
        if after.waits:
            events = [seated(game(after), None)]
            after = fold(PLAN, [(event, at(clock)) for event in events], after)
            events = played(PLAN, after, whole=True, others={})
            after = fold(PLAN, [(event, at(clock)) for event in events], after)
        state = after


def test_a_check_has_as_many_tries_as_it_says_and_screening_ends_at_once():
    clock = Clock()
    state = fold(PLAN, [(begun(PLAN), at(clock))])
    out = answered(PLAN, state, "0.0", {**ANSWERS, "adult": "no"})
    assert [event["kind"] for event in out] == ["answered", "ended"]
    assert out[-1]["how"] == "screened_out"
    with pytest.raises(AnswerError, match="Please answer: Are you 18"):
        answered(PLAN, state, "0.0", {"reading": 3})
    with pytest.raises(AnswerError, match="This is no answer to the question"):
        answered(PLAN, state, "0.0", {**ANSWERS, "reading": 8})


def test_nothing_is_noted_that_the_consent_does_not_name():
    clock = Clock()
    state = fold(PLAN, [(begun(PLAN), at(clock))])
    assert noted(PLAN, state, {"keys": 5, "paste": True, "focus": -1}) == []
    (event,) = noted(PLAN, state, {"keys": 5, "paste": 2, "focus": 10**9})
    assert event["counts"] == {"paste": 2}
