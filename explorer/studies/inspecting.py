"""The engine of conditions with models: Inspect asks them, our transcripts are the record.

A run is one evaluation of Inspect, with a sample for each remaining episode, in the study's order.
Its log is kept in our record, whose rows name it. Finished episodes are known from our record
alone, so a resumed run asks no model twice.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as evaluate  # pyright: ignore[reportUnknownVariableType]
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalSpec
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import SampleScore
from inspect_ai.solver import TaskState
from inspect_ai.util import EarlyStop, EarlyStopping

from explorer.play import Table
from explorer.studies.inspect.client import InspectClient
from explorer.studies.inspect.playing import (
    play,
    reward_by_condition,
    sample_of,
    verdict_by_condition,
)
from explorer.studies.models import model_of
from explorer.studies.points import Point
from explorer.studies.progress import Run
from explorer.studies.results import Failure, finished
from explorer.studies.services import TIMEOUT, Services, retries_of
from explorer.studies.study import PlayerChoice, StudyError, problem_of
from nip_core.play import Episode

ENGINE = "inspect"
# Inspect runs only one evaluation at a time in a process.
_one_at_a_time = threading.Lock()
_played_now = [""]
GLANCE = 0.5


def play_on_inspect(points: Sequence[Point], run: Run) -> None:
    """Play points, and pass their results to the run.

    A StudyError says that all further episodes would fail too: a refused key, for example.
    """
    while not _one_at_a_time.acquire(timeout=GLANCE):
        if run.progress.stopped:
            return
        if run.progress.stage.waits_for != _played_now[-1]:
            run.progress.wait_for(_played_now[-1])
    try:
        _played_now[-1] = run.study.name
        run.progress.wait_for("")
        if not run.progress.stopped:
            _Evaluation(points, run).play()
    finally:
        _one_at_a_time.release()


class _Evaluation:
    """An evaluation of Inspect, and what its samples share."""

    def __init__(self, points: Sequence[Point], run: Run) -> None:
        self.points = {point.key: point for point in points}
        self.run = run
        self.services = Services(run, points, ENGINE, self._client, retries_of)
        self.log = ""
        self.ended: set[str] = set()

    def play(self) -> None:
        samples = [
            sample_of(
                point.task,
                problem_of(point.task),
                point.condition.protocol.choice.rules,
                point.key,
                condition=point.condition.name,
                epoch=point.epoch,
                arm=point.arm.name,
            )
            for point in self.points.values()
        ]
        log = evaluate(
            self._task(samples),
            model=None,
            log_dir=str(self.run.record.logs),
            display="none",
            log_level="error",
            # Our record is on the disk already, so Inspect need not keep a copy for a crash.
            log_realtime=False,
            # Intermediate scores are only for Inspect's own display.
            score_display=False,
            # A failure is recorded, and the other samples continue.
            fail_on_error=False,
            max_samples=self.services.connections,
            metadata={"study": self.run.study.name},
        )[0]
        self.services.check()
        if log.error is not None:
            raise StudyError(f"Inspect has stopped with an error; its log says why: {self.log}.")
        if not self.run.progress.stopped:
            # A sample that ended without any result is recorded as a failure.
            lost = RuntimeError("Inspect has not played it; its log says why.")
            missing = [
                point
                for key, point in self.points.items()
                if key not in self.ended and not self.services.given_up(point)
            ]
            self.run.keep([Failure.of(point, lost, ENGINE, self.log) for point in missing])

    def _task(self, samples: list[Sample]) -> Task:
        return Task(
            MemoryDataset(samples, name=self.run.study.name),
            solver=play(self._begin, self._ended),
            scorer=[verdict_by_condition(), *map(reward_by_condition, self._agents())],
            early_stopping=_Stopping(self),
            name=_file_name(self.run.study.name),
        )

    def _agents(self) -> Iterable[str]:
        """Return the seats of all conditions, each once."""
        return dict.fromkeys(
            agent for point in self.points.values() for agent in point.condition.seats
        )

    # -- episodes ------------------------------------------------------------------------------

    def _begin(self, state: TaskState) -> Table:
        point = self.points[str(state.sample_id)]
        return Table(point.episode(), players=self.services.players(point), timed=False)

    def _ended(self, state: TaskState, episode: Episode, trouble: Exception | None) -> None:
        point = self.points[str(state.sample_id)]
        self.ended.add(point.key)
        if trouble is not None:
            self.services.failed(point, trouble, self.log)
        else:
            self.services.given_up(point)
            self.run.keep([finished(point, episode, engine=ENGINE, log=self.log)])

    def _client(self, player: PlayerChoice) -> InspectClient:
        # The run repeats requests itself, since it shows that and can be stopped.
        settings: dict[str, Any] = {"timeout": TIMEOUT, **player.settings, "max_retries": 0}
        model = model_of(player, self.run.allowed, GenerateConfig(**settings))
        options = {
            "corrections": player.corrections,
            "price_in": player.prices.input,
            "price_out": player.prices.output,
        }
        return InspectClient(model, options)


class _Stopping(EarlyStopping):
    """Begins no further episode once the run is stopped; those in progress are finished."""

    def __init__(self, evaluation: _Evaluation) -> None:
        self._evaluation = evaluation

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        logs = self._evaluation.run.record.logs
        log = next(logs.glob(f"*_{task.task_id}.eval"), None)
        self._evaluation.log = "" if log is None else f"{logs.name}/{log.name}"
        return "nip-study"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        if self._evaluation.run.progress.stopped:
            return EarlyStop(id=id, epoch=epoch, reason="The run was stopped.")
        why = self._evaluation.services.given_up(self._evaluation.points[str(id)])
        return EarlyStop(id=id, epoch=epoch, reason=why) if why else None

    async def complete_sample(
        self, id: str | int, epoch: int, scores: dict[str, SampleScore]
    ) -> None:
        pass

    async def complete_task(self) -> dict[str, Any]:
        return {}


def _file_name(name: str) -> str:
    """Return a study's name with only letters, digits and dashes."""
    return "".join(character if character.isalnum() else "-" for character in name)
