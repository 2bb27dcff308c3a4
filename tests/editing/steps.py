"""Gestures one after the other, in tests."""

from functools import cache

from nip_core import specification
from nip_core.editing import Draft, apply, do


@cache
def draft_of(name):
    return Draft.of(specification(name))


def made(draft, *steps):
    """Make gestures, each a name with its arguments; none may be refused."""
    for name, arguments in steps:
        result = do(draft, name, arguments)
        assert result.refused is None, (name, arguments, result.refused)
        back, _ = apply(result.draft.document, result.back)
        assert back == draft.document
        draft = result.draft
    return draft


def refused(draft, name, arguments=None):
    """Return why a gesture is refused."""
    result = do(draft, name, arguments or {})
    assert result.refused is not None, (name, arguments)
    assert result.draft is draft
    return result.refused


AT = {"stage": 0, "turn": 0}
# Two seats that write at once, and one that asks.
TWO_PROVERS = (
    ("add_channel", {"title": "Main"}),
    ("add_seat", {"title": "Prover"}),
    ("add_seat", {"title": "Prover"}),
    ("write", {"seat": "verifier", "channel": "main", **AT}),
    ("add_turn", {"stage": 0, "turn": 1}),
    ("write", {"seat": "prover", "channel": "main", "stage": 0, "turn": 1}),
    ("write", {"seat": "prover_2", "channel": "main", "stage": 0, "turn": 1}),
)
