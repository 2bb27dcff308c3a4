"""Tests of explorer/server/connection.py.

The connection of a table on the Play page: who may use it, and what it does with an act.
"""

import json

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from explorer.play import StoredTable
from explorer.server.windows import place_of
from explorer.storage import open_storage
from explorer.visitors import COOKIE, new_token
from nip_core import HyperParameters
from nip_core.play import Episode, Move, Moved, Seated
from tests.play_worlds import ONE_TASK

HIDDEN = "for one prover only"
ASK = {"prover0_channel": "Why?", "prover1_channel": HIDDEN}


def seated(frames, **kinds):
    """An episode with people, or other players, in its seats."""
    episode = Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK, 5)
    for agent, kind in kinds.items():
        player = {"kind": "human", "who": kind} if kind in ("me", "friend") else {"kind": kind}
        episode.apply(Seated(agent=agent, player=player))
    return frames.storage.create(episode)


@pytest.fixture
def two(frames):
    """A page at which the first prover sits, and the episode's id."""
    episode = seated(frames, prover0="me", prover1="scripted", verifier="friend")
    page = frames.open("play", episode=episode)
    page.click("I am the verifier")
    page.act(messages=ASK)
    page.click("I am prover 1")
    return page, episode


def address_of(page):
    return page._data("nip_seat")["address"]


def test_another_seat_cannot_be_named_in_the_address(two):
    page, _ = two
    address = address_of(page)
    assert "present=prover0" in address
    for forged in (
        address.replace("present=prover0", "present=verifier"),
        address.replace("present=prover0", "present=prover1"),
        address.split("&key=")[0],
        address.split("&key=")[0] + "&key=%F0%9F%99%82",
    ):
        with pytest.raises(InvalidStatus, match="403"):
            page._connect(forged)


def test_the_address_works_in_the_browser_that_it_was_made_for_only(two):
    page, _ = two
    headers = {"Cookie": f"{COOKIE}={new_token()}"}
    url = f"ws{page.url.removeprefix('http')}{address_of(page)}"
    with pytest.raises(InvalidStatus, match="403"):
        connect(url, additional_headers=headers, proxy=None)


def test_a_person_who_has_left_the_seat_gets_and_does_nothing(two):
    """The connection of a seat that was handed over may still be open in a window left behind."""
    page, episode = two
    window = page.open_seat()
    assert window.act(messages={"prover0_channel": "So it is."}) is None
    assert window.seat is None
    for act in ({"decision": 1, "seat": "verifier"}, {"goto": 0}, {"stop": True}):
        said = {"messages": {}, "round": 2, "mark": "2", "place": f"{episode}-prover0", **act}
        window.connection.send(json.dumps(said))
        window.answer = None
        while window.answer is None:
            window.receive()
        assert "handed over" in window.answer["refused"]["message"]
    page.rerun()
    page.click("I am the verifier")
    assert page.table["round"] == 2


def test_a_move_that_is_sent_again_is_made_once(frames):
    episode = seated(frames, prover0="scripted", prover1="scripted", verifier="me")
    page = frames.open("play", episode=episode)
    window, twin = page.open_seat(), page.open_seat()
    move = {"messages": ASK, "mark": "a"}
    twin.send(**move)
    assert window.act(**move) is None
    while twin.answer is None:
        twin.receive()
    assert twin.answer["refused"] is None
    # From a page that was loaded again after the prover and the verifier have moved.
    assert (
        frames.open("play", visitor=page, episode=episode).open_seat().act(**move, round=0) is None
    )
    stored = frames.storage.load(episode).episode
    assert [event.move.agent for event in stored.events if isinstance(event, Moved)].count(
        "verifier"
    ) == 1


def test_a_move_that_is_taken_back_twice_is_taken_back_once(frames):
    """A browser sends it again if it got no answer; the move before it stays."""
    episode = seated(frames, prover0="scripted", prover1="scripted", verifier="me")
    page = frames.open("play", episode=episode)
    window, twin = page.open_seat(), page.open_seat()
    for _ in range(2):
        assert window.act(messages=ASK) is None
    last = window.seat["table"]["undo"]
    assert window.act(undo=last) is None
    assert window.seat["table"]["round"] == 2
    assert twin.act(undo=last, mark="again") is None
    assert StoredTable(frames.storage, episode).round == 2
    assert window.act(undo=window.ask()[1]["table"]["undo"]) is None
    assert window.seat["table"]["round"] == 0
    assert window.seat["table"]["undo"] is None


def test_another_window_gets_a_move_and_the_scripted_answers_in_one_frame(frames):
    episode = seated(frames, prover0="scripted", prover1="scripted", verifier="me")
    page = frames.open("play", episode=episode)
    window, twin = page.open_seat(), page.open_seat()
    for round_id in (2, 4):
        before = len(twin.frames)
        assert window.act(messages=ASK) is None
        twin.receive()
        assert twin.seat["table"]["round"] == round_id
        messages = twin.seat["table"]["channels"][0]["messages"]
        assert [message["sender"] for message in messages] == ["verifier", "prover0"] * (
            round_id // 2
        )
        # The next frame is the answer to a ping, which has everything.
        twin.ask()
        answer, whole = map(json.loads, twin.frames[before:])
        assert "place" in whole["seat"]
        assert "place" not in answer["seat"]
        # A move changes nothing of what the page draws around the table.
        assert "mark" not in answer


def test_any_act_gets_an_answer(frames):
    episode = seated(frames, prover0="scripted", prover1="scripted", verifier="me")
    page = frames.open("play", episode=episode)
    for act in (
        {"goto": "1"},
        {"goto": [1]},
        {"goto": 10**9},
        {"goto": True},
        {"undo": [0]},
        {"messages": 3},
        {"round": "0"},
        {"choices": {"x": 1}, "decision": 7},
        {"place": ["x"]},
    ):
        assert page.act(**act)["message"], act
        assert page.table["round"] == 0


def test_nobody_moves_for_a_seat_that_is_watched(frames):
    episode = seated(frames, prover0="scripted", prover1="scripted", verifier="scripted")
    page = frames.open("play", episode=episode)
    assert page.table["you"] is None
    assert "Take it first" in page.act(messages=ASK)["message"]
    assert "Take it first" in page.act(undo=0)["message"]
    assert "Play on" in page.labels()


def test_what_models_write_comes_over_the_connection(tmp_path):
    """Windows are notified of partial answers, and nothing is written to the database for them."""
    from explorer.play import workers

    with open_storage(f"sqlite:///{tmp_path}/e.db") as storage:
        episode = Episode(HyperParameters(), ONE_TASK, 5)
        model = {"kind": "llm", "model": "m", "base_url": "http://127.0.0.1:9"}
        for agent, player in (("prover", model), ("verifier", {"kind": "human", "who": "me"})):
            episode.apply(Seated(agent=agent, player=player))
        episode.play(Move("verifier", {"main": "Why?"}))
        episode_id = storage.create(episode)
        token = new_token()
        from explorer.server.windows import _key

        asked = {"episode": episode_id, "present": "verifier"}
        place = place_of({**asked, "key": _key(token, episode_id, "verifier")}, token, storage)
        woken = []
        storage.change_feed.subscribe(*place.topics(), lambda: woken.append(1))
        worker = workers.Worker(storage, episode_id, "me", {})
        seat = worker.seats["prover"] = workers.AtWork(1)
        worker.note(seat, "words", "Because")
        assert woken == [1]
        workers.Worker(storage, episode_id, "me", {}, beside_people=True).report()
        assert woken == [1]
