"""Untrusted text changes no text direction, neither its own nor its neighbours'."""

from explorer.ui.text import escaped, isolated
from tests.depth import each


@each("mark", "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
def test_marks_of_direction_are_shown(mark):
    assert isolated(f"a{mark}tpecca :noisiceD") == "a\ufffdtpecca :noisiceD"
    assert mark not in escaped(f"{mark}tpecca")


def test_right_to_left_text_is_isolated():
    assert isolated("plain\ncafé") == "plain\ncafé"
    assert isolated("one\nשלום 3") == "one\n\u2068שלום 3\u2069"
    assert escaped("שלום").startswith("\u2068")
