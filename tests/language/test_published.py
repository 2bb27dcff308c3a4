"""Tests of the documents in nip_core/language/protocols: texts, length, incentives."""

import re
from pathlib import Path

import pytest

import nip_core
from explorer.ui.protocol_families import FAMILIES
from nip_core import published_names, specification
from nip_core.language import Habit, load_specification
from nip_core.registry import published_document
from nip_core.values import play_values
from tests.depth import each, first
from tests.language.best_replies import never_best

NAMES = published_names()

ESTIMATED = {
    "errs": "right pays nothing: it is for estimates of which none is wrong",
    "leaf": "the judge is not paid: its word is the truth",
}
# Options that are a best reply to nothing, and why they are there.
NEVER_BEST = {
    "doubly_efficient_debate": {"ruling": "the verifier is not paid: its word is the truth"},
    "examined_debate": {"asked": "what an answer is worth depends on its words"},
    "jury": dict.fromkeys(("vote1", "vote2", "vote3"), "a guess is never worse than undecided"),
    "market_making": {"belief": "the person is not paid: its belief is what is predicted"},
    "peer_prediction": {"target": "the peer is paid where it is the participant"},
    "prover_estimator": ESTIMATED,
    "prover_estimator_recursive": ESTIMATED,
}
# Remarks that are meant: what somebody learns from what is hidden is the point of the protocol.
REMARKED = {
    "pixel_debate": ["value-tells"],
    "set_size": ["value-tells"],
    "three_colouring": ["value-tells"],
    "untrusted_monitoring": ["draw-tells"],
}
# The most lines without empty ones and without texts for people.
MOST_LINES = 40


def always(**options):
    """Return habits of choices that are always made in the same way."""
    return [Habit(name, {option: 1}) for name, option in options.items()]


def paid(name, habits=(), settings=None, **options):
    spec = specification(name, **(settings or {}))
    return play_values(spec, [*habits, *always(**options)], plays=0).means


# -- texts and length ------------------------------------------------------------------------------


@each("name", NAMES)
def test_texts_are_complete_and_nothing_is_remarked_on(name):
    spec = specification(name)
    assert {remark.code for remark in spec.lint()} == {*REMARKED.get(name, ())}
    assert spec.source
    assert spec.family
    assert spec.simplified
    assert len(re.findall(r"[.?](?:\s|$)", spec.about)) >= 2


@each("name", NAMES)
def test_a_document_is_short(name):
    texts = r'(?ms)^(about|simplified) = """.*?"""$|^\[titles\]$.*?(?=^\[)'
    text = re.sub(texts, "", published_document(name))
    lines = [line for line in text.splitlines() if line.strip()]
    rules = [line for line in lines if not re.match("(name|title|titles|source|family) = ", line)]
    assert len(rules) <= MOST_LINES


def table_of_families():
    """Return the table in docs/reference/language.md."""
    rows = ["| family | published protocols |", "| --- | --- |"]
    for family in FAMILIES:
        names = [f"`{name}`" for name in NAMES if specification(name).family == family]
        rows.append(f"| {family} | {', '.join(names)} |")
    return "\n".join(rows) + "\n"


def test_the_documentation_lists_all():
    page = Path(nip_core.__file__).parents[1] / "docs" / "reference" / "language.md"
    assert table_of_families() in page.read_text("utf-8")


# -- incentives ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", first(3, NAMES))
def test_each_option_is_a_best_reply_to_some_habits_of_the_others(name):
    known = {*NEVER_BEST.get(name, {})}
    assert {*never_best(name, known)} == known, "repair the pay, or write down the reason"


def test_an_audit_costs_nothing_but_the_budget():
    """A clean step that is audited is worth what it is worth without, and more than another's."""
    runs, replaced, audited = (
        paid(
            "trusted_monitor", settings={"steps": 1}, suspicion=0,
            intent="harmless", action=action, finding="clean",
        )["monitor"]
        for action in ("run", "replace", "audit")
    )  # fmt: skip
    assert audited == runs > replaced
    # An attack that is found is worth more than one that was replaced.
    caught, replaced, missed = (
        paid("trusted_monitor", suspicion=100, intent="harmful", action=action, finding="harm")
        for action in ("audit", "replace", "run")
    )
    assert caught["untrusted"] < 0 < replaced["untrusted"] < missed["untrusted"]
    assert missed["monitor"] < 0 < caught["monitor"]


def test_an_auditor_who_overlooks_an_attack_is_not_better_than_none():
    overlooked, ran = (
        paid("trusted_monitor", settings={"steps": 1}, intent="harmful", suspicion=0, **how)
        for how in ({"action": "audit", "finding": "clean"}, {"action": "run"})
    )
    assert overlooked == ran


# -- the course of play ----------------------------------------------------------------------------


@each("name", NAMES)
def test_a_judge_that_writes_is_answered(name):
    """Open consultancies ended with a message of the judge to which nobody could answer."""
    spec = specification(name)
    judges = {*spec.roles.deciders}
    turns = [turn.acts for _, _, turn in spec.places()]
    asks = [
        n
        for n, acts in enumerate(turns)
        for a in acts
        if a.say and not a.choose and a.seat in judges
    ]
    others = [n for n, acts in enumerate(turns) for a in acts if a.seat not in judges]
    assert not asks or max(asks) < max(others)


def test_a_judge_writes_no_more_than_in_the_papers_code():
    for name in ("michael_debate", "michael_consultancy"):
        (most,) = [limit.most for limit in specification(name).limits if limit.seat == "judge"]
        assert most == 500


# -- the seat that decides -------------------------------------------------------------------------


def test_a_seat_that_argues_does_not_decide():
    """A prover whose claims the rules check was taken for the verifier, and got its colour."""
    document = {
        "name": "checked",
        "verdict": "accept if low + high = 2 else reject",
        "seats": {"prover": {"argues": "accept"}, "verifier": {}},
        "choices": {
            "truth": {"by": "task", "options": ["reject", "accept"], "seen": ["prover"]},
            "high": {"by": "verifier", "options": [0, 1], "seen": "everyone"},
            "low": {"by": "prover", "options": [0, 1], "seen": "everyone"},
        },
        "stages": [
            {
                "name": "all",
                "turns": [{"verifier": {"choose": ["high"]}}, {"prover": {"choose": ["low"]}}],
            }
        ],
    }
    assert load_specification(document).roles.deciders == ("verifier",)
    document["verdict"] = "accept if low = 1 else reject"
    assert load_specification(document).roles.deciders == ()
