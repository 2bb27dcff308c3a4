"""Tests of anything.py, course.py, things.py: what is refused, with reasons and repairs."""

import pytest

from nip_core.editing import Add, Draft, Move, Remove, Rename, Set, apply, do, template
from nip_core.errors import EditError
from tests.depth import each
from tests.editing.steps import AT, TWO_PROVERS, draft_of, made, refused

DEBATE = template("debate").draft
WAITING = template("one prover").draft
CASES = [
    ("leave", {**AT, "target": "nowhere", "when": "true"}, "Play cannot go to"),
    ("clear", ["judge"], "The arguments of a gesture are an object"),
    ("clear", {"seat": "judge", **AT, "sead": 1}, "This has no 'sead'"),
    ("clear", {"seat": "judge", "stage": 0}, "This needs 'turn', too"),
    ("clear", {"seat": "judge", "stage": 0, "turn": 9}, "is not the number of a turn"),
    ("clear", {"seat": "judge", "stage": 10**20, "turn": 0}, "is not the number of a stage"),
    ("hide_name", {"seat": "judge", "on": 1}, "is neither true nor false"),
    ("set_options", {"choice": "verdict", "options": 3}, "is no list of options"),
    (
        "see",
        {"kind": "part", "name": "question", "seat": "judge", "since": "soon"},
        "'soon' is no time",
    ),
    (
        "see",
        {"kind": "seat", "name": "judge", "seat": "judge", "since": "start"},
        "What seats see is a part",
    ),
    (
        "see",
        {"kind": "choice", "name": "verdict", "seat": "judge", "since": None},
        "always sees what is its own",
    ),
    (
        "open_options",
        {"choice": "verdict", "stage": 1, "turn": 0, "options": 3},
        "neither a list of options nor all",
    ),
    ("work_out", {"title": "n", "of": "1", "way": "most"}, "is no way to work something out"),
    ("work_out", {"title": "n", "of": "1", "way": "sum"}, "Name one, or several"),
    ("work_out", {"title": "n", "of": "1", "way": "sum", "at": 3}, "is no list of choices"),
    ("split_stage", AT, "begins with this turn already"),
    ("copy_turns", {**AT, "to_stage": 0, "to_turn": 0, "count": 9}, "is not how many turns"),
    ("copy_cells", {**AT, "to_stage": 0, "to_turn": 0, "count": 9}, "there are to copy from here"),
    ("stage_edge", {"stage": 0, "by": -1}, "would have no turn left"),
    ("stage_edge", {"stage": 1, "by": 1}, "There is no stage after this edge"),
    ("stage_edge", {"stage": 0, "by": "x"}, "is not a number of turns"),
    ("join_stages", {"stage": 1}, "is the last stage"),
    ("part_turn", {"stage": 1, "turn": 0, "seat": "judge"}, "acts with no others in this turn"),
    ("audits", {"by": "judge", "of": "judge", **AT}, "A seat cannot check itself"),
    ("until_agreed", {"stage": 0, "turn": 0, "seats": ["judge"]}, "Nobody acts in this turn who"),
    ("limit", {"seats": ["judge"], "of": "pages", "most": 1}, "'pages' cannot be limited"),
    ("pay", {"to": {"judge": 1}, "amount": 1, "at": "noon"}, "is no time of payment"),
    ("pay", {"to": {}, "amount": 1}, "does not say how much"),
    ("pay", {"to": {"judge": "1e9"}, "amount": 1}, "is not a number, or too large"),
    ("change_pay", {"number": 9}, "There is no payment 9"),
    ("usual_pay", {"way": "much"}, "There is no usual payment"),
    ("pay_table", {"choices": ["x"], "amounts": {}}, "A table has no choice"),
    ("pay_table", {"choices": [], "amounts": {}}, "A table is about one choice"),
    ("pay_table", {"choices": ["verdict"], "amounts": 1}, "does not say what each seat"),
    ("pay_table", {"choices": ["verdict"], "amounts": {"x": []}}, "no seat 'x' to be paid"),
    ("pay_table", {"choices": ["verdict"], "amounts": {"judge": [1]}}, "The amounts of 'judge'"),
    ("pay_table", {"choices": ["verdict"], "amounts": {"judge": [1, "x"]}}, "is not an amount"),
    ("wall", {"one": "judge", "other": "judge"}, "A wall stands between two seats"),
    ("reorder", {"kind": "option", "name": "A", "to": 1}, "The order of options is"),
    ("reorder", {"kind": "seat", "name": "judge", "to": 7}, "is no place among"),
    ("add_seat", {"at": 9}, "is no place among"),
    ("remove_rule", {"kind": "verdict", "number": 0}, "is neither pay nor limit"),
    ("remove_rule", {"kind": "limit", "number": 0}, "There is no limit of number 0"),
    ("rename", {"kind": "seat", "name": "judge", "new": "question"}, "is used for something else"),
    ("call_protocol", {"title": " "}, "is not a name"),
    ("describe", {"field": "name", "text": "x"}, "There is no text called"),
    ("remove", {"kind": "room", "name": "judge"}, "There is no kind of thing called"),
    ("several", {"seat": "judge", "count": 100}, "is not a whole number from 1 to 64"),
    ("set_chances", {"choice": "verdict", "weights": 2}, "is not a list of weights"),
    ("only_if", {"seat": "judge", "stage": 1, "turn": 0, "when": "true", "case": 3}, "no case 4"),
    ("only_if", {"seat": "judge", "stage": 1, "turn": 0, "when": "true", "case": "x"}, "of a case"),
    ("only_if", {"seat": "judge", **AT, "when": "true"}, "does nothing in this turn yet"),
    ("remove_case", {"seat": "judge", "stage": 1, "turn": 0, "case": 0}, "There is no case 1 to"),
    ("choose", {"choice": "truth", **AT}, "the task says before play"),
    ("add_channel", {"seats": "judge"}, "is not a list of seats"),
    ("set_field", {"place": ["room"], "field": "x"}, "is no place: write a kind"),
    ("set_field", {"place": ["seat", 0], "field": 3}, "is not the name of a field"),
    ("set_field", {"place": ["seat", 0], "field": ""}, "by a gesture of its own"),
    ("set_field", {"place": ["protocol"], "field": ""}, "change them one by one"),
    ("become", {"document": 3}, "is not a document of a protocol"),
    ("let_the_provers_read_each_other", {}, "read each other already"),
    ("ask_only_once", {}, "in no stage that is repeated"),
]


@each("name, arguments, words", CASES)
def test_a_debate(name, arguments, words):
    assert words in refused(DEBATE, name, arguments).message


OTHERS = [
    (WAITING, "decide", {"by": "verifier", **AT}, "can decide or go on already"),
    (WAITING, "let_the_judge_ask", {}, "writes already, so it can ask"),
    (WAITING, "make_it_a_jury", {}, "can also go on, which a majority cannot"),
    (WAITING, "let_chance_pick_the_liar", {}, "two seats that argue for a side"),
    (WAITING, "usual_pay", {"way": "adversarial"}, "seats argue for a side; this is about two"),
    (
        WAITING,
        "open_options",
        {"choice": "verdict", "stage": 0, "turn": 1, "options": "all"},
        "yet",
    ),
    (template("nothing").draft, "add_critic", {}, "No seat decides here"),
    (template("nothing").draft, "usual_pay", {"way": "right"}, "There is no verdict yet"),
    (made(DEBATE, ("judge_by_probability", {})), "judge_by_probability", {}, "says a probability"),
    (made(DEBATE, ("limit_the_words", {})), "limit_the_words", {}, "are limited already"),
    (draft_of("jury"), "decide", {"by": "juror", **AT}, "would decide for all"),
    (draft_of("jury"), "make_it_a_jury", {}, "decides already"),
    (draft_of("jury"), "pay_table", {"choices": ["vote"], "amounts": {}}, "is one choice of each"),
    (draft_of("jury"), "wall", {"one": "juror", "other": "juror2"}, "of a family is one between"),
]


@each("draft, name, arguments, words", OTHERS)
def test_other_protocols(draft, name, arguments, words):
    assert words in refused(draft, name, arguments).message


def test_a_channel_of_a_family_cannot_be_split():
    document = made(Draft.blank(), *TWO_PROVERS).document
    several = {**document, "channels": {"main": {"seen": "everyone", "count": 2}}}
    assert (
        "is several channels already"
        in refused(Draft.read(several), "wall", {"one": "prover", "other": "prover_2"}).message
    )


def test_an_option_that_is_not_chosen_there():
    draft = made(DEBATE, ("add_choice", {"title": "mood", "by": "judge", "options": ["x", "y"]}))
    arguments = {"choice": "mood", "stage": 1, "turn": 0, "options": "all"}
    assert "is not chosen there" in refused(draft, "open_options", arguments).message


# -- repairs ---------------------------------------------------------------------------------------


def test_a_refusal_is_at_its_place_with_repairs_that_are_gestures():
    refusal = refused(DEBATE, "argue", {"seat": "judge", "side": "verdict = = A"})
    assert refusal.path == ("seats", "judge", "argues")
    assert refusal.message.startswith("The judge: ")
    arguments = {"stage": 1, "turn": 0, "target": "end", "when": "verdict = C"}
    message = refused(DEBATE, "leave", arguments).message
    assert message.startswith("Turn 1 of “judgement”: ")
    arguments = {"stage": 1, "turn": 0, "target": "arguments", "when": "true"}
    refusal = refused(DEBATE, "leave", arguments)
    assert "Play only goes forward" in refusal.message
    for repair in refusal.repairs:
        assert do(DEBATE, repair.gesture, repair.arguments).refused is None, repair


@each(
    "when, repaired",
    [("verdict == A", "verdict = A"), ("verdict = A && true", "verdict = A and true")],
)
def test_slips_in_expressions_are_corrected_by_a_click(when, repaired):
    arguments = {"stage": 1, "turn": 0, "target": "end", "when": when}
    (repair,) = refused(DEBATE, "leave", arguments).repairs
    result = do(DEBATE, repair.gesture, repair.arguments)
    assert result.draft.document["stages"][1]["turns"][0]["then"] == {"end": repaired}


def test_a_misspelt_name_in_an_expression_is_corrected_by_a_click():
    arguments = {"stage": 1, "turn": 0, "target": "end", "when": "verdct = A"}
    (repair,) = refused(DEBATE, "leave", arguments).repairs
    assert repair.arguments["when"] == "verdict = A"


# -- edits -----------------------------------------------------------------------------------------


@each(
    "edit, words",
    [
        (Remove(("seat", 9)), "There is no seat 10"),
        (Remove(("turn", 5, 0)), "There is no stage 6"),
        (Remove(("act", 0, 5, 0)), "There is no turn 6 in this stage"),
        (Remove(("room", 0)), "There is no kind of thing called"),
        (Remove(("seat", "x")), "is no place"),
        (Add(("seat", 0), {}, "judge"), "There is a seat 'judge' already"),
        (Add(("act", 0, 0, 0), {}, "then"), "'then' is no seat"),
        (Move(("seat", 0), ("part", 0)), "A seat cannot become a part"),
        (Set(("seat", 0), "argues", None), "has no field 'argues'"),
        (Set(("title", 0), "x", 1), "is written in a short form"),
        (Rename("seat", "nobody", "x"), "There is no seat 'nobody'"),
        (Rename("seat", "judge", "critic"), "is used for something else"),
    ],
)
def test_edits_that_do_not_fit(edit, words):
    document = draft_of("iterated_amplification").document
    document = {**document, "seats": {"critic": "Critic", "judge": "Judge"}}
    document = {**document, "titles": {"x": "X"}}
    document = {**document, "seats": {"judge": {"title": "Judge"}, "critic": "Critic"}}
    with pytest.raises(EditError, match=words):
        apply(document, [edit])


def test_a_protocol_keeps_a_seat_and_a_stage():
    arguments = {"kind": "seat", "name": "verifier"}
    assert "has at least one seat" in refused(Draft.blank(), "remove", arguments).message
    arguments = {"kind": "stage", "name": "part_1"}
    assert "has at least one stage" in refused(Draft.blank(), "remove", arguments).message
