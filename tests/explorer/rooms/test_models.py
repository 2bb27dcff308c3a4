"""Language models in seats of a room, asked over HTTP: slow, failing, replaced, and back again."""

import logging
from datetime import timedelta
from functools import partial

import pytest

from explorer import rooms
from explorer.choice import ProtocolChoice
from explorer.play import workers
from explorer.play.workers import grants
from explorer.players.models import Client, LLMSettings, Secret
from explorer.players.models.client import Retries
from explorer.rooms import models
from explorer.storage import open_storage
from explorer.usage import UsageBudget
from tests.depth import first as some
from tests.explorer.players.misbehaving import sensible
from tests.explorer.players.model_server import ModelServer
from tests.explorer.rooms.people import (
    LEADER,
    act_of,
    at,
    lead_board,
    opened,
    plan,
    protocol,
    sits,
    visitor,
)
from tests.explorer.rooms.test_running import events

KEY = "sk-of-the-facilitator"
WORDS = "What I had to say."
TIMEOUT = 180


@pytest.fixture
def server():
    with ModelServer() as started:
        yield started
    models._lent.clear()
    models._waits.clear()


@pytest.fixture
def passing(monkeypatch):
    """A clock that a test advances."""
    seconds = [0.0]
    monkeypatch.setattr(models, "clock", lambda: seconds[0])
    few = Retries(attempts=2, first=0.001)
    monkeypatch.setattr(workers, "Client", partial(Client, retries=few))
    return lambda more: seconds.__setitem__(0, seconds[0] + more)


def settings(server, **said):
    return LLMSettings("mine", server.url, **{"timeout": 60.0, **said})


def room_with_a_model(storage, server, *, lent=True, people=2, **said):
    """Open a room of a table whose second prover is a model; the verifier has asked."""
    record = settings(server, **said.pop("asked", {})).describe()
    made = plan(
        conditions=(rooms.RoomCondition("apart", ProtocolChoice.of(protocol("mnip", 6))),),
        seats={"prover1": "llm"},
        models={"prover1": record},
        **said,
    )
    code = opened(storage, people, plan=made)
    if lent:
        lend(storage, code, server)
    asks = at(storage, code, sits(storage, code, "verifier"))
    assert asks.play(act_of(asks)) is None
    return code


def lend(storage, code, server, key=KEY, caps=None):
    rooms.lend_models(
        rooms.Access(storage, code, LEADER), {("prover1", server.url): Secret(key)}, caps
    )


def wait_for_worker(storage, code):
    worker = workers.worker_of(rooms.load_room(rooms.Access(storage, code)).tables[0].episode_id)
    if worker is not None:
        worker.join(TIMEOUT)
        assert not worker.is_alive()


def look(storage, code):
    """Let the scheduler ask, let the model answer, and run the scheduler again."""
    rooms.run_due(storage)
    wait_for_worker(storage, code)
    rooms.run_due(storage)


def seat(storage, code):
    return rooms.load_room(rooms.Access(storage, code)).tables[0].seats["prover1"]


def speak(storage, code, agent="prover0"):
    mine = at(storage, code, sits(storage, code, agent))
    assert mine.play(act_of(mine, words=WORDS)) is None


def test_a_model_answers_while_people_think_and_neither_overwrites_the_other(storage, server):
    code = room_with_a_model(storage, server)

    def meanwhile(messages):
        # A person who speaks in the same round moves while the model writes.
        if not any(e.type == "moved" and e.move.agent == "prover0" for e in events(storage, code)):
            speak(storage, code)
        return sensible(messages)

    server.answer = meanwhile
    look(storage, code)
    assert len(server.requests) == 1
    assert at(storage, code, sits(storage, code, "verifier")).seen.view.round == 2
    said = {e.move.agent: e for e in events(storage, code) if e.type == "moved"}
    assert said["prover1"].origin["model"] == "mine"
    assert WORDS in str(said["prover0"].move.messages)
    # A model that has answered waits for people as long as they take, and is never replaced.
    assert (seat(storage, code).bot["kind"], seat(storage, code).note) == ("llm", "")


def test_a_person_who_thinks_long_makes_no_model_late(storage, server, passing):
    code = room_with_a_model(storage, server)
    look(storage, code)
    for _ in range(30):
        passing(10)
        rooms.run_due(storage)
    assert (seat(storage, code).bot["kind"], seat(storage, code).note) == ("llm", "")
    assert len(server.requests) == 1
    speak(storage, code)
    assert at(storage, code, sits(storage, code, "verifier")).seen.view.round == 2


FAILURES = {"401": "key", "mute": "silent", "huge": "answer", "500": "500", "garbage": ""}


@pytest.mark.parametrize("behaviour", some(1, FAILURES))
def test_a_failing_one_is_reported_asked_again_and_replaced(
    tmp_path, storage, access, server, passing, behaviour, caplog, monkeypatch
):
    caplog.set_level(logging.DEBUG)
    asked = {"timeout": 0.5} if behaviour == "mute" else {}
    server.behaviours = [behaviour] * 100
    code = room_with_a_model(storage, server, asked=asked)
    speak(storage, code)
    look(storage, code)
    first = seat(storage, code)
    assert first.bot["kind"] == "llm"
    assert first.note
    assert FAILURES[behaviour] in first.note
    requests = len(server.requests)
    looks = 0
    while seat(storage, code).bot["kind"] == "llm":
        passing(10)
        look(storage, code)
        looks += 1
        assert looks < 30
    # It was asked again in between, at intervals.
    assert looks == 12
    assert requests < len(server.requests) <= 5 * requests
    facts = seat(storage, code)
    assert facts.note.startswith("A scripted player has taken over. ")
    # A model that never stops writing has used up its budget.
    assert facts.note.endswith(
        "somebody else make the move." if behaviour == "huge" else first.note
    )
    seated = [e.player for e in events(storage, code) if e.type == "seated"][-1]
    assert (seated["kind"], seated["instead_of"]) == ("scripted", "mine")
    verifier = sits(storage, code, "verifier")
    assert at(storage, code, verifier).seen.view.round == 2
    # The facilitator gives it its seat back, and it is asked in its next round, often enough for a
    # model with a short time limit on a busy machine.
    patient = Retries(attempts=20, first=0.001)
    monkeypatch.setattr(workers, "Client", partial(Client, retries=patient))
    server.behaviours = []
    with pytest.raises(rooms.NotLeaderError):
        rooms.hand_back(access(code, visitor(verifier)), 1, "prover1")
    rooms.hand_back(access(code, LEADER), 1, "prover1")
    assert (seat(storage, code).bot["kind"], seat(storage, code).note) == ("llm", "")
    speak(storage, code, "verifier")
    speak(storage, code)
    look(storage, code)
    said = [e for e in events(storage, code) if e.type == "moved" and e.move.agent == "prover1"]
    answered = said[1:] if behaviour != "huge" else said[:0]  # its budget is used up
    assert [e.origin["kind"] for e in said] == ["scripted", *("llm" for _ in answered)]
    # The key is in no record, no log and no file.
    shown = repr(rooms.files(access(code, LEADER))) + repr(lead_board(rooms.room_of(access(code))))
    shown += repr(at(storage, code, verifier).seen.screen) + caplog.text
    assert KEY not in shown + repr(rooms.load_room(access(code)).rows) + repr(models._lent)
    assert not [path for path in tmp_path.iterdir() if KEY.encode() in path.read_bytes()]


def test_a_key_that_was_refused_can_be_given_anew(storage, access, server, passing):
    server.behaviours = ["401"]
    code = room_with_a_model(storage, server)
    look(storage, code)
    assert "key" in seat(storage, code).note
    lend(storage, code, server, "sk-that-is-right")
    look(storage, code)
    assert (
        server.headers_seen[-1].get("Authorization", server.headers_seen[-1].get("authorization"))
        == "Bearer sk-that-is-right"
    )
    assert seat(storage, code).bot["kind"] == "llm"
    with pytest.raises(rooms.NotLeaderError):
        rooms.lend_models(access(code, visitor(1)), {})


def test_what_a_model_may_use_ends(storage, server, passing):
    code = room_with_a_model(storage, server, lent=False)
    lend(storage, code, server, caps=UsageBudget(300))
    look(storage, code)
    assert server.requests == []
    assert "token" in seat(storage, code).note
    # No model is asked in vain, and nobody waits for ever.
    for _ in range(13):
        passing(10)
        look(storage, code)
    assert server.requests == []
    assert seat(storage, code).bot["kind"] == "scripted"


def test_a_pause_counts_as_nobodys_delay(storage, access, server, passing):
    server.behaviours = ["401"] * 100
    code = room_with_a_model(storage, server)
    look(storage, code)
    rooms.pause(access(code, LEADER))
    passing(3600)
    rooms.run_due(storage)
    rooms.resume(access(code, LEADER))
    look(storage, code)
    assert seat(storage, code).bot["kind"] == "llm"


def test_an_answer_that_arrives_during_a_pause_is_asked_for_again(storage, access, server):
    code = room_with_a_model(storage, server)
    before = len(events(storage, code))

    def slowly(messages):
        if len(server.requests) == 1:
            rooms.pause(access(code, LEADER))
        return sensible(messages)

    server.answer = slowly
    look(storage, code)
    assert len(events(storage, code)) == before
    rooms.resume(access(code, LEADER))
    look(storage, code)
    assert len(server.requests) == 2
    assert len(events(storage, code)) == before + 1


def test_a_process_without_the_keys_leaves_it_to_the_one_that_has_them(
    tmp_path, storage, server, passing
):
    code = room_with_a_model(storage, server, lent=False)
    with open_storage(f"sqlite:///{tmp_path / 'rooms.db'}") as other:
        lend(other, code, server)  # in another process, which has ended since
        models._lent.clear()
        rooms.run_due(storage)
        passing(40)
        rooms.run_due(storage)
        assert seat(storage, code).note == ""
        for _ in range(4):
            passing(10)
            rooms.run_due(storage)
        assert seat(storage, code).note == models.NOT_LENT
        for _ in range(10):
            passing(10)
            rooms.run_due(storage)
    assert seat(storage, code).bot["kind"] == "scripted"
    assert server.requests == []


def test_a_restart_does_not_make_a_table_wait_from_the_beginning(storage, server, monkeypatch):
    code = room_with_a_model(storage, server, lent=False)
    rooms.run_due(storage)
    models._waits.clear()  # another process continues
    later = rooms.changes.now() + timedelta(seconds=models.TAKE_OVER_AFTER)
    monkeypatch.setattr(rooms.changes, "now", lambda: later)
    assert seat(storage, code).bot["kind"] == "llm"
    rooms.run_due(storage)
    assert seat(storage, code).bot["kind"] == "scripted"


def test_keys_go_with_the_room(storage, access, server, passing):
    code = room_with_a_model(storage, server)
    look(storage, code)
    assert rooms.models_lent(rooms.room_of(access(code)))
    models.drop_grants(storage)
    assert rooms.models_lent(rooms.room_of(access(code)))
    rooms.close(access(code, LEADER))
    models.drop_grants(storage)
    assert not rooms.models_lent(rooms.room_of(access(code)))
    other = room_with_a_model(storage, server)
    passing(models.LIFETIME + 1)
    models.drop_grants(storage)
    assert not rooms.models_lent(rooms.room_of(access(other)))
    grants._grants.clear()
