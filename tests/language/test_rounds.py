"""Tests of rounds.py: the table of a protocol with one verdict, against all of its plays."""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from nip_core import protocol_spec
from nip_core.errors import UnsupportedError
from nip_core.language import from_version_1
from nip_core.language.rounds import Rounds
from nip_core.play import values_at_chances
from tests.depth import cases, each
from tests.language import reference
from tests.language.strategies import accepted, judged_documents
from tests.language.zoo import PUBLISHED, VERSION_1, converted, published

# Those of the published protocols that have one verdict.
WITH_ONE_VERDICT = {
    *("khan_consultancy", "khan_debate", "khan_debate_interactive", "khan_debate_sequential"),
    *("nip", "single_critique"),
}
chances = st.fractions(0, 1, max_denominator=5)


def rounds_of(document):
    try:
        return Rounds.of(accepted(document))
    except UnsupportedError:
        assume(False)


def verifier(prior, decides, accepts_true, accepts_false, verdict="verdict"):
    """Return how all play for the reference: a verifier with fixed probabilities."""

    def play(document):
        answers = document["choices"]["truth"]["options"]
        true = "accept" if "accept" in answers else answers[0]
        (false,) = {*answers} - {true}

        def of(name, options, registers, repeat):
            if name == "truth":
                return {true: prior, false: 1 - prior}
            if name != verdict:
                return reference.weighted(document, name, options, registers, repeat)
            waits = {o for o in options if o not in answers}
            asked = accepts_true if registers["truth"] == true else accepts_false
            accepts = Fraction(asked if false in options else 1) if true in options else Fraction(0)
            stops = Fraction(decides if waits else 1) if waits != {*options} else Fraction(0)
            found = {true: stops * accepts, false: stops * (1 - accepts)}
            return {o: found.get(o, 1 - stops) for o in options}

        return of

    return play


def by_all_plays(document, play):
    """Return means, and the probabilities to accept true and false statements and of no verdict."""
    answers = document["choices"]["truth"]["options"]
    true = "accept" if "accept" in answers else answers[0]
    of = play(document)
    share = of("truth", answers, {}, 1)
    means = dict.fromkeys(document["seats"], Fraction(0))
    accepted_if, none = dict.fromkeys(answers, Fraction(0)), Fraction(0)
    for truth in answers:
        known = {truth: Fraction(1)}

        def with_truth(name, options, registers, repeat, known=known):
            return known if name == "truth" else of(name, options, registers, repeat)

        for chance, _, paid, verdict in reference.plays(document, with_truth):
            for seat, amount in paid.items():
                means[seat] += share[truth] * chance * Fraction(amount)
            accepted_if[truth] += chance * (verdict == true)
            none += share[truth] * chance * (verdict not in answers)
    (false,) = {*answers} - {true}
    return means, accepted_if[true], accepted_if[false], none


def compare(document, spec, numbers):
    found = values_at_chances(spec, **numbers)
    means, right, wrong, none = by_all_plays(document, verifier(**numbers))
    assert (found.completeness, found.soundness_error, found.undecided) == (right, wrong, none)
    assert found.means == pytest.approx({k: float(v) for k, v in means.items()}, abs=1e-9)


numbers = st.fixed_dictionaries(
    dict.fromkeys(("prior", "decides", "accepts_true", "accepts_false"), chances)
)


@settings(max_examples=cases(150), deadline=None, suppress_health_check=list(HealthCheck))
@given(judged_documents(), numbers)
def test_random_protocols_agree_with_all_their_plays(document, chosen):
    rounds_of(document)
    compare(document, accepted(document), chosen)


@each("name", sorted(WITH_ONE_VERDICT))
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


@each("name", [name for name in PUBLISHED if name not in WITH_ONE_VERDICT])
def test_others_are_refused_with_what_to_use_instead(name):
    with pytest.raises(UnsupportedError, match=r"no protocol with one verdict: .*play_values"):
        Rounds.of(published(name))


@each("name", VERSION_1)
def test_repeated_rounds_are_as_those_written_one_by_one(name):
    """Repetitions that are alike are not walked through."""
    spec = converted(name)
    rounds = Rounds.of(spec)
    assert {len(turns) for turns in rounds.turns} == {spec.longest}
    kinds = {kind for turns in rounds.turns for kind in turns}
    assert kinds == {*range(len(rounds.kinds))}


def test_a_million_rounds_are_not_walked_through():
    spec = protocol_spec("nip")
    many, few = (
        Rounds.of(from_version_1(spec.replace(max_message_rounds=rounds))).turns[0]
        for rounds in (1_000_000, 10)
    )
    assert len(many) == 1_000_000
    assert [*many[:9], many[-1]] == few
