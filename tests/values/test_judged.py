"""Tests of judged.py: values of protocols in stages, against all plays and the same in rounds."""

from collections import defaultdict
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nip_core import protocol, specification
from nip_core.errors import UnsupportedError
from nip_core.language import Specification, from_version_1
from nip_core.values import best_mechanism, exact_values, random_play, simple_play
from tests.depth import cases
from tests.language.one_verdict import plays_of, with_one_verdict
from tests.language.strategies import judged_documents
from tests.strategies import specs

SLOW = list(HealthCheck)
NAMES = ("prior", "decides", "accepts_true", "accepts_false")
chances = st.fixed_dictionaries(dict.fromkeys(NAMES, st.fractions(0, 1, max_denominator=5)))
inner = st.fixed_dictionaries(
    dict.fromkeys(NAMES, st.fractions(Fraction(1, 5), Fraction(4, 5), max_denominator=5))
)


def law_of(plays, seat):
    """Return the distribution of a seat's total over plays."""
    found = defaultdict(Fraction)
    for chance, _, paid, _ in plays:
        found[round(float(paid[seat]), 6)] += chance
    return {total: float(chance) for total, chance in found.items() if chance}


def exact_law(values, seat):
    law, found = values.distribution(seat), defaultdict(float)
    for total, chance in zip(law.values.tolist(), law.probabilities.tolist(), strict=True):
        found[round(total, 6) + 0.0] += chance
    return {total: chance for total, chance in found.items() if chance > 1e-12}


@settings(max_examples=cases(100), deadline=None, suppress_health_check=SLOW)
@given(judged_documents(), chances)
def test_distributions_are_those_of_all_plays(document, numbers):
    spec = with_one_verdict(document)
    plays = list(plays_of(document, **numbers))
    try:
        values = exact_values(spec, simple_play(spec, **numbers))
    except UnsupportedError as error:
        assert "ways of going on are paid differently" in str(error)  # noqa: PT017
        return
    for seat in spec.seat_names:
        assert exact_law(values, seat) == pytest.approx(law_of(plays, seat), abs=1e-9)
    said = [float(sum(c for c, _, _, verdict in plays if verdict == n)) for n in range(3)]
    assert [*values.verdicts.values()] == pytest.approx(said, abs=1e-9)
    right = float(sum(chance for chance, label, _, verdict in plays if label == verdict))
    assert values.right == pytest.approx(right, abs=1e-9)


def same(one, other):
    """Compare what two computations return, unless the first one is refused."""
    try:
        wanted = one()
    except UnsupportedError:
        return
    assert other() == wanted


@settings(max_examples=cases(8), deadline=None, suppress_health_check=SLOW)
@given(specs(), st.booleans())
def test_a_protocol_in_rounds_has_the_same_commitments_in_stages(spec, pessimistic):
    signals = {"prover_accuracy": Fraction(4, 5), "verifier_accuracy": Fraction(3, 5)}

    def best(given):
        found = best_mechanism(given, pessimistic=pessimistic, **signals)
        return found.value, found.at_most, found.safe_value

    staged = from_version_1(spec)
    same(lambda: best(spec), lambda: best(staged))


MUST = """
name = "must"
verdict = "verdict"
[seats]
ann = { argues = "A" }
judge = "Judge"
[channels]
floor = "everyone"
[choices]
truth = { by = "task", options = ["A", "B"] }
verdict = { by = "judge", options = ["A", "B"] }
[[stages]]
name = "talk"
turns = [{ ann = "floor" }, { judge = { choose = "verdict" } }]
[[pay]]
to = { judge = 3, ann = 1 }
amount = 1
when = "verdict = truth"
[[pay]]
to = { ann = 2 }
amount = 1
when = "verdict = A"
"""


def test_where_it_must_decide_it_does():
    spec = Specification.from_toml(MUST)
    values = exact_values(spec, simple_play(spec, decides=0, accepts_true=0.8, accepts_false=0.4))
    assert values.verdicts == pytest.approx({"B": 0.4, "A": 0.6, "none": 0})
    assert values.mean("judge") == pytest.approx(3 * 0.7)
    # Of a model that never decides, nothing is known: both answers are equally likely.
    silent = random_play(spec).decide * 0 + [0, 0, 1]
    model = type(random_play(spec))(silent)
    assert exact_values(spec, model).verdicts == pytest.approx({"B": 0.5, "A": 0.5, "none": 0})
    best = best_mechanism(spec, pessimistic=True, prover_accuracy=1, verifier_accuracy=0.8)
    assert all(sum(stops) == 1 for stops in best.stops.values())


def test_in_later_turns_it_is_known_to_have_waited():
    text = MUST.replace('"judge", options = ["A", "B"]', '"judge", options = ["A", "B", "wait"]')
    text = text.replace(
        '{ choose = "verdict" } }]',
        '{ choose = "verdict" }, then = { end = "verdict != wait" } }, { ann = "floor" }]',
    )
    spec = Specification.from_toml(text.replace('when = "verdict = A"', 'when = "verdict = wait"'))
    play = simple_play(spec, decides=0.25, accepts_true=1, accepts_false=1)
    # Ann gets 2 if it has waited, and 1 if it has said A and that is true.
    assert exact_values(spec, play).mean("ann") == pytest.approx(0.75 * 2 + 0.25 / 2)


def test_commitments_need_fixed_sides():
    verdict = 'verdict = { by = "judge", options = ["A", "B"] }'
    drawn = MUST.replace(verdict, verdict + '\nside = { by = "chance", options = ["A", "B"] }')
    spec = Specification.from_toml(drawn.replace("verdict = truth", "verdict = side"))
    with pytest.raises(UnsupportedError, match="commitments are computed for fixed sides"):
        best_mechanism(spec, pessimistic=False)


def test_a_plain_protocol_has_the_values_of_its_handler():
    spec = specification("nip")
    by_stages = exact_values(spec, random_play(spec))
    by_rounds = exact_values(protocol(spec), random_play(protocol(spec)))
    for seat in spec.seat_names:
        assert by_stages.mean(seat) == pytest.approx(by_rounds.mean(seat))
