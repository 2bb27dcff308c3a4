"""Tests of plan.py.

Rooms with protocols of stages: tables, what seats see before and after, and what is stored.
"""

import io
import json
import random
from dataclasses import replace

import pandas as pd
import pytest

from explorer import rooms
from explorer.choice import ProtocolChoice
from explorer.players import any_choices, fit_turn
from explorer.rooms import PlanError, RoomCondition, RoomPlan, TableOutcome
from nip_core.registry import specification
from tests.depth import each
from tests.explorer.rooms.people import LEADER, at, lead_board, opened, sits, visitor
from tests.explorer.rooms.test_running import let_time_pass


def plan(*names: str, **said) -> RoomPlan:
    found = tuple(RoomCondition(name, ProtocolChoice.of(specification(name))) for name in names)
    tasks = rooms.materials_for(found[0].rules, 3, 1)
    return RoomPlan(**{"conditions": found, "tasks": tasks, "seed": 1, **said})


def act(table, rng=None, **wished):
    """Return a legal move of the seat whose turn it is, with some parts given."""
    view = table.seen.view
    made = any_choices(view.legal, rng or random.Random(0), lambda name, _: wished.get(name))
    silent = view.legal.is_silent(view.rules, made)
    said = (
        {} if silent else {on: fit_turn("I see it so.", view.legal) for on in view.legal.channels}
    )
    return {
        "seat": table.agent,
        "round": view.round,
        "mark": "m",
        "messages": said,
        "choices": made,
    }


def play_out(storage, code, **wished):
    moved = True
    while moved:
        moved = False
        for person in rooms.load_room(rooms.Access(storage, code)).here:
            if person.seat is None:
                continue
            table = at(storage, code, person.number)
            if not table.over and table.seen is not None and table.seen.view.legal.may_act:
                assert table.play(act(table, **wished)) is None
                moved = True


def test_a_debate_in_a_room_from_the_plan_to_the_files(storage, access):
    made = plan("khan_debate", names=True)
    assert RoomPlan.from_dict(json.loads(json.dumps(made.to_dict(), sort_keys=True))) == made
    code = opened(storage, plan=made)
    judge, alice = sits(storage, code, "judge"), sits(storage, code, "alice")
    passage = at(storage, code, alice).seen.view.parts["passage"]
    waiting, asked = at(storage, code, judge), at(storage, code, alice)
    assert waiting.what_now == "Read what is said. It is not your turn."
    assert asked.what_now == "It is your turn: write your message."
    board = lead_board(rooms.room_of(access(code)))
    assert [seat["state"] for seat in board[0]["seats"]] == ["asked", "asked", "waits"]
    screen = rooms.board_screen(made.conditions, board)
    assert screen["kinds"]["khan_debate"]["rounds"] == 4
    assert json.dumps(rooms.board(rooms.room_of(access(code)))).count(passage[:40]) == 0
    # A choice out of range, a move out of turn, a move for another turn: each is refused in a
    # sentence.
    wrong = act(asked)
    assert (
        "the limit is 150"
        in asked.play({**wrong, "messages": {"debate": "no " * 5_000}})["message"]
    )
    assert "turn" in waiting.play(act(waiting))["message"]
    assert "gone on" in asked.play({**wrong, "round": 3})["message"]
    play_out(storage, code, verdict="B")
    over = at(storage, code, judge)
    assert over.over
    # Before the reveal the judge is sent neither the text nor the truth.
    sent = json.dumps(rooms.seat_screen(over))
    truth = over.seen._episode.task.facts["truth"]
    assert passage[:60] not in sent
    assert over.seen.view.facts == {}
    assert "the verdict: b" in sent.lower()
    assert over.seen.screen["ending"] is None
    rooms.reveal(access(code, LEADER))
    screen = rooms.seat_screen(at(storage, code, judge))
    assert passage[:60] in json.dumps(screen)
    assert screen["table"]["ending"]["truth"] == truth
    assert screen["table"]["review"]["truth"] == truth
    (outcome,) = rooms.outcomes(rooms.room_of(access(code)))
    assert outcome.right == (truth == "B")
    (count,) = rooms.right_counts([outcome], ["khan_debate"])
    assert (count.right, count.wrong, count.undecided) == (outcome.right, not outcome.right, 0)
    assert rooms.references(made.conditions[0]) == ()
    files = rooms.files(access(code, LEADER))
    read = {n.split("-")[1][:-4]: pd.read_csv(io.BytesIO(f)) for n, f in files.items()}
    (table,) = read["tables"].to_dict("records")
    assert (table["truth"], table["answer"], table["turns"]) == (truth, "B", 4)
    (result,) = read["result"].to_dict("records")
    assert (result["tables"], result["right"], result["share"]) == (1, truth == "B", truth == "B")
    # One table gives no interval.
    assert pd.isna(result["low"])
    chosen = read["moves"][read["moves"]["choice"].notna()]
    assert chosen[["seat", "choice", "option"]].values.tolist() == [["judge", "verdict", "B"]]


def test_two_conditions_bots_that_stand_in_and_another_task(storage, access):
    made = plan("khan_consultancy", "khan_debate", round_seconds=60)
    code = opened(storage, 6, plan=made)
    conditions = {table.condition for table in rooms.load_room(access(code)).tables}
    assert conditions == {"khan_consultancy", "khan_debate"}
    for _ in range(20):
        let_time_pass(storage, code)
        rooms.run_due(storage)
    assert all(table.phase == "over" for table in rooms.load_room(access(code)).tables)
    rooms.reveal(access(code, LEADER))
    found = rooms.outcomes(rooms.room_of(access(code)))
    assert found
    assert not any(each.counted for each in found)
    rooms.next_task(access(code, LEADER))
    play_out(storage, code)
    rooms.reveal(access(code, LEADER))
    assert any(each.counted for each in rooms.outcomes(rooms.room_of(access(code))))
    # Leaving with one's part deleted removes the words, and keeps the choices.
    person = sits(storage, code, "consultant", 1)
    rooms.forget(access(code, visitor(person)), person)
    assert rooms.files(access(code, LEADER))


def test_a_rehearsal_plays_itself(storage, access):
    code = rooms.open_room(storage, plan("jury", rehearsal=True), LEADER).code
    rooms.run_rehearsal(access(code, LEADER))
    for _ in range(40):
        rooms.run_due(storage)
    assert {table.phase for table in rooms.load_room(access(code)).tables} == {"over"}


def written(parts):
    return {"tasks": ("written-1",), "written": ({"parts": parts, "facts": {"truth": "A"}},)}


@each(
    ("said", "why"),
    [
        ({"truth": "false"}, "no statement is true or false"),
        ({"tasks": ("problem:no-such",)}, "no-such"),
        ({"seats": {"verifier": "scripted"}}, "has a seat 'verifier'"),
        ({"tasks": ("written-1",)}, "written-1"),
        (written({"question": "Who?"}), "answers"),
        (written({"question": "Who?", "answers": "A: I", "passage": "x" * 200_001}), "200,000"),
    ],
)
def test_a_plan_that_cannot_be_played_says_why(storage, said, why):
    with pytest.raises(PlanError, match=why):
        plan("khan_debate", **said).check()


def condition(name):
    return RoomCondition(name, ProtocolChoice.of(name))


@pytest.mark.parametrize(
    ("names", "tasks"),
    [
        (("khan_debate", "nip"), None),
        (("nip", "single_critique"), ("code",)),
        (("jury", "nip"), None),
    ],
)
def test_conditions_share_tasks_whatever_form_their_protocols_have(storage, names, tasks):
    conditions = tuple(map(condition, names))
    tasks = tasks or rooms.materials_for(conditions[0].rules, 3, 1)
    made = RoomPlan(conditions=conditions, tasks=tasks, seed=1)
    made.check()
    code = opened(storage, 8, plan=made)
    play_out(storage, code)
    rooms.reveal(rooms.Access(storage, code, LEADER))
    found = rooms.outcomes(rooms.room_of(rooms.Access(storage, code)))
    assert {each.condition for each in found} == {*names}
    assert all(each.right in (True, False) or each.decision is None for each in found)


def test_conditions_whose_protocols_are_about_different_things_are_refused():
    conditions = tuple(map(condition, ("khan_debate", "legible_prover")))
    with pytest.raises(PlanError, match="problem"):
        RoomPlan(conditions=conditions, tasks=plan("khan_debate").tasks).check()


def test_false_statements_can_be_asked_for_in_any_protocol_about_statements():
    made = RoomPlan(
        conditions=(condition("single_critique"),), tasks=plan("single_critique").tasks, seed=1
    )
    for truth, option in (("false", "reject"), ("true", "accept")):
        asked = replace(made, truth=truth)
        asked.check()
        assert {asked.task(place)[1]["truth"] for place in range(9)} == {option}


def test_each_seat_of_a_jury_has_a_colour_of_its_own_on_the_board():
    kinds = rooms.board_screen(
        (RoomCondition("jury", ProtocolChoice.of(specification("jury"))),), []
    )["kinds"]
    colours = [seat["colour"] for seat in kinds["jury"]["seats"].values()]
    assert len({*colours}) == len(colours) == 5


def verdicts(condition: str, right: list[list[bool | None]], first: int = 1):
    """Return outcomes of tables, each of which played the same tasks one after another."""
    known = {"title": "", "y": -1, "decision": None, "rounds": 2, "bots": (), "counted": True}
    return [
        TableOutcome(
            **known, condition=condition, turn=turn, table=first + table, task=f"task {turn}",
            episode_id="", right=each,
        )
        for table, of_table in enumerate(right)
        for turn, each in enumerate(of_table, start=1)
    ]  # fmt: skip


def test_right_verdicts_have_intervals_and_conditions_are_compared():
    rng = random.Random(1)
    some = [[rng.random() < 0.3 for _ in range(8)] for _ in range(8)]
    more = [[rng.random() < 0.9 for _ in range(8)] for _ in range(8)]
    found = [*verdicts("alone", some), *verdicts("debate", more, first=9)]
    low, high = rooms.right_interval(found, "debate")
    share = sum(map(sum, more)) / 64
    assert 0 < low < share < high <= 1
    made = rooms.difference(found, "alone", "debate")
    assert made.value == share - sum(map(sum, some)) / 64
    assert 0 < made.low < made.value < made.high
    assert made == rooms.difference(found, "alone", "debate")
    # A missing verdict is not a right one.
    silent = verdicts("debate", [[None] * 8 for _ in range(8)], first=9)
    assert rooms.right_interval(silent, "debate")[0] == 0
    few = [*verdicts("alone", some[:3]), *verdicts("debate", more[:3], first=9)]
    assert rooms.right_interval(few, "debate") is None
    assert rooms.difference(few, "alone", "debate").value is None
