"""The client does what a browser does, and keeps everything that it is sent."""

from __future__ import annotations

import json

from streamlit.proto.WidgetStates_pb2 import WidgetState


def test_a_game_is_played(frames):
    page = frames.open("play", protocol="nip")
    page.click("Begin")
    assert len(page.query["episode"]) == 32
    page.act(messages={"main": "Why is that so?"})
    (channel,) = page.table["channels"]
    assert [message["sender"] for message in channel["messages"]] == ["verifier", "prover"]
    assert "Why is that so?" in page.said
    page.act(decision=1)
    assert page.table["head"]["verdict"]
    assert frames.storage.load(page.query["episode"]).episode.over


def test_an_illegal_move_is_answered(frames):
    page = frames.open("play", protocol="nip")
    page.click("Begin")
    page.act(messages={"main": ""})
    assert page.table["error"]["mark"] == "1"


def test_files_go_both_ways(frames):
    page = frames.open("play", protocol="nip")
    page.click("Begin")
    page.act(decision=1)
    page.goto("transcripts", episode=page.query["episode"])
    files = page.downloads()
    assert json.loads(files["Transcript (JSON)"])["format"] == "nip-transcript/2"
    page.goto("transcripts")
    page.upload("Transcripts", "mine.json", files["Transcript (JSON)"])
    page.click("Bring in")
    assert frames.storage.count() == 2


def test_widgets_are_set_and_stay_set(frames):
    page = frames.open("play")
    page.unfold("**Neural interactive proof**")
    page.trigger("nip_protocols", "protocol", "mnip")
    page.choose("play-difficulty", "hard")
    assert page.query == {"protocol": "mnip", "hard": "hard"}


def test_states_may_be_forged(frames):
    page = frames.open("play")
    page.rerun([WidgetState(id="$$ID-0-no-such-widget", string_value="x")])
    assert "Begin" in page.labels()


def test_a_browser_keeps_its_cookies_and_tabs_are_sessions_of_their_own(frames):
    first = frames.open("play")
    second = frames.open("transcripts", visitor=first)
    assert first.cookies is second.cookies
    assert first.session != second.session


def receive_until_round(window, number):
    while window.seat["table"]["round"] < number:
        window.receive()


def test_another_window_at_the_same_table_follows(frames):
    page = frames.open("play", protocol="nip")
    page.click("Begin")
    other = frames.open("play", episode=page.query["episode"])
    window = other.open_seat()
    before = window.mark
    page.forget()
    page.act(messages={"main": "Why is that so?"})
    receive_until_round(window, 2)
    page.act(messages={"main": "And that?"})
    receive_until_round(window, 4)
    # Moves change nothing around the table, so no page reruns for them, not even for the first.
    assert window.mark == before
    assert page.frames == []
    # A move that was meant for the position before is refused after the change.
    other.act(messages={"main": "Old words"}, round=0, mark="7")
    assert other.table["error"]["mark"] == "7"
    assert other.table["round"] == 4
