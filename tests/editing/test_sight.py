"""Tests of sight.py, removing.py: who sees what, and what goes with something that is removed."""

from nip_core.editing import Draft, do
from tests.depth import each
from tests.editing.at_random import ALL
from tests.editing.steps import AT, TWO_PROVERS, draft_of, made


def seen(draft, channel):
    return dict(draft.spec.channel(channel).seen)


def test_a_seat_that_no_longer_reads_a_channel_does_not_write_on_it():
    draft = made(Draft.blank(), *TWO_PROVERS)
    arguments = {"kind": "channel", "name": "main", "seat": "prover", "since": None}
    result = do(draft, "see", arguments)
    assert result.also == ("The prover no longer writes on “main”.",)
    assert [act.seat for act in result.draft.spec.stages[0].turns[1].acts] == ["prover_2"]
    # Writing on it lets it read it again.
    again = do(result.draft, "write", {"seat": "prover", "channel": "main", "stage": 0, "turn": 1})
    assert again.also == ("The prover now reads “main”, too.",)


def test_everyone_stays_everyone():
    draft = made(Draft.blank(), *TWO_PROVERS, ("add_seat", {"title": "Critic"}))
    assert draft.document["channels"]["main"]["seen"] == "everyone"
    assert "critic" in seen(draft, "main")


def test_a_wall_splits_a_channel_and_others_write_on_both():
    draft = made(Draft.blank(), *TWO_PROVERS, ("wall", {"one": "prover", "other": "prover_2"}))
    assert {*seen(draft, "main_prover")} == {"prover", "verifier"}
    assert {*seen(draft, "main_prover_2")} == {"prover_2", "verifier"}
    (act,) = draft.spec.stages[0].turns[0].acts
    assert act.say == ("main_prover", "main_prover_2")


def test_what_was_seen_from_a_removed_stage_on_is_seen_from_the_next_one_on():
    draft = made(
        Draft.blank(),
        *TWO_PROVERS,
        ("add_stage", {"stage": 1, "title": "second"}),
        ("add_stage", {"stage": 2, "title": "third"}),
        ("see", {"kind": "channel", "name": "main", "seat": "verifier", "since": "second"}),
        ("remove", {"kind": "stage", "name": "second"}),
    )
    assert seen(draft, "main")["verifier"] == "third"


def test_removing_a_choice_removes_what_is_about_it():
    draft = made(Draft.blank(), *TWO_PROVERS, ("decide", {"by": "verifier", **AT}))
    result = do(draft, "remove", {"kind": "choice", "name": "verdict"})
    spec = result.draft.spec
    assert spec.verdict == "none"
    assert spec.pay == ()
    assert spec.stages[0].turns[0].then == ()
    (act,) = spec.stages[0].turns[0].acts
    assert (act.choose, act.silent) == ((), "false")
    assert "There is no verdict any more." in result.also
    assert "5 payments went, too." in result.also


def test_a_new_field_of_documents_is_followed_without_new_code():
    from nip_core.editing.naming import renamed
    from nip_core.editing.removing import without

    document = {**draft_of("khan_debate").document, "knowing": ["alice", "bob"]}
    assert renamed(document, "seat", "bob", "ben")["knowing"] == ["alice", "ben"]
    assert without(document, "seat", "bob")[0]["knowing"] == ["alice"]
    assert "knowing" not in without(without(document, "seat", "bob")[0], "seat", "alice")[0]


@each("name", ALL)
def test_everything_can_be_removed_or_says_why_not(name):
    draft = draft_of(name)
    for kind in ("seat", "part", "channel", "choice", "value", "setting", "stage"):
        section = "stages" if kind == "stage" else f"{kind}s"
        things = draft.document.get(section, {})
        names = [stage["name"] for stage in things] if kind == "stage" else [*things]
        for thing in names:
            result = do(draft, "remove", {"kind": kind, "name": thing})
            if result.refused is not None:
                assert result.refused.mistakes or "at least one" in result.refused.message


@each("name", ALL)
def test_everything_can_be_renamed(name):
    draft = draft_of(name)
    for kind in ("seat", "part", "channel", "choice", "value", "setting"):
        for thing in draft.document.get(f"{kind}s", {}):
            result = do(draft, "rename", {"kind": kind, "name": thing, "new": "zz"})
            assert result.refused is None, (kind, thing, result.refused)
            back = do(result.draft, "rename", {"kind": kind, "name": "zz", "new": thing})
            if back.refused is None:
                assert back.draft.document == draft.document
