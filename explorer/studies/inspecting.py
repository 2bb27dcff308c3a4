"""The engine of conditions with models: Inspect asks them, our transcripts are the record.

A run is one evaluation of Inspect, with a sample for each episode that is left, in the study's
order. Its log stands beside our record, whose rows name it. What was finished is known from our
record alone, so a run that is taken up again asks nobody twice.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as evaluate  # pyright: ignore[reportUnknownVariableType]
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalSpec
from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.scorer import SampleScore
from inspect_ai.solver import TaskState
from inspect_ai.util import EarlyStop, EarlyStopping

from explorer.play import Table
from explorer.players import Player
from explorer.players.models import ModelPlayer
from explorer.studies.inspect.client import FirstCallGate, InspectClient, Meter, trouble_of
from explorer.studies.inspect.errors import StoppingError, StudyHaltedError
from explorer.studies.inspect.playing import (
    play,
    reward_by_condition,
    sample_of,
    verdict_by_condition,
)
from explorer.studies.models import arguments_of
from explorer.studies.points import Point
from explorer.studies.progress import Health, Run
from explorer.studies.results import Failure, finished
from explorer.studies.study import PlayerChoice, StudyError, problem_of
from explorer.usage import Usage
from nip_core.play import Episode

__all__ = ["play_on_inspect"]

ENGINE = "inspect"
# How often a request is made again, where the file does not say.
MAX_RETRIES = 6
TIMEOUT = 600
# How many requests a service gets at the same time, where the file does not say.
CONNECTIONS = 10

# Inspect evaluates one thing at a time in a process.
_one_at_a_time = threading.Lock()
_played_now = [""]
GLANCE = 0.5


def play_on_inspect(points: Sequence[Point], run: Run) -> None:
    """Play points, and hand what comes of them to the run.

    Raises
    ------
    StudyError
        If no further episode could be played either: a key that is refused, a missing package.
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
    """One evaluation of Inspect, and what its samples share."""

    def __init__(self, points: Sequence[Point], run: Run) -> None:
        self.points = {point.key: point for point in points}
        self.run = run
        self.models: dict[str, tuple[Model, FirstCallGate, Health]] = {}
        self.meters: dict[str, _Shared] = {}
        self.spent = Usage()
        self.log = ""
        self.hopeless = ""
        self.heard: set[str] = set()

    def play(self) -> None:
        players = _asked(self.points.values())
        for player in players.values():
            self._model(player)
        samples = [
            sample_of(
                point.task,
                problem_of(point.task),
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
            # Our record is on the disk already; a second copy for a crash would be for nothing.
            log_realtime=False,
            # Numbers on the way are for Inspect's own display.
            score_display=False,
            # One failure is kept, and is no reason to give up the others.
            fail_on_error=False,
            max_samples=sum(map(_connections, players.values())),
            metadata={"study": self.run.study.name},
        )[0]
        if self.hopeless:
            raise StudyError(f"{self.hopeless} The run was stopped; all that was finished is kept.")
        if log.error is not None:
            raise StudyError(f"Inspect has broken off; its log says why: {self.log}.")
        if not self.run.progress.stopped:
            # Nothing is dropped without a word, whatever has become of it.
            lost = RuntimeError("Inspect has not played it; its log says why.")
            missing = [
                point
                for key, point in self.points.items()
                if key not in self.heard and not self.given_up(point)
            ]
            self.run.fail([Failure.of(point, lost, ENGINE, self.log) for point in missing])

    def _task(self, samples: list[Sample]) -> Task:
        return Task(
            MemoryDataset(samples, name=self.run.study.name),
            solver=play(self._begin, self._ended),
            scorer=[verdict_by_condition(), *map(reward_by_condition, self._agents())],
            early_stopping=_Stopping(self),
            name=_file_name(self.run.study.name),
        )

    def _agents(self) -> Iterable[str]:
        """The seats that any condition has, each once."""
        return dict.fromkeys(
            agent for point in self.points.values() for agent in point.condition.seats
        )

    # -- episodes ------------------------------------------------------------------------------

    def _begin(self, state: TaskState) -> Table:
        point = self.points[str(state.sample_id)]
        meter = self.meters[point.key] = _Shared(self)
        episode = point.episode()
        players: dict[str, Player] = {}
        for agent, player in point.seats().items():
            if player.kind == "model":
                model, gate, health = self._model(player)
                players[agent] = ModelPlayer(
                    InspectClient(
                        model,
                        _options(player),
                        retries=_retries(player),
                        meter=_Asked(meter, health),
                        gate=gate,
                    )
                )
        return Table(episode, players=players, timed=False)

    def _ended(self, state: TaskState, episode: Episode, trouble: Exception | None) -> None:
        point = self.points[str(state.sample_id)]
        meter = self.meters.pop(point.key)
        if isinstance(trouble, StoppingError):
            # The episode is no failure: it is played when there is a key, or more money.
            self.hopeless = self.hopeless or str(trouble)
            self.run.progress.stop(str(trouble))
            return
        self.heard.add(point.key)
        if isinstance(trouble, StudyHaltedError) and self.run.progress.halted:
            return  # nor is this: it was dropped
        self.given_up(point)
        if trouble is not None:
            self.run.fail([Failure.of(point, trouble, ENGINE, self.log)], meter.used)
        else:
            self.run.keep([finished(point, episode, engine=ENGINE, log=self.log)])

    def given_up(self, point: Point) -> str:
        """Why a point is not begun: a service that it needs was given up."""
        asked = (p for p in point.seats().values() if p.kind == "model")
        why = next(filter(None, (self._model(player)[2].dead for player in asked)), "")
        if why:
            self.run.progress.give_up(point.condition.name, why)
        return why

    def _model(self, player: PlayerChoice) -> tuple[Model, FirstCallGate, Health]:
        """The model of a player, made once."""
        if player.name not in self.models:
            arguments = arguments_of(player, self.run.allowed)
            # We ask again ourselves, so that it can be told and stopped.
            settings: dict[str, Any] = {"timeout": TIMEOUT, **player.settings, "max_retries": 0}
            try:
                model = get_model(
                    player.model,
                    config=GenerateConfig(**settings),
                    **arguments,
                )
            except Exception as error:
                # It may hold the key.
                told = trouble_of(error, player.model)
                raise StudyError(f"players.{player.name}: {told}") from None
            health = self.run.progress.watch(Health(str(model)))
            self.models[player.name] = model, FirstCallGate(), health
        return self.models[player.name]


class _Shared(Meter):
    """Counts an episode's requests, and looks at what all of them have taken."""

    def __init__(self, evaluation: _Evaluation) -> None:
        super().__init__()
        self._evaluation = evaluation

    @property
    def stopped(self) -> str:
        """Why all requests on their way are dropped."""
        return self._evaluation.run.progress.halted

    def tell(self) -> None:
        """Show what has changed."""
        self._evaluation.run.progress.tell()

    def allow(self) -> None:
        """Refuse a request once it is known that none will be answered."""
        if self._evaluation.hopeless:
            raise StoppingError(self._evaluation.hopeless)
        super().allow()

    def add(self, usage: Usage) -> None:
        """Count what a request took; once too much was taken, nothing new is begun."""
        super().add(usage)
        self._evaluation.spent += usage
        self._evaluation.run.progress.check(self._evaluation.spent)


class _Asked(Meter):
    """One model's part of an episode's meter, with what is known of its service."""

    def __init__(self, meter: _Shared, health: Health) -> None:
        super().__init__()
        self._meter, self._health = meter, health

    @property
    def halted(self) -> str:
        """Why requests on their way are dropped."""
        return self._health.dead or self._meter.stopped

    def asked(self) -> AbstractContextManager[None]:
        """While a request is on its way."""
        return self._health.asked()

    def answered(self) -> None:
        """A request was answered."""
        self._health.answered()

    def failed(self, trouble: str) -> None:
        """A request came to nothing, in a way that may pass."""
        self._health.failed(trouble)
        self._meter.tell()

    def allow(self) -> None:
        """Refuse a request that nobody would wait for."""
        if self.halted:
            raise StudyHaltedError(self.halted)
        self._meter.allow()

    def add(self, usage: Usage) -> None:
        """Count what a request took."""
        self._meter.add(usage)


class _Stopping(EarlyStopping):
    """Begins nothing new once the run is stopped; what is on its way is let finish."""

    def __init__(self, evaluation: _Evaluation) -> None:
        self._evaluation = evaluation

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        logs = self._evaluation.run.record.logs
        found = next(logs.glob(f"*_{task.task_id}.eval"), None)
        self._evaluation.log = "" if found is None else f"{logs.name}/{found.name}"
        return "nip-study"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        if self._evaluation.run.progress.stopped:
            return EarlyStop(id=id, epoch=epoch, reason="The run was stopped.")
        why = self._evaluation.given_up(self._evaluation.points[str(id)])
        return EarlyStop(id=id, epoch=epoch, reason=why) if why else None

    async def complete_sample(
        self, id: str | int, epoch: int, scores: dict[str, SampleScore]
    ) -> None:
        pass

    async def complete_task(self) -> dict[str, Any]:
        return {}


def _asked(points: Any) -> Mapping[str, PlayerChoice]:
    """The models among the players, by name."""
    return {
        player.name: player
        for point in points
        for player in point.seats().values()
        if player.kind == "model"
    }


def _options(player: PlayerChoice) -> dict[str, Any]:
    return {
        "corrections": player.corrections,
        "price_in": player.prices.input,
        "price_out": player.prices.output,
    }


def _retries(player: PlayerChoice) -> int:
    most = player.settings.get("max_retries", MAX_RETRIES)
    return most if isinstance(most, int) and most >= 0 else MAX_RETRIES


def _connections(player: PlayerChoice) -> int:
    most = player.settings.get("max_connections", CONNECTIONS)
    return most if isinstance(most, int) and most > 0 else CONNECTIONS


def _file_name(name: str) -> str:
    """A study's name where only letters, digits and dashes may stand."""
    return "".join(each if each.isalnum() else "-" for each in name)
