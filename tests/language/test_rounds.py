"""Tests of rounds.py: the table of a protocol with one verdict, against all of its plays."""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nip_core import NipProtocol, protocol, protocol_spec
from nip_core.errors import UnsupportedError
from nip_core.language import Specification, from_version_1
from nip_core.language.rounds import Rounds
from nip_core.play import values_at_chances
from nip_core.spec import Schedule, Turn
from tests.depth import cases, each
from tests.language.one_verdict import PUBLISHED_ONES, WITH_MANY_PLAYS, plays_of, with_one_verdict
from tests.language.strategies import judged_documents
from tests.language.zoo import PATHS, PUBLISHED, VERSION_1, converted, published

chances = st.fractions(0, 1, max_denominator=5)


def compare(document, spec, numbers):
    found = values_at_chances(spec, **numbers)
    plays = list(plays_of(document, **numbers))
    for seat in document["seats"]:
        mean = sum(chance * paid[seat] for chance, _, paid, _ in plays)
        assert found.means[seat] == pytest.approx(mean, abs=1e-9)
    for label, share, rate in (
        (1, numbers["prior"], found.completeness),
        (0, 1 - numbers["prior"], found.soundness_error),
    ):
        accepted = sum(chance for chance, y, _, said in plays if (y, said) == (label, 1))
        assert accepted == share * rate
    assert found.undecided == sum(chance for chance, _, _, said in plays if said == 2)


numbers = st.fixed_dictionaries(
    dict.fromkeys(("prior", "decides", "accepts_true", "accepts_false"), chances)
)


@settings(max_examples=cases(150), deadline=None, suppress_health_check=list(HealthCheck))
@given(judged_documents(), numbers)
def test_random_protocols_agree_with_all_their_plays(document, chosen):
    compare(document, with_one_verdict(document), chosen)


@each("name", sorted(PUBLISHED_ONES - WITH_MANY_PLAYS))
def test_published_protocols_agree_with_all_their_plays(name):
    spec = published(name)
    compare(
        spec.to_dict(),
        spec,
        {
            "prior": Fraction(1, 4),
            "decides": Fraction(1, 2),
            "accepts_true": Fraction(3, 4),
            "accepts_false": Fraction(1, 8),
        },
    )


def test_what_no_specification_says_is_not_computed_from_it():
    variant = protocol("nip", zero_knowledge=True)
    own = type("Own", (NipProtocol,), {"_get_new_terminated_mask": lambda *_: None})
    for wrong in (variant, variant.spec, own):
        with pytest.raises(UnsupportedError, match=r"is worked out by nip_core\.values only"):
            values_at_chances(wrong)


@each("name", [name for name in PUBLISHED if name not in PUBLISHED_ONES])
def test_others_are_refused_with_what_to_use_instead(name):
    with pytest.raises(UnsupportedError, match=r"no protocol with one verdict: .*play_values"):
        Rounds.of(published(name))


def test_a_verdict_of_three_answers_is_refused():
    document = published("hostile").to_dict()
    for choice in document["choices"].values():
        choice["options"] = ["aye", "nay", "perhaps"]
    with pytest.raises(
        UnsupportedError, match=r"the verdict of the .* is not one of two answers, or"
    ):
        Rounds.of(Specification.from_dict(document))


@each("name", VERSION_1)
def test_repeated_rounds_are_as_those_written_one_by_one(name):
    """Repetitions that are alike are not walked through."""
    spec = converted(name)
    rounds = Rounds.of(spec)
    assert {len(turns) for turns in rounds.turns} == {spec.longest}
    kinds = {kind for turns in rounds.turns for kind in turns}
    assert kinds == {*range(len(rounds.kinds))}


def test_schedules_that_never_repeat_together_are_worked_out_one_by_one():
    """Their cycles have 101 and 103 rounds: together they repeat after 10,403."""
    asks, answers = Turn((("verifier", "main"),)), Turn((("prover", "main"),))
    cycles = [(asks, answers, *[asks] * (length - 2)) for length in (101, 103)]
    spec = protocol_spec("nip").replace(
        schedules=tuple(Schedule(cycle=cycle) for cycle in cycles), max_message_rounds=30_000
    )
    with pytest.raises(
        UnsupportedError,
        match="repeat themselves together only after 10,403 rounds; version 2 writes down at most",
    ):
        from_version_1(spec)
    rounds = protocol(spec).rounds
    for variant, schedule in enumerate(spec.schedules):
        alone = protocol(spec.replace(schedules=(schedule,))).rounds
        kinds = [rounds.kinds[number] for number in rounds.turns[variant]]
        for round_id, (kind, number) in enumerate(zip(kinds, alone.turns[0], strict=True)):
            assert kind.decides == spec.decision_counts(round_id, variant)
            assert rounds.phases[kind.phase] == alone.phases[alone.kinds[number].phase]


def test_a_million_rounds_are_not_walked_through():
    spec = protocol_spec("nip")
    many, few = (
        Rounds.of(from_version_1(spec.replace(max_message_rounds=rounds))).turns[0]
        for rounds in (1_000_000, 10)
    )
    assert len(many) == 1_000_000
    assert [*many[:9], many[-1]] == few


@each(
    ("act", "copy", "message"),
    [
        ('{ prover = { may_say = "main" } }', "", "a seat may leave its message out"),
        ('{ prover = "main", copy = { side = "main" } }', 'side = "everyone"', "are copied from"),
    ],
)
def test_what_no_protocol_in_rounds_does_is_refused(act, copy, message):
    text = PATHS["nip"].read_text("utf-8").replace('{ prover = "main" }', act)
    text = text.replace('main = "everyone"', f'main = "everyone"\n{copy}')
    with pytest.raises(UnsupportedError, match=message):
        Rounds.of(Specification.from_toml(text))
