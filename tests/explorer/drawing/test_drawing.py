"""Tests of drawing.py, screen.py, facts.py, worth.py, consequences.py and fixes.py."""

import json
import random
import time
from pathlib import Path

from explorer import front
from explorer.drawing import Drawing, drawing_of, drawing_screen, is_drawing
from explorer.drawing.consequences import consequences
from nip_core.editing import GESTURES, MUTATIONS, TEMPLATES, Draft, template
from nip_core.language import load_specification
from nip_core.registry import protocol_names, published_names, specification
from nip_core.values import best_reply, play_values
from tests.depth import each
from tests.editing.at_random import gesture_at_random
from tests.hostile_texts import HOSTILE

NAME = "0123456789ab"
FIRST = {"stage": 0, "turn": 0}


class Window:
    """A window that draws, as a browser's does: each request has a mark of its own."""

    def __init__(self, begin="one prover", **more):
        self.drawing = Drawing(NAME)
        self.asked = 0
        if begin:
            assert self.ask(begin=begin, **more) is None

    def ask(self, **request):
        self.asked += 1
        return self.drawing.act({"mark": f"m{self.asked}", **request})

    def do(self, gesture, **arguments):
        return self.ask(do=gesture, arguments=arguments)

    @property
    def screen(self):
        return drawing_screen(self.drawing)


@each("name", [*protocol_names(), *published_names()])
def test_every_protocol_can_be_drawn_on(name):
    screen = Window(name, protocol=True).screen
    facts = screen["facts"]
    assert json.loads(json.dumps(screen)) == screen
    assert len(facts["columns"]) == len(facts["acts"]) == len(screen["heads"])
    rows = [shape for shape in screen["drawing"]["shapes"] if shape[0] == "Row"]
    assert len(rows) == len(facts["rows"])
    stages = screen["drawing"]["columns"]
    assert sum(stage["columns"] for stage in facts["stages"]) <= stages


def test_every_gesture_has_a_place_on_the_page():
    files = Path(front.__file__).parent.glob("draw*.js")
    code = "".join(file.read_text("utf-8") for file in files)
    # Changes to try are listed by the server; texts become protocols, and no edit needs a person.
    elsewhere = {*MUTATIONS, "become", "set_field"}
    assert [name for name in GESTURES if f'"{name}"' not in code and name not in elsewhere] == []


def test_facts_tell_what_is_rare_about_acts():
    window = Window("audits")
    facts = window.screen["facts"]
    choice = next(one for one in facts["choices"] if one["by"] not in ("task", "chance"))
    column = next(n for n, acts in enumerate(facts["acts"]) if choice["by"] in acts)
    stage, turn = facts["columns"][column]
    some = choice["options"][:1]
    at = {"stage": stage, "turn": turn}
    assert window.do("open_options", choice=choice["name"], options=some, **at) is None
    facts = window.screen["facts"]
    assert facts["acts"][column][choice["by"]][0]["open"] == {choice["name"]: some}
    assert window.do("add_channel", title="Board") is None
    to = {"channel": "board", "source": facts["channels"][0]["name"]}
    assert window.do("copy", **to, **at) is None
    assert window.screen["facts"]["copies"] == [{"place": [stage, turn], **to}]


def test_facts_tell_which_seats_act_one_by_one():
    window = Window("one prover")
    assert window.do("several", seat="prover", count=3) is None
    at = {"stage": 0, "turn": 1}
    assert window.do("one_by_one", seat="prover", **at) is None
    seat = next(one for one in window.screen["facts"]["seats"] if one["count"] == 3)
    assert window.screen["facts"]["one_by_one"] == [[0, 1, seat["name"]]]


@each("name", TEMPLATES)
def test_a_drawing_begins_with_a_template_that_shows_how_it_was_built(name):
    screen = Window(name).screen
    assert screen["history"]["at"] == len(TEMPLATES[name]) == len(screen["history"]["steps"])
    assert set(screen["links"]) == {"draw", "play", "rewards", "protocols", "room"}


def test_a_gesture_says_what_else_it_changed_and_is_undone_as_one():
    window = Window("nothing")
    before = window.screen["document"]
    window.do("add_seat", title="Prover")
    window.do("see", kind="channel", name="main", seat="prover", since=None)
    assert window.do("write", seat="prover", channel="main", **FIRST) is None
    assert "now reads" in window.screen["said"]["also"][0]
    for _ in range(3):
        window.ask(move="undo")
    assert window.screen["document"] == before
    window.ask(move=4)
    assert window.screen["history"]["at"] == 4


def test_what_is_refused_changes_nothing_and_has_repairs():
    def drawn():
        # Values are found meanwhile, in a process of their own.
        return {name: part for name, part in window.screen.items() if name != "worth"}

    window = Window()
    before = drawn()
    refused = window.do("leave", stage=0, turn=1, target="part_1", when="verdict = accept")
    assert "only goes forward" in refused["message"]
    words, gesture, arguments = refused["repairs"][0]
    assert drawn() == before
    assert words
    assert window.do(gesture, **arguments) is None


def test_a_request_that_is_sent_again_is_done_once():
    window = Window("nothing")
    request = {"mark": "same", "do": "add_turn", "arguments": {"stage": 0, "turn": 0}}
    for _ in range(3):
        assert window.drawing.act(request) is None
    assert window.screen["facts"]["stages"][0]["turns"] == 2


def test_the_text_follows_the_picture_and_the_picture_the_text():
    window = Window("nothing")
    window.ask(look="text")
    text = window.screen["text"].replace("[seats", "# Who plays\n[seats", 1)
    assert window.ask(text=text) is None
    window.do("add_seat", title="Prover")
    followed = window.screen["text"]
    assert "# Who plays" in followed
    assert load_specification(followed) == window.drawing.draft.spec
    before = window.screen
    refused = window.ask(text=followed.replace("[seats", "[saets"))
    assert refused["mistakes"][0]["line"] > 0
    assert window.screen["document"] == before["document"]
    window.ask(move="undo")
    assert "prover" not in window.screen["text"]


def test_the_browser_brings_back_what_the_server_has_forgotten():
    window = Window()
    window.do("repeat", stage=0, times=7)
    kept = window.screen["kept"]
    other = Window(begin="")
    assert other.screen["new"]
    assert other.ask(restore=kept) is None
    assert other.screen["document"] == window.screen["document"]
    assert other.screen["history"] == window.screen["history"]
    # Only where nothing was done yet.
    other.do("repeat", stage=0, times=3)
    other.ask(restore=kept)
    assert other.screen["facts"]["stages"][0]["number"] == 3


def test_what_goes_on_is_not_done_to_a_forgotten_drawing():
    window = Window(begin="")
    request = {"do": "add_turn", "arguments": {**FIRST}, "goes_on": True}
    refused = window.drawing.act({"mark": "again", **request})
    assert refused["lost"]
    window.ask(restore=Window().screen["kept"])
    # The same request, once the browser has brought it back.
    assert window.drawing.act({"mark": "again", **request}) is None
    assert window.screen["facts"]["stages"][0]["turns"] == 3


def test_of_a_long_history_the_last_sixty_steps_are_listed_and_replayed():
    window = Window("nothing")
    for times in range(2, 70):
        assert window.do("repeat", stage=0, times=times) is None
    window.ask(look="replay")
    history, replay = window.screen["history"], window.screen["replay"]
    assert (history["at"], history["first"], len(history["steps"])) == (69, 9, 60)
    assert (replay[0]["words"], len(replay)) == ("Repeat “part 1” 9 times", 61)


def test_changes_to_try_are_worked_out_once_they_are_looked_at():
    window = Window("two provers apart")
    assert window.screen["changes"] is None
    window.ask(look="changes")
    changes = {change["gesture"]: change for change in window.screen["changes"]}
    assert changes["separate_the_provers"]["reason"]
    assert changes["add_critic"]["words"]


def test_drawings_belong_to_a_visitor():
    mine = drawing_of("a" * 32, NAME, lambda: (Draft.of(specification("jury")), ""))
    assert drawing_of("a" * 32, NAME) is mine
    assert drawing_of("b" * 32, NAME) is not mine
    assert is_drawing(NAME)
    assert not any(map(is_drawing, (None, "", "x", NAME + "0", NAME.upper(), "../" + NAME)))


def test_a_visitor_has_only_so_many_drawings():
    visitor = "c" * 32
    first = drawing_of(visitor, f"{0:012x}")
    for number in range(1, 20):
        drawing_of(visitor, f"{number:012x}")
    assert drawing_of(visitor, f"{19:012x}") is drawing_of(visitor, f"{19:012x}")
    assert drawing_of(visitor, f"{0:012x}") is not first


WIRE = [
    None, True, 0, -1, 10**30, 1e308, float("nan"), "", "x", "\x00", "a" * 10_000, [], [[]], {},
    {"stage": 0}, {"stage": 10**20, "turn": []}, ["seat", 0], {"a": {"b": {"c": 1}}},
]  # fmt: skip


def test_what_comes_from_the_wire_is_refused_or_harmless():
    source = random.Random(5)
    window = Window("debate")
    names = [*GESTURES, "", "x", None, 5, []]
    for number in range(600):
        key = source.choice(("do", "do", "do", "move", "begin", "text", "restore", "look"))
        value = source.choice(names) if key == "do" else source.choice(WIRE)
        gesture = GESTURES.get(value) if isinstance(value, str) else None
        taken = [*gesture.parameters.checks] if gesture else []
        arguments = {name: source.choice(WIRE) for name in taken if source.random() < 0.9}
        request = {"mark": str(number), key: value, "arguments": arguments}
        begun = time.perf_counter()
        window.drawing.act(source.choice((request, request, request, value, [request])))
        assert time.perf_counter() - begun < 2
    assert load_specification(window.screen["document"]) == window.drawing.draft.spec


def test_hostile_names_stay_names():
    """They are data for the browser, which writes them as text (tests/browser/test_draw.py)."""
    window = Window("nothing")
    for hostile in HOSTILE:
        (seat,) = window.drawing.draft.document["seats"]
        assert window.do("call", kind="seat", name=seat, title=hostile[:90]) is None
        (shown,) = window.screen["facts"]["seats"]
        assert shown["title"] == " ".join(hostile[:90].split())


def worth_of(window):
    end = time.monotonic() + 240
    while not (shown := window.screen["worth"])["done"]:
        assert time.monotonic() < end
        time.sleep(0.05)
    return shown


def test_values_come_from_another_process_with_the_change_by_the_last_edit():
    window = Window()
    # No other test has asked for these.
    window.do("repeat", stage=0, times=5)
    assert window.screen["worth"]["values"] is None
    first = worth_of(window)
    means = play_values(window.drawing.draft.spec).means
    shown = first["values"]["seats"]
    assert {seat: shown[seat]["mean"] for seat in means} == {s: float(m) for s, m in means.items()}
    window.do("repeat", stage=0, times=6)
    # Never a number of an older document.
    assert window.screen["worth"]["values"] is None
    second = worth_of(window)
    assert second["before"]["values"] == first["values"]
    assert second["values"] != first["values"]


def test_remarks_say_what_is_unfinished_and_what_is_wrong_with_repairs():
    window = Window("nothing")
    text = json.dumps(window.drawing.draft.spec.to_dict())
    *_, last = consequences(text, False)
    codes = {remark["code"]: remark for remark in last["remarks"]}
    assert codes["channel-unused"]["unfinished"]
    words, gesture, arguments = codes["channel-unused"]["fixes"][0]
    assert (words, gesture) == ("Remove it", "remove")
    assert window.do(gesture, **arguments) is None


@each("when", ["false", "true"])
def test_a_way_out_that_is_never_or_always_taken_can_be_removed(when):
    window = Window("one prover")
    before = window.drawing.draft.document
    assert window.do("leave", stage=0, turn=1, target="end", when=when) is None
    *_, last = consequences(json.dumps(window.drawing.draft.spec.to_dict()), False)
    (remark,) = last["remarks"]
    ((words, gesture, arguments),) = remark["fixes"]
    assert words == "Remove this way out"
    assert window.do(gesture, **arguments) is None
    assert window.drawing.draft.document == before


def test_every_number_names_its_model_and_how_exact_it_is():
    spec = Draft.of(specification("mnip")).spec
    *_, last = consequences(json.dumps(spec.to_dict()), True)
    assert {reply["exact"] for reply in last["replies"].values()} == {True}
    assert last["replies"]["prover0"]["low"] == float(best_reply(spec, "prover0").low)
    found = last["evidence"]
    assert found["model"] == {"shows": 0.8, "fakes": 0.4, "own": 0.6}
    (right, *_) = found["honest"]
    assert right["what"] == "verdict right"
    assert right["percent"]
    assert right["low"] == right["high"] == 0.74
    assert [reply["seat"] for reply in found["replies"]] == ["prover0", "prover1"]


def test_a_wall_changes_the_evidence_model_and_nothing_by_chance():
    window = Window("debate")
    first = worth_of(window)
    arguments = {"kind": "channel", "name": "debate", "seat": "judge", "since": None}
    assert window.do("see", **arguments) is None
    # Nothing of the older protocol is shown.
    assert window.screen["worth"]["evidence"] is None
    second = worth_of(window)
    assert second["values"] == second["before"]["values"] == first["values"]
    assert second["before"]["evidence"] == first["evidence"]
    rights = [found["evidence"]["honest"][0]["low"] for found in (first, second)]
    assert rights[0] > rights[1] == 0.6


def test_where_nothing_can_be_said_about_evidence_there_is_a_reason():
    *_, last = consequences(json.dumps(Draft.blank().spec.to_dict()), True)
    assert last["evidence"]["honest"] == []
    assert last["evidence"]["reason"] == "nothing says what is true"


def test_every_repair_of_a_remark_can_be_made():
    """From random protocols, which have all kinds of faults."""
    source, repaired = random.Random(7), set()
    for _ in range(20):
        history = template(source.choice([*TEMPLATES]))
        for _ in range(12):
            history, _ = history.do(*gesture_at_random(source, history.draft.document))
        *_, last = consequences(json.dumps(history.draft.spec.to_dict()), False)
        for remark in last["remarks"]:
            for words, gesture, arguments in remark["fixes"]:
                made, result = history.do(gesture, arguments)
                # What would leave a protocol without a seat or a turn is refused.
                if result.refused is None and made.draft.document != history.draft.document:
                    repaired.add(gesture)
                assert words[0].isupper()
    assert {"remove", "remove_rule", "see"} <= repaired


def test_who_finds_out_what_is_hidden_can_be_shown_it():
    window = Window("audits")
    assert window.do("leave", **FIRST, target="end", when="deed = harmful") is None
    text = json.dumps(window.drawing.draft.spec.to_dict())
    *_, last = consequences(text, False)
    (remark,) = [each for each in last["remarks"] if each["code"] == "course-tells"]
    assert remark["about"]["turn"] == 0
    ((words, gesture, arguments),) = remark["fixes"]
    assert words == "Let the monitor see deed"
    assert window.do(gesture, **arguments) is None
    *_, after = consequences(json.dumps(window.drawing.draft.spec.to_dict()), False)
    assert "course-tells" not in {each["code"] for each in after["remarks"]}
