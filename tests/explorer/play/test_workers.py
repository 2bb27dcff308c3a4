"""Tests of workers.py and working.py.

Models working at a table: several at once, and each seat sees only what it may know.
"""

import gc
import threading
import time

import pytest

from explorer.play import stored, workers, working
from explorer.play.stored import StoredTable
from explorer.play.workers import grants, work_at
from explorer.play.working import visible_words, what_failed, what_goes_on
from explorer.players.models import LLMSettings
from explorer.storage import open_storage
from nip_core import HyperParameters, bundled_tasks
from nip_core.play import Episode, Move, Seated
from tests.explorer.players.misbehaving import sensible
from tests.explorer.players.model_server import ModelServer

TIMEOUT = 120
WORDS = "Answer: a secret of this seat."


@pytest.fixture
def storage(tmp_path):
    return open_storage(f"sqlite:///{tmp_path}/episodes.sqlite")


def table_of(storage, protocol, servers, **players):
    """Return a table whose provers are models of servers, after a scripted verifier has asked."""
    rules = HyperParameters(interaction_protocol=protocol)
    episode = Episode(rules, bundled_tasks("easy")[0], 4)
    seats = {agent: {"kind": "human", "who": "me"} for agent in episode.rules.seat_names}
    for agent, server in servers.items():
        seats[agent] = {"kind": "llm", **LLMSettings(f"of {agent}", server.url).describe()}
    for agent, player in (seats | players).items():
        episode.apply(Seated(agent=agent, player=player))
    while not set(servers) & set(episode.to_move):
        channels = episode.view_for("verifier").legal.channels
        episode.play(Move("verifier", dict.fromkeys(channels, "Why?")))
    for server in servers.values():
        models = [LLMSettings(f"of {agent}", server.url) for agent in servers]
    table = StoredTable(storage, storage.create(episode))
    for agent, server in servers.items():
        grants.lend("me", table.id, [*models, LLMSettings(f"of {agent}", server.url)])
    return table


def finished(table):
    worker = work_at(table.storage, table.id, "me")
    worker.join(TIMEOUT)
    assert not worker.is_alive()
    table.refresh()
    return worker


def test_models_that_speak_together_are_asked_together(storage):
    together = threading.Barrier(2)

    def answer(messages):
        together.wait(TIMEOUT)
        return sensible(messages)

    with ModelServer(answer=answer) as server:
        table = table_of(storage, "mnip", dict.fromkeys(["prover0", "prover1"], server))
        worker = finished(table)
    assert not worker.failed
    assert table.waits_for == ["verifier"]
    assert len(server.requests) == 2


def test_a_failure_leaves_the_others_move_where_it_is(storage):
    with ModelServer() as good, ModelServer(behaviours=["401"]) as bad:
        table = table_of(storage, "mnip", {"prover0": bad, "prover1": good})
        worker = finished(table)
        assert worker.failed
        assert table.episode.to_move == ("prover0",)
        assert "wants a key" in what_failed(worker, "prover0")[0]
        # After a retry, only the model that failed is asked.
        worker = finished(table)
        assert not worker.failed
        assert table.waits_for == ["verifier"]
        assert (len(good.requests), len(bad.requests)) == (1, 2)


def test_failed_calls_are_in_the_record_of_the_move_that_followed(storage):
    with ModelServer(behaviours=["pauses", "half", "wordy"]) as server:
        table = table_of(storage, "nip", {"prover": server})
        worker = work_at(storage, table.id, "me")
        while not worker.seats or not visible_words(worker, "prover"):
            assert worker.is_alive()
            time.sleep(0.01)
        worker.cancel.set()
        worker.join(TIMEOUT)
        finished(table)
    (moved,) = [e for e in table.episode.events if e.type == "moved" and "attempts" in e.origin]
    assert moved.origin["attempts"] == len(server.requests) == 4
    assert table.use.tokens == moved.origin["tokens_in"] + moved.origin["tokens_out"]
    assert workers.worker_of(table.id) is None


def test_only_the_latest_failures_are_kept_in_memory(storage, monkeypatch):
    monkeypatch.setattr(workers, "MOST_IDLE", 2)
    workers._workers.clear()
    with ModelServer() as good, ModelServer(behaviours=["401"] * 9) as bad:
        done = [table_of(storage, "nip", {"prover": good}) for _ in range(3)]
        assert not any(finished(table).failed for table in done)
        assert not workers._workers
        failing = [table_of(storage, "nip", {"prover": bad}) for _ in range(5)]
        assert all(finished(table).failed for table in failing)
    # A person who comes back finds the latest failures, and their reasons.
    assert list(workers._workers) == [table.id for table in failing[-3:]]
    assert "wants a key" in what_failed(workers.worker_of(failing[-1].id), "prover")[0]
    gc.collect()
    assert not stored._accounts


# -- what seats see -------------------------------------------------------------------------------


class Trouble:
    """Records what each seat sees while two models are working."""

    def __init__(self, storage, protocol, agents, behaviours):
        self.shown = {}
        with (
            ModelServer(behaviours=behaviours[0]) as one,
            ModelServer(behaviours=behaviours[1]) as two,
        ):
            table = table_of(storage, protocol, dict(zip(agents, (one, two), strict=False)))
            worker = work_at(storage, table.id, "me")
            while not all(self.busy(worker, agent) for agent in table.episode.to_move):
                assert worker.is_alive()
                time.sleep(0.01)
            for seat in table.spec.agent_names:
                self.shown[seat] = what_goes_on(worker, seat, table), visible_words(worker, seat)
            worker.cancel.set()
            worker.join(TIMEOUT)

    @staticmethod
    def busy(worker, agent):
        seat = worker.seats.get(agent)
        return seat is not None and seat.progress is not None and seat.progress.stage != "asked"


def lines(shown):
    """Return the lines of a status, without the seconds in the first line."""
    return shown[0].split("\n")[1:]


def test_those_who_wait_for_a_model_see_which_and_why(storage):
    slow = [["429_wait"] * 9, []]
    shown = Trouble(storage, "nip", ["prover"], slow).shown
    (line,) = lines(shown["verifier"])
    assert line.startswith("Prover: 127.0.0.1:")
    assert "asks us to wait 30 s, because it has too many requests." in line
    assert line.endswith("The next request comes in 30 s. (Attempt 1 of 5.)")


def test_seats_that_speak_together_are_not_named(storage):
    slow = [["429_wait"] * 9, ["pauses"]]
    shown = Trouble(storage, "mnip", ["prover0", "prover1"], slow).shown
    assert lines(shown["verifier"]) == lines(shown["prover1"])[1:] == [working.SOME_WAIT]
    assert lines(shown["prover1"])[0].startswith("It is writing: 2 words so far.")
    assert shown["prover1"][1] == "Answer: well"
    assert "30 s" in lines(shown["prover0"])[0]
    assert shown["prover0"][1] == shown["verifier"][1] == ""


def test_nothing_is_shown_of_anonymous_seats(storage):
    slow = [["429_wait"] * 9, ["429_wait"] * 9]
    shown = Trouble(storage, "merlin_arthur", ["prover0", "prover1"], slow).shown
    assert lines(shown["verifier"]) == []
