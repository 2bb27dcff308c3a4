"""Tests of mutations.py: changes to try on any protocol."""

import random

from nip_core.editing import GESTURES, MUTATIONS, do, mutations_of, template
from tests.depth import each
from tests.editing.at_random import ALL, play_to_the_end
from tests.editing.steps import draft_of, made, refused


def test_there_are_at_least_ten_and_each_is_a_gesture():
    assert len(MUTATIONS) >= 10
    assert {*MUTATIONS} <= {*GESTURES}


@each("name", ALL)
def test_each_says_what_it_changes_or_why_it_has_no_sense(name):
    draft = draft_of(name)
    for mutation in mutations_of(draft):
        result = do(draft, mutation.gesture)
        if result.refused is not None:
            assert mutation.reason == result.refused.message
            # A reason of its own, not a mistake in what would come of it.
            assert not result.refused.mistakes, (name, mutation)
        else:
            assert mutation.words == result.words
            if result.draft.spec.longest <= 100:
                play_to_the_end(result.draft.spec, random.Random(name))


def argued(spec):
    return [seat.argues for seat in spec.seats]


def test_add_a_critic():
    spec = made(draft_of("khan_consultancy"), ("add_critic", {})).spec
    assert spec.seat_names == ("consultant", "critic", "judge")
    assert spec.stages[0].turns[1].acts[0].seat == "critic"


def test_let_the_judge_ask_and_ask_only_once():
    draft = made(template("debate").draft, ("let_the_judge_ask", {}))
    assert [act.seat for act in draft.spec.stages[0].turns[0].acts] == ["judge"]
    once = made(draft, ("ask_only_once", {})).spec
    assert once.stages[0].turns[0].acts[0].when == "repeat = 1"


def test_walls_between_provers_and_back():
    debate = template("debate").draft
    apart = made(debate, ("separate_the_provers", {}))
    assert "do not read each other" in refused(apart, "separate_the_provers").message
    for channel in apart.spec.channels:
        assert not {"debater_a", "debater_b"} <= {*dict(channel.seen)}
    again = made(apart, ("let_the_provers_read_each_other", {})).spec
    for channel in again.channels:
        assert {"debater_a", "debater_b", "judge"} == {*dict(channel.seen)}


def test_debate_with_a_wall_reads_as_mnip():
    apart = made(draft_of("debate"), ("separate_the_provers", {})).spec
    mnip = draft_of("mnip").spec
    assert [dict(c.seen) for c in apart.channels] == [dict(c.seen) for c in mnip.channels]
    assert apart.stages == mnip.stages
    back = made(draft_of("mnip"), ("let_the_provers_read_each_other", {})).spec
    debate = draft_of("debate").spec
    assert [dict(c.seen) for c in back.channels] == [dict(c.seen) for c in debate.channels]


def test_chance_picks_the_liar():
    spec = made(template("debate").draft, ("let_chance_pick_the_liar", {})).spec
    assert argued(spec) == ["side", "other(side)", "none"]
    assert spec.roles.dealt == "side"
    assert not spec.sees_choice("judge", spec.choice("side"), 0)


def test_stop_once_they_agree():
    spec = made(template("debate").draft, ("stop_once_they_agree", {})).spec
    assert dict(spec.stages[0].turns[0].then) == {"judgement": "vote = agree and vote_2 = agree"}


def test_a_jury_decides_by_majority():
    spec = made(template("debate").draft, ("make_it_a_jury", {"count": 5})).spec
    assert spec.verdict.startswith("majority(")
    assert len(spec.seats) == 7


def test_judging_by_probability():
    spec = made(template("debate").draft, ("judge_by_probability", {})).spec
    assert [*spec.roles.estimates] == ["estimate"]
    assert [choice.name for choice in spec.choices] == ["truth", "estimate"]


@each("name", ["hide_the_passage", "limit_the_words", "one_after_the_other"])
def test_others(name):
    draft = template("debate").draft
    assert made(draft, (name, {})).spec != draft.spec
