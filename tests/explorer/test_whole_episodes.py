"""Whole episodes leave the server only once nothing in them is a seat's secret any more."""

import io
import json
import zipfile

import pytest

from nip_core import Episode, HyperParameters, Move
from nip_core.play import Commented, Seated
from tests.play_worlds import ONE_TASK

SECRET = "SECRET-OF-PROVER-ONE"
SAID = "said-on-the-line-that-ended"


def asked(text, other=None):
    return {"prover0_channel": text, "prover1_channel": other or text}


def left_open():
    """Return an ended variation, and a later one with a closed channel that goes on."""
    episode = Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK, 7)
    for agent, kind in (("prover0", "human"), ("prover1", "scripted"), ("verifier", "scripted")):
        episode.apply(Seated(agent=agent, player={"kind": kind, "who": "me"}))
    episode.play(Move("verifier", asked("the first question")))
    episode.play(Move("prover0", {"prover0_channel": SAID}))
    episode.play(Move("prover1", {"prover1_channel": SAID}))
    episode.play(Move("verifier", decision=1))
    end = episode.node.id
    episode.goto(0)
    thought = {
        "kind": "llm",
        "model": f"{SECRET} model",
        "reasoning": f"{SECRET} thought",
        "refused": [{"answer": f"{SECRET} refused", "reason": f"{SECRET} reason"}],
    }
    question = asked("another", f"{SECRET} asked")
    episode.play(Move("verifier", question, confidence=13), origin=thought)
    episode.play(Move("prover0", {"prover0_channel": "mine"}))
    episode.play(Move("prover1", {"prover1_channel": f"{SECRET} answered"}), origin=thought)
    episode.apply(Commented(node=episode.node.id, text=f"{SECRET} remarked"))
    return episode, end, episode.node.id


def unpacked(files):
    """Return the content of files, also from inside zips."""
    for content in files.values():
        yield content
        if content.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                yield from (archive.read(name) for name in archive.namelist())


def everything(page):
    return page.said.encode() + b"".join(unpacked(page.downloads()))


@pytest.fixture
def at_the_end(frames):
    """Open Play and Transcripts, side by side, with the ended variation on the table."""
    episode, end, here = left_open()
    episode_id = frames.storage.create(episode)
    play = frames.open("play", episode=episode_id)
    play.act(goto=end)
    assert play.table["head"]["verdict"]
    return frames, play, episode_id, here


def test_a_closed_channel_is_not_read_through_an_ended_variation(at_the_end):
    frames, play, episode_id, here = at_the_end
    read = frames.open("transcripts", episode=episode_id)
    assert SAID in read.said
    for eyes in ("Everything", "Prover 1", "Prover 2", "Verifier"):
        read.choose("eyes", eyes)
        for node in range(here + 1):
            read.trigger("nip_table", "act", {"goto": node})
    assert SECRET.encode() not in everything(read)
    assert SECRET.encode() not in everything(play)
    assert SAID.encode() in everything(read)


def test_a_variation_that_goes_on_cannot_be_chosen(at_the_end):
    frames, _, episode_id, _ = at_the_end
    read = frames.open("transcripts", episode=episode_id)
    assert "Line" not in read.labels("selectbox")
    assert "Line 2" not in read.said


def test_going_back_closes_the_open_view(at_the_end):
    frames, play, episode_id, here = at_the_end
    read = frames.open("transcripts", episode=episode_id)
    play.act(goto=here)
    read.forget()
    read.rerun()
    assert not read.has_table
    assert read.labels("download_button") == []
    assert SAID not in read.said


def test_search_does_not_look_into_variations_that_go_on(at_the_end):
    frames, _, episode_id, _ = at_the_end
    for text, found in ((SECRET, False), ("no-such-word", False), ("", True)):
        page = frames.open("transcripts", search=text)
        assert (episode_id in page.said) == found, text


def test_the_other_transcript_is_shown_by_the_same_rule(at_the_end):
    frames = at_the_end[0]
    other = Episode(HyperParameters(interaction_protocol="nip"), ONE_TASK, 7)
    other.play(Move("verifier", decision=1))
    read = frames.open("transcripts", episode=frames.storage.create(other))
    (box,) = [e for k, e in read.elements() if k == "selectbox" and e.label == "Compare with"]
    read.choose("Compare with", box.options[0])
    assert SAID in read.said
    assert SECRET not in read.said


def test_nothing_unfinished_is_in_the_downloads_of_the_list(at_the_end):
    frames, play, _, here = at_the_end
    settled = Episode(HyperParameters(interaction_protocol="nip"), ONE_TASK, 7)
    settled.play(Move("verifier", decision=1))
    kept = frames.storage.create(settled)
    running = Episode(HyperParameters(interaction_protocol="nip"), ONE_TASK, 8)
    frames.storage.create(running)
    for _ in range(2):
        page = frames.open("transcripts")
        assert SECRET.encode() not in everything(page)
        lines = page.download("All finished episodes").splitlines()
        assert [json.loads(line)["id"] for line in lines] == [kept]
        play.act(goto=here)


def test_the_same_holds_for_an_imported_episode(at_the_end):
    frames, _, episode_id, _ = at_the_end
    copy = frames.storage.export_all()
    content = b"".join(copy).replace(episode_id.encode(), b"7" * 32)
    page = frames.open("transcripts")
    page.upload("Transcripts", "all.jsonl", content)
    page.click("Bring in")
    read = frames.open("transcripts", episode="7" * 32)
    assert SAID in read.said
    assert SECRET.encode() not in everything(read)


def test_the_rewards_page_counts_ended_variations(frames):
    episode = left_open()[0]
    frames.storage.create(episode)
    alone = Episode.from_setup(episode.setup)
    page = frames.open("rewards", protocol="mnip", play="recorded")
    before = page.texts("markdown")
    assert SECRET not in page.said
    frames.storage.create(alone)
    assert frames.open("rewards", protocol="mnip", play="recorded").texts("markdown") == before
