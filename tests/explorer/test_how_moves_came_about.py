"""The Transcripts page explains how a move came about, once it may, and to those who may know."""

import json

import pytest

from nip_core import Episode, HyperParameters, Move
from nip_core.play import Answered, Origin, Refused
from tests.explorer.test_whole_episodes import unpacked
from tests.play_worlds import ONE_TASK

HOSTILE = "<script>alert(1)</script> ![x](http://evil.example/x.png) **thought** $x$"


def origin(who):
    return Origin(
        kind="llm",
        model=f"model-of-{who}",
        host="h.example",
        settings={"temperature": 0.25, "seed": 7},
        tokens_in=812,
        tokens_out=95,
        estimated=True,
        seconds=3.21,
        attempts=2,
        refused=(Refused(f"first-try-of-{who}", f"fault-of-{who}"),),
        answered=(Answered("draft 1", f"answer-of-{who}"),),
        reasoning=f"thought-of-{who} {HOSTILE}",
    ).to_dict()


def both(text):
    return {"prover0_channel": text, "prover1_channel": text}


def played(*, to_the_end):
    episode = Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK, 7)
    episode.play(Move("verifier", both("Why?")), origin=origin("verifier"))
    episode.play(Move("prover0", {"prover0_channel": "So."}), origin=origin("prover0"))
    episode.play(Move("prover1", {"prover1_channel": "Thus."}), origin=origin("prover1"))
    if to_the_end:
        episode.play(Move("verifier", decision=1, confidence=80), origin=origin("verifier"))
    return episode


SEATS = ["verifier", "prover0", "prover1"]
PARTS = ["model-of", "thought-of", "first-try-of", "fault-of", "answer-of"]


def opened(frames, episode, **query):
    return frames.open("transcripts", episode=frames.storage.create(episode), **query)


def details_of(page):
    """Return the seats whose moves are explained, by the explanation."""
    return {part: [who for who in SEATS if f"{part}-{who}" in page.said] for part in PARTS}


def at(page, rounds):
    page.trigger("nip_table", "act", {"goto": rounds})
    page.forget()
    page.rerun()
    return page


def test_everybody_reads_it_when_all_is_over(frames):
    page = at(opened(frames, played(to_the_end=True)), 2)
    details = details_of(page)
    # Models are named for all messages so far, other players for the round's.
    assert details.pop("model-of") == SEATS
    assert details == {part: ["prover0", "prover1"] for part in PARTS[1:]}
    for words in ("temperature 0.25", "seed 7", "812 tokens in, 95 out (estimated)", "3.2 s"):
        assert words in page.said
    assert HOSTILE in "\n".join(page.texts("text"))
    assert not any("evil.example" in text for text in page.texts("markdown"))
    assert details_of(at(page, 3))["thought-of"] == ["verifier"]


@pytest.mark.parametrize("seat", ["prover0", "verifier"])
def test_as_a_seat_saw_it_only_its_own(frames, seat):
    episode = played(to_the_end=True)
    page = opened(frames, episode, eyes=seat)
    for rounds in (1, 2, 3):
        found = details_of(at(page, rounds))
        assert all(set(seats) <= {seat} for seats in found.values())
    assert details_of(at(page, 2 if seat == "prover0" else 3))["thought-of"] == [seat]
    saw = page.download(f"What {episode.rules.seat_phrase(seat)} saw")
    assert not any(part.encode() in saw for part in PARTS)


def test_nobody_reads_it_before_the_end(frames):
    episode = played(to_the_end=False)
    page = opened(frames, episode)
    everything = page.said.encode() + b"".join(unpacked(page.downloads()))
    assert not any(part.encode() in everything for part in PARTS)


def test_it_is_in_the_downloads(frames):
    page = opened(frames, played(to_the_end=True))
    whole = json.loads(page.download("Transcript (JSON)"))
    moved = [event for event in whole["events"] if event["type"] == "moved"]
    assert [event["origin"] for event in moved] == [
        origin(who) for who in ("verifier", "prover0", "prover1", "verifier")
    ]
    for name in ("Markdown", "Tables (CSV)"):
        text = b"".join(unpacked({name: page.download(name)})).replace(b"\\", b"")
        for part in PARTS:
            for who in SEATS:
                assert f"{part}-{who}".encode() in text, (name, part, who)
    for name in ("Fine-tuning", "Preferences"):
        assert b"thought-of" not in page.download(name)
