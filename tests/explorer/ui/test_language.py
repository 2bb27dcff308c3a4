"""Which language a visitor reads: their own choice, the room's, or their browser's."""

import streamlit as st

from explorer.languages import COOKIE
from explorer.ui import language
from tests.depth import each


@each(
    ("chosen", "of_room", "browser", "reads"),
    [
        ("es", "de", "en-US", "es"),
        (None, "de", "en-US", "de"),
        (None, "", "de-AT", "de"),
        (None, None, "fr-FR", "en"),
        (None, None, None, "en"),
        ("xx", "<b>", "es", "es"),
    ],
)
def test_the_nearest_choice_counts(monkeypatch, chosen, of_room, browser, reads):
    class Context:
        cookies = {} if chosen is None else {COOKIE: chosen}
        locale = browser

    monkeypatch.setattr(st, "context", Context)
    monkeypatch.setattr(st, "session_state", {})
    if of_room is not None:
        language.follow_room(of_room)
    assert language.own_language() == reads
