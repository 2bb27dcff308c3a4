"""Tests of plain_play.py: exact values without numpy, beside those of arrays."""

import subprocess
import sys

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nip_core.budget import Budget
from nip_core.errors import ModelError, TooLargeError, UnsupportedError
from nip_core.language import Habit
from nip_core.registry import protocol_names, published_names, specification
from nip_core.values import plain_values, play_values
from tests.depth import cases, each
from tests.language.strategies import accepted, documents
from tests.values.test_given_play import habits


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
def test_random_documents_have_the_values_of_arrays(data):
    document = data.draw(documents())
    drawn = [Habit(**habit) for habit in data.draw(habits(document))]
    spec = accepted(document)
    try:
        arrays = play_values(spec, drawn, plays=0)
    except (ModelError, UnsupportedError):
        assume(False)
    check_equal(plain_values(spec, drawn), arrays)


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
