"""Tests of transcripts.py, tables.py and transcript_reader.py.

The Transcripts page, for a person who comes back to what was played.
"""

import json
import re

import pytest

from explorer.play.stored import StoredTable
from explorer.storage import Criteria
from nip_core import Episode, HyperParameters, Move
from nip_core.errors import PlayError
from nip_core.play import Commented, Seated, comments_of
from nip_core.transcript import dump, dumps
from tests.play_worlds import ONE_TASK
from tests.transcript.others.samples import FINISHED, debate, text


def played(protocol="nip"):
    episode = Episode(HyperParameters(interaction_protocol=protocol), ONE_TASK, 7)
    for prover in episode.rules.provers:
        episode.apply(Seated(agent=prover, player={"kind": "llm", "model": "oracle"}))
    channels = episode.legal("verifier").channels
    episode.play(Move("verifier", dict.fromkeys(channels, "What of line 3?"), confidence=40))
    for prover in episode.rules.provers:
        (channel,) = episode.legal(prover).channels
        used = {"kind": "llm", "model": "oracle", "tokens_in": 800, "tokens_out": 40, "cost": 0.5}
        episode.play(Move(prover, {channel: "It counts the stops."}), origin=used)
    episode.play(Move("verifier", decision=1, confidence=90))
    return episode


def comments_beside(page):
    """Return the comments beside messages, by sender and round."""
    return {
        (message["sender"], message["round"]): [
            (each["by"].split(",")[0], each["quote"], each["text"]) for each in message["comments"]
        ]
        for channel in page.table["channels"]
        for message in channel["messages"]
        if "comments" in message
    }


def test_comments_are_shown_only_beside_visible_messages(frames):
    episode = played("mnip")
    end, answered = episode.node.id, episode.path()[2].id
    comments = [
        Commented(node=answered, text="Here.", agent="prover0", channel="prover0_channel"),
        Commented(node=answered, text="There.", agent="prover1", channel="prover1_channel"),
        Commented(node=answered, text="All of it."),
        Commented(node=end, text="The end."),
    ]
    for comment in comments:
        episode.apply(comment)
    name = frames.storage.create(episode)
    page = frames.open("transcripts", episode=name)
    assert comments_beside(page) == {
        ("prover0", 1): [("Somebody", None, "Here.")],
        ("prover1", 1): [("Somebody", None, "There.")],
    }
    assert "The end." in page.said
    assert any("other positions" in text for text in page.texts())
    # What a new comment may be about, with its channel where there are several.
    page = frames.open("transcripts", episode=name, round="2")
    about = page.widget("About", "selectbox").delta.new_element.selectbox.options
    assert about == [
        "the position",
        "Prover 1 (Prover 1 channel): It counts the stops.",
        "Prover 2 (Prover 2 channel): It counts the stops.",
    ]
    # A seat's view shows neither the other channel nor comments on it.
    page = frames.open("transcripts", episode=name, eyes="prover0", round="2")
    assert comments_beside(page) == {("prover0", 1): [("Somebody", None, "Here.")]}
    assert "All of it." in page.said
    # Before the message, its comment is elsewhere.
    page = frames.open("transcripts", episode=name, round="1")
    assert comments_beside(page) == {}


def test_comments_have_an_author_and_a_place_and_can_be_changed(frames):
    name = frames.storage.create(played())
    before = frames.storage.entry(name)
    page = frames.open("transcripts", episode=name, round="2")
    page.choose("comment-text", "Well said.")
    page.choose("About", "Prover: It counts the stops.")
    page.choose("comment-quote", "the stops")
    page.choose("Your name", "Ada")
    page.click("Keep it")
    (comment,) = comments_of(frames.storage.load(name).episode.events)
    assert (comment.author, comment.agent, comment.quote) == ("Ada", "prover", "the stops")
    assert comments_beside(page) == {("prover", 1): [("Ada", "the stops", "Well said.")]}
    page.choose(f"text-{comment.thread}", "Well said, and wrong.")
    page.click("Save")
    (changed,) = comments_of(frames.storage.load(name).episode.events)
    assert (changed.text, changed.author) == ("Well said, and wrong.", "Ada")
    # Nobody else changes it, under any name: neither on their page, nor by a forged message.
    stranger = frames.open("transcripts", episode=name, round="2")
    assert "Well said, and wrong." in stranger.said
    assert f"text-{comment.thread}" not in stranger.said
    for thread in (comment.thread, changed.at):
        forged = Commented(node=changed.node, text="All fraud.", author="Ada", thread=thread)
        with pytest.raises(PlayError, match="Only the browser"):
            StoredTable(frames.storage, name).comment(forged, visitor="b" * 32)
    # An imported comment belongs to nobody here.
    foreign = Commented(node=changed.node, text="Sound.", author="Prof. A", thread="abcd1234")
    episode = frames.storage.load(name).episode
    episode.apply(foreign)
    other = frames.storage.create(episode)
    brought = frames.open("transcripts", visitor=page, episode=other, round="2")
    assert "Sound." in brought.said
    assert "text-abcd1234" not in brought.said
    assert f"text-{comment.thread}" in brought.said
    # A part that nobody has written is no part.
    page.choose("comment-text", "And this?")
    page.choose("About", "Prover: It counts the stops.")
    page.choose("comment-quote", "the starts")
    page.click("Keep it")
    assert any("copy it" in text for text in page.texts("alert"))
    assert frames.storage.entry(name).updated == before.updated


def test_play_continues_from_an_imported_transcript(frames):
    page = frames.open("transcripts")
    page.upload("Transcripts", "one.json", dumps(played("mnip")).encode())
    page.click("Bring in")
    (brought,) = frames.storage.find()
    read = frames.open("transcripts", episode=brought.id, round="2")
    read.click("play-on")
    (mine,) = frames.storage.find(Criteria(tag="played on"))
    episode = frames.storage.load(mine.id).episode
    assert [node.round for node in episode.path()] == [0, 1, 2]
    assert episode.players["verifier"] == {"kind": "human", "who": "me", "met_before": True}
    assert {episode.players[p]["kind"] for p in episode.rules.provers} == {"scripted"}
    assert len(frames.storage.load(brought.id).episode.events) == brought.version


def test_debates_that_others_recorded_are_brought_in(frames):
    page = frames.open("transcripts")
    page.upload("Transcripts", "one.json", text(FINISHED).encode())
    page.click("Bring in")
    (brought,) = frames.storage.find()
    assert brought.title == "Bread"
    read = frames.open("transcripts", episode=brought.id, round="2", eyes="judge")
    assert read.table["seat"] == "judge"
    assert frames.storage.load(brought.id).episode.over
    page.upload("Transcripts", "two.json", text(debate(roles=("Debater A", "Debater B"))).encode())
    page.click("Bring in")
    assert any("Nobody judged during the debate" in said for said in page.texts("text"))
    assert len(frames.storage.find()) == 1


def test_a_real_debate_is_there_to_be_read(frames):
    page = frames.open("transcripts")
    page.click("Bring in a real debate")
    (brought,) = frames.storage.find()
    assert brought.title == "In the Garden"
    assert "In the Garden" in "".join(page.texts("html"))


def test_the_address_holds_the_position_and_files_are_described(frames):
    name = frames.storage.create(played())
    page = frames.open("transcripts", episode=name, round="1", eyes="prover", line="9")
    assert page.table["seat"] == "prover"
    assert page.table["tree"]["here"] == 1
    assert page.query == {"episode": name, "round": "1", "eyes": "prover"}
    everywhere = frames.open("transcripts", episode=name)
    assert "oracle" in everywhere.said
    names = {
        element.label: element
        for kind, element in everywhere.elements()
        if kind == "download_button"
    }
    assert names["Preferences \\(JSONL\\)"].disabled
    assert "There are no preferences in this episode" in names["Preferences \\(JSONL\\)"].help
    for hostile in ("round=-1", "round=99999", "line=x", "eyes=nobody"):
        key, value = hostile.split("=")
        assert frames.open("transcripts", episode=name, **{key: value}).has_table


def test_the_list_says_what_is_true_and_hides_it_while_a_game_goes_on(frames):
    over, going = played(), Episode(HyperParameters(interaction_protocol="nip"), ONE_TASK, 7)
    going.play(Move("verifier", dict.fromkeys(going.legal("verifier").channels, "Why?")))
    ended = frames.storage.create(over, title="ended")
    running = frames.storage.create(going, title="running")
    page = frames.open("transcripts")
    rows = dict(re.findall(r"<tr>.*?>(ended|running)</a>(.*?)</tr>", page.said, re.DOTALL))
    assert ">oracle<" in rows["ended"]
    assert "840" in rows["ended"]
    assert ("✓ right" in rows["ended"]) == (over.task.y == 1)
    truth = "true" if over.task.y else "false"
    assert f"<td>{truth}</td>" in rows["ended"]
    assert f"<td>{truth}</td>" not in rows["running"]
    for criteria in (Criteria(y=over.task.y), Criteria(player="oracle")):
        assert [e.id for e in frames.storage.find(criteria)] == [ended]
    for order in ("latest", "oldest", "title", "rounds", "tokens"):
        assert {e.id for e in frames.storage.find(order=order)} == {ended, running}
    page.choose("calibration", True)
    assert page.component("nip_calibration")


def test_a_game_without_a_move_is_not_listed(frames):
    """A held move and one that was taken back count as moves."""
    opened = Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK, 7)
    frames.storage.create(opened, title="only opened")
    half = Episode(
        HyperParameters(interaction_protocol="mnip", protocol_common={"verifier_first": False}),
        ONE_TASK,
        7,
    )
    first = half.to_move[0]
    half.play(Move(first, dict.fromkeys(half.legal(first).channels, "It holds.")))
    assert half.node.round == 0
    frames.storage.create(half, title="half a round")
    back = played()
    back.goto(0)
    frames.storage.create(back, title="gone back")
    page = frames.open("transcripts")
    assert "only opened" not in page.said
    assert "half a round" in page.said
    assert "gone back" in page.said
    assert "2 transcripts" in page.said


def test_filters_are_cleared_with_one_click(frames):
    frames.storage.create(played(), title="mine")
    page = frames.open("transcripts", search="nowhere", outcome="running", tagged="x")
    assert any("No transcripts match" in text for text in page.texts())
    page.click("Clear filters")
    assert ">mine<" in page.said
    assert "Clear filters" not in {e.label for kind, e in page.elements() if kind == "button"}


def test_a_broken_file_is_refused_with_the_name_of_the_field(frames):
    def without_task(document):
        del document["setup"]["task"]

    def other_agent(document):
        document["events"][0]["agent"] = 5

    def other_reward(document):
        document["positions"][-1]["rewards"]["verifier"] = 7.0

    page = frames.open("transcripts")
    for change, field in (
        (lambda document: document.pop("events"), "lacks the field 'events'"),
        (lambda document: document.update(score=1), "unknown field: 'score'"),
        (lambda document: document.update(library=3), "library is 3; it must be an object"),
        (lambda document: document["events"][1].pop("hash"), "Event 1 lacks the field 'hash'"),
        (without_task, "lacks the key 'task'"),
        (other_agent, "agent of the event 'seated' is 5"),
        (other_reward, "first at positions[3].rewards"),
    ):
        document = dump(played())
        change(document)
        page.upload("Transcripts", "broken.json", json.dumps(document).encode())
        page.click("Bring in")
        assert any("0 added" in text and field in text for text in page.texts()), field
    assert not frames.storage.find()
