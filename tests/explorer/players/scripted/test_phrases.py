"""Kinds of questions are near by their words, and told apart by cues."""

from explorer.players.scripted.phrases import folded, intents, is_foreign, likeness


def test_each_phrase_is_nearest_to_its_own_kind():
    names = [each.name for each in intents()]
    for text, name in (("how sure are you", "certain"), ("walk me through it", "trace")):
        near, cued = likeness(text)
        assert max(names, key=near.__getitem__) == name
        assert name in cued


def test_spaces_and_stops_do_not_matter_and_other_languages_are_known():
    assert folded("Is it so?") == folded("is  it so.")
    assert is_foreign("Was gibt es zurück, wenn die Liste leer ist?")
    assert not is_foreign("What is it?")
