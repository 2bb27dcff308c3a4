"""Tests of explorer/studies/progress.py, explorer/studies/services.py and
explorer/studies/terminal.py.

Studies whose services fail, hang, or are needed by another study at the same time.
"""

import threading
import time

import anyio
import pytest

from explorer import studies
from explorer.studies import Record, StudyError, read_study, study_form
from explorer.studies.progress import FAILING_FOR, Health, Progress
from explorer.studies.terminal import stage_line
from tests.depth import exhaustive
from tests.explorer.players.misbehaving import sensible
from tests.explorer.studies.inspect.server import Server
from tests.explorer.studies.test_run import ROOT, key, study_file

__all__ = ["key"]
# Seconds: a thread that has not ended by then is stuck.
STUCK = 600


class VirtualClock:
    """A clock that moves on only while somebody waits, and then at once."""

    seconds = 0.0

    def now(self):
        return self.seconds

    async def sleep(self, seconds):
        self.seconds += seconds
        await anyio.sleep(0)


def run_study(study, record, **more):
    """Run a study with permission to send each key to the address of its model."""
    urls = {player.base_url for each in study.conditions for player in each.seats.values()}
    allowed = {("LOCAL_API_KEY", url) for url in urls if url}
    return studies.run_study(study, record, allowed=allowed, **more)


def two_services(dead, healthy):
    text = study_file(dead.url, problems=2).replace("max_retries = 0", "max_retries = 50")
    other = text.partition("[players.one]")[2].partition("[players.careful]")[0]
    other = other.replace(dead.url, healthy.url).replace("local/one", "local/two")
    return text.replace('verifiers = ["one", "careful"]', 'verifiers = ["one", "two"]').replace(
        '[[conditions]]\nverifiers = ["one", "two"]\nprovers = "one"',
        '[players.hard]\nkind = "scripted"\nlevel = "hard"\n'
        f"[players.two]{other}"
        '[[conditions]]\nverifiers = ["one", "two"]\nprovers = "hard"',
    )


@exhaustive
def test_a_dead_service_is_given_up_and_the_healthy_one_goes_on(tmp_path, key):
    stages, clock = [], VirtualClock()
    with Server([500] * 10_000) as dead, Server() as healthy:
        study, record = read_study(two_services(dead, healthy), ROOT), Record(tmp_path / "record")
        assert len(study.conditions) == 2
        stage = run_study(study, record, watch=stages.append, clock=clock)
        assert FAILING_FOR <= clock.now() < 2 * FAILING_FOR
        gone, fine = (each.name for each in study.conditions)
        assert {row.condition for row in record.results()} == {fine}
        assert len(record.results()) == 4
        (reason,) = stage.given_up
        assert reason.startswith(gone)
        assert "was given up" in reason
        assert "HTTP 500" in reason
        assert "given up" in stage_line(stage)
        # While it failed, the progress said so, and showed no remaining time.
        failing = [each for each in stages if each.problem]
        assert failing
        assert "HTTP 500" in stage_line(failing[0])
        assert all(each.seconds_left is None for each in failing)
        assert {each.condition for each in record.failures()} <= {gone}
        # Once the service is back, the same command plays the rest.
        dead.statuses.clear()
        run_study(study, record)
        run_study(study, record, failed=True)
        assert len(record.results()) == 8


@exhaustive
def test_a_service_that_fails_briefly_is_asked_again(tmp_path, key):
    with Server([503, 429, 500]) as server:
        text = study_file(server.url).replace("max_retries = 0", "max_retries = 6")
        record = Record(tmp_path / "record")
        stage = run_study(read_study(text, ROOT), record, clock=VirtualClock())
        assert (stage.done, stage.failed, stage.given_up) == (8, 0, ())
        assert stage.problem == ""


class Hanging(Server):
    """Answers only once it is released."""

    def __init__(self):
        super().__init__(answer=self.later)
        self.asked, self.gate = threading.Event(), threading.Event()

    def later(self, chat):
        self.asked.set()
        assert self.gate.wait(STUCK)
        return sensible(chat)


@exhaustive
def test_a_run_is_stopped_at_once_while_a_model_is_silent_and_another_waits_for_it(tmp_path, key):
    made, stages = [], []
    with Hanging() as server, Server() as other:
        study = read_study(study_file(server.url), ROOT)
        record = Record(tmp_path / "record")
        run = threading.Thread(
            target=lambda: stages.append(run_study(study, record, progress_made=made.append))
        )
        run.start()
        assert server.asked.wait(STUCK)
        (progress,) = made
        # Another study that needs Inspect says what it waits for, and can be stopped.
        text, queued = study_file(other.url).replace('"models"', '"second"'), []
        second = threading.Thread(
            target=run_study,
            args=(read_study(text, ROOT), Record(tmp_path / "second")),
            kwargs={"progress_made": queued.append},
        )
        second.start()
        until = time.monotonic() + STUCK
        while not (queued and queued[0].stage.waits_for) and time.monotonic() < until:
            time.sleep(0.02)
        assert "queued: “models” is played first" in stage_line(queued[0].stage)
        progress.stop("by hand")
        run.join(1)
        assert run.is_alive()  # lets running episodes finish
        progress.stop("by hand", at_once=True)
        run.join(STUCK)
        assert not run.is_alive()
        server.gate.set()
        # A cancelled episode is no failure, and is played when the run continues.
        assert record.failures() == []
        assert stages[0].left == 8
        second.join(STUCK)
        assert len(Record(tmp_path / "second").results()) == 8
        assert run_study(study, record).done == 8


def test_a_slow_service_that_answers_is_never_given_up():
    clock = VirtualClock()
    health = Health("slow", clock)
    with health.asked():
        for _ in range(100):
            clock.seconds += 60
            health.failed("HTTP 500")
        assert not health.dead  # one request waits from the beginning, and may still be answered
        assert "has not answered for 6000 s" in health.silence
        health.answered()
    assert health.problem == health.silence == ""
    for _ in range(4):
        health.failed("HTTP 500")
        clock.seconds += 20
    assert not health.dead
    for _ in range(5):
        clock.seconds += 20
        health.failed("HTTP 500.")
    assert "for 3 minutes" in health.dead


def test_a_remaining_time_is_shown_only_if_it_can_be_estimated():
    clock = VirtualClock()
    progress = Progress(200, 0, 200, clock=clock)
    progress.begin(last=False)
    for _ in range(100):
        clock.seconds += 0.05
        progress.done(1)
    # Half is done in five seconds, but the rest needs models.
    assert progress.stage.seconds_left is None
    progress.begin(last=True)
    assert progress.stage.seconds_left is None
    for _ in range(30):
        clock.seconds += 2.0
        progress.done(1)
    assert progress.stage.seconds_left == pytest.approx(140)
    clock.seconds += 60
    assert progress.stage.seconds_left is None
    progress.done(1)
    assert progress.stage.seconds_left is not None
    progress.stop("by hand")
    assert progress.stage.seconds_left is None


def test_a_model_entered_by_hand_is_not_dropped():
    wanted = study_form.Wanted(model="openai/a", model_verifies=False, model_proves=False)
    with pytest.raises(StudyError, match="It verifies"):
        study_form.study_text(wanted)
    assert "openai/a" in study_form.study_text(study_form.Wanted(model="openai/a"))
