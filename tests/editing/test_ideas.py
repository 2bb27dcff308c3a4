"""Tests of ideas.py, recognised.py, paying.py, payments.py: single ideas; payments as a table."""

import random
from fractions import Fraction

from nip_core import specification
from nip_core.editing import USUAL, Draft, do, ideas_of, pay_tables
from nip_core.language import to_version_1
from tests.depth import each
from tests.editing.at_random import ALL, play_to_the_end
from tests.editing.steps import AT, TWO_PROVERS, draft_of, made, refused

MNIP = (
    *TWO_PROVERS,
    ("wall", {"one": "prover", "other": "prover_2"}),
    ("decide", {"by": "verifier", **AT}),
    ("repeat", {"stage": 0, "times": 4}),
)
# What people call them does not matter to the rules.
RENAMED = (
    ("rename", {"kind": "seat", "name": "prover", "new": "prover0"}),
    ("rename", {"kind": "seat", "name": "prover_2", "new": "prover1"}),
    ("rename", {"kind": "channel", "name": "main_prover", "new": "prover0_channel"}),
    ("rename", {"kind": "channel", "name": "main_prover_2", "new": "prover1_channel"}),
    ("call_protocol", {"title": "mnip"}),
)


def test_mnip_from_nothing_in_at_most_13_gestures_equals_the_registered_one():
    assert len(MNIP) <= 13
    drawn = made(Draft.blank(), *MNIP, *RENAMED)
    registered = to_version_1(specification("mnip"))
    assert to_version_1(drawn.spec).to_dict() == registered.to_dict()


def test_accept_reject_or_go_on_is_one_gesture_and_one_undo():
    draft = made(Draft.blank(), *TWO_PROVERS)
    result = do(draft, "decide", {"by": "verifier", **AT})
    spec = result.draft.spec
    assert spec.roles.go_on == {"verdict": "wait"}
    assert spec.roles.verdict == ("verdict",)
    assert {s.argues for s in spec.seats} == {"accept", "none"}
    (act,) = spec.stages[0].turns[0].acts
    assert act.silent == "verdict = accept or verdict = reject"
    assert dict(spec.stages[0].turns[0].then) == {"end": act.silent}
    assert len(spec.pay) == 5
    # Only once.
    assert "can decide" in refused(result.draft, "decide", {"by": "verifier", **AT}).message


def test_what_a_person_has_set_is_not_changed():
    draft = made(
        Draft.blank(),
        *TWO_PROVERS,
        ("add_choice", {"title": "truth", "by": "task", "options": ["A", "B"]}),
        ("argue", {"seat": "prover", "side": "A"}),
        ("pay", {"to": {"prover": 1}, "amount": 2}),
    )
    drawn = made(draft, ("decide", {"by": "verifier", **AT})).spec
    assert [seat.argues for seat in drawn.seats] == ["A", "none", "none"]
    assert len(drawn.pay) == 1
    assert drawn.options["verdict"] == ("A", "B", "wait")


def test_until_both_agree():
    draft = made(
        Draft.blank(),
        *TWO_PROVERS,
        ("repeat", {"stage": 0, "times": 3}),
        ("until_agreed", {"stage": 0, "turn": 1, "target": "end"}),
    )
    assert dict(draft.spec.stages[0].turns[1].then) == {"end": "vote = agree and vote_2 = agree"}
    again = do(draft, "until_agreed", {"stage": 0, "turn": 1, "target": "end"})
    assert [c.name for c in again.draft.spec.choices] == ["vote", "vote_2"]
    # Another choice of a seat that agrees stays as it is.
    mood = {"title": "mood", "by": "prover", "options": ["good", "bad"]}
    both = made(
        again.draft,
        ("add_choice", mood),
        ("until_agreed", {"stage": 0, "turn": 1, "target": "end"}),
    )
    assert both.spec.options == {**again.draft.spec.options, "mood": ("good", "bad")}


def test_a_probability_with_a_proper_score():
    draft = made(Draft.blank(), *TWO_PROVERS, ("add_stage", {"stage": 1, "title": "end it"}))
    drawn = made(draft, ("probability", {"by": "verifier", "stage": 1, "turn": 0})).spec
    assert [*drawn.roles.estimates] == ["estimate"]
    amounts = [pay.amount for pay in drawn.pay]
    assert amounts == ["quadratic(estimate, truth = A)", "estimate / 100", "(100 - estimate) / 100"]


def test_a_budget_of_audits():
    draft = made(
        Draft.blank(),
        *TWO_PROVERS,
        ("audits", {"by": "verifier", "of": "prover", "stage": 0, "turn": 1, "budget": 2}),
        ("repeat", {"stage": 0, "times": 5}),
    )
    spec = draft.spec
    assert spec.option_limits == (("check", "audit", 2),)
    assert not spec.sees_choice("verifier", spec.choice("deed"), 0)
    assert play_to_the_end(spec, random.Random(1)) > 3
    assert {pay.at for pay in spec.pay} == {"check"}


def test_a_hidden_passage_with_quotes():
    spec = made(Draft.blank(), *TWO_PROVERS, ("hidden_passage", {"seat": "verifier"})).spec
    (part,) = spec.parts
    assert part.quotable
    assert dict(part.seen) == {"prover": "start", "prover_2": "start", "verifier": "end"}


@each("way", USUAL)
def test_usual_payments(way):
    draft = made(
        Draft.blank(),
        *TWO_PROVERS,
        ("add_stage", {"stage": 1}),
        ("answer", {"by": "verifier", "stage": 1, "turn": 0}),
    )
    if way == "score":
        assert "no estimate yet" in refused(draft, "usual_pay", {"way": way}).message
        draft = made(draft, ("probability", {"by": "verifier", "stage": 1, "turn": 0}))
        draft = made(draft, ("pay_nothing", {}))
    assert made(draft, ("usual_pay", {"way": way})).spec.pay


# -- ideas that a protocol has ---------------------------------------------------------------------

MADE = {
    "go on": ("decide", {"by": "verifier", **AT}),
    "agreement": ("until_agreed", {"stage": 0, "turn": 1}),
    "probability": ("probability", {"by": "verifier", **AT}),
    "budget": ("audits", {"by": "verifier", "of": "prover", "stage": 0, "turn": 1}),
    "hidden part": ("hidden_passage", {"seat": "verifier"}),
}


@each("idea", MADE)
def test_what_one_gesture_makes_is_recognised_and_removed_as_one(idea):
    draft = made(Draft.blank(), *TWO_PROVERS)
    drawn = made(draft, MADE[idea])
    (found,) = [each for each in ideas_of(drawn) if each.idea == idea]
    result = do(drawn, "drop_idea", {"idea": idea, "about": found.about[0]})
    assert result.refused is None
    assert idea not in {each.idea for each in ideas_of(result.draft)}
    assert result.words == f"no longer: {found.words}"
    if idea == "go on":
        assert result.draft.spec.pay == ()
        assert result.draft.spec.stages == draft.spec.stages
    refusal = refused(draft, "drop_idea", {"idea": idea, "about": "nothing"})
    assert "There is no idea" in refusal.message


@each("name", ALL)
def test_ideas_of_shipped_protocols_are_said_and_can_be_removed(name):
    draft = draft_of(name)
    for found in ideas_of(draft):
        assert found.words[0].islower() or found.words.split()[0] in ("Arthur", "Merlin", "Vera")
        do(draft, "drop_idea", {"idea": found.idea, "about": found.about[0]})


# -- the table -------------------------------------------------------------------------------------


def test_payments_are_a_table_that_reads_back():
    debate = draft_of("khan_debate")
    amounts = {"judge": [[2, 0], [-1, 3]], "alice": [[1, 1], ["1/2", 0]]}
    arguments = {"choices": ["verdict", "truth"], "amounts": amounts}
    draft = made(debate, ("pay_nothing", {}), ("pay_table", arguments))
    assert len(draft.spec.pay) == 4
    (table,) = pay_tables(draft)
    assert table.choices in (("truth", "verdict"), ("verdict", "truth"))
    cells = dict(zip(table.cells, table.amounts["judge"], strict=True))
    flipped = table.choices == ("truth", "verdict")
    assert cells["A", "B"] == (-1 if flipped else 0)
    assert cells["B", "B"] == 3
    # Setting it again changes nothing but the numbers.
    again = made(draft, ("pay_table", {**arguments, "amounts": {"judge": [[0, 0], [0, 1]]}}))
    assert len(again.spec.pay) == 1


def test_rules_of_other_forms_are_read_as_a_table():
    tables = pay_tables(draft_of("khan_debate"))
    assert [set(table.choices) for table in tables] == [{"truth", "verdict"}, {"verdict"}]
    assert {*tables[1].amounts["alice"]} == {Fraction(1), Fraction(-1)}
    plain = tables[1].to_plain()
    assert plain["amounts"]["bob"] == [[-1], [1]]


@each("name", ALL)
def test_tables_of_shipped_protocols_pay_the_same(name):
    draft = draft_of(name)
    for table in pay_tables(draft):
        if table.at != "end":
            continue
        plain = table.to_plain()
        keys = ("choices", "amounts", "at")
        result = do(draft, "pay_table", {key: plain[key] for key in keys})
        assert result.refused is None, result.refused
        known = {t.choices: t for t in pay_tables(result.draft) if t.at == "end"}
        new = known.get(table.choices)
        paid = {seat: own for seat, own in table.amounts.items() if any(own)}
        assert ({} if new is None else {s: o for s, o in new.amounts.items() if any(o)}) == paid
