"""Transcripts of version 2 say who can read what, in agreement with the views."""

import copy
import random

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import Episode, published_names, specification
from nip_core.errors import NipError, TranscriptError
from nip_core.language import Specification
from nip_core.transcript import dump, load, transcript_schema
from tests.depth import cases, each
from tests.language.strategies import documents
from tests.play.turn_players import begun, play_on


def read_by(positions, place, seat):
    """Return all that a seat can read at a position, according to the transcript alone."""
    parts, messages, choices, values = set(), [], [], []
    while place is not None:
        new = positions[place]["reads"][seat]
        parts |= {*new.get("parts", [])}
        messages += map(tuple, new.get("messages", []))
        choices += map(tuple, new.get("choices", []))
        values += map(tuple, new.get("values", []))
        place = positions[place]["parent"]
    assert len(messages) == len({*messages})
    assert len(choices) == len({*choices})
    assert len(values) == len({*values})
    return parts, {*messages}, {*choices}, {*values}


def check(episode):
    document = dump(episode)
    jsonschema.validate(document, transcript_schema(2))
    positions = document["positions"]
    for node in episode.nodes:
        line = episode.path(node.id)
        for seat in episode.rules.seat_names:
            view = episode.view_for(seat, node.id)
            parts, messages, choices, values = read_by(positions, node.id, seat)
            assert parts == {*view.parts}
            seen = [
                (after.id, each.sender, each.channel, *(["copied"] if each.copied else []))
                for after, turn in zip(line[1:], view.rounds, strict=True)
                for each in turn.messages
            ]
            named = {s.name for s in episode.rules.seats if not s.anonymous or s.name == seat}
            assert {m for m in messages if m[1] in named} == {m for m in seen if m[1] is not None}
            assert len(messages) == len(seen)
            made = {(line[n + 1].id, c) for n, turn in enumerate(view.rounds) for c in turn.choices}
            assert choices == made | {(0, fact) for fact in view.facts}
            told = {(line[n + 1].id, v) for n, turn in enumerate(view.rounds) for v in turn.values}
            assert values == told | {(0, value) for value in view.values}


@given(documents(), st.integers(0, 1_000))
@settings(max_examples=cases(120), deadline=None)
def test_reads_add_up_to_the_views(document, seed):
    try:
        episode, rng = begun(Specification.from_dict(document), seed)
    except NipError:
        return
    play_on(episode, rng)
    if len(episode.nodes) > 2:
        episode.goto(rng.choice(episode.nodes[:-1]).id)
        play_on(episode, rng)
    check(episode)


@each("name", published_names())
def test_reads_of_published_protocols_add_up_to_the_views(name):
    episode, rng = begun(specification(name), 3)
    play_on(episode, rng)
    check(episode)


def test_simultaneous_speeches_are_read_after_both_and_a_hidden_passage_at_the_end():
    episode = Episode(
        "khan_debate", {"question": "?", "answers": "A. B.", "passage": "p", "truth": "A"}, 1
    )
    play_on(episode, random.Random(1))
    reads = [position["reads"] for position in dump(episode)["positions"]]
    assert reads[0]["judge"] == {"parts": ["question", "answers"]}
    for turn in (1, 2, 3):
        both = [[turn, "alice", "debate"], [turn, "bob", "debate"]]
        assert all(reads[turn][seat] == {"messages": both} for seat in ("alice", "bob", "judge"))
    assert reads[4]["judge"]["parts"] == ["passage"]
    assert [0, "truth"] in reads[4]["judge"]["choices"]


def test_an_older_transcript_is_read_and_one_that_lies_about_readers_is_not():
    episode, rng = begun(specification("michael_debate", rounds=1), 2)
    play_on(episode, rng)
    document = dump(episode)
    older = copy.deepcopy(document)
    for position in older["positions"]:
        del position["reads"]
    assert load(older).nodes == episode.nodes
    document["positions"][0]["reads"]["judge"]["parts"].append("passage")
    with pytest.raises(TranscriptError, match=r"positions\[0\]\.reads"):
        load(document)
