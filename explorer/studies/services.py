"""The models of a run: each is asked by many episodes, over HTTP or by Inspect."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

import anyio

from explorer.players import (
    AnswerWait,
    LLMError,
    LLMSettings,
    ModelAnswer,
    ModelClient,
    ModelPlayer,
    Retries,
)
from explorer.studies.inspect.errors import InspectModelError, StoppingError, StudyHaltedError
from explorer.studies.points import Point
from explorer.studies.progress import Health, Run
from explorer.studies.results import Failure
from explorer.studies.study import PlayerChoice, StudyError, models_of
from nip_core.text import PortableMessage

T = TypeVar("T")

# Defaults, if the study's file has no other value.
MAX_RETRIES, TIMEOUT, CONNECTIONS = 6, 600, 10
# Seconds between checks whether the run was stopped, and the longest pause before a request is
# repeated.
GLANCE = 0.2
LONGEST_PAUSE = 30.0


def connections_of(player: PlayerChoice) -> int:
    """Return how many requests at a time a player's service gets."""
    return _whole(player, "max_connections", CONNECTIONS, 1)


def retries_of(player: PlayerChoice) -> int:
    """Return how often a request is repeated after a temporary error."""
    return _whole(player, "max_retries", MAX_RETRIES, 0)


def _whole(player: PlayerChoice, name: str, usual: int, least: int) -> int:
    value = player.settings.get(name, usual)
    if type(value) is not int or value < least:
        raise StudyError(
            f"players.{player.name}.settings.{name} must be a whole number from {least} on."
        )
    return value


class Services:
    """The models of a run, each made once.

    `retries` returns how often a player's request is repeated in addition to its client's own
    retries. `hopeless` is why every further request would fail, such as a refused key; or empty.
    """

    def __init__(
        self,
        run: Run,
        points: Sequence[Point],
        engine: str,
        make: Callable[[PlayerChoice], ModelClient],
        retries: Callable[[PlayerChoice], int] = lambda player: 0,
    ) -> None:
        self.run, self.engine, self.hopeless = run, engine, ""
        players = models_of(point.condition for point in points)
        self._services = {
            player.name: _Service(self, player, make(player), retries(player)) for player in players
        }
        self.connections = sum(map(connections_of, players))

    def players(self, point: Point) -> dict[str, ModelPlayer]:
        """Return the models of an episode by agent."""
        return {agent: ModelPlayer(service) for agent, service in self._asked(point).items()}

    def _asked(self, point: Point) -> dict[str, _Service]:
        seats = point.seats().items()
        return {a: self._services[player.name] for a, player in seats if player.kind == "model"}

    def given_up(self, point: Point) -> str:
        """Return why a point cannot begin, if a service that it needs was given up."""
        services = self._asked(point).values()
        why = next(filter(None, (service.health.dead for service in services)), "")
        if why:
            self.run.progress.give_up(point.condition.name, why)
        return why

    def failed(self, point: Point, error: Exception, log: str = "") -> None:
        """Record an episode's failure, unless a later run can play it."""
        if isinstance(error, StoppingError):
            self.hopeless = self.hopeless or str(error)
            self.run.progress.stop(self.hopeless)
        elif not (isinstance(error, StudyHaltedError) and self.run.progress.halted):
            self.given_up(point)
            self.run.keep([Failure.of(point, error, self.engine, log)])

    def check(self) -> None:
        """Raise a StudyError if the run ended because every further request would fail."""
        if self.hopeless:
            raise StudyError(f"{self.hopeless} The run was stopped; all that was finished is kept.")


class _Service:
    """A model's client, and whether its service answers.

    The first request is made alone, so that a wrong key fails once instead of in every concurrent
    episode.
    """

    def __init__(
        self, services: Services, player: PlayerChoice, client: ModelClient, retries: int
    ) -> None:
        self._services, self._client, self._retries = services, client, retries
        self._progress = services.run.progress
        self.health = self._progress.watch(Health(player.model, self._progress.clock))
        self._answered = False
        self._first = anyio.Lock()
        self._connections = anyio.Semaphore(connections_of(player))

    @property
    def settings(self) -> LLMSettings:
        """The model and its settings."""
        return self._client.settings

    @property
    def offers_scratchpad(self) -> bool:
        """Whether the model is offered a scratchpad."""
        return self._client.offers_scratchpad

    def describe(self) -> dict[str, object]:
        """Return the transcript's record of the model."""
        return {"engine": self._services.engine, **self._client.describe()}

    async def complete(
        self, messages: Sequence[PortableMessage], waiting: AnswerWait | None = None
    ) -> ModelAnswer:
        """Ask the model, and count the usage, also of failed requests."""
        waiting = waiting or AnswerWait()
        own = AnswerWait(waiting.until, waiting.on_text)
        try:
            if not self._answered:
                async with self._first:
                    if not self._answered:
                        return await self._ask(messages, own)
            return await self._ask(messages, own)
        finally:
            waiting.used += own.used
            self._progress.spend(own.used)

    async def _ask(self, messages: Sequence[PortableMessage], waiting: AnswerWait) -> ModelAnswer:
        async def request() -> ModelAnswer:
            with self.health.asked():
                return await self._client.complete(messages, waiting)

        pauses = Retries(first=2.0, longest=LONGEST_PAUSE)
        for attempt in itertools.count(1):
            try:
                async with self._connections:
                    answer = await self._unless_halted(request)
            except StudyHaltedError:
                raise
            except LLMError as error:
                # Our own client has made all its retries before it raises; other clients' errors
                # may be temporary.
                if isinstance(error, StoppingError) or not (
                    self._answered or isinstance(error, InspectModelError)
                ):
                    self._services.hopeless = self._services.hopeless or str(error)
                    raise StoppingError(str(error)) from None
                if isinstance(error, InspectModelError) and not error.may_pass:
                    raise
                self.health.failed(str(error))
                self._progress.tell()
                if attempt > self._retries:
                    raise
                pause = pauses.pause(attempt, None)
                await self._unless_halted(partial(self._progress.clock.sleep, pause))
                continue
            self._answered = True
            self.health.answered()
            return answer
        raise AssertionError

    def _halted(self) -> str:
        return self.health.dead or self._progress.halted

    async def _unless_halted(self, do: Callable[[], Awaitable[T]]) -> T:
        """Wait for a result, unless the run is halted or the service given up meanwhile."""
        if self._services.hopeless:
            raise StoppingError(self._services.hopeless)
        done: list[T] = []
        errors: list[Exception] = []

        async def watch(scope: anyio.CancelScope) -> None:
            while not self._halted():
                await anyio.sleep(GLANCE)
            scope.cancel()

        if not self._halted():
            async with anyio.create_task_group() as group:
                group.start_soon(watch, group.cancel_scope)
                try:
                    done.append(await do())
                except Exception as error:  # a task group would wrap it in an exception group
                    errors.append(error)
                group.cancel_scope.cancel()
        if errors:
            raise errors[0]
        if not done:
            raise StudyHaltedError(self._halted())
        return done[0]
