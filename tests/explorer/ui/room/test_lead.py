"""Tests of lead.py, agenda.py, debrief.py, lesson_lead.py, new.py, projector.py and tables_form.py.

The facilitator's page: facilitators lead the whole room here, and others can do nothing.
"""

import json
import re
from io import BytesIO
from unittest.mock import MagicMock, patch
from zipfile import ZipFile

import pytest

from explorer import rooms
from explorer.choice import ProtocolChoice
from explorer.rooms import RoomPlan
from explorer.rooms.results import Difference
from explorer.ui.room import debrief, lead
from explorer.ui.room.about import why_unreachable
from explorer.ui.room.new import workshop_query
from explorer.ui.text import escaped
from explorer.visitors import new_token, visitor_name
from nip_core.registry import specification
from tests.depth import each
from tests.explorer.rooms.people import at, play_out, protocol, sits, visitor
from tests.explorer.rooms.test_plan import play_out as play_turns
from tests.explorer.rooms.test_saying import LESSON as WORDS_AND_A_POLL
from tests.explorer.rooms.test_saying import WORDS
from tests.explorer.ui.pages import open_page, sent_by

TOKEN = new_token()
LEADS = visitor_name(TOKEN)


def page(token=TOKEN, **query):
    return open_page("room", token, **query)


def texts(app):
    """Return all that the page says, as it is sent."""
    return re.sub(r"<[^>]*>|:small\[\]|\\+", "", sent_by(app))


def said(app, name):
    """Return a parameter of the address."""
    found = app.query_params[name]
    return found if isinstance(found, str) else found[0]


def press(app, key):
    app.button(key=key).click().run()
    assert not app.exception
    return app


def room_with(storage, people=6, **said):
    """Open a room of two conditions that this browser leads, with people in it."""
    conditions = tuple(
        rooms.RoomCondition(n, ProtocolChoice.of(protocol(n))) for n in ("nip", "mnip")
    )
    plan = RoomPlan(**{"conditions": conditions, "truth": "false", "tables": 2, "seed": 5, **said})
    code = rooms.open_room(storage, plan, LEADS).code
    for number in range(1, people + 1):
        rooms.join(rooms.Access(storage, code, visitor(number)))
    return code


def test_one_button_makes_a_room_that_this_browser_leads(access):
    app = press(page(new="1"), "new-open")
    code = said(app, "code")
    room = rooms.load_room(access(code))
    assert room.leads(LEADS)
    assert not room.plan.names
    assert said(app, "as") == "lead"
    assert f"/lead/{code}/" in texts(app)
    assert f"nip-explorer rooms link {code}" in texts(app)
    # Another window of the same browser leads too, and does not show the link again.
    assert f"/lead/{code}/" not in texts(page(code=code, as_="lead"))


def test_what_is_chosen_is_what_is_opened(access, monkeypatch):
    app = page(new="1")
    # Before the room is made, and with the remedy.
    assert "start it with: nip-explorer --host 0.0.0.0" in texts(app)
    monkeypatch.setenv("NIP_EXPLORER_ADDRESS", "http://192.168.0.7:8501")
    assert "nip-explorer --host" not in texts(app.run())
    monkeypatch.delenv("NIP_EXPLORER_ADDRESS")
    app.radio(key="new-preset").set_value("isolation").run()
    app.toggle(key="new-limited").set_value(True).run()
    app.number_input(key="new-tables").set_value(3).run()
    press(app, "new-rehearse")
    room = rooms.load_room(access(said(app, "code")))
    assert [each.name for each in room.plan.conditions] == ["Provers together", "Provers apart"]
    assert (room.plan.truth, room.plan.tables, len(room.plan.tasks)) == ("false", 3, 8)
    assert len(room.here) == 30
    assert all(person.bot for person in room.here)
    # It has been started, with bots in all seats.
    assert (room.phase, len(room.tables)) == ("running", 3)
    assert "3 tables play" in texts(app)
    # A facilitator may play in a rehearsal; the page says that they know more than their seat.
    rooms.join(access(room.code, LEADS))
    assert "You lead and also play, as Person 31" in texts(app.run())


def test_a_facilitator_starts_pauses_and_extends_all_tables(storage, access):
    code = room_with(storage, round_seconds=60)
    app = press(page(code=code, as_="lead"), "lead-start")
    assert "2 tables play" in texts(app)
    other = page(code=code, as_="lead")
    press(app, "lead-pause")
    assert rooms.load_room(access(code)).phase == "paused"
    # Commands of another window are based on what it showed.
    before = rooms.load_room(access(code)).table(1).left
    assert "Somebody was faster: all tables were paused." in texts(press(other, "lead-extend"))
    assert rooms.load_room(access(code)).table(1).left == before
    press(app, "lead-resume")
    before = rooms.load_room(access(code)).table(1).deadline
    press(app, "lead-extend")
    assert rooms.load_room(access(code)).table(1).deadline > before


def test_a_facilitator_leads_a_room_to_its_result_and_its_end(storage, access):
    code = room_with(storage)
    rooms.start(access(code, LEADS))
    app = page(code=code, as_="lead")
    # A person disappears: a bot takes over, and the seat is handed back.
    app.session_state["lead-table"] = 1
    app.run()
    verifier = sits(storage, code, "verifier")
    press(app, "lead-seat-1-verifier")
    assert at(storage, code, verifier).replaced
    press(app, "lead-seat-1-verifier")
    assert not at(storage, code, verifier).replaced
    # Before the reveal the page was sent no truth and no verdict.
    play_out(storage, code, verdict=1)
    assert "People predict the result now" in texts(app.run())
    assert "accepted" not in texts(app)
    press(app, "lead-reveal")
    assert "How often a false statement was accepted" in texts(app)
    assert "It is not the protocol's soundness error" in texts(app)
    assert "One table in full" in texts(app)
    # The table at which the bot moved is not counted.
    assert "1 table with bots, not counted" in texts(app).replace("\\", "")
    assert "Too few tables to compare: 0 so far, at least 8." in texts(app)
    assert "points" not in texts(app)
    press(app, "lead-next")
    room = rooms.load_room(access(code))
    assert (room.turn, room.phase) == (2, "running")
    # What cannot be undone needs a confirmation, which can be declined.
    press(app, "lead-end")
    press(app, "lead-end-no")
    press(app, "lead-end")
    assert rooms.load_room(access(code)).phase == "running"
    press(app, "lead-end-yes")
    assert rooms.load_room(access(code)).phase == "ended"
    press(app, "lead-close")
    press(app, "lead-close-yes")
    assert rooms.room_of(access(code)).phase == "closed"
    assert "How often a false statement was accepted" in texts(page(code=code, as_="lead"))


def test_a_rehearsal_offers_a_seat_until_its_facilitator_has_one(storage, access):
    code = room_with(storage, people=0, rehearsal=True)
    shown = texts(page(code=code, as_="lead"))
    assert "Take a seat yourself" in shown
    assert "End the rehearsal" in shown
    rooms.join(access(code, LEADS))
    assert "Take a seat yourself" not in texts(page(code=code, as_="lead"))


def test_true_statements_are_counted_apart_from_the_false_ones(storage, access):
    code = room_with(storage, truth="true")
    rooms.start(access(code, LEADS))
    play_out(storage, code, verdict=1)
    rooms.reveal(access(code, LEADS))
    shown = texts(page(code=code, as_="lead")).replace("\\", "")
    assert "Of 2 true statements, 2 were accepted." in shown
    files = ZipFile(BytesIO(lead._files(access(code, LEADS)))).namelist()
    assert files == [*rooms.files(access(code, LEADS))]
    assert f"{code}-moves.csv" in files
    assert "How often a false statement was accepted" not in shown
    assert "One table in full" in shown


def test_a_room_that_ended_before_any_table_says_that_there_is_no_result(storage, access):
    code = room_with(storage)
    rooms.start(access(code, LEADS))
    rooms.end(access(code, LEADS))
    rooms.reveal(access(code, LEADS))
    shown = texts(page(code=code, as_="lead"))
    assert "There is no result: no table whose truth is revealed was played" in shown
    assert "How often" not in shown


@each(
    ("difference", "texts"),
    [
        (Difference("a", "b", None, why_not="None."), ["None."]),
        (Difference("a", "b", 0.25, why_not="Alike."), ["b minus a: +25", "Alike."]),
        (
            Difference("a", "b", 0.25, 0.1, 0.4, left_out=1),
            ["b minus a: +25", "From a bootstrap", "1 game is left out"],
        ),
        (Difference("a", "b", None, why_not="None.", left_out=2), ["None.", "2 games are left"]),
    ],
)
def test_a_difference_is_said_with_its_interval_or_why_there_is_none(difference, texts):
    screen, found = MagicMock(), []
    screen.markdown.side_effect = found.append
    with patch.multiple(debrief, st=screen, small=found.append):
        debrief._difference(difference)
    for text, wanted in zip(found, texts, strict=True):
        assert wanted in text.replace("\\", "")
    assert ("95% interval: +10" in "".join(found).replace("\\", "")) == (difference.low is not None)


@each("window", ["lead", "projector"])
def test_nobody_else_sees_the_board(storage, access, window):
    code = room_with(storage)
    rooms.start(access(code, LEADS))
    app = page(new_token(), code=code, as_=window)
    assert "Only the facilitator can do this" in texts(app)
    assert not app.get("bidi_component")
    assert not [button for button in app.button if button.key and "lead" in button.key]


def test_people_predict_with_one_tap_and_may_change_it(storage, access):
    token = new_token()
    code = room_with(storage, 5)
    rooms.join(access(code, visitor_name(token)))
    rooms.start(access(code, LEADS))
    rooms.end(access(code, LEADS))
    app = page(token, code=code)
    press(app, "predict-nip")
    press(app, "predict-mnip")
    room = rooms.room_of(access(code))
    given = [(each["kind"], each["value"]) for each in storage.rooms.answers_of(room.number)]
    assert given == [("prediction", "mnip")]


def test_a_seat_that_somebody_has_just_taken_is_refused_in_words(storage, access):
    token = new_token()
    conditions = (rooms.RoomCondition("mnip", ProtocolChoice.of(protocol("mnip"))),)
    code = room_with(storage, 2, conditions=conditions, seating="choice")
    rooms.join(access(code, visitor_name(token)))
    app = page(token, code=code)
    rooms.take_seat(access(code, visitor(1)), 1, 1, "verifier")
    press(app, "seat-take-1-verifier")
    assert "Somebody sits in this seat already. Choose another one." in texts(app)
    other = page(token, code=code)
    press(app, "seat-take-1-prover0")
    assert "already" not in texts(app)
    assert "Your seat: Prover 1 at table Blue 1" in texts(app)
    # The same person in a second window, which is not up to date, does not change seats.
    press(other, "seat-take-1-prover1")
    assert "Somebody was faster: a seat was taken." in texts(other)
    assert "Your seat: Prover 1 at table Blue 1" in texts(other)
    press(other, "seat-take-1-prover1")
    assert "Your seat: Prover 2 at table Blue 1" in texts(other)


def test_the_second_of_two_facilitators_windows_learns_who_has_a_seat_now(storage, access):
    conditions = (rooms.RoomCondition("mnip", ProtocolChoice.of(protocol("mnip"))),)
    code = room_with(storage, 6, conditions=conditions)
    rooms.start(access(code, LEADS))
    both = [page(code=code, as_="lead") for _ in range(2)]
    for app in both:
        app.session_state["lead-table"] = 1
        app.run()
    press(both[0], "lead-seat-1-verifier")  # a bot plays
    assert "faster: an automated player took a seat" in texts(
        press(both[1], "lead-seat-1-verifier")
    )
    assert rooms.load_room(access(code)).table(1).seats["verifier"].bot is not None
    press(both[1], "lead-seat-1-verifier")  # the seat is handed back
    assert "faster: a seat was taken" in texts(press(both[0], "lead-seat-1-verifier"))
    assert rooms.load_room(access(code)).table(1).seats["verifier"].bot is None
    # Changes at another seat do not matter.
    press(both[1], "lead-seat-1-prover0")
    assert "faster" not in texts(press(both[0], "lead-seat-1-prover1"))
    press(both[0], "lead-end-1")
    assert rooms.load_room(access(code)).table(1).phase == "running"
    press(both[0], "lead-end-1-yes")
    assert rooms.load_room(access(code)).table(1).phase == "over"


def test_one_of_two_facilitators_windows_resets_a_question(storage, access):
    code = rooms.open_room(storage, RoomPlan(kind="lesson", lesson="two-rooms"), LEADS).code
    step = next(
        number
        for number, parts in enumerate(
            rooms.lead_view(rooms.load_lesson(access(code))).steps, start=1
        )
        if any(part.stage is not None for part in parts)
    )
    rooms.steer(access(code, LEADS), "go", step)
    rooms.steer(access(code, LEADS), "open")
    both = [press(page(code=code, as_="lead"), "lesson-lead-reset-None") for _ in range(2)]
    press(both[0], "lesson-lead-reset-None-yes")
    assert "faster: the answers were reset" in texts(press(both[1], "lesson-lead-reset-None-yes"))
    assert sum(rooms.load_lesson(access(code)).pace.resets.values()) == 1


def test_a_poll_can_be_revealed_and_words_cannot(storage, access, monkeypatch):
    monkeypatch.setattr("explorer.rooms.lesson.lessons", lambda: ((WORDS_AND_A_POLL,), ()))
    code = rooms.open_room(storage, RoomPlan(kind="lesson", lesson="say-it"), LEADS).code

    def buttons():
        """Return the labels of all buttons, and of those that are the next thing to do."""
        shown = page(code=code, as_="lead").button
        return {each.label for each in shown}, [
            each.label for each in shown if each.proto.type == "primary"
        ]

    shown, main = buttons()
    assert main == ["Begin"]
    assert not {"Back", "Pause", "Reveal"} & shown
    for step, words in ((1, True), (2, False)):
        rooms.steer(access(code, LEADS), "go", step)
        rooms.steer(access(code, LEADS), "open")
        shown, main = buttons()
        assert {"Lock", "Back", "Pause"} <= shown
        assert main == ["Lock"]
        assert ("Reveal" in shown) != words
        if words:
            assert "Show" not in shown
            person = rooms.join(access(code, visitor(1))).number
            rooms.answer_block(access(code, visitor(1)), person, WORDS, "Because.")
            app = page(code=code, as_="lead")
            for label, other in (("Show", "Hide"), ("Hide", "Show")):
                next(each for each in app.button if each.label == label).click().run()
                assert other in {each.label for each in app.button}
        rooms.steer(access(code, LEADS), "lock")
        rooms.steer(access(code, LEADS), "reveal") if not words else None
        assert buttons()[1] == (["Next"] if words else [])


def test_a_facilitator_leads_alone_again(storage, access):
    opened = rooms.open_room(
        storage,
        RoomPlan(conditions=(rooms.RoomCondition("nip", ProtocolChoice.of(protocol("nip"))),)),
        LEADS,
    )
    assert "lead-alone" not in {button.key for button in page(code=opened.code, as_="lead").button}
    rooms.lead(access(opened.code, visitor(9)), opened.key)
    app = page(code=opened.code, as_="lead")
    assert "1 other browser leads" in texts(app)
    press(press(app, "lead-alone"), "lead-alone-yes")
    assert rooms.load_room(access(opened.code)).rows.leaders == {LEADS}
    # The new link is shown, and the old one works for nobody.
    assert f"/lead/{opened.code}/" in texts(app)
    with pytest.raises(rooms.NotLeaderError):
        rooms.lead(access(opened.code, visitor(9)), opened.key)


# -- protocols with stages -------------------------------------------------------------------------


def test_a_room_is_made_led_and_ends_in_a_result(storage, access):
    app = page(new="1", play="reading")
    press(app, "new-open")
    code = said(app, "code")
    plan = rooms.load_room(access(code)).plan
    assert [each.protocol for each in plan.conditions] == ["khan_consultancy", "khan_debate"]
    assert len(plan.tasks) == 8
    for number in range(1, 6):
        rooms.join(access(code, visitor(number)))
    rooms.start(access(code, LEADS))
    assert not page(code=code, as_="lead").exception
    assert not page(code=code, as_="projector").exception
    play_turns(storage, code)
    rooms.end(access(code, LEADS))
    rooms.reveal(access(code, LEADS))
    shown = texts(page(code=code, as_="lead"))
    assert "How often the verdict was right" in shown
    assert "One table in full" in shown


def test_any_published_protocol_can_be_chosen_with_settings_or_ones_own(access):
    app = page(new="1", play="other", protocol="khan_debate")
    next(each for each in app.number_input if each.label == "Rounds").set_value(2).run()
    assert not app.exception
    press(app, "new-open")
    (made,) = rooms.load_room(access(said(app, "code"))).plan.conditions
    assert (made.protocol, dict(made.rules.settings)["rounds"]) == ("khan_debate", 2)
    app = page(new="1", play="other", protocol="michael_consultancy")
    # Only that phones cannot reach a server that answers this machine alone.
    assert [each.value for each in app.warning] == [escaped(why_unreachable())]
    usual = dict(specification("michael_consultancy").settings)["rounds"]
    assert next(each for each in app.number_input if each.label == "Rounds").value == usual


def test_a_room_plays_a_specification_of_ones_own(access):
    app = page(new="1", play="other", protocol="own")
    assert app.button(key="new-open").disabled
    app.text_area(key="own text").set_value("format = 3").run()
    press(app, "read own")
    assert app.error
    assert app.text_area(key="own text").value == "format = 3"
    mine = json.dumps(specification("khan_debate").to_dict()).replace("khan_debate", "my_debate")
    app.text_area(key="own text").set_value(mine).run()
    press(app, "read own")
    assert not app.error
    press(app, "new-open")
    (made,) = rooms.load_room(access(said(app, "code"))).plan.conditions
    assert made.protocol == "my_debate"


def test_a_task_is_written_for_a_specification_that_no_bundled_task_fits(storage, access):
    mine = json.dumps(specification("khan_debate").to_dict()).replace("passage", "scroll")
    app = page(new="1", play="other", protocol="own", minutes="20")
    app.text_area(key="own text").set_value(mine).run()
    press(app, "read own")
    assert app.button(key="new-open").disabled
    assert "write one under" in texts(app)
    texts_of = {"question": "Who?", "answers": "A: Ada\nB: Bob", "scroll": "Ada did it."}
    for part, text in texts_of.items():
        app.text_area(key=f"new-khan_debate-part-{part}").set_value(text).run()
    app.selectbox(key="new-khan_debate-fact-truth").select("B").run()
    # A reload of the page loses neither the specification nor the task.
    query = {key: said(app, key) for key in app.query_params}
    assert (query["new"], query["minutes"]) == ("1", "20")
    again = page(**query)
    assert not again.button(key="new-open").disabled
    press(again, "new-open")
    code = said(again, "code")
    room = rooms.load_room(access(code))
    facts = {"truth": "B"}
    assert [dict(each) for each in room.plan.written] == [{"parts": texts_of, "facts": facts}]
    # After a rehearsal, the form has it too, from the plan alone.
    back = page(**workshop_query(room.plan))
    assert back.text_area(key="new-khan_debate-part-scroll").value == "Ada did it."
    assert back.selectbox(key="new-khan_debate-fact-truth").value == "B"
    for number in range(1, 4):
        rooms.join(access(code, visitor(number)))
    rooms.start(access(code, LEADS))
    judge, alice = sits(storage, code, "judge"), sits(storage, code, "alice")
    assert at(storage, code, alice).seen.view.parts == texts_of
    assert "Ada did it." not in json.dumps(rooms.seat_screen(at(storage, code, judge)))
    assert "Ada did it." not in json.dumps(rooms.board(rooms.room_of(access(code))))
    assert "Ada did it." not in texts(page(code=code, as_="projector"))
    play_turns(storage, code, verdict="B")
    rooms.reveal(access(code, LEADS))
    assert [each.right for each in rooms.outcomes(rooms.room_of(access(code)))] == [True]


def test_a_damaged_task_in_a_link_is_reported_and_a_written_one_replaces_prepared_ones(access):
    app = page(new="1", play="reading", task="written", written="x")
    assert any("damaged" in each.value for each in app.info)
    assert app.button(key="new-open").disabled
    for part in ("question", "answers", "passage"):
        app.text_area(key=f"new-khan_consultancy-part-{part}").set_value("Ada did it.").run()
    press(app, "new-open")
    plan = rooms.load_room(access(said(app, "code"))).plan
    assert (len(plan.conditions), plan.tasks) == (2, ("written-1",))
