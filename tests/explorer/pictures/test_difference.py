"""One sentence says how two protocols differ."""

from explorer.pictures import difference_sentence
from nip_core import protocol


def test_a_changed_order_is_named():
    one, other = protocol("debate").spec, protocol("debate", sequential=True).spec
    assert difference_sentence(one, other, "the second") == (
        "In the second, the provers answer one after the other."
    )
    assert difference_sentence(other, one, "it") == "In it, the provers answer at once."
