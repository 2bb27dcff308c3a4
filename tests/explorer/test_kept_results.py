"""Results that are kept for all visitors are limited by their bytes."""

from explorer.choice.sources import _read_now
from explorer.kept_results import KeptResults, held_by
from nip_core.errors import NipError
from tests.language.hostile import document, fill, say


def test_a_result_is_made_once_and_the_oldest_make_room():
    made = []

    def make(key):
        made.append(key)
        return "x" * 1_000

    kept = KeptResults(4_000)
    for key in ("a", "b", "a", "c", "a", "b"):
        assert kept.get(key, lambda key=key: make(key)) == "x" * 1_000
        assert kept.size <= 4_000
    # Three have room, "b" is the one that was not used for longest when "d" comes.
    assert made == ["a", "b", "c"]
    kept.get("d", lambda: make("d"))
    assert len(kept) == 3
    kept.get("c", lambda: make("c"))
    assert made == ["a", "b", "c", "d", "c"]
    kept.clear()
    assert (len(kept), kept.size) == (0, 0)


def test_what_is_too_large_is_not_kept():
    kept = KeptResults(1_000)
    kept.get("small", lambda: "x")
    assert kept.get("large", lambda: "x" * 2_000) == "x" * 2_000
    assert len(kept) == 1


def test_a_refusal_does_not_keep_the_document():
    text = document(fill(300, lambda i: say(f"power(0.99,1000)*power(0.98,{i})<power(0.9,900)")))
    refused = _read_now(text)
    assert isinstance(refused, NipError)
    assert held_by(refused, 10**6) < 5_000 + 1_000 * len(refused.mistakes)
