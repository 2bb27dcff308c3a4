"""Tests of explorer/play/tasks.py and reader_screens.py.

Published protocols at the table: every seat, players, views, files, and the end.
"""

import itertools
import json
import math

import pytest

from explorer.choice import ProtocolChoice
from explorer.play import (
    FORMATS,
    Start,
    StoredTable,
    Table,
    as_csv,
    calibrated,
    default_seats,
    gallery,
    is_empty,
    materials,
    move_of,
    play_on,
    refusal,
    screen_at,
)
from explorer.storage import open_storage
from nip_core import Episode, Move, published_names, specification
from nip_core.errors import IllegalMoveError, NipError, UnknownNameError
from nip_core.language import Specification
from nip_core.tasks import passages, problems
from tests.depth import seeds
from tests.explorer.play.starts import begun

PUBLISHED = published_names()


def seated(name, kind, seed=5, **settings):
    spec = specification(name, **settings)
    start = Start(ProtocolChoice.of(spec), "", dict.fromkeys(spec.seat_names, kind), seed)
    return Table(begun(start))


@pytest.mark.parametrize("name", PUBLISHED)
def test_players_play_every_protocol_to_its_end_and_every_seat_can_watch(name):
    for kind, seed in itertools.product(("scripted", "random"), seeds(8)):
        table = seated(name, kind, seed)
        while not table.over:
            for seat in table.spec.seat_names:
                shown = json.loads(json.dumps(table.seen_by(seat).watched))
                assert shown["composer"]["choices"] == shown["composer"]["channels"] == []
                assert shown["framed"] is None or shown["framed"] < shown["grid"]["columns"]
            assert table.step()
        result = table.episode.result()
        for seat in table.spec.seat_names:
            paid = {p["seat"]: p["total"] for p in table.seen_by(seat).screen["ending"]["rewards"]}
            assert paid == pytest.approx({s: float(p) for s, p in result.paid.items()}, abs=1e-9)


def game_over(name, seed):
    table = seated(name, "scripted", seed)
    while not table.over:
        table.step()
    return table.episode


def test_stated_probabilities_are_weighed_over_many_games():
    games = [game_over("michael_debate", seed) for seed in (1, 2)]
    stated = [
        (percent, game.result().choices["truth"] == "A")
        for game in games
        for node in game.path()[1:]
        if isinstance(percent := game.chosen(node.id).get("estimate"), int)
    ]
    found = calibrated(games)
    assert found["notes"] == sum(each["count"] for each in found["bins"]) == len(stated) >= 2
    brier = sum((percent / 100 - true) ** 2 for percent, true in stated) / len(stated)
    assert found["brier"] == pytest.approx(brier, abs=1e-4)
    of_truth = [min(max(p if true else 100 - p, 1), 99) for p, true in stated]
    log = sum(math.log2(percent / 100) for percent in of_truth) / len(stated)
    assert found["log"] == pytest.approx(log, abs=1e-4)
    # Nobody states a probability in this protocol, so the setting changes nothing.
    silent = game_over("khan_debate", 1)
    assert calibrated([*games, silent]) == found
    assert calibrated([silent]) is None


def test_people_who_watch_see_no_game_before_its_end():
    about = {"question": "?", "answers": "A. x\nB. y", "passage": "hidden", "truth": "A"}
    with pytest.raises(NipError):
        gallery(Episode("khan_debate", about, 1))


def test_a_reader_sees_all_that_was_said_until_a_position():
    game = game_over("khan_debate_interactive", 1)
    path = game.path()
    for number, node in enumerate(path):
        shown = gallery(game, node.id)
        place = f"After turn {number} of 6." if number else "The beginning."
        assert shown["head"]["now"] == place
        (channel,) = shown["channels"]
        assert [(each["round"], each["sender"]) for each in channel["messages"]] == [
            (turn, message.seat)
            for turn, step in enumerate(path[1 : number + 1])
            for message in step.release.messages
        ]
        # The judge could not read the passage.
        assert None not in [part["text"] for part in shown["statement"]["parts"]]
    before = screen_at(game, "judge", path[0].id)
    assert None in [part["text"] for part in before["statement"]["parts"]]


def test_moves_from_a_browser_are_read_with_their_choices_and_refused_in_sentences():
    table = seated("michael_consultancy", "scripted")
    table.seat("judge", {"kind": "human", "who": "me"})
    (seat,) = table.waits_for
    act = {"seat": seat, "round": 0, "messages": {"talk": "Why?"}, "decision": 2}
    for choices, words in (
        ({}, "Choose estimate: 1, 2"),
        ({"estimate": 50}, "Choose next step: stop, go on"),
        ({"estimate": 1000, "going": "stop"}, "estimate cannot be 1000"),
        ({"estimate": True, "going": "stop"}, "estimate cannot be True"),
        ({"estimate": 50, "going": ["stop"]}, "going cannot be"),
        ({"estimate": 50, "going": "stop", "side": "A"}, "You do not choose 'side'"),
    ):
        with pytest.raises(IllegalMoveError) as refused:
            table.play(move_of({**act, "choices": choices}, seat, 0))
        assert words in refusal(refused.value, table.spec)["message"]
    for said, words in (
        ("no " * 200, "the limit is"),
        (f"<quote>{'a' * 500_000}</quote>", "at most 100,000 characters"),
    ):
        chosen = {"estimate": 50, "going": "go_on"}
        with pytest.raises(IllegalMoveError) as refused:
            table.play(move_of({**act, "messages": {"talk": said}, "choices": chosen}, seat, 0))
        message = refusal(refused.value, table.spec)["message"]
        assert words in message
        assert len(message) < 300
    # Out of turn.
    table.seat("consultant", {"kind": "human", "who": "friend"})
    with pytest.raises(IllegalMoveError, match="It is not your turn"):
        table.play(move_of({**act, "seat": "consultant"}, "consultant", 0))
    assert table.round == 0
    made = {**act, "choices": {"estimate": 50, "going": "go_on"}}
    table.play(move_of(made, seat, 0))
    assert table.episode.path()[1].moves[seat].choices == {"estimate": 50, "going": "go_on"}
    # The same act again: play has gone on.
    with pytest.raises(NipError):
        table.play(move_of(made, seat, table.round))
    assert table.round == 1


def test_every_file_and_every_page_of_a_game_that_is_over_can_be_made(tmp_path):
    with open_storage(f"sqlite:///{tmp_path / 'a.db'}") as storage:
        for name in PUBLISHED:
            spec = specification(name)
            start = Start(
                ProtocolChoice.of(spec), "", dict.fromkeys(spec.seat_names, "scripted"), 3
            )
            table = StoredTable.open_new(storage, start)
            table.play_to_the_end()
            public = StoredTable(storage, table.id).public_episode()
            made = {what: make for what, (_, make) in FORMATS.items() if not is_empty(what, public)}
            assert len(made) >= len(FORMATS) - 1
            for what, make in made.items():
                assert make(public), what
            assert as_csv([(table.id, public)])
            for node in public.nodes:
                shown = gallery(public, node.id)
                assert all(part["text"] for part in shown["statement"]["parts"])
                for seat in spec.seat_names:
                    screen_at(public, seat, node.id)
            mine = play_on(table, 0, spec.seat_names[0])
            assert mine.humans == [spec.seat_names[0]]
            entry = storage.entry(table.id)
            verdict = public.result().verdict
            ends = {"accept": "accept", "reject": "reject", None: "terminated"}
            assert entry.outcome == ends.get(verdict, "ended")
            assert entry.right is public.result().right
            again = table.next_games[0]
            assert again[0] == "Play again"
            StoredTable.open_new(storage, again[1], again[2])


def test_seats_are_swapped_after_a_game_on_the_same_task(tmp_path):
    with open_storage(f"sqlite:///{tmp_path / 'a.db'}") as storage:
        spec = specification("khan_debate")
        start = Start(ProtocolChoice.of(spec), passages()[2].slug, default_seats(spec), 3)
        table = StoredTable.open_new(storage, start)
        table.play_until_a_person()
        table.play(Move("judge", choices={"verdict": "A"}))
        games = {label: game for label, *game in table.next_games}
        assert [*games] == ["Play again", "Swap seats"]
        other = StoredTable.open_new(storage, *games["Swap seats"])
        assert other.humans == ["alice"]
        assert other.episode.task == table.episode.task


# Enough for a class, and for a study with more than one task.
LEAST = 6


def test_every_published_protocol_has_something_to_play_on():
    assert [name for name in PUBLISHED if len(materials(specification(name))) < LEAST] == []
    with pytest.raises(UnknownNameError):
        Start(ProtocolChoice.of("jury"), "nothing", {}, 1).setup()


def test_a_document_about_statements_is_played_on_bundled_ones():
    document = specification("nip").to_dict()
    document["name"] = "my_nip"
    spec = Specification.from_dict(document)
    known = materials(spec)
    assert {each.slug for each in problems()} == {*known}
    setup = Start(ProtocolChoice.of(spec), next(iter(known)), default_seats(spec), 3).setup()
    assert set(setup.deal.parts) == {"question", "solution"}
    assert setup.deal.facts["truth"] in ("accept", "reject")
