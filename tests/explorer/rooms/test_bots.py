"""Bots at tables: empty tables are not started, and no result counts the moves of bots."""

import re
from unittest.mock import patch

import pytest

from explorer import rooms
from explorer.choice import ProtocolChoice
from explorer.rooms import RoomCondition, RoomPlan, lesson_views
from explorer.rooms.board import board_screen, lead_page, totals, wall_screen
from explorer.rooms.guidance import guidance
from explorer.rooms.results import counts, difference, least_error
from explorer.storage import episode_topic, open_storage
from explorer.visitors import new_token, visitor_name
from nip_core.parameters import HyperParameters
from tests.depth import each
from tests.explorer.rooms.lesson_places import GUESS, PAIRS, QUIZ, step_of
from tests.explorer.rooms.people import (
    LEADER,
    act_of,
    at,
    lead_board,
    opened,
    plan,
    play_out,
    protocol,
    sits,
    visitor,
)
from tests.explorer.rooms.test_running import let_time_pass
from tests.explorer.ui.pages import open_page, sent_by


def tables_of(storage, code):
    return {
        table.number: [seat.person for seat in table.seats.values()]
        for table in rooms.load_room(rooms.Access(storage, code)).tables
    }


# -- which tables are started ----------------------------------------------------------------------


@pytest.mark.parametrize("seating", ["choice", "random"])
def test_of_eight_possible_tables_the_one_with_people_is_started(storage, access, seating):
    code = opened(storage, 3, started=False, seating=seating, tables=8)
    if seating == "choice":
        for person, agent in enumerate(("verifier", "prover0", "prover1"), start=1):
            rooms.take_seat(access(code, visitor(person)), person, 5, agent)
    rooms.start(access(code, LEADER))
    (people,) = tables_of(storage, code).values()
    assert sorted(people) == [1, 2, 3]
    rows = rooms.board(rooms.room_of(access(code)))
    assert totals(rows) == {"tables": 1, "over": 0, "bots": 0, "played": 0, "rounds": 4}
    play_out(storage, code)
    rooms.reveal(access(code, LEADER))
    assert [each.counted for each in rooms.outcomes(rooms.room_of(access(code)))] == [True]
    # A latecomer gets a seat for the next task, at another of the eight tables.
    rooms.join(access(code, visitor(4)))
    rooms.next_task(access(code, LEADER))
    assert sorted(map(len, tables_of(storage, code).values())) == [3, 3]
    assert any(4 in people for people in tables_of(storage, code).values())


def test_nobody_at_all_starts_nothing(storage, access):
    code = opened(storage, 0, started=False, tables=8)
    advice = guidance(rooms.load_room(access(code)), [], 0)
    assert advice.actions == ()
    with pytest.raises(rooms.NotNowError, match="Nobody has joined"):
        rooms.start(access(code, LEADER))


def test_a_person_without_a_choice_sits_beside_others(storage, access):
    code = opened(storage, 3, started=False, seating="choice", tables=8)
    rooms.take_seat(access(code, visitor(2)), 2, 4, "prover0")
    rooms.start(access(code, LEADER))
    assert {n: sorted(people) for n, people in tables_of(storage, code).items()} == {4: [1, 2, 3]}


def test_tables_that_everybody_has_left_are_not_started_again(storage, access):
    code = opened(storage, 6)
    gone = next(table for table, people in tables_of(storage, code).items() if 1 not in people)
    leaving = tables_of(storage, code)[gone]
    rooms.leave(access(code, visitor(leaving[0])), leaving[0])
    # The others have disappeared, so bots play in their place.
    for agent in ("verifier", "prover0", "prover1"):
        table = rooms.load_room(access(code)).table(gone)
        if table.phase != "over":
            rooms.replace_by_bot(access(code, LEADER), gone, agent)
    play_out(storage, code)
    rooms.next_task(access(code, LEADER))
    assert list(tables_of(storage, code)) == [3 - gone]
    assert 1 in tables_of(storage, code)[3 - gone]


def test_others_are_notified_of_a_move_and_the_answers_of_bots_at_once(storage):
    code = opened(storage, 1)  # two bots
    table, notified = at(storage, code, 1), []
    storage.change_feed.subscribe(episode_topic(table.episode_id), lambda: notified.append(1))
    assert table.play(act_of(table)) is None
    assert at(storage, code, 1).seen.view.round == 2
    assert len(notified) == 1


# -- what counts -----------------------------------------------------------------------------------


def late(storage, code):
    """A person's time runs out, and a bot moves for them."""
    verifier = at(storage, code, sits(storage, code, "verifier"))
    assert verifier.play(act_of(verifier)) is None
    let_time_pass(storage, code)
    rooms.run_due(storage)


def away(storage, code):
    """The facilitator lets a bot play, and the person comes back."""
    person = sits(storage, code, "verifier")
    rooms.replace_by_bot(rooms.Access(storage, code, LEADER), 1, "verifier")
    rooms.hand_back(rooms.Access(storage, code, visitor(person)), 1, "verifier")


def left(storage, code):
    """A verifier leaves."""
    person = sits(storage, code, "verifier")
    rooms.leave(rooms.Access(storage, code, visitor(person)), person)


def nothing(storage, code):
    """All people play themselves."""


def unused(storage, code):
    """A bot takes the seat briefly, and has not moved when the person comes back."""
    person = sits(storage, code, "prover0")
    rooms.replace_by_bot(rooms.Access(storage, code, LEADER), 1, "prover0")
    rooms.hand_back(rooms.Access(storage, code, visitor(person)), 1, "prover0")


@each(
    ("people", "happens", "bots"),
    [
        (3, nothing, 0),
        (3, unused, 0),
        (3, late, 2),
        (3, away, 1),
        (3, left, 1),
        (2, nothing, 1),
        (1, nothing, 2),
    ],
)
def test_a_table_counts_if_people_have_made_all_moves(storage, access, people, happens, bots):
    code = opened(storage, people, round_seconds=60)
    happens(storage, code)
    play_out(storage, code)
    rooms.reveal(access(code, LEADER))
    (ended,) = rooms.outcomes(rooms.room_of(access(code)))
    assert (len(ended.bots), ended.counted) == (bots, bots == 0)


def test_seats_that_were_meant_for_players_are_no_bots(storage, access):
    seats = {"prover0": "scripted", "prover1": "random"}
    code = opened(storage, 1, plan=plan(seats=seats))
    play_out(storage, code)
    rooms.reveal(access(code, LEADER))
    assert [(each.bots, each.counted) for each in rooms.outcomes(rooms.room_of(access(code)))] == [
        ((), True)
    ]


def test_a_rehearsal_counts_its_bots_and_says_so(storage, access):
    code = opened(storage, 0, started=False, rehearsal=True)
    rooms.rehearse(access(code, LEADER), 3)
    rooms.start(access(code, LEADER))
    for looks in range(40):
        rooms.run_due(storage)
        assert looks > 2 or rooms.load_room(access(code)).table(1).phase != "over"
    rooms.reveal(access(code, LEADER))
    (ended,) = rooms.outcomes(rooms.room_of(access(code)))
    assert (len(ended.bots), ended.counted) == (3, True)


# -- windows and files -----------------------------------------------------------------------------


TOKEN = new_token()
LEADS = visitor_name(TOKEN)


def mixed(storage):
    """Open a room with people at its first table and two bots at its second; return its code."""
    together = HyperParameters(
        interaction_protocol="mnip_together",
        mnip_protocol={"max_message_rounds": 4, "min_message_rounds": 1},
    )
    conditions = (
        RoomCondition("apart", ProtocolChoice.of(protocol("mnip"))),
        RoomCondition("together", ProtocolChoice.of(together)),
    )
    made = RoomPlan(conditions=conditions, truth="false", seed=1)
    code = rooms.open_room(storage, made, LEADS).code
    for number in range(1, 5):
        rooms.join(rooms.Access(storage, code, visitor(number)))
    rooms.start(rooms.Access(storage, code, LEADS))
    play_out(storage, code)
    return code


def page(url, monkeypatch, code, window):
    monkeypatch.setenv("NIP_EXPLORER_DATABASE", url)
    sent = sent_by(open_page("room", TOKEN, code=code, as_=window))
    return re.sub(r"\s+", " ", sent.replace("\\", ""))


def test_every_result_leaves_tables_with_bots_out_and_names_them(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path / 'rooms.db'}"
    named = "1 table with bots, not counted"
    with open_storage(url) as storage:
        code = mixed(storage)
        # All tables have ended; the truth is not revealed.
        room = rooms.load_room(rooms.Access(storage, code))
        rows = lead_board(rooms.room_of(rooms.Access(storage, code)))
        assert {row["number"]: row["counted"] for row in rows} == {1: True, 2: False}
        assert named in guidance(room, rows, 0).sentence
        assert totals(rooms.board(rooms.room_of(rooms.Access(storage, code))))["bots"] == 1
        specs = {t.number: room.plan.condition(t.condition).rules for t in room.tables}
        for screen in (
            board_screen(room.plan.conditions, rows),
            wall_screen(specs, rooms.board(rooms.room_of(rooms.Access(storage, code)))),
        ):
            says = [table.get("says", "") for table in screen["tables"]]
            assert says == ["", "Over, with bots"]
        rooms.reveal(rooms.Access(storage, code, LEADS))
        # The numbers, and the comparison of conditions.
        ended = rooms.outcomes(rooms.room_of(rooms.Access(storage, code)))
        played = [each for each in ended if each.counted]
        names = [each.name for each in room.plan.conditions]
        assert [each.table for each in played] == [1]
        assert sorted(each.played for each in counts(played, names)) == [0, 1]
        assert difference(played, *names).value is None
        assert least_error(played, names[0]) is None
        # The windows.
        for window in ("lead", "projector"):
            sent = page(url, monkeypatch, code, window)
            stop = ";" if window == "lead" else "."
            assert f"1 table played by people alone{stop} {named}" in sent
            assert "1 of 1" in sent
            assert "of 2<" not in sent
            # The projector has the result, and no table in full.
            assert ("Task 1, table Orange 2 with bots" in sent) == (window == "lead")
        sent = page(url, monkeypatch, code, "gallery")
        assert "Table Orange 2 (bots)" in sent
        assert "Table Blue 1 (bots)" not in sent


# -- lessons ---------------------------------------------------------------------------------------


def lesson(storage, people, bots, *, rehearsal=False):
    """Start a lesson's first question, answered by some bots; return the code and the block."""
    made = RoomPlan(kind="lesson", lesson="two-rooms", rehearsal=rehearsal)
    code = rooms.open_room(storage, made, LEADER).code
    for number in range(1, people + 1):
        rooms.join(rooms.Access(storage, code, visitor(number)))
    rooms.bots_join(rooms.Access(storage, code, LEADER), bots)
    place = min(QUIZ, GUESS)
    rooms.steer(rooms.Access(storage, code, LEADER), "go", step_of(place))
    rooms.bots_answer(rooms.Access(storage, code, LEADER))
    return code, (place, "before")


@each(
    ("people", "rehearsal", "total", "named"),
    [
        (2, False, 2, "7 bots, not counted."),
        (0, False, 7, "A rehearsal: 7 bots are counted."),
        (2, True, 9, "A rehearsal: 7 bots are counted."),
    ],
)
def test_tallies_of_a_lesson_leave_bots_out_or_name_them(
    storage, access, people, rehearsal, total, named
):
    code, key = lesson(storage, people, 7, rehearsal=rehearsal)
    for person in range(1, people + 1):
        rooms.answer_block(access(code, visitor(person)), person, key, "1")
    rooms.steer(access(code, LEADER), "reveal")
    at_lesson = rooms.load_lesson(access(code))
    views = [rooms.projector_view(at_lesson).parts, rooms.lead_view(at_lesson).at_hand]
    if people:
        views.append(rooms.person_view(at_lesson, 1).parts)
    for parts in views:
        (chart,) = next(part for part in parts if part.stage).charts
        assert (chart["total"], chart["note"]) == (total, named)
    front = rooms.projector_now(rooms.projector_view(at_lesson))
    assert f"{total} of {total} have" in front["where"]
    rows = rooms.lesson_table(access(code, LEADER))
    assert sum(row["counted"] for row in rows) == total
    assert sum(row["bot"] for row in rows) == 7


def test_a_block_without_a_chart_has_no_note_about_bots(storage, access):
    code, _ = lesson(storage, 0, 3)
    with patch.object(lesson_views, "charts", lambda *_, **__: []):
        (part,) = rooms.projector_view(rooms.load_lesson(access(code))).parts
    assert list(part.charts) == []
    assert lead_page(rooms.load_room(access(code)), LEADER, {}).bots == 3
    rooms.bots_go(access(code, LEADER))
    assert lead_page(rooms.load_room(access(code)), LEADER, {}).bots == 0


def test_pairs_with_a_bot_beside_people_are_not_counted(storage, access):
    code, _ = lesson(storage, 1, 3)
    rooms.steer(access(code, LEADER), "go", step_of(PAIRS))
    rooms.steer(access(code, LEADER), "open")
    rooms.bots_answer(access(code, LEADER))
    rooms.pair_answer(access(code, visitor(1)), 1, (PAIRS, "before"), 0, "0")
    rooms.bots_answer(access(code, LEADER))
    rooms.steer(access(code, LEADER), "reveal")
    part = rooms.projector_view(rooms.load_lesson(access(code))).parts[0]
    assert part.charts[0]["total"] == 0
    assert "with a bot as partner are not counted. 3 bots, not counted." in part.charts[0]["note"]


def test_the_board_distinguishes_answers_of_people_from_questions_and_bots(storage, access):
    code = opened(storage, 3, round_seconds=60)
    table = at(storage, code, sits(storage, code, "verifier"))
    assert table.play(act_of(table)) is None
    (row,) = board_screen(
        rooms.load_room(access(code)).plan.conditions, lead_board(rooms.room_of(access(code)))
    )["tables"]
    assert (row["spoken"], row["bots"]) == ({"verifier": [0]}, {})
    assert [seat["agent"] for seat in row["seats"] if seat["asked"]] == ["prover0", "prover1"]
    let_time_pass(storage, code)
    rooms.run_due(storage)
    (row,) = board_screen(
        rooms.load_room(access(code)).plan.conditions, lead_board(rooms.room_of(access(code)))
    )["tables"]
    assert row["bots"] == {"prover0": [1], "prover1": [1]}
    (public,) = rooms.board(rooms.room_of(access(code)))
    assert (public["lit_by_bots"], public["bots"]) == ([], 0)
