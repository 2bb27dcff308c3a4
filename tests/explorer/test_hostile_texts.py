"""No text from an address, a title, a tag, a file or a model's service is markdown on any page."""

import re

import pytest

from nip_core import Episode, HyperParameters, bundled_tasks
from nip_core.play import Move, Seated
from tests.depth import FULL, exhaustive, first
from tests.explorer.players.misbehaving import ModelServer
from tests.hostile_texts import HOSTILE, LINKS, PICTURES

# What a browser would turn into a link, a picture or an icon, once backslashes are removed.
LIVE = re.compile(
    r"(?<!\\)\]\((?!$)|https?\\?://|www\.evil|@evil|(?<!\\)<\w|(?<!\\)!\[|:(material[/_]|streamlit)",
    re.IGNORECASE,
)
KINDS = ("markdown", "alert", "toast", "heading", "exception")


def live(page):
    """Return what could become active among the texts that a page treats as markdown."""
    given = list(page.texts(*KINDS))
    for kind, element in page.elements():
        given += [getattr(element, "label", ""), getattr(element, "help", "")]
        if kind in ("radio", "button_group"):
            given += [getattr(each, "content", each) for each in element.options]
    return [text for text in given if LIVE.search(text)]


ADDRESSES = [
    ("", ("protocol", "view", "round")),
    ("play", ("protocol", "seat", "task", "about", "episode")),
    ("transcripts", ("search", "in", "tagged", "episode", "eyes", "line", "round", "order", "by")),
    ("rewards", ("protocol", "play", "show", "prior")),
    ("room", ("code", "new", "as", "person")),
    ("learn", ("lesson", "show", "q", "class")),
]


@pytest.mark.parametrize("address", first(1, ADDRESSES[::-1]))
def test_addresses(frames, address):
    path, names = address
    for name in names:
        for text in (LINKS[0], LINKS[1] + " www.evil.example a@evil.example", " ".join(PICTURES)):
            page = frames.open(path, **{name: text})
            assert live(page) == [], name
            assert len(page.elements()) > 1
            page.close()


@exhaustive
def test_titles_tags_and_models(frames):
    storage = frames.storage
    for text in HOSTILE[:: 1 if FULL else 2]:
        episode = Episode(HyperParameters(interaction_protocol="nip"), bundled_tasks("easy")[0], 5)
        player = {"kind": "llm", "model": text, "base_url": "http://127.0.0.1:9/v1"}
        episode.apply(Seated(agent="prover", player=player))
        episode.apply(Seated(agent="verifier", player={"kind": "human", "who": "me"}))
        episode.play(Move("verifier", {"main": text}))
        running = storage.create(episode, title=text, tags=[text[:30]])
        episode.play(Move("prover", {"main": text}))
        episode.play(Move("verifier", decision=1))
        over = storage.create(episode, title=text, tags=[text[:30]])
        for path, name in (("play", running), ("transcripts", over)):
            page = frames.open(path, episode=name)
            assert live(page) == [], text
            assert len(page.elements()) > 3
            page.close()
    page = frames.open("transcripts")
    page.click("Show more")
    assert live(page) == []
    page.click("Delete this one")
    assert live(page) == []


def test_what_a_service_says_and_files(frames):
    text = f"{LINKS[0]} {LINKS[1]} {PICTURES[0]}"
    page = frames.open("transcripts")
    page.upload("Transcripts", f"{text[:60]}.json", text.encode())
    page.click("Bring in")
    assert live(page) == []
    with ModelServer(answer=lambda _: text) as server:
        table = frames.open("play", protocol="nip", sits__prover="llm")
        table.choose("Where", "Another address (vLLM, llama.cpp, ...)")
        table.choose("Address", server.url)
        table.choose("Model for the prover", text)
        assert live(table) == []
        table.click("llm-test-prover")
        assert live(table) == []
