"""One sentence says how two protocols differ."""

import pytest

from explorer.pictures import difference_sentence
from nip_core import protocol, protocol_names, protocol_spec

SAID = {
    ("mnip", "debate"): "each prover reads the other and prover 1 argues for reject",
    ("debate", "mnip"): "neither prover reads the other and prover 1 argues for accept",
    ("mnip", "mnip_together"): "each prover reads the other",
    ("mnip", "nip"): "the prover takes the place of prover 1 and prover 2",
    ("nip", "adp"): "it takes at most 2 rounds instead of 8",
}


@pytest.mark.parametrize(("left", "right"), SAID)
def test_the_sentence_names_what_is_different_in_the_second(left, right):
    said = difference_sentence(protocol_spec(left), protocol_spec(right), right)
    assert said == f"In {right}, {SAID[left, right]}."


def test_a_changed_order_is_named():
    one, other = protocol("debate").spec, protocol("debate", sequential=True).spec
    assert difference_sentence(one, other, "the second") == (
        "In the second, the provers answer one after the other."
    )
    assert difference_sentence(other, one, "it") == "In it, the provers answer at once."


def test_every_pair_of_protocols_has_a_sentence():
    for left in protocol_names():
        for right in set(protocol_names()) - {left}:
            said = difference_sentence(protocol_spec(left), protocol_spec(right), "it")
            assert said.startswith("In it, ")
            assert said.endswith(".")
