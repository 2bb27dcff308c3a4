"""Tests of table.py, comments.py, at_screen.py, own_seat.py and seats.py.

A table stores what is played, and a move that cannot be stored has not happened.
"""

import itertools

import pytest

from explorer.choice import ProtocolChoice
from explorer.play import Start, default_seats, find_task, task_choices
from explorer.play.at_screen import cover, move_of, seat_at_screen
from explorer.play.stored import StoredTable
from explorer.play.table import player_of
from explorer.players import Player
from explorer.storage import ConflictError, StorageError, open_storage
from nip_core import HyperParameters, protocol_names, protocol_spec, specification
from nip_core.errors import IllegalMoveError, NipError, PlayError, UnknownNameError
from nip_core.play import Commented, Episode, Move, Seated
from nip_core.transcript import dumps
from tests.depth import each


@pytest.fixture
def storage(tmp_path):
    with open_storage(f"sqlite:///{tmp_path}/episodes.db") as opened:
        yield opened


def table_of(storage, protocol="nip", seats=None, task="code:easy", seed=3):
    choice = ProtocolChoice.of(protocol)
    start = Start(choice, task, seats or default_seats(choice.rules), seed)
    return StoredTable.open_new(storage, start)


@pytest.mark.parametrize(
    ("protocol", "task"),
    [*zip(protocol_names(), itertools.cycle(["code", "graphs:medium"]), strict=False)],
)
def test_one_click_begins_a_game_that_can_be_finished(storage, protocol, task):
    table = table_of(storage, protocol, task=task)
    verifier = table.episode.rules.roles.deciders[0]
    assert table.humans == [verifier]
    for _ in range(50):
        table.play_until_a_person()
        if table.episode.over:
            break
        legal = table.episode.legal(verifier)
        first = not table.episode.view_for(verifier).rounds
        if first and not legal.last_turn:
            table.play(Move(verifier, dict.fromkeys(legal.channels, "Why?")))
        else:
            table.play(Move(verifier, decision=0))
    assert table.episode.over
    assert dumps(StoredTable(storage, table.id).episode) == dumps(table.episode)


def test_a_move_and_its_answers_are_stored_together(storage):
    table, written = table_of(storage, "mnip"), []
    append = table.journal.append
    table.journal.append = lambda episode: (written.append(len(episode.events)), append(episode))
    before = len(table.episode.events)
    move = Move("verifier", dict.fromkeys(table.episode.legal("verifier").channels, "Why?"))
    table.play_with_answers(move)
    assert written == [before + 3]
    assert dumps(StoredTable(storage, table.id).episode) == dumps(table.episode)


def test_a_player_that_fails_to_answer_takes_no_move_back(storage):
    class Failing(Player):
        kind = "failing"

        def turn(self, view):
            raise PlayError("It does not know.")

    table = table_of(storage)
    table.players["prover"] = Failing()
    table.play_with_answers(Move("verifier", {"main": "Why?"}))
    assert StoredTable(storage, table.id).round == table.round == 1
    with pytest.raises(PlayError, match="does not know"):
        table.play_until_a_person()


@each("protocol", ["debate", "mnip", "nip", "adp"])
def test_a_person_who_is_a_prover_knows_what_it_defends(storage, protocol):
    rules = specification(protocol)
    prover = rules.provers[0]
    table = table_of(storage, protocol, default_seats(rules, prover))
    assert table.episode.view_for(prover).briefing is not None
    assert table_of(storage, protocol).episode.view_for(prover).briefing is None


def test_an_illegal_move_changes_nothing(storage):
    table = table_of(storage)
    version = table.journal.version
    with pytest.raises(IllegalMoveError):
        table.play(Move("verifier", {"main": "word " * 500}))
    assert table.journal.version == version == len(table.episode.events)


def test_two_who_play_at_once(storage):
    first = table_of(storage)
    second = StoredTable(storage, first.id)
    first.play(Move("verifier", {"main": "Why?"}))
    # The number of stored events would show who has already moved.
    with pytest.raises(ConflictError, match=r"^[^0-9]*$"):
        second.play(Move("verifier", {"main": "How?"}))
    # The second table has loaded what the first did.
    assert second.episode.events == first.episode.events
    assert not second.refresh()
    second.step()
    assert first.refresh()
    assert first.episode.node.round == 2


def test_a_move_that_cannot_be_stored_has_not_happened(storage, monkeypatch):
    table = table_of(storage)

    def full(*_):
        raise StorageError("The disk is full.")

    monkeypatch.setattr(storage, "append", full)
    with pytest.raises(StorageError):
        table.play(Move("verifier", {"main": "Why?"}))
    assert table.episode.node.round == 0
    monkeypatch.undo()
    table.play(Move("verifier", {"main": "Why?"}))
    assert StoredTable(storage, table.id).episode.node.round == 1


def test_undo_goto_and_comment_are_kept(storage):
    table = table_of(storage)
    table.play(Move("verifier", decision=0))
    table.undo("verifier")
    table.play(Move("verifier", decision=1))
    table.goto(1)
    table.comment(Commented(node=1, text="Too early."), visitor="a")
    again = StoredTable(storage, table.id)
    assert again.episode.node.id == 1
    ended = [leaf.moves["verifier"].decision for leaf in again.episode.leaves]
    assert ended == [0, 1]
    (remark,) = (event for event in again.episode.events if isinstance(event, Commented))
    assert (remark.node, remark.text, remark.at is not None) == (1, "Too early.", True)
    assert again.episode.events == table.episode.events


def test_a_start_is_the_same_for_the_same_choices():
    debate = ProtocolChoice.of("debate")
    for choice in task_choices():
        starts = [Start(debate, choice, default_seats(debate.rules), n % 6) for n in range(12)]
        tasks = [start.setup().task for start in starts]
        assert tasks[:6] == tasks[6:]
        assert len({task.id for task in tasks}) > 1
        kinds = {task.kind.startswith("graph") for task in tasks}
        assert kinds == {choice.startswith("graphs")}
    task = find_task(debate.rules, "code:hard", 4)
    assert task.difficulty == "hard"
    assert find_task(debate.rules, f"id:{task.id}", 0) is task
    for wrong in ("poems", "code:impossible", "id:nothing", "code:easy:x"):
        with pytest.raises(UnknownNameError):
            find_task(debate.rules, wrong, 0)


def test_seats_are_played_as_chosen(storage):
    seats = {"prover0": "friend", "prover1": "random", "verifier": "me"}
    table = table_of(storage, "mnip", seats)
    assert table.humans == ["prover0", "verifier"]
    episode = table.episode
    players = {a: player_of(episode, a) for a in episode.rules.seat_names}
    assert {a: p.kind for a, p in players.items() if p is not None} == {"prover1": "random"}
    assert episode.players["prover0"] == {"kind": "human", "who": "friend"}


def test_what_a_browser_sends_may_be_anything(storage):
    for act in (
        *(None, 3, "x", [], {}, {"seat": "verifier"}, {"seat": "verifier", "round": "0"}),
        {"seat": "prover", "round": 0},
        {"seat": "verifier", "round": 1, "messages": {"main": "late"}},
    ):
        with pytest.raises(NipError, match="look at the table"):
            move_of(act, "verifier", 0)
    table = table_of(storage)
    for act in (
        {"messages": 3},
        {"messages": {"main": 5}},
        {"messages": {5: "main"}},
        {"messages": {"main": ["x"]}},
        {"messages": {"main": "x"}, "confidence": "much"},
        {"messages": {"main": "x"}, "choices": {"verdict": "accept"}},
    ):
        with pytest.raises(NipError):
            table.play(move_of({"seat": "verifier", "round": 0, **act}, "verifier", 0))
    assert table.episode.node.round == 0


@each("kind", ["replay", "from a newer program", None, 7, []])
def test_a_seat_whose_player_is_not_known_here_is_a_persons(storage, kind):
    choice = ProtocolChoice.of("nip")
    setup = Start(choice, "code:easy", default_seats(choice.rules), 3).setup()
    episode = Episode.from_setup(setup)
    for agent in episode.rules.seat_names:
        episode.apply(Seated(agent=agent, player={"kind": kind, "model": "theirs"}))
    table = StoredTable(storage, storage.create(episode))
    assert table.humans == list(table.spec.agent_names)
    with pytest.raises(IllegalMoveError):
        table.play(Move("verifier", {"main": ""}))
    assert table.episode.players["verifier"]["kind"] == kind
    table.play(Move("verifier", {"main": "Why?"}))
    # Who has moved is taken from the transcript.
    assert table.episode.players["verifier"] == {"kind": "human", "who": "me"}
    assert table.episode.players["prover"]["kind"] == kind
    assert dumps(StoredTable(storage, table.id).episode) == dumps(table.episode)


def test_the_cover_says_what_comes_next_and_not_who_has_moved(storage):
    spec = protocol_spec(HyperParameters(interaction_protocol="mnip"))
    table = table_of(storage, "mnip", dict.fromkeys(spec.agent_names, "human"))
    coming = []
    for seat, text in (("verifier", "Why?"), ("prover0", "a"), ("prover1", "b")):
        assert seat_at_screen(table, None) == seat
        coming.append(cover(table, seat).coming)
        legal = table.episode.legal(seat)
        table.play(Move(seat, dict.fromkeys(legal.channels, text)))
    assert coming == [
        "Next: turn 1 of 8, in which the verifier asks or decides.",
        "Next: turn 2 of 8, in which prover 1 makes a move.",
        "Next: turn 2 of 8, in which prover 2 makes a move.",
    ]
    table.play(Move("verifier", decision=0))
    assert cover(table, "prover0").coming == "The game is over. Next: the verdict and the review."
