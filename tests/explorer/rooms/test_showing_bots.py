"""Tests of seat.py.

When a bot moves for a person, they see it at once, the others as the room's plan says.
"""

import io
import json
import re

import pandas as pd
import pytest

from explorer import rooms
from explorer.lessons.game import PairRound
from explorer.lessons.library import pair_game
from explorer.play.dataframes import messages_df
from explorer.rooms import recorded
from explorer.rooms.pairs import PairPlay, sight_of
from explorer.storage import open_storage
from nip_core.transcript import dumps, load, to_markdown, to_plain_text
from tests.depth import each
from tests.explorer.rooms.people import (
    LEADER,
    act_of,
    at,
    opened,
    play_out,
    sits,
    visitor,
    watch_mark,
)
from tests.explorer.rooms.test_running import let_time_pass

BOT = "A bot moved"


def asked_and_late(storage, late=("prover1",), *, words=None, **said):
    """Play until the verifier has asked and the provers have answered; bots answer for late ones.

    Return the code. With `words` nobody is late: they say what the bot would have said.
    """
    code = opened(storage, 3, round_seconds=60, **said)
    verifier = at(storage, code, sits(storage, code, "verifier"))
    assert verifier.play(act_of(verifier)) is None
    for agent in ("prover0", "prover1"):
        table = at(storage, code, sits(storage, code, agent))
        if agent not in late:
            assert table.play(act_of(table, words="I say so.")) is None
        elif words is not None:
            assert table.play(act_of(table, words=words[agent])) is None
    if words is None:
        let_time_pass(storage, code)
        rooms.run_due(storage)
    return code


def messages(screen):
    return [each for channel in screen["channels"] for each in channel["messages"]]


def texts_of(storage, code, agent):
    screen = at(storage, code, sits(storage, code, agent)).seen.screen
    return {m["sender"]: m["text"] for m in messages(screen) if m["sender"] == agent}


def test_a_person_sees_at_once_which_words_are_the_bots(storage, access):
    code = asked_and_late(storage)
    late = at(storage, code, sits(storage, code, "prover1"))
    screen = rooms.seat_screen(late)
    assert screen["now"]["now"].startswith("A bot moved for you. Read")
    table = screen["table"]
    assert table["note"] == "A bot moved for you in turn 2. You were late or away."
    assert [(m["sender"], m.get("bot")) for m in messages(table)] == [
        ("verifier", None),
        ("prover1", True),
    ]
    # It still says so when the person has moved again, at the end, and after the reveal.
    play_out(storage, code)
    for revealed in (False, True):
        if revealed:
            rooms.reveal(access(code, LEADER))
        late = at(storage, code, sits(storage, code, "prover1"))
        assert "bot" not in late.what_now
        assert (
            rooms.seat_screen(late)["table"]["note"]
            == "A bot moved for you in turn 2. You were late or away."
        )
        assert sum(m.get("bot", False) for m in messages(late.seen.screen)) == 1


def test_a_verdict_by_a_bot_is_shown_as_the_bots(storage, access):
    code = opened(storage, 3, round_seconds=60)
    for _ in range(4):
        let_time_pass(storage, code)
        rooms.run_due(storage)
    seats = {
        agent: at(storage, code, sits(storage, code, agent)) for agent in ("verifier", "prover0")
    }
    assert all(table.over for table in seats.values())
    heads = {agent: table.seen.screen["head"]["now"] for agent, table in seats.items()}
    assert heads["verifier"].startswith("A bot, for you, has ")
    assert ". A bot, for the verifier, has " in heads["prover0"]
    rooms.reveal(access(code, LEADER))
    screen = at(storage, code, sits(storage, code, "verifier")).seen.screen
    assert screen["head"]["verdict"]["text"].startswith("a bot, for you, ")


WATCHERS = ("verifier", "prover0", "gallery", "wall")


def seen_by(storage, code, watcher):
    """Return all that another watcher is shown, without the parts that differ in any two rooms."""
    if watcher == "wall":
        text = json.dumps(rooms.board(rooms.room_of(rooms.Access(storage, code))))
    elif watcher == "gallery":
        seen = rooms.gallery_seat(rooms.room_of(rooms.Access(storage, code)), visitor(9))
        text = json.dumps(seen.watched) + repr((seen.view.to_json(), seen.tree))
    else:
        person = sits(storage, code, watcher)
        window = rooms.Watcher("person", person, visitor(person))
        text = watch_mark(storage, code, window) + repr(at(storage, code, person).what_now)
    # Ids, hashes, times, and the end of a round in seconds.
    text = re.sub(r"[0-9a-f]{16,}|\d{4}-\d\d-\d\dT[\d:.+-]*", "", text)
    return re.sub(r'"(ends|deadline)": [\d.]+', "", text)


@pytest.mark.parametrize("bots_told", ["end", "once"])
def test_the_others_see_it_at_the_end_or_at_once(tmp_path, monkeypatch, bots_told):
    """Compare two worlds: a bot moves for a late person, or they write the same words in time."""
    monkeypatch.setattr(rooms.opening, "new_code", lambda: "BCDFG")
    said = {"bots_told": bots_told, "gallery": "seat", "gallery_seat": (1, "prover1")}
    shown, words = {}, None
    for world in ("late", "in time"):
        with open_storage(f"sqlite:///{tmp_path / world}.db") as storage:
            code = asked_and_late(storage, words=words, **said)
            words = texts_of(storage, code, "prover1")
            key = rooms.watch_link(rooms.Access(storage, code, LEADER))
            rooms.watch(rooms.Access(storage, code, visitor(9)), key)
            before = {each: seen_by(storage, code, each) for each in WATCHERS}
            play_out(storage, code)
            after = {each: seen_by(storage, code, each) for each in WATCHERS}
            shown[world] = before, after
            if world == "late":
                others = [at(storage, code, sits(storage, code, a)) for a in WATCHERS[:2]]
                notes = [rooms.seat_screen(other)["table"]["note"] for other in others]
                assert notes == ["A bot moved for prover 2 in turn 2."] * 2
    for place, sees in ((0, bots_told == "once"), (1, True)):
        for watcher in WATCHERS:
            first, second = shown["late"][place][watcher], shown["in time"][place][watcher]
            assert (first != second) is sees, (place, watcher)
            assert BOT not in second


def test_only_seats_that_read_the_words_see_the_mark(storage):
    code = asked_and_late(storage, ("prover0", "prover1"), bots_told="once")
    verifier = at(storage, code, sits(storage, code, "verifier"))
    marked = [(m["sender"], m.get("bot", False)) for m in messages(verifier.seen.screen)]
    assert {sender for sender, bot in marked if bot} == {"prover0", "prover1"}
    note = rooms.seat_screen(verifier)["table"]["note"]
    assert note == "A bot moved for prover 1 in turn 2 and for prover 2 in turn 2."


def test_a_table_that_was_ended_early_shows_its_bots(storage, access):
    code = asked_and_late(storage)
    assert (
        "note" not in rooms.seat_screen(at(storage, code, sits(storage, code, "verifier")))["table"]
    )
    rooms.end(access(code, LEADER))
    table = rooms.seat_screen(at(storage, code, sits(storage, code, "verifier")))["table"]
    assert table["note"] == "A bot moved for prover 2 in turn 2."


def test_transcripts_and_files_show_the_bots(storage, access):
    code = asked_and_late(storage)
    play_out(storage, code)
    rooms.reveal(access(code, LEADER))
    episode = storage.load(rooms.load_room(access(code)).table(1).episode_id).episode
    for seat in (None, *episode.rules.seat_names):
        apart = seat == "prover0"  # the seat that has not read the words
        for text in (to_markdown(episode, seat), to_plain_text(episode, seat)):
            assert ("a bot in their place" in text) is not apart
    assert load(dumps(episode)).stood_in() == episode.stood_in() == ((1, "prover1"),)
    assert '"stood_in": [[1, "prover1"]]' in json.dumps(episode.view_for("verifier").to_dict())
    frame = messages_df([("one", episode)])
    assert list(frame[frame["bot"]]["agent"]) == ["prover1"]
    moves = pd.read_csv(io.BytesIO(rooms.files(access(code, LEADER))[f"{code}-moves.csv"]))
    assert list(moves[moves["bot"]]["seat"]) == ["prover1"]
    tables = pd.read_csv(io.BytesIO(rooms.files(access(code, LEADER))[f"{code}-tables.csv"]))
    assert tables[["bots", "counted"]].values.tolist() == [["prover1", False]]
    seats = pd.read_csv(io.BytesIO(rooms.files(access(code, LEADER))[f"{code}-seats.csv"]))
    person = sits(storage, code, "prover1")
    assert list(seats["instead_of"].dropna()) == [f"person {person}"]


# -- rooms in which no bot plays -------------------------------------------------------------------


def test_where_no_bot_may_play_a_table_ends_with_its_time(storage, access):
    code = asked_and_late(storage, bots="")
    table = rooms.load_room(access(code)).table(1)
    assert table.phase == "over"
    episode = at(storage, code, 1).seen
    assert not episode.view.stood_in
    rooms.reveal(access(code, LEADER))
    assert rooms.outcomes(rooms.room_of(access(code))) == []
    made = pd.read_csv(io.BytesIO(rooms.files(access(code, LEADER))[f"{code}-tables.csv"]))
    assert not made["counted"].any()


def test_where_no_bot_may_play_a_seat_stays_empty(storage, access):
    code = opened(storage, 2, bots="")
    person = sits(storage, code, "verifier")
    with pytest.raises(rooms.NotNowError, match="bots do not play"):
        rooms.replace_by_bot(access(code, LEADER), 1, "verifier")
    rooms.leave(access(code, visitor(person)), person)
    for _ in range(3):
        rooms.run_due(storage)
    room = rooms.load_room(access(code))
    assert all(seat.bot is None for seat in room.table(1).seats.values())
    assert room.table(1).seats["verifier"].person is None
    # The next person takes the seat.
    assert rooms.join(access(code, visitor(5))).seat is not None


@each(
    ("said", "line"),
    [
        ({}, "a bot may move for them. They see it at once, the others when the table is o"),
        ({"bots_told": "once"}, "They see it at once, and so do the others."),
        ({"bots": ""}, "No bot plays in anybody's place."),
        ({"bots": "", "round_seconds": 60}, "A table ends when its time is up."),
    ],
)
def test_the_page_where_one_joins_says_whether_bots_play(storage, access, said, line):
    code = opened(storage, 0, started=False, **said)
    assert line in " ".join(recorded(rooms.load_room(access(code))))


def test_older_plans_show_bots_at_the_end(storage):
    document = rooms.RoomPlan(kind="lesson", lesson="two-rooms").to_dict()
    del document["bots_told"]
    assert rooms.RoomPlan.from_dict(document).bots_told == "end"
    with pytest.raises(rooms.PlanError, match="bots_told"):
        opened(storage, 0, started=False, bots_told="never")


# -- pairs of a lesson -----------------------------------------------------------------------------


def test_an_answer_by_a_bot_is_not_shown_as_the_persons():
    game = pair_game("two_rooms")
    asked = (1, 1)
    plan = game.bot(0, asked, wall=True)
    rounds = (PairRound(asked, (plan, plan), False, (True, False)), PairRound(asked, (None, None)))
    views = [
        sight_of(PairPlay(rounds, (1, 2)), seat, game, wall=True, partner="Person")
        for seat in (0, 1)
    ]
    first, second = (game.scene(sight).said[0].text for sight in views)
    assert first.startswith("a bot, for you, said")
    assert second.startswith("you said")
