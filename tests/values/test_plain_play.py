"""Tests of plain_play.py: exact values without numpy, beside arrays and the list of all plays."""

import subprocess
import sys

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nip_core.budget import Budget
from nip_core.errors import SpecError, TooLargeError
from nip_core.language import Habit, Specification
from nip_core.registry import protocol_names, published_names, specification
from nip_core.values import plain_values, play_values
from tests.depth import cases, each
from tests.language import reference
from tests.language.strategies import documents
from tests.language.zoo import in_full
from tests.values.test_given_play import habits, slow_chances, slow_values


def laws_of(values):
    """Return each seat's distribution, and that of the number of turns."""
    laws = {**values.pay, "the number of turns": values.lengths}
    return {name: [*zip(law.values, law.probabilities, strict=True)] for name, law in laws.items()}


def check_equal(plain, arrays):
    assert plain.verdicts == arrays.verdicts
    assert plain.right == arrays.right
    assert plain.turns == arrays.turns
    one, two = laws_of(plain), laws_of(arrays)
    assert one.keys() == two.keys()
    for name, law in one.items():
        if name in arrays.rounded:
            # Scores are floats, of which the sums are rounded on arrays.
            mean, variance = float(plain.means[name]), float(plain.variances[name])
            assert mean == pytest.approx(arrays.means[name])
            assert variance == pytest.approx(arrays.variances[name], abs=1e-12)
        else:
            assert law == two[name]


# Of the published ones, every third.
@each("name", [*protocol_names(), "jury", *published_names()[::3]])
def test_shipped_protocols_have_the_values_of_arrays(name):
    try:
        with Budget(5_000):
            plain = plain_values(specification(name))
    except TooLargeError:
        assert name not in ("nip", "mnip", "jury")
        return
    check_equal(plain, play_values(plain.spec, plays=0))


@settings(max_examples=cases(30), deadline=None)
@given(st.data())
def test_random_documents_have_the_values_of_all_their_plays(data):
    document = data.draw(documents())
    given_habits = data.draw(habits(document))
    for habit in given_habits:
        habit.pop("stage", None)
    try:
        spec = Specification.from_dict(document)
        slow = slow_values(in_full(spec), slow_chances(in_full(spec), given_habits))
        found = plain_values(spec, [Habit(**habit) for habit in given_habits])
    except (SpecError, reference.TooManyPlaysError):
        assume(False)
    laws, means, variances, verdicts = slow
    assert {verdict: float(chance) for verdict, chance in found.verdicts.items()} == pytest.approx(
        {verdict: float(chance) for verdict, chance in verdicts.items()}
    )
    assert float(found.turns) == pytest.approx(float(means["turns"]))
    for seat, law in found.pay.items():
        assert float(law.mean) == pytest.approx(float(means[seat]), abs=1e-9)
        assert float(law.variance) == pytest.approx(float(variances[seat]), abs=1e-9)
        if not any(isinstance(amount, float) for amount in laws[seat]):
            known = {amount: chance for amount, chance in laws[seat].items() if chance}
            assert dict(zip(law.values, law.probabilities, strict=True)) == known


def test_no_compiled_package_is_imported():
    program = (
        "import sys\n"
        "from nip_core.registry import protocol_names, published_names, specification\n"
        "from nip_core.values import plain_values\n"
        "plain_values(specification('khan_debate'))\n"
        "print([name for name in ('numpy', 'scipy', 'torch') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
