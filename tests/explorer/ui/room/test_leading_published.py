"""The facilitator's pages of a room with a published protocol."""

import json

from explorer import rooms
from explorer.ui.room.about import why_unreachable
from explorer.ui.room.new import workshop_query
from explorer.ui.text import escaped
from nip_core.registry import specification
from tests.explorer.rooms.people import at, sits, visitor
from tests.explorer.rooms.test_version_2 import play_out as play_turns
from tests.explorer.ui.room.test_lead import LEADS, page, press, said, texts


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


def test_any_published_protocol_can_be_chosen_with_settings_or_ones_own(access):
    app = page(new="1", play="other")
    box = next(each for each in app.selectbox if each.label == "Protocol")
    box.select("khan_debate").run()
    next(each for each in app.number_input if each.label == "Rounds").set_value(2).run()
    assert not app.exception
    press(app, "new-open")
    (made,) = rooms.load_room(access(said(app, "code"))).plan.conditions
    assert (made.protocol, dict(made.spec.settings)["rounds"]) == ("khan_debate", 2)
    # Another protocol has its own settings, though the address had those of the first.
    app = page(new="1", play="other", protocol="khan_debate", **{"set.rounds": "2"})
    box = next(each for each in app.selectbox if each.label == "Protocol")
    box.select("michael_consultancy").run()
    # Only that phones cannot reach a server that answers this machine alone.
    assert [each.value for each in app.warning] == [escaped(why_unreachable())]
    usual = dict(specification("michael_consultancy").settings)["rounds"]
    assert next(each for each in app.number_input if each.label == "Rounds").value == usual


def test_a_room_plays_a_specification_of_ones_own(access):
    app = page(new="1", play="other")
    next(each for each in app.selectbox if each.label == "Protocol").select("own").run()
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
